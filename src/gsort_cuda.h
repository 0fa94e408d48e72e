// SPDX-License-Identifier: BSD-2-Clause
/*
 * gsort_cuda.h - sort arrays in the memory of a GPU
 *
 * The whole public interface of libgsort_cuda.  A program can link the library beside its own CUDA, or load
 * it.  This header needs no CUDA header: a stream is a cudaStream_t or CUstream, NULL for the default stream.
 *
 *     size_t bytes;
 *     void *scratch;
 *
 *     gsort_cuda_sort(NULL, NULL, count, GSORT_F32, 0, NULL, &bytes, NULL);
 *     cudaMalloc(&scratch, bytes);
 *     if (gsort_cuda_sort(keys, other, count, GSORT_F32, 0, scratch, &bytes, stream) != GSORT_ERROR_NONE)
 *             fprintf(stderr, "%s\n", gsort_cuda_message());
 *
 * Several threads may call these functions at once, each with its own memory.
 *
 * What a call does, and what it does not do:
 *
 *   - The memory and STREAM must belong to the current device of the thread; the call uses its current
 *     context.  Work is queued on STREAM, in order.  The call does not wait for other streams.
 *   - Keys have any binary type of enum gsort_type except U128 and I128, and are aligned to their size.
 *     Floats are in the order -inf .. -0, 0 .. inf, NaN, -NaN; NaNs keep their bits.
 *   - The library does not allocate device memory.  The first call in a context creates a stream, two
 *     events and a page of pinned memory, and a call that runs beside others creates one more of each.
 *     They are kept for later calls, until gsort_cuda_release().
 *   - A call returns when the host knows that no step must be repeated: it waits for earlier work on
 *     STREAM, and for about two thirds of its own.  The rest may still run when it returns.  It does not
 *     wait if keys have 8 or 16 bits, if there are fewer than 2^17 keys without payloads or at most 2^14
 *     keys with payloads and the sort is not stable, or if rows are short.
 *   - While STREAM is captured in a graph, a call waits for nothing.  Keys that stay together after two more
 *     divisions than usual are then sorted by one block each, slowly.  The call refuses segments, rows that
 *     are not short, and pairs without GSORT_CUDA_STABLE or GSORT_CUDA_PLACES.  A graph has conditional
 *     nodes if it sorts more than 16 MB of keys, more than 2^21 places, or more than 2^13 stable pairs or
 *     places of 64-bit keys, and sometimes fewer where tiles are shorter.  CUDA can neither clone such a
 *     graph nor make it a node of another graph.
 *   - Every GPU architecture of the library's build is supported.  Where a block cannot have 160 KB of shared
 *     memory (compute capability 7.5, 8.6, 8.9 and 12.x), tiles are shorter, and sorts take 1.3 to 2.2 times
 *     as long.
 */
#ifndef GSORT_CUDA_H
#define GSORT_CUDA_H

#include "gsort.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gsort_cuda_flag {
	GSORT_CUDA_DESCENDING = 1,	/* largest first */
	GSORT_CUDA_STABLE = 2,		/* values of equal keys keep their order */
	GSORT_CUDA_PLACES = 4,		/* pairs: write as values the places where keys were */
	GSORT_CUDA_CHECKED = 8,		/* check the result; not for rows and segments */
};

/** The result of a check, with GSORT_CUDA_CHECKED. */
enum gsort_cuda_state {
	GSORT_CUDA_UNKNOWN,		/* the work of the call has not ended */
	GSORT_CUDA_RIGHT,
	GSORT_CUDA_WRONG,
};

/** With GSORT_CUDA_CHECKED, SCRATCH is aligned to 16 bytes, and begins with this struct after the call. */
struct gsort_cuda_verdict {
	uint32_t state;			/* of enum gsort_cuda_state */
	uint32_t what;			/* the sum of 1: keys are out of order, 2: keys or values differ */
	uint64_t place;			/* of the first key out of order; UINT64_MAX: there is none */
};

/**
 * Sort COUNT keys at KEYS.
 *
 * @keys     device memory; the result is always here
 * @other    device memory for as many keys, which does not overlap KEYS; its contents are then undefined
 * @flags    0, or values of enum gsort_cuda_flag
 * @scratch  device memory; NULL: only store in *SCRATCH_BYTES how many bytes the same call needs
 * @scratch_bytes  the size of SCRATCH, which may be larger than needed
 * @return   GSORT_ERROR_NONE; GSORT_ERROR_USAGE: an argument is wrong, nothing has been done;
 *           GSORT_ERROR_MEMORY, GSORT_ERROR_DEVICE: CUDA failed, or GSORT_CUDA_CHECKED found an error; the
 *           contents of KEYS are undefined
 *
 * Equal keys have equal bits, so stability makes no difference.
 *
 * With GSORT_CUDA_CHECKED, the call adds up keys and their hashes before and after the sort, and compares
 * neighbours after it.  This detects keys that are lost, changed or out of order, except for one fault in
 * 2^64.  The call then waits for all of its work.  If STREAM is captured, wait for the graph before you read
 * the verdict in SCRATCH.
 *
 * Time: O(n) for keys of 8 and 16 bits, which do not use OTHER; otherwise O(n log n).  Scratch memory:
 * 512 KiB for keys of 8 and 16 bits.  Up to 16 MB of other keys need two to four times their size, and more
 * keys need at least as much.  2^26 keys need 43 % (32 bits) or 22 % (64 bits) of their size, 2^28 keys 22 %
 * or 17 %, and 2^30 keys 14 %.
 */
GSORT_API enum gsort_error gsort_cuda_sort(void *keys, void *other, size_t count,
                                           enum gsort_type type, unsigned flags, void *scratch,
                                           size_t *scratch_bytes, void *stream);

/**
 * Sort COUNT keys at KEYS, and move the COUNT elements of VALUES with them.  Each value has VALUE_BYTES, 4 or
 * 8 bytes.  Both arrays are sorted in place.
 *
 * @flags  without GSORT_CUDA_STABLE, values of equal keys of 32 or 64 bits come in any order, which is
 *         faster.  With GSORT_CUDA_PLACES, VALUES is only written: value i is the place where key i was, and
 *         equal keys are in the order of their places (argsort).  GSORT_CUDA_CHECKED checks places, and that
 *         each value still belongs to its key, but not the order of values of equal keys
 * @count  at most 2^32 for stable pairs and places
 *
 * The rest is as in gsort_cuda_sort().  Scratch memory: as much as both arrays, and as above for keys of 64
 * bits, or twice that for pairs of 16 bytes.  Stable pairs and places need 17 to 26 bytes for each key, and
 * about twice that up to 2^21 keys.
 */
GSORT_API enum gsort_error gsort_cuda_sort_pairs(void *keys, void *values, size_t value_bytes,
                                                 size_t count, enum gsort_type type,
                                                 unsigned flags, void *scratch,
                                                 size_t *scratch_bytes, void *stream);

/**
 * Sort each of ROWS rows at KEYS by itself.  Each row has LENGTH keys, and follows the row before it.
 *
 * The rest is as in gsort_cuda_sort().  For rows of up to 2^13 keys (64 bits: 2^12), the call does not wait,
 * does not use OTHER, and needs 256 bytes of scratch memory.  Longer rows need 1 % more than
 * gsort_cuda_sort(), and for keys of 8 and 16 bits also 8 bytes for each key.
 */
GSORT_API enum gsort_error gsort_cuda_sort_rows(void *keys, void *other, size_t rows, size_t length,
                                                enum gsort_type type, unsigned flags,
                                                void *scratch, size_t *scratch_bytes,
                                                void *stream);

/**
 * Sort each of SEGMENTS segments of COUNT keys by itself: segment i is from OFFSETS[i] to OFFSETS[i + 1] - 1.
 *
 * @offsets   device memory: SEGMENTS + 1 numbers, which do not decrease and are at most COUNT.  Keys before
 *            the first offset, and from the last one on, keep their places
 * @segments  less than 2^32; segments may be empty, and have any lengths
 * @return    also GSORT_ERROR_USAGE if OFFSETS are invalid; the keys are then unchanged
 *
 * The rest is as in gsort_cuda_sort().  Scratch memory: as for long rows, and 10 to 80 bytes for each
 * segment, but at most 5 for each key.
 */
GSORT_API enum gsort_error gsort_cuda_sort_segments(void *keys, void *other, size_t count,
                                                    const uint64_t *offsets, size_t segments,
                                                    enum gsort_type type, unsigned flags,
                                                    void *scratch, size_t *scratch_bytes,
                                                    void *stream);

/**
 * Like gsort_cuda_sort_rows(), for pairs; the sort is stable.  With GSORT_CUDA_PLACES, places count from 0 in
 * each row.
 *
 * Scratch memory: as for stable pairs.
 */
GSORT_API enum gsort_error gsort_cuda_sort_pairs_rows(void *keys, void *values, size_t value_bytes,
                                                      size_t rows, size_t length,
                                                      enum gsort_type type, unsigned flags,
                                                      void *scratch, size_t *scratch_bytes,
                                                      void *stream);

/** Like gsort_cuda_sort_segments(), for pairs; the sort is stable.  With GSORT_CUDA_PLACES, places count in
 *  all COUNT keys. */
GSORT_API enum gsort_error gsort_cuda_sort_pairs_segments(void *keys, void *values,
                                                          size_t value_bytes, size_t count,
                                                          const uint64_t *offsets,
                                                          size_t segments, enum gsort_type type,
                                                          unsigned flags, void *scratch,
                                                          size_t *scratch_bytes, void *stream);

/** Free what calls have kept in the current context.  No call may be running there. */
GSORT_API enum gsort_error gsort_cuda_release(void);

/** The message of this thread's last error, without newline; never NULL. */
GSORT_API const char *gsort_cuda_message(void);

#ifdef __cplusplus
}
#endif

#endif

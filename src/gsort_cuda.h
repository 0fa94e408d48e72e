// SPDX-License-Identifier: BSD-2-Clause
/*
 * gsort_cuda.h - sort arrays in the memory of a GPU
 *
 * The whole public interface of libgsort_cuda, which is linked beside a program's own CUDA, or loaded.
 * It needs no CUDA header: a stream is a cudaStream_t or CUstream, NULL for the default stream.
 *
 *     size_t bytes;
 *     void *scratch;
 *
 *     gsort_cuda_sort(NULL, NULL, count, GSORT_F32, 0, NULL, &bytes, NULL);
 *     cudaMalloc(&scratch, bytes);
 *     if (gsort_cuda_sort(keys, other, count, GSORT_F32, 0, scratch, &bytes, stream) != GSORT_ERROR_NONE)
 *             fprintf(stderr, "%s\n", gsort_cuda_message());
 *
 * All functions may be called from any threads at once, each with memory of its own.
 *
 * What calls do, and what they do not:
 *
 *   - The current device of the thread is the one of the memory and the stream, and its context is
 *     used as it is.  Work is queued on STREAM, in order; other streams are not waited for.
 *   - Keys are of all binary types of enum gsort_type, but U128 and I128, aligned to their size.  Floats
 *     are in the order -inf .. -0, 0 .. inf, NaN, -NaN; NaNs keep their bits.
 *   - No memory of the device is allocated.  The first call in a context creates a stream, two events
 *     and a page of pinned memory, and a call that runs beside others creates one more of each.  They
 *     are kept for later calls, until gsort_cuda_release().
 *   - A call returns when the host knows that no step has to be repeated: it waits for earlier work of
 *     STREAM, then for about two thirds of its own.  The rest may be under way when it returns: STREAM
 *     is in order.  It does not wait for keys of 8 and 16 bits, for less than 2^17 keys without
 *     payloads, for up to 2^14 keys with payloads that are not stable, and for short rows.
 *   - While STREAM is captured in a graph a call waits for nothing.  Keys that two more divisions than usual
 *     leave together are then sorted by one block each, slowly.  Segments, rows that are not short, and pairs
 *     without GSORT_CUDA_STABLE or GSORT_CUDA_PLACES are refused.  A graph with more than 16 MB of keys, 2^21
 *     places, or 2^13 stable pairs or places of 64 bits has conditional nodes, and one with fewer where tiles
 *     are shorter: CUDA does not clone it, nor make it a node of another graph.
 *   - Every GPU of the library's build is supported.  Where a block cannot have 160 KB of shared memory
 *     (compute capability 7.5, 8.6, 8.9 and 12.x) tiles are shorter, and sorts take 1.3 to 2.2 times as long.
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
	GSORT_CUDA_PLACES = 4,		/* of pairs: values are written, the places where keys were */
	GSORT_CUDA_CHECKED = 8,		/* look if the result is right; not for rows and segments */
};

/** What GSORT_CUDA_CHECKED has found. */
enum gsort_cuda_state {
	GSORT_CUDA_UNKNOWN,		/* the work of the call has not ended */
	GSORT_CUDA_RIGHT,
	GSORT_CUDA_WRONG,
};

/** SCRATCH of a call with GSORT_CUDA_CHECKED begins with it, at a multiple of 16 bytes. */
struct gsort_cuda_verdict {
	uint32_t state;			/* of enum gsort_cuda_state */
	uint32_t what;			/* the sum of 1: keys are out of order, 2: keys or values differ */
	uint64_t place;			/* of the first key out of order; UINT64_MAX: there is none */
};

/**
 * Sort COUNT keys at KEYS.
 *
 * @keys     device memory; the result is always here
 * @other    device memory for as many keys, that does not overlap KEYS; afterwards it has any values
 * @flags    0, or values of enum gsort_cuda_flag
 * @scratch  device memory; NULL: only store in *SCRATCH_BYTES how many bytes the same call needs
 * @scratch_bytes  of SCRATCH; more than needed is fine
 * @return   GSORT_ERROR_NONE; GSORT_ERROR_USAGE: an argument is wrong, nothing has been done;
 *           GSORT_ERROR_MEMORY, GSORT_ERROR_DEVICE: CUDA failed, or GSORT_CUDA_CHECKED found the sort
 *           wrong; the keys have any values
 *
 * Equal keys are equal bits, so stability makes no difference.
 *
 * With GSORT_CUDA_CHECKED keys and hashes of them are added up before the sort and after it, where neighbours
 * are also compared: keys that are lost, changed or out of order are found, but for one fault of 2^64.  The
 * call waits for all of its work then; of a captured one the verdict is in SCRATCH, for whoever waits for the
 * graph.
 *
 * Time: O(n) for keys of 8 and 16 bits, which do not use OTHER; else O(n log n).  Scratch: 512 KiB for
 * keys of 8 and 16 bits; up to 16 MB of keys two to four times as much as they have, and at least that
 * for more; of 2^26 keys 43 % (32 bits) or 22 % (64 bits) of theirs, of 2^28 22 % or 17 %, of 2^30 14 %.
 */
GSORT_API enum gsort_error gsort_cuda_sort(void *keys, void *other, size_t count,
                                           enum gsort_type type, unsigned flags, void *scratch,
                                           size_t *scratch_bytes, void *stream);

/**
 * Sort COUNT keys at KEYS, and move VALUES with them, COUNT elements of VALUE_BYTES, 4 or 8.  Both results
 * are where the arrays were.
 *
 * @flags  without GSORT_CUDA_STABLE values of equal keys of 32 or 64 bits come in any order, which is faster.
 *         With GSORT_CUDA_PLACES VALUES need have no values: afterwards value i is the place where key i was,
 *         equal keys are in the order of their places, and that is an argsort.  GSORT_CUDA_CHECKED
 *         looks at places, and that each value is still beside its key, but not at the order of
 *         values of equal keys
 * @count  of stable pairs and of places 2^32 at most
 *
 * All else is as in gsort_cuda_sort().  Scratch: as much as both arrays; and as above for keys of 64 bits,
 * of pairs of 16 bytes twice that.  Of stable pairs and of places 17 to 26 bytes for each key; and up to 2^21
 * keys about twice that.
 */
GSORT_API enum gsort_error gsort_cuda_sort_pairs(void *keys, void *values, size_t value_bytes,
                                                 size_t count, enum gsort_type type,
                                                 unsigned flags, void *scratch,
                                                 size_t *scratch_bytes, void *stream);

/**
 * Sort each of ROWS rows by itself: LENGTH keys each, one row behind the other at KEYS.
 *
 * All else is as in gsort_cuda_sort().  Of rows of up to 2^13 keys (64 bits: 2^12) the call does not wait,
 * does not use OTHER, and has 256 bytes of scratch.  Longer ones need as much as gsort_cuda_sort() and 1 %
 * more; of 8 and 16 bits also 8 bytes for each key.
 */
GSORT_API enum gsort_error gsort_cuda_sort_rows(void *keys, void *other, size_t rows, size_t length,
                                                enum gsort_type type, unsigned flags,
                                                void *scratch, size_t *scratch_bytes,
                                                void *stream);

/**
 * Sort each of SEGMENTS segments of COUNT keys by itself: segment i is from OFFSETS[i] to OFFSETS[i + 1] - 1.
 *
 * @offsets   device memory: SEGMENTS + 1 numbers of keys, which never fall and are COUNT at most.  Keys
 *            before the first one and from the last one on keep their places
 * @segments  less than 2^32; they may be empty, and of any lengths
 * @return    GSORT_ERROR_USAGE, too, if OFFSETS are not as they should be: keys are as they were
 *
 * All else is as in gsort_cuda_sort().  Scratch: as for long rows, and 10 to 80 bytes for each segment, but
 * at most 5 for each key.
 */
GSORT_API enum gsort_error gsort_cuda_sort_segments(void *keys, void *other, size_t count,
                                                    const uint64_t *offsets, size_t segments,
                                                    enum gsort_type type, unsigned flags,
                                                    void *scratch, size_t *scratch_bytes,
                                                    void *stream);

/**
 * gsort_cuda_sort_rows() of pairs, which are stable.  GSORT_CUDA_PLACES: in the key's row, from 0 on.
 *
 * Scratch: as of stable pairs.
 */
GSORT_API enum gsort_error gsort_cuda_sort_pairs_rows(void *keys, void *values, size_t value_bytes,
                                                      size_t rows, size_t length,
                                                      enum gsort_type type, unsigned flags,
                                                      void *scratch, size_t *scratch_bytes,
                                                      void *stream);

/** gsort_cuda_sort_segments() of pairs, which are stable.  GSORT_CUDA_PLACES: among all COUNT keys. */
GSORT_API enum gsort_error gsort_cuda_sort_pairs_segments(void *keys, void *values,
                                                          size_t value_bytes, size_t count,
                                                          const uint64_t *offsets,
                                                          size_t segments, enum gsort_type type,
                                                          unsigned flags, void *scratch,
                                                          size_t *scratch_bytes, void *stream);

/** Free what calls have kept in the current context.  No call is under way there. */
GSORT_API enum gsort_error gsort_cuda_release(void);

/** The message of this thread's last error, without newline; never NULL. */
GSORT_API const char *gsort_cuda_message(void);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernels.h - the C interface of the kernels: device pointers, counts, scratch and streams
 *
 * Launchers queue their work on STREAM, in order, and return at once unless they say otherwise.
 * Keys are unsigned, 32 or 64 bits wide, and sorted ascending.  Every launcher returns
 * cudaErrorInvalidValue for any other width.
 */
#ifndef GS_KERNELS_H
#define GS_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sort one tile in place.
 *
 * @keys   at a multiple of 16 bytes is somewhat faster
 * @count  any; nothing behind the keys is read or written
 *
 * Bitonic sort in registers, shared memory, and as few passes over device memory as possible:
 * about log2(count)^2 / 10 of them (Batcher, "Sorting networks and their applications", AFIPS
 * 1968).
 */
cudaError_t gs_tile_sort(void *keys, unsigned bits, size_t count, cudaStream_t stream);

enum { GS_ASIDES = 3 };	/* streams for leaves of rare kinds */

/** What gs_sort() needs of a device beside memory: for one thread at a time. */
struct gs_sorter {
	cudaStream_t aside[GS_ASIDES];	/* for kinds of leaves that are rare, side by side */
	cudaEvent_t  listed, copied;	/* leaves are listed; the host has their numbers */
	uint32_t    *told;		/* these, in pinned memory */
	int          processors, shared_bytes;	/* of the device */
	bool         of_graph;		/* for work that is captured: all above is NULL */
};

/** For tests, INT_MAX otherwise: sorters opened from now on act as if a block had no more bytes of shared
 *  memory, and kernels ask for no larger share of the cache. */
extern int gs_shared_most;

/** For tests: even u32 keys go to slots if there are so many (device/slots.cuh). */
extern size_t gs_slots_from;

/** Open SORTER for the current device; it holds nothing if that fails. */
cudaError_t gs_sorter_open(struct gs_sorter *sorter);

/** A SORTER that holds nothing, for work that is captured: gs_sort() and stable sorts of one row
 *  then wait for nothing.  Keys alone are divided a fixed number of times; blocks sort ranges that
 *  are still too large. */
cudaError_t gs_sorter_of_graph(struct gs_sorter *sorter);

/** Close SORTER, or one that could not be opened; does not wait for work under way. */
void gs_sorter_close(struct gs_sorter *sorter);

/** Scratch for gs_sort() of COUNT keys or fewer, at a multiple of 256 bytes: of many keys 9 % (u32)
 *  or 6 % (u64) of theirs; of up to 16 MB of keys about twice as much as they have, and at least
 *  that much of more. */
size_t gs_sort_scratch_bytes(unsigned bits, size_t count);

/**
 * How keys of another type, or descending ones, get in order of their bits: these are inverted where
 * ALWAYS has ones, and those of keys with the highest bit where NEGATIVE has; then SHIFT is added.
 * NEGATIVE has not the highest bit, and SHIFT is 0 if both are.
 */
struct gs_key_map {
	uint64_t negative, always, shift;
};

/**
 * Sort COUNT keys in place, by MAP, any number of them, faster than tiles and merges.
 *
 * @other    room for as many keys
 * @scratch  not shared with work that may run at the same time
 *
 * Unlike the others it waits, until the device knows whether bins have to be divided again: for
 * two thirds of the time of a sort, asleep if there are many keys.  What it queued last may still
 * be under way when it returns; STREAM is in order.  Threads may sort at the same time, on one
 * device or on several.
 *
 * Keys are divided into bins, by digits of their range if they are even, by splitters
 * from a sample if they are not, without regard to order, until bins fit a bitonic network; many keys
 * that ascend or descend already are only compared, and reversed; if all but a few ascend, the few are
 * sorted apart.  From 2^17 keys on nothing is swept for the map
 * (Stehle, Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD 2017;
 * Leischner, Osipov, Sanders, "GPU Sample Sort", IPDPS 2010).
 */
cudaError_t gs_sort(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits,
                    struct gs_key_map map, size_t count, void *scratch, cudaStream_t stream);

/** COUNT pieces of an array: rows of LENGTH keys each, one behind the other; or if that is 0, piece i from
 *  AT[i] to AT[i + 1] - 1, AT in device memory, and COUNT less than 2^32. */
struct gs_cuts {
	const uint64_t *at;
	size_t          count, length;
};

/** Scratch for gs_sort_pieces(): none for rows of up to 2^13 keys (64 bits: 2^12). */
size_t gs_sort_pieces_scratch_bytes(unsigned bits, struct gs_cuts pieces, size_t count);

/**
 * Sort each of PIECES of COUNT keys of 8 to 64 bits by itself, by MAP, in place.  Waits, unless they are so
 * short that they need no scratch.
 *
 * @wrong  a piece ends before it begins, or behind all keys: they are as they were
 */
cudaError_t gs_sort_pieces(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits,
                           struct gs_key_map map, struct gs_cuts pieces, size_t count,
                           void *scratch, bool *wrong, cudaStream_t stream);

/** Scratch for gs_sort_pairs() of COUNT pairs or fewer: room for as many pairs, and for 6 % or, up
 *  to 2^21 of them, twice as much beside; IN_ORDER for 5 to 20 %. */
size_t gs_sort_pairs_scratch_bytes(unsigned bits, unsigned value_bits, size_t count, bool in_order);

/**
 * The same with a payload of VALUE_BITS, 32 or 64, for each key, both in place.  Payloads of equal
 * keys stay IN_ORDER, of 2^32 pairs at most, or come in any.
 */
cudaError_t gs_sort_pairs(const struct gs_sorter *sorter, void *keys, void *values, unsigned bits,
                          unsigned value_bits, struct gs_key_map map, size_t count, bool in_order,
                          void *scratch, cudaStream_t stream);

/** Scratch for gs_sort_short() of any count: 64 bits for each value, and one more. */
enum { GS_SHORT_BYTES = ((1 << 16) + 1) * 8 };

/**
 * A stable sort of COUNT keys of 8 to 64 bits, 2^32 at most, by MAP, in PIECES; all keys are one row.
 * VALUES, of 32 or 64 bits, move with them; or if PLACES, these are written to VALUES: the number that each
 * key had in its row, or of segments in the whole array.  (VALUE_BITS 0: keys alone, which only
 * gs_verify_begin() and gs_verify_end() take.)
 */
struct gs_stable {
	void             *keys, *values;
	unsigned          bits, value_bits;
	bool              places;
	size_t            count;
	struct gs_key_map map;
	struct gs_cuts    pieces;
};

/** Scratch for gs_sort_stable(): for each key 10 to 26 bytes, and up to 2^21 keys twice that. */
size_t gs_sort_stable_scratch_bytes(const struct gs_stable *s);

/**
 * Sort S in place.
 *
 * @wrong  as of gs_sort_pieces()
 */
cudaError_t gs_sort_stable(const struct gs_sorter *sorter, const struct gs_stable *s, void *scratch,
                           bool *wrong, cudaStream_t stream);

/** Sort COUNT keys of BITS, 8 or 16, in place, by MAP: they are counted and written.  Does not
 *  wait. */
cudaError_t gs_sort_short(void *keys, unsigned bits, struct gs_key_map map, size_t count,
                          void *scratch, cudaStream_t stream);

/** What is known of a sort: RIGHT; or WRONG, since keys are NOT_IN_ORDER, NOT_THE_SAME as before, or both. */
struct gs_verdict {
	uint32_t state, what;
	uint64_t place;		/* of the first key less than the one before; UINT64_MAX: none is */
};

enum { GS_UNKNOWN, GS_RIGHT, GS_WRONG };
enum { GS_NOT_IN_ORDER = 1, GS_NOT_THE_SAME = 2 };
enum { GS_VERIFY_BYTES = 1280 };

/** Before a sort: add up the rows of S, in one piece, in GS_VERIFY_BYTES of device MEMORY, where the verdict
 *  is UNKNOWN now.  If PLACES, values are not read. */
cudaError_t gs_verify_begin(const struct gs_stable *s, void *memory, cudaStream_t stream);

/** After it: MEMORY begins with the verdict on these rows.  Of PLACES of equal keys it says if they rise; of
 *  other values that they are still beside their keys.  A set of wrong rows passes for right once in 2^64. */
cudaError_t gs_verify_end(const struct gs_stable *s, void *memory, cudaStream_t stream);

/**
 * Check COUNT keys that should ascend.  Adds to SUMS and FALLS, in device memory, which the
 * caller sets to zero before.
 *
 * @span_keys  a multiple of 2^13
 * @sums   of each SPAN_KEYS of them (of the last ones fewer): the hashes of all (key + SALT),
 *         added up
 * @falls  how many keys are less than the one before
 */
cudaError_t gs_check(const void *keys, unsigned bits, size_t count, size_t span_keys,
                     uint64_t salt, uint64_t *sums, uint64_t *falls, cudaStream_t stream);

/** Write the first of each BLOCK_KEYS of COUNT keys to FIRSTS, in device memory. */
cudaError_t gs_block_firsts(const void *keys, unsigned bits, size_t count, size_t block_keys,
                            uint64_t *firsts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif

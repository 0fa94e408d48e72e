// SPDX-License-Identifier: BSD-2-Clause
/*
 * simd_kernels.h - the five loops of the CPU's sort that are written for vectors
 *
 * There is a table of them for each kind of vectors and each width of keys.  All keep their state
 * in their arguments, so any number of threads may call them.  Arrays of keys may begin anywhere.
 */
#ifndef GS_CPU_SIMD_KERNELS_H
#define GS_CPU_SIMD_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "sort/cpu/binner.h"

struct gs_simd_kernels {
	unsigned key_bits;
	size_t   leaf_keys;	/* most keys of one call of sort_leaf() */
	size_t   block_keys;	/* of them, those that are sorted in registers */

	/** Sort COUNT keys, at most leaf_keys, from FROM to TO, which may be the same. */
	void (*sort_leaf)(void *to, const void *from, size_t count);

	/**
	 * Move COUNT keys into the gap of TO from index *LOW up to index *HIGH: those up to PIVOT
	 * to its front, the others to its back.  *LOW and *HIGH then enclose what is left of the
	 * gap.
	 */
	void (*partition)(void *to, size_t *low, size_t *high, const void *from, size_t count,
	                  uint64_t pivot);

	/** Lower *LEAST and raise *MOST, keys that they are, to take in COUNT keys. */
	void (*range)(const void *keys, size_t count, uint64_t *least, uint64_t *most);

	/** Find the bin of each key.  A key outside of the binner's range gets the nearest bin. */
	void (*bins)(const struct gs_binner *binner, const void *keys, size_t count,
	             uint16_t *bins);

	/** Count the keys that have each of VALUES, packed and different; false: a key has none of them, and
	 *  COUNTS are void. */
	bool (*tally)(const void *keys, size_t count, const void *values, size_t value_count,
	              size_t *counts);
};

/** The table for vectors of SIMD, gs_simd_best() or less, and keys of 32 or 64 bits. */
const struct gs_simd_kernels *gs_simd_kernels(enum gs_simd simd, unsigned key_bits);

#endif

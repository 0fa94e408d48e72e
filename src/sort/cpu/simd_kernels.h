// SPDX-License-Identifier: BSD-2-Clause
/*
 * simd_kernels.h - the nine loops of the CPU's sort that are written for vectors, and the bins of one
 *
 * There is a table of them for each kind of vectors and each width of keys.  All keep their state
 * in their arguments, so any number of threads may call them.  Arrays of keys may begin anywhere.
 */
#ifndef GS_CPU_SIMD_KERNELS_H
#define GS_CPU_SIMD_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/simd.h"

/* ---- the map from a key to its bin (binner.c) ------------------------------------ */

/*
 * A linear binner divides a range of keys into bins of equal width:
 *
 *     bin = (key - least) * bins / (most - least)        rounded down, about
 *
 * The difference is first shifted so that most - least has 32 bits, the highest set: then one
 * multiplication of 32 bits by 32 is exact enough, and vectors have it.
 *
 * A logarithmic binner has as many bins for each power of two that the difference may have.  It is
 * for keys that are mostly near the least one: sizes, counts, frequencies.
 *
 *     bin = (shift << mantissa_bits) + (key - least >> shift)
 *
 * where SHIFT leaves mantissa_bits + 1 bits of a difference that has more.  bins.inc does both for
 * many keys at once.
 *
 * A binner by value takes keys for the ordered bits of floats, and divides the range of their values into
 * bins of equal width.  It is for floats whose ordered bits are mostly near the greatest one.
 *
 * Invariant: a greater key never has a smaller bin; least has bin 0, and most the last bin.
 */

enum { GS_BINS_MOST = 4096, GS_BIN_SHIFT = 51 };

struct gs_binner {
	uint64_t least, most;
	unsigned bins;
	unsigned left, right;	/* linear: the shifts that move a difference to 32 bits */
	uint32_t scale;		/* linear: bins << GS_BIN_SHIFT over 1 more than most - least, shifted;
				 * others: 0 */
	unsigned mantissa_bits;	/* logarithmic */
	unsigned value_bits;	/* by value: of a key, 32 or 64; else 0 */
	double   value, factor;	/* by value: of LEAST; bins over the range */
	uint64_t shift;		/* by value: what makes a key the place of its float in totalOrder */
};

/**
 * The binners of the keys from LEAST to MOST, which must differ, with about BINS bins, 256 at least
 * if logarithmic and GS_BINS_MOST at most.
 */
struct gs_binner gs_binner_linear(uint64_t least, uint64_t most, unsigned bins);
struct gs_binner gs_binner_logarithmic(uint64_t least, uint64_t most, unsigned bins);

/**
 * For keys from LEAST to MOST with KEY_BITS, 32 or 64, like COUNT sorted ones at SAMPLE; false: not all are
 * numbers, or they are too far apart or too near to each other.
 */
bool gs_binner_by_value(struct gs_binner *binner, uint64_t least, uint64_t most, unsigned bins,
                        const void *sample, unsigned key_bits, size_t count);

struct gs_simd_kernels;
enum { GS_BINNER_SAMPLE_KEYS = 512 };

/** The best one for keys from LEAST to MOST like COUNT sorted ones at SAMPLE, at most
 *  GS_BINNER_SAMPLE_KEYS. */
struct gs_binner gs_binner_choose(uint64_t least, uint64_t most, unsigned bins,
                                  const struct gs_simd_kernels *kernels, const void *sample, size_t count);

/** How many pairs of sorted keys share one of COUNT BINS, shifted right by SHIFT?  (No branch depends on a
 *  key, as most would be mispredicted.) */
static inline size_t
gs_bins_pairs(const uint16_t *bins, size_t count, int shift)
{
	size_t pairs = 0, before = 0;

	for (size_t s = 1; s < count; s++) {
		before = (before + 1) & -(size_t)(bins[s] >> shift == bins[s - 1] >> shift);
		pairs += before;
	}
	return pairs;
}

/** The least key that has bin BIN, or a later one if no key has bin BIN; at most MOST. */
uint64_t gs_binner_first(const struct gs_binner *binner, unsigned bin);

/** Four bins at once, since to load each takes longer than to shift; then one of them.  A key was scattered
 *  to 1024 bins in 1.50 ns, and so in 1.38 (u32, Xeon). */
static inline uint64_t
gs_four_bins(const uint16_t *bins)
{
	uint64_t four;

	memcpy(&four, bins, sizeof four);
	return four;
}

static inline unsigned
gs_bin_of_four(uint64_t four, unsigned which)
{
	return (uint16_t)(four >> 16 * which);
}

/* ---- the loops (simd_kernels.c) -------------------------------------------------- */

/** The slot of a value in a hash table of 2^SLOT_BITS, 1 to 16. */
static inline unsigned
gs_value_slot(uint64_t value, unsigned slot_bits, uint32_t factor)
{
	return (uint32_t)((uint32_t)(value ^ value >> 32) * factor) >> (32 - slot_bits);
}

/*
 * What ordered bits become when they are written to their last place, as gs_ordered_to_raw() does it; all 0:
 * what they are.
 *
 *     total = (key ^ flip) + nans
 *     total ^ (the top bit of TOTAL is set ? sign : floats | sign)
 */
struct gs_raw_bits {
	uint64_t flip, nans;	/* all ones if keys are reversed; NaNs whose sign is set */
	uint64_t floats;	/* all ones if keys are floats */
	uint64_t sign;
	double   step;		/* of fixed points; else 0 */
};

/*
 * Floats that are multiples of a power of 2, integers say, may be fixed points instead of ordered bits: their
 * number of steps, added to a float whose last bit is one step.  So a greater float has greater bits,
 * and neighbours differ by 1, as integers do.
 */
#define GS_FIXED_32	0x1.8p23F
#define GS_FIXED_64	0x1.8p52

static inline bool
gs_raw_differ(const struct gs_raw_bits *raw)
{
	return (raw->flip | raw->sign) != 0 || raw->step != 0;
}

static inline uint64_t
gs_raw_bits(const struct gs_raw_bits *raw, unsigned key_bits, uint64_t key)
{
	const uint64_t total = (key ^ raw->flip) + raw->nans;
	union { uint32_t bits; float number; } narrow = { (uint32_t)total };
	union { uint64_t bits; double number; } wide = { total };

	if (raw->step != 0 && key_bits == 32) {
		narrow.number = (narrow.number - GS_FIXED_32) * (float)raw->step;
		return narrow.bits;
	}
	if (raw->step != 0) {
		wide.number = (wide.number - GS_FIXED_64) * raw->step;
		return wide.bits;
	}
	return total ^ ((((total >> (key_bits - 1) & 1) - 1) & raw->floats) | raw->sign);
}

struct gs_simd_kernels {
	unsigned key_bits;
	size_t   leaf_keys;	/* most keys of one call of sort_leaf() */
	size_t   network_keys;	/* most keys that it sorts as fast as bins do */
	size_t   float_keys;	/* the same, of floats */
	size_t   block_keys;	/* most keys that it sorts in registers */

	/** Sort COUNT keys, at most leaf_keys, from FROM to TO, which may be the same. */
	void (*sort_leaf)(void *to, const void *from, size_t count);

	/** The same, and make them raw keys. */
	void (*sort_last)(void *to, const void *from, size_t count, const struct gs_raw_bits *raw);

	/**
	 * Move COUNT keys into the gap of TO from index *LOW up to index *HIGH: those up to PIVOT
	 * to its front, the others to its back.  *LOW and *HIGH then enclose the rest of the
	 * gap.
	 */
	void (*partition)(void *to, size_t *low, size_t *high, const void *from, size_t count,
	                  uint64_t pivot);

	/** Lower *LEAST and raise *MOST, keys that they are, to take in COUNT keys. */
	void (*range)(const void *keys, size_t count, uint64_t *least, uint64_t *most);

	/** Find the bin of each key.  A key outside of the binner's range gets the nearest bin. */
	void (*bins)(const struct gs_binner *binner, const void *keys, size_t count, uint16_t *bins);

	/** Count the keys that have each of VALUES, packed and different; false: a key has none of them, and
	 *  COUNTS are void. */
	bool (*tally)(const void *keys, size_t count, const void *values, size_t value_count, size_t *counts);

	/** Find the slot of each key, gs_value_slot(), if VALUES have the key there; else NONE, and the key
	 *  goes to OTHERS, which KEYS may be, with room for a vector more than COUNT; returns how many. */
	size_t (*look_up)(const void *values, unsigned slot_bits, uint32_t factor, const void *keys,
	                  size_t count, uint16_t none, uint16_t *slots, void *others);

	/** Make COUNT floats fixed points by RAW; false: one is not a multiple of a step. */
	bool (*fix)(void *to, const void *from, size_t count, const struct gs_raw_bits *raw);

	/** Copy whole lines of cache, past the caches: a fence must follow. */
	void (*copy_lines)(void *to, const void *from, size_t bytes);

	/* Set in a copy of the table, for an array: */
	struct gs_raw_bits raw;
};

/** The table for vectors of SIMD, gs_simd_best() or less, and keys of 32 or 64 bits. */
const struct gs_simd_kernels *gs_simd_kernels(enum gs_simd simd, unsigned key_bits);

#endif

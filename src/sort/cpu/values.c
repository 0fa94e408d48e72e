// SPDX-License-Identifier: BSD-2-Clause
/*
 * values.c - count keys of few values, a thousand say, which may lie anywhere
 *
 * In:   keys; a sample, in which some are equal.
 * Out:  their values in order, and how many keys have each; or the answer that they are too many.
 *
 * A hash table of values, which only grows.  look_up() finds most keys in the slot that their hash names, for
 * many keys at once, and most others in that of a second hash.  A value that finds both taken has one of the
 * next PROBES slots.
 *
 * Invariant: a slot that counts keys keeps its value.  So a key that is found is counted where all equal ones
 * are; a slot that counts none may have any value, as no key is found before it in another.
 */
#include <string.h>

#include "base/round.h"
#include "base/simd.h"
#include "sort/cpu/keys.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"

enum { ROUND_KEYS = 512, PROBES = 8 };

#define FIRST	UINT32_C(0x9e3779b1)
#define SECOND	UINT32_C(0x85ebca6b)

/* A table of values and counts, which fits the second-level cache. */
enum { SLOT_BITS_LEAST = 10, SLOT_BITS_MOST = 14, SLOTS_EACH = 8 };

/* Values are estimated again after this many keys, and after a share of all. */
enum { TRIAL_KEYS = 4 * ROUND_KEYS, TRIAL_SHARE = 8 };

/* Keys of each value, so that it is worth the time to insert it, to sort it and to write it. */
enum { TIMES = 32 };

/* Fewer equal keys of a sample say too little.  If all values are equally frequent, equal keys are the number
 * of pairs of keys over the number of values. */
enum { REPEATED = 5 };

struct table {
	const struct gs_simd_kernels *kernels;
	char     *values;
	uint32_t *counts;
	size_t    slots, found, most;
	unsigned  slot_bits;
};

/* The count of a key, which gets a slot if it has none; NULL: no slot is free, or values are too many. */
static inline __attribute__((always_inline)) uint32_t *
count_of(struct table *table, unsigned key_bits, uint64_t key)
{
	const size_t second = gs_value_slot(key, table->slot_bits, SECOND);
	size_t slot = gs_value_slot(key, table->slot_bits, FIRST);

	for (size_t s = second; s < second + PROBES; slot = s++) {
		if (table->counts[slot] == 0) {
			gs_key_put(table->values, key_bits, slot, key);
			return ++table->found < table->most ? table->counts + slot : NULL;
		}
		if (gs_key_at(table->values, key_bits, slot) == key)
			return table->counts + slot;
	}
	return NULL;
}

/* Count keys that have a slot by FACTOR; returns how many have not, and are in OTHERS, which KEYS may be. */
static inline __attribute__((always_inline)) size_t
count_found(struct table *table, uint32_t factor, const void *keys, size_t count, void *others)
{
	uint16_t slots[ROUND_KEYS];
	const size_t rest = table->kernels->look_up(table->values, table->slot_bits, factor, keys, count,
	                                            (uint16_t)table->slots, slots, others);

	_Pragma("GCC unroll 8") for (size_t i = 0; i < count; i++)
		table->counts[slots[i]]++;
	return rest;
}

/* How many values are there, by those seen once and twice?  (A. Chao, Scandinavian Journal of Statistics 11,
 * 1984.) */
static size_t
estimate(size_t seen, size_t once, size_t twice)
{
	return seen + once * once / (2 * twice + 2);
}

size_t
gs_sample_repeated(const void *sample, unsigned key_bits, size_t count)
{
	return count - gs_scan_groups(sample, key_bits, count);
}

/* If all values are equally frequent, there are also as many as equal pairs say.  For 2^18 keys where value k
 * is as frequent as 1/k, the estimates are 1700 and 540. */
size_t
gs_values_estimate(const void *sample, unsigned key_bits, size_t count)
{
	const size_t repeated = gs_sample_repeated(sample, key_bits, count);
	size_t once = 0, twice = 0, values;

	if (repeated < REPEATED)
		return 0;
	for (size_t s = 0, from = 0; s < count; s++) {
		if (s + 1 < count && gs_key_at(sample, key_bits, s + 1) == gs_key_at(sample, key_bits, s))
			continue;
		once += s - from == 0;
		twice += s - from == 1;
		from = s + 1;
	}
	values = estimate(count - repeated, once, twice);
	return values > count * count / repeated ? 0 : values;
}

struct census {
	uint32_t seen, once, twice;
};

static inline __attribute__((always_inline)) struct census
take_census(const uint32_t *counts, size_t slots)
{
	uint32_t seen = 0, once = 0, twice = 0;

	#pragma omp simd reduction(+: seen, once, twice)
	for (size_t s = 0; s < slots; s++) {
		seen += counts[s] > 0;
		once += counts[s] == 1;
		twice += counts[s] == 2;
	}
	return (struct census){ seen, once, twice };
}

GS_SIMD_BEST(struct census, take_census, (const uint32_t *counts, size_t slots), (counts, slots))

static inline __attribute__((always_inline)) bool
count_keys(struct table *table, const char *keys, size_t count, unsigned key_bits)
{
	const size_t share = count / TRIAL_SHARE / ROUND_KEYS * ROUND_KEYS;
	uint64_t others[ROUND_KEYS + 8];

	for (size_t at = 0, here, rest; at < count; at += here) {
		here = count - at < ROUND_KEYS ? count - at : ROUND_KEYS;
		/* too many values?  The first AT keys are counted, and new ones come no faster than there */
		if ((at == TRIAL_KEYS || at == share) && at > 0) {
			const struct census of = take_census_best(table->counts, table->slots);

			if (gs_least(estimate(of.seen, of.once, of.twice), of.seen + of.once * (count / at)) >
			    table->most)
				return false;
		}
		rest = count_found(table, FIRST, keys + at * (key_bits / 8), here, others);
		rest = count_found(table, SECOND, others, rest, others);
		for (size_t i = 0; i < rest; i++) {
			uint32_t *counted = count_of(table, key_bits, gs_key_at(others, key_bits, i));

			if (counted == NULL)
				return false;
			++*counted;
		}
	}
	return true;
}

static inline __attribute__((always_inline)) size_t
collect(const struct table *table, unsigned key_bits, void *values)
{
	size_t found = 0;

	for (size_t s = 0; s < table->slots; s++) {
		gs_key_put(values, key_bits, found, gs_key_at(table->values, key_bits, s));
		found += table->counts[s] > 0;
	}
	return found;
}

struct gs_values
gs_values_count(const struct gs_simd_kernels *kernels, const void *keys, size_t count, size_t likely,
                void *room, size_t room_bytes, void *into)
{
	const size_t key_bytes = kernels->key_bits / 8;
	struct gs_values values = { .count = 0 };
	struct table table = { .kernels = kernels, .slot_bits = SLOT_BITS_LEAST };
	size_t bytes;

	while (table.slot_bits < SLOT_BITS_MOST && (size_t)1 << table.slot_bits < SLOTS_EACH * likely)
		table.slot_bits++;
	table.slots = ((size_t)1 << table.slot_bits) + PROBES;
	table.most = gs_least(count / TIMES * 3 / 2, gs_least(table.slots / 2, kernels->leaf_keys));
	bytes = table.slots * key_bytes + (table.slots + 2) * sizeof *table.counts;	/* a multiple of 8 */
	if (likely == 0 || likely > count / TIMES || likely > table.most || count > UINT32_MAX ||
	    room_bytes < bytes + (table.most + 1) * (key_bytes + sizeof *table.counts))
		return values;
	memset(room, 0, bytes);
	table.values = room;
	table.counts = (uint32_t *)(void *)(table.values + table.slots * key_bytes);
	if (!(kernels->key_bits == 32 ? count_keys(&table, keys, count, 32)
	                              : count_keys(&table, keys, count, 64)))
		return values;
	values.values = into != NULL ? into : table.values + bytes;
	values.counts = (uint32_t *)(void *)(values.values + (table.most + 1) * key_bytes);
	values.count = kernels->key_bits == 32 ? collect(&table, 32, values.values)
	                                       : collect(&table, 64, values.values);
	kernels->sort_leaf(values.values, values.values, values.count);
	for (size_t v = 0; v < values.count; v++)
		values.counts[v] = *count_of(&table, kernels->key_bits,
		                             gs_key_at(values.values, kernels->key_bits, v));
	return values;
}

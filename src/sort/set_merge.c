// SPDX-License-Identifier: BSD-2-Clause
/*
 * set_merge.c - two sorted arrays become their union, intersection or difference
 *
 * In:   two sorted arrays, in pieces.
 * Out:  a sorted array for each piece.
 *
 * Each step writes the lesser key to the next free place, which advances only if the key is kept; so
 * random keys cost no mispredicted branch.  But it waits for the one before, so two pieces are merged
 * in turn: 2^16 random keys of u64 take 1.2 ns each instead of 2.1 (intersection; AMD EPYC 9005).
 */
#include <stdint.h>
#include <string.h>

#include "base/round.h"
#include "base/simd.h"
#include "sort/cpu/keys.h"
#include "sort/set_merge.h"

/* ---- cuts ------------------------------------------------------------------- */

/* The keys of one side that are equal to VALUE: COUNT from FIRST on. */
struct group {
	size_t first, count;
};

static struct group
group_of(unsigned bits, const struct gs_set_side *side, uint64_t value)
{
	const size_t first = gs_keys_from(side->keys, bits, 0, side->count, value);

	return (struct group){
		.first = first, .count = gs_keys_above(side->keys, bits, first, side->count, value) - first,
	};
}

/* How many keys have passed when FIRST, which has not ended, is at its end: all of them, and of the
 * OTHER side those that are less than its last key, or go with it in pairs. */
static size_t
passing_until(unsigned bits, const struct gs_set_side *first, const struct gs_set_side *other)
{
	struct group in_first, in_other;
	uint64_t last;

	if (first->ended)
		return SIZE_MAX;
	if (first->count == 0)
		return 0;
	last = gs_key_at(first->keys, bits, first->count - 1);
	in_first = group_of(bits, first, last);
	in_other = group_of(bits, other, last);
	return first->count + in_other.first + gs_least(in_first.count, in_other.count);
}

size_t
gs_set_passing(unsigned bits, const struct gs_set_side *a, const struct gs_set_side *b)
{
	return gs_least(a->count + b->count,
	              gs_least(passing_until(bits, a, b), passing_until(bits, b, a)));
}

struct gs_set_cut
gs_set_cut(unsigned bits, const struct gs_set_side *a, const struct gs_set_side *b, size_t passed)
{
	size_t low = passed > b->count ? passed - b->count : 0, high = gs_least(passed, a->count);
	size_t pairs, most, alone;
	struct group in_a, in_b;
	uint64_t from_a, from_b;

	if (passed == a->count + b->count)
		return (struct gs_set_cut){ a->count, b->count };
	while (low < high) {		/* the keys of A among the first PASSED of both sides */
		const size_t middle = low + (high - low) / 2;

		if (gs_key_at(a->keys, bits, middle) <= gs_key_at(b->keys, bits, passed - middle - 1))
			low = middle + 1;
		else
			high = middle;
	}
	/* the groups of the key behind them */
	from_a = low < a->count ? gs_key_at(a->keys, bits, low) : UINT64_MAX;
	from_b = passed - low < b->count ? gs_key_at(b->keys, bits, passed - low) : UINT64_MAX;
	in_a = group_of(bits, a, gs_least(from_a, from_b));
	in_b = group_of(bits, b, gs_least(from_a, from_b));
	passed -= in_a.first + in_b.first;
	most = gs_least(in_a.count, in_b.count);
	pairs = gs_least(passed / 2, most);
	alone = pairs == most ? passed - 2 * pairs : 0;
	return (struct gs_set_cut){
		.a = in_a.first + pairs + (in_a.count > most ? alone : 0),
		.b = in_b.first + pairs + (in_b.count > most ? alone : 0),
	};
}

/* ---- merging ---------------------------------------------------------------- */

#define NARROW_KEYS
#define EACH_WIDTH "sort/set_merge.inc"
#include "sort/each_width.inc"

void
gs_set_merge(enum gs_set_keep keep, unsigned bits, struct gs_set_piece pieces[GS_SET_LANES])
{
#define MERGE(width)	merge_##width(keep, pieces)
	GS_BY_WIDTH(bits, MERGE);
}

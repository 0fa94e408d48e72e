// SPDX-License-Identifier: BSD-2-Clause
/*
 * set.c - what a set keeps of the items of a part
 *
 * In:   sorted items; equal ones are by operand, as the sort is stable.
 * Out:  the items that are kept, in the same order.
 *
 * Rules of multisets as in sort/set_merge.h, with the operands folded from the left: among equal items the
 * first ones of both sides go together, and the first side's item stands for the pair.
 *
 * Invariant: kept places are before the places that were not looked at, in the same array.
 */
#include <assert.h>
#include <string.h>

#include "sort/cpu/keys.h"
#include "sort/items/part.h"

/* Combine KEPT places at TO with COUNT of the next operand from FROM on; returns how many are kept. */
static size_t
combine(enum gs_set_keep keep, uint32_t *to, size_t kept, const uint32_t *from, size_t count)
{
	const size_t pairs = kept < count ? kept : count, both = keep & GS_KEEP_BOTH ? pairs : 0;
	size_t rest = 0;

	if (kept > pairs && (keep & GS_KEEP_A) != 0) {
		rest = kept - pairs;
		memmove(to + both, to + pairs, rest * sizeof *to);
	} else if (count > pairs && (keep & GS_KEEP_B) != 0) {
		rest = count - pairs;
		memmove(to + both, from + pairs, rest * sizeof *to);
	}
	return both + rest;
}

/* Keep some of the group FROM .. END, at TO; returns how many. */
static size_t
combine_group(struct gs_item_part *part, const struct gs_item_set *set, size_t to, size_t from, size_t end)
{
	const unsigned last = set->operands - 1;
	uint32_t *places = part->places;
	unsigned operand = 0, next = 0;
	size_t kept = 0;

	if (end - from == 1) {		/* an item that has no equal */
		places[to] = places[from];
		return ((set->keep & GS_KEEP_B) != 0 || places[to] < part->ends[0]) &&
		       ((set->keep & GS_KEEP_A) != 0 || last == 0 || places[to] >= part->ends[last - 1]);
	}
	for (size_t at = from, run; at < end; at = run, next = operand + 1) {
		operand = (unsigned)gs_keys_above(part->ends, 32, next, last, places[at]);
		for (run = at + 1; run < end && places[run] < part->ends[operand]; run++)
			;
		if (operand > next)		/* one between has none */
			kept = combine(set->keep, places + to, kept, NULL, 0);
		kept = combine(operand == 0 ? GS_KEEP_B : set->keep, places + to, kept, places + at,
		               set->distinct ? 1 : run - at);
	}
	return next < set->operands ? combine(set->keep, places + to, kept, NULL, 0) : kept;
}

void
gs_item_part_combine(struct gs_item_part *part, const struct gs_item_set *set, bool groups, uint64_t least,
                     uint64_t most)
{
	size_t kept = 0;

	assert(part->mark_equal && set->operands > 0);
	for (size_t at = 0, end; at < part->count; at = end) {
		size_t count;

		for (end = at + 1; end < part->count && part->equal[end]; end++)
			;
		count = combine_group(part, set, kept, at, end);
		if (groups) {
			part->times[kept] = count;
			count = count > 0 && count >= least && count <= most;
		}
		kept += count;
	}
	part->count = kept;
}

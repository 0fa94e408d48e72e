// SPDX-License-Identifier: BSD-2-Clause
/* set_merge.c - rows for src/sort/set_merge.c */
#include <stdlib.h>

#include "sort/set_merge.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_set_merge(void);

static const struct row {
	const char *name;
	size_t      a_count, b_count;
	uint64_t    values;	/* different ones, at most */
	size_t      room;	/* of the output, for each call */
} rows[] = {
	{ "one key in each", 1, 1, 1, 10 },
	{ "few values", 100, 130, 5, 1000 },
	{ "few values, in pieces", 100, 130, 5, 7 },
	{ "many values", 1000, 700, 400, 5000 },
	{ "many values, one at a time", 300, 200, 90, 1 },
	{ "one side is long", 5, 3000, 1000, 100 },
};

static const struct {
	enum gs_set_keep keep;
	const char *name;
} operations[] = {
	{ GS_KEEP_UNION, "union" }, { GS_KEEP_INTERSECTION, "intersection" },
	{ GS_KEEP_DIFFERENCE, "difference" }, { GS_KEEP_SYMMETRIC, "symmetric difference" },
};

/* How often a value is kept that occurs M and N times. */
static size_t
times(enum gs_set_keep keep, size_t m, size_t n)
{
	switch (keep) {
	case GS_KEEP_UNION:        return m > n ? m : n;
	case GS_KEEP_INTERSECTION: return m < n ? m : n;
	case GS_KEEP_DIFFERENCE:   return m > n ? m - n : 0;
	default:                   return m > n ? m - n : n - m;
	}
}

static int
compare(const void *a, const void *b)
{
	return units_compare(a, b);
}

static void
fill(uint64_t *wide, size_t count, uint64_t values, uint64_t seed, unsigned bits, void *keys)
{
	for (size_t i = 0; i < count; i++)
		wide[i] = units_mix(seed + i) % values % ((UINT64_C(1) << bits / 2 << bits / 2) - 1);
	qsort(wide, count, sizeof *wide, compare);
	for (size_t i = 0; i < count; i++)
		gs_key_put(keys, bits, i, wide[i]);
}

static size_t
count_of(const uint64_t *wide, size_t count, uint64_t value)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += wide[i] == value;
	return found;
}

/* The keys that one side has left pass, too, if they are kept. */
static size_t
rest(const struct gs_set_side *side, unsigned bits, bool kept, void *into, size_t at)
{
	for (size_t i = side->used; kept && i < side->count; i++)
		gs_key_put(into, bits, at++, gs_key_at(side->keys, bits, i));
	return at;
}

static void
try_row(const struct row *row, unsigned bits)
{
	enum { MOST = 4000 };
	static uint64_t a_wide[MOST], b_wide[MOST], a_keys[MOST], b_keys[MOST], into[2 * MOST];

	fill(a_wide, row->a_count, row->values, 1, bits, a_keys);
	fill(b_wide, row->b_count, row->values, 100000, bits, b_keys);
	for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
		const enum gs_set_keep keep = operations[o].keep;
		struct gs_set_side a = { .keys = a_keys, .count = row->a_count };
		struct gs_set_side b = { .keys = b_keys, .count = row->b_count };
		size_t kept = 0, at = 0;
		bool right = true;

		while (a.used < a.count && b.used < b.count)
			kept += gs_set_merge(keep, bits, &a, &b, (char *)into + kept * (bits / 8),
			                     row->room);
		kept = rest(&a, bits, keep & GS_KEEP_A, into, kept);
		kept = rest(&b, bits, keep & GS_KEEP_B, into, kept);
		for (uint64_t value = 0; value < row->values; value++)
			for (size_t n = times(keep, count_of(a_wide, row->a_count, value),
			                      count_of(b_wide, row->b_count, value)); n > 0; n--, at++)
				right &= at < kept && gs_key_at(into, bits, at) == value;
		CHECK(right && at == kept, "%s: %s of keys of %u bits", row->name, operations[o].name, bits);
	}
}

void
unit_set_merge(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 8; bits <= 64; bits *= 2)
			try_row(&rows[r], bits);
}

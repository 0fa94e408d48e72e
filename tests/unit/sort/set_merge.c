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
	size_t      room;	/* keys that pass between two cuts, at most */
} rows[] = {
	{ "one key in each", 1, 1, 1, 10 },
	{ "few values", 100, 130, 5, 1000 },
	{ "few values, in pieces", 100, 130, 5, 7 },
	{ "many values", 1000, 700, 400, 5000 },
	{ "many values, a pair at a time", 300, 200, 90, 2 },
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

/* The next HERE keys of SIDE, of COUNT in all; those behind them are not known yet. */
static void
show(struct gs_set_side *side, const void *keys, unsigned bits, size_t at, size_t count, size_t here)
{
	side->keys = (const char *)keys + at * (bits / 8);
	side->count = count - at < here ? count - at : here;
	side->ended = count == at;
}

/* Merge as from streams: both sides arrive bit by bit, and each step is cut into pieces. */
static size_t
merge(enum gs_set_keep keep, unsigned bits, const struct row *row, const void *a_keys,
      const void *b_keys, void *into)
{
	struct gs_set_side a, b;
	struct gs_set_cut at = { 0, 0 };
	size_t kept = 0;
	char pieces_memory[2][8 * 128];

	while (at.a < row->a_count || at.b < row->b_count) {
		struct gs_set_cut cut[GS_SET_LANES + 1] = { { 0, 0 } };
		struct gs_set_piece pieces[GS_SET_LANES];
		size_t passing;

		show(&a, a_keys, bits, at.a, row->a_count, 37);
		show(&b, b_keys, bits, at.b, row->b_count, 50);
		passing = gs_set_passing(bits, &a, &b);
		passing = passing < row->room ? passing : row->room;
		for (size_t p = 0; p < GS_SET_LANES; p++) {
			cut[p + 1] = gs_set_cut(bits, &a, &b, passing * (p + 1) / GS_SET_LANES);
			pieces[p] = (struct gs_set_piece){
				.a = (const char *)a.keys + cut[p].a * (bits / 8),
				.b = (const char *)b.keys + cut[p].b * (bits / 8),
				.a_count = cut[p + 1].a - cut[p].a, .b_count = cut[p + 1].b - cut[p].b,
				.into = pieces_memory[p],
			};
		}
		gs_set_merge(keep, bits, pieces);
		for (size_t p = 0; p < GS_SET_LANES; p++)
			for (size_t k = 0; k < pieces[p].kept; k++)
				gs_key_put(into, bits, kept++, gs_key_at(pieces[p].into, bits, k));
		at.a += cut[GS_SET_LANES].a;
		at.b += cut[GS_SET_LANES].b;
		if (cut[GS_SET_LANES].a + cut[GS_SET_LANES].b == 0)
			return SIZE_MAX;	/* for ever */
	}
	return kept;
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
		const size_t kept = merge(keep, bits, row, a_keys, b_keys, into);
		size_t at = 0;
		bool right = true;

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

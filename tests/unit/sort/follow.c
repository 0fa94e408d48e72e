// SPDX-License-Identifier: BSD-2-Clause
/* follow.c - rows for src/sort/follow.c: the first element out of order, wherever it is */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "sort/follow.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_follow(void);

enum { KEYS = 200000, TILE_KEYS = 130000 };	/* several blocks, more than one tile */

static const struct row {
	const char *name;
	size_t      equal, less;	/* keys like the one before, and below it; KEYS: none */
	size_t      found, strict;	/* what is out of order, and if equal keys are, too */
} rows[] = {
	{ "nothing", KEYS, KEYS, KEYS, KEYS },
	{ "the second key", KEYS, 1, 1, 1 },
	{ "the last key", KEYS, KEYS - 1, KEYS - 1, KEYS - 1 },
	{ "a key between", KEYS, 77777, 77777, 77777 },
	{ "the first key of the second tile", KEYS, TILE_KEYS, TILE_KEYS, TILE_KEYS },
	{ "an equal key", 4711, KEYS, KEYS, 4711 },
	{ "an equal key before the one that is less", 4711, 4713, 4713, 4711 },
	{ "an equal key behind the one that is less", 190000, 100, 100, 100 },
	{ "an equal first key of the second tile", TILE_KEYS, KEYS, KEYS, TILE_KEYS },
};

/* Keys of 8 and 16 bits that ascend are few; a row that looks behind them is left out. */
static void
check_row(const struct row *row, unsigned bits, bool strict, bool counts_breaks)
{
	const size_t tile = bits == 8 ? 100 : bits == 16 ? 40000 : TILE_KEYS;
	const size_t keys = bits == 8 ? 200 : bits == 16 ? 60000 : KEYS;
	const size_t expected = strict ? row->strict : row->found;
	struct gs_follow follow = {
		.key_bits = bits, .strict = strict, .counts_breaks = counts_breaks, .threads = 3,
	};
	uint64_t key = 5;
	size_t found;
	void *data;

	if (keys != KEYS && row->found != KEYS && row->found >= keys)
		return;
	data = malloc(keys * sizeof(uint64_t));
	for (size_t i = 0; i < keys; i++) {
		key = i == row->equal || i == 0 ? key : i == row->less ? key - 2 : key + 1;
		gs_key_put(data, bits, i, key);
	}
	found = gs_follow_keys(&follow, 0, data, tile);
	if (found == tile)
		found += gs_follow_keys(&follow, 0, (char *)data + tile * (bits / 8), keys - tile);
	CHECK(found == (counts_breaks || expected >= keys ? keys : expected),
	      "%u bits, %s%s%s: %zu", bits, row->name, strict ? ", strictly" : "",
	      counts_breaks ? ", tallied" : "", found);
	if (counts_breaks)
		CHECK(follow.elements == keys && follow.breaks == (row->less < keys) &&
		      follow.duplicates == (row->equal < keys), "%u bits, %s: %llu less, %llu equal", bits,
		      row->name, (unsigned long long)follow.breaks, (unsigned long long)follow.duplicates);
	else
		CHECK(follow.breaks == (found < keys && found == row->less) &&
		      follow.disorder == (found < keys) &&
		      (!strict || follow.duplicates == (found < keys && found == row->equal)),
		      "%u bits, %s: %llu less, %llu equal", bits, row->name,
		      (unsigned long long)follow.breaks, (unsigned long long)follow.duplicates);
	free(data);
}

/* ---- items ---------------------------------------------------------------------- */

/* What follows the first byte decides ties. */
static int
compare(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	const size_t bytes = one_bytes < other_bytes ? one_bytes : other_bytes;

	(void)context;
	return memcmp(one, other, bytes);
}

static const struct item_row {
	const char *first, *second;	/* slices */
	bool        strict;
	size_t      found;		/* where the second one is out of order; SIZE_MAX: nowhere */
	uint64_t    elements, breaks, duplicates;	/* if breaks are counted: of both */
} item_rows[] = {
	{ "", "", false, SIZE_MAX, 0, 0, 0 },
	{ "", "b\na\n", false, 2, 2, 1, 0 },
	{ "a1\nb1\n", "b1\nb2\nc1\n", false, SIZE_MAX, 5, 0, 1 },
	{ "a1\nb1\n", "b1\nb2\nc1\n", true, 0, 5, 0, 1 },
	{ "a1\nb2\n", "b1\nb2\nc1\n", false, 0, 5, 1, 0 },
	{ "a1\nb1\n", "b1\nc1\na1\nd1\n", false, 6, 6, 1, 1 },
	{ "a1\nb1\n", "b2\nb2\na1\n", true, 3, 5, 1, 1 },
	{ "a1\nb1\n", "b3\nb2\nb1\n", false, 3, 5, 2, 0 },
};

/* FIXED: all items have so many bytes. */
static void
check_items(const struct item_row *row, size_t fixed, bool counts_breaks)
{
	const struct gs_item_order order = {
		.item_bytes = fixed, .end = fixed > 0 ? NULL : units_line_end,
		.words = units_first_byte, .compare = compare,
	};
	struct gs_follow follow = {
		.order = &order, .strict = row->strict, .counts_breaks = counts_breaks,
	};
	const struct gs_item_slice first = { row->first, strlen(row->first) };
	const struct gs_item_slice second = { row->second, strlen(row->second) };
	const size_t expected = counts_breaks || row->found == SIZE_MAX ? second.bytes : row->found;
	size_t found;

	if (fixed > 0 && (first.bytes % fixed != 0 || second.bytes % fixed != 0))
		return;
	CHECK(gs_follow_slice(&follow, &first) == first.bytes, "%s: in order", row->first);
	found = gs_follow_slice(&follow, &second);
	CHECK(found == expected && follow.disorder == (found < second.bytes), "%s then %s: %zu", row->first,
	      row->second, found);
	if (counts_breaks)
		CHECK(follow.elements == row->elements && follow.breaks == row->breaks &&
		      follow.duplicates == row->duplicates, "%s then %s: %llu less, %llu equal",
		      row->first, row->second, (unsigned long long)follow.breaks,
		      (unsigned long long)follow.duplicates);
	gs_follow_close(&follow);
}

/* An item that is out of order in a later batch: the ones before it are counted. */
static void
check_batches(size_t low)
{
	enum { ITEMS = 1000 };
	char data[2 * ITEMS];
	const struct gs_item_slice slice = { data, sizeof data };
	const struct gs_item_order order = { .item_bytes = 2, .words = units_first_byte };
	struct gs_follow follow = { .order = &order };
	size_t found;

	for (size_t i = 0; i < ITEMS; i++) {
		data[2 * i] = (char)(i == low ? 'a' : 'b' + i / 100);
		data[2 * i + 1] = '\n';
	}
	found = gs_follow_slice(&follow, &slice);
	CHECK(found == 2 * low && follow.elements == low, "item %zu: %zu, %llu", low, found,
	      (unsigned long long)follow.elements);
	gs_follow_close(&follow);
}

/* Items of three words, in order but for one that is less by its word LEVEL, or equal: at each place
 * of a batch. */
static void
check_words(void)
{
	enum { ITEMS = GS_ITEM_BATCH };
	const struct gs_item_order of_three = { .item_bytes = 3, .words = units_three_bytes };

	for (size_t odd = 1; odd < ITEMS; odd++)
		for (int level = 0; level <= 3; level++) {
			char data[ITEMS][3];
			const struct gs_item_slice slice = { data[0], sizeof data };
			struct gs_follow follow = { .order = &of_three, .strict = true };

			for (size_t i = 0; i < ITEMS; i++) {
				data[i][0] = (char)(1 + i / 64);
				data[i][1] = (char)(1 + i / 8 % 8);
				data[i][2] = (char)(1 + i % 8);
			}
			memcpy(data[odd], data[odd - 1], 3);
			if (level < 3)
				data[odd][level]--;
			CHECK(gs_follow_slice(&follow, &slice) == 3 * odd && follow.breaks == (level < 3) &&
			      follow.duplicates == (level == 3), "item %zu, word %d", odd, level);
			gs_follow_close(&follow);
		}
}

/* ---- text --------------------------------------------------------------------------- */

static void
check_text(void)
{
	const uint64_t keys[] = { 7, 9, 3, 3, 0, 9 };
	struct gs_follow follow = { .key_bits = 0 }, strict = { .strict = true };

	CHECK(gs_follow_keys(&follow, 0, keys, 2) == 2 && gs_follow_keys(&follow, 1, keys + 2, 2) == 2 &&
	      gs_follow_keys(&follow, 2, keys + 4, 1) == 1 && gs_follow_keys(&follow, 1, keys + 5, 1) == 0 &&
	      follow.elements == 5 && follow.disorder, "a smaller class: %llu",
	      (unsigned long long)follow.elements);
	CHECK(gs_follow_keys(&strict, 0, keys, 2) == 2 && gs_follow_keys(&strict, 1, keys + 2, 2) == 1,
	      "equal keys, strictly");
}

void
unit_follow(void)
{
	check_text();
	check_batches(700);
	check_batches(2 * GS_ITEM_BATCH);
	check_words();
	for (size_t r = 0; r < sizeof item_rows / sizeof item_rows[0]; r++)
		for (unsigned how = 0; how < 4; how++)
			check_items(&item_rows[r], how & 1 ? 3 : 0, how & 2);
	for (int simd = GS_SIMD_NONE; simd <= GS_SIMD_AVX512; simd++) {
		gs_simd_at_most((enum gs_simd)simd);
		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
			for (unsigned bits = 8; bits <= 64; bits *= 2)
				for (unsigned how = 0; how < 4; how++)
					check_row(&rows[r], bits, how & 1, how & 2);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/* select.c - rows for src/job/select.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "job/select.h"
#include "tests/unit/units.h"

void unit_select(void);

static const struct row {
	const char *name;
	size_t      count;
	unsigned    repeat;	/* each key so often, about */
	size_t      span_keys;
} rows[] = {
	{ "one key", 1, 1, 10 },
	{ "keys that all differ", 1000, 1, 1000 },
	{ "keys that all differ, one a span", 200, 1, 1 },
	{ "pairs, in spans that cut them", 1000, 2, 7 },
	{ "runs of ten, in spans of three", 1000, 10, 3 },
	{ "all keys equal", 1000, 1000000, 1000 },
	{ "all keys equal, in spans", 1000, 1000000, 13 },
	{ "a million keys", 1000000, 3, 70000 },
};

static uint64_t
key_of(const struct row *row, unsigned bits, size_t i)
{
	/* Ascending, and as far apart as fits; small widths repeat more often. */
	const uint64_t place = i / row->repeat, places = row->count / row->repeat + 1;

	return (uint64_t)((double)place / (double)places * (double)(UINT64_MAX >> (64 - bits) >> 1));
}

static void
store(void *keys, unsigned bits, size_t at, uint64_t key)
{
	switch (bits) {
	case 8:  ((uint8_t *)keys)[at] = (uint8_t)key; break;
	case 16: ((uint16_t *)keys)[at] = (uint16_t)key; break;
	case 32: ((uint32_t *)keys)[at] = (uint32_t)key; break;
	default: ((uint64_t *)keys)[at] = key; break;
	}
}

static void
check_row(const struct row *row, unsigned bits)
{
	const size_t key_bytes = bits / 8;
	char *keys = malloc(row->count * key_bytes), *got = malloc(row->count * key_bytes);
	char *expect = malloc(row->count * key_bytes);
	size_t kept = 0, got_keys = 0;
	struct gs_select select = { .unique = true };

	for (size_t i = 0; i < row->count; i++) {
		store(keys, bits, i, key_of(row, bits, i));
		if (i == 0 || key_of(row, bits, i) != key_of(row, bits, i - 1))
			store(expect, bits, kept++, key_of(row, bits, i));
	}
	for (size_t at = 0; at < row->count; at += row->span_keys) {
		struct gs_span span = {
			.keys = keys + at * key_bytes, .key_bits = bits,
			.count = row->count - at < row->span_keys ? row->count - at : row->span_keys,
		};

		gs_select_span(&select, &span);
		memcpy(got + got_keys * key_bytes, span.keys, span.count * key_bytes);
		got_keys += span.count;
	}
	CHECK(got_keys == kept && memcmp(got, expect, kept * key_bytes) == 0,
	      "%s, %u bits: each is kept once, %zu of %zu", row->name, bits, kept, got_keys);
	free(keys);
	free(got);
	free(expect);
}

static void
check_streams(void)
{
	uint32_t a[] = { 5, 5, 9 }, b[] = { 9, 9 };
	uint64_t c[] = { 9 };
	struct gs_select select = { .unique = true };
	struct gs_span first = { a, 3, 32, 0 }, second = { b, 2, 32, 1 }, third = { c, 1, 64, 2 };
	struct gs_span empty = { a, 0, 32, 1 };

	gs_select_span(&select, &first);
	CHECK(first.count == 2 && a[0] == 5 && a[1] == 9, "the first of equal keys is kept");
	gs_select_span(&select, &second);
	CHECK(second.count == 1, "the same bits in the next stream are another key");
	gs_select_span(&select, &empty);
	CHECK(empty.count == 0 && select.stream == 1 && select.last == 9,
	      "an empty span changes nothing");
	gs_select_span(&select, &third);
	CHECK(third.count == 1 && *(uint64_t *)third.keys == 9, "nor does the width join them");
}

void
unit_select(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 8; bits <= 64; bits *= 2)
			check_row(&rows[r], bits);
	check_streams();
}

// SPDX-License-Identifier: BSD-2-Clause
/* order.c - rows for src/stages/order.c: the first key out of order, wherever it is */
#include <stdint.h>
#include <stdlib.h>

#include "base/simd.h"
#include "stages/order.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_order(void);

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
	struct gs_order order = {
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
	found = gs_order_follow(&order, data, tile);
	if (found == tile)
		found += gs_order_follow(&order, (char *)data + tile * (bits / 8), keys - tile);
	CHECK(found == (counts_breaks || expected >= keys ? keys : expected),
	      "%u bits, %s%s%s: %zu", bits, row->name, strict ? ", strictly" : "",
	      counts_breaks ? ", tallied" : "", found);
	if (counts_breaks)
		CHECK(order.keys == keys && order.breaks == (row->less < keys) &&
		      order.duplicates == (row->equal < keys), "%u bits, %s: %llu less, %llu equal", bits,
		      row->name, (unsigned long long)order.breaks, (unsigned long long)order.duplicates);
	free(data);
}

void
unit_order(void)
{
	for (int simd = GS_SIMD_NONE; simd <= GS_SIMD_AVX512; simd++) {
		gs_simd_at_most((enum gs_simd)simd);
		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
			for (unsigned bits = 8; bits <= 64; bits *= 2)
				for (unsigned how = 0; how < 4; how++)
					check_row(&rows[r], bits, how & 1, how & 2);
	}
}

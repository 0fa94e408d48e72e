// SPDX-License-Identifier: BSD-2-Clause
/* split.c - rows for src/output/split.c: which file a key belongs to */
#include "output/emit.h"
#include "tests/unit/units.h"

void unit_split(void);

static const struct {
	uint64_t keys;
	size_t   files;
} rows[] = {
	{ 0, 1 }, { 0, 4 }, { 1, 4 }, { 3, 4 }, { 4, 4 }, { 5, 4 }, { 1000, 7 }, { 1000, 1 },
	{ 1023, 1024 }, { 1025, 1024 }, { UINT64_C(1) << 40, 1000 }, { UINT64_MAX - 1, 1024 },
};

/* Walk over all keys: as many to each file as its share, and never back. */
static void
check_row(uint64_t keys, size_t files)
{
	const struct gs_outputs outputs = { .count = files };
	struct gs_split split;
	uint64_t least = UINT64_MAX, most = 0;
	size_t steps = 0;

	CHECK(gs_split_open(&split, &outputs) == GS_OK, "opens");
	split.keys = keys;
	for (uint64_t left = keys, here; left > 0; left -= here, steps++) {
		here = gs_split_together(&split, left);
		if (here == 0 || steps > files)
			break;
		least = here < least ? here : least;
		most = here > most ? here : most;
		split.position += here;
	}
	CHECK(split.position == keys && steps == (keys < files ? keys : files),
	      "%llu keys in %zu files: %zu have some", (unsigned long long)keys, files, steps);
	CHECK(keys == 0 || most - least <= 1, "they differ by one at most: %llu, %llu",
	      (unsigned long long)least, (unsigned long long)most);
	CHECK(gs_split_together(&split, 77) == 77, "more than expected go to the last file");
	gs_split_close(&split);
}

void
unit_split(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(rows[r].keys, rows[r].files);
}

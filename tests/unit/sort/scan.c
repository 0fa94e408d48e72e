// SPDX-License-Identifier: BSD-2-Clause
/* scan.c - rows for the scans of src/sort/cpu/keys.c */
#include <stdlib.h>

#include "sort/cpu/keys.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_scan(void);

static const struct row {
	const char *name;
	size_t      count;
	uint64_t    values;	/* different ones, at most */
} rows[] = {
	{ "one key", 1, 1 },
	{ "two equal keys", 2, 1 },
	{ "two keys", 2, 1000 },
	{ "keys all equal", 3000, 1 },
	{ "few values", 5000, 7 },
	{ "a block, and one key more", 256, 90 },
	{ "many values", 20000, 5000 },
	{ "keys that nearly all differ", 20000, UINT64_MAX },
};

static int
compare(const void *a, const void *b)
{
	return units_compare(a, b);
}

/* Row ROW in keys of BITS, sorted. */
static void
fill(const struct row *row, unsigned bits, uint64_t *wide, void *keys)
{
	for (size_t i = 0; i < row->count; i++)
		wide[i] = units_mix(units_mix(i) % row->values) >> (64 - bits);
	qsort(wide, row->count, sizeof *wide, compare);
	for (size_t i = 0; i < row->count; i++)
		gs_key_put(keys, bits, i, wide[i]);
}

/* For the place of each group: the first group from there on with more than TIMES keys. */
static void
repeated(const uint64_t *wide, size_t count, uint64_t times, size_t *found)
{
	size_t next = count;

	for (size_t end = count, at; end > 0; end = at) {
		for (at = end - 1; at > 0 && wide[at - 1] == wide[end - 1]; at--)
			continue;
		next = end - at > times ? at : next;
		found[at] = next;
	}
}

static void
try_row(const struct row *row, unsigned bits, const uint64_t *wide, const void *keys)
{
	const size_t count = row->count;
	const uint64_t least = 0xff00ff00ff0f7f3f;
	size_t *found = malloc(count * sizeof *found);
	unsigned __int128 sum = 0;
	uint64_t groups = 0;

	for (size_t i = 0; i < count; i++) {
		groups += i == 0 || wide[i] != wide[i - 1];
		sum += (wide[i] - least) & UINT64_MAX >> (64 - bits);
	}
	CHECK(gs_scan_groups(keys, bits, count) == groups, "%s: groups of %u bits", row->name, bits);
	CHECK(gs_scan_sum(keys, bits, least, count) == sum, "%s: sum of %u bits", row->name, bits);
	for (size_t at = 0, end; at < count; at = end) {
		for (end = at; end < count && wide[end] == wide[at]; end++)
			continue;
		CHECK(gs_scan_group_end(keys, bits, at, count) == end &&
		      gs_keys_from(keys, bits, 0, count, wide[at]) == at,
		      "%s: group at %zu of %u bits", row->name, at, bits);
	}
	for (uint64_t times = 0; times < 2000; times = 3 * times + 1) {
		repeated(wide, count, times, found);
		for (size_t from = 0; from < count; from = gs_scan_group_end(keys, bits, from, count)) {
			CHECK(gs_scan_repeated(keys, bits, from, count, times) == found[from],
			      "%s: more than %llu from %zu, %u bits", row->name,
			      (unsigned long long)times, from, bits);
			if (count > 5000 && from > 2000)
				break;		/* quadratic */
		}
	}
	free(found);
}

void
unit_scan(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 8; bits <= 64; bits *= 2) {
			uint64_t *wide = malloc(rows[r].count * sizeof *wide);
			void *keys = malloc(rows[r].count * (bits / 8));

			if (wide != NULL && keys != NULL) {
				fill(&rows[r], bits, wide, keys);
				try_row(&rows[r], bits, wide, keys);
			}
			free(wide);
			free(keys);
		}
}

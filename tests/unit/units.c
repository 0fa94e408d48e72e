// SPDX-License-Identifier: BSD-2-Clause
/*
 * units.c - run the unit tables of one module, or list the modules
 *
 *     units            names, a line each
 *     units MODULE...  run; exit 1 if a row does not hold
 *
 * units-emu is the same with the modules that need the emulated GPU.  Without GSORT_CI
 * some modules take fewer and smaller sizes (units_brief() in units.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "tests/unit/units.h"

#ifndef MODULES
#define MODULES "tests/unit/modules.def"
#endif

unsigned units_failed, units_run;

#define MODULE(name) void unit_##name(void);
#include MODULES
#undef MODULE

static const struct {
	const char *name;
	void (*run)(void);
} modules[] = {
#define MODULE(name) { #name, unit_##name },
#include MODULES
#undef MODULE
};

bool
units_brief(void)
{
	return getenv("GSORT_CI") == NULL;
}

uint64_t
units_mix(uint64_t x)
{
	return gs_splitmix_next(&x);
}

int
units_compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* One pass; false: all keys have the same digit, and stay where they are. */
static bool
sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift, unsigned bits)
{
	size_t at[(1 << 11) + 1] = { 0 };
	const size_t digits = (size_t)1 << bits;

	for (size_t i = 0; i < count; i++)
		at[(from[i] >> shift) % digits + 1]++;
	if (at[(from[0] >> shift) % digits + 1] == count)
		return false;
	for (size_t d = 0; d < digits; d++)
		at[d + 1] += at[d];
	for (size_t i = 0; i < count; i++)
		to[at[(from[i] >> shift) % digits]++] = from[i];
	return true;
}

void
units_sort(uint64_t *keys, size_t count)
{
	enum { FEW = 500 };	/* the digits of so few take longer to count than these to compare */
	const unsigned bits = count < 5000 ? 8 : 11;
	uint64_t *other = count > FEW ? malloc(count * sizeof *other) : NULL, *from = keys, *to = other;

	if (other == NULL) {
		qsort(keys, count, sizeof *keys, units_compare);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += bits) {
		uint64_t *const before = from;

		if (!sort_digit(from, to, count, shift, bits))
			continue;
		from = to;
		to = before;
	}
	if (from != keys)
		memcpy(keys, other, count * sizeof *keys);
	free(other);
}

const char *
units_line_end(const void *context, const char *item, const char *limit)
{
	(void)context;
	return (const char *)memchr(item, '\n', (size_t)(limit - item)) + 1;
}

bool
units_first_byte(const void *context, const char *const *items, const uint32_t *bytes,
                 size_t count, unsigned level, uint64_t *words)
{
	(void)context, (void)bytes;
	for (size_t i = 0; i < count; i++)
		words[i] = level == 0 ? (unsigned char)items[i][0] : 0;
	return false;
}

int
main(int argc, char **argv)
{
	const size_t count = sizeof modules / sizeof modules[0];

	if (argc == 1)
		for (size_t m = 0; m < count; m++)
			printf("%s\n", modules[m].name);
	for (int a = 1; a < argc; a++) {
		size_t m = 0;

		while (m < count && strcmp(modules[m].name, argv[a]) != 0)
			m++;
		if (m == count) {
			printf("%s: no such module\n", argv[a]);
			return 2;
		}
		modules[m].run();
	}
	if (argc > 1)
		printf("%u rows, %u failed\n", units_run, units_failed);
	return units_failed > 0;
}

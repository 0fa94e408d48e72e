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

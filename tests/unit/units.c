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
#include <unistd.h>

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

/* One pass over elements of WORDS words; false: all have the same digit, and stay where they are. */
static bool
sort_digit(const uint64_t *from, uint64_t *to, size_t count, size_t words, unsigned shift, unsigned bits)
{
	size_t at[(1 << 11) + 1];
	const size_t digits = (size_t)1 << bits;

	memset(at, 0, (digits + 1) * sizeof at[0]);
	for (size_t i = 0; i < count; i++)
		at[(from[i * words] >> shift) % digits + 1]++;
	if (at[(from[0] >> shift) % digits + 1] == count)
		return false;
	for (size_t d = 0; d < digits; d++)
		at[d + 1] += at[d];
	for (size_t i = 0; i < count; i++) {
		const uint64_t *element = from + i * words;
		uint64_t *place = to + at[element[0] >> shift & (digits - 1)]++ * words;

		place[0] = element[0];
		if (words > 1)
			place[1] = element[1];
	}
	return true;
}

/* By insertion: the digits of a few elements take longer to count than these to compare. */
static void
sort_few(uint64_t *elements, size_t count, size_t words)
{
	for (size_t i = 1; i < count; i++) {
		const uint64_t first = elements[i * words], last = elements[(i + 1) * words - 1];
		size_t at = i;

		for (; at > 0 && elements[(at - 1) * words] > first; at--)
			memcpy(elements + at * words, elements + (at - 1) * words, words * sizeof first);
		elements[at * words] = first;
		if (words > 1)
			elements[at * words + 1] = last;
	}
}

/* Sort elements by their first word, and keep the order of equal ones. */
static void
sort_words(uint64_t *elements, size_t count, size_t words)
{
	enum { FEW = 60 };
	const unsigned bits = count < 5000 ? 8 : 11;
	uint64_t *other = count > FEW ? malloc(count * words * sizeof *other) : NULL;
	uint64_t *from = elements, *to = other;

	if (other == NULL) {
		sort_few(elements, count, words);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += bits) {
		uint64_t *const before = from;

		if (!sort_digit(from, to, count, words, shift, bits))
			continue;
		from = to;
		to = before;
	}
	if (from != elements)
		memcpy(elements, other, count * words * sizeof *elements);
	free(other);
}

void
units_sort(uint64_t *keys, size_t count)
{
	sort_words(keys, count, 1);
}

void
units_sort_placed(struct units_placed *keys, size_t count)
{
	sort_words(&keys->key, count, sizeof *keys / sizeof keys->key);
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

#ifdef _OPENMP	/* threads that wait for the next kernel sleep: libgomp asks before main() */
	if (getenv("OMP_WAIT_POLICY") == NULL && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
		(void)execv("/proc/self/exe", argv);
#endif
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

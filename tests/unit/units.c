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
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* Elements of WORDS words, and DIGITS of their first ones from bit LOW on, of BITS each. */
struct radix {
	size_t   words;
	unsigned low, bits, digits;
	uint32_t *counts;	/* of each digit, how many elements have each value */
};

/* Count the digits in which COUNT elements differ. */
static void
count_digits(struct radix *r, const uint64_t *elements, size_t count)
{
	const uint64_t most = (UINT64_C(1) << r->bits) - 1;
	uint64_t varies = 0;

	for (size_t i = 1; i < count; i++)
		varies |= elements[i * r->words] ^ elements[0];
	r->low = varies == 0 ? 0 : (unsigned)__builtin_ctzll(varies);
	r->digits = varies == 0 ? 0 : (63 - (unsigned)__builtin_clzll(varies) - r->low) / r->bits + 1;
	r->counts = calloc((size_t)(r->digits + 1) << r->bits, sizeof *r->counts);
	for (size_t i = 0; i < count; i++) {
		uint64_t key = elements[i * r->words] >> r->low;

		for (unsigned d = 0; d < r->digits; d++, key >>= r->bits)
			r->counts[(size_t)d << r->bits | (key & most)]++;
	}
}

/* One pass, for digit D. */
static void
sort_digit(const struct radix *r, unsigned d, const uint64_t *from, uint64_t *to, size_t count)
{
	const unsigned shift = r->low + d * r->bits;
	const uint64_t most = (UINT64_C(1) << r->bits) - 1;
	uint32_t *places = r->counts + ((size_t)d << r->bits), at = 0;

	for (size_t v = 0; v <= most; v++) {
		const uint32_t here = places[v];

		places[v] = at;
		at += here;
	}
	if (r->words == 1)
		for (size_t i = 0; i < count; i++)
			to[places[from[i] >> shift & most]++] = from[i];
	else
		for (size_t i = 0; i < count; i++) {
			const size_t place = places[from[2 * i] >> shift & most]++;

			to[2 * place] = from[2 * i];
			to[2 * place + 1] = from[2 * i + 1];
		}
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
	struct radix r = { .words = words, .bits = count < 5000 ? 8 : 11 };
	uint64_t *other = count > FEW ? malloc(count * words * sizeof *other) : NULL;
	uint64_t *from = elements, *to = other;

	if (other == NULL) {
		sort_few(elements, count, words);
		return;
	}
	count_digits(&r, elements, count);
	for (unsigned d = 0; d < r.digits; d++) {
		uint64_t *const before = from;

		sort_digit(&r, d, from, to, count);
		from = to;
		to = before;
	}
	if (from != elements)
		memcpy(elements, other, count * words * sizeof *elements);
	free(other);
	free(r.counts);
}

void
units_sort(uint64_t *keys, size_t count)
{
	sort_words(keys, count, 1);
}

size_t
units_same(const void *keys, unsigned bits, const uint64_t *expect, size_t count)
{
	const uint64_t *wide = keys;
	const uint32_t *narrow = keys;
	size_t at = 0;

	if (bits == 64 && memcmp(keys, expect, count * sizeof *wide) == 0)
		return count;
	if (bits == 64)
		while (at < count && wide[at] == expect[at])
			at++;
	else
		while (at < count && narrow[at] == expect[at])
			at++;
	return at;
}

void
units_sort_placed(struct units_placed *keys, size_t count)
{
	sort_words(&keys->key, count, sizeof *keys / sizeof keys->key);
}

const char *
units_path(const char *folder, const char *name)
{
	static char paths[16][128];
	static unsigned next;

	next = (next + 1) % 16;
	snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
	return paths[next];
}

const char *
units_line_end(const void *context, const char *item, const char *limit)
{
	(void)context;
	return (const char *)memchr(item, '\n', (size_t)(limit - item)) + 1;
}

bool
units_first_byte(const void *context, const char *const *items, const uint32_t *bytes,
                 size_t count, unsigned at, uint64_t *words)
{
	(void)context, (void)bytes;
	for (size_t i = 0; i < count; i++)
		words[i] = at == 0 ? (unsigned char)items[i][0] : 0;
	return false;
}

bool
units_three_bytes(const void *context, const char *const *items, const uint32_t *bytes,
                  size_t count, unsigned at, uint64_t *words)
{
	(void)context, (void)bytes;
	for (size_t i = 0; i < count; i++)
		words[i] = at < 24 ? (unsigned char)items[i][at / 8] : 0;
	return at < 16;
}

/* From now on the call fails.  False: the kernel does not allow that. */
static bool
deny(unsigned call, unsigned argument, unsigned bits, unsigned error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         (unsigned)offsetof(struct seccomp_data, args) + 8 * argument),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

	if (bits == 0)		/* whatever the argument is */
		filter[3] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int
units_child(void (*rows)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		units_failed = 0;
		rows();
		fflush(stdout);
		_exit(units_failed > 0);
	}
	waitpid(child, &status, 0);
	return status;
}

static struct {
	void   (*rows)(void);
	unsigned call, argument, bits, error;
} denied;

static void
run_denied(void)
{
	if (denied.call > 0 ? deny(denied.call, denied.argument, denied.bits, denied.error)
	    : deny(SYS_clone3, 0, 0, EAGAIN) && deny(SYS_clone, 0, 0, EAGAIN))
		denied.rows();
}

void
units_denied(void (*rows)(void), unsigned call, unsigned argument, unsigned bits, unsigned error)
{
	denied.rows = rows;
	denied.call = call;
	denied.argument = argument;
	denied.bits = bits;
	denied.error = error;
	CHECK(units_child(run_denied) == 0, "rows in a process in which call %u gives %u", call, error);
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

// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpu.c - gsort-bench-cpu: how fast the CPU sorts and merges, for choosing constants
 *
 * Sorts the same keys several times, with 1, 2, 4 .. threads and every kind of vectors that this
 * processor has, checks each result, and prints the median.  It times the buckets alone, from one
 * array to another, pages touched before.  With --merge it times gs_merge_next() alone: sorted
 * runs in memory, spans as a job has them.
 */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cpu.h"
#include "sort/merge.h"

struct bench {
	unsigned bits;
	unsigned log_keys;
	unsigned threads;	/* most */
	unsigned runs;
	int      simd;		/* only this one, or -1 */
	bool     only_most;	/* threads: not 1, 2, 4 .. before */
	bool     qsort;
	unsigned merge;		/* so many runs, instead of sorting; or 0 */
	const struct shape *shape;	/* or NULL: all */
};

/* --- keys ------------------------------------------------------------------ */

/* Sebastiano Vigna's splitmix64: any counter gives a good random number. */
static uint64_t
mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t uniform(uint64_t i, uint64_t n)  { (void)n; return mix(i); }
static uint64_t sorted(uint64_t i, uint64_t n)   { return UINT64_MAX / n * i; }
static uint64_t reversed(uint64_t i, uint64_t n) { return UINT64_MAX / n * (n - 1 - i); }
static uint64_t equal(uint64_t i, uint64_t n)    { (void)i; (void)n; return mix(42); }
static uint64_t few(uint64_t i, uint64_t n)      { (void)n; return mix(mix(i) % 16); }
static uint64_t organ(uint64_t i, uint64_t n)
{
	return UINT64_MAX / n * (i < n / 2 ? i : n - i);
}
static uint64_t saw(uint64_t i, uint64_t n)      { (void)n; return (i % 1000) << 54; }
static uint64_t narrow(uint64_t i, uint64_t n)   { (void)n; return mix(i) >> 8; }
static uint64_t outlier(uint64_t i, uint64_t n)
{
	return i == n / 2 ? UINT64_MAX : mix(i) % n << 32;
}
static uint64_t powers(uint64_t i, uint64_t n)   { (void)n; return mix(i) >> (mix(~i) % 64); }
static uint64_t zipf(uint64_t i, uint64_t n)
{
	return (uint64_t)pow((double)n, (double)(mix(i) >> 11) / 9007199254740992.0) << 32;
}

/* The first keys say nothing about the others, which lie in a 2^-11th of their range. */
static uint64_t misled(uint64_t i, uint64_t n)   { return i < n / 64 ? mix(i) : UINT64_MAX / 3 + (mix(i) >> 11); }

static const struct shape {
	const char *name;
	uint64_t  (*key)(uint64_t i, uint64_t n);	/* 32-bit keys: its upper half */
} shapes[] = {
	{ "uniform", uniform }, { "sorted", sorted }, { "reversed", reversed },
	{ "equal", equal }, { "few", few }, { "organ", organ }, { "saw", saw },
	{ "narrow", narrow }, { "outlier", outlier }, { "powers", powers }, { "zipf", zipf },
	{ "misled", misled },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* A sum that does not depend on the order. */
static uint64_t
fill(const struct bench *bench, const struct shape *shape, void *keys, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = shape->key(i, count);

		if (bench->bits == 32)
			((uint32_t *)keys)[i] = (uint32_t)(key >> 32);
		else
			((uint64_t *)keys)[i] = key;
		sum += mix(bench->bits == 32 ? key >> 32 : key);
	}
	return sum;
}

static bool
is_sorted(const struct bench *bench, const void *keys, size_t count, uint64_t sum)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = bench->bits == 32 ? ((const uint32_t *)keys)[i]
		                                       : ((const uint64_t *)keys)[i];

		if (key < last)
			return false;
		last = key;
		sum -= mix(key);
	}
	return sum == 0;
}

/* --- measuring --------------------------------------------------------------- */

static int
compare_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int
compare32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int
compare64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Cut KEYS into runs, sort them, and merge them to OUT.  Seconds for the merge. */
static double
merge_runs(const struct bench *bench, enum gs_simd simd, unsigned threads, char *keys, char *out)
{
	enum { SPAN_BYTES = 4 << 20 };		/* a thread, as external_merge.c has it */
	const size_t count = (size_t)1 << bench->log_keys, width = bench->bits / 8;
	struct gs_run *runs = calloc(bench->merge, sizeof *runs);
	void *memory = malloc(gs_merge_bytes(bench->merge, threads));
	char *buffer = malloc(threads * (size_t)SPAN_BYTES);
	struct gs_merge *merge;
	struct gs_span span;
	double spent = 0;

	for (unsigned r = 0; r < bench->merge; r++) {
		const size_t begin = count * r / bench->merge, end = count * (r + 1) / bench->merge;

		runs[r] = (struct gs_run){ .keys = keys + begin * width, .count = end - begin };
		bench_buckets(bench->bits, keys + begin * width, keys + begin * width, end - begin,
		              bench->threads, gs_simd_best(), NULL);
	}
	merge = gs_merge_init(memory, bench->bits, runs, bench->merge, threads, buffer,
	                      threads * (size_t)SPAN_BYTES);
	gs_merge_with(merge, simd);
	do {
		const double start = bench_seconds();

		gs_merge_next(merge, &span);
		spent += bench_seconds() - start;
		memcpy(out, span.keys, span.count * width);
		out += span.count * width;
	} while (span.count > 0);
	free(buffer);
	free(memory);
	free(runs);
	return spent;
}

/* Print a row; false: the result was wrong.  SIMD < 0: qsort(3). */
static bool
measure(const struct bench *bench, const struct shape *shape, int simd, unsigned threads,
        char *keys, char *scratch)
{
	const size_t count = (size_t)1 << bench->log_keys, width = bench->bits / 8;
	const bool moved = bench->merge > 0 || simd >= 0;
	double times[99], spent[3] = { 0 };

	for (unsigned run = 0; run < bench->runs; run++) {
		const uint64_t sum = fill(bench, shape, keys, count);
		const double start = bench_seconds();

		if (bench->merge > 0)
			times[run] = merge_runs(bench, (enum gs_simd)simd, threads, keys, scratch);
		else if (simd < 0)
			qsort(keys, count, width, bench->bits == 32 ? compare32 : compare64);
		else
			bench_buckets(bench->bits, keys, scratch, count, threads,
			              (enum gs_simd)simd, spent);
		if (moved && bench->merge == 0)
			times[run] = spent[0] + spent[1] + spent[2];
		else if (!moved)
			times[run] = bench_seconds() - start;
		if (!is_sorted(bench, moved ? scratch : keys, count, sum)) {
			printf("u%u %s: NOT SORTED\n", bench->bits, shape->name);
			return false;
		}
	}
	qsort(times, bench->runs, sizeof times[0], compare_double);
	printf("u%-3u 2^%-3u %-9s %-9s %3u threads %9.1f Mkeys/s  %9.1f .. %.1f\n", bench->bits,
	       bench->log_keys, shape->name, simd < 0 ? "qsort" : gs_simd_name((enum gs_simd)simd),
	       threads, (double)count / times[bench->runs / 2] / 1e6,
	       (double)count / times[bench->runs - 1] / 1e6, (double)count / times[0] / 1e6);
	if (moved && bench->merge == 0)
		printf("%34s add %.3f, seal %.3f, sort %.3f s\n", "the last:", spent[0], spent[1],
		       spent[2]);
	fflush(stdout);
	return true;
}

static bool
measure_shape(const struct bench *bench, const struct shape *shape, char *keys, char *scratch)
{
	const int best = (int)gs_simd_best();
	bool good = true;

	if (bench->qsort && bench->merge == 0)
		good &= measure(bench, shape, -1, 1, keys, scratch);
	for (int simd = bench->simd < 0 ? 0 : bench->simd;
	     simd <= (bench->simd < 0 ? best : bench->simd); simd++)
		for (unsigned t = bench->only_most ? bench->threads : 1; t <= bench->threads; t *= 2)
			good &= measure(bench, shape, simd, t, keys, scratch);
	return good;
}

/* --- the command line -------------------------------------------------------- */

static void
help(void)
{
	printf("Usage: gsort-bench-cpu [OPTION]...\n"
	       "Sort or merge 2^K random keys on the CPU, several times, and print keys a second:\n"
	       "median, then least and most of the runs.  Exit 1 if a result is wrong.\n\n"
	       "  -t, --type=TYPE     u32 (default) or u64\n"
	       "  -k, --log-keys=K    2^K keys, 10 to 33 (default 24)\n"
	       "  -d, --shape=NAME    how keys are distributed, or all (default uniform):\n"
	       "                     ");
	for (unsigned s = 0; s < SHAPES; s++)
		printf(" %s", shapes[s].name);
	printf("\n"
	       "  -j, --threads=N     with 1, 2, 4 .. N threads (default 2)\n"
	       "  -J, --only=N        with N threads and no other number\n"
	       "  -s, --simd=NAME     only this kind of vector: portable, avx2 or avx512\n"
	       "  -n, --runs=N        1 to 99 (default 5)\n"
	       "  -q, --qsort         the C library's qsort(3) too\n"
	       "  -m, --merge=N       merge N sorted runs, 1 to 65536, instead of sorting\n"
	       "  -h, --help\n");
}

static bool
number(const char *text, unsigned least, unsigned most, unsigned *value)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	*value = (unsigned)n;
	return *text != '\0' && *end == '\0' && n >= least && n <= most;
}

static bool
named(struct bench *bench, int option, const char *name)
{
	if (option == 't') {
		bench->bits = strcmp(name, "u64") == 0 ? 64 : 32;
		return bench->bits == 64 || strcmp(name, "u32") == 0;
	}
	if (option == 's') {
		for (bench->simd = (int)gs_simd_best(); bench->simd >= 0; bench->simd--)
			if (strcmp(name, gs_simd_name((enum gs_simd)bench->simd)) == 0)
				return true;
		return false;
	}
	bench->shape = NULL;
	for (unsigned s = 0; s < SHAPES; s++)
		if (strcmp(name, shapes[s].name) == 0)
			bench->shape = &shapes[s];
	return bench->shape != NULL || strcmp(name, "all") == 0;
}

static const struct option long_options[] = {
	{ "type", required_argument, NULL, 't' }, { "log-keys", required_argument, NULL, 'k' },
	{ "shape", required_argument, NULL, 'd' }, { "threads", required_argument, NULL, 'j' },
	{ "only", required_argument, NULL, 'J' }, { "simd", required_argument, NULL, 's' },
	{ "runs", required_argument, NULL, 'n' }, { "qsort", no_argument, NULL, 'q' },
	{ "merge", required_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
};

/* True: go on; else *STATUS is the exit status. */
static bool
parse(struct bench *bench, int argc, char **argv, int *status)
{
	int option;
	bool good = true;

	while (good && (option = getopt_long(argc, argv, "t:k:d:j:J:s:n:m:qh", long_options, NULL)) != -1)
		switch (option) {
		case 't': case 's': case 'd':
			good = named(bench, option, optarg);
			break;
		case 'k': good = number(optarg, 10, 33, &bench->log_keys); break;
		case 'n': good = number(optarg, 1, 99, &bench->runs); break;
		case 'q': bench->qsort = true; break;
		case 'm': good = number(optarg, 1, 65536, &bench->merge); break;
		case 'j': case 'J':
			good = number(optarg, 1, 1024, &bench->threads);
			bench->only_most = option == 'J';
			break;
		case 'h':
			help();
			*status = 0;
			return false;
		default:
			good = false;
			optarg = NULL;
		}
	if (good && optind == argc)
		return true;
	if (good)
		fprintf(stderr, "gsort-bench-cpu: takes no operand, but was given '%s'\n",
		        argv[optind]);
	else if (optarg != NULL)
		fprintf(stderr, "gsort-bench-cpu: '%s' is not a value of that option\n", optarg);
	fprintf(stderr, "Try 'gsort-bench-cpu --help'.\n");
	*status = 2;
	return false;
}

int
main(int argc, char **argv)
{
	struct bench bench = { .bits = 32, .log_keys = 24, .threads = 2, .runs = 5, .simd = -1,
	                       .shape = &shapes[0] };
	char *keys, *scratch;
	size_t bytes;
	int status = 0;
	bool good = true;

	if (!parse(&bench, argc, argv, &status))
		return status;
	bytes = ((size_t)1 << bench.log_keys) * (bench.bits / 8);
	keys = bench_allocate(bytes);
	scratch = bench_allocate(bytes);
	if (keys == NULL || scratch == NULL) {
		fprintf(stderr, "gsort-bench-cpu: no memory for 2 x %zu bytes; try a smaller K\n", bytes);
		return 2;
	}
	memset(scratch, 1, bytes);
	for (unsigned s = 0; s < SHAPES; s++)
		if (bench.shape == NULL || bench.shape == &shapes[s])
			good &= measure_shape(&bench, &shapes[s], keys, scratch);
	free(keys);
	free(scratch);
	return good ? 0 : 1;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpu.c - gsort-bench-cpu: how fast the CPU sorts and merges, for choosing constants
 *
 * Sorts the same keys several times, with 1, 2, 4 .. threads and every SIMD level of this
 * processor, checks each result, and prints the median.  It times the buckets alone, from one
 * array to another, pages touched before.  With --merge it times gs_merge_next() alone: sorted
 * runs in memory, in spans as long as a job's.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/cpu/buckets.h"
#include "bench/huge.h"
#include "bench/keys.h"
#include "bench/stats.h"
#include "sort/merge.h"

struct bench {
	unsigned bits;
	unsigned log_keys;
	unsigned threads;	/* most */
	unsigned runs;
	int      simd;		/* only this one, or -1 */
	bool     only_most;	/* this number of threads, instead of 1, 2, 4 .. */
	bool     qsort;
	unsigned merge;		/* runs to merge, instead of sorting; or 0 */
	unsigned shape;		/* or SHAPES: all */
};

/* --- measuring --------------------------------------------------------------- */

/* Sort RUNS pieces of KEYS, and merge them to OUT.  Seconds for the merge. */
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
	gs_simd_at_most(simd);
	merge = gs_merge_init(memory, bench->bits, runs, bench->merge, threads, buffer,
	                      threads * (size_t)SPAN_BYTES);
	gs_simd_at_most(GS_SIMD_AVX512);
	do {
		const double start = now();

		gs_merge_next(merge, &span);
		spent += now() - start;
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
measure(const struct bench *bench, unsigned shape, int simd, unsigned threads,
        char *keys, char *scratch)
{
	const size_t count = (size_t)1 << bench->log_keys, width = bench->bits / 8;
	const bool moved = bench->merge > 0 || simd >= 0;
	double times[99], spent[3] = { 0 };
	struct stats stats;
	uint64_t digest;

	for (unsigned run = 0; run < bench->runs; run++) {
		double start;

		keys_fill(keys, bench->bits, count, shape, run + 1);
		digest = keys_digest(keys, bench->bits, count);
		start = now();

		if (bench->merge > 0)
			times[run] = merge_runs(bench, (enum gs_simd)simd, threads, keys, scratch);
		else if (simd < 0)
			qsort(keys, count, width, bench->bits == 32 ? keys_compare32 : keys_compare64);
		else
			bench_buckets(bench->bits, keys, scratch, count, threads,
			              (enum gs_simd)simd, spent);
		if (moved && bench->merge == 0)
			times[run] = spent[0] + spent[1] + spent[2];
		else if (!moved)
			times[run] = now() - start;
		if (!keys_ascend(moved ? scratch : keys, bench->bits, count) ||
		    keys_digest(moved ? scratch : keys, bench->bits, count) != digest) {
			printf("u%u %s: NOT SORTED\n", bench->bits, keys_shapes[shape]);
			return false;
		}
	}
	stats = stats_of(times, bench->runs);
	printf("u%-3u 2^%-3u %-13s %-9s %3u threads %9.1f Mkeys/s  %9.1f .. %.1f\n", bench->bits,
	       bench->log_keys, keys_shapes[shape],
	       simd < 0 ? "qsort" : gs_simd_name((enum gs_simd)simd), threads,
	       (double)count / stats.median / 1e6, (double)count / stats.most / 1e6,
	       (double)count / stats.least / 1e6);
	if (moved && bench->merge == 0)
		printf("%34s add %.3f, seal %.3f, sort %.3f s\n", "the last:", spent[0], spent[1],
		       spent[2]);
	fflush(stdout);
	return true;
}

static bool
measure_shape(const struct bench *bench, unsigned shape, char *keys, char *scratch)
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
		printf("%s %s", s > 0 && s % 9 == 0 ? "\n                     " : "", keys_shapes[s]);
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
	bench->shape = (unsigned)keys_shape_named(name);
	return bench->shape <= SHAPES;
}

static const struct option long_options[] = {
	{ "type", required_argument, NULL, 't' }, { "log-keys", required_argument, NULL, 'k' },
	{ "shape", required_argument, NULL, 'd' }, { "threads", required_argument, NULL, 'j' },
	{ "only", required_argument, NULL, 'J' }, { "simd", required_argument, NULL, 's' },
	{ "runs", required_argument, NULL, 'n' }, { "qsort", no_argument, NULL, 'q' },
	{ "merge", required_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
};

/* True: continue; otherwise *STATUS is the exit status. */
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
	                       .shape = SHAPE_UNIFORM };
	char *keys, *scratch;
	size_t bytes;
	int status = 0;
	bool good = true;

	if (!parse(&bench, argc, argv, &status))
		return status;
	bytes = ((size_t)1 << bench.log_keys) * (bench.bits / 8);
	keys = huge_allocate(bytes);
	scratch = huge_allocate(bytes);
	if (keys == NULL || scratch == NULL) {
		fprintf(stderr, "gsort-bench-cpu: no memory for 2 x %zu bytes; try a smaller K\n", bytes);
		return 2;
	}
	memset(scratch, 1, bytes);
	for (unsigned s = 0; s < SHAPES; s++)
		if (bench.shape == SHAPES || bench.shape == s)
			good &= measure_shape(&bench, s, keys, scratch);
	free(keys);
	free(scratch);
	return good ? 0 : 1;
}

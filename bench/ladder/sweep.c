// SPDX-License-Identifier: BSD-2-Clause
/*
 * sweep.c - gsort-bench sweep: one variant with every shape of grid, or number of threads
 *
 * Report 001 looks for the best grid (figures 3.1 and 3.18) and the best number
 * of threads (2.1 to 2.10).  Speed-ups are over the first shape, by kernel time:
 * for a GPU a single warp, for a CPU a single thread.
 */
#include "config.h"

#include <omp.h>
#include <stdio.h>

#include "bench/ladder/args.h"
#include "bench/ladder/report.h"
#include "bench/ladder/sweep.h"
#include "bench/record.h"

static const char usage[] =
	"Usage: gsort-bench sweep --variants=NAME [OPTION]...\n"
	"Run variants with every shape: blocks x threads on the GPU, threads on the CPU.\n"
	"\n"
	"  --variants=LIST      variants with a free shape: martoccia_gpu_v1, martoccia_cpu_v2, ...\n"
	"  --keys=LIST       sizes [2^22]; also --from and --to\n"
	"  --blocks=LIST     powers of two [1,64,256,1024,4096,16384]\n"
	"  --threads=LIST    [32,128,256,384,512,1024; CPU: 1 to twice the cores]\n"
	"  --runs=N  --seconds=S  --patience=S  --descending  --json=FILE  --csv=FILE\n"
	"                    as for gsort-bench ladder\n";

static const unsigned grid_blocks[] = { 1, 64, 256, 1024, 4096, 16384 };
static const unsigned grid_threads[] = { 32, 128, 256, 384, 512, 1024 };

#define COUNT_OF(a)	(sizeof (a) / sizeof (a)[0])

/* Thread counts for a CPU: 1 2 3 4 6 8 12 16 .. up to twice the cores. */
static unsigned
cpu_threads(unsigned *list)
{
	const unsigned most = 2 * (unsigned)omp_get_num_procs();
	unsigned count = 0;

	for (unsigned power = 1; power <= most; power *= 2) {
		list[count++] = power;
		if (power > 1 && power + power / 2 <= most)
			list[count++] = power + power / 2;
	}
	return count;
}

/* The lists that nobody gave. */
static void
fill_lists(struct bench_args *args, const struct variant *variant)
{
	if (variant->place == VARIANT_CPU) {
		args->block_counts = 1;
		args->blocks[0] = 0;
		if (args->thread_counts == 0)
			args->thread_counts = cpu_threads(args->threads);
		return;
	}
	if (args->block_counts == 0)
		for (unsigned b = 0; b < COUNT_OF(grid_blocks); b++)
			args->blocks[args->block_counts++] = grid_blocks[b];
	if (args->thread_counts == 0)
		for (unsigned t = 0; t < COUNT_OF(grid_threads); t++)
			args->threads[args->thread_counts++] = grid_threads[t];
}

/* All shapes of one variant at one size; how many were wrong. */
static unsigned
sweep_size(const struct bench_args *args, const struct variant *variant, size_t keys)
{
	double first = 0;
	unsigned wrong = 0;

	printf("%s, speed-up over the first shape; then as gsort-bench ladder\n", variant->name);
	for (unsigned b = 0; b < args->block_counts; b++)
		for (unsigned t = 0; t < args->thread_counts; t++) {
			struct run_args one = args->run;
			struct run_result result;
			int error;

			one.blocks = args->blocks[b];
			one.threads = args->threads[t];
			error = run_variant(variant, &one, &result);
			if (error != 0) {
				printf("%6u x %4u skipped: %s\n", one.blocks, one.threads,
				       run_error(variant, error));
				continue;
			}
			if (first <= 0)
				first = result.kernels.mean;
			printf("%6u x %4u %7.2f ", one.blocks, one.threads,
			       first / result.kernels.mean);
			report("sweep", variant, keys, &one, &result, 0, 0);
			wrong += !result.right;
		}
	return wrong;
}

/* Does VARIANT have shapes to sweep, and can it do the size?  If not, says so. */
static bool
can_sweep(const struct variant *variant, size_t keys, bool descending)
{
	char why[128];

	if (!variant->shapes)
		printf("%s skipped: the report fixes its shape\n", variant->name);
	else if (variant->place == VARIANT_GPU && !runner_has_gpu())
		printf("%s skipped: no GPU here\n", variant->name);
	else if (variant_refuses(variant, keys, descending, why, sizeof why))
		printf("%s skipped: %s\n", variant->name, why);
	else
		return true;
	return false;
}

int
bench_sweep(int argc, char **argv)
{
	struct bench_args args = {
		.keys = { (size_t)1 << 22 }, .sizes = 1,
		.run = { .runs = 30, .seconds = 0.5, .patience = 3 },
	};
	unsigned wrong = 0;
	int status = bench_args_parse(&args, argc, argv, "", usage);

	if (status >= 0)
		return status;
	if (args.variants[0] == NULL) {
		fputs("gsort-bench: sweep wants --variants; see gsort-bench ladder --list\n", stderr);
		return 2;
	}
	bench_args_open(&args);
	record_open(args.json, args.csv);
	for (unsigned r = 0; args.variants[r] != NULL; r++)
		for (unsigned s = 0; s < args.sizes; s++) {
			struct bench_args shaped = args;

			fill_lists(&shaped, args.variants[r]);
			if (!can_sweep(args.variants[r], args.keys[s], args.run.descending))
				continue;
			runner_load(args.keys[s]);
			wrong += sweep_size(&shaped, args.variants[r], args.keys[s]);
		}
	record_close();
	runner_close();
	return wrong > 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * sweep.c - gsort-bench sweep: one rung with every shape of grid, or number of threads
 *
 * Report 001 looks for the best grid (figures 3.1 and 3.18) and the best number
 * of threads (2.1 to 2.10).  Speed-ups are over the first shape, by kernel time:
 * for a GPU a single warp, for a CPU a single thread.
 */
#include "config.h"

#include <omp.h>
#include <stdio.h>

#include "bench/ladder.h"
#include "bench/record.h"

static const char usage[] =
	"Usage: gsort-bench sweep --rungs=NAME [OPTION]...\n"
	"Run rungs with every shape: blocks x threads on the GPU, threads on the CPU.\n"
	"\n"
	"  --rungs=LIST      rungs with a free shape: martoccia_gpu_v1, martoccia_cpu_v2, ...\n"
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
fill_lists(struct ask *ask, const struct rung *rung)
{
	if (rung->place == RUNG_CPU) {
		ask->block_counts = 1;
		ask->blocks[0] = 0;
		if (ask->thread_counts == 0)
			ask->thread_counts = cpu_threads(ask->threads);
		return;
	}
	if (ask->block_counts == 0)
		for (unsigned b = 0; b < COUNT_OF(grid_blocks); b++)
			ask->blocks[ask->block_counts++] = grid_blocks[b];
	if (ask->thread_counts == 0)
		for (unsigned t = 0; t < COUNT_OF(grid_threads); t++)
			ask->threads[ask->thread_counts++] = grid_threads[t];
}

/* All shapes of one rung at one size; how many were wrong. */
static unsigned
sweep_size(const struct ask *ask, const struct rung *rung, size_t keys)
{
	double first = 0;
	unsigned wrong = 0;

	printf("%s, speed-up over the first shape; then as gsort-bench ladder\n", rung->name);
	for (unsigned b = 0; b < ask->block_counts; b++)
		for (unsigned t = 0; t < ask->thread_counts; t++) {
			struct climb_ask one = ask->climb;
			struct climb result;
			int error;

			one.blocks = ask->blocks[b];
			one.threads = ask->threads[t];
			error = climb(rung, &one, &result);
			if (error != 0) {
				printf("%6u x %4u skipped: %s\n", one.blocks, one.threads,
				       climb_why(rung, error));
				continue;
			}
			if (first <= 0)
				first = result.kernels.mean;
			printf("%6u x %4u %7.2f ", one.blocks, one.threads,
			       first / result.kernels.mean);
			put_climb("sweep", rung, keys, &one, &result, 0, 0);
			wrong += !result.right;
		}
	return wrong;
}

/* Does RUNG have shapes to sweep, and can it do the size?  If not, says so. */
static bool
can_sweep(const struct rung *rung, size_t keys, bool descending)
{
	char why[128];

	if (!rung->shapes)
		printf("%s skipped: the report fixes its shape\n", rung->name);
	else if (rung->place == RUNG_GPU && !climb_has_gpu())
		printf("%s skipped: no GPU here\n", rung->name);
	else if (rung_refuses(rung, keys, descending, why, sizeof why))
		printf("%s skipped: %s\n", rung->name, why);
	else
		return true;
	return false;
}

int
bench_sweep(int argc, char **argv)
{
	struct ask ask = {
		.keys = { (size_t)1 << 22 }, .sizes = 1,
		.climb = { .runs = 30, .seconds = 0.5, .patience = 3 },
	};
	unsigned wrong = 0;
	int status = ask_parse(&ask, argc, argv, "", usage);

	if (status >= 0)
		return status;
	if (ask.rungs[0] == NULL) {
		fputs("gsort-bench: sweep wants --rungs; see gsort-bench ladder --list\n", stderr);
		return 2;
	}
	ask_open(&ask);
	record_open(ask.json, ask.csv);
	for (unsigned r = 0; ask.rungs[r] != NULL; r++)
		for (unsigned s = 0; s < ask.sizes; s++) {
			struct ask shaped = ask;

			fill_lists(&shaped, ask.rungs[r]);
			if (!can_sweep(ask.rungs[r], ask.keys[s], ask.climb.descending))
				continue;
			climb_load(ask.keys[s]);
			wrong += sweep_size(&shaped, ask.rungs[r], ask.keys[s]);
		}
	record_close();
	climb_close();
	return wrong > 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * ladder.h - the subcommands that climb: gsort-bench ladder and gsort-bench sweep
 *
 * ladder.c measures every rung at every size, sweep.c one rung with every shape;
 * ask.c reads their options.
 */
#ifndef GS_BENCH_LADDER_H
#define GS_BENCH_LADDER_H

#include "bench/climb.h"

/** Subcommands; ARGV[0] is the subcommand's name.  Return the exit status. */
int bench_ladder(int argc, char **argv);
int bench_sweep(int argc, char **argv);

enum { MOST_SIZES = 64, MOST_RUNGS = 32 };

/* What was asked for. */
struct ask {
	size_t             keys[MOST_SIZES];
	unsigned           sizes;
	const struct rung *rungs[MOST_RUNGS + 1];	/* ends with a NULL */
	unsigned           threads[MOST_SIZES], blocks[MOST_SIZES];
	unsigned           thread_counts, block_counts;
	struct climb_ask   climb;
	bool               check_only;
	const char        *json, *csv;
};

/**
 * Read the options into ASK, whose fields are the defaults; of rungs, RUNGS are ("": none).
 *
 * @return  -1 to go on, or the exit status
 */
int ask_parse(struct ask *ask, int argc, char **argv, const char *rungs, const char *usage);

/** Open the ground for what was asked: every size, and the GPU if a rung needs it. */
void ask_open(const struct ask *ask);

/** Write down and print one result.  OVER_QSORT and OVER_CUB: how many times faster; 0: unknown. */
void put_climb(const char *what, const struct rung *rung, size_t keys,
               const struct climb_ask *ask, const struct climb *result,
               double over_qsort, double over_cub);

/** "2^20", or the digits; in a buffer of the caller's. */
const char *keys_text(size_t keys, char *text, size_t bytes);

#endif

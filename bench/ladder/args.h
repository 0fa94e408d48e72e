// SPDX-License-Identifier: BSD-2-Clause
/* args.h - the options of gsort-bench ladder and sweep */
#ifndef GS_BENCH_ARGS_H
#define GS_BENCH_ARGS_H

#include "bench/ladder/run_variant.h"

enum { MOST_SIZES = 64, MOST_VARIANTS = 32 };

struct bench_args {
	size_t                keys[MOST_SIZES];
	unsigned              sizes;
	const struct variant *variants[MOST_VARIANTS + 1];	/* ends with a NULL */
	unsigned              threads[MOST_SIZES], blocks[MOST_SIZES];
	unsigned              thread_counts, block_counts;
	struct run_args       run;
	bool                  check_only;
	const char           *json, *csv;
};

/**
 * Read options into ARGS, whose fields are the defaults.
 *
 * @variants  names of the variants that run if no option says otherwise; "": none
 * @return    -1 to go on, or the exit status
 */
int bench_args_parse(struct bench_args *args, int argc, char **argv, const char *variants,
                     const char *usage);

/** Open what ARGS ask for: memory for every size, and the GPU if a variant needs it. */
void bench_args_open(const struct bench_args *args);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* compare.h - time several ways to do the same work, in turn, and print a row for each */
#ifndef GS_BENCH_COMPARE_H
#define GS_BENCH_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/device/device_harness.h"

enum { COMPARE_MOST_RUNS = 99 };

struct candidate {
	const char       *name;
	const char       *call;			/* which of several calls that is, or NULL */
	harness_function *run;
	double            predicted_seconds;	/* 0: nothing is predicted */
	double            seconds[COMPARE_MOST_RUNS];
};

/* The work: all that is the same for each candidate. */
struct comparison {
	unsigned    bits, runs;
	size_t      count, tile_keys;
	size_t      run_keys;		/* the result ascends in runs of these; 0: do not check */
	uint64_t    digest;		/* of the keys in harness.source */
	const char *type, *shape;
	bool        check_last_only;
};

/**
 * Run MANY candidates in turn, A B C A B C ..., after one run of each to warm up.
 *
 * Checks the first and the last result of each; a wrong one ends the program.  Prints rows and
 * records them (bench/record.h).
 */
void compare(const struct comparison *what, struct candidate *all, unsigned many);

/** Print the heading of the rows. */
void compare_heading(void);

#endif

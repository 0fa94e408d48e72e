// SPDX-License-Identifier: BSD-2-Clause
/* stats.h - what many runs say about one time */
#ifndef GS_BENCH_STATS_H
#define GS_BENCH_STATS_H

#include <stddef.h>

struct stats {
	unsigned runs;
	double   mean, median, least;
	double   margin;	/* the true mean is within it of MEAN with 95 %; 0 for one run */
};

/** Of COUNT > 0 samples, which it puts in order. */
struct stats stats_of(double *samples, unsigned count);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* stats.h - mean, median and interval of repeated measurements */
#ifndef GS_BENCH_STATS_H
#define GS_BENCH_STATS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stats {
	unsigned runs;
	double   mean, median, least, most;
	double   margin;	/* the true mean is within it of MEAN with 95 %; 0 for one run */
};

/** The statistics of COUNT > 0 samples, which it sorts. */
struct stats stats_of(double *samples, unsigned count);

#ifdef __cplusplus
}
#endif
#endif

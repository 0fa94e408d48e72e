// SPDX-License-Identifier: BSD-2-Clause
/* clock.h - wall time for benchmarks on the host */
#ifndef GS_BENCH_CLOCK_H
#define GS_BENCH_CLOCK_H

#include <time.h>

/** Seconds since some moment in the past; never decreases. */
static inline double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* stats.c - mean, median, and Student's interval */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "bench/stats.h"

/* The 97.5 % quantile of Student's t for 1, 2, .. degrees of freedom; then the normal's. */
static double
student(unsigned freedom)
{
	static const double t[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};

	return freedom <= sizeof t / sizeof t[0] ? t[freedom - 1] : 1.96 + 2.4 / freedom;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct stats
stats_of(double *samples, unsigned count)
{
	struct stats stats = { .runs = count };
	double squares = 0;

	assert(count > 0);
	qsort(samples, count, sizeof *samples, compare);
	for (unsigned s = 0; s < count; s++)
		stats.mean += samples[s] / count;
	for (unsigned s = 0; s < count; s++)
		squares += (samples[s] - stats.mean) * (samples[s] - stats.mean);
	stats.least = samples[0];
	stats.most = samples[count - 1];
	stats.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
	if (count > 1)
		stats.margin = student(count - 1) * sqrt(squares / (count - 1) / count);
	return stats;
}

// SPDX-License-Identifier: BSD-2-Clause
/* stats.c - means and their intervals, against figures worked out by hand */
#include "bench/stats.h"
#include "tests/unit/units.h"

void unit_stats(void);

enum { MOST = 5 };

static const struct {
	const char *sentence;
	double      samples[MOST];
	unsigned    count;
	double      mean, median, margin;
} rows[] = {
	{ "one sample says nothing of its spread",    { 7 }, 1, 7, 7, 0 },
	{ "equal samples leave no doubt",             { 2, 2, 2 }, 3, 2, 2, 0 },
	{ "the median of an even number is between",  { 4, 1, 3, 2 }, 4, 2.5, 2.5, 2.0543 },
	{ "1 .. 5: 2.776 x 1.5811 / sqrt(5)",         { 5, 3, 1, 2, 4 }, 5, 3, 3, 1.9629 },
	{ "two samples are 12.7 deviations apart",    { 1, 3 }, 2, 2, 2, 12.706 },
	{ "one outlier moves the mean, not the median", { 1, 1, 1, 1, 6 }, 5, 2, 1, 2.776 },
};

static int
near(double a, double b)
{
	return a - b < 1e-3 && b - a < 1e-3;
}

void
unit_stats(void)
{
	for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		double samples[MOST];
		struct stats stats;

		for (unsigned s = 0; s < rows[r].count; s++)
			samples[s] = rows[r].samples[s];
		stats = stats_of(samples, rows[r].count);
		CHECK(near(stats.mean, rows[r].mean), "%s: mean %g", rows[r].sentence, stats.mean);
		CHECK(near(stats.median, rows[r].median), "%s: median %g", rows[r].sentence,
		      stats.median);
		CHECK(near(stats.margin, rows[r].margin), "%s: margin %g", rows[r].sentence,
		      stats.margin);
	}
}

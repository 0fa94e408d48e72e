// SPDX-License-Identifier: BSD-2-Clause
/*
 * edges.c - edges of few digits for the bars of a histogram
 *
 * In:   the least and the greatest number, and how many bars there may be.
 * Out:  bars that cover both: of one width, which is 1, 2 or 5 times a power of ten; or between 1, 2, 5,
 *       10 ... and 0, or between powers of ten.
 *
 * Integers in another notation than decimal have widths that are round there.  The edges of floats are
 * decimals that strtod(3) rounds once, so they are printed with few digits again.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/statistics.h"

/* ---- integers of one width ------------------------------------------------------- */

typedef unsigned __int128 wide;

/* Round widths, each below the next. */
static wide
next_decimal(wide width)
{
	wide unit = 1;

	while (unit <= width / 10)
		unit *= 10;
	return width < 2 * unit ? 2 * unit : width < 5 * unit ? 5 * unit : 10 * unit;
}

/* Nanoseconds, then parts of a minute, an hour and a day, then days. */
static wide
next_time(wide width)
{
	static const unsigned seconds[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
	                                    10800, 21600, 43200, 86400 };
	enum { SECOND = 1000000000, COUNT = sizeof seconds / sizeof *seconds };

	if (width < SECOND)
		return next_decimal(width);
	for (size_t s = 0; s < COUNT; s++)
		if (width < (wide)seconds[s] * SECOND)
			return (wide)seconds[s] * SECOND;
	return next_decimal(width / SECOND / 86400) * SECOND * 86400;
}

static __int128
floor_to(__int128 number, wide width)
{
	const __int128 rest = number % (__int128)width;

	return number - rest - (rest < 0 ? (__int128)width : 0);
}

bool
gs_edges_of_integers(struct gs_bars *bars, size_t n, __int128 least, __int128 most,
                     enum gsort_notation notation)
{
	const wide range = (wide)(most - least) + 1;
	wide width = 1;

	while ((wide)(floor_to(most, width) - floor_to(least, width)) / width + 1 > n) {
		if (width / 10 > range)		/* they stand on both sides of 0 */
			return false;
		width = notation == GSORT_DECIMAL ? next_decimal(width)
		        : notation == GSORT_TIME ? next_time(width) : 2 * width;
	}
	for (__int128 from = floor_to(least, width); from <= most; from += (__int128)width)
		bars->bars[bars->count++] = (struct gs_bar){ .from = from, .to = from + (__int128)width - 1 };
	return true;
}

/* ---- floats of one width ------------------------------------------------------------ */

/* Digits of round numbers. */
static const int decimals[] = { 1, 2, 5 };

/* NUMBER x 10^EXPONENT, rounded once; the largest double in place of a larger one. */
static double
decimal(long long number, int exponent)
{
	char text[48];
	double value;

	snprintf(text, sizeof text, "%llde%d", number, exponent);
	value = strtod(text, NULL);
	return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
}

/* The power of ten of a positive number's first digit. */
static int
power_of(double number)
{
	char text[48];

	snprintf(text, sizeof text, "%.17e", number);
	return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

static void
add_floats(struct gs_bars *bars, double from, double to)
{
	bars->bars[bars->count++] = (struct gs_bar){ .float_from = from, .float_to = to };
}

bool
gs_edges_of_floats(struct gs_bars *bars, size_t n, double least, double most)
{
	const double exact = 1LL << 50;		/* doubles are too coarse for bars beyond this number */
	const double share = most / (double)n - least / (double)n;	/* of one bar it may be infinite */
	const int power = power_of(share < DBL_MIN ? DBL_MIN : share > DBL_MAX ? DBL_MAX : share) - 1;

	for (int tries = 0; tries < 15; tries++) {	/* bars of DIGIT x 10^EXPONENT */
		const int digit = decimals[tries % 3], exponent = power + tries / 3;
		const double width = decimal(digit, exponent);
		long long first, end;

		if (width == 0 || !(fabs(least / width) < exact) || !(fabs(most / width) < exact))
			continue;
		first = (long long)(least / width) + 1;
		end = (long long)(most / width) - 1;
		while (decimal(first * digit, exponent) > least)
			first--;
		while (decimal(end * digit, exponent) < most)
			end++;
		end += end == first;
		if ((unsigned long long)(end - first) > n)
			continue;
		for (long long s = first; s < end; s++)
			add_floats(bars, decimal(s * digit, exponent), decimal((s + 1) * digit, exponent));
		return true;
	}
	return false;
}

/* ---- between powers --------------------------------------------------------------------- */

/*
 * Numbers 1, 2, 5, 10, 20 ..., or only some powers of the base.  A place counts them: PLACE /
 * DIGITS is the power, and may be negative.
 */
struct series {
	int base, digits, step;		/* DIGITS: 1, 2, 5; or one, each STEP powers */
};

static int
floor_divide(int number, int by)
{
	return number / by - (number % by < 0);
}

/* The integer at PLACE, or one that is larger than all. */
static __int128
integer_at(const struct series *series, int place)
{
	const int power = place / series->digits * series->step, digit = place % series->digits;
	__int128 number = series->base == 10 ? decimals[digit] : 1 << digit;

	for (int p = 0; p < power && number >> 66 == 0; p++)
		number *= series->base;
	return number;
}

static double
float_at(const struct series *series, int place)
{
	const int power = floor_divide(place, series->digits);

	return decimal(decimals[place - power * series->digits], power * series->step);
}

/* From the finest series on: false after the coarsest. */
static bool
coarsen(struct series *series)
{
	if (series->digits > 1)
		series->digits = 1;
	else
		series->step += series->step < 2 ? 1 : series->step;
	return series->step <= 512;
}

/* Places of the series: LEAST and MOST are between them.  None if MOST is not positive. */
static void
find_integers(const struct series *series, __int128 least, __int128 most, int *first, int *end)
{
	*first = 0;
	while (most > 0 && integer_at(series, *first + 1) <= least)
		++*first;
	*end = *first;
	while (integer_at(series, *end) <= most)
		++*end;
}

bool
gs_edges_of_integer_powers(struct gs_bars *bars, size_t n, __int128 least, __int128 most,
                           enum gsort_notation notation)
{
	struct series series = { .base = 10, .digits = 3, .step = 1 };
	const bool zero = least <= 0 && most >= 0;
	int low[2], high[2];		/* of negative and of positive numbers */

	if (notation != GSORT_DECIMAL)
		series = (struct series){ .base = 16, .digits = 4, .step = 1 };
	for (;;) {
		find_integers(&series, most < 0 ? -most : 1, -least, &low[0], &high[0]);
		find_integers(&series, least > 0 ? least : 1, most, &low[1], &high[1]);
		if ((size_t)(high[0] - low[0]) + zero + (size_t)(high[1] - low[1]) <= n)
			break;
		if (!coarsen(&series))
			return false;
	}
	for (int p = high[0]; p > low[0]; p--)
		bars->bars[bars->count++] = (struct gs_bar){ .from = 1 - integer_at(&series, p),
		                                             .to = -integer_at(&series, p - 1) };
	if (zero)
		bars->count++;		/* 0 .. 0 */
	for (int p = low[1]; p < high[1]; p++)
		bars->bars[bars->count++] = (struct gs_bar){ .from = integer_at(&series, p),
		                                             .to = integer_at(&series, p + 1) - 1 };
	return true;
}

/* If a range has 0, only its largest numbers are known: bars begin so far below them. */
static const double RANGE_BELOW = 1e-6;

/* Places of the series: LEAST and MOST, which are positive, are between them. */
static void
find_floats(const struct series *series, double least, double most, int *first, int *end)
{
	*first = (floor_divide(power_of(least), series->step) - 1) * series->digits;
	while (float_at(series, *first + 1) <= least)
		++*first;
	*end = *first + 1;
	while (float_at(series, *end) < most)
		++*end;
}

bool
gs_edges_of_float_powers(struct gs_bars *bars, size_t n, double least, double most)
{
	struct series series = { .base = 10, .digits = 3, .step = 1 };
	const double larger = -least > most ? -least : most;
	const bool zero = least <= 0 && most >= 0;
	const double below = larger > DBL_MIN * 1e9 ? larger * RANGE_BELOW : DBL_MIN;
	int low[2] = { 0 }, high[2] = { 0 };	/* of negative and of positive numbers */

	if (larger == 0)
		return false;
	for (;;) {
		if (least < 0)
			find_floats(&series, most < 0 ? -most : below, -least, &low[0], &high[0]);
		if (most > 0)
			find_floats(&series, least > 0 ? least : below, most, &low[1], &high[1]);
		if ((size_t)(high[0] - low[0]) + zero + (size_t)(high[1] - low[1]) <= n)
			break;
		if (!coarsen(&series))
			return false;
	}
	for (int p = high[0]; p > low[0]; p--)
		add_floats(bars, -float_at(&series, p), -float_at(&series, p - 1));
	if (zero)
		add_floats(bars, least < 0 ? -float_at(&series, low[0]) : 0,
		           most > 0 ? float_at(&series, low[1]) : 0);
	for (int p = low[1]; p < high[1]; p++)
		add_floats(bars, float_at(&series, p), float_at(&series, p + 1));
	return true;
}

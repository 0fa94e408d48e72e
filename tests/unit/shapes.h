// SPDX-License-Identifier: BSD-2-Clause
/* shapes.h - kinds of keys that are hard for some sort: key I of N; 32-bit keys are the upper halves */
#ifndef UNITS_SHAPES_H
#define UNITS_SHAPES_H

#include <stdint.h>

#include "tests/unit/units.h"

static inline uint64_t shape_uniform(uint64_t i, uint64_t n)  { (void)n; return units_mix(i); }
static inline uint64_t shape_sorted(uint64_t i, uint64_t n)   { return UINT64_MAX / n * i; }
static inline uint64_t shape_reversed(uint64_t i, uint64_t n) { return UINT64_MAX / n * (n - 1 - i); }
static inline uint64_t shape_equal(uint64_t i, uint64_t n)    { (void)i; (void)n; return units_mix(42); }
static inline uint64_t shape_zeros(uint64_t i, uint64_t n)    { (void)i; (void)n; return 0; }
static inline uint64_t shape_ones(uint64_t i, uint64_t n)     { (void)i; (void)n; return UINT64_MAX; }
static inline uint64_t
shape_few(uint64_t i, uint64_t n)
{
	(void)n;
	return units_mix(units_mix(i) % 5);
}
static inline uint64_t
shape_organ(uint64_t i, uint64_t n)
{
	return UINT64_MAX / n * (i < n / 2 ? i : n - i);
}
static inline uint64_t shape_saw(uint64_t i, uint64_t n)      { (void)n; return (i % 300) << 50; }
/* Ascending stretches that do not go on from each other. */
static inline uint64_t shape_runs(uint64_t i, uint64_t n)     { (void)n; return (i % 50000) << 45; }
static inline uint64_t
shape_ends(uint64_t i, uint64_t n)
{
	(void)n;
	return units_mix(i) % 2 ? UINT64_MAX : 0;
}
static inline uint64_t
shape_swapped(uint64_t i, uint64_t n)
{
	return shape_sorted(n > 1 && i == n - 2 ? n - 1 : n > 1 && i == n - 1 ? n - 2 : i, n);
}
static inline uint64_t
shape_far_swapped(uint64_t i, uint64_t n)
{
	return shape_sorted(i == n / 2 ? n - 1 : i == n - 1 ? n / 2 : i, n);
}
/* As many keys near each power of two: most of the range holds few of them. */
static inline uint64_t
shape_powers(uint64_t i, uint64_t n)
{
	(void)n;
	return units_mix(i) >> (units_mix(~i) % 64);
}
/* Each division by value can only split off the few outermost keys. */
static inline uint64_t
shape_nested(uint64_t i, uint64_t n)
{
	(void)n;
	return (UINT64_C(1) << (units_mix(i) % 64)) + units_mix(~i) % 3;
}
static inline uint64_t
shape_outlier(uint64_t i, uint64_t n)
{
	return i == n / 2 ? UINT64_MAX : (units_mix(i) % 1000) << 32 | units_mix(i) % 7;
}
/* The first keys say nothing about the others: these are near one value, or equal, or outside. */
static inline uint64_t
shape_tricked(uint64_t i, uint64_t n)
{
	(void)n;
	return i < 600000 ? units_mix(i) : (UINT64_C(77) << 54) + (units_mix(i) >> 24);
}
static inline uint64_t
shape_stuck(uint64_t i, uint64_t n)
{
	(void)n;
	return i < 600000 ? units_mix(i) : UINT64_C(77) << 54;
}
static inline uint64_t
shape_outside(uint64_t i, uint64_t n)
{
	(void)n;
	return i < 600000 ? (UINT64_C(1) << 62) + (units_mix(i) >> 20) : units_mix(i);
}
/* Half of the keys are one value, which no pivot can divide. */
static inline uint64_t
shape_heavy(uint64_t i, uint64_t n)
{
	return units_mix(i) % 2 ? UINT64_MAX / 3 : units_mix(n + i);
}
/* On both sides of 0, if they have a sign. */
static inline uint64_t
shape_dense(uint64_t i, uint64_t n)
{
	(void)n;
	return (UINT64_C(1) << 63) - 500 + units_mix(i) % 1000;
}
static inline uint64_t shape_zipf(uint64_t i, uint64_t n)     { return UINT64_MAX / (1 + units_mix(i) % n); }

static const struct shape {
	const char *name;
	uint64_t  (*key)(uint64_t i, uint64_t n);
} shapes[] = {
	{ "any keys", shape_uniform }, { "ascending keys", shape_sorted },
	{ "descending keys", shape_reversed }, { "equal keys", shape_equal }, { "zeros", shape_zeros },
	{ "largest keys", shape_ones }, { "five different keys", shape_few },
	{ "an organ pipe", shape_organ }, { "a saw", shape_saw }, { "ascending runs", shape_runs },
	{ "zeros and largest keys", shape_ends }, { "ascending keys but two", shape_swapped },
	{ "two ascending keys far apart swapped", shape_far_swapped },
	{ "keys near powers of two", shape_powers }, { "nested clusters", shape_nested },
	{ "one outlier", shape_outlier }, { "a crowd behind the first", shape_tricked },
	{ "one value behind the first", shape_stuck },
	{ "keys outside of the first", shape_outside }, { "half of the keys equal", shape_heavy },
	{ "1/x", shape_zipf }, { "a thousand values", shape_dense },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The numbers of some shapes. */
enum { SHAPE_UNIFORM = 0, SHAPE_SORTED = 1, SHAPE_REVERSED = 2, SHAPE_FEW = 6, SHAPE_ORGAN = 7,
       SHAPE_POWERS = 13,
       SHAPE_TRICKED = 16, SHAPE_NESTED = 14, SHAPE_STUCK = 17, SHAPE_HEAVY = 19, SHAPE_DENSE = 21 };

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * convert.c - sorted keys of any type as numbers of another type
 *
 * In:   a span of sorted keys.
 * Out:  binary keys of another type; or the first number that does not fit.
 *
 * Integers are converted exactly or refused.  As keys are sorted, all fit if the first and the
 * last do; then a conversion between integer types is a loop without a branch.  Where floats are
 * involved each number is checked.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/team.h"
#include "key/key.h"
#include "text/digits.h"
#include "text/encode.h"
#include "text/floats.h"
#include "text/notation.h"

/* Fewer keys are converted by the calling thread, as in raw.c. */
enum { TEAM_KEYS = 1 << 16 };

/* One number: an integer, or a float. */
struct number {
	bool     is_float;
	bool     negative;	/* of an integer; 0 is not */
	uint64_t magnitude;
	double   value;		/* of a float */
};

static bool
is_signed(enum gsort_type type)
{
	return type == GSORT_I8 || type == GSORT_I16 || type == GSORT_I32 || type == GSORT_I64;
}

/* ---- floats of 16 bits: f16 (IEEE 754 binary16) and bf16 (bfloat16) --------------- */

/* A sign, then an exponent, then FRACTION_BITS: 10 of f16, 7 of bf16.  Each is an f64 without error. */

/* Exact. */
static double
half_value(unsigned fraction_bits, uint16_t bits)
{
	const unsigned special = (1U << (15 - fraction_bits)) - 1;
	const unsigned exponent = bits >> fraction_bits & special;
	const unsigned fraction = bits & ((1U << fraction_bits) - 1);
	const unsigned whole = exponent > 0 ? fraction | 1U << fraction_bits : fraction;
	const int place = (int)(exponent > 0 ? exponent : 1) - (int)(special / 2 + fraction_bits);
	uint64_t wide = (uint64_t)(bits >> 15) << 63 | UINT64_C(0x7ff) << 52 |
	                (uint64_t)fraction << (52 - fraction_bits);
	double value = ldexp((double)whole, place);

	if (exponent == special)
		memcpy(&value, &wide, sizeof value);
	else if (bits >> 15)
		value = -value;
	return value;
}

/* The nearest float of 16 bits, of two the even one; infinite if VALUE is too large.  A NaN keeps its sign
 * and the high bits of its payload, and becomes quiet. */
static uint16_t
half_bits(unsigned fraction_bits, double value)
{
	const unsigned special = (1U << (15 - fraction_bits)) - 1, infinite = special << fraction_bits;
	const int least = 1 - (int)(special / 2);	/* exponent of the least normal number */
	uint64_t wide;
	unsigned sign, bits;
	int exponent;

	memcpy(&wide, &value, sizeof wide);
	sign = (unsigned)(wide >> 63) << 15;
	if (isnan(value))
		return (uint16_t)(sign | infinite | 1U << (fraction_bits - 1) |
		                  (wide >> (52 - fraction_bits) & ((1U << fraction_bits) - 1)));
	if (isinf(value) || value == 0)
		return (uint16_t)(sign | (value == 0 ? 0 : infinite));
	(void)frexp(value, &exponent);
	exponent = exponent - 1 > least ? exponent - 1 : least;
	if (exponent > -least + 1)
		return (uint16_t)(sign | infinite);
	/* The sum with 2^52 has no room for a fraction: it is rounded, of two to the even one.  A carry out
	 * of the fraction is right: it raises the exponent. */
	bits = (unsigned)(ldexp(fabs(value), (int)fraction_bits - exponent) + 0x1p52 - 0x1p52) +
	       ((unsigned)(exponent - least) << fraction_bits);
	return (uint16_t)(sign | (bits < infinite ? bits : infinite));
}

/* ---- one number ------------------------------------------------------------ */

/* The bits of the float at AT, in its own type. */
static uint64_t
float_bits(const struct gs_numbers *numbers, size_t at)
{
	return gs_key_float_bits(numbers->type,
	                         gs_integers_key(&numbers->integers, numbers->integers.bits, at));
}

static double
float_value(enum gsort_type type, uint64_t bits)
{
	const uint32_t narrow_bits = (uint32_t)bits;
	double value;
	float narrow;

	if (gs_key_bits(type) == 16)
		return half_value(gs_key_fraction_bits(type), (uint16_t)bits);
	if (type == GSORT_F32) {
		memcpy(&narrow, &narrow_bits, sizeof narrow);
		return (double)narrow;
	}
	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t
bits_of(enum gsort_type to, double value)
{
	const float narrow = (float)value;
	uint32_t narrow_bits;
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
	if (gs_key_bits(to) == 16)
		return half_bits(gs_key_fraction_bits(to), value);
	return to == GSORT_F32 ? narrow_bits : bits;
}

static struct number
number_at(const struct gs_numbers *numbers, size_t at)
{
	const uint64_t bias = numbers->integers.bias;
	uint64_t key;

	if (gs_key_is_float(numbers->type))
		return (struct number){
			.is_float = true,
			.value = float_value(numbers->type, float_bits(numbers, at)),
		};
	key = gs_integers_key(&numbers->integers, numbers->integers.bits, at);
	return (struct number){
		.negative = key < bias, .magnitude = key < bias ? bias - key : key - bias,
	};
}

double
gs_key_float(enum gsort_type type, uint64_t key)
{
	return float_value(type, gs_key_float_bits(type, key));
}

uint64_t
gs_key_of_float(enum gsort_type type, double value)
{
	const unsigned bits = type == GSORT_TEXT_FLOAT ? 64 : gs_key_bits(type);
	const uint64_t nans = GS_NANS(gs_key_fraction_bits(type));
	/* keys of -inf and inf: of all floats, NaNs of both signs are behind */
	uint64_t low = 0, high = (UINT64_MAX >> (64 - bits)) - 2 * nans;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (gs_key_float(type, middle) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t
gs_number_print(const struct gs_numbers *numbers, size_t at, char *into)
{
	const struct number number = number_at(numbers, at);

	/* the shortest decimal of a float of 16 bits has at most 5 digits, which are tried */
	for (unsigned digits = 1; number.is_float && gs_key_bits(numbers->type) == 16 && digits <= 5 &&
	     isfinite(number.value); digits++) {
		const double rounded = gs_float_round(number.value, digits);

		if (bits_of(numbers->type, rounded) == bits_of(numbers->type, number.value))
			return gs_float_print(rounded, false, into);
	}
	if (number.is_float)
		return gs_float_print(number.value, numbers->type == GSORT_F32, into);
	if (numbers->notation != GSORT_DECIMAL)
		return gs_notation_print(numbers->notation, number.negative, number.magnitude, into);
	*into = '-';
	return (size_t)(gs_digits_write(into + number.negative, number.magnitude) - into);
}

/* ---- does it fit? ----------------------------------------------------------- */

/* Does an integer fit in an integer type? */
static bool
fits_integer(enum gsort_type to, bool negative, uint64_t magnitude)
{
	const unsigned bits = gs_key_bits(to);

	if (negative)
		return is_signed(to) && magnitude <= UINT64_C(1) << (bits - 1);
	return magnitude <= UINT64_MAX >> (64 - bits + is_signed(to));
}

/* Does an integer fit exactly in a float with DIGITS bits of mantissa? */
static bool
fits_float(uint64_t magnitude, int digits)
{
	return magnitude == 0 || 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) <= digits;
}

/* Make a float an integer; false: it is not whole, or is 2^64 or more. */
static bool
make_whole(struct number *number)
{
	const double size = fabs(number->value);

	if (!(size < 0x1p64) || (double)(uint64_t)size != size)
		return false;
	number->magnitude = (uint64_t)size;
	number->negative = number->value < 0;
	return true;
}

/* The number at AT as the bits of a TO; false: it does not fit. */
static bool
convert(const struct gs_numbers *numbers, size_t at, enum gsort_type to, uint64_t *bits)
{
	struct number number;

	if (gs_key_is_float(numbers->type) && numbers->type == to) {
		*bits = float_bits(numbers, at);	/* keeps the payload of a NaN */
		return true;
	}
	number = number_at(numbers, at);
	if (gs_key_is_float(to)) {
		if (!number.is_float) {
			number.value = (double)number.magnitude;
			number.value = number.negative ? -number.value : number.value;
			*bits = bits_of(to, number.value);
			return fits_float(number.magnitude, (int)gs_key_fraction_bits(to) + 1) &&
			       isfinite(float_value(to, *bits));
		}
		*bits = bits_of(to, number.value);
		return !isfinite(number.value) || isfinite(float_value(to, *bits));
	}
	if (number.is_float && !make_whole(&number))
		return false;
	*bits = number.negative ? -number.magnitude : number.magnitude;
	return fits_integer(to, number.negative, number.magnitude);
}

/* ---- what would fit ---------------------------------------------------------- */

/* The type nearest to TO that holds NUMBER. */
static enum gsort_type
better(enum gsort_type to, struct number number)
{
	static const enum gsort_type integers[] = {	/* narrow ones first */
		GSORT_U8, GSORT_I8, GSORT_U16, GSORT_I16,
		GSORT_U32, GSORT_I32, GSORT_U64, GSORT_I64,
	};

	if (number.is_float && (gs_key_is_float(to) || !make_whole(&number)))
		return GSORT_F64;
	if (gs_key_is_float(to))
		return fits_float(number.magnitude, DBL_MANT_DIG) ? GSORT_F64 :
		       number.negative ? GSORT_I64 : GSORT_U64;
	for (unsigned other = 0; other < 2; other++)	/* first those signed as TO is */
		for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
			if ((is_signed(integers[i]) != is_signed(to)) == other &&
			    gs_key_bits(integers[i]) >= gs_key_bits(to) &&
			    fits_integer(integers[i], number.negative, number.magnitude))
				return integers[i];
	return GSORT_F64;		/* a whole float below -2^63 */
}

static gs_status
refuse(const struct gs_numbers *numbers, size_t at, enum gsort_type to)
{
	const bool single = gs_key_fraction_bits(to) > 0 && gs_key_bits(to) == 16 &&
	                    convert(numbers, at, GSORT_F32, &(uint64_t){ 0 });
	char shown[GS_NOTATION_BYTES + 8];

	shown[gs_number_print(numbers, at, shown)] = '\0';
	return gs_fail(GS_EINPUT, "%s does not fit in %s; --to=%s holds it", shown, gs_key_name(to),
	               gs_key_name(single ? GSORT_F32 : better(to, number_at(numbers, at))));
}

/* ---- all numbers -------------------------------------------------------------- */

/* The low BITS of VALUE, in the other byte order if SWAP. */
static inline __attribute__((always_inline)) void
store(char *into, unsigned bits, bool swap, uint64_t value)
{
	const uint8_t v8 = (uint8_t)value;
	const uint16_t v16 = swap ? GS_SWAP16((uint16_t)value) : (uint16_t)value;
	const uint32_t v32 = swap ? GS_SWAP32((uint32_t)value) : (uint32_t)value;
	const uint64_t v64 = swap ? GS_SWAP64(value) : value;

	switch (bits) {
	case 8:  memcpy(into, &v8, sizeof v8); break;
	case 16: memcpy(into, &v16, sizeof v16); break;
	case 32: memcpy(into, &v32, sizeof v32); break;
	default: memcpy(into, &v64, sizeof v64); break;
	}
}

/* Keys that several threads convert. */
struct copy {
	const struct gs_numbers *numbers;
	enum gsort_type to;
	bool            swap;
	bool            fits;	/* integers of 32 bits or 64, all of which fit */
	const uint64_t *counts;
	size_t          count;
	char           *into;
	atomic_size_t   bad;	/* the first that does not fit */
};

/* Convert integers that fit, and store their counts if there are any.  Inlined with constant
 * widths, so each pair has its own loop. */
static inline __attribute__((always_inline)) void
copy_integers(const struct copy *copy, unsigned from_bits, unsigned to_bits, size_t begin, size_t end)
{
	const struct gs_integers from = copy->numbers->integers;
	const bool swap = copy->swap;
	const uint64_t *counts = copy->counts;
	const size_t stride = to_bits / 8 + sizeof *counts;
	char *into = copy->into;

	for (size_t k = begin; counts != NULL && k < end; k++) {
		store(into + k * stride, to_bits, swap, gs_integers_key(&from, from_bits, k) - from.bias);
		store(into + k * stride + to_bits / 8, 64, swap, counts[k]);
	}
	if (counts != NULL)
		return;
	#pragma omp simd
	for (size_t k = begin; k < end; k++)
		store(into + k * (to_bits / 8), to_bits, swap,
		      gs_integers_key(&from, from_bits, k) - from.bias);
}

/* Convert a share of the keys; those that may not fit are checked one by one. */
static void
convert_share(void *context, unsigned worker, unsigned size)
{
	struct copy *copy = context;
	const size_t begin = gs_team_begin(copy->count, worker, size);
	const size_t end = gs_team_begin(copy->count, worker + 1, size);
	const unsigned bits = gs_key_bits(copy->to);
	const size_t stride = bits / 8 + (copy->counts != NULL ? sizeof *copy->counts : 0);

#define PAIR(from, to) \
	case 2 * (from) + (to): copy_integers(copy, from, to, begin, end); return;
	switch (copy->fits ? 2 * copy->numbers->integers.bits + bits : 0) {
	PAIR(32, 8) PAIR(32, 16) PAIR(32, 32) PAIR(32, 64)
	PAIR(64, 8) PAIR(64, 16) PAIR(64, 32) PAIR(64, 64)
	}
#undef PAIR
	for (size_t k = begin; k < end; k++) {
		uint64_t value = 0;

		if (!convert(copy->numbers, k, copy->to, &value))
			gs_team_least(&copy->bad, k);
		store(copy->into + k * stride, bits, copy->swap, value);
		if (copy->counts != NULL)
			store(copy->into + k * stride + bits / 8, 64, copy->swap, copy->counts[k]);
	}
}

gs_status
gs_numbers_convert(const struct gs_numbers *numbers, enum gsort_type to, enum gsort_endian endian,
                   const uint64_t *counts, size_t count, char *into)
{
	struct copy copy = {
		.numbers = numbers, .to = to, .swap = gs_endian_swaps(endian), .counts = counts,
		.count = count, .into = into, .bad = count,
	};
	const unsigned threads = count >= TEAM_KEYS ? numbers->integers.threads : 1;
	uint64_t value;

	assert(gs_key_bits(to) > 0);
	if (count == 0)
		return GS_OK;
	if (!gs_key_is_float(numbers->type) && !gs_key_is_float(to)) {
		if (!convert(numbers, count - 1, to, &value))	/* the farthest first */
			return refuse(numbers, count - 1, to);
		if (!convert(numbers, 0, to, &value))
			return refuse(numbers, 0, to);
		copy.fits = numbers->integers.bits >= 32;
	}
	gs_team_run(threads, convert_share, &copy);
	return copy.bad == count ? GS_OK : refuse(numbers, copy.bad, to);
}

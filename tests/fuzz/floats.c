// SPDX-License-Identifier: BSD-2-Clause
/*
 * floats.c - floats as text, beside strtod(3) and printf(3)
 *
 * The first eight bytes are a float.  It is printed, and must be the same when it is read back; no
 * shorter text may have this value, and none of the same length may be nearer.  The rest is a text,
 * which must be read as strtod(3) reads it.
 */
#include <math.h>

#include "fuzz.h"
#include "reference_model.h"
#include "text/floats.h"

static bool
same(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b) && signbit(a) == signbit(b);
	return a == b && signbit(a) == signbit(b);
}

static double
read_back(const char *text, bool narrow)
{
	return narrow ? (double)strtof(text, NULL) : strtod(text, NULL);
}

/* Digits from the first that is not 0 to the last. */
static int
digits_of(const char *text)
{
	int digits = 0, zeros = 0;

	for (; *text != '\0' && *text != 'e'; text++)
		if (*text >= '0' && *text <= '9' && (digits > 0 || *text != '0')) {
			digits++;
			zeros = *text == '0' ? zeros + 1 : 0;
		}
	return digits - zeros;
}

/* VALUE is finite and not 0. */
static void
check_shortest(double value, bool narrow, const char *printed)
{
	const int digits = digits_of(printed);
	char other[64];

	FUZZ_MUST(digits >= 1 && digits <= 17);
	snprintf(other, sizeof other, "%.*e", digits - 1, value);
	if (same(read_back(other, narrow), value)) {	/* the nearest of this length */
		long double far = fabsl(strtold(printed, NULL) - value);
		long double near = fabsl(strtold(other, NULL) - value);

		FUZZ_MUST(far <= near);
	}
	if (digits == 1)
		return;
	snprintf(other, sizeof other, "%.*e", digits - 2, value);
	FUZZ_MUST(!same(read_back(other, narrow), value));
}

static void
check_print(double value, bool narrow)
{
	char printed[GS_FLOAT_BYTES + 8];
	const size_t bytes = gs_float_print(value, narrow, printed);
	double again;

	FUZZ_MUST(bytes > 0 && bytes <= GS_FLOAT_BYTES);
	printed[bytes] = '\0';
	FUZZ_MUST(same(read_back(printed, narrow), value));
	FUZZ_MUST(gs_float_read(printed, printed + bytes, &again) == GS_FLOAT_GOOD);
	if (!narrow)
		FUZZ_MUST(same(again, value));
	if (isfinite(value) && value != 0)
		check_shortest(value, narrow, printed);
}

/* TEXT has a NUL behind it. */
static void
check_read(const char *text, size_t bytes)
{
	const bool blank = strchr(" \t\n\v\f\r", *text) != NULL;
	double value = 0, right;
	char *behind;
	const enum gs_float found = gs_float_read(text, text + bytes, &value);

	right = strtod(text, &behind);
	if (blank || behind != text + bytes) {
		FUZZ_MUST(found == GS_FLOAT_NONE);
		return;
	}
	FUZZ_MUST(found != GS_FLOAT_NONE && same(value, right));
	FUZZ_MUST((found == GS_FLOAT_INEXACT) == fuzz_is_rounded(text, right));
	if (found == GS_FLOAT_INEXACT)
		return;
	FUZZ_MUST((found == GS_FLOAT_OVERFLOW) == (isinf(right) && strpbrk(text, "nN") == NULL));
}

void
fuzz_floats(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const uint64_t bits = fuzz_take(&from, 8);
	const uint32_t narrow_bits = (uint32_t)bits;
	char *text;
	double value;
	float narrow;

	memcpy(&value, &bits, sizeof value);
	memcpy(&narrow, &narrow_bits, sizeof narrow);
	check_print(value, false);
	check_print((double)narrow, true);
	if (from.bytes == 0 || from.bytes > 4095)
		return;
	text = malloc(from.bytes + 1);
	memcpy(text, from.data, from.bytes);
	text[from.bytes] = '\0';
	check_read(text, from.bytes);
	free(text);
}

// SPDX-License-Identifier: BSD-2-Clause
/* float_sum.c - exact sums of floats, in range or beyond it */
#include <math.h>
#include <string.h>

#include "tests/unit/units.h"
#include "text/float_sum.h"

#define INF	((double)INFINITY)

static const struct {
	const char *says;
	double numbers[4], sum;
	int shift;
} rows[] = {
	{ "nothing", { 0 }, 0, 0 },
	{ "a few", { 1, 2.5, -0.25 }, 3.25, 0 },
	{ "what cancels leaves the rest", { 1e300, 1, -1e300 }, 1, 0 },
	{ "the least", { 0x1p-1074, 0x1p-1074 }, 0x1p-1073, 0 },
	{ "half a unit is rounded to even", { 1, 0x1p-53 }, 1, 0 },
	{ "more than half is rounded up", { 1, 0x1p-53, 0x1p-1074 }, 1 + 0x1p-52, 0 },
	{ "too large", { 0x1p1023, 0x1p1023 }, INF, 0 },
	{ "too large, negative", { -0x1p1023, -0x1p1023 }, -INF, 0 },
	{ "shifted it is not too large", { 0x1p1023, 0x1p1023, 0x1p1023, 0x1p1022 }, 0x1.cp960, 64 },
	{ "nor is a negative one", { -0x1p1023, -0x1p1023, -0x1p1023, -0x1p1022 }, -0x1.cp960, 64 },
	{ "a shift divides", { 3, 1 }, 1, 2 },
	{ "an infinity", { INF, 1, -1e308 }, INF, 0 },
	{ "a shift leaves it", { -INF, 1 }, -INF, 64 },
	{ "both infinities", { INF, -INF }, (double)NAN, 64 },
	{ "no number", { (double)NAN, INF }, (double)NAN, 0 },
};

void unit_float_sum(void);

void
unit_float_sum(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		struct gs_float_sum sum = { .nans = 0 };

		for (size_t n = 0; n < 4; n++) {
			uint64_t bits;

			memcpy(&bits, &rows[r].numbers[n], sizeof bits);
			gs_float_sum_add(&sum, GSORT_F64, (unsigned)(bits >> 52), 1, bits << 12 >> 12);
		}
		for (int times = 0; times < 2; times++) {	/* the sum stays as it is */
			const double value = gs_float_sum_value(&sum, rows[r].shift);

			CHECK(value == rows[r].sum || (isnan(value) && isnan(rows[r].sum)), "%s: %a",
			      rows[r].says, value);
		}
	}
}

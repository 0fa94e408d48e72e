// SPDX-License-Identifier: BSD-2-Clause
/*
 * slow.c - check every float of 32 bits, which takes too long for make check
 *
 * `make check-slow` runs it.  It goes through all 2^32 ordered bits of f32 upwards and checks their
 * floats.  It also prints the floats without a sign, and reads them back.  Exit 1 if a check fails.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "text/floats.h"

static float
float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Is the float of ordered bits U + 1 the successor of the float of U: -infinity to NaN, then -NaN? */
static bool
follows(uint32_t u)
{
	const uint32_t bits = gs_unorder_f32(u), next_bits = gs_unorder_f32(u + 1);
	const float x = float_of(bits), next = float_of(next_bits);

	if (isnan(x) && isnan(next))	/* payloads: up from the infinity, then down to it */
		return next_bits == (bits == INT32_MAX ? UINT32_MAX : signbit(x) ? bits - 1 : bits + 1);
	if (isnan(x))
		return false;
	if (isnan(next))
		return !signbit(next) && isinf(x) && x > 0;
	if (x == 0 && next == 0)
		return signbit(x) && !signbit(next);
	return x < next && nextafterf(x, INFINITY) == next;
}

/* Is X, as text, read as X?  By strtof(3): from an f64 it would be rounded twice. */
static bool
reads_back(float x)
{
	char text[GS_FLOAT_BYTES + 8];
	float back;

	text[gs_float_print((double)x, true, text)] = '\0';
	back = strtof(text, NULL);
	return isnan(x) ? isnan(back) : back == x;
}

int
main(void)
{
	uint64_t wrong = 0, not_back = 0, not_read = 0;

	for (uint64_t u = 0; u <= UINT32_MAX; u++) {
		not_back += gs_order_f32(gs_unorder_f32((uint32_t)u)) != u;
		if (u < UINT32_MAX)
			wrong += !follows((uint32_t)u);
		if (u <= INT32_MAX)
			not_read += !reads_back(float_of((uint32_t)u));
	}
	printf("f32: %llu of 2^32 - 1 neighbours are not in order\n", (unsigned long long)wrong);
	printf("f32: %llu of 2^32 bit patterns do not come back\n", (unsigned long long)not_back);
	printf("f32: %llu of 2^31 texts are read as another float\n", (unsigned long long)not_read);
	return wrong + not_back + not_read > 0;
}

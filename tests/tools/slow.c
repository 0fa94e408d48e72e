// SPDX-License-Identifier: BSD-2-Clause
/*
 * slow.c - what takes too long for make check: every float there is
 *
 * `make check-slow` runs it.  Goes through all 2^32 ordered bits of f32 upwards and
 * looks at the floats they stand for.  Exit 1 if a sentence does not hold.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "format/key.h"

static float
float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Is the float of ordered bits U + 1 the next in totalOrder after that of U? */
static bool
follows(uint32_t u)
{
	const uint32_t bits = gs_unorder_f32(u), next_bits = gs_unorder_f32(u + 1);
	const float x = float_of(bits), next = float_of(next_bits);

	if (isnan(x) && isnan(next))	/* payloads: down to the infinity, or up from it */
		return next_bits == (signbit(x) ? bits - 1 : bits + 1);
	if (isnan(x))
		return signbit(x) && isinf(next) && next < 0;
	if (isnan(next))
		return !signbit(next) && isinf(x) && x > 0;
	if (x == 0 && next == 0)
		return signbit(x) && !signbit(next);
	return x < next && nextafterf(x, INFINITY) == next;
}

int
main(void)
{
	uint64_t wrong = 0, not_back = 0;

	for (uint64_t u = 0; u <= UINT32_MAX; u++) {
		not_back += gs_order_f32(gs_unorder_f32((uint32_t)u)) != u;
		if (u < UINT32_MAX)
			wrong += !follows((uint32_t)u);
	}
	printf("f32: %llu of 2^32 - 1 neighbours are not in totalOrder\n", (unsigned long long)wrong);
	printf("f32: %llu of 2^32 bit patterns do not come back\n", (unsigned long long)not_back);
	return wrong + not_back > 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * bitonic.c - the networks of src/sort/cpu/bitonic.inc sort all zeros and ones, so they sort all
 * keys (the 0-1 principle: Knuth, TAOCP 3, 5.3.4, theorem Z)
 *
 * A key is 16 inputs, a minimum AND, a maximum OR.  Columns have all inputs, merges all halves
 * that are sorted; whole leaves of up to 2^12 keys have runs of ones and random ones.
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "sort/cpu/simd_kernels.h"
#include "tests/unit/units.h"

#pragma GCC diagnostic ignored "-Wunused-function"

/* Eight of them are 16 bytes: longer vectors are passed in other ways where there is no AVX. */
typedef uint16_t KEY;

enum { INPUTS = 16, LEAF = 4096, LEAF_BYTES = sizeof(KEY) * LEAF };

/* Ones in all inputs from FROM on. */
static KEY
ones_from(size_t from)
{
	return (KEY)(from >= INPUTS ? 0 : ~0u << from);
}

/* Bit ROW of the inputs FIRST, FIRST + 1, ... */
static KEY
inputs_of(uint32_t first, unsigned row)
{
	KEY key = 0;

	for (uint32_t i = 0; i < INPUTS; i++)
		key = (KEY)(key | ((first + i) >> row & 1) << i);
	return key;
}

/* Key I of KEYS, whose halves are sorted: A ones in the first, and in the second B, B + 1, ... */
static KEY
of_halves(size_t i, size_t keys, size_t a, size_t b)
{
	const size_t half = keys / 2;

	return i < half ? ones_from(i >= half - a ? 0 : INPUTS) : ones_from(keys - i > b ? keys - i - b : 0);
}

static bool
in_order(const KEY *keys, size_t count)
{
	KEY fall = 0;

	for (size_t i = 0; i + 1 < count; i++)
		fall = (KEY)(fall | (keys[i] & ~keys[i + 1]));
	return fall == 0;
}

#define WIDTH 8
#include "tests/unit/sort/cpu/bitonic_bits.inc"

void unit_bitonic(void);

void
unit_bitonic(void)
{
	check_8();
}

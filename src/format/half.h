// SPDX-License-Identifier: BSD-2-Clause
/*
 * half.h - floats of 16 bits: f16 (IEEE 754 binary16) and bf16 (bfloat16)
 *
 * A sign, then an exponent, then FRACTION_BITS: 10 of f16, 7 of bf16 (gs_key_fraction_bits()).
 */
#ifndef GS_HALF_H
#define GS_HALF_H

#include <stddef.h>
#include <stdint.h>

/** The value; exact. */
double gs_half_value(unsigned fraction_bits, uint16_t bits);

/** The nearest float of 16 bits, of two the even one; infinite if VALUE is too large.  A NaN keeps
 *  its sign and the high bits of its payload, and becomes quiet. */
uint16_t gs_half_bits(unsigned fraction_bits, double value);

/** Print VALUE, a float of 16 bits, with the fewest digits that are read as the same one, in the
 *  form of gs_float_print() (floats.h). */
size_t gs_half_print(unsigned fraction_bits, double value, char *into);

#endif

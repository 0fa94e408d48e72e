// SPDX-License-Identifier: BSD-2-Clause
/*
 * wide.c - keys of 128 bits as text
 *
 * In:   the bytes of a key.
 * Out:  digits; decimal ones as numbers below 10^19, the largest that digits.h prints in full.
 */
#include <string.h>

#include "key/key.h"
#include "text/digits.h"
#include "text/notation.h"

enum { PART_DIGITS = 19 };

size_t
gs_wide_print_number(enum gsort_notation notation, bool negative, unsigned __int128 number, char *into)
{
	const uint64_t unit = gs_digits_power[PART_DIGITS];
	uint64_t parts[3];		/* the last one first */
	size_t count = 0, bytes = 0;
	unsigned digits;

	if (negative) {
		into[bytes++] = '-';
		number = -number;
	}
	if (notation == GSORT_HEXADECIMAL) {
		for (digits = 1; digits < 32 && number >> 4 * digits > 0; digits++)
			;
		for (unsigned d = digits; d-- > 0; number >>= 4)
			into[bytes + d] = "0123456789abcdef"[(unsigned)number & 15];
		return bytes + digits;
	}
	do
		parts[count++] = (uint64_t)(number % unit);
	while ((number /= unit) > 0);
	bytes = (size_t)(gs_digits_write(into + bytes, parts[count - 1]) - into);
	while (--count > 0) {		/* with zeros in front */
		digits = gs_digits_count(parts[count - 1]);
		memset(into + bytes, '0', PART_DIGITS);
		bytes += PART_DIGITS;
		gs_digits_print(into + bytes - digits, parts[count - 1], digits);
	}
	return bytes;
}

size_t
gs_wide_print(enum gsort_type type, enum gsort_endian endian, enum gsort_notation notation,
              const char *key, char *into)
{
	const bool swaps = gs_endian_swaps(endian), big = swaps == gs_endian_swaps(GSORT_ENDIAN_BIG);
	uint64_t upper, lower;

	memcpy(&upper, key + (big ? 0 : 8), sizeof upper);
	memcpy(&lower, key + (big ? 8 : 0), sizeof lower);
	upper = swaps ? GS_SWAP64(upper) : upper;
	lower = swaps ? GS_SWAP64(lower) : lower;
	return gs_wide_print_number(notation, type == GSORT_I128 && upper >> 63 != 0,
	                            (unsigned __int128)upper << 64 | lower, into);
}

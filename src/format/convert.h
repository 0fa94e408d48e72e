// SPDX-License-Identifier: BSD-2-Clause
/* convert.h - sorted keys of any type as numbers of another type */
#ifndef GS_CONVERT_H
#define GS_CONVERT_H

#include "base/status.h"
#include "format/integers.h"
#include "gsort.h"

/* Sorted keys, and their type. */
struct gs_numbers {
	enum gsort_type    type;
	enum gsort_notation notation;	/* of integers that are printed */
	struct gs_integers integers;	/* of floats: keys, bits, flip, threads */
};

/** The value of the float whose ordered bits are KEY. */
double gs_key_float(enum gsort_type type, uint64_t key);

/** The least key of a float type whose value is at least VALUE, which is no NaN.  That of 0 is -0. */
uint64_t gs_key_of_float(enum gsort_type type, double value);

/** Print the number at AT without a terminator; returns how many bytes. */
size_t gs_number_print(const struct gs_numbers *numbers, size_t at, char *into);

/**
 * Make COUNT binary keys of type TO, in the byte order ENDIAN, with all threads of NUMBERS.
 *
 * @counts  each key is followed by its count, a u64 in the same byte order; NULL: by nothing
 * @return  GS_OK; GS_EINPUT: a number does not fit, as in gs_encode() (encode.h)
 */
MUST_CHECK gs_status
gs_numbers_convert(const struct gs_numbers *numbers, enum gsort_type to, enum gsort_endian endian,
                   const uint64_t *counts, size_t count, char *into);

#endif

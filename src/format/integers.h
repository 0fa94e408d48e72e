// SPDX-License-Identifier: BSD-2-Clause
/*
 * integers.h - sorted keys that are integers, whatever type they came from
 *
 * A key's value is (key ^ flip) - bias; below the bias it is negative.  So are all classes
 * of text (text.h) and all binary integers: a signed type's bias is its sign bit.
 */
#ifndef GS_INTEGERS_H
#define GS_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

struct gs_integers {
	const void *keys;	/* in order */
	unsigned    bits;	/* of a key: 8, 16, 32 or 64 */
	uint64_t    bias;
	uint64_t    flip;	/* all ones: keys are complemented */
	char        terminator;
	unsigned    threads;	/* that print or convert them; 0: the caller's */
};

/** Print COUNT of them, a line each, with all its threads; INTO has room for
 *  GS_TEXT_LINE_BYTES a key.  Returns how many bytes. */
size_t gs_integers_print(const struct gs_integers *source, size_t count, char *into);

/** The same with SIMD, gs_simd_best() or less: for tests and measurements. */
size_t gs_integers_print_with(enum gs_simd simd, const struct gs_integers *source, size_t count,
                              char *into);

#endif

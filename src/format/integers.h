// SPDX-License-Identifier: BSD-2-Clause
/*
 * integers.h - sorted keys that are integers, whatever type they came from, and their lines
 *
 * The value of a key is (key ^ flip) - bias; below the bias it is negative.  This covers all
 * classes of text integers (text.h) and all binary integers: the bias of a signed type is its sign
 * bit.
 */
#ifndef GS_INTEGERS_H
#define GS_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

struct gs_integers {
	const void *keys;	/* in order */
	unsigned    bits;	/* of a key: 8, 16, 32 or 64 */
	uint64_t    bias;
	uint64_t    flip;	/* all ones: keys are complemented */
	char        terminator;
	unsigned    threads;	/* that print or convert them; 0: the caller's */
};

/** The key at AT, not complemented.  With a constant BITS, which is that of SOURCE, inlined. */
static inline __attribute__((always_inline)) uint64_t
gs_integers_key(const struct gs_integers *source, unsigned bits, size_t at)
{
	switch (bits) {
	case 8:  return ((const uint8_t *)source->keys)[at] ^ (uint8_t)source->flip;
	case 16: return ((const uint16_t *)source->keys)[at] ^ (uint16_t)source->flip;
	case 32: return ((const uint32_t *)source->keys)[at] ^ (uint32_t)source->flip;
	default: return ((const uint64_t *)source->keys)[at] ^ source->flip;
	}
}

/* ---- to lines of digits (encode_text.c) ------------------------------------------- */

/** Print COUNT integers, a line each, with all their threads; INTO has room for
 *  GS_TEXT_LINE_BYTES (text.h) a key.  Returns how many bytes. */
size_t gs_integers_print(const struct gs_integers *source, size_t count, char *into);

#endif

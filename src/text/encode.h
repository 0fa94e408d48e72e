// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode.h - encode sorted keys of any type as bytes of any type, with or without counts
 *
 * The caller supplies the memory for the bytes.
 */
#ifndef GS_ENCODE_H
#define GS_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "sort/span.h"

struct gs_encoding {
	enum gsort_type   from, to;	/* to GSORT_TEXT, floats are printed as floats */
	enum gsort_notation notation;	/* of integers as text */
	bool              reverse;
	enum gsort_endian endian;
	char              terminator;
	bool              counts;	/* text: "%7llu VALUE"; binary: the value, then a u64 */
	unsigned          threads;	/* that encode; 0: the calling one */
};

enum { GS_COUNT_BYTES = 20 + 1 };	/* the most digits of a count, and a blank */

/** Print a count and a blank, as uniq -c does: "%7llu "; returns their end.  Up to 7 bytes behind it
 *  are overwritten. */
char *gs_count_print(uint64_t count, char *into);

/** The most bytes that a key can become. */
size_t gs_encoding_bytes(const struct gs_encoding *encoding);

/** Do keys become bytes where they lie? */
bool gs_encoding_in_place(const struct gs_encoding *encoding);

/**
 * Encode a span of sorted keys, with all threads of ENCODING.
 *
 * @span    of enum gs_text_class if FROM is text; its times are needed if ENCODING counts
 * @into    room for gs_encoding_bytes() a key; may overlap the keys if gs_encoding_in_place()
 * @bytes   set to how many
 * @return  GS_OK; GS_EINPUT: "VALUE does not fit in TO", with a type that holds it.  An integer
 *          must fit exactly.  A float is rounded to a narrower float, but must not become
 *          infinite; it must be whole to become an integer.
 */
MUST_CHECK gs_status
gs_encode(const struct gs_encoding *encoding, const struct gs_span *span, void *into, size_t *bytes);

/** The bytes of the lines that COUNT keys become, in any order; without counts.  TO is text. */
uint64_t gs_encode_measure(const struct gs_encoding *encoding, unsigned key_class,
                           unsigned key_bits, const void *keys, size_t count);

/* ---- keys that are integers, whatever type they came from ------------------------- */

/*
 * The value of a key is (key ^ flip) - bias; below the bias it is negative.  This covers all
 * classes of text integers (text.h) and all binary integers: the bias of a signed type is its sign
 * bit.
 */

struct gs_integers {
	const void *keys;	/* in order */
	unsigned    bits;	/* of a key: 8, 16, 32 or 64 */
	uint64_t    bias;
	uint64_t    flip;	/* all ones: keys are complemented */
	char        terminator;
	unsigned    threads;	/* that print or convert them; 0: the caller's */
};

/** The key at AT, not complemented.  Inlined where BITS, which SOURCE has, is a constant. */
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

/* ---- keys as numbers, and as binary keys of another type (convert.c) -------------- */

/* Sorted keys, and their type. */
struct gs_numbers {
	enum gsort_type    type;
	enum gsort_notation notation;	/* of integers that are printed */
	struct gs_integers integers;	/* of floats: keys, bits, flip, threads */
};

/** The value of the float whose ordered bits are KEY. */
double gs_key_float(enum gsort_type type, uint64_t key);

/** The least key of a float type whose value is at least VALUE, which is not NaN: of 0 the key of -0. */
uint64_t gs_key_of_float(enum gsort_type type, double value);

/** Print the number at AT without a terminator; returns how many bytes. */
size_t gs_number_print(const struct gs_numbers *numbers, size_t at, char *into);

/**
 * Make COUNT binary keys of type TO, in the byte order ENDIAN, with all threads of NUMBERS.
 *
 * @counts  each key is followed by its count, a u64 in the same byte order; NULL: by nothing
 * @return  GS_OK; GS_EINPUT: a number does not fit, as in gs_encode()
 */
MUST_CHECK gs_status
gs_numbers_convert(const struct gs_numbers *numbers, enum gsort_type to, enum gsort_endian endian,
                   const uint64_t *counts, size_t count, char *into);

#endif

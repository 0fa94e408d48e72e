// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode.h - ordered bits to bytes
 *
 * Encoders own no memory: they work in place, or in what they are given.
 */
#ifndef GS_ENCODE_H
#define GS_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/text.h"
#include "gsort.h"

/** Turn COUNT keys back into the bits of TYPE, in place, by THREADS. */
void gs_ordered_to_raw(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                       size_t count, unsigned threads);

/* --- from any type to any, with counts ---------------------------------- */

struct gs_encoding {
	enum gsort_type   from, to;	/* to: GSORT_TEXT prints floats as floats */
	bool              reverse;
	enum gsort_endian endian;
	char              terminator;
	bool              counts;	/* text: "%7llu VALUE"; binary: the value, then a u64 */
	unsigned          threads;	/* that encode; 0: the caller's */
};

/** Most bytes that one key can become. */
size_t gs_encoding_bytes(const struct gs_encoding *encoding);

/** Do keys become bytes of the same width where they lie (gs_ordered_to_raw())? */
bool gs_encoding_in_place(const struct gs_encoding *encoding);

/**
 * Encode a span of sorted keys, with all its threads.
 *
 * @key class    of the keys, as gs_text_class if FROM is text
 * @counts    how often each came; NULL unless ENCODING counts
 * @into      room for COUNT * gs_encoding_bytes()
 * @bytes     set to how many
 * @return    GS_OK; GS_EINPUT: "VALUE does not fit in TO", with what would: an integer
 *            must be kept exactly; a float is rounded to a narrower float, but must not
 *            become infinite, and must be whole to become an integer
 */
MUST_CHECK gs_status
gs_encode(const struct gs_encoding *encoding, unsigned key_class, unsigned key_bits,
          const void *keys, const uint64_t *counts, size_t count, char *into, size_t *bytes);

#endif

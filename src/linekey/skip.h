// SPDX-License-Identifier: BSD-2-Clause
/*
 * skip.h - find a separator, 16 bytes at a time
 *
 * memchr(3) costs more than the few bytes that it looks at: fields are short.
 */
#ifndef GS_SKIP_H
#define GS_SKIP_H

#include <stdbool.h>
#include <stddef.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

#include "linekey/key_text.h"

#if defined __SSE2__
/** A bit for each of the 16 bytes at AT that is BYTE. */
static inline unsigned
gs_find_byte(const char *at, char byte)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)));
}
#endif

/** How many bytes from AT to END are BYTE. */
static inline size_t
gs_count_byte(const char *at, const char *end, char byte)
{
	size_t count = 0;

#if defined __SSE2__
	const __m128i bytes = _mm_set1_epi8(byte), zero = _mm_setzero_si128();
	__m128i sums = zero;
	uint64_t counts[2];

	for (; end - at >= 64; at += 64) {
		const __m128i *const from = (const __m128i *)(const void *)at;
		const __m128i one = _mm_add_epi8(_mm_cmpeq_epi8(bytes, _mm_loadu_si128(from)),
		                                 _mm_cmpeq_epi8(bytes, _mm_loadu_si128(from + 1)));
		const __m128i other = _mm_add_epi8(_mm_cmpeq_epi8(bytes, _mm_loadu_si128(from + 2)),
		                                   _mm_cmpeq_epi8(bytes, _mm_loadu_si128(from + 3)));

		/* each is -1 where the byte is */
		sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_sub_epi8(zero, _mm_add_epi8(one, other)), zero));
	}
	_mm_storeu_si128((__m128i *)(void *)counts, sums);
	count = (size_t)(counts[0] + counts[1]);
#endif
	for (; at < end; at++)
		count += *at == byte;
	return count;
}

/** Skip COUNT separators in AT .. END: the place after the last, or END if there are fewer. */
static inline const char *
gs_skip_separators(const char *at, const char *end, char separator, size_t count)
{
	if (count == 0)
		return at;
#if defined __SSE2__
	for (; end - at >= 16; at += 16) {
		unsigned found = gs_find_byte(at, separator);

		for (; found != 0; found &= found - 1)
			if (--count == 0)
				return at + __builtin_ctz(found) + 1;
	}
#endif
	for (; at < end; at++)
		if (*at == separator && --count == 0)
			return at + 1;
	return end;
}

/** Skip COUNT fields from AT, the start of one; each begins with the blanks before it.  END if there
 *  are fewer. */
static inline const char *
gs_skip_blank_fields(const char *at, const char *end, size_t count)
{
	bool blank = true;	/* was the byte before AT a blank?  At first as if: no field ends there */

	if (count == 0)
		return at;
#if defined __SSE2__
	for (; end - at >= 16; at += 16) {
		const unsigned blanks = gs_find_byte(at, ' ') | gs_find_byte(at, '\t') |
		                        gs_find_byte(at, '\n');
		unsigned ends = blanks & ~(blanks << 1 | blank);

		for (; ends != 0; ends &= ends - 1)
			if (--count == 0)
				return at + __builtin_ctz(ends);
		blank = blanks >> 15 & 1;
	}
#endif
	for (; at < end; at++) {
		const bool before = blank;

		blank = gs_is_blank((unsigned char)*at);
		if (blank && !before && --count == 0)
			return at;
	}
	return end;
}

/** Skip leading blanks if BLANKS, then COUNT bytes; to END at most. */
static inline const char *
gs_skip_bytes(const char *at, const char *end, bool blanks, size_t count)
{
	while (blanks && at < end && gs_is_blank((unsigned char)*at))
		at++;
	return count < (size_t)(end - at) ? at + count : end;
}

#endif

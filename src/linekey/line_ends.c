// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_ends.c - where lines end
 *
 * In:   bytes from the beginning of a line on.
 * Out:  the ends of lines.
 *
 * 64 bytes are examined at a time.  With CSV, a byte is between quotes if an odd number of quotes comes
 * before it (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019, section 3.1.1), provided
 * that every opening quote is at the beginning of a field.  If one is not, the bytes are examined one by
 * one.
 */
#include <string.h>

#include "base/round.h"
#include "linekey/line_order.h"
#include "linekey/skip.h"
#include "text/text_decoder.h"

/* ---- CSV ------------------------------------------------------------------------ */

/* Go behind the byte C.  True: a line ends there. */
static inline bool
step(const struct gs_line_order *order, char c, struct gs_line_place *place)
{
	const bool ends = c == order->terminator && !place->quoted;

	if (c == '"' && (place->quoted || place->opens)) {
		place->quoted = !place->quoted;
		place->opens = true;
	} else {
		place->opens = ends || (unsigned char)c == order->fields.separator;
	}
	return ends;
}

#if defined __SSE2__
/* A bit for each of the 64 bytes at AT that is BYTE. */
static inline uint64_t
find_byte_of_64(const char *at, char byte)
{
	return gs_find_byte(at, byte) | (uint64_t)gs_find_byte(at + 16, byte) << 16 |
	       (uint64_t)gs_find_byte(at + 32, byte) << 32 | (uint64_t)gs_find_byte(at + 48, byte) << 48;
}

/* The ends of lines in the 64 bytes at AT, one byte after the other. */
static __attribute__((noinline)) uint64_t
stray_ends_of_64(const struct gs_line_order *order, const char *at, struct gs_line_place *place)
{
	uint64_t ends = 0;

	for (unsigned b = 0; b < 64; b++)
		ends |= (uint64_t)step(order, at[b], place) << b;
	return ends;
}

/* The ends of lines in the 64 bytes at AT, which have QUOTES and these TERMINATORS. */
static inline uint64_t
quoted_ends_of_64(const struct gs_line_order *order, const char *at, uint64_t quotes,
                  uint64_t terminators, struct gs_line_place *place)
{
	const uint64_t before = find_byte_of_64(at, (char)order->fields.separator) |
	                        terminators | quotes;
	uint64_t quoted = quotes;

	for (unsigned shift = 1; shift < 64; shift *= 2)
		quoted ^= quoted << shift;
	quoted ^= place->quoted ? UINT64_MAX : 0;
	if ((quotes & quoted & ~(before << 1 | place->opens)) != 0)
		return stray_ends_of_64(order, at, place);
	*place = (struct gs_line_place){ quoted >> 63, before >> 63 };
	return terminators & ~quoted;
}

static inline __attribute__((always_inline)) uint64_t
ends_of_64(const struct gs_line_order *order, const char *at, struct gs_line_place *place)
{
	const uint64_t ends = find_byte_of_64(at, order->terminator);
	const uint64_t quotes = find_byte_of_64(at, '"');

	if (quotes != 0)
		return quoted_ends_of_64(order, at, quotes, ends, place);
	place->opens = at[63] == order->terminator || (unsigned char)at[63] == order->fields.separator;
	return place->quoted ? 0 : ends;
}
#endif

/* ---- any lines ------------------------------------------------------------------ */

const char *
gs_line_end_within(const struct gs_line_order *order, const char *at, const char *limit,
                   struct gs_line_place *place, bool *whole)
{
	*whole = true;
	if (!order->fields.csv) {
		const char *end = memchr(at, order->terminator, (size_t)(limit - at));

		*whole = end != NULL;
		return end != NULL ? end + 1 : limit;
	}
#if defined __SSE2__
	for (; limit - at >= 64; at += 64) {
		const uint64_t ends = ends_of_64(order, at, place);

		if (ends != 0) {
			*place = GS_LINE_PLACE_BEGIN;
			return at + __builtin_ctzll(ends) + 1;
		}
	}
#endif
	while (at < limit)
		if (step(order, *at++, place))
			return at;
	*whole = false;
	return at;
}

const char *
gs_line_end(const struct gs_line_order *order, const char *line, const char *limit)
{
	bool whole;

	return !order->fields.csv ? gs_skip_separators(line, limit, order->terminator, 1)
	       : gs_line_end_within(order, line, limit, &GS_LINE_PLACE_BEGIN, &whole);
}

/* Note a line that ends at END. */
static inline const char *
note_line(const char *line, const char *end, const char **lines, uint32_t *bytes, size_t *count)
{
	lines[*count] = line;
	bytes[(*count)++] = (uint32_t)(end - line);
	return end;
}

/* The lines that a PARSER of numbers finds the ends of, with CSV before the first quotes; returns where the
 * last of them ends. */
static const char *
split_by_parser(const struct gs_parser *parser, const struct gs_line_order *order, const char *line,
                const char *limit, const char **lines, uint32_t *bytes, size_t room, size_t *count)
{
	enum { BLOCK_BYTES = 1024 };
	uint32_t ends[BLOCK_BYTES + 64];

	for (const char *at = line; at < limit && *count < room; at += BLOCK_BYTES) {
		const size_t left = (size_t)(limit - at), block = gs_least(left, BLOCK_BYTES);
		size_t found;

		if (order->fields.csv && memchr(at, '"', block) != NULL)
			return line;
		found = parser->find(at, block, left > GS_PARSE_BLOCK_BYTES, order->terminator, ends);
		found = gs_least(found, room - *count);
		if (found == 0)
			continue;
		line = note_line(line, at + ends[0] + 1, lines, bytes, count);
		#pragma omp simd	/* by clang, too, if the load of ends[i] comes first */
		for (size_t i = 1; i < found; i++) {
			bytes[*count + i - 1] = ends[i] - ends[i - 1];
			lines[*count + i - 1] = at + ends[i - 1] + 1;
		}
		line = at + ends[found - 1] + 1;
		*count += found - 1;
	}
	return line;
}

size_t
gs_line_split(const struct gs_line_order *order, const char **at, const char *limit,
              const char **lines, uint32_t *bytes, size_t room)
{
	const struct gs_parser *parser = gs_parser_of(gs_simd_best());
	const char *line = *at;
	size_t count = 0;

	/* Both look for the ends of many lines at once: in vain if one is wanted, and then another. */
	if (parser != NULL && room > 1)
		line = split_by_parser(parser, order, line, limit, lines, bytes, room, &count);
#if defined __SSE2__
	if (order->fields.csv && room > 1) {
		/* blocks of 64 bytes: a branch on the ends in one does not wait for the memory of the next */
		enum { BLOCKS = 16 };
		struct gs_line_place place = GS_LINE_PLACE_BEGIN;
		const char *block = line;
		uint64_t ends[BLOCKS];

		while (limit - block >= 64 && count < room) {
			size_t blocks = 0;

			for (; blocks < BLOCKS && blocks < (size_t)(limit - block) / 64; blocks++)
				ends[blocks] = ends_of_64(order, block + 64 * blocks, &place);
			for (size_t b = 0; b < blocks; b++, block += 64)
				for (uint64_t here = ends[b]; here != 0 && count < room; here &= here - 1)
					line = note_line(line, block + __builtin_ctzll(here) + 1, lines,
					                 bytes, &count);
		}
	}
#endif
	while (line < limit && count < room)
		line = note_line(line, gs_line_end(order, line, limit), lines, bytes, &count);
	*at = line;
	return count;
}

const char *
gs_line_last_end(const struct gs_line_order *order, const char *line, const char *limit)
{
	struct gs_line_place place = GS_LINE_PLACE_BEGIN;
	const char *at = line;

	if (!order->fields.csv || memchr(line, '"', (size_t)(limit - line)) == NULL) {
		while (limit > line && limit[-1] != order->terminator)
			limit--;
		return limit;
	}
#if defined __SSE2__
	for (; limit - at >= 64; at += 64) {
		const uint64_t ends = ends_of_64(order, at, &place);

		if (ends != 0)
			line = at + 64 - __builtin_clzll(ends);
	}
#endif
	while (at < limit)
		if (step(order, *at++, &place))
			line = at;
	return line;
}

const char *
gs_line_cut(const struct gs_line_order *order, const char *line, const char *limit, size_t bytes)
{
	const char *most = bytes < (size_t)(limit - line) ? line + bytes : limit;
	const char *cut = gs_line_last_end(order, line, most);

	return cut > line ? cut : gs_line_end(order, line, limit);
}

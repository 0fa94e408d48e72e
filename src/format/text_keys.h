// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_keys.h - where one thread puts the keys of text: an array for each class
 *
 * The arrays are long enough for a share of text that is full of the shortest lines of that
 * class.  No text fills all of them, and a page that is not touched takes no memory.
 */
#ifndef GS_TEXT_KEYS_H
#define GS_TEXT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text.h"

enum { GS_TEXT_SPILL_KEYS = 8 };	/* behind the last key may be overwritten */

struct gs_text_keys {
	void     *keys[GS_TEXT_CLASSES];
	size_t    count[GS_TEXT_CLASSES];
	size_t    fetched[GS_TEXT_CLASSES];	/* of these, by the caller of the decoder */
	uint64_t *small;		/* GS_SMALL_COUNT counters */
	bool      small_parts[64];	/* counters of this part are not 0 */
};

/** Width of a class's keys; 0 for GS_SMALL. */
size_t gs_text_key_bytes(enum gs_text_class class);

/** Memory for the keys of SHARE bytes of text, whole pages. */
size_t gs_text_keys_bytes(size_t share, bool floats);

/** Lay the arrays out in MEMORY; returns what is behind them. */
char *gs_text_keys_init(struct gs_text_keys *keys, char *memory, size_t share, bool floats);

/** No keys any more; counters stay. */
void gs_text_keys_clear(struct gs_text_keys *keys);

/** Keys of CLASS that have not been fetched. */
static inline size_t
gs_text_keys_left(const struct gs_text_keys *keys, enum gs_text_class class)
{
	return keys->count[class] - keys->fetched[class];
}

/* ---- adding a number --------------------------------------------------------- */

static inline void
gs_text_put_small(struct gs_text_keys *keys, uint64_t at)
{
	keys->small[at]++;
	keys->small_parts[at / GS_SMALL_PART] = true;
}

/*
 * Add a number to its class; false: it is too far below zero.  FLIP is all ones if keys are
 * complemented.  Only the width is a branch: widths repeat from line to line, signs may not.
 */
static inline bool
gs_text_put(struct gs_text_keys *keys, uint64_t flip, bool negative, uint64_t magnitude)
{
	static const uint64_t narrow_low[2]  = { 1 << 16, (1 << 15) + 1 };
	static const uint64_t narrow_last[2] = { UINT32_MAX, UINT64_C(1) << 31 };
	const uint64_t minus = negative;
	const uint64_t value = (magnitude ^ -minus) + minus;	/* two's complement */
	unsigned class;

	if (magnitude - narrow_low[minus] <= narrow_last[minus] - narrow_low[minus]) {
		class = negative ? GS_NEG_NARROW : GS_POS_NARROW;
		((uint32_t *)keys->keys[class])[keys->count[class]++] =
			(uint32_t)((value + (minus << 31)) ^ flip);
		return true;
	}
	if (magnitude < narrow_low[minus]) {
		gs_text_put_small(keys, value - (uint64_t)(int64_t)GS_SMALL_LOW);
		return true;
	}
	if (!gs_text_fits(negative, magnitude))
		return false;
	class = negative ? GS_NEG_WIDE : GS_POS_WIDE;
	((uint64_t *)keys->keys[class])[keys->count[class]++] =
		(value + (minus << 63)) ^ flip;
	return true;
}

#endif

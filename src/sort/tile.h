// SPDX-License-Identifier: BSD-2-Clause
/*
 * tile.h - the nouns that travel through the sort
 *
 * A stream is keys of one width that come before, or after, all keys of another
 * stream.  Binary input is one stream (0); text has several, see format/text.h.
 * Streams are drained in ascending order, or descending if the options say so.
 */
#ifndef GS_TILE_H
#define GS_TILE_H

#include <stddef.h>

enum { GS_STREAMS = 5 };

/* Unsorted keys on their way to a backend. */
struct gs_tile {
	void     *keys;		/* uint32_t or uint64_t ordered bits */
	size_t    count;	/* keys in it */
	size_t    room;		/* keys that fit */
	unsigned  key_bits;	/* 32 or 64 */
	unsigned  index_bits;	/* 0: records come later */
	unsigned  stream;
};

/* A borrowed piece of sorted keys.  The borrower may change them in place. */
struct gs_span {
	void     *keys;
	size_t    count;
	unsigned  key_bits;	/* 8 and 16 come from count.c alone */
	unsigned  stream;
};

#endif

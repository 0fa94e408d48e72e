// SPDX-License-Identifier: BSD-2-Clause
/*
 * store.h - keys in host memory, a growing array for each stream
 *
 * Where keys land while a device is being opened, what the CPU backend sorts,
 * and where sorted batches are set aside as runs.  The arrays are carved from
 * the arena by whoever opens the store; they are as long as they may become.
 */
#ifndef GS_STORE_H
#define GS_STORE_H

#include <stddef.h>

#include "sort/tile.h"

struct gs_store {
	struct gs_shelf {
		void     *keys;
		void     *scratch;	/* as long as keys */
		size_t    count;	/* keys there, the gone ones included */
		size_t    gone;		/* at the front: handed on, their memory given back */
		size_t    room;		/* keys that fit */
		unsigned  bits;		/* 32, 64, or 0: no such stream */
	} shelf[GS_STREAMS];
	size_t total_bytes;		/* most bytes of keys in all shelves together */
};

/** Bytes of keys held, over all shelves. */
size_t gs_store_bytes(const struct gs_store *store);

/** memcpy() by several threads, for pieces that are worth it. */
void gs_store_copy(void *to, const void *from, size_t bytes, unsigned threads);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_taker.h - who takes the items that an ingest stage has read: their store, or a rank that
 * deals them out to their owners
 *
 *     [sample]; { lend*; reserve; next_sequence; add*; end_round }*
 *
 * A piece is whole items, one after the other: at most PIECE_BYTES, or a single item.
 */
#ifndef GS_STAGES_ITEM_TAKER_H
#define GS_STAGES_ITEM_TAKER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct gs_item_taker {
	size_t piece_bytes;	/* that suit the cache */

	/** Before anything is added: items from all over the input, if that is possible.  NULL: they are
	 *  not wanted.  Returns GS_OK or GS_EBUDGET. */
	gs_status (*sample)(void *context, const char *items, size_t bytes);

	/** BYTES of the taker's memory are used by its caller for an item that is being read, in place
	 *  of what was said before; may write to disk.  GS_EIO; GS_EBUDGET: there is not so much.  NULL:
	 *  that is not limited. */
	gs_status (*lend)(void *context, size_t bytes);

	/**
	 * Between rounds: see that LEAST bytes can be added; *ROOM: how many can, in pieces of
	 * PIECE_BYTES and SMALL ones that are smaller.  May write to disk.
	 *
	 * @return  GS_OK; GS_EIO; GS_EBUDGET: an item of LEAST bytes does not fit in memory
	 */
	gs_status (*reserve)(void *context, size_t least, size_t small, size_t *room);

	/** The sequence number of the next piece, and of COUNT - 1 more; one thread at a time.  Each of
	 *  them must be added, in whatever order. */
	uint64_t (*next_sequence)(void *context, size_t count);

	/** Add a piece; may be empty.  Any thread, each with a RANK of its own, takes the pieces with the
	 *  least numbers first; DATA is borrowed until it returns. */
	void (*add)(void *context, unsigned rank, uint64_t sequence, const char *data, size_t bytes);

	/** All threads of a round have added. */
	void (*end_round)(void *context);

	void *context;
};

/** The error for an item of BYTES, which is too large: it may take one SHARE of memory.  GS_EBUDGET. */
gs_status gs_item_fail_large(size_t bytes, unsigned share);

#endif

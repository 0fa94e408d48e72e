// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.h - what holds the elements of a sort, and hands them on in order: of keys (store.h) or of
 * items (item_store.h)
 *
 *     fill by the taker; finish; [count_out]; [limit]; drain each class, in the order of the output
 *
 * is the only legal order.  All calls but those of the taker come from one thread.
 */
#ifndef GS_ENGINE_H
#define GS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "sort/items/items.h"
#include "sort/span.h"

/* ---- what takes elements that were read: an engine, or the exchange among ranks ---- */

/*
 *     [sample]; { lend*; reserve; next_sequence; add*; end_round }*
 *
 * A piece of items has whole items, one after the other: at most PIECE_BYTES, or a single item.
 */

/* Keys of one class, or items, as they came; borrowed until add() returns. */
struct gs_piece {
	void    *keys;		/* ordered bits, which may be changed; NULL: items */
	size_t   count;		/* keys, or slices */
	unsigned key_class, key_bits;
	const struct gs_item_slice *slices;	/* of items: their bytes */
	unsigned origin;	/* the rank, or for a set the input, that the items come from; or 0 */
};

struct gs_taker {
	size_t piece_bytes;	/* of items that suit the cache */

	/** Before anything is added: items from all over the input, if that is possible.  NULL: they are
	 *  not wanted.  Returns GS_OK or GS_EBUDGET. */
	gs_status (*sample)(void *context, const char *items, size_t bytes);

	/** BYTES of the taker's memory are used by its caller for an item that is being read, in place
	 *  of what was said before; may write to disk.  GS_EIO; GS_EBUDGET: there is not so much.  NULL:
	 *  that is not limited. */
	gs_status (*lend)(void *context, size_t bytes);

	/**
	 * Between rounds: see that LEAST bytes can be added; *ROOM: how many can, of items in pieces of
	 * PIECE_BYTES and SMALL ones that are smaller.  May write to disk.
	 *
	 * @return  GS_OK; GS_EIO; GS_EBUDGET: an item of LEAST bytes does not fit in memory
	 */
	gs_status (*reserve)(void *context, size_t least, size_t small, size_t *room);

	/** The sequence number of the next piece of KEY_CLASS, 0 for items, and of COUNT - 1 more; one
	 *  thread at a time.  Each number of items must be added, in whatever order.  NULL: there is no
	 *  order. */
	uint64_t (*next_sequence)(void *context, unsigned key_class, size_t count);

	/** Add a piece; may be empty.  Any thread, each with a WORKER of its own, takes the pieces with the
	 *  least numbers first.  An error comes out of the next reserve(), or at the end. */
	void (*add)(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece);

	/** All threads of a round have added.  NULL: nothing is to be done. */
	void (*end_round)(void *context);

	void *context;

	/** See a piece that will be added, while it is in the cache; any worker.  NULL: nobody looks. */
	void (*look)(void *context, unsigned worker, const struct gs_piece *piece);
	void *look_context;

	unsigned origin;	/* of what is added: the number of the input */
};

static inline uint64_t
gs_taker_next_sequence(const struct gs_taker *taker, unsigned key_class, size_t count)
{
	return taker->next_sequence == NULL ? 0 : taker->next_sequence(taker->context, key_class, count);
}

static inline void
gs_taker_end_round(const struct gs_taker *taker)
{
	if (taker->end_round != NULL)
		taker->end_round(taker->context);
}

static inline void
gs_taker_look(const struct gs_taker *taker, unsigned worker, const struct gs_piece *piece)
{
	if (taker->look != NULL)
		taker->look(taker->look_context, worker, piece);
}

/** Show a piece to whoever looks, and add it. */
static inline void
gs_taker_add(const struct gs_taker *taker, unsigned worker, uint64_t sequence,
             const struct gs_piece *piece)
{
	gs_taker_look(taker, worker, piece);
	taker->add(taker->context, worker, sequence, piece);
}

/** The same of BYTES of items. */
static inline void
gs_taker_add_items(const struct gs_taker *taker, unsigned worker, uint64_t sequence, const char *data,
                   size_t bytes)
{
	const struct gs_item_slice slice = { data, bytes };
	const struct gs_piece piece = { .slices = &slice, .count = 1, .origin = taker->origin };

	gs_taker_add(taker, worker, sequence, &piece);
}

/** The error for an item of BYTES, which is too large: it may take one SHARE of memory, which each of SHARES
 *  (0: one) has, and BESIDE bytes for other things.  GS_EBUDGET. */
gs_status gs_item_fail_large(size_t bytes, unsigned share, uint64_t beside, unsigned shares);

/* ---- what holds them, and hands them on in order ------------------------------- */

struct gs_engine {
	struct gs_taker taker;	/* how it is filled */

	/** No more elements.  GS_EIO, GS_EDEVICE, GS_EBUDGET. */
	gs_status (*finish)(void *context);

	/** Elements of KEY_CLASS that were added; of keys those that the CPU's batch or a GPU holds, 0
	 *  if they are elsewhere. */
	uint64_t (*count)(const void *context, unsigned key_class);

	/** How many items will leave.  Slow with groups: sorts everything, and drain() does so again.
	 *  NULL: all elements leave. */
	gs_status (*count_out)(void *context, uint64_t *count);

	/** With a head or tail: of items that would leave, only COUNT, which is not more than was asked
	 *  for. */
	void (*limit)(void *context, uint64_t count);

	/** Hand all elements of KEY_CLASS that are to leave to SINK, in order; once. */
	gs_status (*drain)(void *context, unsigned key_class, const struct gs_span_sink *sink);

	/** For verification: of all items that were drained, before any was selected.  NULL: a sink of
	 *  keys sees all. */
	const struct gs_item_digest *(*digest)(const void *context);

	/** Report device, batches, runs and the GPU's work. */
	void (*stats)(const void *context, struct gsort_stats *stats);

	void *context;
};

#endif

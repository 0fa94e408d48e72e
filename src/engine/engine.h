// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.h - an engine holds the elements of a sort, and hands them on in order: keys (store.h) or
 * items (item_store.h)
 *
 * The only legal order of calls is:
 *
 *     fill by the taker; finish; [count_out]; [limit]; drain each class, in the order of the output
 *
 * All calls except those of the taker come from one thread.
 */
#ifndef GS_ENGINE_H
#define GS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "sort/items/items.h"
#include "sort/span.h"

/* ---- a taker of elements that were read: an engine, or the exchange between ranks ---- */

/*
 *     [sample]; { lend*; reserve; next_sequence; add*; end_round }*
 *
 * A piece has whole items, one after the other: at most PIECE_BYTES, or a single item.
 */

/* Keys of one class, or items, in input order; borrowed until add() returns. */
struct gs_piece {
	void    *keys;		/* ordered bits, which may be changed; NULL: items */
	size_t   count;		/* keys, or slices */
	unsigned key_class, key_bits;
	const struct gs_item_slice *slices;	/* the bytes of items */
	unsigned origin;	/* of items: their rank, or their input in a set operation; otherwise 0 */
};

struct gs_taker {
	size_t piece_bytes;	/* the size of a piece of items that suits the cache */

	/** Before anything is added: ITEMS are a sample of the whole input, if one can be taken.  NULL: the
	 *  taker wants none.  Returns GS_OK or GS_EBUDGET. */
	gs_status (*sample)(void *context, const char *items, size_t bytes);

	/** The caller now uses BYTES of the taker's memory for an item that it is reading; this replaces
	 *  the number of an earlier call.  May write to disk.  GS_EIO; GS_EBUDGET: there is less.  NULL:
	 *  no limit. */
	gs_status (*lend)(void *context, size_t bytes);

	/**
	 * Between rounds: make room for at least LEAST bytes.  *ROOM is set to the bytes of items that can
	 * be added, in pieces of PIECE_BYTES and SMALL smaller pieces.  May write to disk.
	 *
	 * @return  GS_OK; GS_EIO; GS_EBUDGET: an item of LEAST bytes does not fit in memory
	 */
	gs_status (*reserve)(void *context, size_t least, size_t small, size_t *room);

	/** Return the sequence number of the next piece of KEY_CLASS (0 for items), and take COUNT - 1 more;
	 *  one thread at a time.  Every number taken for items must be added, in any order.  NULL: pieces
	 *  have no order. */
	uint64_t (*next_sequence)(void *context, unsigned key_class, size_t count);

	/** Add a piece, which may be empty.  Any thread may call it, with its own WORKER; threads take the
	 *  pieces with the lowest numbers first.  The next reserve(), or the end, reports errors. */
	void (*add)(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece);

	/** All threads of a round have added.  NULL: nothing to do. */
	void (*end_round)(void *context);

	void *context;

	/** Look at a piece that will be added, while it is in the cache; any worker.  NULL: no one looks. */
	void (*look)(void *context, unsigned worker, const struct gs_piece *piece);
	void *look_context;

	unsigned origin;	/* the number of the input whose elements are added */
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

/** Let look() see a piece, and add it. */
static inline void
gs_taker_add(const struct gs_taker *taker, unsigned worker, uint64_t sequence,
             const struct gs_piece *piece)
{
	gs_taker_look(taker, worker, piece);
	taker->add(taker->context, worker, sequence, piece);
}

/** The same for BYTES of items. */
static inline void
gs_taker_add_items(const struct gs_taker *taker, unsigned worker, uint64_t sequence, const char *data,
                   size_t bytes)
{
	const struct gs_item_slice slice = { data, bytes };
	const struct gs_piece piece = { .slices = &slice, .count = 1, .origin = taker->origin };

	gs_taker_add(taker, worker, sequence, &piece);
}

/** Fail because an item of BYTES is too large: it may take 1/SHARE of the memory of each of SHARES (0: one),
 *  beside BESIDE bytes for other things.  GS_EBUDGET. */
gs_status gs_item_fail_large(size_t bytes, unsigned share, uint64_t beside, unsigned shares);

/* ---- an engine holds elements, and hands them on in order ---------------------- */

struct gs_engine {
	struct gs_taker taker;	/* how it is filled */

	/** All elements have been added.  GS_EIO, GS_EDEVICE, GS_EBUDGET. */
	gs_status (*finish)(void *context);

	/** The number of elements of KEY_CLASS that were added; only keys in the CPU's batch or on a GPU
	 *  are counted. */
	uint64_t (*count)(const void *context, unsigned key_class);

	/** How many items drain() will hand on.  With groups this is slow: it sorts everything, and drain()
	 *  does so again.  NULL: all elements. */
	gs_status (*count_out)(void *context, uint64_t *count);

	/** With a head or tail: hand on only COUNT of these items, at most as many as the options want.
	 *  NULL: not for several ranks. */
	void (*limit)(void *context, uint64_t count);

	/** Hand the elements of KEY_CLASS that the options select to SINK, in order.  Call it once. */
	gs_status (*drain)(void *context, unsigned key_class, const struct gs_span_sink *sink);

	/** For verification: the digest of all items that were drained, before selection.  NULL: the sink
	 *  of keys sees all keys. */
	const struct gs_item_digest *(*digest)(const void *context);

	/** Report device, batches, runs and the GPU's work. */
	void (*stats)(const void *context, struct gsort_stats *stats);

	void *context;
};

#endif

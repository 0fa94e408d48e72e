// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_land.c - items that have reached their owner
 *
 * In:   blocks that have arrived.
 * Out:  their items in the store of this rank, by origin and in the order of the blocks.
 *
 * A block may arrive before one that was sent earlier.  It waits for that, which needs no other slot
 * than the one in which it already arrives.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "ranks/spread.h"
#include "sort/items/items.h"

/* Slices of a piece of the store, and pieces that are added at once. */
enum { MOST_SLICES = 32, MOST_ROWS = 64 };

struct row {
	unsigned origin;
	unsigned count;
	size_t   bytes;
	struct gs_item_slice slices[MOST_SLICES];
};

struct lander {
	struct gs_item_spread *spread;
	struct row *rows;
	size_t      count, bytes;
	uint64_t    sequence;
	atomic_size_t next;
};

size_t
gs_item_land_fit(const struct gs_item_spread *spread, const char *data, size_t bytes, size_t room)
{
	const size_t fixed = spread->order->item_bytes;
	const char *end = data, *next;

	if (bytes <= room)
		return bytes;
	if (fixed > 0)
		return room / fixed * fixed;
	if (spread->lines != NULL)
		return (size_t)(gs_line_last_end(spread->lines, data, data + room) - data);
	while (next = end + gs_item_length(spread->order, end, data + bytes), next <= data + room)
		end = next;
	return (size_t)(end - data);
}

/* ---- the order of blocks ----------------------------------------------------------------- */

/* The one segment of a block. */
static const struct gs_segment *
segment_of(const struct gs_block *block)
{
	return (const struct gs_segment *)(const void *)(block + 1);
}

/* Move a block that is the next of its rank, or its end, to place TO of those that have arrived; false: there
 * is none. */
static bool
bring(struct gs_item_spread *spread, unsigned to)
{
	struct gs_arrived *arrived = spread->all.exchange.arrived;

	for (unsigned a = to; a < spread->all.exchange.arrived_count; a++) {
		const struct gs_arrived next = arrived[a];

		if (next.block->bytes > 0 && next.block->number != spread->sources[next.block->from].next)
			continue;
		memmove(arrived + to + 1, arrived + to, (a - to) * sizeof *arrived);
		arrived[to] = next;
		return true;
	}
	return false;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Add a slice to the row of its origin that is being made, or to a new one. */
static void
add_slice(struct lander *lander, unsigned origin, const char *data, size_t bytes)
{
	const size_t most = lander->spread->all.own.piece_bytes;
	struct row *row = NULL;

	for (size_t r = lander->count; r-- > 0 && row == NULL;)
		if (lander->rows[r].origin == origin)
			row = &lander->rows[r];
	if (row == NULL || row->count == MOST_SLICES || row->bytes + bytes > most) {
		assert(lander->count < MOST_ROWS);
		row = &lander->rows[lander->count++];
		row->origin = origin;
		row->count = 0;
		row->bytes = 0;
	}
	row->slices[row->count++] = (struct gs_item_slice){ data, bytes };
	row->bytes += bytes;
	lander->bytes += bytes;
}

/* Are there as many rows as the slices of one more block may need?  Two slices in a row are larger than
 * a piece. */
static bool
has_rows(const struct lander *lander)
{
	const size_t pieces = lander->spread->all.exchange.window.block_bytes /
	                      lander->spread->all.own.piece_bytes;

	return lander->count + 2 * pieces + 2 <= MOST_ROWS;
}

/* Cut the items of a block into slices that a piece has room for. */
static void
add_block(struct lander *lander, const struct gs_block *block)
{
	const struct gs_item_spread *spread = lander->spread;
	const char *data = (const char *)(segment_of(block) + 1);
	const size_t all = segment_of(block)->count;

	for (size_t at = 0, some; at < all; at += some) {
		some = gs_item_land_fit(spread, data + at, all - at, spread->all.own.piece_bytes);
		if (some == 0)
			some = gs_item_length(spread->order, data + at, data + all);
		add_slice(lander, block->from, data + at, some);
	}
}

static void
land_some(void *context, unsigned rank, unsigned size)
{
	struct lander *lander = context;
	const struct gs_taker *store = &lander->spread->all.own;
	size_t at;

	(void)size;
	while ((at = atomic_fetch_add(&lander->next, 1)) < lander->count) {
		const struct row *row = &lander->rows[at];

		const struct gs_piece piece = {
			.slices = row->slices, .count = row->count, .origin = row->origin,
		};

		store->add(store->context, rank, lander->sequence + at, &piece);
	}
}

/* Store all rows. */
static gs_status
land_rows(struct lander *lander)
{
	struct gs_item_spread *spread = lander->spread;
	const struct gs_taker *store = &spread->all.own;
	const unsigned threads = lander->count < spread->all.threads ? (unsigned)lander->count
	                                                          : spread->all.threads;
	uint64_t since = gs_clock_now();
	size_t room;

	if (lander->count == 0)
		return GS_OK;
	TRY(store->reserve(store->context, lander->bytes, lander->count, &room));
	lander->sequence = gs_taker_next_sequence(store, 0, lander->count);
	atomic_store(&lander->next, 0);
	gs_team_run(threads, land_some, lander);
	gs_taker_end_round(store);
	spread->bytes += lander->bytes;
	lander->count = lander->bytes = 0;
	gs_clock_lap(&spread->all.monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}

/* ---- items in several blocks ------------------------------------------------------------------ */

/* Append what a block has of a large item; the last block has its end. */
static gs_status
land_large(struct lander *lander, struct gs_item_source *source, const struct gs_block *block)
{
	const size_t bytes = segment_of(block)->count, wanted = source->bytes + bytes;

	TRY(GS_GROW(source->item, &source->room, wanted, "bytes of an item"));
	memcpy(source->item + source->bytes, segment_of(block) + 1, bytes);
	source->bytes = wanted;
	if (block->goes_on)
		return GS_OK;
	add_slice(lander, block->from, source->item, source->bytes);
	source->bytes = 0;
	return land_rows(lander);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* Take the blocks that are next, as long as a round has room for them. */
static gs_status
collect(struct lander *lander, unsigned *count)
{
	struct gs_item_spread *spread = lander->spread;
	const size_t most = 2 * spread->all.threads * spread->all.own.piece_bytes;

	for (*count = 0; lander->bytes < most && has_rows(lander) && bring(spread, *count); ++*count) {
		const struct gs_block *block = spread->all.exchange.arrived[*count].block;
		struct gs_item_source *source = &spread->sources[block->from];

		if (block->bytes == 0)
			continue;
		if (block->goes_on || source->bytes > 0) {
			TRY(land_rows(lander));
			TRY(land_large(lander, source, block));
		} else {
			add_block(lander, block);
		}
		source->next++;
	}
	return GS_OK;
}

gs_status
gs_item_land(void *context, bool *moved)
{
	struct gs_item_spread *spread = context;
	struct lander lander = { .spread = spread };
	unsigned count = 0;
	gs_status status;

	if (spread->all.exchange.arrived_count == 0)
		return GS_OK;
	TRY(GS_NEW(lander.rows, MOST_ROWS, "pieces"));
	status = collect(&lander, &count);
	THEN(status, land_rows(&lander));
	free(lander.rows);
	TRY(status);
	*moved |= count > 0;
	return gs_exchange_release(&spread->all.exchange, count);
}

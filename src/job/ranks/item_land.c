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
#include "job/ranks/spread.h"
#include "sort/items/items.h"

/* Slices of a piece of the store, and pieces that are added at once. */
enum { MOST_SLICES = 32, MOST_ROWS = 64 };

struct row {
	unsigned origin;
	unsigned count;
	size_t   bytes;
	struct gs_item_slice slices[MOST_SLICES];
};

struct landing {
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

/* By operand, and then by rank. */
static unsigned
origin_of(const struct gs_item_spread *spread, const struct gs_block *block)
{
	return segment_of(block)->key_class * spread->all.ranks->size + block->from;
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
add_slice(struct landing *landing, unsigned origin, const char *data, size_t bytes)
{
	const size_t most = landing->spread->all.own.piece_bytes;
	struct row *row = NULL;

	for (size_t r = landing->count; r-- > 0 && row == NULL;)
		if (landing->rows[r].origin == origin)
			row = &landing->rows[r];
	if (row == NULL || row->count == MOST_SLICES || row->bytes + bytes > most) {
		assert(landing->count < MOST_ROWS);
		row = &landing->rows[landing->count++];
		row->origin = origin;
		row->count = 0;
		row->bytes = 0;
	}
	row->slices[row->count++] = (struct gs_item_slice){ data, bytes };
	row->bytes += bytes;
	landing->bytes += bytes;
}

/* Are there as many rows as the slices of one more block may need?  Two slices in a row are larger than
 * a piece. */
static bool
has_rows(const struct landing *landing)
{
	const size_t pieces = landing->spread->all.exchange.window.block_bytes /
	                      landing->spread->all.own.piece_bytes;

	return landing->count + 2 * pieces + 2 <= MOST_ROWS;
}

/* Cut the items of a block into slices that a piece has room for. */
static void
add_block(struct landing *landing, const struct gs_block *block)
{
	const struct gs_item_spread *spread = landing->spread;
	const char *data = (const char *)(segment_of(block) + 1);
	const size_t all = segment_of(block)->count;

	for (size_t at = 0, some; at < all; at += some) {
		some = gs_item_land_fit(spread, data + at, all - at, spread->all.own.piece_bytes);
		if (some == 0)
			some = gs_item_length(spread->order, data + at, data + all);
		add_slice(landing, origin_of(spread, block), data + at, some);
	}
}

static void
land_some(void *context, unsigned rank, unsigned size)
{
	struct landing *landing = context;
	const struct gs_taker *store = &landing->spread->all.own;
	size_t at;

	(void)size;
	while ((at = atomic_fetch_add(&landing->next, 1)) < landing->count) {
		const struct row *row = &landing->rows[at];

		const struct gs_piece piece = {
			.slices = row->slices, .count = row->count, .origin = row->origin,
		};

		store->add(store->context, rank, landing->sequence + at, &piece);
	}
}

/* Store all rows. */
static gs_status
land_rows(struct landing *landing)
{
	struct gs_item_spread *spread = landing->spread;
	const struct gs_taker *store = &spread->all.own;
	const unsigned threads = landing->count < spread->all.threads ? (unsigned)landing->count
	                                                          : spread->all.threads;
	uint64_t since = gs_clock_now();
	size_t room;

	if (landing->count == 0)
		return GS_OK;
	TRY(store->reserve(store->context, landing->bytes, landing->count, &room));
	landing->sequence = gs_taker_next_sequence(store, 0, landing->count);
	atomic_store(&landing->next, 0);
	gs_team_run(threads, land_some, landing);
	gs_taker_end_round(store);
	spread->bytes += landing->bytes;
	landing->count = landing->bytes = 0;
	gs_clock_lap(&spread->all.monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}

/* ---- items in several blocks ------------------------------------------------------------------ */

/* Append what a block has of a large item; the last block has its end. */
static gs_status
land_large(struct landing *landing, struct gs_item_source *source, const struct gs_block *block)
{
	const size_t bytes = segment_of(block)->count, wanted = source->bytes + bytes;

	TRY(GS_GROW(source->item, &source->room, wanted, "bytes of an item"));
	memcpy(source->item + source->bytes, segment_of(block) + 1, bytes);
	source->bytes = wanted;
	if (block->goes_on)
		return GS_OK;
	add_slice(landing, origin_of(landing->spread, block), source->item, source->bytes);
	source->bytes = 0;
	return land_rows(landing);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* Take the blocks that are next, as long as a round has room for them. */
static gs_status
collect(struct landing *landing, unsigned *count)
{
	struct gs_item_spread *spread = landing->spread;
	const size_t most = 2 * spread->all.threads * spread->all.own.piece_bytes;

	for (*count = 0; landing->bytes < most && has_rows(landing) && bring(spread, *count); ++*count) {
		const struct gs_block *block = spread->all.exchange.arrived[*count].block;
		struct gs_item_source *source = &spread->sources[block->from];

		if (block->bytes == 0)
			continue;
		if (block->goes_on || source->bytes > 0) {
			TRY(land_rows(landing));
			TRY(land_large(landing, source, block));
		} else {
			add_block(landing, block);
		}
		source->next++;
	}
	return GS_OK;
}

gs_status
gs_item_land(void *context, bool *moved)
{
	struct gs_item_spread *spread = context;
	struct landing landing = { .spread = spread };
	unsigned count = 0;
	gs_status status;

	if (spread->all.exchange.arrived_count == 0)
		return GS_OK;
	TRY(GS_NEW(landing.rows, MOST_ROWS, "pieces"));
	status = collect(&landing, &count);
	THEN(status, land_rows(&landing));
	free(landing.rows);
	TRY(status);
	*moved |= count > 0;
	return gs_exchange_release(&spread->all.exchange, count);
}

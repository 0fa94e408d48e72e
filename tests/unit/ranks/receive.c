// SPDX-License-Identifier: BSD-2-Clause
/*
 * receive.c - rows for src/ranks/receive.c and item_exchange.c: each item reaches its owner once,
 * whole, and behind those that its rank, or its input of a set, had before it
 *
 * What an item is follows from the rank that reads it, its input and its number.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/exchange.h"
#include "tests/mpi/ranks_threads.h"
#include "tests/unit/units.h"

void unit_receive(void);

enum { MOST_RANKS = 4, MOST_PIECES = 20000, MOST_BYTES = 200000, LETTERS = 26 };

struct row {
	const char *about;
	unsigned ranks, threads;
	size_t   window_bytes;
	unsigned items;		/* that each rank reads */
	size_t   item_bytes;	/* 0: lines of up to LONGEST */
	size_t   longest;
	unsigned large_each;	/* one line in so many has LARGE bytes */
	size_t   large;
	size_t   piece_bytes;	/* of the store */
	unsigned letters;	/* that items begin with: the only key */
	bool     together;	/* equal items have one owner */
	unsigned fails_at;	/* the store of rank 1 fails at the reserve of this number, from 1 */
};

static const struct row rows[] = {
	{ "one rank", 1, 1, 1 << 20, 3000, 0, 60, 0, 0, 16 << 10, LETTERS, false, 0 },
	{ "lines of two ranks", 2, 1, 256 << 10, 9000, 0, 60, 0, 0, 16 << 10, LETTERS, false, 0 },
	{ "lines of four ranks, by threads", 4, 3, 512 << 10, 6000, 0, 90, 0, 0, 8 << 10, LETTERS, false,
	  0 },
	{ "records", 3, 2, 512 << 10, 9000, 24, 0, 0, 0, 8 << 10, LETTERS, false, 0 },
	{ "records of which none divides a block", 2, 1, 256 << 10, 900, 1000, 0, 0, 0, 9000, 5, true, 0 },
	{ "records as large as a piece", 2, 1, 1 << 20, 99, 4000, 0, 0, 0, 4000, LETTERS, false, 0 },
	{ "records larger than a block", 2, 1, 512 << 10, 40, 40000, 0, 0, 0, 40000, LETTERS, false, 0 },
	{ "lines of which some are larger than a piece", 3, 2, 512 << 10, 900, 0, 60, 7, 9000, 4 << 10,
	  LETTERS, false, 0 },
	{ "lines of which some are larger than a block", 3, 2, 512 << 10, 400, 0, 60, 9, 50000, 8 << 10,
	  LETTERS, false, 0 },
	{ "equal lines of one owner", 4, 1, 512 << 10, 3000, 0, 60, 0, 0, 8 << 10, 1, true, 0 },
	{ "equal lines, by the ranks that read them", 4, 1, 512 << 10, 3000, 0, 60, 0, 0, 8 << 10, 1,
	  false, 0 },
	{ "equal lines of which some are larger", 3, 2, 512 << 10, 9000, 0, 60, 500, 30000, 8 << 10, 5,
	  true, 0 },
	{ "nothing", 3, 2, 512 << 10, 0, 0, 60, 0, 0, 8 << 10, LETTERS, false, 0 },
	{ "a store that fails", 3, 1, 256 << 10, 9000, 0, 60, 0, 0, 8 << 10, LETTERS, false, 3 },
};

/* ---- items ------------------------------------------------------------------------ */

/* Number I of an input of a rank, with its newline; returns its bytes. */
static size_t
make_item(const struct row *row, unsigned origin, unsigned i, char *item)
{
	const uint64_t random = units_mix(i * 100 + origin);
	size_t bytes = row->item_bytes;

	if (bytes == 0 && row->large_each > 0 && i % row->large_each == 3)
		bytes = row->large;
	else if (bytes == 0)
		bytes = 2 + random % (row->longest - 1);
	item[0] = (char)('a' + random / 1000 % row->letters);
	for (size_t b = 1; b < bytes; b++)
		item[b] = (char)('A' + units_mix(random + b / 16) % 50);
	item[bytes - 1] = '\n';
	return bytes;
}

static struct gs_item_order
order_of(const struct row *row)
{
	return (struct gs_item_order){
		.item_bytes = row->item_bytes, .end = row->item_bytes > 0 ? NULL : units_line_end,
		.words = units_first_byte,
	};
}

/* Splitters of a sample that all ranks know: the letters, of each rank. */
static gs_status
make_owners(const struct row *row, const struct gs_item_order *order, struct gs_item_owners *owners)
{
	const size_t bytes = row->item_bytes > 0 ? row->item_bytes : 2;
	char *sample = calloc(LETTERS, bytes);
	struct gs_item_slice slices[MOST_RANKS];
	gs_status status;

	for (unsigned l = 0; l < row->letters; l++) {
		sample[l * bytes] = (char)('a' + l);
		sample[l * bytes + bytes - 1] = '\n';
	}
	for (unsigned r = 0; r < row->ranks; r++)
		slices[r] = (struct gs_item_slice){ sample, row->letters * bytes };
	status = gs_item_owners_make(owners, order, slices, row->ranks, row->ranks, row->together);
	free(sample);
	return status;
}

/* ---- a store that keeps pieces by their numbers ------------------------------------- */

struct landed {
	unsigned origin;
	char    *data;
	size_t   bytes;
};

struct member {
	const struct row *row;
	unsigned rank;
	gs_status status;
	struct gs_item_order  order;
	struct gs_item_owners owners;
	struct gs_item_exchange exchange;
	uint64_t lands;

	pthread_mutex_t lock;
	struct landed  *pieces;
	uint64_t sequence;	/* the next */
	unsigned reserves;
	size_t   reserved;	/* bytes that were asked for and not yet added */
	unsigned wrong;		/* pieces that are too large, were not asked for, or came twice */
};

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct member *m = context;

	(void)small;
	m->reserved = least;
	*room = least;
	if (m->row->fails_at > 0 && m->rank == 1 && ++m->reserves == m->row->fails_at)
		return gs_fail(GS_EIO, "the disk is full");
	return GS_OK;
}

static uint64_t
next_sequence(void *context, unsigned key_class, size_t count)
{
	struct member *m = context;

	(void)key_class;
	m->sequence += count;
	return m->sequence - count;
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct member *m = context;
	struct landed *landed = &m->pieces[sequence % MOST_PIECES];
	const char *first = piece->slices[0].data;
	size_t bytes = 0;
	char *data;

	for (size_t s = 0; s < piece->count; s++)
		bytes += piece->slices[s].bytes;
	data = malloc(bytes);
	for (size_t s = 0, at = 0; s < piece->count; at += piece->slices[s++].bytes)
		memcpy(data + at, piece->slices[s].data, piece->slices[s].bytes);
	pthread_mutex_lock(&m->lock);
	m->wrong += worker >= m->row->threads || sequence >= m->sequence || landed->data != NULL ||
	            bytes > m->reserved ||
	            (bytes > m->row->piece_bytes && gs_item_length(&m->order, first, first + bytes) < bytes);
	m->reserved -= bytes;
	*landed = (struct landed){ piece->origin, data, bytes };
	pthread_mutex_unlock(&m->lock);
}

/* ---- ranks -------------------------------------------------------------------------- */

/* As an ingest stage: pieces of whole items, none larger than the taker wants, or of one item. */
static gs_status
read_input(struct member *m, const struct gs_taker *taker)
{
	char *items = malloc(MOST_BYTES);
	gs_status status = GS_OK;

	for (unsigned i = 0; i < m->row->items && status == GS_OK;) {
		struct gs_item_slice slice = { items, 0 };
		const struct gs_piece piece = { .slices = &slice, .count = 1 };
		size_t some, room = 0;

		for (; i < m->row->items; i++, slice.bytes += some) {
			some = make_item(m->row, m->rank, i, items + slice.bytes);
			if (slice.bytes > 0 && slice.bytes + some > taker->piece_bytes)
				break;
		}
		status = taker->reserve(taker->context, slice.bytes, 1, &room);
		m->wrong += status == GS_OK && room < slice.bytes;
		if (status == GS_OK)
			taker->add(taker->context, 0, taker->next_sequence(taker->context, 0, 1), &piece);
	}
	free(items);
	return status;
}

/* Threads deliver blocks in the order in which they are sent; other networks may not. */
static gs_status
land(void *context, bool *moved)
{
	struct member *m = context;
	struct gs_arrival *arrived = m->exchange.all.transport.arrived;

	for (unsigned count = m->exchange.all.transport.arrived_count; count > 1; count--) {
		const uint64_t other = units_mix(++m->lands) % count;
		const struct gs_arrival last = arrived[count - 1];

		arrived[count - 1] = arrived[other];
		arrived[other] = last;
	}
	return gs_item_receive(&m->exchange, moved);
}

static gs_status
exchange_items(struct member *m, struct gs_item_exchange *exchange)
{
	struct gs_taker taker;

	TRY(make_owners(m->row, &m->order, &exchange->owners));
	TRY(gs_item_exchange_open(exchange, m->row->window_bytes, &taker));
	exchange->all.transport.land = land;
	exchange->all.transport.land_context = m;
	TRY(read_input(m, &taker));
	return gs_exchange_drain(&exchange->all);
}

static void
run(struct gs_ranks *ranks, void *member)
{
	struct member *m = member;
	struct gs_monitor *monitor = calloc(1, sizeof *monitor);

	m->exchange = (struct gs_item_exchange){
		.all = {
			.ranks = ranks, .monitor = monitor, .threads = m->row->threads,
			.own = { .piece_bytes = m->row->piece_bytes, .reserve = reserve,
			         .next_sequence = next_sequence, .add = add, .context = m },
		},
		.order = &m->order,
	};

	m->status = exchange_items(m, &m->exchange);
	if (m->status != GS_OK)
		gs_ranks_abort(ranks, 2);
	gs_item_exchange_close(&m->exchange);
	free(monitor);
}

/* ---- what must have come ---------------------------------------------------------------- */

/* The items of ORIGIN that this rank owns are the bytes that came of it, in the order of the pieces. */
static bool
is_right(struct member *m, unsigned origin)
{
	char *item = malloc(MOST_BYTES);
	size_t at = 0;
	uint64_t p = 0;
	bool right = true;

	for (unsigned i = 0; i < m->row->items && right; i++) {
		const size_t bytes = make_item(m->row, origin, i, item);
		const uint32_t length = (uint32_t)bytes;
		const char *first = item;
		uint16_t owner;

		gs_item_owners_find(&m->owners, origin, &first, &length, 1, &owner);
		if (owner != m->rank)
			continue;
		while (p < m->sequence && (m->pieces[p].origin != origin || at == m->pieces[p].bytes)) {
			p++;
			at = 0;
		}
		right = p < m->sequence && m->pieces[p].bytes - at >= bytes &&
		        memcmp(m->pieces[p].data + at, item, bytes) == 0;
		at += bytes;
	}
	for (; right && p < m->sequence; p++, at = 0)
		right = m->pieces[p].origin != origin || at == m->pieces[p].bytes;
	free(item);
	return right;
}

static void
check_member(struct member *m)
{
	const struct row *row = m->row;

	CHECK(m->wrong == 0, "%s: %u faults of the store of rank %u", row->about, m->wrong, m->rank);
	CHECK(m->status == (row->fails_at > 0 ? GS_EIO : GS_OK), "%s: rank %u ends with %d", row->about,
	      m->rank, (int)m->status);
	CHECK(m->sequence < MOST_PIECES, "%s: %llu pieces", row->about, (unsigned long long)m->sequence);
	for (unsigned o = 0; o < row->ranks && row->fails_at == 0; o++)
		CHECK(is_right(m, o), "%s: rank %u gets what origin %u has for it, in its order", row->about,
		      m->rank, o);
	for (uint64_t p = 0; p < m->sequence; p++)
		free(m->pieces[p].data);
	free(m->pieces);
	gs_item_owners_close(&m->owners);
}

static void
check_row(const struct row *row)
{
	struct member *members = calloc(row->ranks, sizeof *members);

	for (unsigned r = 0; r < row->ranks; r++) {
		struct member *m = &members[r];

		*m = (struct member){ .row = row, .rank = r, .order = order_of(row) };
		m->pieces = calloc(MOST_PIECES, sizeof *m->pieces);
		pthread_mutex_init(&m->lock, NULL);
		CHECK(make_owners(row, &m->order, &m->owners) == GS_OK, "splitters");
	}
	CHECK(gs_ranks_threads_run(row->ranks, run, members, sizeof *members), "the threads start");
	for (unsigned r = 0; r < row->ranks; r++)
		check_member(&members[r]);
	free(members);
}

/* ---- how many items a room has place for ---------------------------------------------------- */

static void
check_fit(void)
{
	static const char text[] = "a\nbcd\n\nefghij\n";
	static const struct {
		size_t item_bytes, bytes, room, fit;
	} fits[] = {
		{ 0, 14, 14, 14 }, { 0, 14, 99, 14 }, { 0, 14, 13, 7 }, { 0, 14, 7, 7 }, { 0, 14, 6, 6 },
		{ 0, 14, 5, 2 }, { 0, 14, 2, 2 }, { 0, 14, 1, 0 }, { 0, 14, 0, 0 }, { 0, 0, 0, 0 },
		{ 0, 2, 1, 0 }, { 7, 14, 14, 14 }, { 7, 14, 13, 7 }, { 7, 14, 7, 7 },
		{ 7, 14, 6, 0 }, { 1, 14, 6, 6 }, { 14, 14, 0, 0 },
	};

	for (size_t f = 0; f < sizeof fits / sizeof fits[0]; f++) {
		const struct row row = { .item_bytes = fits[f].item_bytes };
		const struct gs_item_order order = order_of(&row);
		const struct gs_item_exchange exchange = { .order = &order };
		const size_t fit = gs_item_fit(&exchange.all, text, fits[f].bytes, fits[f].room);

		CHECK(fit == fits[f].fit, "of %zu bytes of items of %zu, %zu fit in %zu, not %zu",
		      fits[f].bytes, fits[f].item_bytes, fits[f].fit, fits[f].room, fit);
	}
}

void
unit_receive(void)
{
	check_fit();
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_exchange.c - rows for src/ranks/key_exchange.c and exchange.c: each key reaches an owner of it, once,
 * and no store gets more than it has said it has room for
 *
 * What a key is follows from the rank that reads it and its number.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "ranks/exchange.h"
#include "tests/mpi/ranks_threads.h"
#include "tests/unit/units.h"

void unit_key_exchange(void);

enum { MOST_RANKS = 4, SAMPLE_KEYS = 640 };

struct row {
	const char *about;
	unsigned ranks, threads;
	unsigned bits[GS_CLASSES];	/* of the keys of each class */
	size_t   window_bytes;
	size_t   keys;		/* that each rank reads */
	size_t   piece_bytes;
	size_t   room;		/* bytes that the store has room for in a round, if it needs no more */
	uint64_t values;	/* that keys have, evenly spaced; 0: any */
	bool     together;	/* equal keys have one owner */
	bool     held;		/* splitters are made of the first keys */
	unsigned fails_at;	/* the store of rank 1 fails at the reserve of this number, from 1 */
};

static const struct row rows[] = {
	{ "one rank", 1, 2, { 32 }, 1 << 20, 50000, 4096, 1 << 20, 0, false, false, 0 },
	{ "two ranks", 2, 1, { 32 }, 256 << 10, 90000, 4096, 1 << 20, 0, false, false, 0 },
	{ "keys of 64 bits, by threads", 3, 3, { 64 }, 512 << 10, 60000, 8192, 1 << 20, 0, false, false, 0 },
	{ "a store that has little room", 3, 2, { 32 }, 512 << 10, 60000, 4096, 1, 0, false, false, 0 },
	{ "classes of two widths", 4, 2, { 64, 0, 0, 32 }, 1 << 20, 40000, 0, 1 << 20, 0, false, false, 0 },
	{ "five classes", 2, 2, { 64, 32, 32, 32, 64 }, 1 << 20, 40000, 0, 64 << 10, 0, false, false, 0 },
	{ "few values, shared out", 4, 2, { 32 }, 512 << 10, 40000, 4096, 1 << 20, 3, false, false, 0 },
	{ "few values, each of one owner", 4, 2, { 32 }, 512 << 10, 40000, 4096, 1 << 20, 3, true, false, 0 },
	{ "one value", 3, 1, { 64 }, 512 << 10, 40000, 4096, 1 << 20, 1, false, false, 0 },
	{ "one value of one owner", 3, 1, { 64 }, 512 << 10, 40000, 4096, 1 << 20, 1, true, false, 0 },
	{ "no sample: a few keys", 3, 2, { 32 }, 512 << 10, 900, 4096, 1 << 20, 0, false, true, 0 },
	{ "no sample: more than is held", 2, 2, { 64 }, 512 << 10, 200000, 8192, 1 << 20, 0, false, true, 0 },
	{ "nothing", 3, 2, { 32 }, 512 << 10, 0, 4096, 1 << 20, 0, false, false, 0 },
	{ "nothing, and no sample", 2, 1, { 32 }, 512 << 10, 0, 4096, 1 << 20, 0, false, true, 0 },
	{ "a store that fails", 3, 1, { 32 }, 256 << 10, 90000, 4096, 1 << 20, 0, false, false, 3 },
};

/* ---- keys ------------------------------------------------------------------------- */

/* The class of key number I: neighbours have one, so that a piece may. */
static unsigned
class_of(const struct row *row, size_t i)
{
	unsigned of = (unsigned)(i / 1000) % gs_class_count(row->bits), c = 0;

	for (; row->bits[c] == 0 || of > 0; c++)
		of -= row->bits[c] > 0;
	return c;
}

static uint64_t
value_of(const struct row *row, unsigned bits, uint64_t number)
{
	const uint64_t most = UINT64_MAX >> (64 - bits);

	return row->values > 0 ? number % row->values * (most / row->values) + 7 : number & most;
}

static uint64_t
key_of(const struct row *row, unsigned rank, size_t i)
{
	return value_of(row, row->bits[class_of(row, i)], units_mix((uint64_t)rank << 40 | i));
}

/* Splitters of a sample that all ranks know: the values, or keys that are evenly spaced. */
static gs_status
make_splitters(const struct row *row, unsigned rank, struct gs_splitters *splitters)
{
	struct gs_sampled sample[SAMPLE_KEYS];
	const unsigned classes = gs_class_count(row->bits);
	const size_t each = row->values > 0 ? row->values : SAMPLE_KEYS / classes;
	size_t count = 0;

	for (unsigned c = 0; c < GS_CLASSES; c++)
		for (size_t k = 0; row->bits[c] > 0 && k < each; k++)
			sample[count++] = (struct gs_sampled){
				.key = row->values > 0 ? value_of(row, row->bits[c], k)
				                       : (UINT64_MAX >> (64 - row->bits[c])) / each * k,
				.weight = 5, .place = (uint8_t)c,
			};
	return gs_splitters_make(splitters, sample, count, row->ranks, rank, row->together, false);
}

/* ---- a store that keeps its keys ------------------------------------------------ */

struct landed {
	uint64_t key;
	unsigned key_class;
};

struct member {
	const struct row *row;
	unsigned rank;
	gs_status status;
	struct gs_plan    plan;
	struct gs_count   histogram;
	struct gs_monitor monitor;
	struct gs_key_exchange exchange;
	struct gs_taker   taker;
	size_t   from, to;	/* the keys of this round */

	pthread_mutex_t lock;
	struct landed  *landed;
	size_t   count, left;	/* bytes that the store has room for */
	unsigned reserves;
	unsigned wrong;		/* pieces that are too large, or of another class or rank */
};

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct member *m = context;

	(void)small;
	*room = m->left = least > m->row->room ? least : m->row->room;
	if (m->row->fails_at > 0 && m->rank == 1 && ++m->reserves == m->row->fails_at)
		return gs_fail(GS_EIO, "the disk is full");
	return GS_OK;
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct member *m = context;
	const unsigned bits = m->row->bits[piece->key_class];
	const size_t bytes = piece->count * (bits / 8);

	(void)sequence;
	pthread_mutex_lock(&m->lock);
	m->wrong += worker >= m->row->threads || piece->key_bits != bits || bytes > m->left;
	m->left -= bytes > m->left ? m->left : bytes;
	for (size_t k = 0; k < piece->count; k++)
		m->landed[m->count++] = (struct landed){ gs_key_at(piece->keys, bits, k), piece->key_class };
	pthread_mutex_unlock(&m->lock);
}

/* ---- ranks -------------------------------------------------------------------------- */

/* Keys that a thread adds at a time, of one class. */
static size_t
piece_keys(const struct row *row)
{
	return row->piece_bytes > 0 ? row->piece_bytes / (row->bits[0] / 8) : 500;
}

static void
add_share(void *context, unsigned worker, unsigned size)
{
	struct member *m = context;
	const size_t most = piece_keys(m->row);
	uint64_t keys[8192 / 4];
	const struct gs_piece none = { .keys = keys, .key_bits = m->row->bits[0] };

	m->taker.add(m->taker.context, worker, 0, &none);
	for (size_t at = m->from + worker * most; at < m->to; at += size * most) {
		const size_t end = at + most < m->to ? at + most : m->to;
		struct gs_piece piece = { .keys = keys };

		for (size_t i = at; i <= end; i++) {
			if (piece.count > 0 && (i == end || class_of(m->row, i) != piece.key_class)) {
				m->taker.add(m->taker.context, worker, 0, &piece);
				piece.count = 0;
			}
			piece.key_class = i < end ? class_of(m->row, i) : 0;
			piece.key_bits = m->row->bits[piece.key_class];
			if (i < end)
				gs_key_put(keys, piece.key_bits, piece.count++, key_of(m->row, m->rank, i));
		}
	}
}

/* Like an ingest stage: in each round, threads add as many keys as there is room for. */
static gs_status
read_input(struct member *m)
{
	const size_t least = piece_keys(m->row) * sizeof(uint64_t);
	size_t room;

	for (m->to = 0; m->to < m->row->keys;) {
		TRY(m->taker.reserve(m->taker.context, least, 0, &room));
		m->wrong += room < least;
		m->from = m->to;
		m->to += room / sizeof(uint64_t);
		if (m->to > m->row->keys)
			m->to = m->row->keys;
		gs_team_run(m->row->threads, add_share, m);
	}
	return GS_OK;
}

static gs_status
exchange_keys(struct member *m)
{
	m->exchange.split = !m->row->held;
	if (m->exchange.split)
		TRY(make_splitters(m->row, m->rank, &m->exchange.splitters));
	TRY(gs_key_exchange_open(&m->exchange, m->row->window_bytes, &m->taker));
	TRY(read_input(m));
	if (!m->exchange.split)
		TRY(gs_key_exchange_split(&m->exchange));
	return gs_exchange_drain(&m->exchange.all);
}

/* Is this rank an owner of all that it got? */
static void
check_owners(struct member *m)
{
	unsigned first, last;

	for (size_t k = 0; k < m->count && m->row->ranks > 1; k++) {
		gs_splitters_owners(&m->exchange.splitters, m->landed[k].key_class, m->landed[k].key, &first,
		                    &last);
		m->wrong += m->rank < first || m->rank > last || (m->row->together && first != last);
	}
}

static void
run(struct gs_ranks *ranks, void *member)
{
	struct member *m = member;

	m->exchange = (struct gs_key_exchange){
		.all = {
			.ranks = ranks, .monitor = &m->monitor, .threads = m->plan.threads,
			.own = { .reserve = reserve, .add = add, .context = m },
		},
		.plan = &m->plan, .histogram = &m->histogram, .together = m->row->together,
	};
	m->status = exchange_keys(m);
	if (m->status == GS_OK) {
		check_owners(m);
		m->wrong += m->exchange.keys != m->count;
	} else {
		gs_ranks_abort(ranks, 2);
	}
	gs_key_exchange_close(&m->exchange);
}

/* ---- what must have come ---------------------------------------------------------------- */

/* All keys of a class together are those that were read. */
static void
check_class(const struct row *row, const struct member *members, unsigned c)
{
	const size_t all = row->ranks * row->keys;
	uint64_t *read = malloc((all + 1) * sizeof *read), *came = malloc((all + 1) * sizeof *came);
	size_t read_count = 0, came_count = 0;

	for (unsigned r = 0; r < row->ranks; r++) {
		for (size_t i = 0; i < row->keys; i++)
			if (class_of(row, i) == c)
				read[read_count++] = key_of(row, r, i);
		for (size_t k = 0; k < members[r].count; k++)
			if (members[r].landed[k].key_class == c && came_count < all)
				came[came_count++] = members[r].landed[k].key;
	}
	units_sort(read, read_count);
	units_sort(came, came_count);
	CHECK(came_count == read_count && memcmp(read, came, read_count * sizeof *read) == 0,
	      "%s: the keys of class %u that were read have come, each once (%zu, %zu)", row->about, c,
	      read_count, came_count);
	free(read);
	free(came);
}

static void
check_row(const struct row *row)
{
	struct member *members = calloc(row->ranks, sizeof *members);

	for (unsigned r = 0; r < row->ranks; r++) {
		struct member *m = &members[r];

		*m = (struct member){
			.row = row, .rank = r,
			.plan = { .threads = row->threads, .piece_bytes = row->piece_bytes,
			          .chunk_bytes = 64 << 10 },
		};
		memcpy(m->plan.class_bits, row->bits, sizeof row->bits);
		m->landed = malloc((row->ranks * row->keys + 1) * sizeof *m->landed);
		pthread_mutex_init(&m->lock, NULL);
	}
	CHECK(gs_ranks_threads_run(row->ranks, run, members, sizeof *members), "the threads start");
	for (unsigned r = 0; r < row->ranks; r++) {
		CHECK(members[r].wrong == 0, "%s: %u faults of the store of rank %u", row->about,
		      members[r].wrong, r);
		CHECK(members[r].status == (row->fails_at > 0 ? GS_EIO : GS_OK), "%s: rank %u ends with %d",
		      row->about, r, (int)members[r].status);
	}
	for (unsigned c = 0; c < GS_CLASSES && row->fails_at == 0; c++)
		if (row->bits[c] > 0)
			check_class(row, members, c);
	for (unsigned r = 0; r < row->ranks; r++)
		free(members[r].landed);
	free(members);
}

void
unit_key_exchange(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
}

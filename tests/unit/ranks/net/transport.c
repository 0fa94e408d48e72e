// SPDX-License-Identifier: BSD-2-Clause
/*
 * transport.c - rows for src/ranks/net/transport.c: each block arrives once, whole, and in its turn
 *
 * What a block holds follows from its sender, its receiver and its number.
 */
#include <string.h>

#include "ranks/net/ranks.h"
#include "tests/mpi/ranks_threads.h"
#include "tests/unit/units.h"

void unit_transport(void);

enum { MOST_RANKS = 5, NONE = 1000000 };

struct row {
	const char *about;
	unsigned    ranks;
	size_t      window_bytes;
	uint64_t    blocks;	/* from each rank to each, at most */
	bool        differ;	/* how many, by ranks: some 0 */
	uint64_t    aborts_at;	/* rank 1 aborts when it has sent so many */
};

static const struct row rows[] = {
	{ "alone", 1, 1 << 20, 300, false, NONE },
	{ "two ranks, the least blocks", 2, 64 << 10, 300, false, NONE },
	{ "two ranks with large blocks", 2, 4 << 20, 40, false, NONE },
	{ "five ranks with few slots", 5, 160 << 10, 100, false, NONE },
	{ "some blocks, or none", 5, 160 << 10, 7, true, NONE },
	{ "nothing is sent", 3, 1 << 20, 0, false, NONE },
	{ "rank 1 aborts", 3, 96 << 10, 100, false, 50 },
};

static uint64_t
blocks_of(const struct row *row, unsigned from, unsigned to)
{
	return row->differ ? units_mix(from * MOST_RANKS + to) % (row->blocks + 1) : row->blocks;
}

/* Bytes of a block: few, all, or any number of them. */
static size_t
bytes_of(unsigned from, unsigned to, uint64_t number, size_t most)
{
	const size_t room = most - sizeof(struct gs_block);
	const uint64_t random = units_mix(number * 100 + from * 10 + to);

	return sizeof(struct gs_block) + (random % 4 == 0 ? room : random % 4 == 1 ? 0 : random % room);
}

static char
byte_of(unsigned from, unsigned to, uint64_t number)
{
	return (char)units_mix(number * 100 + from * 10 + to + 7);
}

struct member {
	const struct row *row;
	unsigned  rank;
	uint64_t  sent[MOST_RANKS], came[MOST_RANKS];
	unsigned  ends;		/* ranks that have sent their last block */
	unsigned  wrong;	/* blocks, or ends of the transport */
	gs_status status;
};

/* Fill every free slot, for one rank after the other; returns whether this rank is to abort. */
static bool
fill_slots(struct gs_transport *transport, struct member *m, unsigned *to, unsigned *ended)
{
	const unsigned ranks = m->row->ranks;

	while (*ended < ranks && transport->free_count > 0) {
		const unsigned at = *to = (*to + 1) % ranks;
		const uint64_t blocks = blocks_of(m->row, m->rank, at), number = m->sent[at];
		const size_t bytes = bytes_of(m->rank, at, number, transport->window.block_bytes);
		struct gs_block *block;
		unsigned slot;

		if (m->rank == 1 && number >= m->row->aborts_at)
			return true;
		if (number > blocks)
			continue;
		m->sent[at]++;
		if (number == blocks) {
			gs_transport_post(transport, gs_transport_take(transport), at, 0);
			++*ended;
			continue;
		}
		slot = gs_transport_take(transport);
		block = gs_transport_block(transport, slot);
		memset(block + 1, byte_of(m->rank, at, number), bytes - sizeof *block);
		block->goes_on = (uint32_t)number % 3 & 3;
		gs_transport_post(transport, slot, at, bytes);
	}
	return false;
}

static bool
is_right(const struct member *m, const struct gs_block *block, size_t most)
{
	const unsigned from = block->from;
	const char *data = (const char *)(block + 1);
	bool right = from < m->row->ranks && block->number == m->came[from];

	if (!right || block->bytes == 0)	/* the last one says how many came */
		return right && block->number == blocks_of(m->row, from, m->rank);
	right = block->bytes == bytes_of(from, m->rank, block->number, most) &&
	        block->goes_on == block->number % 3;
	for (size_t b = 0; right && b < block->bytes - sizeof *block; b++)
		right = data[b] == byte_of(from, m->rank, block->number);
	return right;
}

/* Like gs_transport_is_over(), from what this rank has seen. */
static bool
is_over(const struct gs_transport *transport, const struct member *m)
{
	bool over = m->ends == m->row->ranks && transport->free_count == transport->window.gives;

	for (unsigned from = 0; from < m->row->ranks; from++)
		over = over && m->came[from] == blocks_of(m->row, from, m->rank);
	return over;
}

static gs_status
exchange_blocks(struct gs_transport *transport, struct gs_ranks *ranks, struct member *m)
{
	unsigned to = m->rank, ended = 0, idle = 0;

	TRY(gs_transport_open(transport, ranks, m->row->window_bytes));
	while (m->wrong > 0 || !is_over(transport, m)) {
		bool moved = false;
		unsigned count;

		m->wrong += gs_transport_is_over(transport);
		if (fill_slots(transport, m, &to, &ended) || m->wrong > 0) {
			gs_ranks_abort(ranks, 2);
			return GS_EIO;
		}
		TRY(gs_transport_step(transport, &moved));
		count = (transport->arrived_count + 1) / 2;	/* the others later */
		for (unsigned a = 0; a < count; a++) {
			const struct gs_block *block = transport->arrived[a].data;

			m->wrong += !is_right(m, block, transport->window.block_bytes);
			if (m->wrong > 0)
				break;
			m->ends += block->bytes == 0;
			m->came[block->from] += block->bytes > 0;
		}
		TRY(gs_transport_release(transport, count));
		if (!moved && count == 0)
			gs_ranks_rest(&idle);
	}
	m->wrong += !gs_transport_is_over(transport);
	return GS_OK;
}

static void
run(struct gs_ranks *ranks, void *member)
{
	struct member *m = member;
	struct gs_transport transport = { .ranks = NULL };

	m->status = exchange_blocks(&transport, ranks, m);
	gs_transport_close(&transport);
}

static void
check_row(const struct row *row)
{
	struct member members[MOST_RANKS];

	for (unsigned r = 0; r < row->ranks; r++)
		members[r] = (struct member){ .row = row, .rank = r };
	CHECK(gs_ranks_threads_run(row->ranks, run, members, sizeof *members), "the threads start");
	for (unsigned r = 0; r < row->ranks; r++) {
		const struct member *m = &members[r];

		CHECK(m->wrong == 0, "%s: %u faults of rank %u", row->about, m->wrong, r);
		CHECK(m->status == (row->aborts_at < NONE ? GS_EIO : GS_OK), "%s: rank %u ends with %d",
		      row->about, r, (int)m->status);
		for (unsigned from = 0; from < row->ranks && row->aborts_at == NONE; from++)
			CHECK(m->came[from] == blocks_of(row, from, r), "%s: rank %u has %llu blocks of %u",
			      row->about, r, (unsigned long long)m->came[from], from);
	}
}

/* A window of any memory and number of ranks has enough blocks, within the limits. */
static void
check_sizes(void)
{
	for (unsigned ranks = 1; ranks <= GS_RANKS_MOST; ranks *= 2)
		for (uint64_t memory = 1; memory > 0 && memory < UINT64_C(1) << 50; memory *= 4) {
			const size_t window = gs_transport_window_bytes(ranks, memory);
			const size_t block = gs_transport_block_bytes(ranks, window);

			CHECK(window / block >= (size_t)8 * ranks && window >= 1 << 20 &&
			      block >= 4 << 10 && block <= 256 << 10 && (block & (block - 1)) == 0 &&
			      (window <= memory / 8 || window <= 1 << 20 || block == 4 << 10),
			      "%u ranks with %llu bytes: a window of %zu, blocks of %zu", ranks,
			      (unsigned long long)memory, window, block);
		}
}

void
unit_transport(void)
{
	check_sizes();
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
}

// SPDX-License-Identifier: BSD-2-Clause
/* batch.c - rows for src/sort/buckets/batch.c: batches of several key classes, sorted by teams */
#include <stdlib.h>
#include <string.h>

#include "sort/buckets/batch.h"
#include "tests/unit/units.h"

void unit_batch(void);

enum { POOL_BYTES = 32 << 20, PART_BYTES = 64 << 10, THREADS = 5 };

static const struct row {
	const char *name;
	unsigned    bits[GS_CLASSES];
	size_t      keys[GS_CLASSES];
	unsigned    batches;
	size_t      enough;	/* keys after which no more are wanted; 0: all are */
} rows[] = {
	{ "nothing", { 32 }, { 0 }, 1, 0 },
	{ "one key", { 64 }, { 1 }, 2, 0 },
	{ "one part", { 32 }, { 5000 }, 1, 0 },
	{ "many parts", { 32 }, { 900007 }, 2, 0 },
	{ "64 bits", { 64 }, { 500009 }, 2, 0 },
	{ "four key classes, as of text", { 64, 32, 0, 32, 64 }, { 3, 300001, 0, 200003, 70001 }, 2, 0 },
	{ "the first are enough", { 64 }, { 500009 }, 2, 100000 },
	{ "one is enough", { 32 }, { 900007 }, 1, 1 },
};

static uint64_t
random_key(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state ^ *state >> 29;
}

/* Add random keys, some at a time, by ranks in turn; returns their sum. */
static uint64_t
add(struct gs_batch *batch, unsigned key_class, size_t count, uint64_t *state)
{
	static uint64_t keys[3000];
	unsigned rank = 0;
	uint64_t sum = 0;

	for (size_t at = 0, here; at < count; at += here) {
		here = count - at < 3000 ? count - at : 3000;
		for (size_t i = 0; i < here; i++) {
			const uint64_t key = random_key(state);

			sum += batch->bits[key_class] == 32 ? (uint32_t)key : key;
			gs_key_put(keys, batch->bits[key_class], i, key);
		}
		gs_batch_add(batch, rank++ % batch->threads, key_class, batch->sequences[key_class]++,
		             keys, here);
	}
	return sum;
}

/* What comes out of a key class. */
struct seen {
	const struct row *row;
	uint64_t sum, last, made[GS_BATCH_SLOTS_MOST];
	size_t   keys, spans;
	bool     good;
	gs_status fails;	/* once 1000 keys have come */
};

/* Makers leave their mark, so that the taker knows that they have been there. */
static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct seen *seen = context;

	seen->made[sorted->slot] = gs_key_at(sorted->span.keys, sorted->span.key_bits, 0) + sorted->number;
	return GS_OK;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct seen *seen = context;
	const struct gs_span *span = &sorted->span;

	seen->good &= sorted->number == seen->spans++ && span->count > 0 &&
	              seen->made[sorted->slot] == gs_key_at(span->keys, span->key_bits, 0) + sorted->number;
	for (size_t i = 0; i < span->count; i++) {
		const uint64_t key = gs_key_at(span->keys, span->key_bits, i);

		seen->good &= key >= seen->last;
		seen->last = key;
		seen->sum += key;
	}
	seen->keys += span->count;
	*enough = seen->row->enough > 0 && seen->keys >= seen->row->enough;
	return seen->fails != GS_OK && seen->keys >= 1000 ? gs_fail(seen->fails, "as wanted") : GS_OK;
}

static void
check_class(struct gs_batch *batch, const struct row *row, unsigned key_class, uint64_t sum)
{
	struct seen seen = { .row = row, .good = true };
	const struct gs_span_sink sink = { .make = make, .take = take, .context = &seen };

	CHECK(gs_batch_count(batch, key_class) == row->keys[key_class], "%s: counts", row->name);
	CHECK(gs_batch_drain(batch, key_class, &sink) == GS_OK, "%s: drains", row->name);
	CHECK(seen.good, "%s: spans and keys of class %u in order", row->name, key_class);
	if (row->enough == 0)
		CHECK(seen.keys == row->keys[key_class] && seen.sum == sum, "%s: all keys of class %u",
		      row->name, key_class);
	else
		CHECK(seen.keys >= row->enough && seen.keys < row->enough + PART_BYTES / 4,
		      "%s: not many more", row->name);
}

struct memory {
	void *pool, *block_table, *slots, *buckets[GS_CLASSES];
};

static void
open_batch(struct gs_batch *batch, struct memory *memory, const unsigned *bits, unsigned threads)
{
	*batch = (struct gs_batch){ .threads = threads, .part_bytes = PART_BYTES };
	memory->pool = aligned_alloc(1 << 21, POOL_BYTES);
	memory->block_table = calloc(1, gs_pool_bytes(POOL_BYTES));
	memory->slots = aligned_alloc(64, (gs_batch_slots(threads) + threads) * PART_BYTES);
	batch->pool = gs_pool_init(memory->block_table, memory->pool, POOL_BYTES, GS_CLASSES);
	batch->slots = memory->slots;
	batch->scratch = batch->slots + gs_batch_slots(threads) * PART_BYTES;
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		memory->buckets[s] = NULL;
		if ((batch->bits[s] = bits[s]) == 0)
			continue;
		memory->buckets[s] = calloc(1, gs_buckets_bytes(threads, POOL_BYTES, PART_BYTES));
		batch->buckets[s] = gs_buckets_init(memory->buckets[s], batch->pool, bits[s], threads,
		                                    PART_BYTES, UINT64_MAX);
	}
}

static void
close_batch(struct memory *memory)
{
	free(memory->pool);
	free(memory->block_table);
	free(memory->slots);
	for (unsigned s = 0; s < GS_CLASSES; s++)
		free(memory->buckets[s]);
}

static void
check_row(const struct row *row, unsigned threads)
{
	struct gs_batch batch;
	struct memory memory;
	uint64_t state = 7, sums[GS_CLASSES] = { 0 };
	size_t room;

	open_batch(&batch, &memory, row->bits, threads);
	room = gs_batch_room(&batch);
	CHECK(room > POOL_BYTES / 2 && room < POOL_BYTES, "%s: room for %zu", row->name, room);
	for (unsigned b = 0; b < row->batches; b++) {
		for (unsigned s = 0; s < GS_CLASSES; s++)
			if (row->bits[s] > 0)
				sums[s] = add(&batch, s, row->keys[s], &state);
		gs_batch_seal(&batch);
		for (unsigned s = 0; s < GS_CLASSES; s++)
			if (row->keys[s] > 0)
				check_class(&batch, row, s, sums[s]);
		gs_batch_reset(&batch);
		CHECK(gs_batch_room(&batch) == room, "%s: empty again", row->name);
	}
	close_batch(&memory);
}

/* An error of the taker ends the work of all, and is the caller's. */
static void
check_error(unsigned threads)
{
	struct seen seen = { .row = &rows[3], .good = true, .fails = GS_EIO };
	const struct gs_span_sink sink = { .make = make, .take = take, .context = &seen };
	struct gs_batch batch;
	struct memory memory;
	uint64_t state = 9;

	open_batch(&batch, &memory, rows[3].bits, threads);
	(void)add(&batch, 0, 900007, &state);
	gs_batch_seal(&batch);
	CHECK(gs_batch_drain(&batch, 0, &sink) == GS_EIO && strcmp(gs_message(), "as wanted") == 0,
	      "an error is passed on");
	CHECK(seen.keys < 1000 + PART_BYTES / 4, "and nothing is taken after it");
	close_batch(&memory);
}

void
unit_batch(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned threads = 1; threads <= THREADS; threads += 2)
			check_row(&rows[r], threads);
	for (unsigned threads = 1; threads <= THREADS; threads++)
		check_error(threads);
}

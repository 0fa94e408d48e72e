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
	size_t      enough;	/* keys after which the taker stops; 0: never */
} rows[] = {
	{ "nothing", { 32 }, { 0 }, 1, 0 },
	{ "one key", { 64 }, { 1 }, 2, 0 },
	{ "one part", { 32 }, { 5000 }, 1, 0 },
	{ "many parts", { 32 }, { 900007 }, 2, 0 },
	{ "the second key class alone", { 0, 32 }, { 0, 60000 }, 1, 0 },
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

/* The output of a key class. */
struct seen {
	const struct row *row;
	uint64_t sum, last, made[GS_BATCH_SLOTS_MOST];
	size_t   keys, spans;
	_Atomic size_t makes;
	bool     good;
	gs_status fails;	/* once 1000 keys have come */
};

/* Makers leave their mark, so that the taker knows that they have been there. */
static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct seen *seen = context;

	seen->made[sorted->slot] = gs_key_at(sorted->span.keys, sorted->span.key_bits, 0) + sorted->number;
	seen->makes++;
	return GS_OK;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
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
	sorted->enough = seen->row->enough > 0 && seen->keys >= seen->row->enough;
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
		CHECK(seen.keys >= row->enough && seen.keys < row->enough + PART_BYTES / 4 &&
		      seen.makes <= seen.spans + gs_batch_slots(batch->threads),
		      "%s: not many more", row->name);
}

struct memory {
	void *pool, *block_table, *slots, *buckets[GS_CLASSES];
};

static void
open_batch(struct gs_batch *batch, struct memory *memory, const unsigned *bits, unsigned threads)
{
	const struct gs_bucket_sizes sizes = gs_buckets_choose(threads, GS_CLASSES, POOL_BYTES,
	                                                       POOL_BYTES, PART_BYTES);

	CHECK(sizes.part_bytes == PART_BYTES, "parts as large as allowed");
	*batch = (struct gs_batch){ .threads = threads, .part_bytes = PART_BYTES };
	memory->pool = aligned_alloc(1 << 21, POOL_BYTES);
	memory->block_table = calloc(1, gs_pool_bytes(POOL_BYTES, sizes.block_bytes));
	memory->slots = aligned_alloc(64, (gs_batch_slots(threads) + threads) * PART_BYTES);
	batch->pool = gs_pool_init(memory->block_table, memory->pool, POOL_BYTES,
	                           sizes.block_bytes);
	batch->slots = memory->slots;
	batch->scratch = batch->slots + gs_batch_slots(threads) * PART_BYTES;
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		memory->buckets[s] = NULL;
		if ((batch->bits[s] = bits[s]) == 0)
			continue;
		memory->buckets[s] = calloc(1, gs_buckets_bytes(&sizes, POOL_BYTES));
		batch->buckets[s] = gs_buckets_init(memory->buckets[s], batch->pool, bits[s], &sizes);
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
	CHECK(seen.keys < 1000 + PART_BYTES / 4 && seen.makes <= seen.spans + gs_batch_slots(threads),
	      "and nothing is taken after it, nor begun");
	close_batch(&memory);
}

/* ---- what a sink may want ----------------------------------------------------------- */

enum { WANTED_KEYS = 300007, KEPT = 2 * THREADS - 1 };

/* Every third span is skipped, others are sorted elsewhere, and spans that were taken stay. */
struct wanted {
	uint32_t *into;		/* NULL: in the slot */
	unsigned  threads;
	pthread_t caller;
	atomic_bool helped;	/* by others than the caller */
	_Atomic size_t wrong;
	size_t    spans, keys, keeps;
	struct kept {
		const uint32_t *keys;
		size_t          count;
		uint64_t        sum;
	} kept[KEPT];
};

static bool
skip(void *context, const struct gs_sorted_span *sorted)
{
	(void)context;
	return sorted->number % 3 == 1;
}

static void
room(void *context, const struct gs_sorted_span *sorted, void **keys)
{
	struct wanted *wanted = context;

	wanted->wrong += skip(NULL, sorted);
	if (wanted->into != NULL)
		*keys = wanted->into + sorted->at;
}

static gs_status
make_wanted(void *context, struct gs_sorted_span *sorted)
{
	struct wanted *wanted = context;

	wanted->wrong += skip(NULL, sorted) || sorted->skipped ||
	                 (wanted->threads == 1 && !pthread_equal(pthread_self(), wanted->caller));
	if (!pthread_equal(pthread_self(), wanted->caller))
		wanted->helped = true;
	return GS_OK;
}

static uint64_t
sum_of(const uint32_t *keys, size_t count)
{
	uint64_t sum = count;

	for (size_t k = 0; k < count; k++)
		sum = sum * 31 + keys[k];
	return sum;
}

static gs_status
take_wanted(void *context, struct gs_sorted_span *sorted)
{
	struct wanted *wanted = context;
	struct kept *kept = &wanted->kept[wanted->keeps > 0 ? wanted->spans % wanted->keeps : 0];

	wanted->wrong += sorted->number != wanted->spans++ || sorted->at != wanted->keys ||
	                 sorted->skipped != skip(NULL, sorted) ||
	                 (wanted->into != NULL && !sorted->skipped &&
	                  sorted->span.keys != wanted->into + sorted->at) ||
	                 !pthread_equal(pthread_self(), wanted->caller);
	wanted->keys += sorted->span.count;
	for (size_t k = 0; k < wanted->keeps; k++) {
		const struct kept *old = &wanted->kept[k];

		wanted->wrong += old->keys != NULL && sum_of(old->keys, old->count) != old->sum;
	}
	*kept = (struct kept){ .keys = NULL };
	if (!sorted->skipped)
		*kept = (struct kept){ sorted->span.keys, sorted->span.count,
		                       sum_of(sorted->span.keys, sorted->span.count) };
	return GS_OK;
}

/* Returns whether several threads worked. */
static bool
check_wanted(unsigned threads, unsigned most, size_t keeps, bool elsewhere)
{
	static uint32_t into[WANTED_KEYS];
	const unsigned bits[GS_CLASSES] = { 32 };
	struct gs_clock clock = { .ns = { 0 } };
	struct wanted wanted = {
		.into = elsewhere ? into : NULL, .threads = most == 1 ? 1 : threads, .caller = pthread_self(),
		.keeps = keeps,
	};
	const struct gs_span_sink sink = {
		.skip = skip, .room = room, .make = make_wanted, .take = take_wanted, .context = &wanted,
		.keeps = keeps, .threads = most,
	};
	struct gs_batch batch;
	struct memory memory;
	uint64_t state = 3, sealed, drained, wall = gs_clock_wall();

	open_batch(&batch, &memory, bits, threads);
	batch.clock = &clock;
	(void)add(&batch, 0, WANTED_KEYS, &state);
	gs_batch_seal(&batch);
	sealed = clock.ns[GS_STAGE_SORT];
	CHECK(gs_batch_drain(&batch, 0, &sink) == GS_OK && wanted.wrong == 0 && wanted.keys == WANTED_KEYS &&
	      wanted.spans == batch.parts[0],
	      "%u threads, %u wanted: spans that are wanted, and %zu stay: %zu wrong", threads, most, keeps,
	      wanted.wrong);
	drained = clock.ns[GS_STAGE_SORT];
	wall = gs_clock_wall() - wall;
	CHECK(0 < sealed && sealed < drained && drained <= threads * wall,
	      "the time of sorting: %llu, %llu of %llu",
	      (unsigned long long)sealed, (unsigned long long)drained, (unsigned long long)wall);
	close_batch(&memory);
	return wanted.helped;
}

/* ---- by strands ------------------------------------------------------------------- */

enum { STRANDS_MOST = 40, STRAND_KEYS = 900007 };

/* What comes out by strands. */
struct strands {
	const uint64_t *at;
	size_t          count;
	struct strand {
		atomic_bool taking;
		uint64_t    keys, first, last, next;	/* NEXT: number of the next span */
		size_t      spans;
		bool        good;
	} strand[STRANDS_MOST];
	_Atomic uint64_t sum;
	atomic_size_t   all;
	size_t          enough;		/* keys after which no more are wanted */
	gs_status       fails;
	uint64_t       *middle;		/* if not NULL: to be the middle of the fourth span */
};

static gs_status
take_strand(void *context, struct gs_sorted_span *sorted)
{
	struct strands *strands = context;
	struct strand *strand = &strands->strand[sorted->strand];
	const struct gs_span *span = &sorted->span;
	const uint64_t end = sorted->strand + 1 < strands->count ? strands->at[sorted->strand + 1]
	                                                         : UINT64_MAX;
	const uint64_t middle = sorted->at + span->count / 2;
	uint64_t sum = 0;

	strand->good &= !atomic_exchange(&strand->taking, true);
	strand->good &= middle >= strands->at[sorted->strand] && middle < end;
	if (strand->spans++ == 0)
		strand->first = gs_key_at(span->keys, 32, 0);
	else
		strand->good &= sorted->number == strand->next;
	strand->next = sorted->number + 1;
	for (size_t i = 0; i < span->count; i++) {
		const uint64_t key = gs_key_at(span->keys, 32, i);

		strand->good &= key >= strand->last;
		strand->last = key;
		sum += key;
	}
	atomic_fetch_add(&strands->sum, sum);
	sorted->enough = atomic_fetch_add(&strands->all, span->count) + span->count >= strands->enough;
	atomic_store(&strand->taking, false);
	return strands->fails != GS_OK ? gs_fail(strands->fails, "as wanted") : GS_OK;
}

static gs_status
drain_strands(struct strands *strands, unsigned threads, uint64_t *sum)
{
	const unsigned bits[GS_CLASSES] = { 32 };
	const struct gs_span_sink sink = {
		.take = take_strand, .context = strands, .strand_at = strands->at,
		.strand_count = strands->count,
	};
	struct gs_batch batch;
	struct memory memory;
	uint64_t state = 11;
	gs_status status;

	for (size_t s = 0; s < strands->count; s++)
		strands->strand[s].good = true;
	open_batch(&batch, &memory, bits, threads);
	*sum = add(&batch, 0, STRAND_KEYS, &state);
	gs_batch_seal(&batch);
	if (strands->middle != NULL) {
		const struct gs_part part = gs_buckets_part(batch.buckets[0], 3);

		*strands->middle = part.at + part.count / 2;
	}
	status = gs_batch_drain_strands(&batch, 0, &sink);
	close_batch(&memory);
	return status;
}

static void
check_strands(size_t count, unsigned threads)
{
	uint64_t at[STRANDS_MOST], sum, last = 0;
	struct strands strands = { .at = at, .count = count, .enough = SIZE_MAX };
	bool good = true;

	for (size_t s = 0; s < count; s++)	/* of different sizes; two of them empty */
		at[s] = s == 0 ? 0 : s == 3 ? at[2] : STRAND_KEYS * s / count - (s * 7919) % 3000;
	CHECK(drain_strands(&strands, threads, &sum) == GS_OK, "%zu strands: drained", count);
	for (size_t s = 0; s < count; s++) {
		const struct strand *strand = &strands.strand[s];

		good &= strand->good;
		if (strand->spans > 0)
			good &= strand->first >= last;
		last = strand->spans > 0 ? strand->last : last;
	}
	CHECK(good, "%zu strands, %u threads: each in order, by one thread at a time", count, threads);
	CHECK(strands.all == STRAND_KEYS && strands.sum == sum, "%zu strands: all keys", count);
}

/* A span whose middle key is the first one of a strand belongs to it. */
static void
check_middle(unsigned threads)
{
	uint64_t at[2] = { 0 }, sum;
	struct strands strands = { .at = at, .count = 2, .enough = SIZE_MAX, .middle = &at[1] };

	CHECK(drain_strands(&strands, threads, &sum) == GS_OK && strands.strand[0].good &&
	      strands.strand[1].good && strands.strand[0].spans == 3 && strands.all == STRAND_KEYS,
	      "a strand begins in the middle of a span");
}

static void
check_strands_end(unsigned threads)
{
	const uint64_t at[] = { 0, 200000, 400000, 600000 };
	struct strands strands = { .at = at, .count = 4, .enough = SIZE_MAX, .fails = GS_EIO };
	uint64_t sum;

	CHECK(drain_strands(&strands, threads, &sum) == GS_EIO && strcmp(gs_message(), "as wanted") == 0,
	      "strands: an error is passed on");
	CHECK(strands.all <= threads * (PART_BYTES / 4), "and nothing is begun after it");
	strands = (struct strands){ .at = at, .count = 4, .enough = 100000 };
	CHECK(drain_strands(&strands, threads, &sum) == GS_OK && strands.all >= 100000 &&
	      strands.all < 100000 + threads * (PART_BYTES / 4), "strands: not many more than enough");
}

void
unit_batch(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned threads = 1; threads <= THREADS; threads += 2)
			check_row(&rows[r], threads);
	CHECK(gs_batch_room(&(struct gs_batch){ .threads = 1 }) == 0 &&
	      gs_batch_count(&(struct gs_batch){ .threads = 1 }, 0) == 0, "no key class, no room, no keys");
	for (unsigned threads = 1; threads <= THREADS; threads++) {
		check_error(threads);
		unsigned tries = 1;

		/* other threads may be late */
		while (!check_wanted(threads, 0, threads > 1 ? 2 : 0, threads % 2 == 0) && threads > 1 &&
		       tries < 100)
			tries++;
		CHECK(tries < 100, "%u threads work", threads);
		(void)check_wanted(threads, 0, gs_batch_slots(threads) - 1, false);
		CHECK(!check_wanted(threads, 1, 0, threads % 2 == 1), "one thread works");
	}
	for (unsigned threads = 1; threads <= THREADS; threads++) {
		check_strands(1, threads);
		check_strands(4, threads);
		check_strands(STRANDS_MOST, threads);
		check_strands_end(threads);
		check_middle(threads);
	}
}

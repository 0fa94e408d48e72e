// SPDX-License-Identifier: BSD-2-Clause
/*
 * strands.c - the keys of a batch, drained by strands
 *
 * In:   sealed buckets; where strands begin.
 * Out:  sorted spans, in slots: those of a strand in order, several strands at once.
 *
 * A strand is a row of parts: what one output file gets.  As many strands as there are threads are
 * open at a time; when all parts of one have been claimed, the next one opens.  A thread that looks
 * for work first takes a span that is ready and the next of its strand; else it makes the next span
 * of the open strand that has the fewest spans on their way.  So the threads spread over the
 * strands, and help where one is slow.
 *
 * Invariant: of a strand, spans are claimed in order; those from taken to before claimed are ready
 * or being made, each in a slot; a claimed span waits only for claimed ones, which are being made.
 */
#include <assert.h>
#include <pthread.h>

#include "base/team.h"
#include "sort/buckets/strands.h"
#include "sort/buckets/parts.h"

struct strand {
	size_t begin, claimed, taken, end;	/* parts: begin <= taken <= claimed <= end */
	bool   taking;				/* a thread is in take() */
};

struct slot {
	struct gs_sorted_span sorted;
	bool                  used, ready;
};

struct draining {
	struct gs_batch           *batch;
	unsigned                   key_class, slots;
	const struct gs_span_sink *sink;
	struct gs_first_error      error;

	/* guarded by the lock */
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	size_t          used;		/* slots */
	size_t          open;		/* no strand before it has parts to be claimed */
	bool            enough;
	struct slot     slot[GS_BATCH_SLOTS_MOST];
	struct strand     strand[GS_STRANDS_MOST];
};

/* ---- strands -------------------------------------------------------------------- */

/* Deal parts to the strands, by their middle keys. */
static void
deal_parts(struct draining *draining)
{
	const struct gs_buckets *buckets = draining->batch->buckets[draining->key_class];
	const struct gs_span_sink *sink = draining->sink;
	const size_t parts = draining->batch->parts[draining->key_class];
	size_t part = 0;

	for (size_t l = 0; l < sink->strand_count; l++) {
		const uint64_t end = l + 1 < sink->strand_count ? sink->strand_at[l + 1] : UINT64_MAX;
		struct strand *strand = &draining->strand[l];

		*strand = (struct strand){ .begin = part };
		for (; part < parts; part++) {
			const struct gs_part next = gs_buckets_part(buckets, part);

			if (next.at + next.count / 2 >= end)
				break;
		}
		strand->claimed = strand->taken = strand->begin;
		strand->end = part;
	}
}

/* The open strand with the fewest spans on their way; NULL: all parts have been claimed. */
static struct strand *
choose_strand(struct draining *draining)
{
	struct strand *best = NULL;
	unsigned seen = 0;

	for (; draining->open < draining->sink->strand_count; draining->open++)
		if (draining->strand[draining->open].claimed < draining->strand[draining->open].end)
			break;
	for (size_t l = draining->open; l < draining->sink->strand_count && seen < draining->batch->threads;
	     l++) {
		struct strand *strand = &draining->strand[l];

		if (strand->claimed == strand->end)
			continue;
		seen++;
		if (best == NULL || strand->claimed - strand->taken < best->claimed - best->taken)
			best = strand;
	}
	return best;
}

/* ---- spans ---------------------------------------------------------------------- */

static bool
stops(const struct draining *draining)
{
	return draining->enough || atomic_load(&draining->error.any);
}

/* A span that is ready, and the next of a strand from which nobody takes; or NULL. */
static struct slot *
find_next(struct draining *draining)
{
	for (unsigned s = 0; s < draining->slots; s++) {
		struct slot *slot = &draining->slot[s];
		const struct strand *strand = &draining->strand[slot->sorted.strand];

		if (slot->ready && !strand->taking && slot->sorted.number == strand->taken)
			return slot;
	}
	return NULL;
}

static void
take(struct draining *draining, struct slot *slot)
{
	const struct gs_span_sink *sink = draining->sink;
	struct strand *strand = &draining->strand[slot->sorted.strand];
	bool enough = draining->enough;

	strand->taking = true;
	pthread_mutex_unlock(&draining->lock);
	if (!enough && !atomic_load(&draining->error.any))
		gs_first_error_note(&draining->error,
		                    sink->take(sink->context, &slot->sorted, &enough));
	pthread_mutex_lock(&draining->lock);
	strand->taking = false;
	strand->taken++;
	slot->ready = slot->used = false;
	draining->used--;
	draining->enough |= enough;
	pthread_cond_broadcast(&draining->changed);
}

static struct slot *
claim(struct draining *draining, struct strand *strand)
{
	const struct gs_batch *batch = draining->batch;
	const unsigned key_class = draining->key_class;
	const size_t number = strand->claimed++;
	const struct gs_part part = gs_buckets_part(batch->buckets[key_class], number);
	size_t at = 0;

	while (draining->slot[at].used)
		at++;
	assert(at < draining->slots && part.count * (batch->bits[key_class] / 8) <= batch->part_bytes);
	draining->used++;
	draining->slot[at] = (struct slot){ .used = true, .sorted = {
		.span = {
			.keys = batch->slots + at * batch->part_bytes,
			.count = part.count, .key_bits = batch->bits[key_class], .key_class = key_class,
		},
		.number = number, .slot = at, .at = part.at, .strand = (size_t)(strand - draining->strand),
	} };
	return &draining->slot[at];
}

static void
make(struct draining *draining, unsigned rank, struct strand *strand)
{
	const struct gs_batch *batch = draining->batch;
	const struct gs_span_sink *sink = draining->sink;
	struct slot *slot = claim(draining, strand);
	struct gs_sorted_span *sorted = &slot->sorted;
	uint64_t since;

	pthread_mutex_unlock(&draining->lock);
	since = gs_clock_now();
	gs_buckets_sort_part(batch->buckets[draining->key_class], rank, sorted->number,
	                     sorted->span.keys, batch->scratch + rank * batch->part_bytes);
	gs_clock_lap(batch->clock, GS_STAGE_SORT, &since);
	if (sink->make != NULL)
		gs_first_error_note(&draining->error, sink->make(sink->context, sorted));
	pthread_mutex_lock(&draining->lock);
	slot->ready = true;
	pthread_cond_broadcast(&draining->changed);
}

static void
drain(void *context, unsigned rank, unsigned size)
{
	struct draining *draining = context;

	(void)size;
	pthread_mutex_lock(&draining->lock);
	for (;;) {
		struct slot *next = find_next(draining);
		struct strand *strand = stops(draining) ? NULL : choose_strand(draining);

		if (next != NULL)
			take(draining, next);
		else if (strand != NULL && draining->used < draining->slots)
			make(draining, rank, strand);
		else if (strand == NULL && draining->used == 0)
			break;
		else
			pthread_cond_wait(&draining->changed, &draining->lock);
	}
	pthread_mutex_unlock(&draining->lock);
}

gs_status
gs_batch_drain_strands(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink)
{
	struct draining draining = {
		.batch = batch, .key_class = key_class, .slots = gs_batch_slots(batch->threads), .sink = sink,
	};

	assert(sink->strand_count <= GS_STRANDS_MOST && sink->strand_at[0] == 0 && sink->room == NULL);
	gs_first_error_open(&draining.error);
	pthread_mutex_init(&draining.lock, NULL);
	pthread_cond_init(&draining.changed, NULL);
	deal_parts(&draining);
	gs_team_run(batch->threads, drain, &draining);
	pthread_cond_destroy(&draining.changed);
	pthread_mutex_destroy(&draining.lock);
	return gs_first_error_close(&draining.error);
}

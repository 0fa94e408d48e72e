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
#include <stdlib.h>

#include "sort/buckets/batch.h"
#include "sort/buckets/buckets.h"

struct strand {
	size_t begin, claimed, taken, end;	/* parts: begin <= taken <= claimed <= end */
	bool   taking;				/* a thread is in take() */
};

struct slot {
	struct gs_sorted_span sorted;
	bool                  used, ready;
};

struct draining {
	struct gs_drain base;

	/* guarded by its lock */
	pthread_cond_t  changed;
	size_t          used;		/* slots */
	size_t          open;		/* no strand before it has parts to be claimed */
	struct slot     slot[GS_BATCH_SLOTS_MOST];
	struct strand   strand[GS_STRANDS_MOST];
};

/* ---- strands -------------------------------------------------------------------- */

/* Deal parts to the strands, by their middle keys. */
static void
deal_parts(struct draining *draining)
{
	const struct gs_buckets *buckets = draining->base.batch->buckets[draining->base.key_class];
	const struct gs_span_sink *sink = draining->base.sink;
	const size_t parts = draining->base.batch->parts[draining->base.key_class];
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
	const size_t strands = draining->base.sink->strand_count;
	struct strand *best = NULL;
	unsigned seen = 0;

	for (; draining->open < strands; draining->open++)
		if (draining->strand[draining->open].claimed < draining->strand[draining->open].end)
			break;
	for (size_t l = draining->open; l < strands && seen < draining->base.batch->threads; l++) {
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

/* A span that is ready, and the next of a strand from which nobody takes; or NULL. */
static struct slot *
find_next(struct draining *draining)
{
	for (unsigned s = 0; s < draining->base.slots; s++) {
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
	struct strand *strand = &draining->strand[slot->sorted.strand];

	strand->taking = true;
	gs_drain_take(&draining->base, &slot->sorted);
	strand->taking = false;
	strand->taken++;
	slot->ready = slot->used = false;
	draining->used--;
	pthread_cond_broadcast(&draining->changed);
}

static struct slot *
claim(struct draining *draining, struct strand *strand)
{
	size_t at = 0;

	while (draining->slot[at].used)
		at++;
	draining->used++;
	draining->slot[at] = (struct slot){
		.used = true, .sorted = gs_drain_claim(&draining->base, strand->claimed++, at),
	};
	draining->slot[at].sorted.strand = (size_t)(strand - draining->strand);
	return &draining->slot[at];
}

static void
make(struct draining *draining, unsigned worker, struct strand *strand)
{
	struct slot *slot = claim(draining, strand);

	pthread_mutex_unlock(&draining->base.lock);
	gs_drain_make(&draining->base, worker, &slot->sorted);
	pthread_mutex_lock(&draining->base.lock);
	slot->ready = true;
	pthread_cond_broadcast(&draining->changed);
}

static void
drain(void *context, unsigned worker, unsigned size)
{
	struct draining *draining = context;

	(void)size;
	pthread_mutex_lock(&draining->base.lock);
	for (;;) {
		struct slot *next = find_next(draining);
		struct strand *strand = gs_drain_stops(&draining->base) ? NULL : choose_strand(draining);

		if (next != NULL)
			take(draining, next);
		else if (strand != NULL && draining->used < draining->base.slots)
			make(draining, worker, strand);
		else if (strand == NULL && draining->used == 0)
			break;
		else
			pthread_cond_wait(&draining->changed, &draining->base.lock);
	}
	pthread_mutex_unlock(&draining->base.lock);
}

gs_status
gs_batch_drain_strands(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink)
{
	struct draining *draining;
	gs_status status;

	assert(sink->strand_count <= GS_STRANDS_MOST && sink->strand_at[0] == 0 && sink->room == NULL);
	TRY(GS_NEW(draining, 1, "drain"));
	gs_drain_open(&draining->base, batch, key_class, sink);
	pthread_cond_init(&draining->changed, NULL);
	deal_parts(draining);
	gs_team_run(batch->threads, drain, draining);
	pthread_cond_destroy(&draining->changed);
	status = gs_drain_close(&draining->base);
	free(draining);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * strands.c - the keys of a batch, drained by strands
 *
 * In:   sealed buckets; where strands begin.
 * Out:  sorted spans, in slots: in order within a strand, several strands at once.
 *
 * A strand is a row of parts: what one output file gets.  As many strands as there are threads are
 * open at a time; when all parts of one have been claimed, the next one opens.  A thread that looks
 * for work first takes a span that is ready and the next of its strand; else it makes the next span
 * of the open strand that has the fewest spans on their way.  So the threads spread over the
 * strands, and help where one is slow.
 *
 * Invariant: the spans of a strand are claimed in order; spans from taken to before claimed are ready
 * or being made, each in a slot; a claimed span waits only for claimed ones, which are being made.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "sort/buckets/batch.h"
#include "sort/buckets/buckets.h"

struct strand {
	size_t claimed, taken, end;	/* parts: taken <= claimed <= end */
	bool   taking;				/* a thread is in take() */
};

struct slot {
	struct gs_sorted_span sorted;
	bool                  used, ready;
};

struct drainer {
	struct gs_drain base;

	/* guarded by its lock */
	pthread_cond_t  changed;
	size_t          used;		/* slots */
	size_t          open;		/* no strand before it has parts to be claimed */
	struct slot     slot[GS_BATCH_SLOTS_MOST];
	struct strand   strand[GS_STRANDS_MOST];
};

/* The open strand with the fewest spans on their way; NULL: all parts have been claimed. */
static struct strand *
choose_strand(struct drainer *drainer)
{
	const size_t strands = drainer->base.sink->strand_count;
	struct strand *best = NULL;
	unsigned seen = 0;

	for (; drainer->open < strands; drainer->open++)
		if (drainer->strand[drainer->open].claimed < drainer->strand[drainer->open].end)
			break;
	for (size_t l = drainer->open; l < strands && seen < drainer->base.batch->threads; l++) {
		struct strand *strand = &drainer->strand[l];

		if (strand->claimed == strand->end)
			continue;
		seen++;
		if (best == NULL || strand->claimed - strand->taken < best->claimed - best->taken)
			best = strand;
	}
	return best;
}

static void
drain(void *context, unsigned worker, unsigned size)
{
	struct drainer *drainer = context;
	struct gs_drain *base = &drainer->base;

	(void)size;
	pthread_mutex_lock(&base->lock);
	for (;;) {
		struct slot *slot = drainer->slot, *const end = slot + base->slots;
		struct strand *strand = NULL;

		/* a span that is ready, and the next of a strand from which nobody takes */
		for (; slot < end; slot++) {
			strand = &drainer->strand[slot->sorted.strand];
			if (slot->ready && !strand->taking && slot->sorted.number == strand->taken)
				break;
		}
		if (slot == end)
			strand = gs_drain_stops(base) ? NULL : choose_strand(drainer);
		if (slot < end) {	/* take it */
			strand->taking = true;
			gs_drain_take(base, &slot->sorted);
			strand->taking = false;
			strand->taken++;
			slot->ready = slot->used = false;
			drainer->used--;
			pthread_cond_broadcast(&drainer->changed);
		} else if (strand != NULL && drainer->used < base->slots) {	/* make one */
			slot = drainer->slot;
			while (slot->used)
				slot++;
			drainer->used++;
			*slot = (struct slot){ .used = true, .sorted = gs_drain_claim(base,
				strand->claimed++, (size_t)(slot - drainer->slot)) };
			slot->sorted.strand = (size_t)(strand - drainer->strand);
			pthread_mutex_unlock(&base->lock);
			gs_drain_make(base, worker, &slot->sorted);
			pthread_mutex_lock(&base->lock);
			slot->ready = true;
		} else if (strand == NULL && drainer->used == 0) {
			break;
		} else {
			pthread_cond_wait(&drainer->changed, &base->lock);
		}
	}
	pthread_mutex_unlock(&base->lock);
}

gs_status
gs_batch_drain_strands(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink)
{
	const size_t parts = batch->parts[key_class];
	struct drainer *drainer;
	size_t part = 0;
	gs_status status;

	assert(sink->strand_count <= GS_STRANDS_MOST && sink->strand_at[0] == 0 && sink->room == NULL);
	TRY(GS_NEW(drainer, 1, "drain"));
	gs_drain_open(&drainer->base, batch, key_class, sink);
	pthread_cond_init(&drainer->changed, NULL);
	for (size_t l = 0; l < sink->strand_count; l++) {	/* deal parts by their middle keys */
		const uint64_t end = l + 1 < sink->strand_count ? sink->strand_at[l + 1] : UINT64_MAX;
		struct strand *strand = &drainer->strand[l];

		strand->claimed = strand->taken = part;
		for (; part < parts; part++) {
			const struct gs_part next = gs_buckets_part(batch->buckets[key_class], part);

			if (next.at + next.count / 2 >= end)
				break;
		}
		strand->end = part;
	}
	gs_team_run(batch->threads, drain, drainer);
	pthread_cond_destroy(&drainer->changed);
	status = gs_drain_close(&drainer->base);
	free(drainer);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * batch.c - all keys that the CPU holds: a set of buckets for each key class, and their way out
 *
 * In:   sealed buckets.
 * Out:  sorted spans, in slots.
 *
 * A span is a part of the buckets.  Spans are numbered in order and claimed in order, and number N
 * lies in slot N modulo the number of slots; so a slot is free as soon as its span has been taken,
 * and so have as many more as the sink keeps.
 * The taker is a member of the team.  When the span that it wants is not ready, it sorts another one itself;
 * in a large team only while the others have half of the slots left: a span takes milliseconds, and soon all
 * others would wait for the taker.
 *
 * By strands (strands.c) each strand has its own numbers, and every thread takes.
 *
 * Invariant: taken <= claimed <= taken + slots - keeps; spans from taken to before claimed are ready or
 * being made.
 */
#include <assert.h>
#include <stdlib.h>

#include "sort/buckets/batch.h"

size_t
gs_batch_room(const struct gs_batch *batch)
{
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (batch->buckets[s] != NULL)
			return gs_buckets_fit(batch->buckets[s]);	/* of the pool, for all */
	return 0;
}

void
gs_batch_add(struct gs_batch *batch, unsigned worker, unsigned key_class, uint64_t sequence,
             const void *keys, size_t count)
{
	const bool added = gs_buckets_add(batch->buckets[key_class], worker, sequence, keys, count);

	(void)added;
	assert(added && "there was room");
}

uint64_t
gs_batch_count(const struct gs_batch *batch, unsigned key_class)
{
	return batch->buckets[key_class] != NULL ? gs_buckets_count(batch->buckets[key_class]) : 0;
}

void
gs_batch_seal(struct gs_batch *batch)
{
	uint64_t since = gs_clock_now();

	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (batch->buckets[s] != NULL)
			batch->parts[s] = gs_buckets_seal(batch->buckets[s], batch->threads);
	gs_clock_lap(batch->clock, GS_STAGE_SORT, &since);
}

void
gs_batch_reset(struct gs_batch *batch)
{
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (batch->buckets[s] != NULL)
			gs_buckets_reset(batch->buckets[s]);
}

/* ---- spans ------------------------------------------------------------------ */

void
gs_drain_open(struct gs_drain *drain, struct gs_batch *batch, unsigned key_class,
              const struct gs_span_sink *sink)
{
	drain->batch = batch;
	drain->key_class = key_class;
	drain->slots = gs_batch_slots(batch->threads);
	drain->sink = sink;
	gs_first_error_open(&drain->error);
	pthread_mutex_init(&drain->lock, NULL);
}

gs_status
gs_drain_close(struct gs_drain *drain)
{
	pthread_mutex_destroy(&drain->lock);
	return gs_first_error_close(&drain->error);
}

bool
gs_drain_stops(const struct gs_drain *drain)
{
	return drain->enough || atomic_load(&drain->error.any);
}

struct gs_sorted_span
gs_drain_claim(const struct gs_drain *drain, size_t number, size_t at)
{
	const struct gs_batch *batch = drain->batch;
	const unsigned bits = batch->bits[drain->key_class];
	const struct gs_part part = gs_buckets_part(batch->buckets[drain->key_class], number);

	assert(at < drain->slots && part.count * (bits / 8) <= batch->part_bytes);
	return (struct gs_sorted_span){
		.span = {
			.keys = batch->slots + at * batch->part_bytes,
			.count = part.count, .key_bits = bits, .key_class = drain->key_class,
		},
		.number = number, .slot = at, .at = part.at,
	};
}

void
gs_drain_make(struct gs_drain *drain, unsigned worker, struct gs_sorted_span *sorted)
{
	const struct gs_batch *batch = drain->batch;
	const struct gs_span_sink *sink = drain->sink;
	uint64_t since;

	sorted->skipped = sink->skip != NULL && sink->skip(sink->context, sorted);
	if (sorted->skipped)
		return;
	if (sink->room != NULL)
		sink->room(sink->context, sorted, &sorted->span.keys);
	since = gs_clock_now();
	gs_buckets_sort_part(batch->buckets[drain->key_class], worker, sorted->number,
	                     sorted->span.keys, batch->scratch + worker * batch->part_bytes);
	gs_clock_lap(batch->clock, GS_STAGE_SORT, &since);
	if (sink->make != NULL)
		gs_first_error_note(&drain->error, sink->make(sink->context, sorted));
}

void
gs_drain_take(struct gs_drain *drain, struct gs_sorted_span *sorted)
{
	const struct gs_span_sink *sink = drain->sink;
	const bool enough = drain->enough;

	pthread_mutex_unlock(&drain->lock);
	if (!enough && !atomic_load(&drain->error.any))
		gs_first_error_note(&drain->error, sink->take(sink->context, sorted));
	pthread_mutex_lock(&drain->lock);
	drain->enough |= sorted->enough;
}

/* ---- in order ------------------------------------------------------------------ */

struct drainer {
	struct gs_drain base;

	/* guarded by its lock */
	pthread_cond_t  ready, empty;		/* what the taker waits for, and the makers */
	size_t          claimed, taken;		/* spans */
	struct slot {
		struct gs_sorted_span sorted;
		bool                  ready;
	} slot[GS_BATCH_SLOTS_MOST];
};

/* Are there spans to be claimed? */
static bool
more(const struct drainer *drainer)
{
	const struct gs_drain *base = &drainer->base;

	return drainer->claimed < base->batch->parts[base->key_class] && !gs_drain_stops(base);
}

/* A large team.  Not tuned. */
enum { LARGE_TEAM = 4 };

/* Worker 0 takes the next span, or else claims and makes one, or else waits; the others make spans while
 * there are slots. */
static void
drain(void *context, unsigned worker, unsigned size)
{
	struct drainer *drainer = context;
	struct gs_drain *base = &drainer->base;
	const size_t room = base->slots - base->sink->keeps;	/* spans claimed and not yet taken */
	const size_t most = worker == 0 && size >= LARGE_TEAM && size < room ? size : room;

	pthread_mutex_lock(&base->lock);
	while (more(drainer) || (worker == 0 && drainer->taken < drainer->claimed)) {
		struct slot *slot = &drainer->slot[drainer->taken % base->slots];

		if (worker == 0 && slot->ready) {
			gs_drain_take(base, &slot->sorted);
			slot->ready = false;
			drainer->taken++;
			if (more(drainer))
				pthread_cond_signal(&drainer->empty);
			else
				pthread_cond_broadcast(&drainer->empty);
		} else if (more(drainer) && drainer->claimed < drainer->taken + most) {
			const size_t number = drainer->claimed++, at = number % base->slots;

			slot = &drainer->slot[at];
			slot->sorted = gs_drain_claim(base, number, at);
			pthread_mutex_unlock(&base->lock);
			gs_drain_make(base, worker, &slot->sorted);
			pthread_mutex_lock(&base->lock);
			slot->ready = true;
			if (number == drainer->taken)
				pthread_cond_signal(&drainer->ready);
		} else {
			pthread_cond_wait(worker == 0 ? &drainer->ready : &drainer->empty, &base->lock);
		}
	}
	pthread_mutex_unlock(&base->lock);
}

gs_status
gs_batch_drain(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink)
{
	const uint64_t bytes = gs_batch_count(batch, key_class) * (batch->bits[key_class] / 8);
	unsigned threads = batch->threads;
	struct drainer *drainer;
	gs_status status;

	assert(sink->strand_count == 0);	/* strands.c drains those */
	assert(sink->keeps < gs_batch_slots(threads));
	TRY(GS_NEW(drainer, 1, "drain"));
	gs_drain_open(&drainer->base, batch, key_class, sink);
	pthread_cond_init(&drainer->ready, NULL);
	pthread_cond_init(&drainer->empty, NULL);
	if (sink->threads > 0 && sink->threads < threads)
		threads = sink->threads;
	/* one span alone is not worth a team */
	gs_team_run(bytes > batch->part_bytes ? threads : 1, drain, drainer);
	pthread_cond_destroy(&drainer->empty);
	pthread_cond_destroy(&drainer->ready);
	status = gs_drain_close(&drainer->base);
	free(drainer);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_drain.c - sort the buckets of a store, and hand their items to a sink
 *
 * In:   buckets in order.
 * Out:  spans of sorted items.
 *
 * Each thread of a team takes the next part and sorts it in its own memory (item_maker.c).  A thread that
 * has made the part whose turn it is hands on that and all behind it that are made, so the sink waits for no
 * thread to wake up.  The others make one more part meanwhile, and then wait.  Where items have places in the
 * output, a thread puts them there and waits for nobody, unless the parts are verified; they are taken from
 * all over the output.
 *
 * 10^7 lines of CSV on 16 cores, writing: 123 ms; 137 if each thread hands on its own part and all wake up
 * at each turn, 163 if only the next one does (medians of 6; bench/results/h200-2026-11-23/drain.txt).  With
 * 8 threads all take 150.
 *
 * Invariant: parts that have turns are taken in order, so those not handed on are at most two for each
 * thread, one behind the other, and the thread that makes the first of them never waits.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "stages/items/item_store.h"

/* A part that one thread makes: part AT has slot AT modulo their number. */
struct slot {
	struct gs_item_made made;
	bool           skipped;		/* none of its items leaves */
	bool           ready;		/* it is made, and was not handed on */
	pthread_cond_t changed;
};

enum { SLOTS_OF_THREAD = 2 };

/* What a thread has of its own. */
struct worker {
	struct gs_item_maker maker;
	size_t made, other;	/* parts whose items are in its buffers, each plus 1; 0: none */
};

struct draining {
	const struct gs_item_drain *drain;
	const struct gs_span_sink *sink;	/* NULL: only count */
	struct worker         *workers;		/* of each thread */
	struct slot           *slots;		/* SLOTS_OF_THREAD; with the lock */
	struct gs_bucket_part *parts;
	size_t         part_count;
	atomic_size_t  next;
	struct gs_first_error error;

	uint64_t       from, to;	/* without groups: the numbers of the items that leave */

	pthread_mutex_t lock;		/* guards: */
	size_t          turn;		/* the part that is handed on next */
	bool            handing;	/* a thread hands parts on */
	bool            ended;		/* nothing more is handed on */

	/* owned by the thread that hands on */
	uint64_t        skip, left;	/* items that are dropped; that may still leave */
	uint64_t        counted;	/* that would leave */
	size_t          last_room;	/* of drain->digest->last */
};

/* Will none of its items leave? */
static bool
is_skipped(const struct draining *draining, const struct gs_bucket_part *part)
{
	const struct gs_item_store_options *options = draining->drain->options;

	return !gs_item_selects(options) && (options->head || options->tail) && part->items < UINT64_MAX &&
	       (part->most <= draining->from || part->least >= draining->to);
}

/* ---- handing on --------------------------------------------------------------------- */

/* Copy an item to memory that grows. */
static gs_status
keep(char **copy, size_t *room, const char *item, size_t bytes)
{
	TRY(GS_GROW(*copy, room, bytes, "bytes of an item"));
	memcpy(*copy, item, bytes);
	return GS_OK;
}

/* The part is in its turn: is it in order behind the part before? */
static gs_status
note_verified(struct draining *draining, const struct gs_item_made *made)
{
	const struct gs_item_order *order = draining->drain->shared->order;
	struct gs_item_digest *digest = draining->drain->digest;
	size_t first_room = 0;

	if (made->first == NULL)
		return GS_OK;
	digest->sum += made->sum;
	digest->falls |= made->falls;
	if (digest->first == NULL) {
		TRY(keep(&digest->first, &first_room, made->first, made->first_bytes));
		digest->first_bytes = made->first_bytes;
	} else {
		digest->falls |= gs_item_compare(order, 0, digest->last, digest->last_bytes,
		                                 made->first, made->first_bytes) > 0;
	}
	TRY(keep(&digest->last, &draining->last_room, made->last, made->last_bytes));
	digest->last_bytes = made->last_bytes;
	return GS_OK;
}

/* Bytes of the first COUNT items that leave. */
static size_t
bytes_of(const struct draining *draining, const char *data, size_t bytes, size_t count)
{
	const struct gs_item_store_options *options = draining->drain->options;
	const struct gs_item_order *order = options->leaves != NULL ? options->leaves : options->order;

	return options->emit_bytes > 0 ? count * options->emit_bytes
	       : gs_items_bytes(order, data, data + bytes, count);
}

/* Does every item have its place among those that leave? */
static bool
has_places(const struct draining *draining)
{
	return draining->sink != NULL && draining->sink->put != NULL &&
	       !gs_item_selects(draining->drain->options) && draining->drain->options->order->item_bytes > 0;
}

/* Put a part that is made to its place, without the items that the head or tail leaves out. */
static gs_status
put(const struct draining *draining, const struct gs_item_made *made, const struct gs_bucket_part *part)
{
	const uint64_t from = part->least < draining->from ? draining->from : part->least;
	const uint64_t to = part->most < draining->to ? part->most : draining->to;
	struct gs_span span = { .items = made->span.items };

	assert(draining->sink != NULL);
	assert(made->span.count == part->items && part->items == part->most - part->least);
	if (from >= to)
		return GS_OK;
	span.items += bytes_of(draining, made->span.items, made->span.bytes, (size_t)(from - part->least));
	span.count = (size_t)(to - from);
	span.bytes = bytes_of(draining, span.items, made->span.bytes, span.count);
	return draining->sink->put(draining->sink->context, from - draining->from, &span);
}

/* Hand on a part that is made, without the items that the head or tail leaves out. */
static gs_status
hand_on(struct draining *draining, const struct gs_item_made *made)
{
	struct gs_sorted_span sorted = { .span = made->span, .slot = GS_NO_SLOT };
	struct gs_span *span = &sorted.span;
	const size_t drop = draining->skip < span->count ? (size_t)draining->skip : span->count;
	bool enough = false;
	size_t bytes;

	draining->counted += span->count;
	if (draining->sink == NULL || has_places(draining))
		return GS_OK;
	draining->skip -= drop;
	if (drop > 0) {
		bytes = bytes_of(draining, span->items, span->bytes, drop);
		span->items += bytes;
		span->bytes -= bytes;
		span->count -= drop;
		span->times += span->times != NULL ? drop : 0;
	}
	if (span->count > draining->left) {
		span->count = (size_t)draining->left;
		span->bytes = bytes_of(draining, span->items, span->bytes, span->count);
	}
	draining->left -= span->count;
	if (span->count > 0)
		TRY(draining->sink->take(draining->sink->context, &sorted, &enough));
	if (enough)
		draining->left = 0;
	return GS_OK;
}

/* Note a part that is made, in its turn, and hand it on. */
static gs_status
do_in_turn(struct draining *draining, const struct gs_item_made *made, bool skipped)
{
	if (draining->drain->options->verify && draining->sink != NULL)
		TRY(note_verified(draining, made));
	TRY(hand_on(draining, made));
	if (skipped)
		draining->skip -= draining->skip < made->items ? draining->skip : made->items;
	return GS_OK;
}

/* ---- turns -------------------------------------------------------------------------- */

static struct slot *
slot_of(const struct draining *draining, size_t at)
{
	const size_t slots = SLOTS_OF_THREAD * draining->drain->options->facts.threads;

	assert(slots > 0);
	return &draining->slots[at % slots];
}

/* Nothing more is handed on; with the lock. */
static void
end(struct draining *draining)
{
	draining->ended = true;
	for (size_t t = 0; t < SLOTS_OF_THREAD * draining->drain->options->facts.threads; t++)
		pthread_cond_broadcast(&draining->slots[t].changed);
}

/* Hand on the part whose turn it is, and all that are ready behind it; with the lock. */
static void
hand_on_ready(struct draining *draining)
{
	struct slot *slot = slot_of(draining, draining->turn);
	gs_status status;

	draining->handing = true;
	while (slot->ready && !draining->ended) {
		pthread_mutex_unlock(&draining->lock);
		status = do_in_turn(draining, &slot->made, slot->skipped);
		pthread_mutex_lock(&draining->lock);
		slot->ready = false;
		pthread_cond_broadcast(&slot->changed);
		if (!gs_first_error_note(&draining->error, status) || draining->left == 0)
			end(draining);
		slot = slot_of(draining, ++draining->turn);
	}
	draining->handing = false;
	if (draining->ended)
		end(draining);		/* those whose parts were not handed on have waited */
}

/* Part AT is MADE: hand it on, or leave that to another thread. */
static void
take_turn(struct draining *draining, size_t at, const struct gs_item_made *made, bool skipped)
{
	struct slot *slot = slot_of(draining, at);

	pthread_mutex_lock(&draining->lock);
	slot->made = *made;
	slot->skipped = skipped;
	slot->ready = true;
	if (draining->turn == at && !draining->handing)
		hand_on_ready(draining);
	pthread_mutex_unlock(&draining->lock);
}

/* Wait until all parts before number AT were handed on, or nothing is any more. */
static void
wait_until(struct draining *draining, size_t at)
{
	pthread_mutex_lock(&draining->lock);
	/* not while the slot is ready: a later part may have it by now */
	while (draining->turn < at && (draining->handing || !draining->ended))
		pthread_cond_wait(&slot_of(draining, at - 1)->changed, &draining->lock);
	pthread_mutex_unlock(&draining->lock);
}

static bool
has_ended(struct draining *draining, bool ends)
{
	bool ended;

	pthread_mutex_lock(&draining->lock);
	if (ends)
		end(draining);
	ended = draining->ended;
	pthread_mutex_unlock(&draining->lock);
	return ended;
}

/* Part AT was MADE, and may not be handed on yet: go to the other buffer, or wait. */
static void
note_made(struct draining *draining, struct worker *worker, size_t at, const struct gs_item_made *made)
{
	if (gs_item_maker_swap(&worker->maker, made)) {
		worker->made = worker->other;
		worker->other = at + 1;
	} else {
		wait_until(draining, at + 1);
	}
}

static gs_status
do_part(struct draining *draining, struct worker *worker, size_t at)
{
	struct gs_item_maker *maker = &worker->maker;
	const struct gs_bucket_part *part = &draining->parts[at];
	const bool skipped = is_skipped(draining, part), places = has_places(draining);
	const bool turns = !places || draining->drain->options->verify;
	/* There is memory for one item that is over the limit. */
	const bool large = part->bytes > draining->drain->limits->bytes;
	struct gs_item_made made = { .items = skipped ? part->items : 0 };
	gs_status status = GS_OK;

	assert(!large || turns);
	if (large)
		wait_until(draining, at);
	if (has_ended(draining, false))
		return GS_OK;
	if (!skipped)
		status = gs_item_make(maker, part, draining->sink == NULL, &made);
	if (status == GS_OK && !skipped && places)
		status = put(draining, &made, part);
	if (status != GS_OK) {
		(void)has_ended(draining, true);
	} else if (turns) {
		take_turn(draining, at, &made, skipped);
		note_made(draining, worker, at, &made);
	}
	atomic_fetch_add(&draining->drain->shared->monitor->counters.keys_sorted, made.items);
	gs_item_maker_release(maker);
	return status;
}

/*
 * Take the next part, in order; or, if items have places and nobody waits for an order, in SIZE rows by
 * turns: threads that write are in files of their own then, as the system lets one at a time write to a file.
 * False: there is none.
 */
static bool
take_part(struct draining *draining, unsigned size, size_t *at)
{
	const bool rows = has_places(draining) && !draining->drain->options->verify;
	const size_t parts = draining->part_count, row = rows ? (parts + size - 1) / size : parts;

	do {
		const size_t taken = atomic_fetch_add(&draining->next, 1);

		*at = rows ? taken % size * row + taken / size : taken;
		if (taken >= row * (rows ? size : 1))
			return false;
	} while (*at >= parts);
	return true;
}

static void
drain_parts(void *context, unsigned number, unsigned size)
{
	struct draining *draining = context;
	struct worker *worker = &draining->workers[number];
	size_t at;

	do {
		wait_until(draining, worker->made);
	} while (take_part(draining, size, &at) &&
	         gs_first_error_note(&draining->error, do_part(draining, worker, at)));
	wait_until(draining, worker->other);
	gs_item_maker_close(&worker->maker);	/* each its own: one thread would take milliseconds */
}

/* ---- all of them ---------------------------------------------------------------------- */

static gs_status
open_draining(struct draining *draining)
{
	const struct gs_item_drain *drain = draining->drain;
	const unsigned threads = drain->options->facts.threads;

	draining->part_count = gs_bucket_parts(drain->buckets, drain->limits, drain->options, NULL);
	TRY(GS_NEW(draining->parts, draining->part_count, "parts of buckets"));
	TRY(GS_NEW(draining->workers, threads, "threads"));
	TRY(GS_NEW(draining->slots, SLOTS_OF_THREAD * threads, "parts of threads"));
	for (unsigned s = 0; s < SLOTS_OF_THREAD * threads; s++)
		pthread_cond_init(&draining->slots[s].changed, NULL);
	(void)gs_bucket_parts(drain->buckets, drain->limits, drain->options, draining->parts);
	for (unsigned t = 0; t < threads; t++)
		TRY(gs_item_maker_open(&draining->workers[t].maker, drain->options, drain->shared,
		                       drain->limits, draining->parts, draining->part_count,
		                       drain->loads));
	return GS_OK;
}

static void
close_draining(struct draining *draining)
{
	const unsigned threads = draining->drain->options->facts.threads;

	for (unsigned t = 0; draining->workers != NULL && t < threads; t++)
		gs_item_maker_close(&draining->workers[t].maker);
	for (unsigned s = 0; draining->slots != NULL && s < SLOTS_OF_THREAD * threads; s++)
		pthread_cond_destroy(&draining->slots[s].changed);
	free(draining->workers);
	free(draining->slots);
	free(draining->parts);
}

static gs_status
run(struct draining *draining)
{
	gs_status status;

	pthread_mutex_init(&draining->lock, NULL);
	status = open_draining(draining);
	if (status == GS_OK && draining->left > 0) {
		const size_t parts = draining->part_count, threads = draining->drain->options->facts.threads;

		gs_first_error_open(&draining->error);
		gs_team_run((unsigned)(parts < threads ? parts : threads), drain_parts, draining);
		status = gs_first_error_close(&draining->error);
	}
	close_draining(draining);
	pthread_mutex_destroy(&draining->lock);
	return status;
}

gs_status
gs_item_drain_count(const struct gs_item_drain *drain, uint64_t *count)
{
	struct draining draining = { .drain = drain, .left = 1, .to = UINT64_MAX };

	*count = atomic_load(&drain->shared->items);
	if (!gs_item_selects(drain->options))
		return GS_OK;
	TRY(run(&draining));
	*count = draining.counted;
	return GS_OK;
}

gs_status
gs_item_drain_run(const struct gs_item_drain *drain, const struct gs_span_sink *sink)
{
	const struct gs_item_store_options *options = drain->options;
	struct draining draining = {
		.drain = drain, .sink = sink, .to = UINT64_MAX, .left = UINT64_MAX,
	};
	uint64_t all;

	if (options->head)
		draining.to = draining.left = options->count;
	if (options->tail) {
		TRY(gs_item_drain_count(drain, &all));
		draining.skip = draining.from = all > options->count ? all - options->count : 0;
		draining.left = all - draining.skip;
		draining.to = all;
	}
	return run(&draining);
}

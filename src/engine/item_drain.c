// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_drain.c - sort the buckets of a store, and hand their items to a sink
 *
 * In:   buckets in order.
 * Out:  spans of sorted items.
 *
 * Each thread of a team takes the next part and sorts it in its own memory (item_maker.c).  When a thread
 * has made the part whose turn it is, it hands on this part and all finished parts after it, so the sink
 * never waits for a thread to wake up.  Meanwhile, each of the other threads makes one more part, and
 * then waits.  If items have known places in the output and parts are not verified, a thread puts the
 * items there without waiting, and parts are taken from all over the output.
 *
 * 10^7 lines of CSV on 16 cores, writing: 123 ms; 137 if each thread hands on its own part and all wake
 * up at each turn, 163 if only the next one does (medians of 6; bench/results/h200-2026-11-23/drain.txt).
 * With 8 threads, all three take 150 ms.
 *
 * Invariant: parts with turns are taken in order.  So the parts that are not yet handed on are adjacent,
 * at most two for each thread, and the thread that makes the first of them never waits.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "engine/item_store.h"

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

struct drainer {
	struct gs_item_store  *store;
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
	atomic_bool     ended;		/* nothing more is handed on; set with the lock */

	/* owned by the thread that hands on */
	uint64_t        skip, left;	/* items that are dropped; that may still leave */
	uint64_t        counted;	/* that would leave */
	size_t          last_room;	/* of the digest's last */
};

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
note_verified(struct drainer *drainer, const struct gs_item_made *made)
{
	const struct gs_item_order *order = drainer->store->options.order;
	struct gs_item_digest *digest = &drainer->store->digest;
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
	TRY(keep(&digest->last, &drainer->last_room, made->last, made->last_bytes));
	digest->last_bytes = made->last_bytes;
	return GS_OK;
}

/* Bytes of the first COUNT items that leave. */
static size_t
bytes_of(const struct drainer *drainer, const char *data, size_t bytes, size_t count)
{
	const struct gs_item_store_options *options = &drainer->store->options;
	const struct gs_item_order *order = options->cut.order != NULL ? options->cut.order : options->order;

	return options->cut.bytes > 0 ? count * options->cut.bytes
	       : gs_items_bytes(order, data, data + bytes, count);
}

/* Is the place of every item in the output known? */
static bool
has_places(const struct drainer *drainer)
{
	return drainer->sink != NULL && drainer->sink->put != NULL &&
	       !gs_item_selects(&drainer->store->options) && drainer->store->options.order->item_bytes > 0;
}

/* Put a part that is made to its place, without the items that the head or tail leaves out. */
static gs_status
put(const struct drainer *drainer, const struct gs_item_made *made, const struct gs_bucket_part *part)
{
	const uint64_t from = part->least < drainer->from ? drainer->from : part->least;
	const uint64_t to = part->most < drainer->to ? part->most : drainer->to;
	struct gs_span span = { .items = made->span.items };

	assert(drainer->sink != NULL);
	assert(made->span.count == part->items && part->items == part->most - part->least);
	if (from >= to)
		return GS_OK;
	span.items += bytes_of(drainer, made->span.items, made->span.bytes, (size_t)(from - part->least));
	span.count = (size_t)(to - from);
	span.bytes = bytes_of(drainer, span.items, made->span.bytes, span.count);
	return drainer->sink->put(drainer->sink->context, from - drainer->from, &span);
}

/* Note a part that is made, in its turn, and hand it on without what the head or tail leaves out. */
static gs_status
hand_on(struct drainer *drainer, const struct gs_item_made *made, bool skipped)
{
	struct gs_sorted_span sorted = { .span = made->span, .slot = GS_NO_SLOT };
	struct gs_span *span = &sorted.span;
	const size_t drop = drainer->skip < span->count ? (size_t)drainer->skip : span->count;
	size_t bytes;

	if (drainer->store->options.verify && drainer->sink != NULL)
		TRY(note_verified(drainer, made));
	drainer->counted += span->count;
	if (drainer->sink == NULL || has_places(drainer))
		return GS_OK;
	drainer->skip -= skipped ? gs_least(drainer->skip, made->items) : drop;
	if (drop > 0) {
		bytes = bytes_of(drainer, span->items, span->bytes, drop);
		if (bytes > 0)
			span->items += bytes;	/* or it may be NULL */
		span->bytes -= bytes;
		span->count -= drop;
		span->times += span->times != NULL ? drop : 0;
	}
	if (span->count > drainer->left) {
		span->count = (size_t)drainer->left;
		span->bytes = bytes_of(drainer, span->items, span->bytes, span->count);
	}
	drainer->left -= span->count;
	if (span->count > 0)
		TRY(drainer->sink->take(drainer->sink->context, &sorted));
	if (sorted.enough)
		drainer->left = 0;
	return GS_OK;
}

/* ---- turns -------------------------------------------------------------------------- */

static struct slot *
slot_of(const struct drainer *drainer, size_t at)
{
	const size_t slots = SLOTS_OF_THREAD * drainer->store->options.facts.threads;

	assert(slots > 0);
	return &drainer->slots[at % slots];
}

/* Nothing more is handed on; with the lock. */
static void
end(struct drainer *drainer)
{
	drainer->ended = true;
	for (size_t t = 0; t < SLOTS_OF_THREAD * drainer->store->options.facts.threads; t++)
		pthread_cond_broadcast(&drainer->slots[t].changed);
}

/* Part AT is MADE: if it is its turn, hand it on, and all that are ready behind it; or leave that to another
 * thread. */
static void
take_turn(struct drainer *drainer, size_t at, const struct gs_item_made *made, bool skipped)
{
	struct slot *slot = slot_of(drainer, at);
	gs_status status;

	pthread_mutex_lock(&drainer->lock);
	slot->made = *made;
	slot->skipped = skipped;
	slot->ready = true;
	if (drainer->turn == at && !drainer->handing) {
		drainer->handing = true;
		while (slot->ready && !drainer->ended) {
			pthread_mutex_unlock(&drainer->lock);
			status = hand_on(drainer, &slot->made, slot->skipped);
			pthread_mutex_lock(&drainer->lock);
			slot->ready = false;
			pthread_cond_broadcast(&slot->changed);
			if (!gs_first_error_note(&drainer->error, status) || drainer->left == 0)
				end(drainer);
			slot = slot_of(drainer, ++drainer->turn);
		}
		drainer->handing = false;
		if (drainer->ended)
			end(drainer);	/* those whose parts were not handed on have waited */
	}
	pthread_mutex_unlock(&drainer->lock);
}

/* Wait until all parts before number AT were handed on, or nothing is any more. */
static void
wait_until(struct drainer *drainer, size_t at)
{
	pthread_mutex_lock(&drainer->lock);
	/* not while the slot is ready: a later part may have it by now */
	while (drainer->turn < at && (drainer->handing || !drainer->ended))
		pthread_cond_wait(&slot_of(drainer, at - 1)->changed, &drainer->lock);
	pthread_mutex_unlock(&drainer->lock);
}

static gs_status
do_part(struct drainer *drainer, struct worker *worker, size_t at)
{
	const struct gs_item_store_options *options = &drainer->store->options;
	struct gs_item_maker *maker = &worker->maker;
	const struct gs_bucket_part *part = &drainer->parts[at];
	const bool places = has_places(drainer), turns = !places || options->verify;
	/* Do head and tail leave out all of its items? */
	const bool skipped = !gs_item_selects(options) && (options->head || options->tail) &&
	                     part->items < UINT64_MAX &&
	                     (part->most <= drainer->from || part->least >= drainer->to);
	/* There is memory for one item that is over the limit. */
	const bool large = part->bytes > drainer->store->limits->bytes;
	struct gs_item_made made = { .items = skipped ? part->items : 0 };
	gs_status status = GS_OK;

	assert(!large || turns);
	if (large)
		wait_until(drainer, at);
	if (drainer->ended)
		return GS_OK;
	if (!skipped)
		status = gs_item_make(maker, part, drainer->sink == NULL, &made);
	if (status == GS_OK && !skipped && places)
		status = put(drainer, &made, part);
	if (status != GS_OK) {
		pthread_mutex_lock(&drainer->lock);
		end(drainer);
		pthread_mutex_unlock(&drainer->lock);
	} else if (turns) {
		take_turn(drainer, at, &made, skipped);
		/* it may not be handed on yet: go to the other buffer, or wait */
		if (gs_item_maker_swap(maker, &made)) {
			worker->made = worker->other;
			worker->other = at + 1;
		} else {
			wait_until(drainer, at + 1);
		}
	}
	atomic_fetch_add(&drainer->store->shared.monitor->counters.keys_sorted, made.items);
	gs_item_maker_release(maker);
	return status;
}

/*
 * Take the next part, in order; or, if items have places and nobody waits for an order, in SIZE rows by
 * turns: threads that write are in files of their own then, as the system lets one at a time write to a file.
 * False: there is none.
 */
static bool
take_part(struct drainer *drainer, unsigned size, size_t *at)
{
	const bool rows = has_places(drainer) && !drainer->store->options.verify;
	const size_t parts = drainer->part_count, row = rows ? (parts + size - 1) / size : parts;

	do {
		const size_t taken = atomic_fetch_add(&drainer->next, 1);

		*at = rows ? taken % size * row + taken / size : taken;
		if (taken >= row * (rows ? size : 1))
			return false;
	} while (*at >= parts);
	return true;
}

static void
drain_parts(void *context, unsigned number, unsigned size)
{
	struct drainer *drainer = context;
	struct worker *worker = &drainer->workers[number];
	size_t at;

	do {
		wait_until(drainer, worker->made);
	} while (take_part(drainer, size, &at) &&
	         gs_first_error_note(&drainer->error, do_part(drainer, worker, at)));
	wait_until(drainer, worker->other);
	gs_item_maker_close(&worker->maker);	/* each its own: one thread would take milliseconds */
}

/* ---- all of them ---------------------------------------------------------------------- */

static gs_status
run(struct drainer *drainer)
{
	const struct gs_item_store *store = drainer->store;
	const unsigned threads = store->options.facts.threads, slots = SLOTS_OF_THREAD * threads;
	gs_status status;

	pthread_mutex_init(&drainer->lock, NULL);
	drainer->part_count = gs_bucket_parts(store, NULL);
	status = GS_NEW(drainer->parts, drainer->part_count, "parts of buckets");
	THEN(status, GS_NEW(drainer->workers, threads, "threads"));
	THEN(status, GS_NEW(drainer->slots, slots, "parts of threads"));
	for (unsigned s = 0; status == GS_OK && s < slots; s++)
		pthread_cond_init(&drainer->slots[s].changed, NULL);
	if (status == GS_OK)
		(void)gs_bucket_parts(store, drainer->parts);
	for (unsigned t = 0; status == GS_OK && t < threads; t++)
		status = gs_item_maker_open(&drainer->workers[t].maker, store, drainer->parts,
		                            drainer->part_count);
	if (status == GS_OK && drainer->left > 0) {
		gs_first_error_open(&drainer->error);
		gs_team_run((unsigned)gs_least(drainer->part_count, threads), drain_parts, drainer);
		status = gs_first_error_close(&drainer->error);
	}
	for (unsigned t = 0; drainer->workers != NULL && t < threads; t++)
		gs_item_maker_close(&drainer->workers[t].maker);
	for (unsigned s = 0; drainer->slots != NULL && s < slots; s++)
		pthread_cond_destroy(&drainer->slots[s].changed);
	free(drainer->workers);
	free(drainer->slots);
	free(drainer->parts);
	pthread_mutex_destroy(&drainer->lock);
	return status;
}

/* Count the items, or the groups, that a head or tail chooses from. */
static gs_status
count(struct gs_item_store *store, uint64_t *items)
{
	struct drainer drainer = { .store = store, .left = 1, .to = UINT64_MAX };

	*items = atomic_load(&store->shared.items);
	if (!gs_item_selects(&store->options))
		return GS_OK;
	TRY(run(&drainer));
	*items = drainer.counted;
	return GS_OK;
}

gs_status
gs_item_store_count_out(void *context, uint64_t *items)
{
	struct gs_item_store *store = context;

	TRY(count(store, items));
	if (store->options.head || store->options.tail)
		*items = gs_least(*items, store->options.count);
	return GS_OK;
}

gs_status
gs_item_store_drain(void *context, unsigned key_class, const struct gs_span_sink *sink)
{
	struct gs_item_store *store = context;
	const struct gs_item_store_options *options = &store->options;
	struct drainer drainer = {
		.store = store, .sink = sink, .to = UINT64_MAX, .left = UINT64_MAX,
	};
	uint64_t all;

	if (key_class > 0)
		return GS_OK;
	if (options->head)
		drainer.to = drainer.left = options->count;
	if (options->tail) {
		TRY(count(store, &all));
		drainer.skip = drainer.from = all > options->count ? all - options->count : 0;
		drainer.left = all - drainer.skip;
		drainer.to = all;
	}
	return run(&drainer);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * external_merge.c - merge sorted sources, which are read as they are needed
 *
 * In:   sources, each ascending; each is read once, front to back.
 * Out:  spans of sorted keys, in a buffer of the memory given.
 *
 * A round: the window of a source is what was read of it and not merged yet.  The limit is the least
 * last key of all windows after which more keys may come; keys up to it are merged.  As soon as the
 * limit is known, so is what each window will have left.  The reader thread copies
 * that into the source's other buffer and reads on after it until the buffer is full: that is the
 * window of the next round.  All windows are filled again, not only the one that ran empty.  So
 * windows of sources with a like distribution end at like keys, and a round is about as long as
 * all windows together.
 *
 * A window that is not in order is sorted with qsort(3), so the precondition of the merge in
 * memory always holds.  Sources that are not in order give output that is not in order, but lose
 * no key.
 *
 * Invariant: no key that was merged is greater than one that is not (if sources are in order);
 * while the reader fills a buffer, the merge does not touch it.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "base/thread.h"
#include "base/way.h"
#include "plan/plan.h"
#include "sort/cpu/keys.h"
#include "sort/merge.h"
#include "spill/spill.h"

/* Threads that read runs, beside the threads that merge.  One reads 1.8 GB/s from plain files in the page
 * cache (H200 host: 17 GB of five runs in 9.6 s); with four, five runs take two turns.  Not tuned. */
enum { READERS = 8 };

struct window {
	char       *keys;	/* in a buffer */
	size_t      at, end;	/* not merged yet */
	size_t      cut;	/* keys before it belong to this round */
	bool        last;	/* no keys come after END */
	char       *other;	/* the other buffer */
	bool        wanted;	/* the reader should fill the other buffer */
	size_t      filled;	/* keys that it has put there */
	gs_status   status;	/* of reading */
	char       *message;	/* owned; NULL: none, or no memory for it */
};

struct gs_external_merge {
	const struct gs_source *sources;
	struct window    *windows;	/* of each source */
	struct gs_run    *runs;		/* of this round */
	size_t            count;
	unsigned          bits, threads;
	size_t            key_bytes;
	size_t            window_keys;	/* that a buffer has room for */
	struct gs_merge  *round;	/* the last one; NULL: none */
	struct gs_span    whole;	/* a window that is all of a round */
	void             *round_memory;
	char             *buffers;	/* two, of spans in turn */
	size_t            buffer_bytes;	/* of each */
	struct gs_thread  reader;
	struct gs_queue   wanted, filled;	/* they pass the merge itself */
	bool              asked;	/* the reader has it */
	bool              second;	/* the next span goes to the second buffer */
	atomic_bool       stop;
};

static_assert(sizeof(struct window) <= GS_MERGE_SOURCE_BYTES, "as planned");
static_assert(sizeof(struct gs_external_merge) <= GS_MERGE_BYTES, "as planned");

/* --- the reader --------------------------------------------------------------- */

static int
compare_32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Copy the rest of a window to the other buffer, and read new keys after it. */
static void
fill_window(const struct gs_external_merge *merge, const struct gs_source *source,
            struct window *window)
{
	const size_t left = window->end - window->cut;

	memcpy(window->other, window->keys + window->cut * merge->key_bytes,
	       left * merge->key_bytes);
	window->filled = left;
	while (window->filled < merge->window_keys) {
		size_t count = 0;

		window->status = source->read(source->context,
		                              window->other + window->filled * merge->key_bytes,
		                              merge->window_keys - window->filled, &count);
		assert(count <= merge->window_keys - window->filled);
		window->filled += count;
		if (window->status != GS_OK)
			window->message = strdup(gs_message());
		window->last = window->status == GS_OK && count == 0;
		if (window->status != GS_OK || count == 0)
			break;
	}
	/* Make sure that they ascend, as the keys that were left do. */
	if (!source->verified && !gs_keys_in_order(window->other, merge->bits, left > 0 ? left : 1,
	                                           window->filled, GS_ASCENDING))
		qsort(window->other, window->filled, merge->key_bytes,
		      merge->bits == 32 ? compare_32 : gs_compare_u64);
}

static void
fill_one(void *context, size_t s)
{
	struct gs_external_merge *merge = context;
	const struct gs_source *source = &merge->sources[s];

	if (source->side_by_side && merge->windows[s].wanted && !atomic_load(&merge->stop))
		fill_window(merge, source, &merge->windows[s]);
}

/* Fill all windows that are wanted, by a team where sources can be read side by side. */
static void
fill_windows(struct gs_external_merge *merge)
{
	gs_team_each(merge->threads < READERS ? merge->threads : READERS, merge->count, fill_one, merge);
	for (size_t s = 0; s < merge->count && !atomic_load(&merge->stop); s++)
		if (merge->windows[s].wanted && !merge->sources[s].side_by_side)
			fill_window(merge, &merge->sources[s], &merge->windows[s]);
}

static gs_status
read_all(void *context)
{
	struct gs_external_merge *merge;

	while ((merge = gs_queue_take(&((struct gs_external_merge *)context)->wanted)) != NULL) {
		fill_windows(merge);
		(void)gs_queue_give(&merge->filled, merge);
	}
	return GS_OK;
}

/* Let the reader fill the windows that are wanted.  Until receive(), they are the reader's.  If no
 * thread could be started, receive() fills them. */
static void
ask(struct gs_external_merge *merge)
{
	merge->asked = !merge->reader.runs || gs_queue_give(&merge->wanted, merge);
}

/* Wait for the reader, and swap the buffers that it filled. */
static void
receive(struct gs_external_merge *merge)
{
	if (!merge->asked)
		return;
	if (merge->reader.runs)
		(void)gs_queue_take(&merge->filled);
	else
		fill_windows(merge);
	merge->asked = false;
	for (size_t s = 0; s < merge->count; s++) {
		struct window *window = &merge->windows[s];
		char *filled = window->other;

		if (!window->wanted)
			continue;
		window->other = window->keys;
		window->keys = filled;
		window->at = 0;
		window->end = window->filled;
	}
}

/* --- a round ------------------------------------------------------------------ */

/*
 * Cut all windows at the limit, take what was cut off as runs, and ask for more.  A window that is still more
 * than half full stays where it is, so on average no key is copied more than once.  Fails if a source that
 * failed has nothing left.
 */
static gs_status
begin_round(struct gs_external_merge *merge)
{
	const struct window *least = NULL;
	uint64_t limit = UINT64_MAX;
	bool wanted = false;
	size_t runs = 0;

	receive(merge);
	for (size_t s = 0; s < merge->count; s++) {
		const struct window *window = &merge->windows[s];
		uint64_t last;

		if (window->last)
			continue;
		if (window->at == window->end)
			return gs_fail(window->status, "%s",
			               window->message != NULL ? window->message : "cannot read");
		last = gs_key_at(window->keys, merge->bits, window->end - 1);
		if (least == NULL || last < limit) {
			least = window;
			limit = last;
		}
	}
	for (size_t s = 0; s < merge->count; s++) {
		struct window *window = &merge->windows[s];

		/* The window with the limit is cut at its end, in order or not: every round
		 * makes progress. */
		window->cut = least == NULL || window == least ? window->end
		              : gs_keys_above(window->keys, merge->bits, window->at, window->end, limit);
		if (window->cut > window->at)
			merge->runs[runs++] = (struct gs_run){
				.keys = window->keys + window->at * merge->key_bytes,
				.count = window->cut - window->at,
			};
		window->at = window->cut;
		window->wanted = !window->last && window->status == GS_OK &&
		                 !gs_way("window stays", window->end - window->at > merge->window_keys / 2);
		wanted |= window->wanted;
	}
	if (wanted)
		ask(merge);
	if (gs_way("one window alone", runs == 1))
		merge->whole = (struct gs_span){
			.keys = (void *)(uintptr_t)merge->runs[0].keys,
			.count = merge->runs[0].count, .key_bits = merge->bits,
		};
	else
		merge->round = gs_merge_init(merge->round_memory, merge->bits, merge->runs, runs,
		                             merge->threads, merge->buffers, merge->buffer_bytes);
	return GS_OK;
}

gs_status
gs_external_merge_next(struct gs_external_merge *merge, struct gs_span *span)
{
	bool begun = false;

	for (;;) {
		*span = merge->whole;
		merge->whole.count = 0;
		if (span->count == 0 && merge->round != NULL) {
			/* the next span of the round, not in the buffer of the one before */
			gs_merge_to(merge->round, merge->buffers + (merge->second ? merge->buffer_bytes : 0));
			gs_merge_next(merge->round, span);
			span->stays = true;
			merge->second ^= span->count > 0;
		}
		/* A round without keys is the last. */
		if (span->count > 0 || begun)
			return GS_OK;
		TRY(begin_round(merge));
		begun = true;
	}
}

gs_status
gs_external_merge_drain(struct gs_external_merge *merge, unsigned key_class,
                        struct gs_clock *clock, const struct gs_span_sink *sink, bool *enough)
{
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT };

	for (; !sorted.enough; sorted.number++) {
		uint64_t since = gs_clock_now();
		const gs_status status = gs_external_merge_next(merge, &sorted.span);

		gs_clock_lap(clock, GS_STAGE_MERGE, &since);
		if (status != GS_OK || sorted.span.count == 0)
			return status;
		sorted.span.key_class = key_class;
		TRY(sink->take(sink->context, &sorted));
	}
	*enough = true;
	return GS_OK;
}

/* --- memory ------------------------------------------------------------------- */

static void *
carve(char **memory, size_t bytes)
{
	char *taken = *memory;

	*memory += gs_round_up(bytes, GS_MERGE_ALIGN_BYTES);
	return taken;
}

gs_status
gs_external_merge_open(struct gs_external_merge **opened, void *memory, size_t memory_bytes,
                       unsigned bits, const struct gs_source *sources, size_t count,
                       unsigned threads)
{
	char *at = (char *)memory + -(uintptr_t)memory % GS_MERGE_ALIGN_BYTES;
	struct gs_external_merge *merge = carve(&at, sizeof *merge);
	const size_t most = (size_t)threads * GS_MERGE_SPAN_BYTES, align = GS_MERGE_ALIGN_BYTES;
	size_t bytes, span_bytes, window_bytes;

	*opened = NULL;
	*merge = (struct gs_external_merge){
		.sources = sources, .count = count, .bits = bits, .threads = threads,
		.key_bytes = bits / 8,
	};
	merge->windows = carve(&at, count * sizeof *merge->windows);
	merge->runs = carve(&at, count * sizeof *merge->runs);
	merge->round_memory = carve(&at, gs_merge_bytes(count, threads));
	assert(at <= (char *)memory + memory_bytes);
	/* The windows, then the two buffers of spans. */
	bytes = (size_t)((char *)memory + memory_bytes - at);
	span_bytes = bytes / 8 < most ? bytes / 8 : most;
	window_bytes = count == 0 ? 0 : (bytes - span_bytes) / (2 * count) / align * align;
	assert(count == 0 || window_bytes > 0);
	merge->window_keys = window_bytes / merge->key_bytes;
	for (size_t s = 0; s < count; s++) {
		char *keys = carve(&at, window_bytes);

		merge->windows[s] = (struct window){
			.wanted = true, .keys = keys, .other = carve(&at, window_bytes),
		};
	}
	merge->buffer_bytes = span_bytes / 2 / align * align;
	assert(merge->buffer_bytes > 0);	/* a round without keys is the last */
	merge->buffers = at;
	gs_queue_open(&merge->wanted);
	gs_queue_open(&merge->filled);
	if (count > 0) {
		(void)!gs_thread_start(&merge->reader, read_all, merge);	/* failed: slower */
		ask(merge);
	}
	*opened = merge;
	return GS_OK;
}

void
gs_external_merge_close(struct gs_external_merge *merge)
{
	if (merge == NULL)
		return;
	atomic_store(&merge->stop, true);
	gs_queue_shut(&merge->wanted);
	if (merge->reader.runs)
		(void)gs_thread_join(&merge->reader);
	gs_queue_close(&merge->wanted);
	gs_queue_close(&merge->filled);
	for (size_t s = 0; s < merge->count; s++)
		free(merge->windows[s].message);
}

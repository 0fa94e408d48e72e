// SPDX-License-Identifier: BSD-2-Clause
/*
 * external_merge.c - sorted sources, in memory or not, become one order
 *
 * In:   sources, each ascending; each is read once, front to back.
 * Out:  spans of sorted keys, in a buffer of the memory given.
 *
 * A round: the window of a source is what was read of it and not merged yet.  The
 * least last key of the windows behind which more may come is the limit; keys up to
 * it are merged.  As soon as the limit is known, so is what a window will have left,
 * and the reader thread puts that into the source's other buffer and reads on behind
 * it, until the buffer is full: that is the window of the next round.  All windows
 * are filled again, not only the one that ran empty, so windows of like keys end at
 * like keys, and a round is about as long as all of them together.
 *
 * A window that is not in order is sorted, slowly: what comes out of sources that are not
 * in order is in no order, but every key comes out, and the merge may trust its runs.
 *
 * Invariant: no key that was merged is greater than one that is not (if sources are
 * in order); while the reader fills, the merge touches no buffer that is filled.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "spill/external_merge.h"
#include "sort/merge.h"

/*
 * Of one buffer of a source, and of the buffer of spans for each thread.  Sixteen u32
 * files of 64 MiB, cached, least of 9 runs on 2 busy cores: windows of 512 KiB 0.39 s,
 * 1 MiB 0.50 s, 4 MiB 0.75 s; two files 0.25, 0.25, 0.28 s.  A span is merged in 1 ms:
 * more than threads take to meet, and still in the third-level cache when it is printed;
 * not tuned.
 */
enum {
	WINDOW_BYTES_LEAST = 64 << 10, WINDOW_BYTES_MOST = 512 << 10,
	SPAN_BYTES_LEAST = 64 << 10, SPAN_BYTES_MOST = 4 << 20,
	ALIGN_BYTES = 128,
};

struct window {
	const char *keys;	/* in a buffer, or all of the source */
	size_t      at, end;	/* not merged yet */
	size_t      cut;	/* before it: of this round */
	bool        last;	/* nothing comes behind END */
	char       *other;	/* the other buffer; NULL: source in memory */
	bool        wanted;	/* the reader is to fill the other buffer */
	size_t      filled;	/* it has put so many keys there */
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
	size_t            window_keys;	/* 0: all sources are in memory */
	struct gs_merge  *merge;	/* of this round; NULL: none, or a window is all of it */
	struct gs_span    whole;	/* that window */
	void             *merge_memory;
	char             *buffer;	/* of spans */
	size_t            buffer_bytes;
	struct gs_thread  reader;
	struct gs_queue   wanted, filled;	/* the gather itself goes round */
	bool              asked;	/* the reader has it */
	atomic_bool       stop;
};

/* --- order -------------------------------------------------------------------- */

static int
compare_32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int
compare_64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* No branch a key, so that it costs less than reading them. */
static bool
ascends(const void *keys, size_t count, unsigned bits)
{
	const uint32_t *keys_32 = keys;
	const uint64_t *keys_64 = keys;
	uint32_t falls_32 = 0;
	uint64_t falls_64 = 0;

	if (bits == 32) {
		#pragma omp simd reduction(|: falls_32)
		for (size_t i = 1; i < count; i++)
			falls_32 |= keys_32[i] < keys_32[i - 1];
	} else {
		#pragma omp simd reduction(|: falls_64)
		for (size_t i = 1; i < count; i++)
			falls_64 |= keys_64[i] < keys_64[i - 1];
	}
	return falls_32 == 0 && falls_64 == 0;
}

/* COUNT keys, of which the first DONE are in order. */
static void
put_in_order(char *keys, size_t done, size_t count, unsigned bits)
{
	const size_t key_bytes = bits / 8, from = done > 0 ? done - 1 : 0;

	if (!ascends(keys + from * key_bytes, count - from, bits))
		qsort(keys, count, key_bytes, bits == 32 ? compare_32 : compare_64);
}

/* --- the reader --------------------------------------------------------------- */

/* What is left of a window goes to the other buffer, and new keys behind it. */
static void
fill_window(const struct gs_external_merge *gather, const struct gs_source *source, struct window *window)
{
	const size_t left = window->end - window->cut;

	memcpy(window->other, window->keys + window->cut * gather->key_bytes,
	       left * gather->key_bytes);
	window->filled = left;
	while (window->filled < gather->window_keys) {
		size_t count = 0;

		window->status = source->read(source->context,
		                              window->other + window->filled * gather->key_bytes,
		                              gather->window_keys - window->filled, &count);
		assert(count <= gather->window_keys - window->filled);
		window->filled += count;
		if (window->status != GS_OK)
			window->message = strdup(gs_message());
		window->last = window->status == GS_OK && count == 0;
		if (window->status != GS_OK || count == 0)
			break;
	}
	if (!source->verified)
		put_in_order(window->other, left, window->filled, gather->bits);
}

static gs_status
read_all(void *context)
{
	struct gs_external_merge *gather;

	while ((gather = gs_queue_take(&((struct gs_external_merge *)context)->wanted)) != NULL) {
		for (size_t s = 0; s < gather->count && !atomic_load(&gather->stop); s++)
			if (gather->windows[s].wanted)
				fill_window(gather, &gather->sources[s], &gather->windows[s]);
		(void)gs_queue_give(&gather->filled, gather);
	}
	return GS_OK;
}

/* Whatever is wanted: nothing is touched that the reader may touch, until receive(). */
static void
ask(struct gs_external_merge *gather)
{
	gather->asked = gs_queue_give(&gather->wanted, gather);
}

/* Wait for the reader; buffers change places. */
static void
receive(struct gs_external_merge *gather)
{
	if (!gather->asked)
		return;
	(void)gs_queue_take(&gather->filled);
	gather->asked = false;
	for (size_t s = 0; s < gather->count; s++) {
		struct window *window = &gather->windows[s];
		char *filled = window->other;

		if (!window->wanted)
			continue;
		window->other = (char *)(uintptr_t)window->keys;
		window->keys = filled;
		window->at = 0;
		window->end = window->filled;
		window->wanted = false;
	}
}

/* --- a round ------------------------------------------------------------------ */

static uint64_t
key_at(const struct gs_external_merge *gather, const struct window *window, size_t at)
{
	return gather->bits == 32 ? ((const uint32_t *)(const void *)window->keys)[at]
	                          : ((const uint64_t *)(const void *)window->keys)[at];
}

/* The first key of a window that is greater than LIMIT. */
static size_t
above(const struct gs_external_merge *gather, const struct window *window, uint64_t limit)
{
	size_t low = window->at, high = window->end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (key_at(gather, window, middle) <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cut all windows at the limit; trouble, if a source that failed has nothing left. */
static gs_status
cut_windows(struct gs_external_merge *gather)
{
	const struct window *least = NULL;
	uint64_t limit = UINT64_MAX;

	for (size_t s = 0; s < gather->count; s++) {
		const struct window *window = &gather->windows[s];

		if (window->last)
			continue;
		if (window->at == window->end)
			return gs_fail(window->status, "%s",
			               window->message != NULL ? window->message : "cannot read");
		if (least == NULL || key_at(gather, window, window->end - 1) < limit) {
			least = window;
			limit = key_at(gather, window, window->end - 1);
		}
	}
	for (size_t s = 0; s < gather->count; s++) {
		struct window *window = &gather->windows[s];

		/* The least one as a whole, in order or not: every round goes on. */
		window->cut = least == NULL || window == least ? window->end
		                                               : above(gather, window, limit);
	}
	return GS_OK;
}

/*
 * Take the windows' parts as runs, and ask for more.  A window of which more than half
 * is left stays where it is: so no key is moved more than once on the average.
 */
static size_t
take_parts(struct gs_external_merge *gather)
{
	size_t runs = 0;
	bool wanted = false;

	for (size_t s = 0; s < gather->count; s++) {
		struct window *window = &gather->windows[s];

		if (window->cut > window->at)
			gather->runs[runs++] = (struct gs_run){
				.keys = window->keys + window->at * gather->key_bytes,
				.count = window->cut - window->at,
			};
		window->at = window->cut;
		window->wanted = !window->last && window->status == GS_OK &&
		                 window->end - window->at <= gather->window_keys / 2;
		wanted |= window->wanted;
	}
	if (wanted)
		ask(gather);
	return runs;
}

/* A window, and not a source that is in memory: the borrower may change the keys. */
static bool
lies_in_window(const struct gs_external_merge *gather, const struct gs_run *run)
{
	const char *keys = run->keys;

	return keys >= (const char *)gather && keys < gather->buffer;
}

static gs_status
begin_round(struct gs_external_merge *gather)
{
	size_t runs;

	receive(gather);
	TRY(cut_windows(gather));
	runs = take_parts(gather);
	if (runs == 1 && lies_in_window(gather, &gather->runs[0]))
		gather->whole = (struct gs_span){
			.keys = (void *)(uintptr_t)gather->runs[0].keys,
			.count = gather->runs[0].count, .key_bits = gather->bits,
		};
	else
		gather->merge = gs_merge_init(gather->merge_memory, gather->bits, gather->runs, runs,
		                              gather->threads, gather->buffer, gather->buffer_bytes);
	return GS_OK;
}

gs_status
gs_external_merge_next(struct gs_external_merge *gather, struct gs_span *span)
{
	bool begun = false;

	for (;;) {
		*span = gather->whole;
		gather->whole.count = 0;
		if (span->count == 0 && gather->merge != NULL)
			gs_merge_next(gather->merge, span);
		/* A round without keys is the end. */
		if (span->count > 0 || begun)
			return GS_OK;
		gather->merge = NULL;
		TRY(begin_round(gather));
		begun = true;
	}
}

/* --- memory ------------------------------------------------------------------- */

static size_t
lines(size_t bytes)
{
	return (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

/* All but buffers; and what aligning the first costs. */
static size_t
tables_bytes(size_t sources, unsigned threads)
{
	return ALIGN_BYTES + lines(sizeof(struct gs_external_merge)) +
	       lines(sources * sizeof(struct window)) + lines(sources * sizeof(struct gs_run)) +
	       lines(gs_merge_bytes(sources, threads));
}

size_t
gs_external_merge_least_bytes(size_t sources, unsigned threads)
{
	return tables_bytes(sources, threads) + sources * 2 * WINDOW_BYTES_LEAST +
	       (size_t)threads * SPAN_BYTES_LEAST;
}

size_t
gs_external_merge_useful_bytes(size_t sources, unsigned threads)
{
	return tables_bytes(sources, threads) + sources * 2 * WINDOW_BYTES_MOST +
	       (size_t)threads * SPAN_BYTES_MOST;
}

static void *
carve(char **memory, size_t bytes)
{
	char *taken = *memory;

	*memory += lines(bytes);
	return taken;
}

/* Windows, then the buffer of spans: see lies_in_window(). */
static void
lay_out(struct gs_external_merge *gather, char *memory, size_t bytes)
{
	size_t readers = 0, span_bytes, window_bytes;

	for (size_t s = 0; s < gather->count; s++)
		readers += gather->sources[s].keys == NULL;
	span_bytes = readers == 0 ? bytes : bytes / 8;
	if (span_bytes > (size_t)gather->threads * SPAN_BYTES_MOST)
		span_bytes = (size_t)gather->threads * SPAN_BYTES_MOST;
	window_bytes = readers == 0 ? 0 : (bytes - span_bytes) / (2 * readers);
	window_bytes = window_bytes / ALIGN_BYTES * ALIGN_BYTES;
	assert(readers == 0 || window_bytes > 0);
	gather->window_keys = window_bytes / gather->key_bytes;
	for (size_t s = 0; s < gather->count; s++) {
		const struct gs_source *source = &gather->sources[s];
		struct window *window = &gather->windows[s];

		*window = (struct window){ .last = true };
		if (source->keys != NULL) {
			window->keys = source->keys;
			window->end = source->count;
			continue;
		}
		window->last = false;
		window->wanted = true;
		window->keys = carve(&memory, window_bytes);
		window->other = carve(&memory, window_bytes);
	}
	gather->buffer = memory;
	gather->buffer_bytes = span_bytes / ALIGN_BYTES * ALIGN_BYTES;
}

gs_status
gs_external_merge_open(struct gs_external_merge **opened, void *memory, size_t memory_bytes, unsigned bits,
               const struct gs_source *sources, size_t count, unsigned threads)
{
	char *at = (char *)memory + -(uintptr_t)memory % ALIGN_BYTES;
	struct gs_external_merge *gather = carve(&at, sizeof *gather);
	gs_status status;

	assert(memory_bytes >= tables_bytes(count, threads));
	*opened = NULL;
	*gather = (struct gs_external_merge){
		.sources = sources, .count = count, .bits = bits, .threads = threads,
		.key_bytes = bits / 8,
	};
	gather->windows = carve(&at, count * sizeof *gather->windows);
	gather->runs = carve(&at, count * sizeof *gather->runs);
	gather->merge_memory = carve(&at, gs_merge_bytes(count, threads));
	lay_out(gather, at, (size_t)((char *)memory + memory_bytes - at));
	gs_queue_open(&gather->wanted);
	gs_queue_open(&gather->filled);
	if (gather->window_keys > 0) {
		status = gs_thread_start(&gather->reader, read_all, gather);
		if (status != GS_OK) {
			gs_external_merge_close(gather);
			return status;
		}
		ask(gather);
	}
	*opened = gather;
	return GS_OK;
}

void
gs_external_merge_close(struct gs_external_merge *gather)
{
	if (gather == NULL)
		return;
	atomic_store(&gather->stop, true);
	gs_queue_shut(&gather->wanted);
	gs_queue_shut(&gather->filled);
	if (gather->reader.runs)
		(void)gs_thread_join(&gather->reader);
	gs_queue_close(&gather->wanted);
	gs_queue_close(&gather->filled);
	for (size_t s = 0; s < gather->count; s++)
		free(gather->windows[s].message);
}

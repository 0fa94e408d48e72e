// SPDX-License-Identifier: BSD-2-Clause
/*
 * items_merge.c - sorted files of records become one
 *
 * In:   inputs, each in order.
 * Out:  all of them in one order; of equal records those of the first input first.
 *
 * Each input has a buffer, and its order is checked when the buffer is filled.  A binary heap of
 * the inputs has the least record at its root (Knuth, TAOCP 3, 5.2.3 and 5.4.1); the first words of the
 * records are in the heap.  If there are too many inputs, or the output would overwrite one, they
 * are sorted instead: the sort is stable, so its output is the same.
 *
 * Invariant: of inputs with equal records the one of the lower number is nearer to the root.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "job/items.h"
#include "job/items_merge.h"
#include "job/merge_input.h"
#include "sort/items/follow.h"
#include "sort/items/sum.h"
#include "stages/order.h"

/* Bytes of a buffer; files that are open beside the inputs. */
#define MOST_BUFFER_BYTES	((size_t)1 << 20)
#define LEAST_BUFFER_BYTES	((size_t)16 << 10)
enum { MOST_FAN_IN = 1024, FILES_BESIDE = 24 };

struct source {
	struct gsort    *job;
	const char      *name;
	struct gs_input *input;		/* NULL: not begun, or ended */
	bool             begun, first;
	struct gs_item_follow follow;
	char            *buffer;
	size_t           room;		/* bytes, whole records */
	const char      *at, *end;	/* records that are left */
	uint64_t         word;		/* the first of the record at AT */
	uint64_t         bytes, sum;	/* read */
};

struct merging {
	struct gsort    *job;
	struct source   *sources;
	size_t           count;
	struct source  **heap;
	size_t           heap_count;
	struct gs_arena  arena;
	char            *header;
	size_t           header_bytes;

	/* what leaves */
	struct gs_item_sink sink;
	char     *out;
	uint64_t *times;
	size_t    out_count, out_room;	/* records */
	char     *group;		/* its first record */
	uint64_t  group_times;		/* 0: no group has begun */
	bool      groups;
	uint64_t  least, most, left;
	struct gs_item_follow follow;	/* for VERIFY */
	uint64_t  sum;
};

/* ---- inputs ---------------------------------------------------------------------- */

static gs_status
begin(struct merging *merging, struct source *source)
{
	struct gsort *job = source->job;

	source->begun = true;
	if (source->first)
		merging->header_bytes = (size_t)job->options->skip_bytes;
	return gs_merge_open(job, &source->name, 1, source->first ? merging->header : NULL,
	                     &source->input);
}

static void
end(struct source *source)
{
	if (source->input != NULL)
		(void)gs_input_next(source->input);	/* puts the offset of standard input right */
	gs_input_close(source->input);
	source->input = NULL;
}

/* Read the next records, and check their order. */
static gs_status
fill(struct merging *merging, struct source *source)
{
	struct gsort *job = source->job;
	const struct gs_record *record = &job->items.ingest.record;
	struct gs_item_slice slice = { source->buffer, 0 };
	size_t at;

	if (!source->begun)
		TRY(begin(merging, source));
	source->at = source->end = source->buffer;
	if (source->input == NULL)
		return GS_OK;
	TRY(gs_input_read(source->input, source->buffer, source->room, &slice.bytes));
	source->bytes += slice.bytes;
	atomic_fetch_add(&job->monitor.counters.bytes_in, slice.bytes);
	if (slice.bytes % record->bytes != 0)
		return gs_record_partial(record, source->name, job->options->skip_bytes, source->bytes);
	source->end = source->buffer + slice.bytes;
	job->stats.keys += slice.bytes / record->bytes;
	if (job->options->verify)
		source->sum += gs_items_sum(source->follow.order, &slice);
	at = job->options->trust_order ? slice.bytes : gs_items_follow(&source->follow, &slice);
	if (at < slice.bytes)
		return gs_record_disorder(record, source->name, slice.data + at, source->follow.items + 1,
		                          job->options->skip_bytes, GS_ADVICE_UNSORTED);
	if (at == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	if (slice.bytes < source->room)
		end(source);
	return GS_OK;
}

/* ---- what leaves ------------------------------------------------------------------ */

static gs_status
flush(struct merging *merging)
{
	const size_t bytes = merging->job->items.order.item_bytes;
	struct gs_item_span span = {
		.data = merging->out, .count = merging->out_count,
		.bytes = merging->out_count * bytes,
		.times = merging->groups ? merging->times : NULL,
	};

	if (span.count > merging->left) {
		span.count = (size_t)merging->left;
		span.bytes = span.count * bytes;
	}
	merging->left -= span.count;
	merging->out_count = 0;
	return span.count > 0 ? merging->sink.take(merging->sink.context, &span) : GS_OK;
}

static gs_status
put(struct merging *merging, const char *item, uint64_t times)
{
	const size_t bytes = merging->job->items.order.item_bytes;

	memcpy(merging->out + merging->out_count * bytes, item, bytes);
	merging->times[merging->out_count++] = times;
	return merging->out_count == merging->out_room ? flush(merging) : GS_OK;
}

static gs_status
end_group(struct merging *merging)
{
	const uint64_t times = merging->group_times;

	merging->group_times = 0;
	return times >= merging->least && times <= merging->most && times > 0
	       ? put(merging, merging->group, times) : GS_OK;
}

/* The next record of all, in order. */
static gs_status
take(struct merging *merging, const char *item)
{
	const struct gs_item_order *order = &merging->job->items.order;
	const struct gs_item_slice slice = { item, order->item_bytes };

	if (merging->job->options->verify) {
		merging->sum += gs_items_sum(order, &slice);
		if (gs_items_follow(&merging->follow, &slice) != slice.bytes)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	if (!merging->groups)
		return put(merging, item, 1);
	if (merging->group_times > 0 && gs_item_compare(order, 0, merging->group, order->item_bytes,
	                                                item, order->item_bytes) == 0) {
		merging->group_times++;
		return GS_OK;
	}
	TRY(end_group(merging));
	memcpy(merging->group, item, order->item_bytes);
	merging->group_times = 1;
	return GS_OK;
}

/* ---- the heap ---------------------------------------------------------------------- */

static void
load_word(struct source *source)
{
	const struct gs_item_order *order = source->follow.order;

	(void)order->words(order->context, &source->at, NULL, 1, 0, &source->word);
}

static bool
is_less(const struct source *one, const struct source *other)
{
	const size_t bytes = one->follow.order->item_bytes;
	int compared;

	if (one->word != other->word)
		return one->word < other->word;
	compared = gs_item_compare(one->follow.order, 1, one->at, bytes, other->at, bytes);
	return compared < 0 || (compared == 0 && one < other);
}

static void
sift_down(struct merging *merging, size_t at)
{
	struct source **heap = merging->heap, *source = heap[at];

	for (size_t child; (child = 2 * at + 1) < merging->heap_count; at = child) {
		if (child + 1 < merging->heap_count && is_less(heap[child + 1], heap[child]))
			child++;
		if (!is_less(heap[child], source))
			break;
		heap[at] = heap[child];
	}
	heap[at] = source;
}

static gs_status
merge_heap(struct merging *merging)
{
	const size_t bytes = merging->job->items.order.item_bytes;

	for (size_t i = merging->heap_count; i > 0; i--)
		sift_down(merging, i - 1);
	while (merging->heap_count > 0 && merging->left > 0) {
		struct source *source = merging->heap[0];

		TRY(take(merging, source->at));
		source->at += bytes;
		if (source->at == source->end)
			TRY(fill(merging, source));
		if (source->at < source->end)
			load_word(source);
		else
			merging->heap[0] = merging->heap[--merging->heap_count];
		if (merging->heap_count > 0)
			sift_down(merging, 0);
	}
	TRY(end_group(merging));
	return flush(merging);
}

/* ---- all of it ------------------------------------------------------------------------ */

/* Standard input is read only once, even if it is named several times. */
static void
list_sources(struct merging *merging, size_t room)
{
	struct gsort *job = merging->job;
	bool standard = false;

	for (size_t i = 0; i < merging->count; i++) {
		struct source *source = &merging->sources[i];

		*source = (struct source){
			.job = job, .first = i == 0, .room = room,
			.name = gs_merge_name(job->options, i),
			.follow = { .order = &job->items.order },
			.buffer = gs_arena_take(&merging->arena, room),
		};
		if (strcmp(source->name, "-") == 0) {
			source->begun = standard;
			standard = true;
		}
	}
}

static gs_status
allocate(struct merging *merging, uint64_t memory)
{
	const struct gsort_options *options = merging->job->options;
	const size_t bytes = merging->job->items.order.item_bytes;
	const size_t header = (size_t)options->skip_bytes;
	size_t room = (size_t)(memory / 2 / (merging->count + 2));

	room = room < LEAST_BUFFER_BYTES ? LEAST_BUFFER_BYTES :
	       room > MOST_BUFFER_BYTES ? MOST_BUFFER_BYTES : room;
	room = (room / bytes + 1) * bytes;
	merging->out_room = room / bytes;
	merging->sources = calloc(merging->count, sizeof *merging->sources);
	merging->heap = calloc(merging->count, sizeof *merging->heap);
	if (merging->sources == NULL || merging->heap == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu inputs", merging->count);
	TRY(gs_arena_open(&merging->arena, (merging->count + 1) * gs_arena_round(room) +
	                  gs_arena_round(merging->out_room * sizeof *merging->times) +
	                  gs_arena_round(bytes) + gs_arena_round(header), false));
	list_sources(merging, room);
	merging->out = gs_arena_take(&merging->arena, room);
	merging->times = gs_arena_take(&merging->arena, merging->out_room * sizeof *merging->times);
	merging->group = gs_arena_take(&merging->arena, bytes);
	merging->header = gs_arena_take(&merging->arena, header);
	return GS_OK;
}

static gs_status
check_sums(const struct merging *merging)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < merging->count; i++)
		sum += merging->sources[i].sum;
	if (!merging->job->options->verify || merging->job->options->head)
		return GS_OK;
	/* Inputs that are not in order are merged with --nocheck-order only. */
	if (merging->follow.breaks > 0)
		return gs_fail(GS_EDEVICE, "the result is wrong: it is not in order");
	return sum == merging->sum ? GS_OK
	       : gs_fail(GS_EDEVICE, "the result is wrong: an item has changed");
}

static gs_status
merge(struct merging *merging)
{
	struct gsort *job = merging->job;
	struct gs_items *items = &job->items;

	for (size_t i = 0; i < merging->count; i++) {
		struct source *source = &merging->sources[i];

		TRY(fill(merging, source));
		if (source->at == source->end)
			continue;
		load_word(source);
		merging->heap[merging->heap_count++] = source;
	}
	TRY(gs_items_open_emit(job));
	TRY(gs_item_emit_header(&items->emit, merging->header, merging->header_bytes));
	merging->sink = gs_item_emit_sink(&items->emit);
	TRY(merge_heap(merging));
	TRY(check_sums(merging));
	TRY(gs_outputs_wait(&job->outputs));
	return gs_outputs_finish(&job->outputs);
}

static void
set_selection(struct merging *merging)
{
	const struct gsort_options *options = merging->job->options;
	struct gs_select select;

	gs_select_open(&select, options, NULL);
	merging->groups = select.groups;
	merging->least = select.least;
	merging->most = select.most;
	merging->left = options->head ? options->head_count : UINT64_MAX;
	merging->follow = (struct gs_item_follow){
		.order = &merging->job->items.order, .counts_breaks = true,
	};
}

/* Would the output overwrite an input, or are there more than can be read at once?  Which are the
 * last is known after all were read. */
static bool
must_sort(const struct gsort *job, size_t count)
{
	const struct gsort_options *options = job->options;
	size_t most = MOST_FAN_IN, files = job->plan_input.files;

	if (options->merge_files > 0 && options->merge_files < most)
		most = options->merge_files;
	if (files > 0 && files < most + FILES_BESIDE)
		most = files > FILES_BESIDE + 2 ? files - FILES_BESIDE : 2;
	if (job->plan.pool_bytes / 4 / LEAST_BUFFER_BYTES < most)
		most = job->plan.pool_bytes / 4 / LEAST_BUFFER_BYTES;
	return count > most || options->tail.wanted || job->items.npy.first != NULL ||
	       gs_merge_overwrites(job);
}

gs_status
gs_items_merge(struct gsort *job)
{
	struct merging merging = { .job = job, .count = gs_merge_count(job->options) };
	gs_status status;

	if (must_sort(job, merging.count)) {
		job->items.ingest.checks_order = !job->options->trust_order;
		TRY(gs_items_allocate(job));
		return gs_items_sort(job);
	}
	atomic_store(&job->monitor.counters.phase, GSORT_MERGING);
	set_selection(&merging);
	status = allocate(&merging, job->plan.pool_bytes);
	if (status == GS_OK)
		status = merge(&merging);
	for (size_t i = 0; merging.sources != NULL && i < merging.count; i++) {
		job->stats.bytes_in += merging.sources[i].bytes;
		gs_input_close(merging.sources[i].input);
		gs_items_follow_close(&merging.sources[i].follow);
	}
	gs_items_follow_close(&merging.follow);
	free(merging.sources);
	free(merging.heap);
	gs_arena_close(&merging.arena);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * items_merge.c - sorted files of records or lines become one
 *
 * In:   inputs, each in order.
 * Out:  all of them in one order; of equal items those of the first input first.
 *
 * Each input has a buffer, and its order is checked when the buffer is filled.  A binary heap of
 * the inputs has the least item at its root (Knuth, TAOCP 3, 5.2.3 and 5.4.1); the first words of the
 * items are in the heap.  If there are too many inputs, or the output would overwrite one, they
 * are sorted instead: the sort is stable, so its output is the same.
 *
 * Invariant: of inputs with equal items the one of the lower number is nearer to the root.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/line.h"
#include "job/items.h"
#include "job/items_merge.h"
#include "job/items_source.h"
#include "job/merge_input.h"
#include "sort/items/sum.h"
#include "sort/items/walk.h"

/* Bytes of a buffer; files that are open beside the inputs. */
#define MOST_BUFFER_BYTES	((size_t)1 << 20)
#define LEAST_BUFFER_BYTES	((size_t)16 << 10)
enum { MOST_FAN_IN = 1024, FILES_BESIDE = 24 };

/* Room for numbers of lines is for lines of so many bytes.  Not tuned. */
enum { SHORT_LINE = 16 };

struct merging {
	struct gsort    *job;
	struct gs_items_source   *sources;
	size_t           count;
	struct gs_items_source  **heap;
	size_t           heap_count;
	struct gs_arena  arena;
	size_t           spare;		/* memory for lines that are larger than a buffer */

	/* what leaves */
	struct gs_item_sink sink;
	char     *out;
	uint64_t *times;
	size_t    out_bytes, out_most;	/* that OUT has; its room */
	size_t    out_count, out_room;	/* items; that TIMES has room for */
	char     *group;		/* its first item */
	size_t    group_bytes, group_room;
	uint64_t  group_times;		/* 0: no group has begun */
	bool      groups;
	uint64_t  least, most, left;
	struct gs_follow follow;	/* for VERIFY */
	uint64_t  sum;
};

/* ---- what leaves ------------------------------------------------------------------ */

static gs_status
hand_on(struct merging *merging, const char *data, size_t bytes, size_t count, const uint64_t *times)
{
	const struct gs_item_span span = {
		.data = data, .bytes = bytes, .count = count, .times = merging->groups ? times : NULL,
	};

	return count > 0 ? merging->sink.take(merging->sink.context, &span) : GS_OK;
}

static gs_status
flush(struct merging *merging)
{
	const size_t bytes = merging->out_bytes, count = merging->out_count;

	merging->out_bytes = merging->out_count = 0;
	return hand_on(merging, merging->out, bytes, count, merging->times);
}

static gs_status
put(struct merging *merging, const char *item, size_t bytes, uint64_t times)
{
	if (merging->left == 0)
		return GS_OK;
	merging->left--;
	if (merging->out_bytes + bytes > merging->out_most || merging->out_count == merging->out_room)
		TRY(flush(merging));
	if (bytes > merging->out_most)
		return hand_on(merging, item, bytes, 1, &times);
	gs_item_copy(merging->out + merging->out_bytes, item, bytes);
	merging->out_bytes += bytes;
	merging->times[merging->out_count++] = times;
	return GS_OK;
}

static gs_status
end_group(struct merging *merging)
{
	const uint64_t times = merging->group_times;

	merging->group_times = 0;
	return times >= merging->least && times <= merging->most && times > 0
	       ? put(merging, merging->group, merging->group_bytes, times) : GS_OK;
}

/* A group begins with ITEM. */
static gs_status
begin_group(struct merging *merging, const char *item, size_t bytes)
{
	if (bytes > merging->group_room) {
		free(merging->group);
		merging->group_room = 0;
		merging->group = malloc(2 * bytes);
		if (merging->group == NULL)
			return gs_item_fail_large(bytes, GS_MERGE_SHARE);
		merging->group_room = 2 * bytes;
	}
	memcpy(merging->group, item, bytes);
	merging->group_bytes = bytes;
	merging->group_times = 1;
	return GS_OK;
}

/* The next item of all, in order. */
static gs_status
take(struct merging *merging, const char *item, size_t bytes)
{
	const struct gs_item_order *order = &merging->job->items.order;
	const struct gs_item_slice slice = { item, bytes };

	if (merging->job->options->verify) {
		merging->sum += gs_items_sum(order, &slice);
		if (gs_follow_slice(&merging->follow, &slice) != slice.bytes)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	if (!merging->groups)
		return put(merging, item, bytes, 1);
	if (merging->group_times > 0 && gs_item_compare(order, 0, merging->group, merging->group_bytes,
	                                                item, bytes) == 0) {
		merging->group_times++;
		return GS_OK;
	}
	TRY(end_group(merging));
	return begin_group(merging, item, bytes);
}

/* ---- the heap ---------------------------------------------------------------------- */

static bool
is_less(const struct gs_items_source *one, const struct gs_items_source *other)
{
	const struct gs_item_order *order = one->follow.order;
	int compared;

	if (one->word != other->word)
		return one->word < other->word;
	compared = gs_item_compare_whole(order, 1, one->at, one->item_bytes, other->at, other->item_bytes);
	return compared < 0 || (compared == 0 && one < other);
}

static void
sift_down(struct merging *merging, size_t at)
{
	struct gs_items_source **heap = merging->heap, *source = heap[at];

	for (size_t child; (child = 2 * at + 1) < merging->heap_count; at = child) {
		if (child + 1 < merging->heap_count && is_less(heap[child + 1], heap[child]))
			child++;
		if (!is_less(heap[child], source))
			break;
		heap[at] = heap[child];
	}
	heap[at] = source;
}

/* The head is complete: read what is left of all inputs, which must be in order, too. */
static gs_status
read_rest(struct merging *merging)
{
	for (size_t i = 0; i < merging->heap_count; i++)
		for (bool any = true; any; )
			TRY(gs_items_source_next(merging->heap[i], merging->sources, &any));
	return GS_OK;
}

static gs_status
merge_heap(struct merging *merging)
{
	bool any;

	for (size_t i = merging->heap_count; i > 0; i--)
		sift_down(merging, i - 1);
	while (merging->heap_count > 0 && merging->left > 0) {
		struct gs_items_source *source = merging->heap[0];

		TRY(take(merging, source->at, source->item_bytes));
		TRY(gs_items_source_next(source, merging->sources, &any));
		if (!any)
			merging->heap[0] = merging->heap[--merging->heap_count];
		if (merging->heap_count > 0)
			sift_down(merging, 0);
	}
	TRY(end_group(merging));
	TRY(flush(merging));
	return read_rest(merging);
}

/* ---- all of it ------------------------------------------------------------------------ */

/* Standard input is read only once, even if it is named several times. */
static void
list_sources(struct merging *merging, size_t room)
{
	struct gsort *job = merging->job;
	bool standard = false;

	for (size_t i = 0; i < merging->count; i++) {
		struct gs_items_source *source = &merging->sources[i];

		*source = (struct gs_items_source){
			.job = job, .first = i == 0, .room = room,
			.name = gs_merge_name(job->options, i),
			.follow = { .order = &job->items.order },
			.buffer = gs_arena_take(&merging->arena, room),
			.spare = &merging->spare,
		};
		source->at = source->end = source->buffer;
		if (strcmp(source->name, "-") == 0) {
			source->begun = standard;
			standard = true;
		}
	}
}

/* Lines have a buffer of what is read, and one of what is whole, which grows. */
static gs_status
allocate(struct merging *merging, uint64_t memory)
{
	const struct gsort_options *options = merging->job->options;
	const size_t bytes = merging->job->items.order.item_bytes;
	const size_t header = options->lines ? 0 : (size_t)options->skip_bytes;
	size_t room = (size_t)(memory / 2 / (merging->count + 2)) / (options->lines ? 2 : 1);

	room = room < LEAST_BUFFER_BYTES ? LEAST_BUFFER_BYTES :
	       room > MOST_BUFFER_BYTES ? MOST_BUFFER_BYTES : room;
	room = bytes > 0 ? (room / bytes + 1) * bytes : room;
	merging->spare = (size_t)memory / 4 + merging->count * room;
	merging->out_most = room;
	merging->out_room = room / (bytes > 0 ? bytes : SHORT_LINE);
	merging->sources = calloc(merging->count, sizeof *merging->sources);
	merging->heap = calloc(merging->count, sizeof *merging->heap);
	if (merging->sources == NULL || merging->heap == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu inputs", merging->count);
	TRY(gs_arena_open(&merging->arena, (merging->count + 1) * gs_arena_round(room) +
	                  gs_arena_round(merging->out_room * sizeof *merging->times) +
	                  gs_arena_round(header), false));
	list_sources(merging, room);
	merging->out = gs_arena_take(&merging->arena, room);
	merging->times = gs_arena_take(&merging->arena, merging->out_room * sizeof *merging->times);
	merging->sources[0].header = options->lines ? NULL : gs_arena_take(&merging->arena, header);
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
		bool any;

		TRY(gs_items_source_next(&merging->sources[i], merging->sources, &any));
		if (any)
			merging->heap[merging->heap_count++] = &merging->sources[i];
	}
	TRY(gs_items_open_emit(job));
	TRY(gs_item_emit_header(&items->emit, merging->sources[0].header,
	                        merging->sources[0].header_bytes));
	merging->sink = gs_item_emit_sink(&items->emit);
	TRY(merge_heap(merging));
	gs_line_reject_end(&job->ingest.text, job->lines.ingest.faults.invalid);
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
	merging->follow = (struct gs_follow){
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
	if (job->plan.pool_bytes / 8 / LEAST_BUFFER_BYTES < most)
		most = job->plan.pool_bytes / 8 / LEAST_BUFFER_BYTES;
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
		if (i > 0)
			gs_items_source_close(&merging.sources[i]);
	}
	if (merging.sources != NULL)	/* others borrow its header */
		gs_items_source_close(&merging.sources[0]);
	gs_follow_close(&merging.follow);
	free(merging.sources);
	free(merging.heap);
	free(merging.group);
	gs_arena_close(&merging.arena);
	return status;
}

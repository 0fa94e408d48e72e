// SPDX-License-Identifier: BSD-2-Clause
/*
 * runs.c - sorted runs of each key class, on disk, and their merge
 *
 * In:   sorted batches, sorted inputs.
 * Out:  all keys in order, as spans, to a sink.
 *
 * More runs than can be merged at once need several passes.  The queue begins with the smallest
 * runs.  A merge takes the first runs of the queue and appends its result.  The first merge takes so
 * few runs that all later ones have the full fan-in: Knuth, TAOCP 3, section 5.4.9.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/store.h"
#include "plan/plan.h"

/* A run of at least this many keys is written in parts.  Not tuned. */
enum { PARTED_KEYS = 1 << 20 };

/* ---- opening --------------------------------------------------------------- */

void
gs_runs_carve(struct gs_runs *runs, const struct gs_plan *plan, struct gs_arena *arena)
{
	const size_t list_bytes = plan->most_runs * sizeof(struct gs_run_entry);

	runs->plan = plan;
	for (unsigned c = 0; c < GS_CLASSES; c++)
		if (plan->class_bits[c] > 0)
			runs->lists[c].entries = gs_arena_take(arena, list_bytes);
	runs->merged.entries = gs_arena_take(arena, list_bytes);
	runs->sources = gs_arena_take(arena, plan->most_runs * sizeof *runs->sources);
	runs->merge_memory = gs_arena_take(arena, plan->merge_bytes);
	runs->spill_memory = gs_arena_take(arena, plan->spill_bytes);
}

void
gs_runs_open(struct gs_runs *runs, const struct gsort_options *options,
             const struct gs_plan_input *input, struct gs_monitor *monitor)
{
	runs->options = options;
	runs->plan_input = input;
	runs->monitor = monitor;
	runs->merge_threads = runs->plan->threads;
}

gs_status
gs_runs_prepare_disk(struct gs_runs *runs)
{
	const struct gsort_options *options = runs->options;
	struct gs_spill_options spill = {
		.dirs = options->temp_dirs,
		.dir_count = options->temp_dir_count,
		.compress_program = options->compress_program,
		.threads = runs->plan->threads,
		.buffer = runs->spill_memory,
		.buffer_bytes = runs->plan->spill_bytes,
		.monitor = runs->monitor,
	};
	struct gs_estimate estimate;

	if (runs->spill != NULL)
		return GS_OK;
	gs_plan_estimate(runs->plan, runs->plan_input, &estimate);
	spill.expected_bytes = estimate.disk_bytes;
	return gs_spill_open(&runs->spill, &spill);
}

/* ---- a run on disk ------------------------------------------------------------ */

/* Append the run to LIST; DEPTH: how many merges it has come from. */
static gs_status
end_run(struct gs_runs *runs, struct gs_run_list *list, unsigned depth)
{
	struct gs_run_entry *entry = &list->entries[list->count];
	uint64_t since = gs_clock_now();

	assert(list->count < runs->plan->most_runs);
	*entry = (struct gs_run_entry){
		.spill = runs->spill, .clock = &runs->monitor->clock, .depth = depth,
	};
	TRY(gs_spill_end(runs->spill, &entry->run));
	gs_clock_lap(&runs->monitor->clock, GS_STAGE_SPILL, &since);
	list->count++;
	return GS_OK;
}

static gs_status
take_span(void *context, struct gs_sorted_span *sorted)
{
	struct gs_runs *runs = context;
	uint64_t since = gs_clock_now();

	TRY(gs_spill_write(runs->spill, (unsigned)sorted->strand, sorted->span.keys, sorted->span.count));
	atomic_fetch_add(&runs->monitor->counters.spilled_bytes,
	                 sorted->span.count * (runs->plan->class_bits[runs->key_class] / 8));
	gs_clock_lap(&runs->monitor->clock, GS_STAGE_SPILL, &since);
	return GS_OK;
}

gs_status
gs_runs_begin(struct gs_runs *runs, unsigned key_class, uint64_t keys, struct gs_span_sink *sink)
{
	unsigned parts = 1;

	if (runs->spilled++ == 0)
		gs_note(runs->monitor, "the input is larger than memory: batches go to temporary files");
	atomic_fetch_add(&runs->monitor->counters.runs, 1);
	TRY(gs_runs_prepare_disk(runs));
	if (gs_spill_is_plain(runs->spill) && keys >= PARTED_KEYS && runs->plan->threads > 1)
		parts = GS_SPILL_PARTS;
	for (unsigned part = 0; part < parts; part++)
		runs->part_at[part] = keys / parts * part;
	runs->key_class = key_class;
	*sink = (struct gs_span_sink){
		.take = take_span, .context = runs, .strand_at = runs->part_at,
		.strand_count = parts > 1 ? parts : 0,
	};
	return gs_spill_begin(runs->spill, runs->plan->class_bits[key_class], parts);
}

/* ---- reading -------------------------------------------------------------------- */

/* The merge's thread. */
static gs_status
read_run(void *context, void *into, size_t room, size_t *count)
{
	struct gs_run_entry *entry = context;
	uint64_t since = gs_clock_now();
	const gs_status status = gs_spill_read(entry->spill, &entry->run, into, room, count);

	gs_clock_lap(entry->clock, GS_STAGE_SPILL, &since);
	return status;
}

static struct gs_source
source_of(struct gs_run_entry *entry)
{
	return (struct gs_source){
		.read = read_run, .context = entry, .side_by_side = gs_spill_is_plain(entry->spill),
	};
}

/* ---- merging --------------------------------------------------------------------- */

static unsigned
depth_of(const struct gs_source *sources, size_t count)
{
	unsigned depth = 0;

	for (size_t i = 0; i < count; i++)
		if (sources[i].read == read_run) {
			const struct gs_run_entry *entry = sources[i].context;

			if (entry->depth >= depth)
				depth = entry->depth + 1;
		}
	return depth;
}

/* Merge SOURCES into SINK.  A merge that ends early does not wait for more input. */
static gs_status
merge_once(struct gs_runs *runs, unsigned key_class, const struct gs_source *sources,
           size_t count, const struct gs_span_sink *sink)
{
	const size_t useful = gs_plan_merge_useful(count, runs->merge_threads);
	const size_t room = runs->plan->merge_bytes;
	struct gs_external_merge *merge;
	bool enough = false;
	gs_status status;

	TRY(gs_external_merge_open(&merge, runs->merge_memory, room < useful ? room : useful,
	                           runs->plan->class_bits[key_class], sources, count, runs->merge_threads));
	status = gs_external_merge_drain(merge, key_class, &runs->monitor->clock, sink, &enough);
	if ((status != GS_OK || enough) && runs->stop != NULL)
		runs->stop(runs->stop_context);
	gs_external_merge_close(merge);
	return status;
}

/* A merge that is not the last: append its run to LIST. */
static gs_status
merge_to_run(struct gs_runs *runs, unsigned key_class, const struct gs_source *sources,
             size_t count, struct gs_run_list *list)
{
	const struct gs_span_sink sink = { .take = take_span, .context = runs };
	const unsigned depth = depth_of(sources, count);

	atomic_store(&runs->monitor->counters.phase, GSORT_MERGING);
	TRY(gs_runs_prepare_disk(runs));
	runs->key_class = key_class;
	TRY(gs_spill_begin(runs->spill, runs->plan->class_bits[key_class], 1));
	TRY(merge_once(runs, key_class, sources, count, &sink));
	return end_run(runs, list, depth > 0 ? depth : 1);
}

gs_status
gs_runs_merge(struct gs_runs *runs, unsigned key_class, struct gs_source *sources, size_t count,
              const struct gs_span_sink *sink)
{
	const size_t most = runs->plan->fan_in;
	unsigned passes;

	runs->merged.count = 0;		/* another class's sources have been read */
	while (count > most) {		/* all merges but this one have the full fan-in */
		const size_t odd = (count - 1) % (most - 1), width = odd == 0 ? most : odd + 1;

		TRY(merge_to_run(runs, key_class, sources, width, &runs->merged));
		count -= width;
		memmove(sources, sources + width, count * sizeof *sources);
		sources[count++] = source_of(&runs->merged.entries[runs->merged.count - 1]);
	}
	passes = depth_of(sources, count);
	if (passes > runs->passes)
		runs->passes = passes;
	atomic_store(&runs->monitor->counters.phase, GSORT_WRITING);
	return merge_once(runs, key_class, sources, count, sink);
}

static int
by_size(const void *a, const void *b)
{
	const struct gs_run_entry *one = a, *two = b;

	return one->run.count < two->run.count ? -1 : one->run.count > two->run.count;
}

gs_status
gs_runs_drain(struct gs_runs *runs, unsigned key_class, const struct gs_span_sink *sink)
{
	struct gs_run_list *list = &runs->lists[key_class];

	qsort(list->entries, list->count, sizeof *list->entries, by_size);
	for (size_t r = 0; r < list->count; r++)
		runs->sources[r] = source_of(&list->entries[r]);
	return gs_runs_merge(runs, key_class, runs->sources, list->count, sink);
}

/* ---- room for more runs ----------------------------------------------------------- */

/* The class that has the most runs. */
static unsigned
longest_list(const struct gs_runs *runs)
{
	unsigned longest = 0;

	for (unsigned c = 1; c < GS_CLASSES; c++)
		if (runs->lists[c].count > runs->lists[longest].count)
			longest = c;
	return longest;
}

/* The next batch needs a run of each class. */
bool
gs_runs_are_crowded(const struct gs_runs *runs)
{
	const size_t longest = runs->lists[longest_list(runs)].count;

	return longest >= 2 && longest + 1 >= runs->plan->most_runs;
}

gs_status
gs_runs_make_room(struct gs_runs *runs)
{
	while (gs_runs_are_crowded(runs)) {	/* merge the first runs of a list into one, its last */
		const unsigned c = longest_list(runs);
		struct gs_run_list *list = &runs->lists[c];
		const size_t width = list->count < runs->plan->fan_in ? list->count : runs->plan->fan_in;

		for (size_t r = 0; r < width; r++)
			runs->sources[r] = source_of(&list->entries[r]);
		runs->merged.count = 0;
		TRY(merge_to_run(runs, c, runs->sources, width, &runs->merged));
		list->count -= width;
		memmove(list->entries, list->entries + width, list->count * sizeof *list->entries);
		list->entries[list->count++] = runs->merged.entries[0];
		gs_arena_forget(runs->merge_memory, runs->plan->merge_bytes);
		atomic_store(&runs->monitor->counters.phase, GSORT_READING);
	}
	return GS_OK;
}

gs_status
gs_runs_end(struct gs_runs *runs)
{
	return end_run(runs, &runs->lists[runs->key_class], 0);
}

gs_status
gs_runs_add(struct gs_runs *runs, unsigned key_class, const struct gs_source *sources,
            size_t count)
{
	TRY(merge_to_run(runs, key_class, sources, count, &runs->lists[key_class]));
	return gs_runs_make_room(runs);
}

void
gs_runs_close(struct gs_runs *runs)
{
	gs_spill_close(runs->spill);
	runs->spill = NULL;
	for (unsigned c = 0; c < GS_CLASSES; c++)
		runs->lists[c].count = 0;
}

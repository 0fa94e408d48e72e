// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked_items.c - the sequence of a sort of records, lines or keys of 128 bits by several ranks
 *
 * In:   open jobs, one a rank.
 * Out:  the sorted output of all.
 *
 * The twin of ranked_sort.c.  A rank reads its part of the input, deals its items out to their owners
 * (item_spread.c), and sorts and writes what it owns as a job alone does (items.c).
 */
#include "job/border.h"
#include "job/item_sample.h"
#include "job/items.h"
#include "job/phase.h"
#include "job/ranked.h"
#include "job/ranked_sort.h"
#include "job/read.h"
#include "stages/select.h"

/* ---- reading ------------------------------------------------------------------------- */

static gs_status
open_spread(struct gsort *job)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_item_spread *spread = &ranked->item_spread;
	struct gs_items *items = &job->items;
	const struct gs_taker store = gs_item_store_taker(items->store);

	spread->ranks = ranked->ranks;
	spread->order = &items->order;
	spread->store = items->store;
	spread->monitor = &job->monitor;
	spread->threads = job->plan.threads;
	spread->terminator = ranked->parts.terminator;
	TRY(gs_item_sample_split(&spread->owners, &items->order, &ranked->parts, job->options,
	                         items->order.item_bytes, gs_select_wants_groups(job->options),
	                         ranked->ranks, &store));
	return gs_item_spread_open(spread, ranked->window_bytes);
}

static gs_status
read_all(struct gsort *job)
{
	struct gs_item_spread *spread = &job->ranked->item_spread;

	TRY(open_spread(job));
	TRY(gs_job_read(job, gs_item_spread_taker(spread)));
	return gs_item_spread_finish(spread);
}

/* ---- writing --------------------------------------------------------------------------- */

/* How many items, or groups, this rank writes of what all have. */
static gs_status
share(struct gsort *job, uint64_t *count)
{
	const struct gsort_options *options = job->options;
	const bool tail = options->tail.wanted;
	const uint64_t most = tail ? options->tail.count : options->head_count;
	struct gs_item_store *store = job->items.store;
	uint64_t before, all, beside;

	*count = gs_item_store_count(store);
	if (!options->head && !tail)
		return GS_OK;
	TRY(gs_item_store_count_out(store, count));
	TRY(gs_ranks_scan(job->ranked->ranks, *count, &before, &all));
	beside = tail ? all - before - *count : before;
	if (beside >= most)
		*count = 0;
	else if (*count > most - beside)
		*count = most - beside;
	gs_item_store_limit(store, *count);
	return GS_OK;
}

/* The bytes that a rank tells the others, if it writes COUNT items to its place in one file. */
static uint64_t
bytes_of(const struct gsort *job, uint64_t count)
{
	const size_t fixed = job->items.order.item_bytes;

	return fixed > 0 ? count * fixed : job->ranked->item_spread.bytes;
}

static size_t
header_bytes(const struct gsort *job)
{
	if (!gs_ranked_speaks(job->ranked))
		return 0;
	return job->options->lines ? job->lines.ingest.header.bytes : job->items.ingest.header_bytes;
}

static gs_status
write_items(struct gsort *job)
{
	struct gs_items *items = &job->items;
	struct gs_ranked_output *output = &job->ranked->output;
	const size_t header = header_bytes(job), fixed = items->order.item_bytes;
	const bool groups = gs_select_wants_groups(job->options);
	const size_t written = fixed + (job->options->counts ? sizeof(uint64_t) : 0);
	struct gs_span_sink sink;
	uint64_t count, keys, bytes;

	TRY(share(job, &count));
	TRY(gs_ranked_output_begin(output, bytes_of(job, count) + header, header));
	TRY(gs_items_open_emit(job));
	gs_item_emit_expect(&items->emit, count);
	if (gs_ranked_speaks(job->ranked))
		TRY(gs_items_write_header(job));
	if (!groups && fixed > 0)
		gs_item_emit_to_places(&items->emit);
	sink = gs_item_emit_sink(&items->emit);
	TRY(gs_item_store_drain(items->store, &sink));
	TRY(gs_outputs_wait(&job->outputs));
	gs_verify_out_items(&job->verify, gs_item_store_digest(items->store));
	TRY(gs_border_verify(job->ranked->ranks, &job->verify,
	                     gs_item_store_digest(items->store)));
	keys = items->emit.items;
	bytes = items->emit.bytes;
	return gs_ranked_output_finish(output, &keys, fixed > 0 ? written : 0,
	                               job->ranked->parts.terminator, job->outputs.files[0], &bytes);
}

/* ---- all of it ----------------------------------------------------------------------------- */

gs_status
gs_ranked_items_sort(struct gsort *job)
{
	gs_phase_begin(job, GSORT_READING);
	TRY(read_all(job));
	gs_phase_begin(job, GSORT_SORTING);
	TRY(gs_item_store_finish(job->items.store));
	gs_phase_begin(job, GSORT_WRITING);
	TRY(write_items(job));
	gs_phase_end(job);
	return GS_OK;
}

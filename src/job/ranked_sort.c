// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked_sort.c - the sequence of a sort, and of a check, by several ranks
 *
 * In:   open jobs, one a rank.
 * Out:  the sorted output of all.
 *
 * A rank reads its part of the input, and deals its keys out to their owners (spread.c).  What it
 * owns is sorted, selected and encoded as in a job alone.  Keys of 8 and 16 bits, and small
 * integers of text, are only counted; so their histograms are added up, and each rank keeps its
 * share of the sum.
 */
#include <stdlib.h>
#include <string.h>

#include "format/key.h"
#include "job/border.h"
#include "job/check.h"
#include "job/line_job.h"
#include "job/options.h"
#include "job/phase.h"
#include "job/ranked.h"
#include "job/ranked_sort.h"
#include "job/read.h"
#include "job/sort.h"
#include "job/spread_land.h"
#include "stages/select.h"

/* ---- reading ------------------------------------------------------------------------- */

/* What makes a key of a bin of the histogram, for the text classes: complemented keys. */
static uint64_t
flip_of(const struct gsort *job)
{
	return job->options->reverse && job->plan_input.key_bits == 0 ? UINT32_MAX : 0;
}

/* Splitters from the files, if there are any that can be sampled. */
static gs_status
sample(struct gsort *job, struct gs_splitters *splitters, bool *split)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_sample sample = { .keys = NULL };
	const bool together = gs_select_wants_groups(job->options);
	gs_status status;

	*split = ranked->parts.plain_bytes > 0;
	if (!*split)
		return GS_OK;
	status = gs_sample_parts(&sample, &ranked->parts, job->options, together,
	                         gs_sample_wanted(ranked->ranks->size));
	if (status == GS_OK)
		status = gs_sample_split(&sample, ranked->ranks, together, job->options->reverse,
		                         splitters);
	gs_sample_close(&sample);
	return status;
}

static gs_status
open_spread(struct gsort *job)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_spread *spread = &ranked->spread;
	struct gs_splitters splitters = { .count = 0 };
	bool split;

	spread->ranks = ranked->ranks;
	spread->store = &job->store;
	spread->plan = &job->plan;
	spread->monitor = &job->monitor;
	spread->together = gs_select_wants_groups(job->options);
	spread->descending_classes = job->options->reverse;
	spread->encoding = job->emit.encoding;
	spread->measures = gs_ranked_output_places(&ranked->output) &&
	                   gs_key_is_text(spread->encoding.to);
	TRY(sample(job, &splitters, &split));
	TRY(gs_spread_open(spread, ranked->window_bytes, &splitters, split));
	return GS_OK;
}

/* Of a bin of the sum of all histograms, keep this rank's share. */
static void
keep_share(struct gsort *job, size_t bin)
{
	struct gs_spread *spread = &job->ranked->spread;
	struct gs_count *histogram = &job->store.histogram;
	const uint64_t key = bin ^ flip_of(job);
	uint64_t keys;

	histogram->bins[bin] = gs_splitters_share(&spread->splitters, histogram->key_class, key,
	                                          histogram->bins[bin], spread->ranks->rank);
	gs_key_put(&keys, histogram->key_bits, 0, key);
	gs_spread_measure(spread, histogram->key_class, histogram->key_bits, &keys, 1,
	                  histogram->bins[bin]);
}

static gs_status
share_histogram(struct gsort *job)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_count *histogram = &job->store.histogram;

	if (histogram->bin_count == 0)
		return GS_OK;
	TRY(gs_ranks_sum(ranked->ranks, histogram->bins, histogram->bin_count));
	if (job->plan.by_counting) {
		struct gs_sample sample = { .keys = NULL };
		gs_status status = gs_sample_histogram(&sample, histogram, 0, job->options->reverse);

		if (status == GS_OK)
			status = gs_sample_split_alone(&sample, ranked->ranks,
			                               gs_select_wants_groups(job->options),
			                               job->options->reverse,
			                               &ranked->spread.splitters);
		gs_sample_close(&sample);
		TRY(status);
	}
	histogram->touched = UINT64_MAX;
	for (size_t b = 0; b < histogram->bin_count; b++)
		if (histogram->bins[b] > 0)
			keep_share(job, b);
	return GS_OK;
}

/* All keys of all inputs, to the stores of their owners. */
static gs_status
read_all(struct gsort *job)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_spread *spread = &ranked->spread;

	if (job->plan.by_counting) {
		spread->ranks = ranked->ranks;
		spread->encoding = job->emit.encoding;
		spread->measures = gs_ranked_output_places(&ranked->output) &&
		                   gs_key_is_text(spread->encoding.to);
	} else {
		TRY(open_spread(job));
	}
	TRY(gs_job_read(job, job->plan.by_counting ? gs_store_taker(&job->store)
	                                           : gs_spread_taker(spread)));
	if (!job->plan.by_counting)
		TRY(gs_spread_finish(spread, flip_of(job)));
	return share_histogram(job);
}

/* ---- writing --------------------------------------------------------------------------- */

/* Of KEYS keys of this rank, behind BEFORE of others, those that it writes; as far as that is known. */
static uint64_t
count_written(struct gs_emit *emit, uint64_t keys, uint64_t before)
{
	struct gs_select *select = &emit->select;

	keys = gs_pick_count(&emit->pick, before, keys);
	if (!select->head || select->groups)
		return keys;
	select->left = before < select->left ? select->left - before : 0;
	return keys < select->left ? keys : select->left;
}

static gs_status
begin_output(struct gsort *job, size_t header_bytes)
{
	struct gs_spread *spread = &job->ranked->spread;
	const uint64_t keys = spread->keys;
	uint64_t before, all, written, bytes;

	TRY(gs_ranks_scan(job->ranked->ranks, keys, &before, &all));
	TRY(gs_emit_expect_keys(&job->emit, job->options, keys, before, all));
	written = count_written(&job->emit, keys, before);
	bytes = spread->measures ? (uint64_t)spread->bytes
	        : written * gs_encoding_bytes(&job->emit.encoding);
	return gs_ranked_output_begin(&job->ranked->output, bytes + header_bytes, header_bytes);
}

/* As gs_job_emit(), with the head and the checks of all ranks. */
static gs_status
emit(struct gsort *job)
{
	const bool first = gs_ranked_speaks(job->ranked);
	size_t header_bytes;
	const char *header = gs_ingest_header(&job->ingest, &header_bytes);
	uint64_t bytes;

	if (!first)
		header_bytes = 0;
	TRY(begin_output(job, header_bytes));
	TRY(gs_job_emit_classes(job, header, header_bytes));
	TRY(gs_border_verify(job->ranked->ranks, &job->verify, NULL));
	TRY(gs_emit_end(&job->emit));
	bytes = job->emit.bytes;
	TRY(gs_ranked_output_finish(&job->ranked->output, &job->emit.keys,
	                            gs_key_is_text(job->emit.encoding.to) ? 0
	                            : gs_encoding_bytes(&job->emit.encoding),
	                            job->emit.encoding.terminator, job->outputs.files[0], &bytes));
	job->emit.bytes = bytes;
	return GS_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static gs_status
open_gpu(struct gsort *job)
{
	gs_status status = GS_OK;

	if (job->plan.device == GSORT_DEVICE_GPU)
		status = gs_store_open_gpu(&job->store);
	if (status != GS_OK)
		status = gs_fail(GS_ENODEV, "--device=gpu: %s", gs_message());
	return gs_ranks_agree(job->ranked->ranks, status);
}

gs_status
gs_ranked_sort(struct gsort *job)
{
	if (gs_options_want_items(job->options))
		return gs_ranked_items_sort(job);
	TRY(open_gpu(job));
	gs_phase_begin(job, GSORT_READING);
	TRY(read_all(job));
	gs_phase_begin(job, GSORT_SORTING);
	TRY(gs_store_finish(&job->store));
	gs_phase_begin(job, GSORT_WRITING);
	TRY(emit(job));
	gs_phase_end(job);
	return GS_OK;
}

gs_status
gs_ranked_check(struct gsort *job, bool *disorder)
{
	struct gs_ranks *ranks = job->ranked->ranks;
	uint64_t before, all, mine;
	char message[GS_MESSAGE_BYTES];
	gs_status status = gs_job_check(job, disorder);

	(void)strncpy(message, gs_message(), sizeof message - 1);
	message[sizeof message - 1] = '\0';
	TRY(gs_ranks_agree(ranks, status));
	job->stats.keys -= job->ranked->parts.overlap_keys;
	job->stats.bytes_in -= job->ranked->parts.overlap_bytes;
	mine = *disorder;
	TRY(gs_ranks_scan(ranks, mine, &before, &all));
	(void)gs_fail(GS_OK, "%s", mine > 0 && before == 0 ? message : "");
	*disorder = all > 0;
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * settle.c - what several ranks do between the stages of a sort
 *
 * In:   open jobs, one a rank.
 * Out:  on each rank the elements that it owns, and the place of its output.
 *
 * A rank reads its part of the input, and deals its elements out to their owners (spread.c,
 * item_spread.c).  What it owns is sorted, selected and written as in a job alone.  Keys of 8 and 16
 * bits, and small integers of text, are only counted; so their histograms are added up, and each rank
 * keeps its share of the sum.
 */
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "linekey/line_order.h"
#include "options/options.h"
#include "ranks/ranked.h"
#include "ranks/spread.h"
#include "job/job.h"
#include "output/select.h"

/* Have equal elements one owner? */
static bool
together(const struct gsort *job)
{
	return gs_select_merges_zeros(&job->options);
}

/* ---- settling keys -------------------------------------------------------------------- */

/* What makes a key of a bin of the histogram, for the text classes: complemented keys. */
static uint64_t
flip_of(const struct gsort *job)
{
	return job->options.reverse && job->plan_input.key_bits == 0 ? UINT32_MAX : 0;
}

/* Of a bin of the sum of all histograms, keep this rank's share. */
static void
keep_share(struct gsort *job, size_t bin)
{
	struct gs_key_spread *spread = &job->ranked->spread;
	struct gs_count *histogram = &job->feed.store.histogram;
	const uint64_t key = bin ^ flip_of(job);
	uint64_t keys;

	histogram->bins[bin] = gs_splitters_share(&spread->splitters, histogram->key_class, key,
	                                          histogram->bins[bin], spread->all.ranks->rank);
	gs_key_put(&keys, histogram->key_bits, 0, key);
	gs_key_spread_measure(spread, histogram->key_class, histogram->key_bits, &keys, 1,
	                      histogram->bins[bin]);
}

static gs_status
share_histogram(struct gsort *job)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_count *histogram = &job->feed.store.histogram;

	if (histogram->bin_count == 0)
		return GS_OK;
	TRY(gs_ranks_sum(ranked->ranks, histogram->bins, histogram->bin_count));
	if (!ranked->spread.split) {
		struct gs_sample sample = { .keys = NULL };
		gs_status status = gs_sample_histogram(&sample, histogram, 0, job->options.reverse);

		THEN(status, gs_sample_split_alone(&sample, ranked->ranks,
		                                   together(job), job->options.reverse,
		                                   &ranked->spread.splitters));
		gs_sample_close(&sample);
		TRY(status);
		ranked->spread.split = true;
	}
	histogram->touched = UINT64_MAX;
	for (size_t b = 0; b < histogram->bin_count; b++)
		if (histogram->bins[b] > 0)
			keep_share(job, b);
	return GS_OK;
}

static gs_status
settle_keys(void *context)
{
	struct gsort *job = context;
	struct gs_ranked *ranked = job->ranked;

	if (!job->plan.by_counting)
		TRY(gs_key_spread_finish(&ranked->spread, flip_of(job)));
	TRY(share_histogram(job));
	job->feed.elements = ranked->spread.keys;
	return GS_OK;
}

/* ---- dealing ------------------------------------------------------------------------- */

/* Bytes of text that are searched for the next line that is a number. */
enum { NUMBER_ROOM = 512 };

/* Elements of the input: *ITEMS, to be freed.  NUMBERS: keys, of which many fit in memory. */
static gs_status
sample_items(struct gsort *job, bool numbers, char **items, size_t *bytes)
{
	const unsigned ranks = job->ranked->ranks->size;
	const size_t unit = job->feed.ingest.unit, wanted = gs_sample_wanted(ranks);
	const size_t most = numbers ? wanted : gs_item_sample_most(job->options.memory_bytes, ranks, unit);

	return gs_sample_items(items, bytes, &job->ranked->parts, &job->options, unit,
	                       &job->feed.lines.order, numbers ? NUMBER_ROOM : gs_item_sample_room(unit),
	                       wanted < most ? wanted : most);
}

/* A sample of keys, which are the elements of the input. */
static gs_status
take_sample(struct gsort *job, struct gs_sample *sample)
{
	const size_t unit = job->feed.ingest.unit;
	struct gs_text_options text = job->feed.ingest.text;
	char *items = NULL;
	size_t bytes;
	gs_status status = sample_items(job, unit == 0, &items, &bytes);

	for (size_t at = 0; status == GS_OK && unit > 0 && at < bytes; at += unit)
		status = gs_sample_add_raw(sample, &job->options, items + at);
	text.merge_zeros = together(job);
	text.invalid = GSORT_INVALID_IGNORE;	/* leave other lines out */
	text.header_lines = 0;
	text.warn = NULL;
	if (status == GS_OK && unit == 0)
		status = gs_sample_add_text(sample, &text, items, items + bytes);
	free(items);
	return status;
}

/* Splitters from the files, if there are any that can be sampled. */
static gs_status
sample(struct gsort *job, struct gs_splitters *splitters, bool *split)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_sample sample = { .keys = NULL };
	gs_status status;

	*split = ranked->parts.plain_bytes > 0;
	if (!*split)
		return GS_OK;
	status = take_sample(job, &sample);
	THEN(status, gs_sample_split(&sample, ranked->ranks, together(job), job->options.reverse,
	                             splitters));
	gs_sample_close(&sample);
	return status;
}

static gs_status
deal_keys(struct gsort *job, struct gs_taker *taker)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_key_spread *spread = &ranked->spread;
	struct gs_splitters splitters = { .count = 0 };
	bool split = false;

	spread->all.ranks = ranked->ranks;
	spread->all.own = *taker;
	spread->all.monitor = &job->monitor;
	spread->all.threads = job->plan.threads;
	spread->histogram = &job->feed.store.histogram;
	spread->plan = &job->plan;
	spread->together = together(job);
	spread->descending_classes = job->options.reverse;
	spread->encoding = job->emit.encoding;
	spread->measures = gs_ranked_output_places(&ranked->output) &&
	                   gs_key_is_text(spread->encoding.to);
	if (!job->plan.by_counting) {		/* else every rank counts what it reads */
		TRY(sample(job, &splitters, &split));
		TRY(gs_key_spread_open(spread, ranked->window_bytes, &splitters, split));
		*taker = gs_key_spread_taker(spread);
	}
	taker->settle = settle_keys;
	taker->settle_context = job;
	return GS_OK;
}

static gs_status
choose_owners(struct gsort *job, struct gs_item_owners *owners, const struct gs_taker *store)
{
	char *items = NULL;
	size_t bytes;
	gs_status status = sample_items(job, false, &items, &bytes);

	status = gs_ranks_agree(job->ranked->ranks, status);
	THEN(status, gs_item_sample_split(owners, job->feed.by, items, bytes, together(job),
	                                  job->ranked->ranks, store));
	free(items);
	return status;
}

static gs_status
settle_items(void *context)
{
	struct gsort *job = context;

	TRY(gs_spread_drain(&job->ranked->item_spread.all));
	job->feed.elements = job->feed.engine.count(job->feed.engine.context, 0);
	return GS_OK;
}

static gs_status
deal_items(struct gsort *job, struct gs_taker *taker)
{
	struct gs_ranked *ranked = job->ranked;
	struct gs_item_spread *spread = &ranked->item_spread;

	if (ranked->ranks->size > GS_ITEM_BINS_MOST)
		return gs_ranks_agree(ranked->ranks, gs_fail(GS_EUSAGE, "at most %d ranks sort records or "
		                      "lines by key", GS_ITEM_BINS_MOST));

	spread->all.ranks = ranked->ranks;
	spread->all.own = *taker;
	spread->all.monitor = &job->monitor;
	spread->all.threads = job->plan.threads;
	spread->order = job->feed.by;
	if (job->feed.by->item_bytes == 0)
		spread->lines = &job->feed.lines.order;
	TRY(choose_owners(job, &spread->owners, taker));
	TRY(gs_item_spread_open(spread, ranked->window_bytes));
	*taker = gs_item_spread_taker(spread);
	taker->settle = settle_items;
	taker->settle_context = job;
	return GS_OK;
}

gs_status
gs_ranked_deal(struct gsort *job, struct gs_taker *taker)
{
	return job->feed.by == NULL ? deal_keys(job, taker) : deal_items(job, taker);
}

/* ---- the output ------------------------------------------------------------------------- */

/* Of KEYS elements of this rank, behind BEFORE of others, let it write those of the head, as far as that is
 * known; returns how many. */
static uint64_t
limit_written(struct gs_emit *emit, uint64_t keys, uint64_t before)
{
	struct gs_select *select = &emit->select;

	keys = gs_pick_count(&emit->pick, before, keys);
	if (!select->head || select->groups)
		return keys;
	select->left = before < select->left ? select->left - before : 0;
	return keys < select->left ? keys : select->left;
}

gs_status
gs_ranked_count(struct gsort *job, uint64_t *count)
{
	const struct gsort_options *options = &job->options;
	const struct gs_engine *engine = &job->feed.engine;
	const bool groups = gs_select_wants_groups(options) || options->set != GSORT_NO_SET;
	const bool tail = options->tail.wanted, cuts = !job->ranked->alone && (options->head || tail);
	const uint64_t most = tail ? options->tail.count : options->head_count;
	uint64_t before, all, beside;

	*count = job->show.elements = job->feed.elements;
	if (engine->count_out == NULL || (groups && !cuts && job->files.outputs.count == 1))
		return GS_OK;
	TRY(engine->count_out(engine->context, count));
	if (!cuts)
		return GS_OK;
	TRY(gs_ranks_scan(job->ranked->ranks, *count, &before, &all));
	beside = tail ? all - before - *count : before;
	*count = beside >= most ? 0 : *count > most - beside ? most - beside : *count;
	engine->limit(engine->context, *count);
	return GS_OK;
}

gs_status
gs_ranked_place(struct gsort *job, uint64_t count, size_t header_bytes)
{
	const size_t each = job->emit.element_bytes;
	struct gs_ranked *ranked = job->ranked;
	uint64_t before, all, written, bytes;

	TRY(gs_ranks_scan(ranked->ranks, count, &before, &all));
	TRY(gs_emit_expect_keys(&job->emit, &job->options, count, before, all));
	written = limit_written(&job->emit, count, before);
	bytes = each > 0 ? written * each : ranked->spread.bytes + ranked->item_spread.bytes;
	return gs_ranked_output_begin(&ranked->output, bytes + header_bytes);
}

gs_status
gs_ranked_finish(struct gsort *job, gs_status status)
{
	struct gs_ranked *ranked = job->ranked;
	uint64_t count, bytes;

	TRY(gs_ranks_agree(ranked->ranks, status));	/* a rank that is ended leaves its file behind */
	TRY(gs_border_verify(ranked->ranks, &job->verify));
	TRY(gs_ranks_agree(ranked->ranks, gs_emit_end(&job->emit)));
	count = job->emit.keys;
	bytes = job->emit.bytes;
	ranked->output.header_bytes = job->emit.split.header_bytes;
	TRY(gs_ranked_output_finish(&ranked->output, &count, job->emit.element_bytes, &job->feed.lines.order,
	                            &job->files.outputs, &bytes));
	job->emit.keys = count;
	job->emit.bytes = bytes;
	return GS_OK;
}

/* ---- the rest ------------------------------------------------------------------------------ */

gs_status
gs_ranked_check(struct gsort *job, gs_status status, bool *disorder)
{
	struct gs_ranks *ranks = job->ranked->ranks;
	uint64_t before, all;

	TRY(gs_ranks_agree(ranks, status));
	job->stats.keys -= job->ranked->parts.overlap_keys;
	job->stats.bytes_in -= job->ranked->parts.overlap_bytes;
	TRY(gs_ranks_scan(ranks, *disorder, &before, &all));
	if (!*disorder || before > 0)
		(void)gs_fail(GS_OK, "%s", "");
	*disorder = all > 0;
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * stages.c - what several ranks do between the stages of a sort
 *
 * In:   open jobs, one a rank.
 * Out:  on each rank the elements that it owns, and the place of its output.
 *
 * A rank reads its part of the input, and deals its elements out to their owners (exchange.c,
 * item_exchange.c).  What it owns is sorted, selected and written as in a job alone.  Keys of 8 and 16
 * bits, and small integers of text, are only counted; so their histograms are added up, and each rank
 * keeps its share of the sum.
 */
#include <string.h>

#include "base/round.h"
#include "job/job.h"
#include "key/key.h"
#include "linekey/line_order.h"
#include "output/select.h"
#include "ranks/rank_job.h"
#include "ranks/exchange.h"

/* ---- dealing ------------------------------------------------------------------------- */

/* Bytes of text that are searched for the next line that is a number. */
enum { NUMBER_ROOM = 512 };

static gs_status
deal_keys(struct gsort *job, struct gs_sample *sample, struct gs_taker *taker)
{
	struct gs_key_exchange *exchange = &job->rank_job->exchange;
	struct gs_text_options text = job->feed.ingest.text;
	gs_status status;

	exchange->histogram = &job->feed.store.histogram;
	exchange->plan = &job->plan;
	exchange->flip = job->options.reverse && job->plan_input.key_bits == 0 ? UINT32_MAX : 0;
	exchange->together = gs_select_merges_zeros(&job->options);
	exchange->descending_classes = job->options.reverse;
	exchange->encoding = job->emit.encoding;
	exchange->measures = job->rank_job->output.one_file && !job->rank_job->output.spools &&
	                   gs_key_is_text(exchange->encoding.to);
	if (job->plan.by_counting)		/* every rank counts what it reads */
		return GS_OK;
	if (job->rank_job->parts.plain_bytes > 0) {
		if (sample->item_bytes == 0)	/* numbers are short, and many fit in memory */
			sample->room = NUMBER_ROOM;
		text.merge_zeros = exchange->together;
		text.invalid = GSORT_INVALID_IGNORE;	/* leave other lines out */
		text.header_lines = 0;
		text.warn.take = NULL;
		status = gs_sample_draw(sample);
		THEN(status, gs_sample_read_keys(sample, &text));
		TRY(gs_sample_split(sample, status, exchange));
	}
	return gs_key_exchange_open(exchange, job->rank_job->window_bytes, taker);
}

gs_status
gs_rank_deal(struct gsort *job, struct gs_taker *taker)
{
	struct gs_rank_job *rank_job = job->rank_job;
	struct gs_ranks *ranks = rank_job->ranks;
	const bool items = job->feed.by != NULL;
	const size_t unit = job->feed.ingest.unit, wanted = gs_sample_wanted(ranks->size);
	struct gs_exchange *exchange = items ? &rank_job->item_exchange.all : &rank_job->exchange.all;
	struct gs_sample sample = {
		.parts = &rank_job->parts, .options = &job->options, .order = &job->feed.lines.order,
		.item_bytes = unit, .room = gs_item_sample_room(unit), .wanted = wanted,
	};
	gs_status status;

	if (rank_job->alone)
		return GS_OK;
	if (items && ranks->size > GS_ITEM_BINS_MOST)
		return gs_ranks_agree(ranks, gs_fail(GS_EUSAGE, "at most %d ranks sort records or "
		                      "lines by key", GS_ITEM_BINS_MOST));
	if (items || unit > 0)
		sample.wanted = gs_least(wanted, gs_item_sample_most(job->options.memory_bytes, ranks->size,
		                                                     unit));
	exchange->ranks = ranks;
	exchange->own = *taker;
	exchange->monitor = &job->monitor;
	exchange->threads = job->plan.threads;
	if (items) {
		struct gs_item_exchange *own = &rank_job->item_exchange;

		own->order = job->feed.by;
		own->lines = own->order->item_bytes == 0 ? &job->feed.lines.order : NULL;
		status = gs_sample_split_items(&sample, gs_sample_draw(&sample),
		                               gs_select_merges_zeros(&job->options), own);
		THEN(status, gs_item_exchange_open(own, rank_job->window_bytes, taker));
	} else {
		status = deal_keys(job, &sample, taker);
	}
	gs_sample_close(&sample);
	return status;
}

/* ---- completing ---------------------------------------------------------------------- */

gs_status
gs_rank_complete(struct gsort *job)
{
	struct gs_rank_job *rank_job = job->rank_job;
	struct gs_key_exchange *exchange = &rank_job->exchange;
	struct gs_count *histogram = &job->feed.store.histogram;

	if (rank_job->alone)
		return GS_OK;
	if (rank_job->ranks->rank > 0)		/* it is in the part of rank 0 */
		job->feed.header.bytes = 0;
	if (job->feed.by != NULL) {
		TRY(gs_exchange_drain(&rank_job->item_exchange.all));
		job->feed.elements = job->feed.engine.count(job->feed.engine.context, 0);
		return GS_OK;
	}
	/* No rank waits in a sum while others may wait for blocks that it has still to take. */
	if (job->plan.by_counting)
		TRY(gs_ranks_sum(rank_job->ranks, histogram->bins, histogram->bin_count));
	if (!exchange->split)
		TRY(gs_key_exchange_split(exchange));
	if (!job->plan.by_counting) {
		TRY(gs_exchange_drain(&exchange->all));
		TRY(gs_ranks_sum(rank_job->ranks, histogram->bins, histogram->bin_count));
	}
	if (histogram->bin_count > 0)
		histogram->touched = UINT64_MAX;
	/* of each bin of the sum, keep this rank's share */
	for (size_t b = 0; b < histogram->bin_count; b++) {
		uint64_t key;

		if (histogram->bins[b] == 0)
			continue;
		histogram->bins[b] = gs_splitters_share(&exchange->splitters, histogram->key_class,
		                                        b ^ exchange->flip, histogram->bins[b],
		                                        rank_job->ranks->rank);
		gs_key_put(&key, histogram->key_bits, 0, b ^ exchange->flip);
		gs_key_exchange_measure(exchange, histogram->key_class, histogram->key_bits, &key, 1,
		                        histogram->bins[b]);
	}
	job->feed.elements = exchange->keys;
	return GS_OK;
}

/* ---- the output ------------------------------------------------------------------------- */

gs_status
gs_rank_place(struct gsort *job)
{
	const struct gsort_options *options = &job->options;
	const struct gs_engine *engine = &job->feed.engine;
	const bool groups = gs_select_wants_groups(options) || options->set != GSORT_NO_SET;
	const bool tail = options->tail.wanted, cuts = !job->rank_job->alone && (options->head || tail);
	const uint64_t most = tail ? options->tail.count : options->head_count;
	const size_t each = job->emit.element_bytes;
	struct gs_rank_job *rank_job = job->rank_job;
	struct gs_select *select = &job->emit.select;
	uint64_t count = job->feed.elements, before, all, written;
	const uint64_t *positions;

	job->emit.items.show.elements = count;
	if (engine->count_out != NULL && (!groups || cuts || job->outputs.count > 1)) {
		TRY(engine->count_out(engine->context, &count));
		if (cuts) {
			TRY(gs_ranks_scan(rank_job->ranks, count, &before, &all));
			count = gs_least(count, most - gs_least(tail ? all - before - count : before, most));
			engine->limit(engine->context, count);
		}
	}
	TRY(gs_ranks_scan(rank_job->ranks, count, &before, &all));
	TRY(gs_emit_expect_keys(&job->emit, options, count, before, all));
	written = gs_pick_count(&job->emit.pick, before, count, &positions);
	if (select->head && !select->groups) {	/* of the head, what the ranks before leave to this one */
		select->left -= gs_least(before, select->left);
		written = gs_least(written, select->left);
	}
	return gs_rank_output_begin(&rank_job->output, job->feed.header.bytes +
	                            (each > 0 ? written * each
	                                      : rank_job->exchange.bytes + rank_job->item_exchange.bytes));
}

gs_status
gs_rank_finish(struct gsort *job, gs_status status)
{
	struct gs_rank_job *rank_job = job->rank_job;
	uint64_t count, bytes;
	gs_status compared;

	THEN(status, gs_line_order_check(&job->feed.lines.order));
	TRY(gs_ranks_agree(rank_job->ranks, status));	/* a rank that is ended leaves its file behind */
	status = gs_border_verify(rank_job->ranks, &job->verify);
	THEN(status, gs_emit_end(&job->emit));
	compared = gs_line_order_check(&job->feed.lines.order);		/* lines at borders were the last */
	TRY(gs_ranks_agree(rank_job->ranks, compared != GS_OK ? compared : status));
	count = job->emit.written.keys;
	bytes = job->emit.written.bytes;
	rank_job->output.header_bytes = job->emit.split.header_bytes;
	TRY(gs_rank_output_finish(&rank_job->output, &count, job->emit.element_bytes, &job->feed.lines.order,
	                          &job->outputs, &bytes));
	job->emit.written.keys = count;
	job->emit.written.bytes = bytes;
	return GS_OK;
}

/* ---- the rest ------------------------------------------------------------------------------ */

gs_status
gs_rank_check(struct gsort *job, gs_status status, bool *disorder)
{
	struct gs_ranks *ranks = job->rank_job->ranks;
	uint64_t before, all;

	TRY(gs_ranks_agree(ranks, status));
	job->stats.keys -= job->rank_job->parts.overlap_keys;
	job->stats.bytes_in -= job->rank_job->parts.overlap_bytes;
	TRY(gs_ranks_scan(ranks, *disorder, &before, &all));
	if (!*disorder || before > 0)
		(void)gs_fail(GS_OK, "%s", "");
	*disorder = all > 0;
	return GS_OK;
}

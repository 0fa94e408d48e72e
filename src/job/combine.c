// SPDX-License-Identifier: BSD-2-Clause
/*
 * combine.c - union, intersection and difference of inputs of keys
 *
 * In:   inputs, sorted or not.
 * Out:  the keys that the operation keeps, through the emit stage.
 *
 * A part is a job that sorts one input; instead of writing, it hands its spans over
 * (output/emit.h).  Two streams of keys are merged into one (sort/set_merge.h), so N inputs are
 * folded from the left, as the words say: A less B less C.  A stream is a part, or the merge of a
 * stream and a part.  By the rules of sets (-u), equal keys of a part are one.  A set of items is one
 * sort, which knows what input each is from (sort/items/set.c): a key says nothing of that.
 *
 * Invariant: all streams are in the same key class.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "ranks/ranked.h"
#include "job/job.h"
#include "sort/set_merge.h"

struct part {
	struct gsort         job;
	struct gs_thread     thread;
	struct gs_handover   handover;
	bool                 open;	/* the handover is */
};

/* Keys that each thread merges at once: in and out a MiB, which stays in the cache.  Not tuned. */
enum { THREAD_KEYS = 1 << 16 };

/* A merge with fewer keys for each thread has fewer threads.  Not tuned. */
enum { LEAST_THREAD_KEYS = 1 << 14 };

/* A part, or the merge of two streams. */
struct stream {
	struct part    *part;		/* or: */
	struct stream  *left, *right;
	void           *memory;		/* for ROOM keys: what PIECES become */
	size_t          room;
	struct gs_set_piece *pieces;
	size_t          piece_count, piece_at;	/* those before PIECE_AT have been taken */

	struct gs_span     span;	/* the keys that were fetched last, ... */
	struct gs_set_side side;	/* ... and those of them that have not passed */
	struct gs_select   distinct;	/* -u: drops repeated keys of a part */
};

struct gs_combination {
	struct part   *parts;
	atomic_size_t  count;		/* of parts */
	struct stream *streams;		/* of keys: the parts, then merges; the last one has the result */
	size_t         stream_count;
};

/* ---- streams ---------------------------------------------------------------------- */

/* Where no keys are: a place, as one cannot go on from NULL, not even by 0. */
static const uint64_t nowhere;

static void
set_span(struct stream *stream, const struct gs_span *span)
{
	stream->span = *span;
	stream->side.keys = span->count > 0 ? span->keys : &nowhere;
	stream->side.count = span->count;
}

/* Wait for the next span of PART; count 0: it was read, or the class has ended. */
static gs_status
next_span(struct part *part, struct gs_span *span)
{
	gs_status status;

	if (gs_handover_next(&part->handover, span)) {
		atomic_fetch_add(&part->job.monitor.counters.keys_sorted, span->count);
		return GS_OK;
	}
	status = gs_thread_join(&part->thread);
	assert(status != GS_OK);	/* else it gives all its keys */
	return status;
}

/* The next keys of a part. */
static gs_status
fill_part(const struct gsort *job, struct stream *stream)
{
	struct gs_span span;

	do {
		TRY(next_span(stream->part, &span));
		stream->side.ended = span.count == 0;
		if (job->options.unique && !stream->side.ended)
			gs_select_span(&stream->distinct, &span);
	} while (span.count == 0 && !stream->side.ended);
	set_span(stream, &span);
	return GS_OK;
}

static gs_status fill(const struct gsort *job, struct stream *stream);

/* The first COUNT keys have passed. */
static void
pass(struct stream *stream, size_t count)
{
	stream->side.keys = (const char *)stream->side.keys + count * (stream->span.key_bits / 8);
	stream->side.count -= count;
}

/* Cut what can be merged of both sides into pieces, which lie one behind the other in memory. */
static void
cut_pieces(struct stream *stream, unsigned threads)
{
	struct stream *a = stream->left, *b = stream->right;
	const unsigned bits = a->side.count > 0 ? a->span.key_bits : b->span.key_bits;
	const size_t passing = gs_set_passing(bits, &a->side, &b->side);
	const size_t keys = passing < stream->room ? passing : stream->room;
	const size_t teams = keys / LEAST_THREAD_KEYS + 1;
	struct gs_set_cut from = { 0, 0 };

	stream->span.key_bits = bits;
	stream->piece_count = GS_SET_LANES * (teams < threads ? teams : threads);
	stream->piece_at = 0;
	for (size_t p = 0; p < stream->piece_count; p++) {
		const struct gs_set_cut to = gs_set_cut(bits, &a->side, &b->side,
		                                        keys / stream->piece_count * (p + 1) +
		                                        keys % stream->piece_count * (p + 1) /
		                                        stream->piece_count);

		stream->pieces[p] = (struct gs_set_piece){
			.a = (const char *)a->side.keys + from.a * (bits / 8), .a_count = to.a - from.a,
			.b = (const char *)b->side.keys + from.b * (bits / 8), .b_count = to.b - from.b,
			.into = (char *)stream->memory + (from.a + from.b) * (bits / 8),
		};
		from = to;
	}
	a->span.key_bits = b->span.key_bits = bits;
	pass(a, from.a);
	pass(b, from.b);
}

struct merger {
	struct stream   *stream;
	enum gs_set_keep keep;
};

static void
merge_pieces(void *context, size_t i)
{
	const struct merger *merger = context;

	gs_set_merge(merger->keep, merger->stream->span.key_bits,
	             &merger->stream->pieces[i * GS_SET_LANES]);
}

/* Merge more of both sides, by all threads that are idle. */
static gs_status
merge_more(const struct gsort *job, struct stream *stream)
{
	struct merger merger = { .stream = stream, .keep = gs_set_keep_of(job->options.set) };
	struct stream *a = stream->left, *b = stream->right;

	if (a->side.count == 0 && !a->side.ended)
		TRY(fill(job, a));
	if (b->side.count == 0 && !b->side.ended)
		TRY(fill(job, b));
	stream->side.ended = a->side.ended && b->side.ended;
	if (stream->side.ended)
		return GS_OK;
	cut_pieces(stream, job->plan.threads);
	gs_team_each(job->plan.threads, stream->piece_count / GS_SET_LANES, merge_pieces, &merger);
	return GS_OK;
}

/* Merge until there are keys, or both sides have ended. */
static gs_status
fill_merge(const struct gsort *job, struct stream *stream)
{
	const struct gs_set_piece *piece = NULL;

	while (piece == NULL || piece->kept == 0) {
		if (stream->piece_at == stream->piece_count)
			TRY(merge_more(job, stream));
		if (stream->side.ended)
			return GS_OK;
		piece = &stream->pieces[stream->piece_at++];
	}
	set_span(stream, &(struct gs_span){
		.keys = piece->into, .count = piece->kept, .key_bits = stream->span.key_bits,
		.key_class = stream->span.key_class,
	});
	return GS_OK;
}

static gs_status
fill(const struct gsort *job, struct stream *stream)
{
	return stream->part != NULL ? fill_part(job, stream) : fill_merge(job, stream);
}

/* KEY_CLASS begins. */
static void
restart(struct gs_combination *set, unsigned key_class)
{
	for (size_t s = 0; s < set->stream_count; s++) {
		struct stream *stream = &set->streams[s];

		stream->span = (struct gs_span){ .key_class = key_class };
		stream->side = (struct gs_set_side){ .keys = &nowhere };
		stream->piece_count = stream->piece_at = 0;
		stream->distinct = (struct gs_select){ .groups = true, .at_once = true };
	}
}

/* ---- parts ------------------------------------------------------------------------- */

/* Sort an input; its elements go to the handover. */
static gs_status
run_part(void *context)
{
	struct part *part = context;
	const gs_status status = gs_job_sort(&part->job);

	gs_queue_shut(&part->handover.there);	/* the taker waits for nothing more */
	return status;
}

static gs_status
open_part(struct gsort *job, struct part *part, const char *const *name)
{
	const size_t takers = atomic_load(&job->set->count) + 1;	/* this one merges meanwhile */

	part->job.options = job->ranked->given;
	part->job.options.operation = GSORT_SORT;
	part->job.options.set = GSORT_NO_SET;
	part->job.options.inputs = name;
	part->job.options.input_count = 1;
	part->job.options.memory_bytes = job->plan_input.memory_bytes;	/* an equal share */
	part->job.options.device = GSORT_DEVICE_CPU;
	part->job.options.output = NULL;
	part->job.options.counts = false;
	part->job.options.repeated = part->job.options.singletons = false;
	part->job.options.head = false;
	part->job.options.tail.wanted = false;
	part->job.options.converts = false;
	part->job.limits = job->limits;
	part->job.handover = &part->handover;
	part->job.feed = (struct gs_feed){
		.options = &part->job.options, .plan_input = &part->job.plan_input, .plan = &part->job.plan,
		.monitor = &part->job.monitor, .verify = &part->job.verify,
	};
	part->job.monitor.note = job->monitor.note;
	part->job.monitor.warn = job->monitor.warn;
	gs_handover_open(&part->handover, (unsigned)((job->plan.threads + takers - 1) / takers));
	part->open = true;
	TRY(gs_ranked_open(&part->job.ranked, NULL, &part->job.options, NULL, NULL));
	return gs_job_open_operand(&part->job, job);
}

static gs_status
open_streams(const struct gsort *job, struct gs_combination *set)
{
	const size_t merges = set->count - 1, threads = job->plan.threads;
	const uint64_t share = job->plan.pool_bytes / merges / sizeof(uint64_t);

	set->stream_count = set->count + merges;
	TRY(GS_NEW(set->streams, set->stream_count, "inputs"));
	for (size_t p = 0; p < set->count; p++)
		set->streams[p].part = &set->parts[p];
	for (size_t m = 0; m < merges; m++) {
		struct stream *stream = &set->streams[set->count + m];

		stream->left = m == 0 ? &set->streams[0] : stream - 1;
		stream->right = &set->streams[m + 1];
		stream->room = gs_within(LEAST_THREAD_KEYS, share, threads * THREAD_KEYS);
		TRY(gs_allocate(&stream->memory, stream->room, sizeof(uint64_t), "keys of a merge"));
		TRY(GS_NEW(stream->pieces, GS_SET_LANES * threads, "pieces of a merge"));
	}
	return GS_OK;
}

/* Memory for COUNT parts, and for the merge of them. */
static gs_status
allocate(struct gsort *job, size_t count)
{
	struct gs_combination *set;

	TRY(GS_NEW(job->set, 1, "merge"));
	set = job->set;
	TRY(GS_NEW(set->parts, count, "inputs"));
	set->count = count;
	return open_streams(job, set);
}

/* Open everything: what cannot be opened is found before much is read. */
static gs_status
open_set(struct gsort *job)
{
	const struct gsort_options *given = &job->ranked->given;

	TRY(allocate(job, given->input_count));
	for (size_t p = 0; p < given->input_count; p++)
		TRY(open_part(job, &job->set->parts[p], &given->inputs[p]));
	return GS_OK;
}

/* ---- all of it ---------------------------------------------------------------------- */

/* Let all parts be read, one after the other, and sorted. */
static gs_status
start(struct gs_combination *set)
{
	struct gs_span none;

	for (size_t p = 0; p < set->count; p++) {
		TRY(gs_thread_start(&set->parts[p].thread, run_part, &set->parts[p]));
		TRY(next_span(&set->parts[p], &none));
	}
	return GS_OK;
}

static gs_status
merge_class(struct gsort *job, unsigned key_class)
{
	const struct gs_span_sink sink = gs_emit_sink(&job->emit, key_class, 0);
	struct stream *result = &job->set->streams[job->set->stream_count - 1];
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT };
	bool enough = false;

	restart(job->set, key_class);
	for (; !enough; sorted.number++) {
		TRY(fill(job, result));
		if (result->side.ended)
			break;
		sorted.span = result->span;
		result->side.count = 0;
		TRY(sink.take(sink.context, &sorted, &enough));
	}
	return gs_emit_class_end(&job->emit, key_class);
}

static gs_status
merge(struct gsort *job)
{
	const char *header = NULL;
	size_t bytes = 0;

	TRY(start(job->set));		/* all has been read: the header of the first input is there */
	job->feed.kind->header(&job->set->parts[0].job.feed, &header, &bytes);
	TRY(gs_emit_header(&job->emit, header, bytes));
	gs_phase_begin(job, GSORT_WRITING);
	for (unsigned i = 0; i < GS_CLASSES && !gs_emit_is_complete(&job->emit); i++)
		TRY(merge_class(job, gs_class_place(i, job->options.reverse)));
	gs_phase_end(job);
	return GS_OK;
}

/* All has ended with STATUS: let the threads end, too. */
static gs_status
end_parts(struct gsort *job, gs_status status)
{
	struct gs_error error;

	gs_error_keep(&error, status);
	for (size_t p = 0; job->set != NULL && p < job->set->count; p++) {
		struct part *part = &job->set->parts[p];
		gs_status ended;

		if (!part->thread.runs)
			continue;
		gs_queue_shut(&part->handover.there);
		gs_queue_shut(&part->handover.back);
		if (status != GS_OK)		/* it may wait for input */
			gs_input_stop(part->job.feed.input);
		ended = gs_thread_join(&part->thread);
		if (status != GS_OK || ended == GS_OK)
			continue;
		status = ended;
		gs_error_keep(&error, status);
	}
	return status == GS_OK ? GS_OK : gs_error_again(&error);
}

gs_status
gs_job_combine(struct gsort *job)
{
	gs_status status = open_set(job);

	THEN(status, merge(job));
	status = end_parts(job, status);
	for (size_t p = 0; status == GS_OK && p < job->set->count; p++)
		if (!job->set->parts[p].handover.shut)	/* all of it was wanted */
			status = gs_border_verify(job->ranked->ranks, &job->set->parts[p].job.verify);
	return gs_ranked_finish(job, status);
}

void
gs_combine_progress(const struct gsort *job, struct gsort_progress *progress)
{
	const struct gs_combination *set = atomic_load(&job->set);

	for (size_t p = 0; set != NULL && p < atomic_load(&set->count); p++) {
		const struct gs_counters *now = &set->parts[p].job.monitor.counters;

		progress->bytes_in += atomic_load(&now->bytes_in);
		progress->keys_in += atomic_load(&now->keys_in);
		progress->keys_sorted = (p == 0 ? 0 : progress->keys_sorted) + atomic_load(&now->keys_sorted);
		progress->runs += atomic_load(&now->runs);
	}
}

void
gs_combine_stats(struct gsort *job)
{
	struct gsort_stats *stats = &job->stats;

	stats->device = "cpu";
	stats->batches = (unsigned)job->set->count;
	for (size_t p = 0; p < job->set->count; p++) {
		struct gsort *part = &job->set->parts[p].job;

		if (part->feed.engine.context == NULL)
			continue;
		part->feed.engine.stats(part->feed.engine.context, &part->stats);
		gs_feed_count(&part->feed, &part->stats);
		stats->bytes_in += part->stats.bytes_in;
		stats->keys += part->stats.keys;
		stats->invalid_lines += part->stats.invalid_lines;
		stats->runs += part->stats.runs;
		stats->spilled_bytes += part->stats.spilled_bytes;
	}
}

void
gs_combine_close(struct gsort *job)
{
	struct gs_combination *set = job->set;

	if (set == NULL)
		return;
	for (size_t p = 0; p < set->count; p++)
		if (set->parts[p].open) {
			gs_job_close(&set->parts[p].job);
			gs_ranked_close(set->parts[p].job.ranked);
			gs_queue_close(&set->parts[p].handover.there);
			gs_queue_close(&set->parts[p].handover.back);
		}
	for (size_t s = 0; s < set->stream_count && set->streams != NULL; s++) {
		free(set->streams[s].memory);
		free(set->streams[s].pieces);
	}
	free(set->streams);
	free(set->parts);
	free(set);
	job->set = NULL;
}

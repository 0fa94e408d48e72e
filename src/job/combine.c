// SPDX-License-Identifier: BSD-2-Clause
/*
 * combine.c - union, intersection and difference of inputs of keys
 *
 * In:   inputs, sorted or not.
 * Out:  the keys that the operation keeps, through the emit stage.
 *
 * Each input has an engine of its own, which hands its spans over to the merge (output/emit.h).
 * Two streams of keys are merged into one (sort/set_merge.h), so N inputs are folded from the left,
 * as the words say: A less B less C.  A stream is an operand, or the merge of a stream and an
 * operand.  By the rules of sets (-u), equal keys of an operand are one.  A set of items is one
 * sort, which knows what input each is from (sort/items/set.c): a key says nothing of that.
 *
 * Invariant: all streams are in the same key class.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "ranks/rank_job.h"
#include "job/job.h"
#include "sort/set_merge.h"

/* One input, in an engine of its own. */
struct operand {
	struct gsort_options options;
	struct gs_plan_input plan_input;
	struct gs_plan       plan;
	struct gs_monitor    monitor;
	struct gs_verify     verify;
	struct gs_feed       feed;
	struct gs_thread     thread;	/* drains it to: */
	struct gs_span_queue   queue;
};

/* Keys that each thread merges at once: in and out a MiB, which stays in the cache.  Not tuned. */
enum { THREAD_KEYS = 1 << 16 };

/* A merge with fewer keys for each thread has fewer threads.  Not tuned. */
enum { LEAST_THREAD_KEYS = 1 << 14 };

/* An operand, or the merge of two streams. */
struct stream {
	struct operand *operand;	/* or: */
	struct stream  *left, *right;
	void           *memory;		/* for ROOM keys: what PIECES become */
	size_t          room;
	struct gs_set_piece *pieces;
	size_t          piece_count, piece_at;	/* those before PIECE_AT have been taken */

	struct gs_span     span;	/* the keys that were fetched last, ... */
	struct gs_set_side side;	/* ... and those of them that have not passed */
	struct gs_select   distinct;	/* -u: drops repeated keys of an operand */
};

struct gs_combination {
	enum gs_set_keep keep;
	bool            distinct;	/* -u */
	unsigned        threads;
	struct operand *operands;
	atomic_size_t   count;
	struct stream  *streams;	/* of keys: the operands, then merges; the last one has the result */
	size_t          stream_count;
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

static gs_status
fill_operand(const struct gs_combination *set, struct stream *stream)
{
	struct operand *operand = stream->operand;
	struct gs_span span;

	do {
		if (!gs_span_queue_next(&operand->queue, &span)) {
			const gs_status status = gs_thread_join(&operand->thread);

			assert(status != GS_OK);	/* else it gives all its keys */
			return status;
		}
		atomic_fetch_add(&operand->monitor.counters.keys_sorted, span.count);
		stream->side.ended = span.count == 0;
		if (set->distinct && !stream->side.ended)
			gs_select_span(&stream->distinct, &span);
	} while (span.count == 0 && !stream->side.ended);
	set_span(stream, &span);
	return GS_OK;
}

static gs_status fill(const struct gs_combination *set, struct stream *stream);

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

/* Merge until there are keys, or both sides have ended. */
static gs_status
fill_merge(const struct gs_combination *set, struct stream *stream)
{
	struct merger merger = { .stream = stream, .keep = set->keep };
	struct stream *a = stream->left, *b = stream->right;
	const struct gs_set_piece *piece = NULL;

	while (piece == NULL || piece->kept == 0) {
		if (stream->piece_at == stream->piece_count) {
			if (a->side.count == 0 && !a->side.ended)
				TRY(fill(set, a));
			if (b->side.count == 0 && !b->side.ended)
				TRY(fill(set, b));
			stream->side.ended = a->side.ended && b->side.ended;
			if (stream->side.ended)
				return GS_OK;
			cut_pieces(stream, set->threads);
			gs_team_each(set->threads, stream->piece_count / GS_SET_LANES, merge_pieces, &merger);
		}
		piece = &stream->pieces[stream->piece_at++];
	}
	set_span(stream, &(struct gs_span){
		.keys = piece->into, .count = piece->kept, .key_bits = stream->span.key_bits,
		.key_class = stream->span.key_class,
	});
	return GS_OK;
}

static gs_status
fill(const struct gs_combination *set, struct stream *stream)
{
	return stream->operand != NULL ? fill_operand(set, stream) : fill_merge(set, stream);
}

/* ---- operands ---------------------------------------------------------------------- */

/* Hand over what one has, class after class. */
static gs_status
drain(void *context)
{
	struct operand *operand = context;
	const struct gs_engine *engine = &operand->feed.engine;
	const struct gs_span_sink sink = gs_span_queue_sink(&operand->queue, &operand->verify,
	                                                    gs_batch_slots(operand->plan.threads));
	gs_status status = GS_OK;

	for (unsigned i = 0; status == GS_OK && i < GS_CLASSES; i++) {
		status = engine->drain(engine->context, gs_class_place(i, operand->options.reverse), &sink);
		if (status == GS_OK)
			gs_span_queue_end(&operand->queue);
	}
	gs_queue_shut(&operand->queue.there);	/* the taker waits for nothing more */
	return status;
}

/* Read all inputs, one after the other, and sort each. */
static gs_status
read_all(struct gs_combination *set)
{
	for (size_t o = 0; o < set->count; o++) {
		struct operand *operand = &set->operands[o];
		struct gs_feed *feed = &operand->feed;
		struct gs_taker taker = feed->engine.taker;

		gs_verify_watch(&operand->verify, &taker);
		TRY(feed->kind->read(feed, &taker));
		gs_input_close_left(feed->input);
		TRY(feed->engine.finish(feed->engine.context));
		TRY(gs_thread_start(&operand->thread, drain, operand));
	}
	return GS_OK;
}

static gs_status
open_operand(struct gsort *job, struct operand *operand, const char *const *name)
{
	struct gsort_options *own = &operand->options;

	*own = job->rank_job->given;
	own->operation = GSORT_SORT;
	own->set = GSORT_NO_SET;
	own->inputs = name;
	own->input_count = 1;
	own->memory_bytes = job->plan_input.memory_bytes;	/* an equal share */
	own->device = GSORT_DEVICE_CPU;
	own->counts = own->repeated = own->singletons = own->head = own->tail.wanted = own->converts = false;
	operand->monitor.note = job->monitor.note;
	operand->monitor.warn = job->monitor.warn;
	operand->feed.options = own;		/* as of the job */
	operand->feed.plan_input = &operand->plan_input;
	operand->feed.plan = &operand->plan;
	operand->feed.monitor = &operand->monitor;
	operand->feed.verify = &operand->verify;
	return gs_job_open_operand(job, &operand->feed);
}

/* Open everything: what cannot be opened is found before much is read. */
static gs_status
open_set(struct gsort *job)
{
	const struct gsort_options *given = &job->rank_job->given;
	const size_t count = given->input_count, merges = count - 1;
	const unsigned threads = job->plan.threads;
	const uint64_t share = job->plan.pool_bytes / merges / sizeof(uint64_t);
	struct gs_combination *set;

	TRY(GS_NEW(job->set, 1, "merge"));
	set = job->set;
	set->keep = gs_set_keep_of(job->options.set);
	set->distinct = job->options.unique;
	set->threads = threads;
	set->stream_count = count + merges;
	TRY(GS_NEW(set->streams, set->stream_count, "inputs"));
	TRY(GS_NEW(set->operands, count, "inputs"));
	for (size_t o = 0; o < count; o++) {	/* all of them, and the merge, work at a time */
		gs_span_queue_open(&set->operands[o].queue, (unsigned)((threads + count) / (count + 1)));
		set->streams[o].operand = &set->operands[o];
	}
	set->count = count;
	for (size_t m = 0; m < merges; m++) {
		struct stream *stream = &set->streams[count + m];

		stream->left = m == 0 ? set->streams : stream - 1;
		stream->right = &set->streams[m + 1];
		stream->room = gs_within(LEAST_THREAD_KEYS, share, threads * THREAD_KEYS);
		TRY(gs_allocate(&stream->memory, stream->room, sizeof(uint64_t), "keys of a merge"));
		TRY(GS_NEW(stream->pieces, GS_SET_LANES * threads, "pieces of a merge"));
	}
	for (size_t o = 0; o < count; o++)
		TRY(open_operand(job, &set->operands[o], &given->inputs[o]));
	return GS_OK;
}

/* ---- all of it ---------------------------------------------------------------------- */

static gs_status
merge_class(struct gs_combination *set, struct gs_emit *emit, unsigned key_class)
{
	const struct gs_span_sink sink = gs_emit_sink(emit, key_class, 0);
	struct stream *result = &set->streams[set->stream_count - 1];
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT };
	bool enough = false;

	for (size_t s = 0; s < set->stream_count; s++) {
		struct stream *stream = &set->streams[s];

		stream->span = (struct gs_span){ .key_class = key_class };
		stream->side = (struct gs_set_side){ .keys = &nowhere };
		stream->piece_count = stream->piece_at = 0;
		stream->distinct = (struct gs_select){ .groups = true, .at_once = true };
	}
	for (; !enough; sorted.number++) {
		TRY(fill(set, result));
		if (result->side.ended)
			break;
		sorted.span = result->span;
		result->side.count = 0;
		TRY(sink.take(sink.context, &sorted, &enough));
	}
	return gs_emit_class_end(emit, key_class);
}

static gs_status
merge(struct gsort *job)
{
	const struct gs_feed *feed = &job->set->operands[0].feed;

	gs_phase_begin(job, GSORT_READING);
	TRY(read_all(job->set));
	for (size_t next = 1; feed->header_bytes == 0 && next < job->set->count; next++)
		feed = &job->set->operands[next].feed;		/* which has a line */
	TRY(gs_emit_header(&job->emit, feed->header, feed->header_bytes));
	gs_phase_begin(job, GSORT_WRITING);
	for (unsigned i = 0; i < GS_CLASSES && !gs_emit_is_complete(&job->emit); i++)
		TRY(merge_class(job->set, &job->emit, gs_class_place(i, job->options.reverse)));
	gs_phase_end(job);
	return GS_OK;
}

/* All has ended with STATUS: let the threads end, too. */
static gs_status
end_operands(struct gs_combination *set, gs_status status)
{
	struct gs_error error;

	gs_error_keep(&error, status);
	for (size_t o = 0; set != NULL && o < set->count; o++) {
		struct operand *operand = &set->operands[o];
		gs_status ended;

		if (!operand->thread.runs)
			continue;
		gs_queue_shut(&operand->queue.there);
		gs_queue_shut(&operand->queue.back);
		ended = gs_thread_join(&operand->thread);
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
	status = end_operands(job->set, status);
	for (size_t o = 0; status == GS_OK && o < job->set->count; o++)
		if (!job->set->operands[o].queue.shut)	/* all of it was wanted */
			status = gs_border_verify(job->rank_job->ranks, &job->set->operands[o].verify);
	return gs_rank_finish(job, status);
}

void
gs_combine_progress(const struct gs_combination *set, struct gsort_progress *progress)
{
	for (size_t o = 0; set != NULL && o < atomic_load(&set->count); o++) {
		const struct gs_counters *now = &set->operands[o].monitor.counters;

		progress->bytes_in += atomic_load(&now->bytes_in);
		progress->keys_in += atomic_load(&now->keys_in);
		progress->keys_sorted = (o == 0 ? 0 : progress->keys_sorted) + atomic_load(&now->keys_sorted);
		progress->runs += atomic_load(&now->runs);
	}
}

void
gs_combine_stats(const struct gs_combination *set, struct gsort_stats *stats)
{
	stats->device = "cpu";
	stats->batches = (unsigned)set->count;
	for (size_t o = 0; o < set->count; o++) {
		const struct gs_feed *feed = &set->operands[o].feed;
		struct gsort_stats one = { .struct_size = sizeof one };

		if (feed->engine.context == NULL)
			continue;
		feed->engine.stats(feed->engine.context, &one);
		gs_feed_count(feed, &one);
		stats->bytes_in += one.bytes_in;
		stats->keys += one.keys;
		stats->invalid_lines += one.invalid_lines;
		stats->runs += one.runs;
		stats->spilled_bytes += one.spilled_bytes;
	}
}

void
gs_combine_close(struct gs_combination *set)
{
	if (set == NULL)
		return;
	for (size_t o = 0; o < set->count; o++) {
		struct operand *operand = &set->operands[o];

		gs_feed_close(&operand->feed);
		gs_input_close(operand->feed.input);
		gs_queue_close(&operand->queue.there);
		gs_queue_close(&operand->queue.back);
	}
	for (size_t s = 0; set->streams != NULL && s < set->stream_count; s++) {
		free(set->streams[s].memory);
		free(set->streams[s].pieces);
	}
	free(set->streams);
	free(set->operands);
	free(set);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * combine.c - union, intersection and difference of inputs of keys
 *
 * In:   inputs, sorted or not.
 * Out:  the keys that the operation keeps, through the emit stage.
 *
 * Each input has an engine of its own, which hands its spans over to the merge (output/emit.h).  Two
 * streams of keys are merged into one (sort/set_merge.h), so N inputs are combined from left to right.  A
 * stream is an operand, or the merge of a stream and an operand.  With -u, equal keys of an operand count
 * as one.  A set operation on items is one sort, which knows the input of each item (sort/items/set.c); a
 * key does not tell which input it is from.
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
	struct operand  *operand;	/* or: */
	struct stream   *left, *right;
	enum gs_set_keep keep;
	unsigned         threads;
	void            *memory;	/* for ROOM keys: what PIECES become */
	size_t           room;
	struct gs_set_piece *pieces;
	size_t           piece_count, piece_at;	/* those before PIECE_AT have been taken */

	struct gs_span     span;	/* the keys that were fetched last, ... */
	struct gs_set_side side;	/* ... and which of them have not passed */
	struct gs_select   distinct;	/* -u: drops repeated keys of an operand */
};

struct gs_combination {
	struct operand *operands;
	atomic_size_t   count;
	struct stream  *streams;	/* of keys: the operands, then merges; the last one has the result */
	size_t          stream_count;
	bool            together;	/* all operands are read at the same time */
	atomic_bool    *interrupted;	/* the job is, or another operand cannot be read; NULL: all were */
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
fill_operand(struct stream *stream)
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
		gs_select_span(&stream->distinct, &span);
	} while (span.count == 0 && !stream->side.ended);
	set_span(stream, &span);
	return GS_OK;
}

/* The first COUNT keys have passed. */
static void
pass(struct stream *stream, size_t count)
{
	stream->side.keys = (const char *)stream->side.keys + count * (stream->span.key_bits / 8);
	stream->side.count -= count;
}

/* Cut what can be merged of both sides into pieces, which lie one behind the other in memory. */
static void
cut_pieces(struct stream *stream)
{
	struct stream *a = stream->left, *b = stream->right;
	const unsigned bits = a->side.count > 0 ? a->span.key_bits : b->span.key_bits;
	const size_t passing = gs_set_passing(bits, &a->side, &b->side);
	const size_t keys = passing < stream->room ? passing : stream->room;
	const size_t teams = keys / LEAST_THREAD_KEYS + 1;
	struct gs_set_cut from = { 0, 0 };

	stream->span.key_bits = bits;
	stream->piece_count = GS_SET_LANES * gs_least(teams, stream->threads);
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

static void
merge_pieces(void *context, size_t i)
{
	const struct stream *stream = context;

	gs_set_merge(stream->keep, stream->span.key_bits, &stream->pieces[i * GS_SET_LANES]);
}

/* Fetch keys: of an operand, or merge until there are some, or both sides have ended. */
static gs_status
fill(struct stream *stream)
{
	struct stream *a = stream->left, *b = stream->right;
	const struct gs_set_piece *piece = NULL;

	if (stream->operand != NULL)
		return fill_operand(stream);
	while (piece == NULL || piece->kept == 0) {
		if (stream->piece_at == stream->piece_count) {
			if (a->side.count == 0 && !a->side.ended)
				TRY(fill(a));
			if (b->side.count == 0 && !b->side.ended)
				TRY(fill(b));
			stream->side.ended = a->side.ended && b->side.ended;
			if (stream->side.ended)
				return GS_OK;
			cut_pieces(stream);
			gs_team_each(stream->threads, stream->piece_count / GS_SET_LANES, merge_pieces,
			             stream);
		}
		piece = &stream->pieces[stream->piece_at++];
	}
	set_span(stream, &(struct gs_span){
		.keys = piece->into, .count = piece->kept, .key_bits = stream->span.key_bits,
		.key_class = stream->span.key_class,
	});
	return GS_OK;
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

/* Read an input, and sort it. */
static gs_status
read_operand(void *context)
{
	struct operand *operand = context;
	struct gs_feed *feed = &operand->feed;
	struct gs_taker taker = feed->engine.taker;

	gs_verify_watch(&operand->verify, &taker);
	TRY(feed->kind->read(feed, &taker));
	gs_input_close_left(feed->input);
	return feed->engine.finish(feed->engine.context);
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
	set->stream_count = count + merges;
	TRY(GS_NEW(set->streams, set->stream_count, "inputs"));
	TRY(GS_NEW(set->operands, count, "inputs"));
	for (size_t o = 0; o < count; o++) {	/* all of them, and the merge, work at once */
		gs_span_queue_open(&set->operands[o].queue, (unsigned)((threads + count) / (count + 1)));
		set->streams[o].operand = &set->operands[o];
	}
	set->count = count;
	set->interrupted = &job->phases.interrupted;
	/* Files of text are read at the same time: threads that have no work left in one help with another.
	 * Pipes are not, as a program may write them in turn, nor are headers, which have to be those of the
	 * first, nor is what may warn: warnings have an order.  Binary keys keep all threads busy in turn. */
	set->together = given->invalid == GSORT_INVALID_ABORT && given->type == GSORT_TEXT &&
	                given->header_lines == 0;
	for (size_t m = 0; m < merges; m++) {
		struct stream *stream = &set->streams[count + m];

		stream->left = m == 0 ? set->streams : stream - 1;
		stream->right = &set->streams[m + 1];
		stream->keep = gs_set_keep_of(job->options.set);
		stream->threads = threads;
		stream->room = gs_within(LEAST_THREAD_KEYS, share, threads * THREAD_KEYS);
		TRY(gs_allocate(&stream->memory, stream->room, sizeof(uint64_t), "keys of a merge"));
		TRY(GS_NEW(stream->pieces, GS_SET_LANES * threads, "pieces of a merge"));
	}
	for (size_t o = 0; o < count; o++) {
		struct operand *operand = &set->operands[o];
		struct gsort_options *own = &operand->options;

		*own = *given;
		own->operation = GSORT_SORT;
		own->set = GSORT_NO_SET;
		own->inputs = &given->inputs[o];
		own->input_count = 1;
		own->memory_bytes = job->plan_input.memory_bytes;	/* an equal share */
		own->device = GSORT_DEVICE_CPU;
		own->counts = own->repeated = own->singletons = own->head = own->converts = false;
		own->tail.wanted = false;
		operand->monitor.note = job->monitor.note;
		operand->monitor.warn = job->monitor.warn;
		operand->feed.options = own;		/* as of the job */
		operand->feed.plan_input = &operand->plan_input;
		operand->feed.plan = &operand->plan;
		operand->feed.monitor = &operand->monitor;
		operand->feed.verify = &operand->verify;
		TRY(gs_job_open_operand(job, &operand->feed));
		set->together &= gs_files_bytes(gs_input_files(operand->feed.input), true) != GS_UNKNOWN;
	}
	return GS_OK;
}

/* ---- all of it ---------------------------------------------------------------------- */

static gs_status
merge(struct gsort *job)
{
	struct gs_combination *set = job->set;
	const struct gs_feed *feed = &set->operands[0].feed;
	struct stream *result = &set->streams[set->stream_count - 1];

	gs_phase_begin(job, GSORT_READING);
	/* read all inputs, each for its own thread to drain it */
	for (size_t o = 0, read = 0; o < set->count; o++) {
		TRY(gs_thread_start(&set->operands[o].thread, read_operand, &set->operands[o]));
		for (; read <= o && (!set->together || o + 1 == set->count); read++) {
			struct operand *operand = &set->operands[read];

			TRY(gs_thread_join(&operand->thread));
			TRY(gs_thread_start(&operand->thread, drain, operand));
		}
	}
	set->interrupted = NULL;
	for (size_t next = 1; feed->header.bytes == 0 && next < set->count; next++)
		feed = &set->operands[next].feed;		/* which has a line */
	TRY(gs_emit_header(&job->emit, feed->header.data, feed->header.bytes));
	gs_phase_begin(job, GSORT_WRITING);
	for (unsigned i = 0; i < GS_CLASSES && !gs_emit_is_complete(&job->emit); i++) {
		const unsigned key_class = gs_class_place(i, job->options.reverse);
		const struct gs_span_sink sink = gs_emit_sink(&job->emit, key_class, 0);
		struct gs_sorted_span sorted = { .slot = GS_NO_SLOT };

		for (size_t s = 0; s < set->stream_count; s++) {
			struct stream *stream = &set->streams[s];

			stream->span = (struct gs_span){ .key_class = key_class };
			stream->side = (struct gs_set_side){ .keys = &nowhere };
			stream->piece_count = stream->piece_at = 0;
			stream->distinct = (struct gs_select){
				.groups = job->options.unique, .at_once = true,
			};
		}
		for (; !sorted.enough; sorted.number++) {
			TRY(fill(result));
			if (result->side.ended)
				break;
			sorted.span = result->span;
			TRY(sink.take(sink.context, &sorted));
		}
		TRY(gs_emit_class_end(&job->emit, key_class));
	}
	gs_phase_end(job);
	return GS_OK;
}

/* All has ended with STATUS: let the threads end, too; if not all has been read, no more is. */
static gs_status
end_operands(struct gs_combination *set, gs_status status)
{
	const bool stops = set != NULL && set->interrupted != NULL &&
	                   !atomic_exchange(set->interrupted, true);
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
	if (stops)
		atomic_store(set->interrupted, false);
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

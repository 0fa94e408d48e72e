// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.c - sorted keys to output: verify, select, encode, write
 *
 * In:   spans of sorted keys, class by class, from any producer.
 * Out:  the bytes of the output.
 *
 * A producer with one thread delivers large spans: a team verifies, selects and encodes each span, which
 * is written while the producer makes the next.  If the producer has many threads (the buckets), each
 * thread verifies, selects and encodes the span that it has just sorted; the thread that takes spans in
 * order only writes them.  (Several threads write one file as slowly as one: io/preallocate.c.)  Because
 * groups of equal keys may cross spans, that thread also writes the outermost groups of each span, before
 * what the others have encoded.
 *
 * Many threads do write faster to several files (--split): one file takes 4.7 GB/s on an H200 host,
 * sixteen take 36.  So the threads of the buckets also write what they have encoded, each to its own file
 * (split.c), unless keys are selected; and so do threads that take spans from a GPU, unless keys are
 * printed.  Other producers with one thread fill one file after the other.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/way.h"
#include "key/key.h"
#include "output/emit.h"

/* ---- opening ---------------------------------------------------------------- */

void
gs_emit_set_format(struct gs_emit *emit, const struct gsort_options *options)
{
	emit->encoding = (struct gs_encoding){
		.from = options->type,
		.to = options->converts ? options->to : options->type,
		.notation = options->notation,
		.reverse = options->reverse,
		.endian = options->endian,
		.terminator = options->zero_terminated ? '\0' : '\n',
		.counts = options->counts,
	};
	emit->element_bytes = gs_key_is_text(emit->encoding.to) ? 0 : gs_encoding_bytes(&emit->encoding);
}

void
gs_emit_carve(struct gs_emit *emit, const struct gsort_options *options,
              const struct gs_plan *plan, struct gs_arena *arena)
{
	const size_t print_bytes = gs_encoding_in_place(&emit->encoding) ? 0 :
	                           plan->print_keys * gs_encoding_bytes(&emit->encoding);

	emit->plan = plan;
	emit->encoding.threads = emit->delivered.threads = plan->threads;
	emit->print[0] = gs_arena_take(arena, print_bytes);
	emit->print[1] = gs_arena_take(arena, print_bytes);
	emit->slot_print = gs_arena_take(arena, gs_batch_slots(plan->threads) * plan->part_print_bytes);
	emit->select.times = gs_arena_take(arena, emit->encoding.counts ? sizeof *emit->select.times *
	                                                                  plan->print_keys : 0);
	gs_tail_carve(&emit->tail, options, arena);
}

gs_status
gs_emit_open(struct gs_emit *emit, const struct gsort_options *options, const struct gs_outputs *outputs,
             struct gs_verify *verify, struct gs_monitor *monitor)
{
	gs_select_open(&emit->select, options, emit->select.times);
	emit->verify = verify;
	emit->monitor = monitor;
	return gs_split_open(&emit->split, outputs);
}

gs_status
gs_emit_expect_keys(struct gs_emit *emit, const struct gsort_options *options, uint64_t keys,
                    uint64_t before, uint64_t all)
{
	const struct gs_select *select = &emit->select;

	if (emit->split.keys == 0)	/* after a restart files end where they did before */
		emit->split.keys = select->head && select->left < keys ? select->left : keys;
	emit->split.position += before;
	return emit->tail.on ? GS_OK : gs_pick_open(&emit->pick, options, all);
}

void
gs_emit_resume(struct gs_emit *emit)
{
	emit->delivered.resumable = false;
	memset(emit->delivered.skipped, 0, sizeof emit->delivered.skipped);
	emit->split.strands = 0;	/* they are written again */
	if (emit->tail.on) {		/* nothing was delivered: all is selected and kept again */
		emit->tail.kept = emit->split.position = 0;
		emit->verify->out = (struct gs_span_digest){ .keys = 0 };
		emit->select.any = false;
		emit->select.left = emit->tail.room;
		memset(emit->class_ended, 0, sizeof emit->class_ended);
		atomic_store(&emit->monitor->counters.keys_sorted, 0);
	}
}

/* ---- spans of a producer with one thread ---------------------------------------- */

/* Write what was selected, all of it to one file; but if only the last keys are wanted, keep it.  Work on it
 * began at SINCE. */
static gs_status
put(struct gs_emit *emit, struct gs_span *span, uint64_t since)
{
	const bool in_place = gs_encoding_in_place(&emit->encoding);
	void *into = in_place ? span->keys : emit->print[emit->print_at];
	struct gs_output *output;
	size_t bytes = 0;

	if (emit->tail.on)
		gs_tail_keep(&emit->tail, span);
	else if (span->count > 0)
		TRY(gs_encode(&emit->encoding, span, into, &bytes));
	gs_clock_lap(&emit->monitor->clock, GS_STAGE_ENCODE, &since);
	if (bytes == 0)
		return GS_OK;
	TRY(gs_split_output(&emit->split, &output));
	TRY((in_place && !span->stays ? gs_output_write : gs_output_submit)(output, into, bytes));
	emit->print_at ^= 1;
	emit->written.keys += span->count;
	emit->written.bytes += bytes;
	atomic_store(&emit->monitor->counters.bytes_out, emit->written.bytes);
	return GS_OK;
}

static gs_status
take_span(void *context, struct gs_sorted_span *sorted)
{
	struct gs_emit *emit = context;
	struct gs_span *span = &sorted->span;
	const uint64_t written = emit->written.keys, position = emit->split.position;
	uint64_t since = gs_clock_now();
	size_t count;

	if (!emit->tail.on)
		TRY(gs_delivered_pass(&emit->delivered, sorted));
	count = span->count;
	gs_verify_out(emit->verify, span);
	gs_pick_span(&emit->pick, emit->split.position, span);
	emit->split.position += count - span->count;
	/* as many at once as belong to one file, or are groups that begin in it, and fit the buffer */
	for (size_t at = 0, taken; at < span->count; at += taken) {
		const uint64_t together = gs_split_together(&emit->split, UINT64_MAX);
		struct gs_span slice = *span;
		uint64_t keys = 0;

		slice.keys = (char *)span->keys + at * (span->key_bits / 8);
		slice.count -= at;
		if (!gs_encoding_in_place(&emit->encoding))
			slice.count = (size_t)gs_least(slice.count, emit->plan->print_keys);
		taken = 0;
		if (slice.times != NULL)
			for (slice.times += at; taken < slice.count && keys < together; taken++)
				keys += slice.times[taken];
		else
			keys = taken = (size_t)gs_least(slice.count, together);
		slice.count = taken;
		gs_select_span(&emit->select, &slice);
		TRY(put(emit, &slice, since));
		emit->split.position += keys;
		since = gs_clock_now();
	}
	atomic_fetch_add(&emit->monitor->counters.keys_sorted, emit->split.position - position);
	if (emit->written.keys == written)	/* no write has waited for the one before */
		TRY(gs_outputs_wait(emit->split.outputs));
	sorted->enough = gs_emit_is_complete(emit);
	return GS_OK;
}

/* ---- spans of a producer with many threads --------------------------------------- */

/*
 * A class of this many keys that are not printed is given to a pipe as pages, if a slot has a huge page or
 * more: small ones cost more than a copy, and printed keys have small slots.  The limit itself is not tuned.
 */
enum { PAGES_KEYS = 1 << 18, PAGES_BYTES = 2 << 20 };

/* Has a span no position that is wanted?  To be verified it is sorted all the same. */
static bool
skip(void *context, const struct gs_sorted_span *sorted)
{
	const struct gs_emit *emit = context;
	const uint64_t *positions;

	return !emit->verify->on && gs_pick_count(&emit->pick, emit->class_position + sorted->at,
	                                          sorted->span.count, &positions) == 0;
}

enum { PAGE_BYTES = 4096 };	/* two spans may share a larger one: its reader sees the first */

/* For BYTES, the next pages of a slot's memory, ROOM at BASE.  A pipe may hold the pages before them, so all
 * are replaced before the first are written again; memory that cannot be replaced is copied. */
static void *
next_pages(struct gs_encoded *encoded, char *base, size_t room, size_t bytes)
{
	if (encoded->given + bytes > room)
		encoded->given = 0;
	if (encoded->given == 0) {
		encoded->gives = gs_arena_forget(base, room);
		gs_arena_prefer_huge_pages(base, room);
	}
	return base + encoded->given;
}

static void
room(void *context, const struct gs_sorted_span *sorted, void **keys)
{
	struct gs_emit *emit = context;
	const struct gs_span *span = &sorted->span;

	if (emit->gives_pages)
		*keys = next_pages(&emit->encoded[sorted->slot], span->keys, emit->plan->buckets.part_bytes,
		                   span->count * (span->key_bits / 8));
}

/* Select groups of a span and encode them, behind room for the seam's. */
static gs_status
select_and_encode(const struct gs_emit *emit, const struct gs_encoding *encoding,
                  const struct gs_sorted_span *sorted, struct gs_encoded *encoded)
{
	enum { PIECE_KEYS = 1024 };	/* that are encoded at once, unless in place: their counts are here */
	uint64_t times[PIECE_KEYS];
	struct gs_span span = sorted->span;
	const bool in_place = gs_encoding_in_place(encoding);
	const size_t key_bytes = span.key_bits / 8, seam_keys = emit->select.at_once ? 1 : GS_SEAM_KEYS;

	gs_select_alone(&emit->select, &span, times, &encoded->seam);
	encoded->data = span.keys;
	if (!in_place)
		encoded->data = emit->slot_print + sorted->slot * emit->plan->part_print_bytes +
		                GS_SEAM_KEYS * gs_encoding_bytes(encoding);
	else if (encoded->seam.first_times < seam_keys && span.count > 0)
		/* there is room: two groups at least are not among those selected */
		encoded->data = (char *)sorted->span.keys + seam_keys * key_bytes;
	encoded->keys = encoded->bytes = 0;
	for (size_t at = 0, taken, bytes; at < span.count; at += taken) {
		struct gs_span piece = span;

		piece.keys = (char *)span.keys + at * key_bytes;
		piece.count = taken = in_place ? span.count : (size_t)gs_least(span.count - at, PIECE_KEYS);
		gs_select_span(&encoded->seam.alone, &piece);
		TRY(gs_encode(encoding, &piece, (char *)encoded->data + encoded->bytes, &bytes));
		encoded->keys += piece.count;
		encoded->bytes += bytes;
	}
	return GS_OK;
}

/* Verify, select and encode a span; any thread.  Groups of equal keys that may cross spans are left to
 * take_encoded(). */
static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct gs_emit *emit = context;
	struct gs_span *span = &sorted->span;
	struct gs_encoded *encoded = &emit->encoded[sorted->slot];
	struct gs_encoding encoding = emit->encoding;
	uint64_t since = gs_clock_now();
	gs_status status;

	gs_verify_digest(emit->verify, 1, span, &encoded->digest);
	encoded->taken = span->count;
	gs_pick_span(&emit->pick, emit->class_position + sorted->at, span);
	encoding.threads = 1;
	if (emit->select.groups) {
		status = select_and_encode(emit, &encoding, sorted, encoded);
	} else {
		encoded->data = span->keys;
		if (!gs_encoding_in_place(&encoding))
			encoded->data = emit->slot_print + sorted->slot * emit->plan->part_print_bytes;
		encoded->keys = span->count;
		status = gs_encode(&encoding, span, encoded->data, &encoded->bytes);
		encoded->given += encoded->gives ? gs_round_up(encoded->bytes, PAGE_BYTES) : 0;
	}
	gs_clock_lap(&emit->monitor->clock, GS_STAGE_ENCODE, &since);
	return status;
}

/* Drop what was encoded beyond the head; if groups are selected, put those in front of it that are written
 * before it. */
static gs_status
join(struct gs_emit *emit, const struct gs_span *span, struct gs_encoded *encoded)
{
	enum { LINE_BYTES = 128 };
	struct gs_encoding encoding = emit->encoding;
	uint64_t keys[GS_SEAM_KEYS], times[GS_SEAM_KEYS];
	struct gs_span before = *span;
	char front[GS_SEAM_KEYS * LINE_BYTES];
	const char *data = encoded->data, *at = data;
	size_t bytes, own;

	before.keys = keys;
	before.times = times;
	before.count = !emit->select.groups ? 0
	               : gs_select_join(&emit->select, span->key_class, span->key_bits, &encoded->seam, keys,
	                                times);
	before.count = gs_select_head(&emit->select, before.count);
	own = gs_select_head(&emit->select, encoded->keys);
	if (own < encoded->keys && gs_key_is_text(encoding.to)) {	/* lines */
		for (size_t k = 0; k < own; k++)
			at = (const char *)memchr(at, encoding.terminator,
			                          encoded->bytes - (size_t)(at - data)) + 1;
		encoded->bytes = (size_t)(at - data);
	} else if (own < encoded->keys) {
		encoded->bytes = own * gs_encoding_bytes(&encoding);
	}
	encoded->keys = before.count + own;
	if (before.count == 0)
		return GS_OK;
	assert(gs_encoding_bytes(&encoding) <= LINE_BYTES);
	encoding.threads = 1;
	TRY(gs_encode(&encoding, &before, front, &bytes));
	encoded->data = (char *)encoded->data - bytes;
	memcpy(encoded->data, front, bytes);
	encoded->bytes += bytes;
	return GS_OK;
}

static gs_status
take_encoded(void *context, struct gs_sorted_span *sorted)
{
	struct gs_emit *emit = context;
	struct gs_encoded *encoded;
	struct gs_output *output;

	if (sorted->slot == GS_NO_SLOT)
		return take_span(emit, sorted);
	if (sorted->skipped) {
		emit->split.position += sorted->span.count;
		return GS_OK;
	}
	encoded = &emit->encoded[sorted->slot];
	gs_verify_join(emit->verify, &emit->verify->out, &encoded->digest);
	TRY(join(emit, &sorted->span, encoded));
	TRY(gs_split_output(&emit->split, &output));
	TRY(encoded->gives ? gs_output_give_pages(output, encoded->data, encoded->bytes)
	                   : gs_output_write(output, encoded->data, encoded->bytes));
	sorted->enough = gs_emit_is_complete(emit);
	emit->written.keys += encoded->keys;
	emit->written.bytes += encoded->bytes;
	emit->split.position += encoded->taken;
	atomic_store(&emit->monitor->counters.bytes_out, emit->written.bytes);
	atomic_fetch_add(&emit->monitor->counters.keys_sorted, encoded->taken);
	return GS_OK;
}

/* A span of a strand; several threads, each with a strand of its own. */
static gs_status
take_of_strand(void *context, struct gs_sorted_span *sorted)
{
	struct gs_emit *emit = context;
	struct gs_split *split = &emit->split;
	const struct gs_encoded *encoded = &emit->encoded[sorted->slot];

	gs_verify_join(emit->verify, &split->digests[sorted->strand], &encoded->digest);
	TRY(split->record_bytes > 0
	    ? gs_split_put_at(split, split->position + sorted->at, encoded->data, encoded->bytes)
	    : gs_output_write(split->outputs->files[split->first + sorted->strand], encoded->data,
	                      encoded->bytes));
	atomic_fetch_add(&split->written, encoded->bytes);
	atomic_fetch_add(&emit->monitor->counters.bytes_out, encoded->bytes);
	atomic_fetch_add(&emit->monitor->counters.keys_sorted, sorted->span.count);
	return GS_OK;
}

/* ---- all of it ----------------------------------------------------------------- */

/* Text files that have few parts each would not be of one size; files with more parts than this differ
 * by some per cent at most. */
enum { TEXT_STRAND_PARTS = 16 };

struct gs_span_sink
gs_emit_sink(struct gs_emit *emit, unsigned key_class, uint64_t keys)
{
	struct gs_span_sink sink = { .take = take_span, .groups = emit->select.groups, .context = emit };
	const struct gs_plan *plan = emit->plan;
	const bool text = gs_key_is_text(emit->encoding.to);
	const size_t files = emit->split.outputs->count;
	/* a key that is not written, since the head is complete, may not fit the type of the output */
	const bool may_fail = !text && emit->encoding.from != emit->encoding.to;
	uint64_t least;

	if (emit->items.order != NULL)
		return gs_emit_item_sink(emit, keys);
	emit->class_position = emit->split.position;
	if (gs_delivered_left(&emit->delivered, key_class) > 0 || emit->tail.on)
		return sink;
	least = plan->buckets.part_bytes * (text ? TEXT_STRAND_PARTS * files : 1);
	if (plan->device == GSORT_DEVICE_GPU)
		least = gs_encoding_in_place(&emit->encoding) ? 0 : UINT64_MAX;
	if (gs_way("strands", gs_select_takes_all(&emit->select) && files > 1 && plan->threads > 1 &&
	                      keys * (plan->class_bits[key_class] / 8) > least &&
	                      gs_split_begin_strands(&emit->split, keys,
	                                             text ? 0 : gs_encoding_bytes(&emit->encoding)))) {
		sink.make = make;
		sink.take = take_of_strand;
		sink.strand_at = emit->split.strand_at;
		sink.strand_count = emit->split.strands;
	}
	if (files > 1 || (emit->select.head && may_fail))
		return sink;
	emit->gives_pages |= gs_way("pages for a pipe", !emit->select.groups && !emit->pick.on &&
	                            keys >= PAGES_KEYS && plan->huge_pages &&
	                            gs_encoding_in_place(&emit->encoding) &&
	                            plan->buckets.part_bytes >= PAGES_BYTES &&
	                            gs_output_takes_pages(emit->split.outputs->files[0]));
	sink.skip = emit->pick.on ? skip : NULL;
	sink.room = room;
	sink.make = make;
	sink.take = take_encoded;
	return sink;
}

bool
gs_emit_is_complete(const struct gs_emit *emit)
{
	return emit->select.head && emit->select.left == 0;
}

gs_status
gs_emit_header(struct gs_emit *emit, const char *header, size_t bytes)
{
	if (bytes == 0 || emit->written.header)
		return GS_OK;
	emit->written.header = true;
	TRY(emit->items.show.header != NULL ? emit->items.show.header(&emit->items.show, header, bytes)
	                              : gs_emit_bytes(emit, header, bytes));
	TRY(gs_emit_flush(emit));
	emit->split.header_bytes = emit->written.bytes;		/* as it is shown */
	return GS_OK;
}

gs_status
gs_emit_class_end(struct gs_emit *emit, unsigned key_class)
{
	struct gs_span last;

	if (gs_delivered_left(&emit->delivered, key_class) > 0 && !gs_emit_is_complete(emit))
		return gs_fail(GS_EINPUT, "the input has become shorter since it was read for the GPU: "
		               "the output cannot be completed");
	if (emit->split.strands > 0) {
		for (size_t s = 0; s < emit->split.strands; s++)
			gs_verify_join(emit->verify, &emit->verify->out, &emit->split.digests[s]);
		emit->split.strands = 0;
		emit->split.position += emit->split.strand_keys;
		emit->written.keys += emit->split.strand_keys;
		emit->written.bytes += emit->split.written;
	}
	TRY(gs_outputs_wait(emit->split.outputs));	/* no span stays longer */
	if (emit->class_ended[key_class])
		return GS_OK;
	emit->class_ended[key_class] = true;
	gs_select_end(&emit->select, &last);
	return put(emit, &last, gs_clock_now());
}

gs_status
gs_emit_end(struct gs_emit *emit)
{
	enum { TAIL_KEYS = 512 };	/* that are written at once */
	uint64_t keys[TAIL_KEYS], times[TAIL_KEYS];
	struct gs_item_top *top = emit->items.top;
	struct gs_span last;

	for (bool more = emit->tail.on; more; more = last.count > 0) {
		emit->tail.on = false;		/* what comes now is written */
		gs_tail_next(&emit->tail, TAIL_KEYS, keys, times, &last);
		TRY(put(emit, &last, gs_clock_now()));
	}
	if (top != NULL) {
		const struct gs_span_sink sink = gs_emit_item_sink(emit, 0);

		emit->items.top = NULL;
		TRY(gs_item_top_end(top, &sink));
	}
	if (emit->items.show.end != NULL)
		TRY(emit->items.show.end(&emit->items.show));
	TRY(gs_emit_flush(emit));
	TRY(gs_verify_end(emit->verify));
	if (emit->verify->on && emit->verify->order_alone)
		gs_note(emit->monitor, "verified: the output is in order; with --head or --tail, that is all "
		        "that can be verified");
	return gs_outputs_wait(emit->split.outputs);
}

void
gs_emit_close(struct gs_emit *emit)
{
	gs_pick_close(&emit->pick);
	gs_split_close(&emit->split);
	free(emit->items.show.text);
	*emit = (struct gs_emit){ .plan = NULL };
}

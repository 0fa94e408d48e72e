// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.c - sorted keys to output: verify, select, encode, write
 *
 * In:   spans of sorted keys, class by class, from any producer.
 * Out:  the bytes of the output.
 *
 * A producer with one thread hands over large spans: each is verified, selected and encoded by a
 * team, and written while the producer makes the next.  A producer with many threads (the
 * buckets) has each of them verify and encode the span that it has just sorted; only writing
 * is left for the thread that takes them in order.  (Many threads writing at different places
 * of one file are no faster: io/preallocate.c.)  Where keys are selected, that is the work of
 * the one thread that takes spans, as groups of equal keys cross their borders.
 */
#include <assert.h>
#include <sys/mman.h>

#include "format/raw.h"
#include "sort/checksum.h"
#include "stages/emit.h"

/* ---- opening ---------------------------------------------------------------- */

void
gs_emit_set_format(struct gs_emit *emit, const struct gsort_options *options)
{
	emit->encoding = (struct gs_encoding){
		.from = options->type,
		.to = options->converts ? options->to : options->type,
		.reverse = options->reverse,
		.endian = options->endian,
		.terminator = options->zero_terminated ? '\0' : '\n',
		.counts = options->counts,
	};
}

size_t
gs_emit_print_bytes(const struct gs_emit *emit)
{
	const size_t times = emit->encoding.counts ? sizeof *emit->select.times : 0;

	return gs_encoding_in_place(&emit->encoding) ? 0
	       : 2 * gs_encoding_bytes(&emit->encoding) + times;
}

void
gs_emit_carve(struct gs_emit *emit, const struct gs_plan *plan, struct gs_arena *arena)
{
	const size_t print_bytes = gs_encoding_in_place(&emit->encoding) ? 0 :
	                           plan->print_keys * gs_encoding_bytes(&emit->encoding);
	const unsigned slots = gs_batch_slots(plan->threads);

	emit->plan = plan;
	emit->encoding.threads = plan->threads;
	emit->print[0] = gs_arena_take(arena, print_bytes);
	emit->print[1] = gs_arena_take(arena, print_bytes);
	emit->slot_print = gs_arena_take(arena, slots * plan->part_print_bytes);
	emit->select.times = gs_arena_take(arena, emit->encoding.counts ? sizeof *emit->select.times *
	                                                                  plan->print_keys : 0);
}

void
gs_emit_open(struct gs_emit *emit, const struct gsort_options *options, struct gs_verify *verify,
             struct gs_monitor *monitor)
{
	gs_select_open(&emit->select, options, emit->select.times);
	emit->verify = verify;
	emit->monitor = monitor;
}

void
gs_emit_expect_failure(struct gs_emit *emit)
{
	emit->resumable = true;
}

void
gs_emit_resume(struct gs_emit *emit)
{
	emit->resumable = false;
	emit->resuming = true;
}

/* ---- what was delivered before ------------------------------------------------ */

/* Note a span that is about to be delivered. */
static void
deliver(struct gs_emit *emit, const struct gs_sorted_span *sorted)
{
	const struct gs_span *span = &sorted->span;
	struct gs_delivered *delivered = &emit->delivered[span->key_class];

	if (!emit->resumable)
		return;
	delivered->keys += span->count;
	delivered->sum += sorted->summed ? sorted->sum :
	                  gs_checksum(emit->plan->threads, span->key_class, span->key_bits,
	                              span->keys, span->count, false).sum;
}

static void
deliver_counted(struct gs_emit *emit, const struct gs_span *span, const uint64_t *times)
{
	struct gs_delivered *delivered = &emit->delivered[span->key_class];

	for (size_t at = 0; emit->resumable && at < span->count; at++) {
		const uint64_t key = gs_key_at(span->keys, span->key_bits, at);

		delivered->keys += times[at];
		delivered->sum += times[at] * gs_checksum_of(span->key_class, key);
	}
}

/* Keys of the class that are still to be skipped. */
static uint64_t
left_to_skip(const struct gs_emit *emit, unsigned key_class)
{
	return emit->resuming ? emit->delivered[key_class].keys - emit->skipped[key_class].keys : 0;
}

/* Once all are skipped, they must have been the same. */
static gs_status
check_skipped(const struct gs_emit *emit, unsigned key_class)
{
	if (left_to_skip(emit, key_class) > 0 ||
	    emit->skipped[key_class].sum == emit->delivered[key_class].sum)
		return GS_OK;
	return gs_fail(GS_EINPUT, "the input has changed since it was read for the GPU: "
	               "the output cannot be completed");
}

/* Skip what was delivered before at the front of SPAN. */
static gs_status
skip(struct gs_emit *emit, struct gs_span *span)
{
	const uint64_t left = left_to_skip(emit, span->key_class);
	const size_t here = left < span->count ? (size_t)left : span->count;
	struct gs_delivered *skipped = &emit->skipped[span->key_class];

	if (here == 0)
		return GS_OK;
	skipped->keys += here;
	skipped->sum += gs_checksum(emit->plan->threads, span->key_class, span->key_bits, span->keys,
	                            here, false).sum;
	span->keys = (char *)span->keys + here * (span->key_bits / 8);
	span->count -= here;
	return check_skipped(emit, span->key_class);
}

static gs_status
skip_counted(struct gs_emit *emit, struct gs_span *span, uint64_t *times)
{
	struct gs_delivered *skipped = &emit->skipped[span->key_class];
	size_t kept = 0;

	if (left_to_skip(emit, span->key_class) == 0)
		return GS_OK;
	for (size_t at = 0; at < span->count; at++) {
		const uint64_t key = gs_key_at(span->keys, span->key_bits, at);
		const uint64_t left = left_to_skip(emit, span->key_class);
		const uint64_t here = left < times[at] ? left : times[at];

		skipped->keys += here;
		skipped->sum += here * gs_checksum_of(span->key_class, key);
		gs_key_put(span->keys, span->key_bits, kept, key);
		times[kept] = times[at] - here;
		kept += times[kept] > 0;
	}
	span->count = kept;
	return check_skipped(emit, span->key_class);
}

/* ---- spans of a producer with one thread ---------------------------------------- */

/* Encode what was selected, and write it.  Work on it began at SINCE. */
static gs_status
put(struct gs_emit *emit, struct gs_span *span, const uint64_t *times, uint64_t since)
{
	const struct gs_encoding *encoding = &emit->encoding;
	char *print = emit->print[emit->print_at];
	size_t bytes;

	if (span->count == 0) {
		gs_clock_lap(&emit->monitor->clock, GS_STAGE_ENCODE, &since);
		return GS_OK;
	}
	emit->keys += span->count;
	if (gs_encoding_in_place(encoding)) {
		bytes = span->count * (span->key_bits / 8);
		gs_ordered_to_raw(encoding->to, encoding->endian, encoding->reverse, span->keys,
		                  span->count, encoding->threads);
		gs_clock_lap(&emit->monitor->clock, GS_STAGE_ENCODE, &since);
		TRY(gs_output_write(emit->output, span->keys, bytes));
	} else {
		TRY(gs_encode(encoding, span->key_class, span->key_bits, span->keys,
		              encoding->counts ? times : NULL, span->count, print, &bytes));
		gs_clock_lap(&emit->monitor->clock, GS_STAGE_ENCODE, &since);
		TRY(gs_output_submit(emit->output, print, bytes));
		emit->print_at ^= 1;
	}
	emit->bytes += bytes;
	atomic_store(&emit->monitor->counters.bytes_out, emit->bytes);
	return GS_OK;
}

static gs_status
put_span(struct gs_emit *emit, struct gs_span *span)
{
	const size_t key_bytes = span->key_bits / 8;
	const bool whole = gs_encoding_in_place(&emit->encoding);
	uint64_t since = gs_clock_now();

	gs_verify_out(emit->verify, span);
	for (size_t at = 0; at < span->count;) {
		struct gs_span slice = *span;

		slice.keys = (char *)span->keys + at * key_bytes;
		slice.count = span->count - at;
		if (!whole && slice.count > emit->plan->print_keys)
			slice.count = emit->plan->print_keys;
		at += slice.count;
		if (!gs_select_takes_all(&emit->select))
			gs_select_span(&emit->select, &slice);
		TRY(put(emit, &slice, emit->select.times, since));
		since = gs_clock_now();
	}
	atomic_fetch_add(&emit->monitor->counters.keys_sorted, span->count);
	return GS_OK;
}

static gs_status
take_span(struct gs_emit *emit, struct gs_sorted_span *sorted, bool *enough)
{
	deliver(emit, sorted);
	TRY(skip(emit, &sorted->span));
	TRY(put_span(emit, &sorted->span));
	*enough = gs_emit_is_complete(emit);
	return GS_OK;
}

static gs_status
take_counted(void *context, struct gs_sorted_span *sorted, uint64_t *times, bool *enough)
{
	struct gs_emit *emit = context;
	struct gs_span *span = &sorted->span;
	uint64_t since = gs_clock_now();

	deliver_counted(emit, span, times);
	TRY(skip_counted(emit, span, times));
	gs_verify_out_pairs(emit->verify, span, times);
	gs_select_pairs(&emit->select, span, times);
	TRY(put(emit, span, times, since));
	*enough = gs_emit_is_complete(emit);
	return GS_OK;
}

/* ---- spans of a producer with many threads --------------------------------------- */

/*
 * Classes of so many keys are given to a pipe as pages.  256 MiB of u32 `| cat >out`, two
 * cores: 0.43 s, copied 0.49 s.  The limit itself is not tuned.
 */
enum { PAGES_KEYS = 1 << 18 };

/* Pages that a pipe will take; BYTES of them will be written. */
static gs_status
map(struct gs_encoded *encoded, size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return gs_fail_errno(GS_EBUDGET, "cannot map %zu bytes", bytes);
	encoded->pages = pages;
	encoded->mapped = bytes;
	return GS_OK;
}

/* Keys that are written as they are lie in such pages from the first. */
static gs_status
room(void *context, const struct gs_sorted_span *sorted, void **keys)
{
	struct gs_emit *emit = context;
	const struct gs_span *span = &sorted->span;
	struct gs_encoded *encoded = &emit->encoded[sorted->slot];

	if (!emit->gives_pages || !gs_encoding_in_place(&emit->encoding))
		return GS_OK;
	TRY(map(encoded, span->count * (span->key_bits / 8)));
	*keys = encoded->pages;
	return GS_OK;
}

static gs_status
encode(struct gs_emit *emit, const struct gs_sorted_span *sorted, struct gs_encoded *encoded)
{
	const struct gs_span *span = &sorted->span;
	struct gs_encoding encoding = emit->encoding;

	encoding.threads = 1;
	if (emit->gives_pages)
		TRY(map(encoded, span->count * gs_encoding_bytes(&encoding)));
	encoded->data = emit->gives_pages ? encoded->pages :
	                emit->slot_print + sorted->slot * emit->plan->part_print_bytes;
	return gs_encode(&encoding, span->key_class, span->key_bits, span->keys, NULL, span->count,
	                 encoded->data, &encoded->bytes);
}

/* Verify and encode a span; any thread. */
static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct gs_emit *emit = context;
	const struct gs_encoding *encoding = &emit->encoding;
	const struct gs_span *span = &sorted->span;
	struct gs_encoded *encoded = &emit->encoded[sorted->slot];
	uint64_t since = gs_clock_now();
	gs_status status = GS_OK;

	gs_verify_digest(emit->verify, span, &encoded->digest);
	if (gs_encoding_in_place(encoding)) {
		gs_ordered_to_raw(encoding->to, encoding->endian, encoding->reverse, span->keys,
		                  span->count, 1);
		encoded->data = span->keys;
		encoded->bytes = span->count * (span->key_bits / 8);
	} else {
		status = encode(emit, sorted, encoded);
	}
	gs_clock_lap(&emit->monitor->clock, GS_STAGE_ENCODE, &since);
	return status;
}

static gs_status
write_encoded(struct gs_emit *emit, struct gs_encoded *encoded)
{
	void *pages = encoded->pages;

	encoded->pages = NULL;
	return pages == NULL ? gs_output_write(emit->output, encoded->data, encoded->bytes)
	       : gs_output_give_pages(emit->output, pages, encoded->bytes, encoded->mapped);
}

static gs_status
take_encoded(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gs_emit *emit = context;
	struct gs_encoded *encoded = &emit->encoded[sorted->slot];

	if (sorted->slot == GS_NO_SLOT)
		return take_span(emit, sorted, enough);
	gs_verify_note_out(emit->verify, &encoded->digest);
	TRY(write_encoded(emit, encoded));
	emit->keys += sorted->span.count;
	emit->bytes += encoded->bytes;
	atomic_store(&emit->monitor->counters.bytes_out, emit->bytes);
	atomic_fetch_add(&emit->monitor->counters.keys_sorted, sorted->span.count);
	return GS_OK;
}

/* A span that was only sorted. */
static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	return take_span(context, sorted, enough);
}

/* ---- all of it ----------------------------------------------------------------- */

bool
gs_emit_is_complete(const struct gs_emit *emit)
{
	return gs_select_ends(&emit->select);
}

gs_status
gs_emit_header(struct gs_emit *emit, const char *header, size_t bytes)
{
	if (bytes == 0 || emit->header_written)
		return GS_OK;
	emit->header_written = true;
	emit->bytes += bytes;
	return gs_output_write(emit->output, header, bytes);
}

struct gs_span_sink
gs_emit_sink(struct gs_emit *emit, unsigned key_class, uint64_t keys)
{
	struct gs_span_sink sink = { .take = take, .context = emit };

	if (emit->select.groups)
		sink.take_counted = take_counted;
	if (!gs_select_takes_all(&emit->select) || left_to_skip(emit, key_class) > 0)
		return sink;
	emit->gives_pages = keys >= PAGES_KEYS && gs_output_takes_pages(emit->output);
	sink.room = room;
	sink.make = make;
	sink.take = take_encoded;
	return sink;
}

/* After an error, spans may have been encoded that nobody took. */
static void
unmap(struct gs_emit *emit)
{
	for (size_t slot = 0; slot < GS_BATCH_SLOTS_MOST; slot++)
		if (emit->encoded[slot].pages != NULL) {
			munmap(emit->encoded[slot].pages, emit->encoded[slot].mapped);
			emit->encoded[slot].pages = NULL;
		}
}

gs_status
gs_emit_class_end(struct gs_emit *emit, unsigned key_class)
{
	struct gs_span last;

	if (left_to_skip(emit, key_class) > 0 && !gs_emit_is_complete(emit))
		return gs_fail(GS_EINPUT, "the input has become shorter since it was read for the GPU: "
		               "the output cannot be completed");
	if (emit->class_ended[key_class])
		return GS_OK;
	emit->class_ended[key_class] = true;
	gs_select_end(&emit->select, &last);
	return put(emit, &last, emit->select.times, gs_clock_now());
}

gs_status
gs_emit_end(struct gs_emit *emit)
{
	TRY(gs_verify_end(emit->verify));
	if (emit->verify->on && emit->verify->order_alone)
		gs_note(emit->monitor, "verified: the output is in order; of a head nothing more "
		        "can be verified");
	return gs_output_wait(emit->output);
}

void
gs_emit_close(struct gs_emit *emit)
{
	unmap(emit);
}

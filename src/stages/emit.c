// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.c - sorted keys to output: the second half of a job
 *
 * Streams come one after the other, first to last, or last to first when the
 * largest key goes first.  Each has one source: the histogram, the merge of its
 * runs, a GPU, or the CPU's batch.
 *
 * What every sorted key goes through is gs_emit_span(): verify, select, encode,
 * write.  Keys of the CPU's batch, if nothing is selected from them, are sorted, verified and
 * encoded by a team, piece by piece, and written in order while the next ones are made.
 * (That each thread writes its own, where it belongs in a file, is no faster: io/preallocate.c.)
 */
#include <assert.h>
#include <sys/mman.h>

#include "job/job.h"

/* ---- a span -------------------------------------------------------------- */

/* Encode what was selected, and write it.  It has been worked on SINCE. */
static gs_status
put(struct gsort *job, struct gs_span *span, uint64_t since)
{
	const struct gs_encoding *encoding = &job->encoding;
	char *print = job->print[job->print_at];
	size_t bytes;

	if (span->count == 0) {
		gs_clock_lap(&job->monitor.clock, GS_STAGE_ENCODE, &since);
		return GS_OK;
	}
	job->stats.keys_out += span->count;
	if (gs_encoding_in_place(encoding)) {
		bytes = span->count * (span->key_bits / 8);
		gs_ordered_to_raw(encoding->to, encoding->endian, encoding->reverse, span->keys,
		                  span->count, encoding->threads);
		gs_clock_lap(&job->monitor.clock, GS_STAGE_ENCODE, &since);
		TRY(gs_output_write(job->output, span->keys, bytes));
	} else {
		TRY(gs_encode(encoding, span->key_class, span->key_bits, span->keys,
		              encoding->counts ? job->select.times : NULL, span->count, print,
		              &bytes));
		gs_clock_lap(&job->monitor.clock, GS_STAGE_ENCODE, &since);
		TRY(gs_output_submit(job->output, print, bytes));
		job->print_at ^= 1;
	}
	job->stats.bytes_out += bytes;
	atomic_store(&job->monitor.counters.bytes_out, job->stats.bytes_out);
	return GS_OK;
}

gs_status
gs_emit_span(struct gsort *job, struct gs_span *span)
{
	const size_t key_bytes = span->key_bits / 8;
	const bool whole = gs_encoding_in_place(&job->encoding);
	uint64_t since = gs_clock_now();

	gs_verify_out(&job->verify, span);
	for (size_t at = 0; at < span->count;) {
		struct gs_span slice = *span;

		slice.keys = (char *)span->keys + at * key_bytes;
		slice.count = span->count - at;
		if (!whole && slice.count > job->plan.print_keys)
			slice.count = job->plan.print_keys;
		at += slice.count;
		if (!gs_select_takes_all(&job->select))
			gs_select_span(&job->select, &slice);
		TRY(put(job, &slice, since));
		since = gs_clock_now();
	}
	atomic_fetch_add(&job->monitor.counters.keys_sorted, span->count);
	return GS_OK;
}

gs_status
gs_emit_stream_end(struct gsort *job, unsigned key_class)
{
	struct gs_span last;

	(void)key_class;
	gs_select_end(&job->select, &last);
	return put(job, &last, gs_clock_now());
}

gs_status
gs_emit_header(struct gsort *job)
{
	const char *header = job->header;
	size_t bytes = job->header_bytes;

	if (job->decoder != NULL && job->options->header_lines > 0)
		header = gs_text_header(job->decoder, &bytes);
	if (bytes == 0)
		return GS_OK;
	job->stats.bytes_out += bytes;
	return gs_output_write(job->output, header, bytes);
}

gs_status
gs_emit_end(struct gsort *job)
{
	TRY(gs_verify_end(&job->verify));
	if (job->verify.on && job->verify.order_alone)
		gs_note(&job->monitor,
		        "verified: what went out is in order; with a head no more can be said");
	job->stats.verified = job->verify.on && !job->verify.order_alone;
	return gs_output_wait(job->output);
}

/* ---- where spans come from ------------------------------------------------ */

/* A span of a histogram whose keys come once each, with how often they came. */
static gs_status
emit_pairs(struct gsort *job, struct gs_span *span)
{
	const uint64_t since = gs_clock_now();

	gs_verify_out_pairs(&job->verify, span, job->select.times);
	gs_select_pairs(&job->select, span);
	return put(job, span, since);
}

static gs_status
emit_counts(struct gsort *job)
{
	/* Bins of binary keys are complemented like keys; those of text are not. */
	const bool reversed = job->options->reverse && job->facts.key_bits == 0;
	const bool pairs = job->select.groups;
	struct gs_span span;
	uint64_t since;

	assert(GS_SELECT_PAIRS * sizeof(uint32_t) <= job->plan.count_bytes &&
	       GS_SELECT_PAIRS <= job->plan.print_keys);
	while (!gs_select_ends(&job->select)) {
		since = gs_clock_now();
		if (pairs)
			gs_count_next_pairs(&job->small, reversed, job->count_memory, job->select.times,
			                    GS_SELECT_PAIRS, &span);
		else
			gs_count_next(&job->small, reversed, job->count_memory, job->plan.count_bytes,
			              &span);
		if (span.count == 0)
			return GS_OK;
		gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
		TRY(pairs ? emit_pairs(job, &span) : gs_emit_span(job, &span));
	}
	return GS_OK;
}

/* A GPU drains its streams in the same order; one span too far is held. */
static gs_status
emit_gpu(struct gsort *job, unsigned key_class)
{
	while (!gs_select_ends(&job->select)) {
		if (job->held.count == 0)
			TRY(gs_device_drain(job, &job->held));
		if (job->held.count == 0 || job->held.key_class != key_class)
			return GS_OK;
		job->spare.gone[key_class] += job->held.count;
		TRY(gs_emit_span(job, &job->held));
		job->held.count = 0;
	}
	return GS_OK;
}

/* ---- the CPU's batch: pieces, made by a team --------------------------------- */

/*
 * From so many keys on a pipe is given pages.  256 MiB of u32 `| cat >out`, two cores: 0.43 s,
 * copied 0.49 s.  Where few are, not tuned.
 */
enum { PAGES_KEYS = 1 << 18 };

/* What goes out of a piece. */
struct made {
	void            *data;
	size_t           bytes;
	void            *pages;		/* DATA is in a mapping of its own; else NULL */
	size_t           mapped;	/* bytes of it */
	struct gs_span_digest  sight;		/* for verifying */
};

struct making {
	struct gsort *job;
	bool          gives_pages;	/* to a pipe */
	struct made   made[GS_BATCH_SLOTS_MOST];	/* by slot */
};

static gs_status
take_selected(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gsort *job = context;

	gs_spare_skip(job, &sorted->span);
	TRY(gs_emit_span(job, &sorted->span));
	*enough = gs_select_ends(&job->select);
	return GS_OK;
}

/* Pages that will be a pipe's, of which BYTES are written for sure. */
static gs_status
map(struct made *made, size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return gs_fail_errno(GS_EBUDGET, "cannot map %zu bytes", bytes);
	made->pages = pages;
	made->mapped = bytes;
	return GS_OK;
}

/* Keys that go out as they are lie in such pages from the first. */
static gs_status
room(void *context, const struct gs_sorted_span *sorted, void **keys)
{
	struct making *making = context;
	const struct gs_span *span = &sorted->span;
	struct made *made = &making->made[sorted->slot];

	if (!making->gives_pages || !gs_encoding_in_place(&making->job->encoding))
		return GS_OK;
	TRY(map(made, span->count * (span->key_bits / 8)));
	*keys = made->pages;
	return GS_OK;
}

static gs_status
encode(struct making *making, const struct gs_sorted_span *sorted, struct made *made)
{
	const struct gsort *job = making->job;
	const struct gs_span *span = &sorted->span;
	struct gs_encoding encoding = job->encoding;

	encoding.threads = 1;
	if (making->gives_pages)
		TRY(map(made, span->count * gs_encoding_bytes(&encoding)));
	made->data = making->gives_pages ? made->pages :
	             job->part_print + sorted->slot * job->plan.part_print_bytes;
	return gs_encode(&encoding, span->key_class, span->key_bits, span->keys, NULL, span->count,
	                 made->data, &made->bytes);
}

/* Verify and encode a piece; any thread. */
static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct making *making = context;
	struct gsort *job = making->job;
	const struct gs_encoding *encoding = &job->encoding;
	const struct gs_span *span = &sorted->span;
	struct made *made = &making->made[sorted->slot];
	uint64_t since = gs_clock_now();
	gs_status status = GS_OK;

	gs_verify_digest(&job->verify, span, &made->sight);
	if (gs_encoding_in_place(encoding)) {
		gs_ordered_to_raw(encoding->to, encoding->endian, encoding->reverse, span->keys,
		                  span->count, 1);
		made->data = span->keys;
		made->bytes = span->count * (span->key_bits / 8);
	} else {
		status = encode(making, sorted, made);
	}
	gs_clock_lap(&job->monitor.clock, GS_STAGE_ENCODE, &since);
	return status;
}

static gs_status
write_made(struct gsort *job, struct made *made)
{
	void *pages = made->pages;

	made->pages = NULL;
	return pages == NULL ? gs_output_write(job->output, made->data, made->bytes)
	       : gs_output_give_pages(job->output, pages, made->bytes, made->mapped);
}

static gs_status
take_made(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct making *making = context;
	struct gsort *job = making->job;
	struct made *made = &making->made[sorted->slot];

	(void)enough;
	gs_verify_note_out(&job->verify, &made->sight);
	TRY(write_made(job, made));
	job->stats.keys_out += sorted->span.count;
	job->stats.bytes_out += made->bytes;
	atomic_store(&job->monitor.counters.bytes_out, job->stats.bytes_out);
	atomic_fetch_add(&job->monitor.counters.keys_sorted, sorted->span.count);
	return GS_OK;
}

static gs_status
emit_selected(struct gsort *job, unsigned key_class)
{
	const struct gs_span_sink sink = { .take = take_selected, .context = job };

	return gs_batch_drain(&job->batch, key_class, &sink);
}

static gs_status
emit_all(struct gsort *job, unsigned key_class)
{
	struct making making = {
		.job = job,
		.gives_pages = gs_output_takes_pages(job->output) &&
		               gs_batch_count(&job->batch, key_class) >= PAGES_KEYS,
	};
	const struct gs_span_sink sink = { room, make, take_made, &making };
	const gs_status status = gs_batch_drain(&job->batch, key_class, &sink);

	for (size_t m = 0; m < sizeof making.made / sizeof making.made[0]; m++)
		if (making.made[m].pages != NULL)	/* after trouble, it was not taken */
			munmap(making.made[m].pages, making.made[m].mapped);
	return status;
}

/* What was not set aside is the GPU's, or the CPU's; or both, if it fails between. */
static gs_status
emit_held(struct gsort *job, unsigned key_class)
{
	uint64_t gone;

	if (job->gpu != NULL)
		TRY(emit_gpu(job, key_class));
	gone = job->spare.gone[key_class];
	if (gs_batch_count(&job->batch, key_class) <= gone)
		return GS_OK;
	return gs_select_takes_all(&job->select) && gone == 0 ? emit_all(job, key_class)
	                                                      : emit_selected(job, key_class);
}

gs_status
gs_emit(struct gsort *job)
{
	TRY(gs_emit_header(job));
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		const unsigned s = job->options->reverse ? GS_CLASSES - 1 - i : i;

		if (job->small.bins != NULL && job->small.key_class == s)
			TRY(emit_counts(job));
		else if (job->asides[s].count > 0)
			TRY(gs_runs_emit(job, s));
		else if (job->plan.class_bits[s] > 0)
			TRY(emit_held(job, s));
		TRY(gs_emit_stream_end(job, s));
	}
	return gs_emit_end(job);
}

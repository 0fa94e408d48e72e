// SPDX-License-Identifier: BSD-2-Clause
/* stretch.c - stretches of one input: decode them, and compare what they have with what came before */
#include <string.h>

#include "key/key.h"
#include "kinds/merge_input.h"
#include "text/disorder.h"
#include "text/line.h"


/* Is the order of inputs not checked? */
static bool
trusts(const struct gsort *job)
{
	return job->options.operation == GSORT_MERGE && job->options.trust_order;
}

/* ---- keys and records ------------------------------------------------------------ */

struct gs_stretch
gs_stretch_open(struct gsort *job, struct gs_follow *follow, const char *advice)
{
	return (struct gs_stretch){
		.job = job, .follow = follow, .advice = advice,
		.element_bytes = job->keys.ingest.unit,
	};
}

void
gs_stretch_begin(struct gs_stretch *stretch, const char *name, uint64_t skipped)
{
	stretch->name = name;
	stretch->elements = stretch->follow->elements - skipped;
	stretch->bytes = 0;
}

/* ELEMENT, a key or a record, is the first one out of order. */
static gs_status
fail(const struct gs_stretch *stretch, bool key, const char *element)
{
	const struct gsort *job = stretch->job;
	const uint64_t number = stretch->follow->elements - stretch->elements + 1;

	if (key)
		return gs_disorder_key(&job->emit.encoding, stretch->follow->key_bits, stretch->name, number,
		                       element, job->options.skip_bytes, stretch->advice);
	return gs_disorder_record(&job->items.ingest.record, stretch->name, element, number,
	                          job->options.skip_bytes, stretch->advice);
}

gs_status
gs_stretch_next(struct gs_stretch *stretch, void *data, size_t bytes)
{
	struct gsort *job = stretch->job;
	const struct gsort_options *options = &job->options;
	struct gs_follow *follow = stretch->follow;
	const struct gs_item_slice slice = { data, bytes };
	const size_t unit = stretch->element_bytes;
	const bool keys = follow->order == NULL;
	uint64_t since = gs_clock_now();
	size_t at = bytes;

	stretch->bytes += bytes;
	if (bytes % unit != 0)
		return gs_partial(options, stretch->name, options->skip_bytes, stretch->bytes);
	if (keys) {
		gs_raw_to_ordered(options->type, options->endian, options->reverse, data, bytes / unit,
		                  follow->threads);
		gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
	}
	if (trusts(job))
		follow->elements += bytes / unit;
	else
		at = keys ? unit * gs_follow_keys(follow, data, bytes / unit)
		          : gs_follow_slice(follow, &slice);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
	if (at == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	return at == bytes ? GS_OK : fail(stretch, keys, slice.data + at);
}

/* ---- text ------------------------------------------------------------------------- */

struct gs_line_reader *
gs_stretch_open_text(struct gsort *job, struct gs_input *input, void *memory, size_t room)
{
	const struct gs_line_source source = {
		gs_input_read_callback, input, gs_input_name(input),
	};
	struct gs_line_reader *reader = gs_line_reader_open(memory, room, &source, &job->keys.ingest.text);

	reader->clock = &job->monitor.clock;
	return reader;
}

gs_status
gs_stretch_fail_text(const struct gsort *job, const struct gs_line_reader *reader, size_t at,
                     const char *advice)
{
	const struct gs_text_options *options = &job->keys.ingest.text;
	const char *line = reader->batch_text + reader->at[at], *name = reader->source.name;
	const size_t most = (size_t)(reader->text + reader->end - line);
	const char *end = memchr(line, options->terminator, most);

	return gs_disorder_line(name, gs_line_number(options, name, reader->numbers[at]), line,
	                        end != NULL ? (size_t)(end - line) : most, advice);
}

gs_status
gs_stretch_text(struct gsort *job, const struct gs_line_reader *reader, struct gs_follow *follow,
                const char *advice)
{
	uint64_t since = gs_clock_now();
	const size_t first = trusts(job) ? reader->count
	                   : gs_follow_text(follow, reader->classes, reader->keys, reader->count);

	gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
	return first == reader->count ? GS_OK : gs_stretch_fail_text(job, reader, first, advice);
}

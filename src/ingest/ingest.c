// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.c - input to keys: read, decode, hand on
 *
 * In:   bytes of all inputs.
 * Out:  keys, as ordered bits, for their taker; the header; counts.
 *
 * raw_ingest.c reads binary keys, text_ingest.c text.
 */
#include <stdlib.h>

#include "ingest/ingest.h"
#include "key/key.h"
#include "output/select.h"

/* ---- opening ---------------------------------------------------------------- */

/* A run of the stage over the same input repeats its warnings: pass on only new ones. */
static void
warn(void *context, const char *line)
{
	struct gs_ingest *ingest = context;

	if (ingest->warnings++ >= ingest->warned)
		ingest->options->warn(ingest->options->warn_context, line);
}

void
gs_ingest_set_format(struct gs_ingest *ingest, const struct gsort_options *options)
{
	ingest->options = options;
	ingest->key_bits = gs_key_bits(options->type);
	ingest->unit = ingest->key_bits / 8;
	ingest->key_at = 0;
	ingest->text = (struct gs_text_options){
		.floats = options->type == GSORT_TEXT_FLOAT,
		.notation = options->notation,
		.reverse = options->reverse,
		.merge_zeros = gs_select_merges_zeros(options),
		.terminator = options->zero_terminated ? '\0' : '\n',
		.invalid = options->invalid,
		.header_lines = options->header_lines,
		.header = &ingest->text_header,
		.warn = { options->warn != NULL ? warn : NULL, ingest },
		.in_order = options->operation != GSORT_SORT,
	};
}

/* The counts of small numbers, too. */
static size_t
decoder_bytes(const struct gs_plan_input *input, size_t chunk_bytes, unsigned threads)
{
	const struct gs_text_options text = {
		.floats = input->type == GSORT_TEXT_FLOAT, .notation = input->notation,
	};

	return gs_text_decoder_bytes(chunk_bytes, threads, &text) + GS_SMALL_COUNT * sizeof(uint64_t);
}

void
gs_ingest_plan(struct gs_plan_input *input)
{
	unsigned *bits = input->class_bits;

	input->reader_least_bytes = GS_TEXT_ORDERED_LEAST_BYTES;
	input->reader_most_bytes = GS_TEXT_ORDERED_MOST_BYTES;
	input->decoder_bytes = decoder_bytes;
	if (input->key_bits >= 32)
		bits[0] = input->key_bits;
	if (input->type == GSORT_TEXT_FLOAT)
		bits[GS_FLOATS] = 64;
	else if (input->key_bits == 0)
		for (unsigned c = 0; c < GS_TEXT_CLASSES; c++)
			bits[c] = c == GS_SMALL ? 0 : gs_text_bits((enum gs_text_class)c);
	if (input->operation == GSORT_MERGE && input->key_bits == 0)	/* in_order, of two classes */
		bits[GS_NEG_NARROW] = bits[GS_POS_NARROW] = 0;
}

void
gs_ingest_carve(struct gs_ingest *ingest, const struct gs_plan *plan, struct gs_arena *arena)
{
	ingest->plan = plan;
	ingest->piece_bytes = plan->piece_bytes > ingest->unit ? plan->piece_bytes : ingest->unit;
	ingest->piece_memory = gs_arena_take(arena, plan->threads * ingest->piece_bytes);
	ingest->header = gs_arena_take(arena, ingest->key_bits > 0 ? ingest->options->skip_bytes : 0);
	if (ingest->key_bits > 0)
		return;
	ingest->decoder_memory = gs_arena_take(arena, gs_text_decoder_bytes(plan->chunk_bytes,
	                                                                    plan->threads,
	                                                                    &ingest->text));
}

void
gs_ingest_open(struct gs_ingest *ingest, struct gs_input *input, struct gs_count *histogram,
               const struct gs_plan_input *plan_input, struct gs_monitor *monitor)
{
	ingest->input = input;
	ingest->histogram = histogram;
	ingest->plan_input = plan_input;
	ingest->monitor = monitor;
	ingest->read = (struct gs_read_counts){ .bytes = 0 };
	ingest->invalid_lines = 0;
	ingest->header_bytes = 0;
	ingest->warnings = 0;
	ingest->stopped = false;
	if (ingest->key_bits > 0)
		return;
	ingest->decoder = gs_text_decoder_init(ingest->decoder_memory, ingest->plan->chunk_bytes,
	                                       ingest->plan->threads, &ingest->text);
	if (ingest->options->type == GSORT_TEXT)
		ingest->decoder->sections[0].keys.small = histogram->bins;
}

/* ---- running ------------------------------------------------------------------------ */

gs_status
gs_ingest_run(struct gs_ingest *ingest, const struct gs_taker *taker)
{
	ingest->taker = *taker;
	return ingest->key_bits == 0 ? gs_text_ingest(ingest) : gs_raw_ingest(ingest);
}

const char *
gs_ingest_header(const struct gs_ingest *ingest, size_t *bytes)
{
	const bool text = ingest->key_bits == 0;

	*bytes = text ? ingest->text.header->known : ingest->header_bytes;
	return text ? ingest->text.header->text : ingest->header;
}

void
gs_ingest_close(struct gs_ingest *ingest)
{
	gs_ahead_close(&ingest->ahead);
	gs_arena_close(&ingest->chunks);
	free(ingest->text_header.text);
	ingest->text_header = (struct gs_text_header){ .text = NULL };
	if (ingest->warnings > ingest->warned)
		ingest->warned = ingest->warnings;
}

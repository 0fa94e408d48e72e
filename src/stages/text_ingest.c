// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_ingest.c - numbers of all text files to ordered bits in the store
 *
 * One thread reads text ahead, and a team parses it; each thread stores the keys that it found.
 */
#include <pthread.h>

#include "base/team.h"
#include "sort/checksum.h"
#include "stages/text_ingest.h"

/* Fewer bytes of keys are stored by one thread.  Not tuned. */
#define TEAM_BYTES	((size_t)128 << 10)

/* Move the keys of the last chunk to a GPU's staging buffers. */
static gs_status
stage_chunk(struct gs_ingest *ingest)
{
	struct gs_text_decoder *decoder = ingest->decoder;

	TRY(gs_ingest_check_copy(ingest, (GS_AHEAD_CHUNKS + 1) * ingest->plan->chunk_bytes));
	for (unsigned c = 0; c < GS_CLASSES; c++)
		while (gs_text_left(decoder, (enum gs_text_class)c) > 0) {
			struct gs_staging staging;
			uint64_t since, sum;
			size_t count;
			char *to;

			TRY(gs_store_lend(ingest->store, c, &staging));
			since = gs_clock_now();
			to = (char *)staging.keys + staging.count * (staging.key_bits / 8);
			count = gs_text_fetch(decoder, (enum gs_text_class)c, to,
			                      staging.room - staging.count);
			sum = gs_checksum(ingest->plan->threads, c, staging.key_bits, to, count,
			                  false).sum;
			gs_verify_note_in(ingest->verify, count, sum);
			gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
			TRY(gs_store_commit(ingest->store, c, count, sum));
		}
	return GS_OK;
}

/* A chunk whose keys a team stores. */
struct storing {
	struct gs_ingest *ingest;
	uint64_t          sequence[GS_CLASSES];
	pthread_mutex_t   lock;		/* guards: */
	uint64_t          keys, sum;
};

/* The keys that one section of the chunk has of each class. */
static void
store_section(struct storing *storing, unsigned rank, unsigned section)
{
	struct gs_ingest *ingest = storing->ingest;
	uint64_t stored = 0, sum = 0;

	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const unsigned bits = ingest->plan->class_bits[c];
		size_t count;
		void *keys;

		if (bits == 0)
			continue;
		keys = gs_text_keys(ingest->decoder, section, (enum gs_text_class)c, &count);
		stored += count;
		sum += gs_verify_sum(ingest->verify, c, bits, keys, count);
		gs_ingest_add(ingest, rank, c, storing->sequence[c] + section, keys, count);
	}
	pthread_mutex_lock(&storing->lock);
	storing->keys += stored;
	storing->sum += sum;
	pthread_mutex_unlock(&storing->lock);
}

/* Each thread takes the sections that it has parsed, whose keys may still be in its cache. */
static void
store_sections(void *context, unsigned rank, unsigned size)
{
	struct storing *storing = context;

	for (unsigned n = rank; n < gs_text_sections(storing->ingest->decoder); n += size)
		store_section(storing, rank, n);
}

/* Store the keys of the last chunk in the CPU's batch. */
static gs_status
store_chunk(struct gs_ingest *ingest)
{
	struct storing storing = { .ingest = ingest, .lock = PTHREAD_MUTEX_INITIALIZER };
	const unsigned sections = gs_text_sections(ingest->decoder);
	size_t bytes = 0, room;
	uint64_t since;

	for (unsigned c = 0; c < GS_CLASSES; c++)
		bytes += gs_text_left(ingest->decoder, (enum gs_text_class)c) *
		         (ingest->plan->class_bits[c] / 8);
	TRY(gs_ingest_reserve(ingest, bytes, &room));
	if (bytes == 0)
		return GS_OK;
	for (unsigned c = 0; c < GS_CLASSES; c++)
		storing.sequence[c] = gs_ingest_next_sequence(ingest, c, sections);
	since = gs_clock_now();
	gs_team_run(bytes < TEAM_BYTES ? 1 : ingest->plan->threads, store_sections, &storing);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
	gs_verify_note_in(ingest->verify, storing.keys, storing.sum);
	return GS_OK;
}

static gs_status
ingest_chunk(struct gs_ingest *ingest, struct gs_chunk *chunk)
{
	uint64_t since = gs_clock_now();

	if (chunk->begins)
		gs_text_begin_file(ingest->decoder, chunk->name);
	TRY(gs_text_decode(ingest->decoder, chunk->data, chunk->bytes, chunk->ends));
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	gs_ingest_count(ingest, chunk->bytes, gs_text_lines(ingest->decoder) - ingest->keys);
	gs_ahead_give(&ingest->ahead, chunk);
	return gs_ingest_stages_keys(ingest) ? stage_chunk(ingest) : store_chunk(ingest);
}

/* At the end: add the small numbers that were counted, and warn of invalid lines not reported. */
static void
end_text(struct gs_ingest *ingest)
{
	struct gs_count *histogram = &ingest->store->histogram;
	uint64_t since = gs_clock_now();

	histogram->touched = gs_text_fetch_small(ingest->decoder, histogram->bins);
	gs_text_end(ingest->decoder);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	gs_verify_in_counts(ingest->verify, histogram, ingest->options->reverse ? UINT32_MAX : 0);
	ingest->keys = gs_text_lines(ingest->decoder);
	ingest->invalid_lines = gs_text_invalid(ingest->decoder);
}

gs_status
gs_text_ingest(struct gs_ingest *ingest)
{
	struct gs_chunk *chunk;

	gs_ahead_open(&ingest->ahead, ingest->input, ingest->chunk_memory,
	              ingest->plan->chunk_bytes);
	ingest->ahead.clock = &ingest->monitor->clock;
	for (;;) {
		TRY(gs_ahead_take(&ingest->ahead, &chunk));
		if (chunk == NULL)
			break;
		TRY(ingest_chunk(ingest, chunk));
	}
	end_text(ingest);
	return GS_OK;
}

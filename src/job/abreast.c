// SPDX-License-Identifier: BSD-2-Clause
/*
 * abreast.c - inputs that are read at the same time
 *
 * In:   the files of an input.
 * Out:  chunks of each of them, in order; of all, as they come.
 *
 * Each file has a thread that reads a chunk, waits for its turn, and hands the chunk on.
 *
 * Invariant: a thread that waits for its turn has read, so the others need not wait for it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"
#include "format/disorder.h"
#include "job/merge_input.h"

struct operand {
	struct abreast   *all;
	size_t            number;
	struct gs_input  *input;	/* the file alone */
	struct gs_thread  thread;
};

struct abreast {
	const struct gs_abreast_taker *taker;
	char           *memory;
	size_t          chunk_bytes;	/* of each operand, behind one another */
	struct operand  *operands;
	size_t          count;
	pthread_mutex_t lock;		/* guards the taker, and: */
	pthread_cond_t  changed;	/* a chunk was taken, or STOPPED */
	bool            stopped;
	struct gs_first_error error;
};

/* Each has a thread, and a share of the memory for chunks.  Not tuned. */
enum { MOST_OPERANDS = 256 };

bool
gs_abreast_is_wanted(const struct gsort *job)
{
	const struct gs_files *files = gs_input_files(job->files.input);
	size_t streams = 0;

	for (size_t f = 0; f < files->count; f++)
		streams += !files->list[f].regular && !files->list[f].spent;
	return job->options.set != GSORT_NO_SET && streams > 1 &&
	       files->count <= MOST_OPERANDS;
}

/* Hand a chunk on when it may be.  *ENDS: it is the last one, or nothing is wanted any more. */
static gs_status
hand_on(struct operand *operand, const struct gs_chunk *chunk, bool *ends)
{
	struct abreast *all = operand->all;
	const struct gs_abreast_taker *taker = all->taker;
	gs_status status = GS_OK;

	pthread_mutex_lock(&all->lock);
	while (!all->stopped && taker->ready != NULL && !taker->ready(taker->context, operand->number))
		pthread_cond_wait(&all->changed, &all->lock);
	*ends = all->stopped || chunk->ends;
	if (!all->stopped)
		status = taker->take(taker->context, operand->number, chunk);
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	return status;
}

static gs_status
read_chunks(struct operand *operand)
{
	struct abreast *all = operand->all;
	struct gs_chunk chunk = { .data = all->memory + operand->number * all->chunk_bytes, .begins = true };
	bool ends = !gs_input_next(operand->input);

	if (!ends && all->taker->begin != NULL)
		TRY(all->taker->begin(all->taker->context, operand->number, operand->input));
	for (; !ends; chunk.begins = false) {
		TRY(gs_input_read(operand->input, chunk.data, all->chunk_bytes, &chunk.bytes));
		chunk.name = gs_input_name(operand->input);
		chunk.ends = chunk.bytes < all->chunk_bytes;
		TRY(hand_on(operand, &chunk, &ends));
	}
	return GS_OK;
}

/* The first error stops all others. */
static gs_status
read_operand(void *context)
{
	struct operand *operand = context;
	struct abreast *all = operand->all;

	if (gs_first_error_note(&all->error, read_chunks(operand)))
		return GS_OK;
	pthread_mutex_lock(&all->lock);
	all->stopped = true;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	gs_input_stop(operand->input);		/* and with it all others */
	return GS_OK;
}

/* Where no thread can be started, the caller reads that input after its own. */
static void
read_all(struct abreast *all)
{
	for (size_t o = 1; o < all->count; o++)
		if (gs_thread_start(&all->operands[o].thread, read_operand, &all->operands[o]) != GS_OK)
			gs_thread_miss();
	(void)read_operand(&all->operands[0]);
	for (size_t o = 1; o < all->count; o++)
		if (all->operands[o].thread.runs)
			(void)gs_thread_join(&all->operands[o].thread);
		else
			(void)read_operand(&all->operands[o]);
}

static gs_status
open_operands(struct abreast *all, struct gs_input *input)
{
	TRY(GS_NEW(all->operands, all->count, "inputs"));
	for (size_t o = 0; o < all->count; o++) {
		all->operands[o].all = all;
		all->operands[o].number = o;
		TRY(gs_input_take_file(input, o, &all->operands[o].input));
	}
	return GS_OK;
}

/* Read all files of INPUT, in chunks of whole UNITs that are in MEMORY of ROOM bytes, at least one for each;
 * returns the first error. */
static gs_status
read_files(struct gs_input *input, char *memory, size_t room, size_t unit,
                const struct gs_abreast_taker *taker)
{
	const size_t count = gs_input_files(input)->count;
	struct abreast all = {
		.taker = taker, .memory = memory, .count = count, .chunk_bytes = room / count / unit * unit,
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
	};
	gs_status status = open_operands(&all, input);

	if (status == GS_OK) {
		gs_first_error_open(&all.error);
		read_all(&all);
		status = gs_first_error_close(&all.error);
	}
	for (size_t o = 0; all.operands != NULL && o < count; o++)
		gs_input_close(all.operands[o].input);
	free(all.operands);
	return status;
}

/* ---- records ------------------------------------------------------------------------- */

struct records {
	struct gs_record_ingest *ingest;
	struct gs_monitor       *monitor;
	struct gs_taker          taker;
	struct gs_abreast_file {
		uint64_t skipped, bytes;	/* header; behind it */
	} *files;
};

static gs_status
begin_records(void *context, size_t number, struct gs_input *input)
{
	struct records *records = context;

	return gs_record_ingest_header(records->ingest, input, number, &records->files[number].skipped);
}

static gs_status
take_records(void *context, size_t number, const struct gs_chunk *chunk)
{
	struct records *records = context;
	struct gs_record_ingest *ingest = records->ingest;
	struct gs_abreast_file *file = &records->files[number];
	const size_t each = ingest->record.bytes, bytes = chunk->bytes / each * each;
	const size_t piece = ingest->piece_records * each;
	size_t room;

	file->bytes += chunk->bytes;
	ingest->read.bytes += chunk->begins ? file->skipped : 0;
	gs_read_counts_add(&ingest->read, records->monitor, chunk->bytes, chunk->bytes / each);
	records->taker.origin = (unsigned)number;
	for (size_t at = 0, here; at < bytes; at += here) {
		here = bytes - at < piece ? bytes - at : piece;
		TRY(records->taker.reserve(records->taker.context, here, 1, &room));
		gs_taker_add_items(&records->taker, 0, gs_taker_next_sequence(&records->taker, 0, 1),
		                   chunk->data + at, here);
	}
	gs_taker_end_round(&records->taker);
	return !chunk->ends || file->bytes % each == 0 ? GS_OK
	       : gs_partial(ingest->options, chunk->name, file->skipped, file->bytes);
}

gs_status
gs_abreast_read_records(struct gsort *job, const struct gs_taker *taker)
{
	struct gs_record_ingest *ingest = &job->items.ingest;
	const size_t count = gs_input_files(job->files.input)->count, each = ingest->record.bytes;
	const size_t least = count * each, planned = ingest->threads * ingest->piece_records * each;
	const size_t room = planned < least ? least : planned;
	char *memory = ingest->pieces;
	struct records records = { .ingest = ingest, .monitor = &job->monitor, .taker = *taker };
	const struct gs_abreast_taker to = {
		.begin = begin_records, .take = take_records, .context = &records,
	};
	gs_status status = GS_NEW(records.files, count, "inputs");

	if (status == GS_OK && planned < least)
		status = gs_allocate(&memory, room, 1, "bytes of records");
	THEN(status, read_files(job->files.input, memory, room, each, &to));
	free(records.files);
	if (memory != ingest->pieces)
		free(memory);
	return status;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* Each file has its own ingest stage; they share the first header. */
struct lines {
	struct gs_line_ingest *ingests;
	size_t    count;
	size_t    lent;		/* for lines that have begun, of all */
	bool      headed;	/* the first header is complete */
	uint64_t  bytes;	/* of all */
};

static bool
is_ready(const void *context, size_t number)
{
	const struct lines *lines = context;

	return number == 0 || lines->headed;
}

static gs_status
take_lines(void *context, size_t number, const struct gs_chunk *chunk)
{
	struct lines *lines = context;
	struct gs_line_ingest *ingest = &lines->ingests[number];

	if (number > 0)
		ingest->header = lines->ingests[0].header;
	TRY(gs_line_ingest_chunk(ingest, chunk));
	lines->headed |= number == 0 && (ingest->header_left == 0 || chunk->ends);
	lines->bytes += chunk->bytes;
	atomic_store(&ingest->monitor->counters.bytes_in, lines->bytes);
	return GS_OK;
}

/* The ingest of the job is the first one: it has the header, and in the end the counts of all. */
gs_status
gs_abreast_read_lines(struct gsort *job, char *memory, size_t room)
{
	struct gs_line_ingest *first = &job->items.lines.ingest;
	const size_t count = gs_input_files(job->files.input)->count;
	struct lines lines = { .count = count };
	const struct gs_abreast_taker to = { .take = take_lines, .ready = is_ready, .context = &lines };
	gs_status status;

	TRY(GS_NEW(lines.ingests, count, "inputs"));
	first->input = NULL;		/* take no sample */
	for (size_t f = 0; f < count; f++) {
		lines.ingests[f] = *first;
		lines.ingests[f].taker.origin = (unsigned)f;
		lines.ingests[f].headed = f > 0;
		lines.ingests[f].long_bytes /= count;
		lines.ingests[f].lent_all = &lines.lent;
	}
	status = read_files(job->files.input, memory, room, 1, &to);
	for (size_t f = 1; f < count; f++) {
		lines.ingests[0].bytes += lines.ingests[f].bytes;
		lines.ingests[0].faults.invalid += lines.ingests[f].faults.invalid;
		lines.ingests[f].header = (struct gs_line_bytes){ .data = NULL };	/* of the first */
		gs_line_ingest_close(&lines.ingests[f]);
	}
	*first = lines.ingests[0];
	free(lines.ingests);
	return status;
}

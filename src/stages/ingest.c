// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.c - input to keys: read, decode, store
 *
 * In:   bytes of all inputs.
 * Out:  keys, as ordered bits, in the store; the header; counts.
 *
 * Binary keys: each thread of a team reads a piece, maps it to ordered bits and stores it while
 * it is in the thread's cache.  Threads claim pieces of a regular file and read them side by side;
 * they read anything else in turn.  One thread reads text ahead, and a team parses it; each thread
 * stores the keys that it found.
 *
 * A round reads at most as many keys as the store has room for.  Between two rounds the main thread
 * alone asks the store for room.
 *
 * With a GPU, a round is a file.  Threads read into staging buffers; the main thread lends and commits
 * them, one buffer ahead, so that nobody waits until a buffer is full to its last piece.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/team.h"
#include "format/key.h"
#include "format/raw.h"
#include "sort/checksum.h"
#include "stages/ingest.h"
#include "stages/order.h"
#include "stages/select.h"

/* Most bytes of a round: long enough that the meeting of the team costs nothing.  Not tuned. */
#define ROUND_BYTES	((size_t)512 << 20)

/*
 * Readers of a pipe take turns, so more of them only spread its bytes over more caches.
 * `cat in | gsort -u32 >out`, 1 GiB, 16 cores of a Xeon, median of 5: 6 threads 0.486 s, 16
 * threads 0.581 s; pieces of 512 KiB or 1 MiB instead of 256 KiB do not help (0.561, 0.569, with
 * 6 threads 0.541).
 */
enum { PIPE_READERS = 6 };

/* Readers that fill the staging buffers of a GPU, and of each of several.  pread() of a cached file to
 * pinned memory and on to an H200: 2 threads 17 GB/s, 4 28, 8 40, 16 44.  To two of them on 32 cores:
 * 16 threads 56 GB/s, all of them busy. */
enum { GPU_READERS = 8, GPUS_READERS = 12 };

/* Staging buffers that are read into at once, at most.  Not tuned. */
enum { FILLINGS = 4 };

/* Fewer bytes of keys are stored by one thread.  Not tuned. */
#define TEAM_BYTES	((size_t)128 << 10)

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
	ingest->text = (struct gs_text_options){
		.floats = options->type == GSORT_TEXT_FLOAT,
		.notation = options->notation,
		.reverse = options->reverse,
		.merge_zeros = gs_select_wants_groups(options),
		.terminator = options->zero_terminated ? '\0' : '\n',
		.invalid = options->invalid,
		.header_lines = options->header_lines,
		.warn = options->warn != NULL ? warn : NULL,
		.warn_context = ingest,
	};
}

void
gs_ingest_carve(struct gs_ingest *ingest, const struct gs_plan *plan, struct gs_arena *arena)
{
	ingest->plan = plan;
	ingest->piece_memory = gs_arena_take(arena, plan->threads * plan->piece_bytes);
	ingest->header = gs_arena_take(arena, ingest->key_bits > 0 ? ingest->options->skip_bytes : 0);
	if (ingest->key_bits > 0)
		return;
	ingest->chunk_memory = gs_arena_take(arena, GS_AHEAD_CHUNKS * plan->chunk_bytes);
	ingest->decoder_memory = gs_arena_take(arena, gs_text_decoder_bytes(plan->chunk_bytes,
	                                                                    plan->threads,
	                                                                    &ingest->text));
}

void
gs_ingest_open(struct gs_ingest *ingest, struct gs_input *input, struct gs_store *store,
               struct gs_verify *verify, struct gs_monitor *monitor)
{
	ingest->input = input;
	ingest->store = store;
	ingest->verify = verify;
	ingest->monitor = monitor;
	ingest->bytes = ingest->keys = ingest->invalid_lines = 0;
	ingest->header_bytes = 0;
	ingest->warnings = 0;
	if (ingest->key_bits > 0)
		return;
	ingest->decoder = gs_text_decoder_init(ingest->decoder_memory, ingest->plan->chunk_bytes,
	                                       ingest->plan->threads, &ingest->text);
	if (ingest->options->type == GSORT_TEXT)
		gs_text_count_into(ingest->decoder, store->histogram.bins);
}

/* ---- where keys go ------------------------------------------------------------ */

/* Does a GPU of this process get the keys as they are read? */
static bool
stages_keys(const struct gs_ingest *ingest)
{
	return gs_store_is_on_gpu(ingest->store) && ingest->taker.add == NULL;
}

static gs_status
reserve(struct gs_ingest *ingest, size_t least, size_t *room)
{
	return ingest->taker.add == NULL ? gs_store_reserve(ingest->store, least, room)
	       : ingest->taker.reserve(ingest->taker.context, least, room);
}

static uint64_t
next_sequence(struct gs_ingest *ingest, unsigned key_class, size_t count)
{
	return ingest->taker.add == NULL ? gs_store_next_sequence(ingest->store, key_class, count) : 0;
}

static void
add(struct gs_ingest *ingest, unsigned rank, unsigned key_class, uint64_t sequence, void *keys,
    size_t count)
{
	if (ingest->taker.add == NULL)
		gs_store_add(ingest->store, rank, key_class, sequence, keys, count);
	else
		ingest->taker.add(ingest->taker.context, rank, key_class, keys, count);
}

/* Count keys and bytes read, for statistics and progress. */
static void
count_in(struct gs_ingest *ingest, uint64_t bytes, uint64_t keys)
{
	struct gs_counters *counters = &ingest->monitor->counters;

	ingest->bytes += bytes;
	ingest->keys += keys;
	atomic_store(&counters->bytes_in, ingest->bytes);
	atomic_store(&counters->keys_in, ingest->keys);
}

/* ---- binary ------------------------------------------------------------------- */

/* Keep the header of the first input, drop those of the others. */
static gs_status
read_header(struct gs_ingest *ingest)
{
	const uint64_t bytes = ingest->options->skip_bytes;
	char dropped[1 << 16];
	const bool first = ingest->header_bytes == 0;

	TRY(gs_input_skip(ingest->input, bytes, first ? ingest->header : dropped,
	                  first ? (size_t)bytes : sizeof dropped));
	ingest->header_bytes = (size_t)bytes;
	ingest->bytes += bytes;
	return GS_OK;
}

/* A staging buffer that is being read into. */
struct filling {
	struct gs_staging staging;
	uint64_t sum;		/* of the keys in it */
	size_t   begin;		/* bytes that were in it */
	size_t   room, claimed;	/* bytes behind them, and those of them that pieces have */
	size_t   pieces, missing;	/* and those that are not there yet */
	uint32_t got[GS_PIECES_MOST];	/* bytes of each piece */
	bool     used;
};

/* A piece that a thread works on. */
struct piece {
	uint64_t sequence;
	char    *keys;		/* where it goes */
	struct filling *filling;	/* or NULL */
	size_t   at;		/* its number there */
	size_t   bytes;		/* read, or 0 */
	uint64_t sum;		/* of its keys, for verifying or for a GPU */
	struct gs_input_piece claimed;	/* still to be read; bytes 0: it is */
};

/* A file that a team reads. */
struct reading {
	struct gs_ingest     *ingest;
	struct gs_first_error error;
	pthread_mutex_t lock;		/* guards what follows, the input, and sums */
	bool            claims;		/* pieces can be claimed */
	bool            ended;
	uint64_t        file_bytes;	/* so far */
	size_t          left;		/* bytes of this round */

	/* with a GPU */
	pthread_cond_t  changed;
	struct filling *filling;	/* FILLINGS; NULL: on the CPU */
	size_t          fillings;	/* at once, at most */
	size_t          used, current;	/* how many are in use; the one that is read into */
};

/* The next piece of at most WANT bytes, at piece->keys: it is read, or else claimed; with the
 * lock.  False: there is none. */
static bool
claim_piece(struct reading *reading, struct piece *piece, size_t want)
{
	struct gs_ingest *ingest = reading->ingest;
	uint64_t since;
	gs_status status;

	piece->bytes = piece->claimed.bytes = 0;
	if (reading->claims) {
		gs_input_claim(ingest->input, want, &piece->claimed);
		reading->claims = piece->claimed.bytes > 0;
	}
	if (reading->claims)
		return true;
	since = gs_clock_now();		/* waiting for the lock is idle time, reading is not */
	status = gs_input_read(ingest->input, piece->keys, want, &piece->bytes);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_READ, &since);
	if (!gs_first_error_note(&reading->error, status))
		return false;
	reading->ended = piece->bytes < want;
	return piece->bytes > 0;
}

/* The next piece of a round on the CPU; with the lock. */
static bool
next_piece(struct reading *reading, struct piece *piece)
{
	struct gs_ingest *ingest = reading->ingest;
	const size_t most = ingest->plan->piece_bytes;

	if (reading->left == 0 || reading->ended || atomic_load(&reading->error.any) ||
	    !claim_piece(reading, piece, most < reading->left ? most : reading->left))
		return false;
	reading->left -= piece->claimed.bytes + piece->bytes;
	if (!ingest->plan->by_counting)
		piece->sequence = next_sequence(ingest, 0, 1);
	return true;
}

/* Read what was claimed, map keys to ordered bits, and store them. */
static bool
store_piece(struct reading *reading, unsigned rank, struct piece *piece)
{
	struct gs_ingest *ingest = reading->ingest;
	const struct gsort_options *options = ingest->options;
	struct gs_clock *clock = &ingest->monitor->clock;
	uint64_t since = gs_clock_now();
	size_t count;

	if (piece->claimed.bytes > 0 &&
	    !gs_first_error_note(&reading->error,
	                         gs_input_read_piece(ingest->input, &piece->claimed, piece->keys,
	                                             &piece->bytes)))
		return false;
	gs_clock_lap(clock, GS_STAGE_READ, &since);
	count = piece->bytes / (ingest->key_bits / 8);
	gs_raw_to_ordered(options->type, options->endian, options->reverse, piece->keys, count, 1);
	gs_clock_lap(clock, GS_STAGE_DECODE, &since);
	if (piece->filling != NULL) {
		piece->sum = gs_checksum(1, 0, ingest->key_bits, piece->keys, count, false).sum;
		gs_extremes_note(&ingest->store->extremes, rank, 0, ingest->key_bits, piece->keys,
		                 count);
		gs_clock_lap(clock, GS_STAGE_DECODE, &since);
		return true;
	}
	piece->sum = gs_verify_sum(ingest->verify, 0, ingest->key_bits, piece->keys, count);
	add(ingest, rank, 0, piece->sequence, piece->keys, count);
	gs_clock_lap(clock, GS_STAGE_SORT, &since);
	return true;
}

/* A piece is done; with the lock. */
static void
note_piece(struct reading *reading, const struct piece *piece)
{
	const uint64_t keys = piece->bytes / (reading->ingest->key_bits / 8);

	reading->file_bytes += piece->bytes;
	gs_verify_note_in(reading->ingest->verify, keys, piece->sum);
	count_in(reading->ingest, piece->bytes, keys);
}

static void
read_round(void *context, unsigned rank, unsigned size)
{
	struct reading *reading = context;
	const struct gs_ingest *ingest = reading->ingest;
	struct piece piece = { .keys = ingest->piece_memory + rank * ingest->plan->piece_bytes };
	bool goes_on = true;

	(void)size;
	pthread_mutex_lock(&reading->lock);
	while (goes_on && next_piece(reading, &piece)) {
		pthread_mutex_unlock(&reading->lock);
		piece.sum = 0;
		goes_on = store_piece(reading, rank, &piece);
		pthread_mutex_lock(&reading->lock);
		note_piece(reading, &piece);
	}
	pthread_mutex_unlock(&reading->lock);
}

/* Read BYTES, or less if the file ends, with at most THREADS threads. */
static gs_status
run_round(struct reading *reading, size_t bytes, unsigned threads)
{
	reading->left = bytes - bytes % (reading->ingest->key_bits / 8);
	gs_first_error_open(&reading->error);
	if (!reading->claims && threads > PIPE_READERS)
		threads = PIPE_READERS;
	gs_team_run(threads, read_round, reading);
	return gs_first_error_close(&reading->error);
}

/* On the CPU.  The first round reads one piece: a small input needs no other thread. */
static gs_status
fill_store(struct reading *reading, bool first)
{
	struct gs_ingest *ingest = reading->ingest;
	const struct gs_plan *plan = ingest->plan;
	const size_t most = first ? plan->piece_bytes :
	                    plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES : ROUND_BYTES;
	size_t room;

	TRY(reserve(ingest, plan->piece_bytes, &room));
	TRY(run_round(reading, room < most ? room : most, first ? 1 : plan->threads));
	gs_store_end_round(ingest->store);
	return GS_OK;
}

/* ---- binary, with a GPU ---------------------------------------------------------- */

static size_t
key_bytes(const struct reading *reading)
{
	return reading->ingest->key_bits / 8;
}

/* Close the gaps behind pieces that are short because the file was truncated meanwhile. */
static size_t
compact(const struct filling *filling, size_t piece_bytes)
{
	char *to = (char *)filling->staging.keys + filling->begin;
	size_t bytes = 0;

	for (size_t p = 0; p < filling->pieces; p++) {
		if (bytes < p * piece_bytes)
			memmove(to + bytes, to + p * piece_bytes, filling->got[p]);
		bytes += filling->got[p];
	}
	return bytes;
}

/* If the GPU fails, everything is read again: can the recorder keep the next BYTES? */
static gs_status
check_copy(const struct gs_ingest *ingest, size_t bytes)
{
	if (bytes <= gs_input_record_room(ingest->input))
		return GS_OK;
	return gs_fail(GS_ENOCOPY, "the input is too large to be kept in memory, in case the GPU fails");
}

/* Bytes that may still be read into the fillings; with the lock. */
static size_t
room_left(const struct reading *reading)
{
	size_t bytes = 0;

	for (size_t f = 0; f < FILLINGS; f++)
		if (reading->filling[f].used)
			bytes += reading->filling[f].room - reading->filling[f].claimed;
	return bytes;
}

/* Lend one more staging buffer, into which FILLING reads; rank 0.  Without the lock, but at the
 * end. */
static gs_status
lend_filling(struct reading *reading, struct filling *filling)
{
	struct gs_ingest *ingest = reading->ingest;
	const size_t piece_bytes = ingest->plan->piece_bytes;
	gs_status status;

	filling->claimed = filling->pieces = filling->missing = 0;
	TRY(gs_store_take_staging(ingest->store, 0, reading->used > 0, &filling->staging,
	                          &filling->sum));
	filling->begin = filling->staging.count * key_bytes(reading);
	filling->room = filling->staging.room * key_bytes(reading) - filling->begin;
	assert(filling->room <= GS_PIECES_MOST * piece_bytes);
	if (filling->room == 0)		/* the fillings that are in use come first */
		return GS_OK;
	pthread_mutex_lock(&reading->lock);
	status = check_copy(ingest, room_left(reading) + filling->room);
	filling->used = true;
	reading->used++;
	pthread_cond_broadcast(&reading->changed);
	pthread_mutex_unlock(&reading->lock);
	return status;
}

/* All pieces are there: give the staging buffer back; rank 0. */
static gs_status
end_filling(struct reading *reading, struct filling *filling)
{
	const size_t bytes = compact(filling, reading->ingest->plan->piece_bytes);

	filling->staging.count += bytes / key_bytes(reading);
	return gs_store_give_staging(reading->ingest->store, &filling->staging, filling->sum);
}

/* No more pieces will come. */
static bool
stops(const struct reading *reading)
{
	return reading->ended || atomic_load(&reading->error.any);
}

/* A filling whose keys are all there, in the order of the file; or NULL.  With the lock. */
static struct filling *
find_filled(struct reading *reading)
{
	for (size_t i = 0; i < FILLINGS; i++) {
		struct filling *filling = &reading->filling[(reading->current + 1 + i) % FILLINGS];

		if (filling->used && filling->missing == 0 &&
		    (filling->claimed == filling->room || stops(reading)))
			return filling;
	}
	return NULL;
}

/* The filling that the next piece goes to; or NULL.  With the lock. */
static struct filling *
find_room(struct reading *reading)
{
	for (size_t i = 0; i < FILLINGS; i++) {
		const size_t f = (reading->current + i) % FILLINGS;
		struct filling *filling = &reading->filling[f];

		if (!filling->used || filling->claimed == filling->room)
			continue;
		reading->current = f;
		return filling;
	}
	return NULL;
}

/* Read one piece into FILLING; with the lock, but meanwhile. */
static void
fill(struct reading *reading, unsigned rank, struct filling *filling)
{
	const size_t most = reading->ingest->plan->piece_bytes;
	const size_t left = filling->room - filling->claimed;
	struct piece piece = { .filling = filling, .at = filling->pieces };

	piece.keys = (char *)filling->staging.keys + filling->begin + filling->claimed;
	if (!claim_piece(reading, &piece, left < most ? left : most)) {
		pthread_cond_broadcast(&reading->changed);
		return;
	}
	filling->claimed += left < most ? left : most;
	filling->got[filling->pieces++] = 0;
	filling->missing++;
	pthread_mutex_unlock(&reading->lock);
	(void)store_piece(reading, rank, &piece);
	pthread_mutex_lock(&reading->lock);
	note_piece(reading, &piece);
	filling->got[piece.at] = (uint32_t)piece.bytes;
	filling->sum += piece.sum;
	if (--filling->missing == 0)
		pthread_cond_broadcast(&reading->changed);
}

/* What rank 0 does for the others: lend a buffer, or give one back.  False: nothing is to be done.
 * With the lock, but meanwhile. */
static bool
serve(struct reading *reading)
{
	struct filling *filled = find_filled(reading);
	const bool wants = !stops(reading) && reading->used < reading->fillings;
	struct filling *free = reading->filling;
	gs_status status;

	if (filled == NULL && !wants)
		return false;
	while (free < &reading->filling[FILLINGS - 1] && free->used)
		free++;
	pthread_mutex_unlock(&reading->lock);
	status = filled != NULL ? end_filling(reading, filled) : lend_filling(reading, free);
	gs_first_error_note(&reading->error, status);
	pthread_mutex_lock(&reading->lock);
	if (filled != NULL) {
		filled->used = false;
		reading->used--;
	}
	return filled != NULL || free->used;
}

static void
fill_buffers(void *context, unsigned rank, unsigned size)
{
	struct reading *reading = context;

	(void)size;
	pthread_mutex_lock(&reading->lock);
	for (;;) {
		struct filling *filling;

		if (rank == 0 && serve(reading))
			continue;
		filling = stops(reading) ? NULL : find_room(reading);
		if (filling != NULL)
			fill(reading, rank, filling);
		else if (stops(reading) && (rank > 0 || reading->used == 0 ||
		                            atomic_load(&reading->error.any)))
			break;
		else
			pthread_cond_wait(&reading->changed, &reading->lock);
	}
	pthread_cond_broadcast(&reading->changed);
	pthread_mutex_unlock(&reading->lock);
}

/* They need no memory of their own, so there may be more of them than the plan has threads. */
static unsigned
gpu_readers(const struct gs_ingest *ingest)
{
	const struct gs_plan_input *input = ingest->store->plan_input;
	const unsigned gpus = input->gpu_count, threads = ingest->plan->threads;
	const unsigned most = input->threads == 0 && gpus > 1 && input->cores > threads ? input->cores
	                                                                                : threads;
	const unsigned wanted = gpus > 1 ? gpus * GPUS_READERS : GPU_READERS;

	return most < wanted ? most : wanted;
}

/* Read the whole file into staging buffers. */
static gs_status
fill_gpu(struct reading *reading)
{
	struct gs_ingest *ingest = reading->ingest;
	struct filling filling[FILLINGS];
	unsigned threads;

	for (size_t f = 0; f < FILLINGS; f++)
		filling[f].used = false;
	reading->filling = filling;
	reading->used = reading->current = 0;
	reading->fillings = ingest->plan->ring_buffers / 2 < FILLINGS
	                    ? ingest->plan->ring_buffers / 2 : FILLINGS;
	threads = gpu_readers(ingest);
	if (!reading->claims && threads > PIPE_READERS)
		threads = PIPE_READERS;
	pthread_cond_init(&reading->changed, NULL);
	gs_first_error_open(&reading->error);
	gs_team_run(threads, fill_buffers, reading);
	pthread_cond_destroy(&reading->changed);
	return gs_first_error_close(&reading->error);
}

static gs_status
ingest_raw_file(struct gs_ingest *ingest)
{
	const bool gpu = stages_keys(ingest);
	struct reading reading = { .ingest = ingest };
	gs_status status = gs_input_claims(ingest->input, &reading.claims);

	pthread_mutex_init(&reading.lock, NULL);
	for (bool first = true; status == GS_OK && !reading.ended; first = false)
		status = gpu ? fill_gpu(&reading) : fill_store(&reading, first);
	pthread_mutex_destroy(&reading.lock);
	TRY(status);
	return reading.file_bytes % (ingest->key_bits / 8) == 0 ? GS_OK
	       : gs_order_partial(ingest->options, gs_input_name(ingest->input), reading.file_bytes);
}

static gs_status
ingest_raw(struct gs_ingest *ingest)
{
	while (gs_input_next(ingest->input)) {
		if (gs_input_start(ingest->input) == 0)
			TRY(read_header(ingest));
		TRY(ingest_raw_file(ingest));
	}
	return GS_OK;
}

/* ---- text ------------------------------------------------------------------------ */

/* Move the keys of the last chunk to a GPU's staging buffers. */
static gs_status
stage_chunk(struct gs_ingest *ingest)
{
	struct gs_text_decoder *decoder = ingest->decoder;

	TRY(check_copy(ingest, (GS_AHEAD_CHUNKS + 1) * ingest->plan->chunk_bytes));
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
		add(ingest, rank, c, storing->sequence[c] + section, keys, count);
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
	TRY(reserve(ingest, bytes, &room));
	if (bytes == 0)
		return GS_OK;
	for (unsigned c = 0; c < GS_CLASSES; c++)
		storing.sequence[c] = next_sequence(ingest, c, sections);
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
	count_in(ingest, chunk->bytes, gs_text_lines(ingest->decoder) - ingest->keys);
	gs_ahead_give(&ingest->ahead, chunk);
	return stages_keys(ingest) ? stage_chunk(ingest) : store_chunk(ingest);
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

static gs_status
ingest_text(struct gs_ingest *ingest)
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

/* ---- either ------------------------------------------------------------------------ */

gs_status
gs_ingest_run(struct gs_ingest *ingest)
{
	return ingest->key_bits == 0 ? ingest_text(ingest) : ingest_raw(ingest);
}

const char *
gs_ingest_header(const struct gs_ingest *ingest, size_t *bytes)
{
	*bytes = ingest->header_bytes;
	if (ingest->decoder != NULL && ingest->options->header_lines > 0)
		return gs_text_header(ingest->decoder, bytes);
	return ingest->header;
}

void
gs_ingest_close(struct gs_ingest *ingest)
{
	gs_ahead_close(&ingest->ahead);
	if (ingest->warnings > ingest->warned)
		ingest->warned = ingest->warnings;
}

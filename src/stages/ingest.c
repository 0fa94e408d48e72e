// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.c - input to keys: the first half of a job
 *
 * Binary keys: each thread of a team reads a piece, while another one reads the next, and
 * maps and adds it to the buckets while it is in the cache.  Of a regular file pieces are
 * claimed, and read side by side; of anything else they are read in turn.  Text is read
 * ahead by a thread, parsed by a team, and each thread adds the keys that it found.
 *
 * That goes on in rounds, of which each surely fits memory.  Between two of them the
 * main thread alone looks at what has come: whether keys must be set aside, or a GPU has
 * taken over.  From then on keys are put into its tiles.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "format/key.h"
#include "job/job.h"

/*
 * A round.  Long enough that a team that meets costs nothing; short enough that a GPU, if one
 * may come, does not wait, and that of a head, whose keys are forgotten between rounds, little
 * is held.  Not tuned.
 */
#define ROUND_BYTES		((size_t)512 << 20)
#define GPU_ROUND_BYTES		((size_t)64 << 20)
#define HEAD_ROUND_BYTES	((size_t)4 << 20)

/*
 * Readers of a pipe take turns, so more of them only go further for its bytes.  `cat in |
 * gsort -u32 >out`, 1 GiB, 16 cores of a Xeon, median of 5: 6 threads 0.486 s, 16 threads
 * 0.581 s; pieces of 512 KiB or 1 MiB instead of 256 KiB do not help (0.561, 0.569, with 6
 * threads 0.541).
 */
enum { PIPE_READERS = 6 };

/* Fewer bytes of keys are added by one thread.  Not tuned. */
#define TEAM_BYTES		((size_t)128 << 10)

/* ---- rounds --------------------------------------------------------------- */

/* What one thread has of a piece, until the others may know. */
struct taken {
	uint64_t place;		/* of the piece */
	size_t   bytes;		/* read, or 0 */
	uint64_t keys, kept;	/* that came, that were not dropped at once */
	uint64_t sum;		/* for verifying */
};

/* COUNT keys of STREAM are at KEYS, as ordered bits. */
static void
hold(struct gsort *job, unsigned rank, unsigned key_class, void *keys, size_t count,
     struct taken *taken)
{
	const unsigned bits = job->plan.counts ? job->facts.key_bits : job->plan.class_bits[key_class];

	taken->sum += gs_verify_sum(&job->verify, key_class, bits, keys, count);
	taken->keys += count;
	if (job->plan.counts) {
		gs_count_add(&job->small, rank, keys, count);
		return;
	}
	if (job->plan.head_keys > 0)
		count = gs_head_filter(job, key_class, keys, count);
	taken->kept += count;
	gs_batch_add(&job->batch, rank, key_class, taken->place, keys, count);
}

/* Note what has come, for statistics and whoever watches. */
static void
count_in(struct gsort *job, size_t bytes, uint64_t keys)
{
	job->stats.bytes_in += bytes;
	job->stats.keys += keys;
	atomic_store(&job->monitor.counters.bytes_in, job->stats.bytes_in);
	atomic_store(&job->monitor.counters.keys_in, job->stats.keys);
}

/* ---- binary ------------------------------------------------------------- */

gs_status
gs_fill_header(struct gsort *job)
{
	const uint64_t bytes = job->options->skip_bytes;
	const bool first = job->header_bytes == 0;	/* more is an error, so 0 is: none yet */
	char dropped[1 << 16];
	uint64_t passed = 0;

	while (passed < bytes) {
		const uint64_t left = bytes - passed;
		const size_t want = first || left < sizeof dropped ? (size_t)left : sizeof dropped;
		size_t got;

		TRY(gs_input_read(job->input, first ? job->header + passed : dropped, want, &got));
		passed += got;
		if (got < want)
			return gs_fail(GS_EINPUT, "%s: has only %llu of the %llu bytes to be skipped",
			               gs_input_name(job->input), (unsigned long long)passed,
			               (unsigned long long)bytes);
	}
	job->header_bytes = (size_t)bytes;
	job->stats.bytes_in += bytes;
	return GS_OK;
}

/* The file ended FILE_BYTES behind its header: must have been whole keys. */
static gs_status
check_whole(struct gsort *job, uint64_t file_bytes)
{
	const unsigned long long skipped = job->options->skip_bytes;
	char name[1024];

	if (file_bytes % (job->facts.key_bits / 8) == 0)
		return GS_OK;
	if (skipped == 0)
		return gs_raw_partial(job->options->type, gs_input_name(job->input), file_bytes);
	snprintf(name, sizeof name, "%s: behind %llu skipped", gs_input_name(job->input), skipped);
	return gs_raw_partial(job->options->type, name, file_bytes);
}

/* A file that is being read, by all. */
struct reading {
	struct gsort     *job;
	struct gs_first_error trouble;
	pthread_mutex_t   lock;		/* guards what follows, the input, and the job's sums */
	bool              claims;	/* pieces can be claimed */
	bool              ended;
	uint64_t          file_bytes;	/* so far */
	size_t            left;		/* bytes of this round */
};

/* The keys of a piece have been taken; with the lock. */
static void
note(struct reading *reading, const struct taken *taken)
{
	struct gsort *job = reading->job;

	reading->file_bytes += taken->bytes;
	job->landed_bytes += taken->bytes;
	job->head.held += taken->kept;
	gs_verify_note_in(&job->verify, taken->keys, taken->sum);
	count_in(job, taken->bytes, taken->keys);
}

/* The next piece: it is read, or else CLAIMED; with the lock.  False: there is none. */
static bool
next_piece(struct reading *reading, void *into, size_t *got, struct gs_input_piece *claimed)
{
	struct gsort *job = reading->job;
	const size_t want = job->plan.piece_bytes < reading->left ? job->plan.piece_bytes
	                                                           : reading->left;
	uint64_t since;
	gs_status status;

	*got = claimed->bytes = 0;
	if (want == 0 || reading->ended || atomic_load(&reading->trouble.any))
		return false;
	if (reading->claims) {
		gs_input_claim(job->input, want, claimed);
		reading->left -= claimed->bytes;
		reading->claims = claimed->bytes > 0;
		if (reading->claims)
			return true;
	}
	since = gs_clock_now();		/* who waits for the lock is idle, who reads is not */
	status = gs_input_read(job->input, into, want, got);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_READ, &since);
	if (!gs_first_error_note(&reading->trouble, status))
		return false;
	reading->left -= *got;
	reading->ended = *got < want;
	return *got > 0;
}

/* Read what was claimed, map keys, and hold them. */
static bool
take_piece(struct reading *reading, unsigned rank, void *keys, size_t got,
           const struct gs_input_piece *claimed, struct taken *taken)
{
	struct gsort *job = reading->job;
	const struct gsort_options *options = job->options;
	uint64_t since = gs_clock_now();

	if (claimed->bytes > 0 &&
	    !gs_first_error_note(&reading->trouble,
	                     gs_input_read_piece(job->input, claimed, keys, &got)))
		return false;
	gs_clock_lap(&job->monitor.clock, GS_STAGE_READ, &since);
	taken->bytes = got;
	got /= job->facts.key_bits / 8;
	gs_raw_to_ordered(options->type, options->endian, options->reverse, keys, got, 1);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
	hold(job, rank, 0, keys, got, taken);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
	return true;
}

static void
read_round(void *context, unsigned rank, unsigned size)
{
	struct reading *reading = context;
	struct gsort *job = reading->job;
	char *keys = job->piece_memory + rank * job->plan.piece_bytes;
	struct gs_input_piece claimed;
	bool goes_on = true;
	size_t got;

	(void)size;
	pthread_mutex_lock(&reading->lock);
	while (goes_on && next_piece(reading, keys, &got, &claimed)) {
		struct taken taken = { .place = job->batch.sequences[0]++ };

		pthread_mutex_unlock(&reading->lock);
		goes_on = take_piece(reading, rank, keys, got, &claimed, &taken);
		pthread_mutex_lock(&reading->lock);
		note(reading, &taken);
	}
	pthread_mutex_unlock(&reading->lock);
}

/* One piece first: often that is all, and nobody else has to be woken. */
static gs_status
fill_round(struct reading *reading, bool first, size_t room)
{
	struct gsort *job = reading->job;
	unsigned threads = job->plan.threads;
	const size_t most = first ? job->plan.piece_bytes :
	                    job->plan.head_keys > 0 ? HEAD_ROUND_BYTES :
	                    job->plan.gpu_from_bytes != GS_NEVER ? GPU_ROUND_BYTES : ROUND_BYTES;

	reading->left = room < most ? room - room % (job->facts.key_bits / 8) : most;
	gs_first_error_open(&reading->trouble);
	if (first)
		threads = 1;
	else if (!reading->claims && threads > PIPE_READERS)
		threads = PIPE_READERS;
	gs_team_run(threads, read_round, reading);
	if (job->plan.counts)
		gs_count_sum(&job->small);
	return gs_first_error_close(&reading->trouble);
}

/* The rest of a tile. */
static gs_status
fill_tile(struct reading *reading)
{
	struct gsort *job = reading->job;
	const size_t key_bytes = job->facts.key_bits / 8;
	struct gs_staging *tile = &job->tiles[0];
	struct taken taken = { .place = 0 };
	uint64_t since;
	size_t want;
	char *to;

	TRY(gs_land_tile(job, 0));
	since = gs_clock_now();
	want = (tile->room - tile->count) * key_bytes;
	to = (char *)tile->keys + tile->count * key_bytes;
	TRY(gs_input_read(job->input, to, want, &taken.bytes));
	gs_clock_lap(&job->monitor.clock, GS_STAGE_READ, &since);
	reading->ended = taken.bytes < want;
	taken.keys = taken.bytes / key_bytes;
	gs_raw_to_ordered(job->options->type, job->options->endian, job->options->reverse, to,
	                  (size_t)taken.keys, job->plan.threads);
	gs_verify_in(&job->verify, 0, job->facts.key_bits, to, (size_t)taken.keys);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
	note(reading, &(struct taken){ .bytes = taken.bytes, .keys = 0 });
	count_in(job, 0, taken.keys);
	return gs_land_took(job, 0, (size_t)taken.keys);
}

static gs_status
fill_raw_file(struct gsort *job)
{
	struct reading reading = { .job = job };
	gs_status status = gs_input_claims(job->input, &reading.claims);
	bool first = true;
	size_t room = SIZE_MAX;

	pthread_mutex_init(&reading.lock, NULL);
	for (; status == GS_OK && !reading.ended; first = false) {
		if (!job->plan.counts)
			status = gs_land_room(job, job->plan.piece_bytes, &room);
		if (status == GS_OK)
			status = job->gpu != NULL ? fill_tile(&reading)
			                          : fill_round(&reading, first, room);
	}
	pthread_mutex_destroy(&reading.lock);
	TRY(status);
	return check_whole(job, reading.file_bytes);
}

static gs_status
fill_raw(struct gsort *job)
{
	while (gs_input_next(job->input)) {
		TRY(gs_fill_header(job));
		TRY(fill_raw_file(job));
	}
	return GS_OK;
}

/* ---- text --------------------------------------------------------------- */

/* Move the keys of the last chunk to the tiles of their streams. */
static gs_status
feed_chunk(struct gsort *job)
{
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		struct gs_staging *tile = &job->tiles[s];
		uint64_t since;
		size_t count;
		char *to;

		while (gs_text_left(job->decoder, (enum gs_text_class)s) > 0) {
			TRY(gs_land_tile(job, s));
			since = gs_clock_now();
			to = (char *)tile->keys + tile->count * (tile->key_bits / 8);
			count = gs_text_fetch(job->decoder, (enum gs_text_class)s, to,
			                      tile->room - tile->count);
			gs_verify_in(&job->verify, s, tile->key_bits, to, count);
			gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
			TRY(gs_land_took(job, s, count));
		}
	}
	return GS_OK;
}

/* A chunk whose keys are taken by all. */
struct holding {
	struct gsort   *job;
	pthread_mutex_t lock;
	struct taken    all;
};

static void
hold_section(struct gsort *job, unsigned rank, unsigned section, struct taken *taken)
{
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (job->batch.buckets[s] != NULL) {
			size_t count;
			void *keys = gs_text_keys(job->decoder, section, (enum gs_text_class)s, &count);

			taken->place = job->batch.sequences[s] + section;
			hold(job, rank, s, keys, count, taken);
		}
}

/* Each thread the sections that it has parsed: perhaps their keys are still in its cache. */
static void
hold_sections(void *context, unsigned rank, unsigned size)
{
	struct holding *holding = context;
	struct taken taken = { .keys = 0 };

	for (unsigned n = rank; n < gs_text_sections(holding->job->decoder); n += size)
		hold_section(holding->job, rank, n, &taken);
	pthread_mutex_lock(&holding->lock);
	holding->all.keys += taken.keys;
	holding->all.kept += taken.kept;
	holding->all.sum += taken.sum;
	pthread_mutex_unlock(&holding->lock);
}

/* The keys of the last chunk go where keys are held. */
static gs_status
hold_chunk(struct gsort *job)
{
	struct holding holding = { .job = job, .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t bytes = 0, room;
	uint64_t since;

	for (unsigned s = 0; s < GS_CLASSES; s++)
		bytes += gs_text_left(job->decoder, (enum gs_text_class)s) *
		         (job->plan.class_bits[s] / 8);
	TRY(gs_land_room(job, bytes, &room));
	job->landed_bytes += bytes;
	if (job->gpu != NULL)
		return feed_chunk(job);
	if (bytes == 0)
		return GS_OK;
	since = gs_clock_now();
	gs_team_run(bytes < TEAM_BYTES ? 1 : job->plan.threads, hold_sections, &holding);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
	for (unsigned s = 0; s < GS_CLASSES; s++)
		job->batch.sequences[s] += gs_text_sections(job->decoder);
	job->head.held += holding.all.kept;
	gs_verify_note_in(&job->verify, holding.all.keys, holding.all.sum);
	return GS_OK;
}

static gs_status
fill_text(struct gsort *job)
{
	struct gs_chunk *chunk;
	uint64_t since;

	gs_ahead_open(&job->ahead, job->input, job->chunk_memory, job->plan.chunk_bytes);
	job->ahead.clock = &job->monitor.clock;
	for (;;) {
		TRY(gs_ahead_take(&job->ahead, &chunk));
		if (chunk == NULL)
			break;
		since = gs_clock_now();
		if (chunk->begins)
			gs_text_begin_file(job->decoder, chunk->name);
		TRY(gs_text_decode(job->decoder, chunk->data, chunk->bytes, chunk->ends));
		gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
		count_in(job, chunk->bytes, gs_text_lines(job->decoder) - job->stats.keys);
		gs_ahead_give(&job->ahead, chunk);
		TRY(hold_chunk(job));
	}
	since = gs_clock_now();
	job->small.touched = gs_text_fetch_small(job->decoder, job->small.bins);
	gs_text_end(job->decoder);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
	gs_verify_in_counts(&job->verify, &job->small, job->options->reverse ? UINT32_MAX : 0);
	job->stats.keys = gs_text_lines(job->decoder);
	job->stats.invalid_lines = gs_text_invalid(job->decoder);
	return GS_OK;
}

gs_status
gs_fill(struct gsort *job)
{
	TRY(job->facts.key_bits == 0 ? fill_text(job) : fill_raw(job));
	TRY(gs_device_settle(job));
	return job->gpu != NULL ? gs_land_flush(job) : GS_OK;
}

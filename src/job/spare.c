// SPDX-License-Identifier: BSD-2-Clause
/*
 * spare.c - a copy of the keys that only a GPU has: it may fail
 *
 * In:   tiles on their way to a GPU.
 * Out:  when a call of it fails: all of its keys in the CPU's batch, and no GPU any more.
 *
 * With --device=auto every tile is copied to host memory before it crosses the bus.  When the
 * batch has been set aside whole, or is written, the copy is forgotten.  So a GPU may fail at
 * any moment, and nothing is read twice: a pipe has been read, and a file may have changed.
 * What it had given back by then was proved (gpu/backend_cuda.c), and is the first of the
 * batch in order; so the CPU sorts all of it again, and passes over as many.
 *
 * With --device=gpu there is no copy, and a GPU that fails is the end.
 *
 * Invariant: what is in the spare, in tiles, in the batch and in runs is all that has landed;
 * of a batch that is being drained, the first GONE keys of each key class have gone on.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "job/job.h"

/* The copy is a log: this, keys, this, keys. */
struct entry {
	_Alignas(64) size_t count;
	unsigned key_class;
};

/* What one thread copies, or adds to the buckets, at a time.  Not tuned. */
enum { PIECE_BYTES = 256 << 10 };

/* ---- while all is well ------------------------------------------------------- */

bool
gs_spare_has_room(const struct gsort *job)
{
	const size_t tile_bytes = sizeof(struct entry) + job->plan.tile_bytes;
	size_t bytes = job->spare.bytes + job->keep.bytes + tile_bytes;

	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (job->tiles[s].keys != NULL)
			bytes += tile_bytes;
	return job->plan.spare_bytes == 0 || bytes <= job->plan.spare_bytes;
}

/* Room for COUNT keys of STREAM behind all others. */
static void *
append(struct gsort *job, unsigned key_class, size_t count)
{
	struct entry *entry = (struct entry *)(job->spare.memory + job->spare.bytes);

	job->spare.bytes += (count * (job->plan.class_bits[key_class] / 8) + 63) / 64 * 64 +
	                    sizeof *entry;
	assert(job->spare.bytes <= job->plan.spare_bytes);
	*entry = (struct entry){ .count = count, .key_class = key_class };
	return entry + 1;
}

static void
copy_piece(void *context, size_t piece)
{
	const struct gs_copy *copy = context;
	const size_t at = piece * PIECE_BYTES, left = copy->bytes - at;

	memcpy(copy->to + at, copy->from + at, left < PIECE_BYTES ? left : PIECE_BYTES);
}

static gs_status
copy_all(void *context)
{
	struct gs_copy *copy = context;

	gs_team_each(copy->threads, (copy->bytes + PIECE_BYTES - 1) / PIECE_BYTES, copy_piece, copy);
	return GS_OK;
}

void
gs_spare_copy(const struct gsort *job, void *to, const void *from, size_t bytes)
{
	struct gs_copy copy = { to, from, bytes, job->plan.threads };

	(void)!copy_all(&copy);
}

void
gs_spare_wait(struct gsort *job)
{
	(void)!gs_thread_join(&job->spare.copier);	/* it has no trouble to tell */
}

void
gs_spare_release(struct gsort *job, const void *keys)
{
	if (job->spare.copy.from == keys)
		gs_spare_wait(job);
}

void
gs_spare_keep(struct gsort *job, const struct gs_staging *tile)
{
	struct gs_copy *copy = &job->spare.copy;

	if (job->plan.spare_bytes == 0 || tile->count == 0)
		return;
	gs_spare_wait(job);
	*copy = (struct gs_copy){
		append(job, tile->key_class, tile->count), tile->keys,
		tile->count * (tile->key_bits / 8), job->plan.threads,
	};
	if (gs_thread_start(&job->spare.copier, copy_all, copy) != GS_OK)
		(void)!copy_all(copy);
}

void
gs_spare_forget(struct gsort *job)
{
	gs_spare_wait(job);
	gs_arena_forget(job->spare.memory, job->spare.bytes);
	job->spare.bytes = 0;
	memset(job->spare.gone, 0, sizeof job->spare.gone);
}

/* ---- when it is not ------------------------------------------------------------ */

/* Tiles that were being filled; and what a hand-over has left in the buckets. */
static void
append_rest(struct gsort *job)
{
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		const uint64_t left = gs_batch_count(&job->batch, s);

		assert(left == 0 || job->spare.gone[s] == 0);	/* no batch ends during a hand-over */
		if (job->tiles[s].keys != NULL)
			gs_spare_keep(job, &job->tiles[s]);
		job->tiles[s] = (struct gs_staging){ .keys = NULL };
		if (left > 0)
			(void)gs_buckets_take(job->batch.buckets[s], append(job, s, (size_t)left),
			                      (size_t)left);
	}
	gs_batch_reset(&job->batch);
}

struct adding {
	struct gs_batch *batch;
	unsigned         key_class;
	uint64_t         place;
	const char      *keys;
	size_t           bytes;
};

static void
add_pieces(void *context, unsigned rank, unsigned size)
{
	const struct adding *adding = context;
	const size_t key_bytes = adding->batch->bits[adding->key_class] / 8;

	for (size_t p = rank; p * PIECE_BYTES < adding->bytes; p += size) {
		const size_t left = adding->bytes - p * PIECE_BYTES;

		gs_batch_add(adding->batch, rank, adding->key_class, adding->place + p,
		             adding->keys + p * PIECE_BYTES,
		             (left < PIECE_BYTES ? left : PIECE_BYTES) / key_bytes);
	}
}

/* All of the copy goes to the batch; its memory is given back behind. */
static void
replay(struct gsort *job)
{
	struct gs_batch *batch = &job->batch;
	size_t at = 0, done = 0;

	assert(gs_batch_room(batch) >= job->spare.bytes);
	while (at < job->spare.bytes) {
		const struct entry *entry = (const struct entry *)(job->spare.memory + at);
		const unsigned s = entry->key_class;
		struct adding adding = {
			batch, s, batch->sequences[s], (const char *)(entry + 1),
			entry->count * (batch->bits[s] / 8),
		};

		gs_team_run(batch->threads, add_pieces, &adding);
		batch->sequences[s] += (adding.bytes + PIECE_BYTES - 1) / PIECE_BYTES;
		at += sizeof *entry + (adding.bytes + 63) / 64 * 64;
		gs_arena_forget(job->spare.memory + done, at / 4096 * 4096 - done);
		done = at / 4096 * 4096;
	}
	gs_arena_forget(job->spare.memory + done, at - done);
	job->spare.bytes = 0;
}

gs_status
gs_spare_survive(struct gsort *job, gs_status status)
{
	if (status == GS_OK)
		return GS_OK;
	if (job->options->device == GSORT_DEVICE_GPU)
		return gs_fail(status, "%s; --device=cpu works without it", gs_message());
	gs_warn(&job->monitor, "%s; the CPU sorts instead", gs_message());
	append_rest(job);
	gs_spare_wait(job);
	gs_device_lose(job);
	replay(job);
	return GS_OK;
}

void
gs_spare_skip(struct gsort *job, struct gs_span *span)
{
	uint64_t *gone = &job->spare.gone[span->key_class];
	const size_t here = *gone < span->count ? (size_t)*gone : span->count;

	*gone -= here;
	span->keys = (char *)span->keys + here * (span->key_bits / 8);
	span->count -= here;
}

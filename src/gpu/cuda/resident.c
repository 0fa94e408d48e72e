// SPDX-License-Identifier: BSD-2-Clause
/*
 * resident.c - host memory for the batches of a GPU that are set aside as runs
 *
 * H200 host: touching memory in huge pages takes 16 threads 0.02 s a GiB and one thread ten times
 * that; pinning touched memory takes 0.025 s a GiB.  Pinned memory is copied at 55 GB/s either
 * way, other memory at 10 GB/s in and 18 GB/s out.  So GS_PINNERS threads prepare chunks while
 * batches are being filled; they also give the memory back, which took one thread 0.26 s for
 * 14 GiB.
 */
#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/round.h"
#include "gpu/cuda/runs.h"

enum { PAGE_BYTES = 4096, SLOTS_AHEAD = 2 };

#ifndef CHUNK_BYTES
#define CHUNK_BYTES	((size_t)64 << 20)	/* pinned by one call: 1 ms.  Not tuned; less in tests/emu */
#endif

/* ---- chunks ----------------------------------------------------------------- */

/* What takes long, without the lock in between. */
static void
begin_work(struct gs_resident *resident)
{
	resident->busy++;
	pthread_mutex_unlock(&resident->lock);
}

static void
end_work(struct gs_resident *resident)
{
	pthread_mutex_lock(&resident->lock);
	resident->busy--;
	pthread_cond_broadcast(&resident->changed);
}

static size_t
bytes_of_chunk(const struct gs_resident *resident, size_t chunk)
{
	return gs_least(resident->chunk_bytes,
	                resident->slots * resident->slot_bytes - chunk * resident->chunk_bytes);
}

/* Touch and pin the next chunk.  Locked, but meanwhile. */
static void
prepare_next(struct gs_resident *resident)
{
	const size_t number = resident->next++, bytes = bytes_of_chunk(resident, number);
	char *const memory = resident->memory + number * resident->chunk_bytes;
	struct gs_resident_chunk *chunk = &resident->chunk[number];
	volatile char *page = memory;
	bool pinned;

	if (chunk->ready)		/* still, of the keys before the reset */
		return;
	begin_work(resident);
	for (size_t b = 0; b < bytes; b += PAGE_BYTES)
		page[b] = 0;
	/* Without pinning, copies are slower but right. */
	pinned = cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess;
	(void)cudaGetLastError();
	end_work(resident);
	chunk->pinned = pinned;
	chunk->ready = true;
}

/* Give a chunk back.  Locked, but meanwhile. */
static void
release(struct gs_resident *resident, size_t number)
{
	char *const memory = resident->memory + number * resident->chunk_bytes;
	struct gs_resident_chunk *chunk = &resident->chunk[number];
	const bool pinned = chunk->pinned;

	if (!chunk->ready)
		return;
	chunk->ready = chunk->pinned = false;
	begin_work(resident);
	if (pinned)
		(void)cudaHostUnregister(memory);
	gs_arena_forget(memory, bytes_of_chunk(resident, number));
	end_work(resident);
}

/* Prepare wanted buffers, give back idle ones while nothing waits for copies; at the end all.  A
 * thread without the GPU only gives back: whoever takes a slot prepares it. */
static gs_status
pin(void *context)
{
	struct gs_resident *resident = context;
	const bool can = cudaSetDevice(resident->gpu) == cudaSuccess;

	pthread_mutex_lock(&resident->lock);
	while (!resident->stops)
		if (resident->idle.spare > 0) {
			resident->idle.spare--;
			release(resident, resident->idle.chunks[--resident->idle.count]);
		} else if (can && !resident->ends && resident->next < resident->wanted) {
			prepare_next(resident);
		} else {
			pthread_cond_wait(&resident->changed, &resident->lock);
		}
	resident->preparing--;
	pthread_cond_broadcast(&resident->changed);
	while (resident->preparing > 0)
		pthread_cond_wait(&resident->changed, &resident->lock);
	while (resident->next > 0)
		release(resident, --resident->next);
	pthread_mutex_unlock(&resident->lock);
	return GS_OK;
}

/* Chunks up to the end of SLOTS slots. */
static size_t
chunks_of(const struct gs_resident *resident, size_t slots)
{
	const size_t bytes = gs_least(slots, resident->slots) * resident->slot_bytes;

	return (bytes + resident->chunk_bytes - 1) / resident->chunk_bytes;
}

/* The first time that a chunk is wanted. */
static void
start(struct gs_resident *resident)
{
	if (resident->preparing > 0)
		return;
	pthread_mutex_lock(&resident->lock);	/* no pinner goes on before all are counted */
	for (size_t p = 0; p < GS_PINNERS && p < chunks_of(resident, resident->slots); p++)
		resident->preparing += gs_thread_start(&resident->pinners[p], pin, resident) == GS_OK;
	pthread_mutex_unlock(&resident->lock);
}

/* What is reserved, and some slots more that will be ready when they are needed.  Locked. */
static void
want(struct gs_resident *resident)
{
	const size_t sure = chunks_of(resident, resident->reserved);
	const size_t likely = chunks_of(resident, resident->reserved + SLOTS_AHEAD);

	resident->wanted = gs_within(gs_within(sure, resident->most, likely), resident->wanted, SIZE_MAX);
}

gs_status
gs_resident_open(struct gs_resident *resident, void *memory, size_t bytes, size_t slot_bytes,
                 size_t most, int gpu)
{
	size_t chunks;

	*resident = (struct gs_resident){
		.memory = memory, .slot_bytes = slot_bytes, .slots = bytes / slot_bytes, .gpu = gpu,
		.chunk_bytes = gs_least(slot_bytes, CHUNK_BYTES),
	};
	assert(slot_bytes % PAGE_BYTES == 0);
	bytes = resident->slots * slot_bytes;
	resident->most = (gs_least(most, bytes) + resident->chunk_bytes - 1) / resident->chunk_bytes;
	pthread_mutex_init(&resident->lock, NULL);
	pthread_cond_init(&resident->changed, NULL);
	chunks = chunks_of(resident, resident->slots);
	TRY(GS_NEW(resident->chunk, chunks + 1, "chunks of memory"));
	TRY(GS_NEW(resident->idle.chunks, chunks + 1, "chunks of memory"));
	if (most < SIZE_MAX && resident->most > 0) {	/* they will be needed */
		want(resident);
		start(resident);
	}
	return GS_OK;
}

/* ---- slots ------------------------------------------------------------------- */

bool
gs_resident_reserve(struct gs_resident *resident)
{
	if (resident->reserved == resident->slots)
		return false;
	resident->reserved++;
	start(resident);
	pthread_mutex_lock(&resident->lock);
	if (resident->ends) {		/* the keys before the reset have left: prepare memory anew */
		resident->idle.count = resident->idle.spare = 0;
		while (resident->busy > 0)
			pthread_cond_wait(&resident->changed, &resident->lock);
		resident->next = resident->wanted = 0;
		resident->ends = false;
	}
	want(resident);
	pthread_cond_broadcast(&resident->changed);
	pthread_mutex_unlock(&resident->lock);
	return true;
}

char *
gs_resident_take(struct gs_resident *resident)
{
	size_t slot;

	pthread_mutex_lock(&resident->lock);
	slot = resident->taken++;
	for (size_t c = slot * resident->slot_bytes / resident->chunk_bytes;
	     c < chunks_of(resident, slot + 1); c++)
		while (!resident->chunk[c].ready)
			if (resident->next <= c)
				prepare_next(resident);
			else
				pthread_cond_wait(&resident->changed, &resident->lock);
	pthread_mutex_unlock(&resident->lock);
	return resident->memory + slot * resident->slot_bytes;
}

/* A copy must not cross from one pinned chunk to the next. */
size_t
gs_resident_piece(const struct gs_resident *resident, const char *at, size_t bytes)
{
	const size_t from = (size_t)(at - resident->memory);

	return gs_least(bytes, resident->chunk_bytes - from % resident->chunk_bytes);
}

void
gs_resident_end(struct gs_resident *resident)
{
	pthread_mutex_lock(&resident->lock);
	resident->ends = true;
	pthread_mutex_unlock(&resident->lock);
}

void
gs_resident_need(struct gs_resident *resident, const char *at, size_t bytes, bool needed)
{
	pthread_mutex_lock(&resident->lock);
	for (size_t piece; bytes > 0; at += piece, bytes -= piece) {
		const size_t number = (size_t)(at - resident->memory) / resident->chunk_bytes;
		struct gs_resident_chunk *chunk = &resident->chunk[number];

		piece = gs_resident_piece(resident, at, bytes);
		assert(needed || chunk->held >= piece);
		chunk->held += needed ? piece : -piece;
		if (chunk->held == 0 && resident->ends)
			resident->idle.chunks[resident->idle.count++] = number;
	}
	pthread_mutex_unlock(&resident->lock);
}

void
gs_resident_spare(struct gs_resident *resident)
{
	pthread_mutex_lock(&resident->lock);
	if (resident->idle.count > resident->idle.spare) {
		resident->idle.spare++;
		pthread_cond_broadcast(&resident->changed);
	}
	pthread_mutex_unlock(&resident->lock);
}

void
gs_resident_reset(struct gs_resident *resident)
{
	resident->reserved = resident->taken = 0;
}

void
gs_resident_close(struct gs_resident *resident)
{
	if (resident->chunk_bytes == 0)
		return;
	pthread_mutex_lock(&resident->lock);
	resident->stops = true;
	resident->next = chunks_of(resident, resident->slots);
	pthread_cond_broadcast(&resident->changed);
	pthread_mutex_unlock(&resident->lock);
	for (unsigned p = 0; p < GS_PINNERS; p++)
		(void)!gs_thread_join(&resident->pinners[p]);
	pthread_mutex_lock(&resident->lock);
	while (resident->next > 0)		/* no thread could be started */
		release(resident, --resident->next);
	pthread_mutex_unlock(&resident->lock);
	free(resident->chunk);
	free(resident->idle.chunks);
	pthread_cond_destroy(&resident->changed);
	pthread_mutex_destroy(&resident->lock);
	resident->chunk_bytes = 0;
}

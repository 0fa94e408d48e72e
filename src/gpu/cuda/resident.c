// SPDX-License-Identifier: BSD-2-Clause
/*
 * resident.c - host memory for the batches of GPUs that are set aside as runs
 *
 * H200 host: touching memory in huge pages takes 16 threads 0.02 s a GiB and one thread ten times
 * that; pinning touched memory takes 0.025 s a GiB.  Pinned memory is copied at 55 GB/s either
 * way, other memory at 10 GB/s in and 18 GB/s out.  So GS_PINNERS threads prepare chunks while
 * batches are being filled.
 */
#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "gpu/cuda/resident.h"

enum { PAGE_BYTES = 4096 };

#define CHUNK_BYTES	((size_t)64 << 20)	/* pinned by one call: 1 ms.  Not tuned. */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

gs_status
gs_resident_open(struct gs_resident *resident, void *memory, size_t bytes, size_t slot_bytes,
                 size_t wanted, int gpu)
{
	*resident = (struct gs_resident){
		.memory = memory, .slot_bytes = slot_bytes, .slots = bytes / slot_bytes, .gpu = gpu,
		.chunk_bytes = least(slot_bytes, CHUNK_BYTES), .open = true,
	};
	assert(slot_bytes % PAGE_BYTES == 0);
	bytes = resident->slots * slot_bytes;
	resident->chunks = (bytes + resident->chunk_bytes - 1) / resident->chunk_bytes;
	resident->wanted = (least(wanted, bytes) + resident->chunk_bytes - 1) / resident->chunk_bytes;
	resident->ready = calloc(resident->chunks + 1, sizeof *resident->ready);
	resident->pinned = calloc(resident->chunks + 1, sizeof *resident->pinned);
	pthread_mutex_init(&resident->lock, NULL);
	pthread_cond_init(&resident->changed, NULL);
	return resident->ready != NULL && resident->pinned != NULL ? GS_OK
	       : gs_fail(GS_EBUDGET, "out of memory");
}

/* ---- chunks ----------------------------------------------------------------- */

static size_t
bytes_of_chunk(const struct gs_resident *resident, size_t chunk)
{
	return least(resident->chunk_bytes,
	             resident->slots * resident->slot_bytes - chunk * resident->chunk_bytes);
}

/* Touch and pin the next chunk.  Locked, but meanwhile. */
static void
prepare_next(struct gs_resident *resident)
{
	const size_t chunk = resident->next++, bytes = bytes_of_chunk(resident, chunk);
	char *const memory = resident->memory + chunk * resident->chunk_bytes;
	volatile char *page = memory;
	bool pinned;

	pthread_mutex_unlock(&resident->lock);
	for (size_t b = 0; b < bytes; b += PAGE_BYTES)
		page[b] = 0;
	/* Without pinning, copies are slower but right. */
	pinned = cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess;
	(void)cudaGetLastError();
	pthread_mutex_lock(&resident->lock);
	resident->pinned[chunk] = pinned;
	resident->ready[chunk] = true;
	pthread_cond_broadcast(&resident->changed);
}

static gs_status
pin(void *context)
{
	struct gs_resident *resident = context;

	if (cudaSetDevice(resident->gpu) != cudaSuccess)
		return GS_OK;		/* whoever takes a slot prepares it */
	pthread_mutex_lock(&resident->lock);
	while (!resident->stops)
		if (resident->next < resident->wanted)
			prepare_next(resident);
		else
			pthread_cond_wait(&resident->changed, &resident->lock);
	pthread_mutex_unlock(&resident->lock);
	return GS_OK;
}

/* ---- slots ------------------------------------------------------------------- */

/* Chunks up to the end of so many slots. */
static size_t
chunks_of(const struct gs_resident *resident, size_t slots)
{
	const size_t bytes = least(slots, resident->slots) * resident->slot_bytes;

	return (bytes + resident->chunk_bytes - 1) / resident->chunk_bytes;
}

bool
gs_resident_reserve(struct gs_resident *resident)
{
	if (resident->reserved == resident->slots)
		return false;
	resident->reserved++;
	for (unsigned p = 0; p < GS_PINNERS && !resident->started; p++)
		(void)!gs_thread_start(&resident->pinners[p], pin, resident);
	resident->started = true;
	pthread_mutex_lock(&resident->lock);
	/* One slot more: it will be ready when it is needed. */
	if (resident->wanted < chunks_of(resident, resident->reserved + 1))
		resident->wanted = chunks_of(resident, resident->reserved + 1);
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
		while (!resident->ready[c])
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

	return least(bytes, resident->chunk_bytes - from % resident->chunk_bytes);
}

void
gs_resident_reset(struct gs_resident *resident)
{
	resident->reserved = resident->taken = 0;
}

void
gs_resident_close(struct gs_resident *resident)
{
	if (!resident->open)
		return;
	pthread_mutex_lock(&resident->lock);
	resident->stops = true;
	pthread_cond_broadcast(&resident->changed);
	pthread_mutex_unlock(&resident->lock);
	for (unsigned p = 0; p < GS_PINNERS; p++)
		(void)!gs_thread_join(&resident->pinners[p]);
	for (size_t c = 0; resident->pinned != NULL && c < resident->chunks; c++)
		if (resident->pinned[c])
			(void)cudaHostUnregister(resident->memory + c * resident->chunk_bytes);
	free(resident->ready);
	free(resident->pinned);
	pthread_cond_destroy(&resident->changed);
	pthread_mutex_destroy(&resident->lock);
	resident->open = false;
}

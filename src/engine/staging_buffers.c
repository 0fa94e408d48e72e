// SPDX-License-Identifier: BSD-2-Clause
/*
 * staging_buffers.c - keys of many threads on their way to the staging buffers of a GPU
 *
 * In:   pieces of keys.
 * Out:  staging buffers, filled.
 *
 * Each class has its own buffers, so several are in use.  If memory is full, all of them are given back
 * before the batch becomes runs.  The caller keeps one unfilled buffer of each class, so only so many are
 * used here that one is always left.
 */
#include <assert.h>
#include <string.h>

#include "engine/store.h"
#include "sort/checksum.h"

void
gs_staging_buffers_open(struct gs_staging_buffers *buffers, unsigned ring, unsigned classes)
{
	const unsigned kept = classes - 1;	/* of all classes but the next one's */

	assert(ring > kept);
	buffers->most = ring / 2 < GS_STAGING_BUFFERS ? ring / 2 : GS_STAGING_BUFFERS;
	buffers->most = buffers->most < ring - kept ? buffers->most : ring - kept;
	pthread_mutex_init(&buffers->lock, NULL);
	pthread_cond_init(&buffers->changed, NULL);
	gs_first_error_open(&buffers->error);
}

/* Give a buffer back to the store, with its keys; with the lock. */
static gs_status
end_buffer(struct gs_staging_buffers *buffers, struct gs_staging_buffer *buffer)
{
	buffer->used = false;
	buffer->staging.count = buffer->claimed;
	pthread_cond_broadcast(&buffers->changed);
	return buffers->give(buffers->context, &buffer->staging);
}

/* Give back what nobody writes to, full or not; with the lock.  *USED: how many are left. */
static gs_status
end_idle(struct gs_staging_buffers *buffers, unsigned *used)
{
	*used = 0;
	for (unsigned f = 0; f < GS_STAGING_BUFFERS; f++) {
		struct gs_staging_buffer *buffer = &buffers->each[f];

		if (buffer->used && buffer->writers == 0)
			TRY(end_buffer(buffers, buffer));
		*used += buffer->used;
	}
	return GS_OK;
}

/* Find a buffer of a class with room, or begin one more; *FOUND NULL: look again, as others may have changed.
 * With the lock. */
static gs_status
find_buffer(struct gs_staging_buffers *buffers, unsigned key_class, struct gs_staging_buffer **found)
{
	struct gs_staging_buffer *unused = NULL;
	unsigned used = 0, most = buffers->most;

	*found = NULL;
	for (unsigned f = 0; f < GS_STAGING_BUFFERS; f++) {
		struct gs_staging_buffer *buffer = &buffers->each[f];

		used += buffer->used;
		if (!buffer->used)
			unused = buffer;
		else if (buffer->staging.key_class == key_class && buffer->claimed < buffer->staging.room)
			*found = buffer;
	}
	if (*found != NULL)
		return GS_OK;
	if (used < most) {
		TRY(buffers->stage(buffers->context, key_class, used > 0, &unused->staging));
		if (unused->staging.room > 0) {
			unused->used = true;
			unused->claimed = unused->staging.count;
			unused->writers = 0;
			*found = unused;
			return GS_OK;
		}
		most = 1;	/* all memory is full: the others come first */
	}
	TRY(end_idle(buffers, &used));
	if (used >= most)
		pthread_cond_wait(&buffers->changed, &buffers->lock);
	return GS_OK;
}

/* Threads find room in turn, and copy at once. */
void
gs_staging_buffers_add(struct gs_staging_buffers *buffers, const struct gs_piece *piece)
{
	const size_t key_bytes = piece->key_bits / 8;
	const char *keys = piece->keys;
	size_t at = 0;

	pthread_mutex_lock(&buffers->lock);
	while (at < piece->count && !atomic_load(&buffers->error.any)) {
		struct gs_staging_buffer *buffer;
		size_t some, to;
		uint64_t sum;

		(void)gs_first_error_note(&buffers->error,
		                          find_buffer(buffers, piece->key_class, &buffer));
		if (buffer == NULL)
			continue;
		to = buffer->claimed;
		some = buffer->staging.room - to;
		some = some < piece->count - at ? some : piece->count - at;
		buffer->claimed += some;
		buffer->writers++;
		pthread_mutex_unlock(&buffers->lock);
		memcpy((char *)buffer->staging.keys + to * key_bytes, keys + at * key_bytes,
		       some * key_bytes);
		sum = gs_checksum(1, piece->key_class, piece->key_bits, keys + at * key_bytes, some,
		                  false).sum;
		at += some;
		pthread_mutex_lock(&buffers->lock);
		buffer->staging.sum += sum;
		if (--buffer->writers == 0 && buffer->claimed == buffer->staging.room)
			(void)gs_first_error_note(&buffers->error, end_buffer(buffers, buffer));
	}
	pthread_cond_broadcast(&buffers->changed);
	pthread_mutex_unlock(&buffers->lock);
}

gs_status
gs_staging_buffers_rest(struct gs_staging_buffers *buffers)
{
	unsigned used;

	pthread_mutex_lock(&buffers->lock);
	if (!atomic_load(&buffers->error.any))
		(void)gs_first_error_note(&buffers->error, end_idle(buffers, &used));
	pthread_mutex_unlock(&buffers->lock);
	return gs_first_error_now(&buffers->error);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * fillings.c - keys of many threads on their way to the staging buffers of a GPU
 *
 * In:   pieces of keys.
 * Out:  staging buffers, filled.
 *
 * A class has a buffer of its own, so that there are a few.  If memory is full, all of them are given
 * back before the batch becomes runs.  The caller keeps one of each class that is not full, so there are
 * never so many here that none is left.
 */
#include <assert.h>
#include <string.h>

#include "engine/store.h"
#include "sort/checksum.h"

void
gs_fillings_open(struct gs_fillings *fillings, unsigned ring, unsigned classes)
{
	const unsigned kept = classes - 1;	/* of all classes but the next one's */

	assert(ring > kept);
	fillings->most = ring / 2 < GS_FILLINGS ? ring / 2 : GS_FILLINGS;
	fillings->most = fillings->most < ring - kept ? fillings->most : ring - kept;
	pthread_mutex_init(&fillings->lock, NULL);
	pthread_cond_init(&fillings->changed, NULL);
	gs_first_error_open(&fillings->error);
}

/* Give a buffer back to the store, with its keys; with the lock. */
static gs_status
end_filling(struct gs_fillings *fillings, struct gs_filling *filling)
{
	filling->used = false;
	filling->staging.count = filling->claimed;
	pthread_cond_broadcast(&fillings->changed);
	return fillings->give(fillings->context, &filling->staging);
}

/* Give back what nobody writes to, full or not; with the lock.  *USED: how many are left. */
static gs_status
end_idle(struct gs_fillings *fillings, unsigned *used)
{
	*used = 0;
	for (unsigned f = 0; f < GS_FILLINGS; f++) {
		struct gs_filling *filling = &fillings->filling[f];

		if (filling->used && filling->writers == 0)
			TRY(end_filling(fillings, filling));
		*used += filling->used;
	}
	return GS_OK;
}

/* Find a buffer of a class with room, or begin one more; *FOUND NULL: look again, as others may have changed.
 * With the lock. */
static gs_status
find_filling(struct gs_fillings *fillings, unsigned key_class, struct gs_filling **found)
{
	struct gs_filling *unused = NULL;
	unsigned used = 0, most = fillings->most;

	*found = NULL;
	for (unsigned f = 0; f < GS_FILLINGS; f++) {
		struct gs_filling *filling = &fillings->filling[f];

		used += filling->used;
		if (!filling->used)
			unused = filling;
		else if (filling->staging.key_class == key_class && filling->claimed < filling->staging.room)
			*found = filling;
	}
	if (*found != NULL)
		return GS_OK;
	if (used < most) {
		TRY(fillings->stage(fillings->context, key_class, used > 0, &unused->staging));
		if (unused->staging.room > 0) {
			unused->used = true;
			unused->claimed = unused->staging.count;
			unused->writers = 0;
			*found = unused;
			return GS_OK;
		}
		most = 1;	/* all memory is full: the others come first */
	}
	TRY(end_idle(fillings, &used));
	if (used >= most)
		pthread_cond_wait(&fillings->changed, &fillings->lock);
	return GS_OK;
}

/* Threads find room in turn, and copy at once. */
void
gs_fillings_add(struct gs_fillings *fillings, const struct gs_piece *piece)
{
	const size_t key_bytes = piece->key_bits / 8;
	const char *keys = piece->keys;
	size_t at = 0;

	pthread_mutex_lock(&fillings->lock);
	while (at < piece->count && !atomic_load(&fillings->error.any)) {
		struct gs_filling *filling;
		size_t some, to;
		uint64_t sum;

		(void)gs_first_error_note(&fillings->error,
		                          find_filling(fillings, piece->key_class, &filling));
		if (filling == NULL)
			continue;
		to = filling->claimed;
		some = filling->staging.room - to;
		some = some < piece->count - at ? some : piece->count - at;
		filling->claimed += some;
		filling->writers++;
		pthread_mutex_unlock(&fillings->lock);
		memcpy((char *)filling->staging.keys + to * key_bytes, keys + at * key_bytes,
		       some * key_bytes);
		sum = gs_checksum(1, piece->key_class, piece->key_bits, keys + at * key_bytes, some,
		                  false).sum;
		at += some;
		pthread_mutex_lock(&fillings->lock);
		filling->staging.sum += sum;
		if (--filling->writers == 0 && filling->claimed == filling->staging.room)
			(void)gs_first_error_note(&fillings->error, end_filling(fillings, filling));
	}
	pthread_cond_broadcast(&fillings->changed);
	pthread_mutex_unlock(&fillings->lock);
}

gs_status
gs_fillings_rest(struct gs_fillings *fillings)
{
	unsigned used;

	pthread_mutex_lock(&fillings->lock);
	if (!atomic_load(&fillings->error.any))
		(void)gs_first_error_note(&fillings->error, end_idle(fillings, &used));
	pthread_mutex_unlock(&fillings->lock);
	return gs_first_error_now(&fillings->error);
}

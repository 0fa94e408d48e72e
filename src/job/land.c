// SPDX-License-Identifier: BSD-2-Clause
/*
 * land.c - where keys land: in the CPU's batch, or in tiles of a GPU
 *
 * In:   how many keys come, of which key class.
 * Out:  room for them.  If there is none, what is held is set aside first.
 *
 * The GPU may come between two calls, and go in the middle of any.
 */
#include <assert.h>

#include "job/job.h"

/* In the batch, beside what a GPU has left in memory that failed later. */
static size_t
room_left(const struct gsort *job)
{
	const size_t room = gs_batch_room(&job->batch), kept = job->keep.bytes;

	return room > kept ? room - kept : 0;
}

gs_status
gs_land_room(struct gsort *job, size_t least, size_t *room)
{
	*room = 0;
	if (job->plan.head_keys > 0)
		TRY(gs_head_poll(job));
	TRY(gs_device_poll(job));
	if (job->gpu != NULL)
		return GS_OK;
	*room = room_left(job);
	if (*room >= least)
		return GS_OK;
	TRY(gs_aside_batch(job));
	*room = room_left(job);
	assert(*room >= least);
	return GS_OK;
}

/* One of the GPU's; none, if its batch is full, or it fails. */
static gs_status
take(struct gsort *job, unsigned key_class)
{
	struct gs_staging tile = { .keys = NULL };

	if (!gs_spare_has_room(job))
		return GS_OK;
	TRY(gs_spare_survive(job, gs_backend_gpu->take(job->gpu, key_class, &tile)));
	if (job->gpu != NULL && tile.room > 0) {
		gs_spare_release(job, tile.keys);
		job->tiles[key_class] = tile;
	}
	return GS_OK;
}

/* One of the CPU's, where parts of its batch will be sorted. */
static gs_status
take_cpu(struct gsort *job, unsigned key_class)
{
	const unsigned bits = job->plan.class_bits[key_class];
	size_t room;

	TRY(gs_land_room(job, job->plan.part_bytes, &room));
	job->tiles[key_class] = (struct gs_staging){
		.keys = job->batch.slots, .room = job->plan.part_bytes / (bits / 8),
		.key_bits = bits, .key_class = key_class,
	};
	return GS_OK;
}

gs_status
gs_land_take(struct gsort *job, unsigned key_class)
{
	const struct gs_staging *tile = &job->tiles[key_class];

	if (tile->keys == NULL)
		TRY(take(job, key_class));
	if (tile->keys == NULL && job->gpu != NULL) {
		TRY(gs_aside_batch(job));
		if (job->gpu != NULL)
			TRY(take(job, key_class));
	}
	assert(job->gpu == NULL || tile->room > tile->count);
	return GS_OK;
}

gs_status
gs_land_tile(struct gsort *job, unsigned key_class)
{
	if (job->gpu != NULL)
		TRY(gs_land_take(job, key_class));
	return job->gpu != NULL ? GS_OK : take_cpu(job, key_class);
}

static gs_status
feed(struct gsort *job, unsigned key_class)
{
	const struct gs_staging tile = job->tiles[key_class];

	job->tiles[key_class] = (struct gs_staging){ .keys = NULL };
	if (job->gpu == NULL) {
		if (tile.count > 0)
			gs_batch_add(&job->batch, 0, key_class, job->batch.sequences[key_class]++,
			             tile.keys, tile.count);
		return GS_OK;
	}
	gs_spare_keep(job, &tile);
	return gs_spare_survive(job, gs_backend_gpu->feed(job->gpu, &tile));
}

gs_status
gs_land_took(struct gsort *job, unsigned key_class, size_t count)
{
	struct gs_staging *tile = &job->tiles[key_class];

	tile->count += count;
	assert(tile->count <= tile->room);
	return tile->count == tile->room || job->gpu == NULL ? feed(job, key_class) : GS_OK;
}

gs_status
gs_land_flush(struct gsort *job)
{
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (job->tiles[s].keys != NULL)
			TRY(feed(job, s));
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_packers.c - packers for the temporary files of a store of items
 *
 * In:   whole items, at most a piece; or an extent that is compressed.
 * Out:  fewer bytes; or the items again.
 *
 * Only a few packers fit into a small memory, so threads use them in turn.
 */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "engine/item_store.h"
#include "spill/spill.h"

size_t
gs_item_packers_bytes(unsigned count, size_t piece_bytes)
{
	return count * gs_arena_round(gs_packer_bytes(piece_bytes));
}

void
gs_item_packers_open(struct gs_item_packers *packers, const char *program, unsigned count,
                     size_t piece_bytes, char *memory)
{
	assert(count > 0 && count <= GS_ITEM_PACKERS_MOST);
	packers->count = count;
	packers->idle = count == GS_ITEM_PACKERS_MOST ? UINT64_MAX : ((uint64_t)1 << count) - 1;
	pthread_mutex_init(&packers->lock, NULL);
	pthread_cond_init(&packers->given, NULL);
	for (unsigned p = 0; p < count; p++)
		gs_packer_open(&packers->list[p], program[0] == 'z' ? GS_PACK_ZSTD : GS_PACK_LZ4, piece_bytes,
		               memory + gs_item_packers_bytes(p, piece_bytes));
}

void
gs_item_packers_close(struct gs_item_packers *packers)
{
	if (packers->count == 0)
		return;
	for (unsigned p = 0; p < packers->count; p++)
		gs_packer_close(&packers->list[p]);
	pthread_mutex_destroy(&packers->lock);
	pthread_cond_destroy(&packers->given);
}

static struct gs_packer *
take(struct gs_item_packers *packers)
{
	unsigned number;

	pthread_mutex_lock(&packers->lock);
	while (packers->idle == 0)
		pthread_cond_wait(&packers->given, &packers->lock);
	number = (unsigned)__builtin_ctzll(packers->idle);
	packers->idle &= packers->idle - 1;
	pthread_mutex_unlock(&packers->lock);
	return &packers->list[number];
}

static void
give(struct gs_item_packers *packers, const struct gs_packer *packer)
{
	pthread_mutex_lock(&packers->lock);
	packers->idle |= (uint64_t)1 << (packer - packers->list);
	pthread_cond_signal(&packers->given);
	pthread_mutex_unlock(&packers->lock);
}

gs_status
gs_item_extent_write(struct gs_division_shared *shared, struct gs_item_extent *extent, const char *data)
{
	struct gs_spill_file *file = &shared->files[extent->file];
	struct gs_packer *packer;
	gs_status status;
	size_t packed;

	extent->at = file->end;
	extent->sum = gs_bytes_sum(data, extent->bytes);
	extent->stored = extent->bytes;
	if (shared->packers == NULL || extent->bytes > shared->piece_bytes)
		return gs_spill_file_write(file, data, extent->bytes);
	packer = take(shared->packers);
	packed = gs_pack_items(packer, data, extent->bytes);
	if (packed > 0) {
		extent->stored = (uint32_t)packed;
		data = (const char *)packer->packed;
	}
	status = gs_spill_file_write(file, data, extent->stored);
	give(shared->packers, packer);
	return status;
}

gs_status
gs_division_read(const struct gs_division_shared *shared, const struct gs_item_extent *extent,
                 char *into, bool last)
{
	const struct gs_spill_file *file = &shared->files[extent->file];

	if (extent->stored < extent->bytes) {	/* it is compressed */
		struct gs_packer *packer = take(shared->packers);
		gs_status status = gs_spill_file_read(file, extent->at, packer->packed, extent->stored);

		if (status == GS_OK &&
		    !gs_expand(packer, packer->packed, extent->stored, into, extent->bytes))
			status = gs_spill_file_corrupt(file->dir);
		give(shared->packers, packer);
		TRY(status);
	} else {
		TRY(gs_spill_file_read(file, extent->at, into, extent->bytes));
	}
	if (gs_bytes_sum(into, extent->bytes) != extent->sum)
		return gs_spill_file_corrupt(file->dir);
	if (last)
		gs_spill_file_forget(file, extent->at, extent->at + extent->stored);
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/* ingest_state.c - where keys that were read go */
#include <stdatomic.h>

#include "stages/ingest_state.h"

bool
gs_ingest_stages_keys(const struct gs_ingest *ingest)
{
	return gs_store_is_on_gpu(ingest->store) && ingest->taker.add == NULL;
}

gs_status
gs_ingest_reserve(struct gs_ingest *ingest, size_t least, size_t *room)
{
	return ingest->taker.add == NULL ? gs_store_reserve(ingest->store, least, room)
	       : ingest->taker.reserve(ingest->taker.context, least, room);
}

uint64_t
gs_ingest_next_sequence(struct gs_ingest *ingest, unsigned key_class, size_t count)
{
	return ingest->taker.add == NULL ? gs_store_next_sequence(ingest->store, key_class, count) : 0;
}

void
gs_ingest_add(struct gs_ingest *ingest, unsigned rank, unsigned key_class, uint64_t sequence,
              void *keys, size_t count)
{
	if (ingest->taker.add == NULL)
		gs_store_add(ingest->store, rank, key_class, sequence, keys, count);
	else
		ingest->taker.add(ingest->taker.context, rank, key_class, keys, count);
}

void
gs_ingest_count(struct gs_ingest *ingest, uint64_t bytes, uint64_t keys)
{
	struct gs_counters *counters = &ingest->monitor->counters;

	ingest->bytes += bytes;
	ingest->keys += keys;
	atomic_store(&counters->bytes_in, ingest->bytes);
	atomic_store(&counters->keys_in, ingest->keys);
}

gs_status
gs_ingest_check_copy(const struct gs_ingest *ingest, size_t bytes)
{
	if (bytes <= gs_input_record_room(ingest->input))
		return GS_OK;
	return gs_fail(GS_ENOCOPY, "the input is too large to be kept in memory, in case the GPU fails");
}

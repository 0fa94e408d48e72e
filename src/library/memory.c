// SPDX-License-Identifier: BSD-2-Clause
/*
 * memory.c - memory of a call on arrays
 *
 * Invariant: only a call that has set IS_LENT touches KEPT.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/round.h"
#include "library/array.h"

/* Less comes from malloc(), which keeps it itself. */
enum { MAPPED_BYTES = 128 << 10, KEPT_BYTES = 64 << 20 };

static atomic_flag is_lent = ATOMIC_FLAG_INIT;
static struct gs_array_memory kept;

gs_status
gs_array_memory_get(struct gs_array_memory *memory, size_t bytes)
{
	gs_status status;

	*memory = (struct gs_array_memory){ .at = NULL };
	if (bytes < MAPPED_BYTES) {
		memory->at = memory->taken = aligned_alloc(64, gs_round_up(bytes + (bytes == 0), 64));
		return memory->at != NULL ? GS_OK : gs_fail(GS_EBUDGET, "out of memory");
	}
	if (!atomic_flag_test_and_set(&is_lent)) {
		*memory = kept;
		memory->keeps = true;
	}
	memory->zeroed = memory->bytes < bytes;
	if (!memory->zeroed)
		return GS_OK;
	gs_arena_close(&memory->arena);		/* it is too small: all of it is given back */
	memory->bytes = 0;
	status = gs_arena_open(&memory->arena, gs_arena_round(bytes), true);
	if (status != GS_OK) {
		gs_array_memory_give(memory);
		return status;
	}
	memory->at = gs_arena_take(&memory->arena, bytes);
	memory->bytes = bytes;
	return GS_OK;
}

gs_status
gs_array_memory_borrow(struct gs_array_memory *memory, size_t bytes, size_t align,
                       const struct gs_array_args *args)
{
	char *at = (char *)gs_round_up((uintptr_t)args->scratch, align);

	if (args->scratch == NULL || (size_t)(at - (char *)args->scratch) + bytes > args->scratch_bytes)
		return gs_array_memory_get(memory, bytes);
	*memory = (struct gs_array_memory){ .at = at };
	return GS_OK;
}

void
gs_array_memory_give(struct gs_array_memory *memory)
{
	free(memory->taken);
	if (!memory->keeps || memory->bytes > KEPT_BYTES) {
		gs_arena_close(&memory->arena);
		memory->bytes = 0;
	}
	if (memory->keeps) {
		kept = *memory;
		atomic_flag_clear(&is_lent);
	}
	*memory = (struct gs_array_memory){ .at = NULL };
}

// SPDX-License-Identifier: BSD-2-Clause
/* resident.c - host memory of a GPU: pinned, given back while it is drained, and used anew */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "gpu/cuda/runs.h"
#include "tests/unit/units.h"

void unit_resident(void);

/* A chunk has three times 64 KiB (tests/local.mk), so chunks begin and end within slots. */
enum { CHUNK_SIZE = 3 << 16, SLOT_SIZE = 1 << 18, SLOTS = 6, MEMORY_SIZE = SLOTS * SLOT_SIZE };

/* Fill all slots, and hold them. */
static void
fill(struct gs_resident *resident, int byte)
{
	for (size_t s = 0; s < SLOTS; s++)
		CHECK(gs_resident_reserve(resident), "slot %zu is there", s);
	CHECK(!gs_resident_reserve(resident), "and no more");
	for (size_t s = 0; s < SLOTS; s++) {
		char *slot = gs_resident_take(resident);

		CHECK(slot == resident->memory + s * SLOT_SIZE, "slots come in order");
		memset(slot, byte, SLOT_SIZE);
		gs_resident_need(resident, slot, SLOT_SIZE, true);
	}
}

/* Drop the first half of each slot, then the other one. */
static void
drop_half(struct gs_resident *resident, unsigned half)
{
	for (size_t s = 0; s < SLOTS; s++)
		gs_resident_need(resident, resident->memory + s * SLOT_SIZE + half * (SLOT_SIZE / 2),
		                 SLOT_SIZE / 2, false);
}

static bool
all_are(const char *memory, size_t bytes, int byte)
{
	while (bytes > 0 && memory[bytes - 1] == byte)
		bytes--;
	return bytes == 0;
}

/* Before the end, what is dropped stays pinned; after it, all is given back without being closed. */
static void
check_use(struct gs_resident *resident, int byte, bool ends)
{
	const size_t chunks = (MEMORY_SIZE + CHUNK_SIZE - 1) / CHUNK_SIZE;
	const size_t before = emu_allocations();

	fill(resident, byte);
	if (ends)
		gs_resident_end(resident);
	drop_half(resident, 0);
	for (size_t s = 0; s < SLOTS; s++)
		CHECK(all_are(resident->memory + s * SLOT_SIZE + SLOT_SIZE / 2, SLOT_SIZE / 2, byte),
		      "keys that are not dropped are there");
	drop_half(resident, 1);
	if (ends)
		for (; emu_allocations() > 0; sched_yield())
			gs_resident_spare(resident);
	else
		CHECK(emu_allocations() == chunks && all_are(resident->memory, MEMORY_SIZE, byte),
		      "nothing is given back before the end: %zu, now %zu", before, emu_allocations());
	gs_resident_reset(resident);
}

void
unit_resident(void)
{
	char *memory = aligned_alloc(4096, MEMORY_SIZE);
	static struct gs_resident resident;

	CHECK(gs_resident_open(&resident, memory, MEMORY_SIZE, SLOT_SIZE, SIZE_MAX, 0) == GS_OK, "opens");
	check_use(&resident, 1, false);
	check_use(&resident, 2, true);
	check_use(&resident, 3, true);
	check_use(&resident, 4, false);
	gs_resident_close(&resident);
	CHECK(emu_allocations() == 0, "nothing stays pinned");
	gs_resident_close(&resident);
	free(memory);
}

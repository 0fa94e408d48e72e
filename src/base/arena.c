// SPDX-License-Identifier: BSD-2-Clause
/*
 * arena.c - address space, carved once
 *
 * Invariant: carvings are disjoint, in order, and end at used_bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/arena.h"

/*
 * Carvings start on a huge page: first touch of 2 MiB costs one fault instead
 * of 512, and neighbours never share one (gs_arena_forget stays exact).  Where a few
 * MiB of memory count, pages are kept small even if the system's are huge.  And the first
 * 2 MiB of each stay small pages: a job of ten lines, which touches a few bytes in each of
 * ten carvings, spent half of its time on clearing huge ones, and 20 us on asking for them
 * where they cannot matter: for a few MiB.
 */
enum { ALIGN_BYTES = 2 << 20 };

size_t
gs_arena_round(size_t bytes)
{
	return (bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
}

gs_status
gs_arena_open(struct gs_arena *arena, size_t bytes, bool huge_pages)
{
	size_t total_bytes = gs_arena_round(bytes) + ALIGN_BYTES;
	void *base = mmap(NULL, total_bytes, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return gs_fail_errno(GS_EBUDGET, "cannot reserve %zu MiB of memory",
		                     total_bytes >> 20);
	arena->base = base;
	arena->total_bytes = total_bytes;
	arena->used_bytes = -(uintptr_t)base & (ALIGN_BYTES - 1);
	arena->huge_pages = huge_pages;
	return GS_OK;
}

void *
gs_arena_take(struct gs_arena *arena, size_t bytes)
{
	char *taken;

	arena->used_bytes += gs_arena_round(bytes);
	if (arena->base == NULL || bytes == 0)
		return NULL;
	taken = arena->base + arena->used_bytes - gs_arena_round(bytes);
	assert(arena->used_bytes <= arena->total_bytes);
	/* A hint: without huge pages everything works, only slower; and with them, only larger. */
	if (!arena->huge_pages)
		(void)madvise(taken, gs_arena_round(bytes), MADV_NOHUGEPAGE);
	else if (bytes >= 4 * ALIGN_BYTES)
		(void)madvise(taken + ALIGN_BYTES, gs_arena_round(bytes) - ALIGN_BYTES,
		              MADV_HUGEPAGE);
	return taken;
}

void
gs_arena_forget(void *carving, size_t bytes)
{
	assert((uintptr_t)carving % 4096 == 0);
	if (bytes > 0)
		(void)madvise(carving, bytes, MADV_DONTNEED);
}

void
gs_arena_close(struct gs_arena *arena)
{
	if (arena->base != NULL)
		munmap(arena->base, arena->total_bytes);
	arena->base = NULL;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * arena.c - address space, carved into buffers once
 *
 * Invariant: buffers are disjoint, in order, and end at used_bytes.
 */
#include <assert.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/round.h"

/*
 * A buffer starts on a huge page: the first touch of 2 MiB costs one fault instead of 512,
 * and two buffers never share a page, so gs_arena_forget() is exact.  Where a few MiB of
 * memory count, pages stay small even if the system's default is huge.
 *
 * The first 2 MiB of a buffer, and all of a buffer below 8 MiB, stay small pages.  A job of
 * ten lines touches a few bytes in each of ten buffers: with huge pages it spent half of its
 * time on clearing them, and 20 us in madvise(2).  Where all pages are small, buffers begin on a page
 * of any system.
 */
enum { ALIGN_BYTES = 2 << 20, SMALL_ALIGN_BYTES = 64 << 10 };

/* ---- what only Linux has ------------------------------------------------------ */

/* Huge pages are only a hint: if the kernel ignores it, the job is slower or takes more memory.  Other
 * systems have no such hint, and their MADV_DONTNEED may leave pages as they are. */
#if defined __linux__ && !defined GS_PORTABLE
enum { SMALL_PAGES = MADV_NOHUGEPAGE, HUGE_PAGES = MADV_HUGEPAGE, DROP = MADV_DONTNEED };
#define ADVISE(memory, bytes, advice)	madvise(memory, bytes, advice)
#else
enum { SMALL_PAGES, HUGE_PAGES, DROP };
#define ADVISE(memory, bytes, advice)	((void)(memory), (void)(bytes), (void)(advice), -1)
#endif

/* ---- the arena ------------------------------------------------------------------- */

size_t
gs_arena_round(size_t bytes)
{
	return gs_round_up(bytes, ALIGN_BYTES);
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
	arena->used_bytes = huge_pages ? -(uintptr_t)base & (ALIGN_BYTES - 1) : 0;
	if (!huge_pages)
		(void)ADVISE(base, total_bytes, SMALL_PAGES);
	arena->huge_pages = huge_pages;
	return GS_OK;
}

static void *
take(struct gs_arena *arena, size_t bytes, bool huge_pages)
{
	const bool small = arena->base != NULL && !arena->huge_pages;
	const size_t room = small ? gs_round_up(bytes, SMALL_ALIGN_BYTES) : gs_arena_round(bytes);
	char *taken;

	arena->used_bytes += room;
	if (arena->base == NULL || bytes == 0)
		return NULL;
	taken = arena->base + arena->used_bytes - room;
	assert(arena->used_bytes <= arena->total_bytes);
	if (!huge_pages && !small)
		(void)ADVISE(taken, room, SMALL_PAGES);
	else if (huge_pages && bytes >= 4 * ALIGN_BYTES)
		(void)ADVISE(taken + ALIGN_BYTES, gs_arena_round(bytes) - ALIGN_BYTES, HUGE_PAGES);
	return taken;
}

void *
gs_arena_take(struct gs_arena *arena, size_t bytes)
{
	return take(arena, bytes, arena->huge_pages);
}

void *
gs_arena_take_sparse(struct gs_arena *arena, size_t bytes)
{
	return take(arena, bytes, false);
}

bool
gs_arena_forget(void *buffer, size_t bytes)
{
	assert((uintptr_t)buffer % 4096 == 0);
	/* locked memory (mlockall(2)) is not dropped: new pages take the place of the old ones */
	return bytes == 0 || ADVISE(buffer, bytes, DROP) == 0 ||
	       mmap(buffer, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	            0) != MAP_FAILED;
}

void
gs_arena_prefer_huge_pages(void *buffer, size_t bytes)
{
	(void)ADVISE(buffer, bytes, HUGE_PAGES);
}

void
gs_arena_close(struct gs_arena *arena)
{
	if (arena->base != NULL)
		munmap(arena->base, arena->total_bytes);
	arena->base = NULL;
}

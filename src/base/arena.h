// SPDX-License-Identifier: BSD-2-Clause
/*
 * arena.h - the one allocation of a job: address space, carved once
 *
 * The arena owns every buffer of the job; all else borrows.  It reserves
 * addresses, not memory: a page costs nothing until it is written, so a carving
 * may be as large as the input could become.
 */
#ifndef GS_ARENA_H
#define GS_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct gs_arena {
	char   *base;
	size_t  used_bytes;
	size_t  total_bytes;
	bool    huge_pages;
};

/**
 * Reserve BYTES of zeroed address space.  Trouble: GS_EBUDGET.
 *
 * @huge_pages  use them: faster, but up to 2 MiB of memory more for each carving
 */
MUST_CHECK gs_status gs_arena_open(struct gs_arena *arena, size_t bytes, bool huge_pages);

/**
 * Hand out the next BYTES, page-aligned (0: NULL); never fails: who opened the arena
 * has added up every call.  An arena that is not open yet does that: it hands out
 * nothing (NULL), but used_bytes goes up all the same.
 */
void *gs_arena_take(struct gs_arena *arena, size_t bytes);

/** What gs_arena_take() uses up for BYTES. */
size_t gs_arena_round(size_t bytes);

/** Give the memory, not the addresses, of a carving back to the system. */
void gs_arena_forget(void *carving, size_t bytes);

/** Unmap everything; a zeroed arena is allowed. */
void gs_arena_close(struct gs_arena *arena);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * arena.h - the one allocation of a job: address space, carved into buffers once
 *
 * The arena owns every buffer of the job; everybody else borrows.  It reserves
 * addresses, not memory: a page costs nothing until it is written, so a buffer
 * may be as large as the input could become.
 */
#ifndef GS_ARENA_H
#define GS_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "base/status.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE	0	/* FreeBSD: nothing is reserved anyway */
#endif

struct gs_arena {
	char   *base;
	size_t  used_bytes;
	size_t  total_bytes;
	bool    huge_pages;
};

/**
 * Reserve BYTES of zeroed address space.
 *
 * @huge_pages  use them: faster, but each buffer takes up to 2 MiB more memory
 * @return      GS_OK, or GS_EBUDGET: the system refuses so many addresses
 */
MUST_CHECK gs_status gs_arena_open(struct gs_arena *arena, size_t bytes, bool huge_pages);

/**
 * Hand out the next BYTES, aligned to a page; of 0 bytes, NULL.
 *
 * Never fails, because the caller has added up all calls before it opened the arena.  To add
 * up, make the same calls with a zeroed arena: they return NULL and count in used_bytes.
 */
void *gs_arena_take(struct gs_arena *arena, size_t bytes);

/** The same for a buffer with many small parts that stay untouched: its pages are small. */
void *gs_arena_take_sparse(struct gs_arena *arena, size_t bytes);

/** The bytes of the arena that gs_arena_take(BYTES) uses up. */
size_t gs_arena_round(size_t bytes);

/** Give the memory of a buffer, not its addresses, back to the system.  It reads as 0; false: it is as it
 *  was. */
bool gs_arena_forget(void *buffer, size_t bytes);

/** Let a buffer, or a part of one, have huge pages, if the system allows: it will be filled. */
void gs_arena_prefer_huge_pages(void *buffer, size_t bytes);

/** Unmap everything; a zeroed arena is allowed. */
void gs_arena_close(struct gs_arena *arena);

#endif

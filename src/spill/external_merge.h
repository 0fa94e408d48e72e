// SPDX-License-Identifier: BSD-2-Clause
/*
 * external_merge.h - sorted sources, in memory or not, become one order
 *
 * The external merge.  Each source has two buffers: one is merged while a thread
 * fills the other.  What is in the buffers up to the least of their last keys is
 * safe to merge: whatever comes later is not less.  That part is merged in memory,
 * by all threads (merge.h).  Sources that are not in order come out in no order, but
 * all their keys do.
 *
 * Knuth, TAOCP 3, 5.4.6 (buffering); D. Salzberg, "Merging sorted runs using large
 * main memory", Acta Informatica 27, 1989.
 */
#ifndef GS_SPILL_EXTERNAL_MERGE_H
#define GS_SPILL_EXTERNAL_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/span.h"

/* Where sorted keys of one width come from. */
struct gs_source {
	const void *keys;	/* all of them, in memory; or NULL, and they are read */
	size_t      count;
	bool        verified;	/* whoever reads looks that they ascend */

	/**
	 * Put the next keys, ascending, INTO where there is ROOM for so many; *COUNT 0: the
	 * end.  Called by one thread, not the one that opened; again and again, until a
	 * buffer is full.  With trouble *COUNT keys may come, too.
	 */
	gs_status (*read)(void *context, void *into, size_t room, size_t *count);
	void       *context;
};

struct gs_external_merge;

/** The least memory in which SOURCES can be merged by THREADS; those in memory need less. */
size_t gs_external_merge_least_bytes(size_t sources, unsigned threads);

/** Memory beyond which more makes nothing faster. */
size_t gs_external_merge_useful_bytes(size_t sources, unsigned threads);

/**
 * Begin: starts to read.
 *
 * @memory   MEMORY_BYTES of it, for buffers, spans and trees; borrowed
 * @sources  borrowed
 */
MUST_CHECK gs_status
gs_external_merge_open(struct gs_external_merge **gather, void *memory, size_t memory_bytes, unsigned bits,
               const struct gs_source *sources, size_t count, unsigned threads);

/**
 * The next span of the order of all sources, borrowed until the next call; count 0: the
 * end.  Trouble of a source comes out here, once all keys that can be merged without
 * it have.
 */
MUST_CHECK gs_status gs_external_merge_next(struct gs_external_merge *gather, struct gs_span *span);

/**
 * Stop reading, forget everything.  NULL is allowed.
 *
 * Waits for the read() of a source that is under way: if that may take for ever, as with
 * a pipe, see first that it ends.
 */
void gs_external_merge_close(struct gs_external_merge *gather);

#endif

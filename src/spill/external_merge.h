// SPDX-License-Identifier: BSD-2-Clause
/*
 * external_merge.h - merge sorted sources, which are read as they are needed
 *
 * Each source has two buffers: one is merged while a thread fills the other.  The
 * keys in the buffers up to the least of their last keys can be merged, since no key that comes
 * later is less. They are merged in memory by all threads (sort/merge.h).  Sources that are not in
 * order come out in no order, but without loss.
 *
 * Knuth, TAOCP 3, 5.4.6 (buffering); D. Salzberg, "Merging sorted runs using large main memory",
 * Acta Informatica 27, 1989.
 */
#ifndef GS_SPILL_EXTERNAL_MERGE_H
#define GS_SPILL_EXTERNAL_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "sort/span.h"

/* Where sorted keys of one width come from. */
struct gs_source {
	bool        verified;	/* read() itself checks that keys ascend */
	bool        side_by_side;	/* read() may run beside that of other sources */

	/**
	 * Put the next keys, ascending, INTO where there is ROOM for so many.  One thread at
	 * a time calls it, not the one that opened, until a buffer is full.
	 *
	 * @count   set to the number of keys; 0 with GS_OK: the end
	 * @return  GS_OK, or an error, with which *COUNT keys may come, too
	 */
	gs_status (*read)(void *context, void *into, size_t room, size_t *count);
	void       *context;
};

struct gs_external_merge;

/**
 * Begin, and start to read.
 *
 * @memory   MEMORY_BYTES of it, for buffers, spans and the merge, at least gs_plan_merge_least(); borrowed
 * @sources  borrowed
 */
MUST_CHECK gs_status
gs_external_merge_open(struct gs_external_merge **merge, void *memory, size_t memory_bytes,
                       unsigned bits, const struct gs_source *sources, size_t count,
                       unsigned threads);

/**
 * The next span of all sources in order, borrowed until the next call; count 0: the end.
 *
 * @return  GS_OK, or the error of a source, after all keys that can be merged without it
 */
MUST_CHECK gs_status gs_external_merge_next(struct gs_external_merge *merge, struct gs_span *span);

/** Hand all keys in order to SINK, as keys of KEY_CLASS; *ENOUGH: the sink did not want all.
 *  CLOCK, or NULL, counts the time as merging. */
MUST_CHECK gs_status
gs_external_merge_drain(struct gs_external_merge *merge, unsigned key_class,
                        struct gs_clock *clock, const struct gs_span_sink *sink, bool *enough);

/**
 * Stop reading and forget everything.  NULL is allowed.
 *
 * Waits until a read() that is under way returns.  If that may take for ever, as with a pipe, the
 * caller must first make it return.
 */
void gs_external_merge_close(struct gs_external_merge *merge);

#endif

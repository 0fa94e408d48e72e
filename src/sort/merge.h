// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.h - merge sorted runs in memory
 *
 * In:   k runs, borrowed; if they are not in order, keys may get lost.
 * Out:  spans of sorted keys in the caller's buffer, valid until the next call.
 */
#ifndef GS_MERGE_H
#define GS_MERGE_H

#include <stddef.h>

#include "base/simd.h"
#include "sort/span.h"

struct gs_merge;

/** Memory for merging up to RUN_COUNT runs with THREADS, without the buffer. */
size_t gs_merge_bytes(size_t run_count, unsigned threads);

/**
 * Begin; there is nothing to close.
 *
 * @memory  gs_merge_bytes(), aligned for uint64_t; holds the merge
 * @bits    width of all keys: 32 or 64
 * @runs    borrowed, keys too
 * @buffer  for spans; of any size from one key a thread up
 */
struct gs_merge *
gs_merge_init(void *memory, unsigned bits, const struct gs_run *runs, size_t run_count,
              unsigned threads, void *buffer, size_t buffer_bytes);

/** Merge the next spans to BUFFER, as large as the one of gs_merge_init(). */
void gs_merge_to(struct gs_merge *merge, void *buffer);

/** The next span of all runs in order; count 0: the end. */
void gs_merge_next(struct gs_merge *merge, struct gs_span *span);

#endif

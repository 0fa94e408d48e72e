// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.h - many sorted runs become one
 *
 * In:   k runs in memory, borrowed; if they are not in order, keys may get lost.
 * Out:  spans of sorted keys, in the caller's buffer, valid until the next call.
 */
#ifndef GS_MERGE_H
#define GS_MERGE_H

#include "base/status.h"
#include "sort/cpu/cpu_sort.h"
#include "sort/run.h"
#include "sort/span.h"

struct gs_merge;

/** Memory for merging up to RUN_COUNT runs with THREADS, buffer not included. */
size_t gs_merge_bytes(size_t run_count, unsigned threads);

/**
 * Begin; nothing to close.
 *
 * @memory  gs_merge_bytes(); holds the merge
 * @runs    borrowed, keys too
 * @buffer  where spans are put; any size from one key per thread up
 */
struct gs_merge *
gs_merge_init(void *memory, unsigned bits, const struct gs_run *runs, size_t run_count,
              unsigned threads, void *buffer, size_t buffer_bytes);

/** Merge with SIMD, gs_simd_best() or less, from now on: for tests and measurements. */
void gs_merge_with(struct gs_merge *merge, enum gs_simd simd);

/** The next span of the order of all runs; count 0: the end. */
void gs_merge_next(struct gs_merge *merge, struct gs_span *span);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * head.h - keep only the first K keys of a long input, in memory in proportion to K
 *
 * Works on the CPU's batch: keys that cannot be among the first K are dropped as they come, and
 * all but the first K from time to time.
 */
#ifndef GS_STAGES_HEAD_H
#define GS_STAGES_HEAD_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "gsort.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"

struct gs_head {
	uint64_t keys;		/* wanted */
	uint64_t limit;		/* of keys that are held; 0: keep all, there is no head */
	bool     descending_classes, unique;
	struct gs_batch *batch;
	bool     bounded;	/* of BOUND_CLASS only keys less than BOUND matter, ... */
	unsigned bound_class;	/* ... and none of the classes after it */
	uint64_t bound;
	_Atomic uint64_t held;	/* keys in the batch, at most */
	void    *first[GS_CLASSES];	/* the first keys, while all others are dropped: ... */
	size_t   first_keys[GS_CLASSES];	/* ... memory for KEYS of each class */
};

/** Take buffers from ARENA, or from one that is not open: only their sum. */
void gs_head_carve(struct gs_head *head, const struct gsort_options *options,
                   const struct gs_plan *plan, struct gs_arena *arena);

/** Begin; BATCH is borrowed. */
void gs_head_open(struct gs_head *head, const struct gsort_options *options,
                  const struct gs_plan *plan, struct gs_batch *batch);

/** COUNT keys of KEY_CLASS are at KEYS: move those that may be needed to the front; returns how
 *  many.  Any thread, but not beside gs_head_trim(). */
size_t gs_head_filter(const struct gs_head *head, unsigned key_class, void *keys, size_t count);

/** Between rounds: if the batch holds too many keys, drop all but the first. */
MUST_CHECK gs_status gs_head_trim(struct gs_head *head);

#endif

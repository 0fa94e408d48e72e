// SPDX-License-Identifier: BSD-2-Clause
/* item_store_state.h - what item_store.c and item_drain.c share */
#ifndef GS_STAGES_ITEM_STORE_STATE_H
#define GS_STAGES_ITEM_STORE_STATE_H

#include "base/arena.h"
#include "sort/items/part.h"
#include "sort/items/sum.h"
#include "stages/division.h"
#include "stages/item_buckets.h"
#include "stages/item_store.h"

struct gs_item_store {
	struct gs_item_store_options options;
	struct gs_monitor        *monitor;
	struct gs_division_shared shared;
	struct gs_arena           arena;	/* the memory of SHARED */
	struct gs_division       *first;	/* the one that is being filled */
	struct gs_item_buckets    buckets;
	struct gs_item_limits     limits, file_limits;	/* of a part, in memory and in files */
	size_t                    fixed_bytes, data_bytes, sample_bytes;
	bool                      has_bounds, flushed;
	_Atomic uint64_t          sum_in;	/* of all items, for VERIFY */
};

#endif

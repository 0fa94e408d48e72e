// SPDX-License-Identifier: BSD-2-Clause
/* item_drain.h - sort the buckets of a store, and hand their items to a sink */
#ifndef GS_STAGES_ITEM_DRAIN_H
#define GS_STAGES_ITEM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/items/items.h"
#include "sort/span.h"
#include "stages/item_buckets.h"
#include "stages/item_parts.h"

/* What is drained; all of it is borrowed. */
struct gs_item_drain {
	const struct gs_item_store_options *options;
	struct gs_division_shared          *shared;
	const struct gs_item_buckets       *buckets;
	const struct gs_item_limits        *limits;	/* of a part */
	bool                                loads;	/* buckets are in files */
	struct gs_item_digest              *digest;	/* for options.verify: set by gs_item_drain_run() */
};

/** Count the items, or the groups, that a head or tail chooses from.  Groups are sorted for that. */
MUST_CHECK gs_status gs_item_drain_count(const struct gs_item_drain *drain, uint64_t *count);

/** Sort all parts, and hand them on; frees the files meanwhile. */
MUST_CHECK gs_status gs_item_drain_run(const struct gs_item_drain *drain,
                                       const struct gs_span_sink *sink);

#endif

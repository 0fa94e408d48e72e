// SPDX-License-Identifier: BSD-2-Clause
/* item_land.h - items that have reached their owner: to its store */
#ifndef GS_JOB_ITEM_LAND_H
#define GS_JOB_ITEM_LAND_H

#include <stdbool.h>
#include <stddef.h>

#include "job/item_spread_state.h"

/** The bytes of the first items of DATA, which are BYTES in all, for which there is ROOM; 0: of none. */
size_t gs_item_land_fit(const struct gs_item_spread *spread, const char *data, size_t bytes,
                        size_t room);

/** Store blocks that have arrived in the order of their numbers, with all threads; *MOVED: set if there
 *  were any. */
MUST_CHECK gs_status gs_item_land(struct gs_item_spread *spread, bool *moved);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* item_border.h - are the items of each rank behind those of the rank before it? */
#ifndef GS_ITEM_BORDER_H
#define GS_ITEM_BORDER_H

#include "base/status.h"
#include "net/ranks.h"
#include "sort/items/items.h"
#include "stages/item_sink.h"

/**
 * Compare the first item of each rank with the last one before it, whatever rank has that; collective.
 *
 * @ends    of this rank; first NULL: it has none
 * @return  GS_OK; GS_EDEVICE: they are not in order; GS_EBUDGET
 */
MUST_CHECK gs_status gs_item_border_check(struct gs_ranks *ranks, const struct gs_item_order *order,
                                          const struct gs_item_ends *ends);

#endif

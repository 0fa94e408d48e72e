// SPDX-License-Identifier: BSD-2-Clause
/* item_sample.h - a sample of the items of all ranks: splitters, and the rank's own part of it */
#ifndef GS_JOB_ITEM_SAMPLE_H
#define GS_JOB_ITEM_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "net/ranks.h"
#include "sort/items/divide.h"
#include "stages/engine.h"

/**
 * Make the same splitters on each rank from samples; collective.
 *
 * @items     BYTES of them, of this rank
 * @together  equal items have one owner
 * @store     is shown what this rank will own of the sample
 * @return    GS_OK; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status
gs_item_sample_split(struct gs_item_owners *owners, const struct gs_item_order *order, const char *items,
                     size_t bytes, bool together, struct gs_ranks *ranks, const struct gs_taker *store);

#endif

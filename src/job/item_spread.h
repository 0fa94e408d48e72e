// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_spread.h - items on their way from the rank that reads them to the rank that owns them
 *
 *     open; an ingest stage fills gs_item_spread_taker(); finish; close
 *
 * A thread that adds a piece divides it by owner, waits until all pieces before it are in blocks,
 * and appends its own.  So what goes from one rank to another keeps its order, and the origin of an item
 * is the rank that has read it.  As the parts of the input are in the order of the ranks, an order by
 * origin is the order of the input, and the sort is stable.
 *
 * No deadlock: see spread.h.  A rank's own items take the same way, without the network.
 */
#ifndef GS_JOB_ITEM_SPREAD_H
#define GS_JOB_ITEM_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "job/item_spread_state.h"

/** The window of RANKS, for the sizes of their items. */
struct gs_item_window gs_item_spread_window(unsigned ranks, size_t window_bytes);

/** Begin; collective.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_spread_open(struct gs_item_spread *spread, size_t window_bytes);

/** How it is filled.  The thread that calls reserve() is number 0 of those that add. */
struct gs_taker gs_item_spread_taker(struct gs_item_spread *spread);

/** All items of this rank have been added: send the last blocks, and take those still to come. */
MUST_CHECK gs_status gs_item_spread_finish(struct gs_item_spread *spread);

/** A zeroed struct is allowed. */
void gs_item_spread_close(struct gs_item_spread *spread);

#endif

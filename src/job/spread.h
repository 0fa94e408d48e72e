// SPDX-License-Identifier: BSD-2-Clause
/*
 * spread.h - keys on their way from the rank that reads them to the rank that owns them
 *
 *     open; an ingest stage fills gs_spread_taker(); finish; close
 *
 * A thread that adds keys divides them by owner.  Its own go to the store at once, those of another
 * rank into a block for that rank.  Full blocks are sent while the threads go on.  Blocks that
 * arrive go to the store of this rank, by whichever thread looks next, so -S, spilling and a GPU
 * work as in a process of its own.
 *
 * No deadlock: threads fill blocks only after reserve() has found that there are enough
 * of them, and while that waits, it takes what arrives.  So receiving never waits for sending.
 * What arrives when the store is full makes it spill.
 *
 * Until there are splitters, because no input could be sampled, keys are held back.
 */
#ifndef GS_SPREAD_H
#define GS_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "job/spread_state.h"

/** The largest chunk of text whose keys the window has room for. */
size_t gs_spread_chunk_bytes(unsigned ranks, uint64_t window_bytes, bool floats);

/**
 * Begin; collective.  RANKS, OWN, HISTOGRAM, PLAN, MONITOR, TOGETHER, DESCENDING_CLASSES and MEASURES are
 * set.
 *
 * @splitters  taken over; count 0 and TOTAL 0: make them from the first keys
 * @return     GS_OK; GS_EBUDGET
 */
MUST_CHECK gs_status
gs_spread_open(struct gs_spread *spread, size_t window_bytes, struct gs_splitters *splitters,
               bool split);

/** How it is filled.  The thread that reserves is worker 0 of those that add. */
struct gs_taker gs_spread_taker(struct gs_spread *spread);

/** All keys of this rank have been added: send the last blocks, and take those still to come.
 *  FLIP and the store's histogram: for splitters that are still missing. */
MUST_CHECK gs_status gs_spread_finish(struct gs_spread *spread, uint64_t flip);

/** A zeroed struct is allowed. */
void gs_spread_close(struct gs_spread *spread);

#endif

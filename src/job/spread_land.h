// SPDX-License-Identifier: BSD-2-Clause
/* spread_land.h - keys that have reached their owner: to its store */
#ifndef GS_SPREAD_LAND_H
#define GS_SPREAD_LAND_H

#include <stddef.h>
#include <stdint.h>

#include "job/spread_state.h"

/* Behind the header of a block: its keys of one class follow. */
struct gs_segment {
	uint32_t key_class;
	uint32_t count;
	uint64_t key_bits;
};

/** Count COUNT keys of this rank that each occur TIMES times, and the bytes that they become. */
void gs_spread_measure(struct gs_spread *spread, unsigned key_class, unsigned key_bits,
                       const void *keys, size_t count, uint64_t times);

/** Put keys of this rank into its store, or into staging buffers of a GPU; thread RANK of those that
 *  add.  An error is noted in spread->error. */
void gs_spread_store(struct gs_spread *spread, unsigned rank, unsigned key_class, unsigned key_bits,
                     void *keys, size_t count);

/** Store blocks that have arrived, as many as there is room for, with all threads; *MOVED: set if there
 *  were any.  CONTEXT is the spread. */
MUST_CHECK gs_status gs_spread_land(void *context, bool *moved);

/** Within a round: store blocks that threads may claim; thread RANK. */
void gs_spread_land_some(struct gs_spread *spread, unsigned rank);

/** Within a round: release stored blocks, and let threads claim those that have arrived; thread 0. */
MUST_CHECK gs_status gs_spread_land_more(struct gs_spread *spread);

#endif

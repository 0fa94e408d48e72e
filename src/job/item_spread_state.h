// SPDX-License-Identifier: BSD-2-Clause
/* item_spread_state.h - what item_spread.c and item_land.c know of items on their way; see item_spread.h */
#ifndef GS_JOB_ITEM_SPREAD_STATE_H
#define GS_JOB_ITEM_SPREAD_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "format/line_order.h"
#include "net/exchange.h"
#include "net/ranks.h"
#include "plan/items.h"
#include "sort/items/divide.h"
#include "stages/engine.h"

/* The block for an owner that is being filled; of the thread whose turn it is. */
struct gs_item_block {
	bool     any;
	unsigned slot;
	size_t   bytes;		/* of it, used */
};

/* A rank that sends. */
struct gs_item_source {
	uint64_t next;		/* the number of its next block */
	char    *item;		/* that goes on in the next block: so far */
	size_t   bytes, room;
};

struct gs_item_spread {
	/* to be set */
	struct gs_ranks            *ranks;
	const struct gs_item_order *order;
	struct gs_monitor          *monitor;
	unsigned                    threads;
	const struct gs_line_order *lines;	/* their ends, if items are lines; or NULL */
	bool                        operands;	/* pieces of a set tell which one they are of */
	struct gs_item_owners       owners;	/* owned from open on */

	struct gs_taker    landing;	/* the store's */
	struct gs_exchange      exchange;
	size_t                  room;		/* that can be added in a round */
	struct gs_item_window   window;
	struct gs_item_tables   tables;		/* of each thread */
	struct gs_arena         arena;		/* the memory of: */
	char                   *scratch;	/* a piece of each thread, divided */
	struct gs_item_divider *dividers;
	uint64_t               *items;		/* of dividers */

	pthread_mutex_t         lock;		/* guards: */
	pthread_cond_t          turned;
	uint64_t                sequence, turn;	/* the next piece; and the one whose turn it is */
	struct gs_first_error   error;		/* of the network, found by a thread that adds */

	unsigned                operand;	/* that BLOCKS are of */
	struct gs_item_block   *blocks;		/* by owner */
	struct gs_item_source  *sources;	/* by rank */
	uint64_t                bytes;		/* of items that have reached this rank */
};

/* ---- item_land.c: items that have reached their owner, to its store --------- */

/** The bytes of the first items of DATA, which are BYTES in all, for which there is ROOM; 0: of none. */
size_t gs_item_land_fit(const struct gs_item_spread *spread, const char *data, size_t bytes,
                        size_t room);

/** Store blocks that have arrived in the order of their numbers, with all threads; *MOVED: set if there
 *  were any.  CONTEXT is the spread. */
MUST_CHECK gs_status gs_item_land(void *context, bool *moved);

#endif

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

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "net/exchange.h"
#include "net/ranks.h"
#include "sort/items/divide.h"
#include "sort/items/owners.h"
#include "stages/item_store.h"

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
	struct gs_item_store       *store;
	struct gs_monitor          *monitor;
	unsigned                    threads;
	char                        terminator;	/* of lines, which have no other one inside */
	bool                        verify;
	struct gs_item_owners       owners;	/* owned from open on */

	struct gs_item_taker    landing;	/* the store's */
	struct gs_exchange      exchange;
	size_t                  piece_bytes;
	char                   *memory;		/* of the window, and: */
	size_t                  memory_bytes;
	char                   *scratch;	/* a piece of each thread, divided */
	struct gs_item_divider *dividers;
	uint64_t               *items;		/* of dividers */

	pthread_mutex_t         lock;		/* guards: */
	pthread_cond_t          turned;
	uint64_t                sequence, turn;	/* the next piece; and the one whose turn it is */
	struct gs_first_error   error;		/* of the network, found by a thread that adds */

	struct gs_item_block   *blocks;		/* by owner */
	struct gs_item_source  *sources;	/* by rank */
	uint64_t                bytes;		/* of items that have reached this rank */
	_Atomic uint64_t        sum_in;		/* with VERIFY: of all that this rank has read */
};

/** The most that can be added in a round, and the largest item. */
size_t gs_item_spread_room(const struct gs_item_order *order, unsigned ranks, size_t window_bytes);

/** Memory that it takes beside the window. */
size_t gs_item_spread_bytes(const struct gs_item_order *order, unsigned ranks, size_t window_bytes,
                            unsigned threads);

/** Begin; collective.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_spread_open(struct gs_item_spread *spread, size_t window_bytes);

/** How it is filled.  The thread that calls reserve() is number 0 of those that add. */
struct gs_item_taker gs_item_spread_taker(struct gs_item_spread *spread);

/** All items of this rank have been added: send what is left, and take what is still to come. */
MUST_CHECK gs_status gs_item_spread_finish(struct gs_item_spread *spread);

/** A zeroed struct is allowed. */
void gs_item_spread_close(struct gs_item_spread *spread);

#endif

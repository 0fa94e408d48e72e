// SPDX-License-Identifier: BSD-2-Clause
/* spread_state.h - what spread.c and spread_land.c know of keys on their way; see spread.h */
#ifndef GS_SPREAD_STATE_H
#define GS_SPREAD_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "format/encode.h"
#include "job/sample.h"
#include "net/exchange.h"
#include "net/ranks.h"
#include "plan/plan.h"
#include "sort/splitters.h"
#include "stages/store.h"

/* The block for a rank that is being filled. */
struct gs_open_block {
	pthread_mutex_t lock;
	bool     any;		/* SLOT is taken */
	unsigned slot;
	size_t   bytes;		/* of it, used */
	size_t   segment;	/* where its last segment begins */
};

/* Threads that copy keys to a slot; with the lock of the block that it is or was. */
struct gs_writers {
	unsigned count;
	size_t   bytes;		/* not 0: it is full, and the last of them posts so many */
};

/* Keys of a class that are held back. */
struct gs_held {
	char  *keys;
	size_t bytes, room;
};

/* Blocks that have arrived, from the first on: threads claim them in turn. */
struct gs_landing {
	pthread_mutex_t lock;
	unsigned ready;		/* of exchange.arrived, that may be claimed */
	unsigned claimed, done;	/* of these */
};

struct gs_spread {
	struct gs_ranks       *ranks;
	struct gs_taker        own;		/* the store's */
	const struct gs_count *histogram;	/* its; no bins: it has none */
	const struct gs_plan  *plan;
	struct gs_monitor     *monitor;
	bool                   together;	/* equal keys have one owner */
	bool                   descending_classes;
	bool                   measures;	/* count the bytes that keys become */
	struct gs_encoding     encoding;	/* for that */
	struct gs_splitters    splitters;
	bool                   split;		/* there are splitters */

	struct gs_exchange exchange;
	struct gs_arena  arena;			/* the memory of: */
	size_t           scratch_bytes;
	char            *scratch;		/* of each thread */
	size_t          *ends;			/* of each thread: by owner */

	pthread_mutex_t  lock;			/* guards: */
	struct gs_held   held[GS_CLASSES];	/* until there are splitters */
	size_t           held_bytes;

	struct gs_open_block *blocks;		/* by owner */
	struct gs_writers *writers;		/* by slot */

	struct gs_landing landing;
	size_t           landing_room;		/* blocks for which the store has room in this round */

	struct gs_first_error error;		/* of the network or a GPU, found by any thread */

	_Atomic uint64_t keys, bytes;		/* of this rank, and measured */
};

#endif

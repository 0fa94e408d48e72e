// SPDX-License-Identifier: BSD-2-Clause
/*
 * exchange.h - blocks on their way between ranks
 *
 *     open; { take, fill, post by any thread; step, or turn }*; drain; close
 *
 * A block is a slot of the window (ranks.h) that begins with a header.  Blocks from one rank to another
 * arrive in the order of their numbers.  A rank may post a block to itself.
 *
 * The calling thread is the one that makes the calls of ranks.h.  Only it steps and sees what has
 * arrived.
 *
 * Invariant: a slot that gives is free, with a thread that fills it, in a parcel, being sent, or, if
 * it is for its own rank, arrived.
 */
#ifndef GS_EXCHANGE_H
#define GS_EXCHANGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "net/ranks.h"

/* What a block begins with. */
struct gs_block {
	uint64_t bytes;		/* with this; 0: the rank has sent its last one ... */
	uint64_t number;	/* of it, from its rank to this one; or, behind the last: how many came */
	uint32_t from;		/* rank */
	uint32_t goes_on;	/* the user's: what it ends with is continued in the next one */
};

/* A slot of the window that is on its way to rank TO. */
struct gs_parcel {
	unsigned slot, to;
};

/* A block that has arrived. */
struct gs_arrived {
	struct gs_block *block;
	unsigned         slot;		/* counted through the whole window */
};

struct gs_exchange {
	struct gs_ranks  *ranks;
	struct gs_window  window;
	bool              open;

	pthread_mutex_t   lock;		/* guards: */
	unsigned         *free_slots;
	unsigned          free_count;
	struct gs_parcel *parcels;	/* a ring of window.gives: to be sent, in this order */
	unsigned          parcel_first, parcel_count;
	uint64_t         *posted;	/* blocks, to each rank */

	/* the user's, to be set: */
	gs_status        (*land)(void *context, bool *moved);	/* take what has arrived; *MOVED: set if there
								 * was anything */
	void              *land_context;

	/* of the calling thread */
	unsigned          *given;
	struct gs_arrival *taken;
	struct gs_arrived *arrived;
	unsigned           arrived_count;
	uint64_t           landed, due;	/* blocks: seen, and of ranks that have ended */
	unsigned           ended;	/* ranks that will send nothing more */
};

/** The bytes of a window of RANKS, of which each has MEMORY_BYTES in all. */
size_t gs_exchange_window_bytes(unsigned ranks, uint64_t memory_bytes);

/** The bytes of a block of such a window, with its header. */
size_t gs_exchange_block_bytes(unsigned ranks, size_t window_bytes);

/** Begin, with a window of WINDOW_BYTES; collective.  GS_EBUDGET: a rank has no memory. */
MUST_CHECK gs_status gs_exchange_open(struct gs_exchange *exchange, struct gs_ranks *ranks,
                                      size_t window_bytes);

/** A free slot; any thread.  There is one: the caller has looked before. */
unsigned gs_exchange_take(struct gs_exchange *exchange);

/** The block of a slot that gives. */
struct gs_block *gs_exchange_block(const struct gs_exchange *exchange, unsigned slot);

/** Send the first BYTES of a slot, with the header, to rank TO; any thread.  Sets the header, but for
 *  goes_on. */
void gs_exchange_post(struct gs_exchange *exchange, unsigned slot, unsigned to, size_t bytes);

/** Send what was posted, and see what has been sent and has arrived; *MOVED: set if anything has. */
MUST_CHECK gs_status gs_exchange_step(struct gs_exchange *exchange, bool *moved);

/** The first COUNT of those that have arrived are not needed any more. */
MUST_CHECK gs_status gs_exchange_release(struct gs_exchange *exchange, unsigned count);

/** Step, and land what has arrived; sleep if nothing has happened, for longer the more often in a row: *IDLE
 *  counts. */
MUST_CHECK gs_status gs_exchange_turn(struct gs_exchange *exchange, unsigned *idle);

/** Tell all ranks that there will be no more, then turn until everything has been sent, has arrived and is
 *  released; close. */
MUST_CHECK gs_status gs_exchange_drain(struct gs_exchange *exchange);

/** Tell rank TO that there will be no more.  Takes a slot. */
void gs_exchange_end(struct gs_exchange *exchange, unsigned to);

/** Everything has been sent, has arrived and is released. */
bool gs_exchange_is_over(const struct gs_exchange *exchange);

/** A zeroed struct is allowed. */
void gs_exchange_close(struct gs_exchange *exchange);

#endif

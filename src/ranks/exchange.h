// SPDX-License-Identifier: BSD-2-Clause
/*
 * exchange.h - elements on their way from the rank that reads them to the rank that owns them
 *
 * For rank_job.h and the files that are named here.
 */
#ifndef GS_EXCHANGE_H
#define GS_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "engine/engine.h"
#include "engine/store.h"
#include "gsort.h"
#include "linekey/line_order.h"
#include "plan/items.h"
#include "plan/plan.h"
#include "ranks/net/ranks.h"
#include "sort/count.h"
#include "sort/items/divide.h"
#include "sort/splitters.h"
#include "text/encode.h"

struct gs_item_exchange;
struct gs_key_exchange;
struct gs_parts;
struct gs_text_options;

/* ---- a sample of the elements of all ranks, and who owns what by it (sample.c) ------ */

/*
 * A rank divides its parts of the inputs into as many strata as it takes elements, and takes a random
 * one from each (a stratified sample).  So sorted input is sampled as well as any other.
 */

/* What this rank adds to it; zeroed at first. */
struct gs_sample {
	/* to be set, if elements are drawn from files: */
	const struct gs_parts      *parts;	/* those that have ranges */
	const struct gsort_options *options;
	const struct gs_line_order *order;	/* of lines: tells where rows of CSV end */
	size_t item_bytes;			/* of a key or record; 0: lines */
	size_t room;				/* for each, at least ITEM_BYTES; longer lines are left out */
	size_t wanted;

	char  *items;				/* that were drawn, one after the other */
	size_t bytes;				/* of them */
	struct gs_sampled *keys;		/* with their weights */
	size_t count, keys_room;
};

/** How many keys each of RANKS takes: 16384, so that no share is larger than 1.05 of the mean, but
 *  for one job in 10^6; less if there are more than 256 ranks (at 4096, 1024 keys and 1.2). */
size_t gs_sample_wanted(unsigned ranks);

/** Draw as many items as are wanted, or as there are strata.  GS_EIO; GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_sample_draw(struct gs_sample *sample);

/** Add a key of a place (see splitters.h) that occurs WEIGHT times.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_sample_add(struct gs_sample *sample, unsigned place, uint64_t key, uint64_t weight);

/** Add what was drawn: binary keys, as they are in a file, or the numbers that lines of TEXT are. */
MUST_CHECK gs_status gs_sample_read_keys(struct gs_sample *sample, const struct gs_text_options *text);

/** If STATUS is GS_OK on all ranks, collect their keys, and make the splitters of EXCHANGE, the same on each;
 *  collective. */
MUST_CHECK gs_status
gs_sample_split(const struct gs_sample *sample, gs_status status, struct gs_key_exchange *exchange);

/**
 * The same for the owners of items.  The store is shown what this rank will own of the sample.
 *
 * @together  equal items have one owner
 */
MUST_CHECK gs_status gs_sample_split_items(const struct gs_sample *sample, gs_status status,
                                           bool together, struct gs_item_exchange *exchange);

void gs_sample_close(struct gs_sample *sample);

/* ---- elements on their way (exchange.c) ------------------------------------- */

/*
 *     open; an ingest stage fills the taker of a kind, { wait; put }* ; drain; close
 *
 * A thread that adds elements divides them by owner, and puts another rank's elements into a block for
 * that rank.  Full blocks are sent while the threads go on.
 *
 * No deadlock: threads fill blocks only after they have waited until there are enough of them, and while
 * that waits, it takes what arrives.  So receiving never waits for sending.
 */

/* Behind the header of a block, once or several times: elements of one class follow. */
struct gs_class_head {
	uint32_t key_class;	/* of items: 0 */
	uint32_t count;		/* keys, or bytes of items */
	uint64_t key_bits;	/* of items: 8 */
};

/* The block for a rank that is being filled. */
struct gs_open_block {
	pthread_mutex_t lock;
	struct gs_block *block;		/* NULL: none is open; else of SLOT */
	unsigned slot;
	size_t   bytes;			/* of it, used */
	struct gs_class_head *head;	/* its last one, or NULL */
};

/* Threads that copy elements to a slot; with the lock of the block that it is or was. */
struct gs_writers {
	unsigned count;
	size_t   bytes;		/* not 0: it is full, and the last of them posts this many */
};

struct gs_exchange {
	/* to be set */
	struct gs_ranks   *ranks;
	struct gs_taker    own;		/* the store's */
	struct gs_monitor *monitor;
	unsigned           threads;

	/* set by the kind of elements */
	/** How many of the BYTES at DATA, of whole items, have ROOM.  NULL: they are keys. */
	size_t (*fit)(const struct gs_exchange *exchange, const char *data, size_t bytes, size_t room);
	/** How much room that many free SLOTS have. */
	size_t (*room)(const struct gs_exchange *exchange, unsigned slots);
	/** Store what threads claim by the number AT: a block of keys, or a piece of items. */
	void   (*land_one)(struct gs_exchange *exchange, unsigned worker, unsigned at);

	struct gs_transport transport;
	struct gs_arena    arena;	/* the memory of: */
	char              *scratch;	/* of each thread */
	pthread_mutex_t    lock;	/* for the kind */
	struct gs_open_block *blocks;	/* by owner */
	struct gs_writers *writers;	/* by slot */
	pthread_mutex_t    landing;	/* guards what has arrived and threads claim in turn: */
	unsigned           ready, claimed, done;
	struct gs_first_error error;	/* of the network or a GPU, found by any thread */
};

/** Begin, after what the kind has allocated with STATUS; collective.  LAND takes what has arrived; its
 *  context is the exchange.  GS_EBUDGET. */
MUST_CHECK gs_status gs_exchange_open(struct gs_exchange *exchange, size_t window_bytes, gs_status status,
                                      gs_status (*land)(void *context, bool *moved));

/** Put elements of a class, as many as fit, into the block for OWNER, or into the next one if it is full;
 *  if not WHOLE, any bytes.  Returns how many bytes; 0: no element fits into a block.  Any thread. */
size_t gs_exchange_put(struct gs_exchange *exchange, unsigned owner, unsigned key_class, unsigned key_bits,
                       const char *data, size_t bytes, bool whole);

/** The block for OWNER is as full as it gets; what it ends with GOES ON in the next one.  No other thread
 *  puts elements of that owner. */
void gs_exchange_end_block(struct gs_exchange *exchange, unsigned owner, bool goes_on);

/** Land blocks that are ready and that no other thread has claimed. */
void gs_exchange_land_some(struct gs_exchange *exchange, unsigned worker);

/** Land COUNT, when no thread adds. */
void gs_exchange_land_all(struct gs_exchange *exchange, unsigned count);

/** Within a round: send and receive; thread 0.  False: there is an error. */
bool gs_exchange_step(struct gs_exchange *exchange);

/** Land what arrives until there is as much *ROOM in free slots as WISH. */
MUST_CHECK gs_status gs_exchange_wait(struct gs_exchange *exchange, size_t wish, size_t *room);

/** All has been put: send the last blocks, and take those still to come. */
MUST_CHECK gs_status gs_exchange_drain(struct gs_exchange *exchange);

/** Free what open() has got. */
void gs_exchange_close(struct gs_exchange *exchange);

/* ---- keys on their way (key_exchange.c) ------------------------------------- */

struct gs_key_exchange {
	struct gs_exchange     all;		/* first; its lock guards HELD */
	const struct gs_count *histogram;	/* of the store; no bins: it has none */
	const struct gs_plan  *plan;
	uint64_t               flip;		/* makes a key of the number of a bin */
	bool                   together;	/* equal keys have one owner */
	bool                   descending_classes;
	bool                   measures;	/* count the bytes that keys become */
	struct gs_encoding     encoding;	/* for that */
	struct gs_splitters    splitters;
	bool                   split;		/* there are splitters */
	size_t                 scratch_bytes;
	size_t                *ends;		/* of each thread: by owner */
	struct gs_bytes        held[GS_CLASSES];	/* keys, until there are splitters */
	size_t                 held_bytes;
	size_t                 landing_room;	/* blocks for which the store has room in this round */
	_Atomic uint64_t       keys, bytes;	/* of this rank, also alone; and measured */
};

/*
 * A rank's own keys go to the store at once.  Blocks that arrive go to the store of this rank, by whichever
 * thread looks next, so -S, spilling and a GPU work as in a process of its own.  What arrives when the store
 * is full makes it spill.
 *
 * Until there are splitters, because no input could be sampled, keys are held back.
 */

/** The largest chunk of text whose keys the window has room for. */
size_t gs_exchange_chunk_bytes(unsigned ranks, uint64_t window_bytes, bool floats);

/** Begin; collective.  What is to be set in ALL, and HISTOGRAM to MEASURES, are set; without splitters they
 *  are made from the first keys.  *TAKER: how it is filled; the thread that reserves is worker 0.
 *  GS_EBUDGET. */
MUST_CHECK gs_status gs_key_exchange_open(struct gs_key_exchange *exchange, size_t window_bytes,
                                          struct gs_taker *taker);

/** Make splitters from the keys that are held and the histogram; deal these keys out; collective. */
MUST_CHECK gs_status gs_key_exchange_split(struct gs_key_exchange *exchange);

/** Count COUNT keys of this rank that each occur TIMES times, and the bytes that they become. */
void gs_key_exchange_measure(struct gs_key_exchange *exchange, unsigned key_class, unsigned key_bits,
                             const void *keys, size_t count, uint64_t times);

/** A zeroed struct is allowed. */
void gs_key_exchange_close(struct gs_key_exchange *exchange);

/* ---- items on their way: what both files know (item_exchange.c, receive.c) */

/* A rank that sends. */
struct gs_sender {
	uint64_t next;		/* the number of its next block */
	struct gs_bytes item;	/* that goes on in the next block: so far */
};

/* Slices of a piece for the store, and pieces that are added at once. */
enum { GS_PIECE_SLICES = 32, GS_RECEIVED_PIECES = 64 };

struct gs_received_piece {
	struct gs_piece piece;		/* of SLICES */
	size_t bytes;
	struct gs_item_slice slices[GS_PIECE_SLICES];
};

struct gs_item_exchange {
	struct gs_exchange          all;	/* first */

	/* to be set */
	const struct gs_item_order *order;
	const struct gs_line_order *lines;	/* their ends, if items are lines; or NULL */
	struct gs_item_owners       owners;	/* owned from open on */

	size_t                  room;		/* that can be added in a round */
	struct gs_item_window   window;
	struct gs_item_tables   tables;		/* of each thread */
	struct gs_item_divider *dividers;	/* of a piece of each thread, in ALL.SCRATCH */
	uint64_t               *items;		/* of dividers */
	pthread_cond_t          turned;
	uint64_t                sequence, turn;	/* the next piece, and whose turn it is: with the lock */
	struct gs_sender       *senders;	/* by rank */
	struct gs_received_piece *pieces;	/* with the sequence numbers from FIRST on */
	unsigned                piece_count;
	size_t                  pieces_bytes;	/* of all */
	uint64_t                first;
	uint64_t                bytes;		/* of items that have reached this rank */
};

/* ---- items that have reached their owner (receive.c) ------------------- */

/** The bytes of the first items of DATA, which are BYTES in all, for which there is ROOM; 0: of none. */
size_t gs_item_fit(const struct gs_exchange *all, const char *data, size_t bytes, size_t room);

/** See gs_exchange.land_one. */
void gs_item_receive_piece(struct gs_exchange *all, unsigned worker, unsigned at);

/** Store blocks that have arrived in the order of their numbers, with all threads; *MOVED: set if there
 *  were any.  CONTEXT is the exchange. */
MUST_CHECK gs_status gs_item_receive(void *context, bool *moved);

/* ---- items on their way (item_exchange.c) ---------------------------------- */

/*
 *     open; an ingest stage fills the taker; drain; close
 *
 * A thread that adds a piece divides it by owner, waits until all pieces before it are in blocks,
 * and appends its own.  So what goes from one rank to another keeps its order, and the origin of an item
 * is the rank that has read it.  As the parts of the input are in the order of the ranks, an order by
 * origin is the order of the input, and the sort is stable.
 *
 * No deadlock: see exchange.h.  A rank's own items take the same way, without the network.
 */

/** The window of RANKS, for the sizes of their items. */
struct gs_item_window gs_item_exchange_window(unsigned ranks, size_t window_bytes);

/** Begin; collective.  *TAKER: as above.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_exchange_open(struct gs_item_exchange *exchange, size_t window_bytes,
                                           struct gs_taker *taker);

/** A zeroed struct is allowed. */
void gs_item_exchange_close(struct gs_item_exchange *exchange);

#endif

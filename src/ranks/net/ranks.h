// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks.h - the ranks that sort together, and what they tell each other
 *
 * A rank is a process of a job of MPI (ranks_mpi.c), or a thread that stands for one
 * (tests/mpi/ranks_threads.c).  One thread of each rank, always the same or one after the other, makes these
 * calls.  Every rank makes the same collective calls (gather, collect, sum, share, scan, agree) in the
 * same order.
 *
 * Blocks go from rank to rank through a window: memory that is divided into slots.  A rank fills
 * a slot and gives it; later poll() says that the slot may be filled again, or that a
 * block has arrived.  Where memory can be shared, a block stays where it is until its receiver has
 * retaken the slot that it counts for.  Nothing here waits for a receiver, so a rank that always
 * goes on to take blocks never blocks the others.
 *
 * A call that fails leaves a message.  The job is lost then: gs_ranks_abort() ends all ranks.
 */
#ifndef GS_RANKS_H
#define GS_RANKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/splitmix.h"	/* digests of what ranks compare */
#include "base/status.h"

struct gs_ranks;

/* The slots of one rank: first slots for blocks that it sends, then slots in which blocks arrive. */
struct gs_window {
	char    *memory;	/* calls->make() makes it: (gives + takes) * block_bytes */
	size_t   block_bytes;	/* less than 2^30 */
	unsigned gives, takes;	/* 1 at least */
};

/* A block that has arrived. */
struct gs_arrival {
	unsigned slot;		/* counted through the whole window */
	size_t   bytes;
	void    *data;		/* of this rank until it retakes the slot */
};

/* What implements the interface. */
struct gs_ranks_calls {
	gs_status (*gather)(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all);
	gs_status (*sum)(struct gs_ranks *ranks, uint64_t *values, size_t count);
	gs_status (*share)(struct gs_ranks *ranks, void *data, size_t bytes);

	/** Make the memory of a window, zeroed, and the ranks' until close(); then, when all ranks have
	 *  agreed that they have some, begin to exchange blocks.  Collective.  GS_EBUDGET: there is none. */
	gs_status (*make)(struct gs_ranks *ranks, struct gs_window *window);
	gs_status (*open)(struct gs_ranks *ranks);

	/** Begin to send the first BYTES of a slot, 1 at least, to rank TO, which is another one. */
	gs_status (*give)(struct gs_ranks *ranks, unsigned slot, unsigned to, size_t bytes);

	/** A block is not needed any more: its slot is free to take another one. */
	gs_status (*retake)(struct gs_ranks *ranks, unsigned slot);

	/** What has happened since the last call?  Never waits.  GIVEN is set to the slots that have been
	 *  sent, with room for window.gives, TAKEN to the blocks that have arrived, for window.takes. */
	gs_status (*poll)(struct gs_ranks *ranks, unsigned *given, unsigned *given_count,
	                  struct gs_arrival *taken, unsigned *taken_count);

	/** No more blocks: all that were given have been sent, and all that were to come have arrived. */
	void      (*close)(struct gs_ranks *ranks);
	void      (*end)(struct gs_ranks *ranks, int status);
};

enum { GS_HOST_BYTES = 64, GS_RANKS_MOST = 65536 };

struct gs_ranks {
	const struct gs_ranks_calls *calls;	/* NULL: it is alone, has no window and ends nobody */
	unsigned rank, size;			/* this one; how many there are */
	unsigned local_rank, local_size;	/* the same among the ranks of this host */
	char     host[GS_HOST_BYTES];
	bool     agreed;			/* all ranks know that the job has failed */
	bool     lost;				/* a collective call has failed here: no more are made */
};

/** Collect BYTES from each rank, in the order of ranks, at ALL: ranks->size * BYTES. */
MUST_CHECK gs_status gs_ranks_gather(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all);

/** The same in new memory, to which the pointer at ALL is set, to be freed.  GS_EBUDGET: a rank got none,
 *  which all know then. */
MUST_CHECK gs_status
gs_ranks_gather_new(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all);

/* What ranks have, one behind the other. */
struct gs_collected {
	char     *data;
	uint64_t *sizes;	/* the bytes of each of all ranks */
	uint64_t  bytes;	/* of DATA */
};

/**
 * If STATUS is GS_OK on all ranks, collect what ranks FROM to before TO have; this one has BYTES.  To be
 * closed in any case.
 */
MUST_CHECK gs_status gs_ranks_collect(struct gs_ranks *ranks, gs_status status, const void *mine,
                                      uint64_t bytes, unsigned from, unsigned to,
                                      struct gs_collected *all);

void gs_collected_close(struct gs_collected *all);

/** Add up COUNT values over all ranks; each gets the sums. */
MUST_CHECK gs_status gs_ranks_sum(struct gs_ranks *ranks, uint64_t *values, size_t count);

/** Give every rank the BYTES that rank 0 has at DATA. */
MUST_CHECK gs_status gs_ranks_share(struct gs_ranks *ranks, void *data, size_t bytes);

/** Set *BEFORE to the sum of MINE over all ranks before this one, *ALL to that over all. */
MUST_CHECK gs_status
gs_ranks_scan(struct gs_ranks *ranks, uint64_t mine, uint64_t *before, uint64_t *all);

/**
 * Has each rank succeeded so far?
 *
 * @status  of this rank, with its message
 * @return  GS_OK: all have.  Else the first rank that failed returns its status, with its message;
 *          the others GS_EIO with an empty one.
 */
MUST_CHECK gs_status gs_ranks_agree(struct gs_ranks *ranks, gs_status status);

/* ---- blocks ---------------------------------------------------------------- */

/** Nothing has happened: sleep, for longer the more often in a row; *IDLE counts. */
void gs_ranks_rest(unsigned *idle);

/** End all ranks, with the exit STATUS.  With MPI it does not return. */
void gs_ranks_abort(struct gs_ranks *ranks, int status);

/* ---- processes of a job of MPI (ranks_mpi.c) ------------------------------- */

/* MPI is asked for MPI_THREAD_SERIALIZED: one thread at a time makes calls of ranks.h, and it need not be the
 * one that calls gs_ranks_mpi_open(). */

/**
 * Begin MPI.
 *
 * @return  GS_OK; GS_EIO: MPI cannot start, or a launcher has started several processes and MPI
 *          sees only one, because the launcher is another MPI's
 */
MUST_CHECK gs_status gs_ranks_mpi_open(struct gs_ranks **ranks, int *argc, char ***argv);

/** End MPI, after all ranks have succeeded, or all have agreed that they have not. */
void gs_ranks_mpi_close(struct gs_ranks *ranks);

/* ---- blocks on their way between ranks (transport.c) -------------------------- */

/*
 *     open; { take, fill, post by any thread; step, or turn }*; drain; close
 *
 * A block is a slot of the window that begins with a header.  Blocks from one rank to another
 * arrive in the order of their numbers.  A rank may post a block to itself.
 *
 * The calling thread is the one that makes the calls above.  Only it steps and sees what has
 * arrived.
 *
 * Invariant: a slot that gives is free, with a thread that fills it, in a parcel, being sent, or, if
 * it is for its own rank, arrived.
 */

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

struct gs_transport {
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
	struct gs_arrival *arrived;	/* their data are blocks; some are of this rank itself */
	unsigned           arrived_count;
	uint64_t           landed, due;	/* blocks: seen, and of ranks that have ended */
	unsigned           ended;	/* ranks that will send nothing more */
};

/** The bytes of a window, for RANKS with MEMORY_BYTES each. */
size_t gs_transport_window_bytes(unsigned ranks, uint64_t memory_bytes);

/** The bytes of a block of such a window, with its header. */
size_t gs_transport_block_bytes(unsigned ranks, size_t window_bytes);

/** Begin, with a window of WINDOW_BYTES; collective.  GS_EBUDGET: a rank has no memory. */
MUST_CHECK gs_status gs_transport_open(struct gs_transport *transport, struct gs_ranks *ranks,
                                       size_t window_bytes);

/** A free slot; any thread.  There is one: the caller has looked before. */
unsigned gs_transport_take(struct gs_transport *transport);

/** The block of a slot that gives. */
struct gs_block *gs_transport_block(const struct gs_transport *transport, unsigned slot);

/** Send the first BYTES of a slot, with the header, to rank TO; any thread.  Sets the header, but for
 *  goes_on.  BYTES 0: it is the last one. */
void gs_transport_post(struct gs_transport *transport, unsigned slot, unsigned to, size_t bytes);

/** Send what was posted, and see what has been sent and has arrived; *MOVED: set if anything has. */
MUST_CHECK gs_status gs_transport_step(struct gs_transport *transport, bool *moved);

/** The first COUNT blocks that have arrived are not needed any more. */
MUST_CHECK gs_status gs_transport_release(struct gs_transport *transport, unsigned count);

/** Step, and land what has arrived; sleep if nothing has happened, for longer the more often in a row: *IDLE
 *  counts. */
MUST_CHECK gs_status gs_transport_turn(struct gs_transport *transport, unsigned *idle);

/** Tell all ranks that there will be no more, then turn until everything has been sent, has arrived and is
 *  released; close. */
MUST_CHECK gs_status gs_transport_drain(struct gs_transport *transport);

/** Everything has been sent, has arrived and is released. */
bool gs_transport_is_over(const struct gs_transport *transport);

/** A zeroed struct is allowed. */
void gs_transport_close(struct gs_transport *transport);

#endif

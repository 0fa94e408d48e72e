// SPDX-License-Identifier: BSD-2-Clause
/*
 * thread.h - the few long-lived threads of the pipeline, and what they pass on
 *
 * Data-parallel loops are for teams (team.h); these are for what must go on beside the
 * main thread: reading ahead, writing behind, opening the device.
 */
#ifndef GS_THREAD_H
#define GS_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct gs_thread {
	pthread_t   id;
	bool        runs;		/* started and not yet joined */
	gs_status   status;		/* what BODY returned */
	char        message[GS_MESSAGE_BYTES];	/* and its sentence */
	gs_status (*body)(void *context);
	void       *context;
	bool        done;		/* BODY has returned; guarded by lock */
	pthread_mutex_t lock;
};

/** Run BODY(CONTEXT) beside the caller.  All signals stay with the caller's thread. */
MUST_CHECK gs_status gs_thread_start(struct gs_thread *thread,
                                     gs_status (*body)(void *), void *context);

/** Has BODY returned?  Never blocks. */
bool gs_thread_ends(struct gs_thread *thread);

/** Wait for BODY; returns its status, with its sentence now the caller's. */
gs_status gs_thread_join(struct gs_thread *thread);

/*
 * A bounded queue of pointers, one giver and one taker.
 */
enum { GS_QUEUE_SLOTS = 8 };

struct gs_queue {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	void           *items[GS_QUEUE_SLOTS];
	unsigned        count, first;
	bool            shut;
};

void  gs_queue_open(struct gs_queue *queue);
/** Append; blocks while full.  False if the queue was shut: the item was not taken. */
bool  gs_queue_give(struct gs_queue *queue, void *item);
/** Remove the oldest; blocks while empty.  NULL once shut and empty. */
void *gs_queue_take(struct gs_queue *queue);
/** No more items: wakes both sides.  May be called twice. */
void  gs_queue_shut(struct gs_queue *queue);
void  gs_queue_close(struct gs_queue *queue);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * thread.h - the few long-lived threads of a job, and the queues between them
 *
 * A thread that reads ahead or writes behind the main thread is started here.  Loops over
 * data are shared out by teams (team.h).
 */
#ifndef GS_THREAD_H
#define GS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"

/*
 * The least stack of a thread.  The body with the deepest stack sorts skewed keys, and needs less than
 * a fifth of this.  The caller's thread runs all of them, too, and must do with what it has: so no
 * frame is larger than 20 KiB (configure --enable-werror), except the one of a large leaf
 * (sort/cpu/bitonic.inc).
 */
enum { GS_STACK_BYTES = 1 << 20 };

/** Refuse a thread of the caller whose stack is too small for any call (gsort.h): it would end in SIGSEGV. */
MUST_CHECK gs_status gs_thread_check_stack(void);

struct gs_thread {
	pthread_t   id;
	bool        runs;		/* started and not yet joined */
	struct gs_error error;		/* what BODY returned, and its message */
	gs_status (*body)(void *context);
	void       *context;
};

/** Run BODY(CONTEXT) beside the caller, with all signals blocked. */
MUST_CHECK gs_status gs_thread_start(struct gs_thread *thread,
                                     gs_status (*body)(void *), void *context);

/** Could some thread not be started, here or in a team, since the last call?  Jobs go on without. */
bool gs_thread_was_missed(void);

/** pthread_create(3) with all signals blocked, and the larger of the default stack and the least one, or
 *  DETACHED with the least one.  Returns 0, or an errno. */
int gs_thread_create(pthread_t *id, bool detached, void *(*body)(void *), void *context);

/** Wait for BODY; returns its status, with its message now the caller's. */
gs_status gs_thread_join(struct gs_thread *thread);

/*
 * A bounded queue of pointers, between threads that give and threads that take.
 */
enum { GS_QUEUE_SLOTS = 32 };

struct gs_queue {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	void           *items[GS_QUEUE_SLOTS];
	unsigned        count, first;
	bool            shut;
};

void  gs_queue_open(struct gs_queue *queue);
/** Append; blocks while the queue is full.  False if it was shut: ITEM was not taken. */
bool  gs_queue_give(struct gs_queue *queue, void *item);
/** Remove the oldest item; blocks while the queue is empty.  NULL once it is shut and empty. */
void *gs_queue_take(struct gs_queue *queue);
/** Refuse more items, and wake all threads.  May be called twice. */
void  gs_queue_shut(struct gs_queue *queue);
void  gs_queue_close(struct gs_queue *queue);

#endif

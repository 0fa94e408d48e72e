// SPDX-License-Identifier: BSD-2-Clause
/* thread.c - long-lived threads, and the queue between two of them */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/monitor.h"
#include "base/thread.h"

static atomic_bool missed;

bool
gs_thread_was_missed(void)
{
	return atomic_exchange(&missed, false);
}

int
gs_thread_create(pthread_t *id, bool detached, void *(*body)(void *), void *context)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	size_t stack_bytes;
	int error;

	pthread_attr_init(&attributes);
	if (detached)
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (detached || (pthread_attr_getstacksize(&attributes, &stack_bytes) == 0 &&
	                 stack_bytes < GS_STACK_BYTES))
		pthread_attr_setstacksize(&attributes, GS_STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);	/* the new thread inherits this */
	error = pthread_create(id, &attributes, body, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error != 0)
		atomic_store(&missed, true);
	return error;
}

static void *
thread_main(void *context)
{
	struct gs_thread *thread = context;

	gs_error_keep(&thread->error, thread->body(thread->context));
	return NULL;
}

gs_status
gs_thread_start(struct gs_thread *thread, gs_status (*body)(void *), void *context)
{
	thread->body = body;
	thread->context = context;
	errno = gs_thread_create(&thread->id, false, thread_main, thread);
	thread->runs = errno == 0;
	return thread->runs ? GS_OK : gs_fail_errno(GS_EBUDGET, "cannot start a thread");
}

gs_status
gs_thread_join(struct gs_thread *thread)
{
	if (thread->runs) {
		pthread_join(thread->id, NULL);
		thread->runs = false;
	}
	return thread->error.status == GS_OK ? GS_OK : gs_error_again(&thread->error);
}

void
gs_queue_open(struct gs_queue *queue)
{
	*queue = (struct gs_queue){ .count = 0 };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->changed, NULL);
}

/* Wait for the other thread; this thread's clock (monitor.h) stops meanwhile. */
static void
await_change(struct gs_queue *queue)
{
	const uint64_t since = gs_clock_wall();

	pthread_cond_wait(&queue->changed, &queue->lock);
	gs_clock_helped -= gs_clock_wall() - since;
}

bool
gs_queue_give(struct gs_queue *queue, void *item)
{
	bool given;

	pthread_mutex_lock(&queue->lock);
	while (queue->count == GS_QUEUE_SLOTS && !queue->shut)
		await_change(queue);
	given = !queue->shut;
	if (given)
		queue->items[(queue->first + queue->count++) % GS_QUEUE_SLOTS] = item;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return given;
}

void *
gs_queue_take(struct gs_queue *queue)
{
	void *item = NULL;

	pthread_mutex_lock(&queue->lock);
	while (queue->count == 0 && !queue->shut)
		await_change(queue);
	if (queue->count > 0) {
		item = queue->items[queue->first];
		queue->first = (queue->first + 1) % GS_QUEUE_SLOTS;
		queue->count--;
	}
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return item;
}

void
gs_queue_shut(struct gs_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->shut = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void
gs_queue_close(struct gs_queue *queue)
{
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->changed);
}

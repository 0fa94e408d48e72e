// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks_threads.c - ranks that are threads of one process
 *
 * A collective call is a barrier, a copy, and a barrier.  A block waits in the receiver's list until
 * the receiver polls with a free slot; so a sender's slot stays busy as long as it would with MPI.
 * Blocks of even slots are handed out where they are, as between ranks that share memory; the others
 * are copied.
 *
 * After gs_ranks_abort() every call of every rank fails, so all threads end.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/ranks_threads.h"

enum { FEW_SUMS = 64 };

/* A block that has been given, and not yet taken. */
struct post {
	struct post *next;
	unsigned     from, slot;
	size_t       bytes;
};

struct member {
	struct gs_ranks  ranks;
	struct gs_hub   *hub;
	struct gs_window window;
	struct post     *posts;		/* one a slot that gives */
	unsigned        *sent;		/* slots that have been sent, since the last poll */
	unsigned         sent_count;
	bool            *takes;		/* the slots that wait for a block */
	struct post    **owed;		/* the block that each slot has, where it is; or NULL */
	struct post     *first, **last;	/* blocks for this rank */
	const void      *data;		/* of a collective call */

	pthread_t        thread;
	void           (*run)(struct gs_ranks *ranks, void *member);
	void            *given;
};

struct gs_hub {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	unsigned        size, waiting;
	uint64_t        rounds;		/* of barriers */
	bool            aborted;
	struct member   members[];
};

static struct member *
own(struct gs_ranks *ranks)
{
	return (struct member *)ranks;
}

static gs_status
fail_aborted(void)
{
	return gs_fail(GS_EIO, "%s", "");
}

/* ---- collective calls ----------------------------------------------------------- */

/* Wait until all ranks are here. */
static gs_status
meet(struct gs_hub *hub)
{
	bool aborted;

	pthread_mutex_lock(&hub->lock);
	if (++hub->waiting == hub->size) {
		hub->waiting = 0;
		hub->rounds++;
		pthread_cond_broadcast(&hub->changed);
	} else {
		const uint64_t round = hub->rounds;

		while (round == hub->rounds && !hub->aborted)
			pthread_cond_wait(&hub->changed, &hub->lock);
	}
	aborted = hub->aborted;
	pthread_mutex_unlock(&hub->lock);
	return aborted ? fail_aborted() : GS_OK;
}

static gs_status
gather(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all)
{
	struct gs_hub *hub = own(ranks)->hub;

	own(ranks)->data = mine;
	TRY(meet(hub));
	for (unsigned r = 0; r < hub->size; r++)
		memcpy((char *)all + r * bytes, hub->members[r].data, bytes);
	return meet(hub);
}

static gs_status
sum(struct gs_ranks *ranks, uint64_t *values, size_t count)
{
	struct gs_hub *hub = own(ranks)->hub;
	uint64_t few[FEW_SUMS] = { 0 };		/* statistics: it is too late for an error */
	uint64_t *sums = count <= FEW_SUMS ? few : calloc(count, sizeof *sums);
	gs_status status;

	if (sums == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu sums", count);
	own(ranks)->data = values;
	status = meet(hub);
	for (unsigned r = 0; status == GS_OK && r < hub->size; r++)
		for (size_t i = 0; i < count; i++)
			sums[i] += ((const uint64_t *)hub->members[r].data)[i];
	if (status == GS_OK)
		status = meet(hub);
	if (status == GS_OK && count > 0)	/* else VALUES may be NULL */
		memcpy(values, sums, count * sizeof *sums);
	if (sums != few)
		free(sums);
	return status;
}

static gs_status
share(struct gs_ranks *ranks, void *data, size_t bytes)
{
	struct gs_hub *hub = own(ranks)->hub;

	own(ranks)->data = data;
	TRY(meet(hub));
	if (ranks->rank > 0)
		memcpy(data, hub->members[0].data, bytes);
	return meet(hub);
}

/* ---- blocks ------------------------------------------------------------------------ */

static void
free_window(struct member *me)
{
	free(me->window.memory);
	free(me->posts);
	free(me->sent);
	free(me->takes);
	free(me->owed);
	me->window.memory = NULL;
	me->posts = NULL;
	me->sent = NULL;
	me->takes = NULL;
	me->owed = NULL;
}

/* After an abort another rank may still look at its blocks. */
static void
close_window(struct gs_ranks *ranks)
{
	if (meet(own(ranks)->hub) == GS_OK)
		free_window(own(ranks));
}

static gs_status
make_window(struct gs_ranks *ranks, struct gs_window *window)
{
	struct member *me = own(ranks);

	window->memory = calloc(window->gives + window->takes, window->block_bytes);
	me->window = *window;
	me->posts = calloc(window->gives, sizeof *me->posts);
	me->sent = calloc(window->gives, sizeof *me->sent);
	me->takes = calloc(window->takes, sizeof *me->takes);
	me->owed = calloc(window->takes, sizeof(struct post *));
	me->sent_count = 0;
	me->first = NULL;
	me->last = &me->first;
	if (window->memory == NULL || me->posts == NULL || me->sent == NULL || me->takes == NULL ||
	    me->owed == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %u blocks", window->gives + window->takes);
	for (unsigned s = 0; s < window->takes; s++)
		me->takes[s] = true;
	return GS_OK;
}

static gs_status
open_window(struct gs_ranks *ranks)
{
	return meet(own(ranks)->hub);
}

static gs_status
give(struct gs_ranks *ranks, unsigned slot, unsigned to, size_t bytes)
{
	struct member *me = own(ranks), *other = &me->hub->members[to];
	struct post *post = &me->posts[slot];

	assert(bytes <= other->window.block_bytes);
	*post = (struct post){ .from = ranks->rank, .slot = slot, .bytes = bytes };
	pthread_mutex_lock(&me->hub->lock);
	*other->last = post;
	other->last = &post->next;
	pthread_mutex_unlock(&me->hub->lock);
	return GS_OK;
}

/* The sender may fill the slot of a block again; with the lock. */
static void
give_back(struct gs_hub *hub, const struct post *post)
{
	struct member *from = &hub->members[post->from];

	from->sent[from->sent_count++] = post->slot;
}

static gs_status
retake(struct gs_ranks *ranks, unsigned slot)
{
	struct member *me = own(ranks);

	slot -= me->window.gives;
	assert(!me->takes[slot]);
	me->takes[slot] = true;
	if (me->owed[slot] == NULL)
		return GS_OK;
	pthread_mutex_lock(&me->hub->lock);
	give_back(me->hub, me->owed[slot]);
	pthread_mutex_unlock(&me->hub->lock);
	me->owed[slot] = NULL;
	return GS_OK;
}

/* Take the first block that waits into SLOT; with the lock.  False: there is none. */
static bool
take(struct member *me, unsigned slot, struct gs_arrival *arrival)
{
	struct post *post = me->first;
	const struct member *from;

	if (post == NULL)
		return false;
	from = &me->hub->members[post->from];
	me->first = post->next;
	if (me->first == NULL)
		me->last = &me->first;
	me->takes[slot] = false;
	*arrival = (struct gs_arrival){
		.slot = me->window.gives + slot, .bytes = post->bytes,
		.data = from->window.memory + post->slot * from->window.block_bytes,
	};
	if (post->slot % 2 == 0) {
		me->owed[slot] = post;
		return true;
	}
	arrival->data = memcpy(me->window.memory + (me->window.gives + slot) *
	                       me->window.block_bytes, arrival->data, post->bytes);
	give_back(me->hub, post);
	return true;
}

static gs_status
poll(struct gs_ranks *ranks, unsigned *given, unsigned *given_count, struct gs_arrival *taken,
     unsigned *taken_count)
{
	struct member *me = own(ranks);
	bool aborted;

	*taken_count = 0;
	pthread_mutex_lock(&me->hub->lock);
	for (unsigned s = 0; s < me->window.takes && !me->hub->aborted; s++)
		if (me->takes[s] && take(me, s, &taken[*taken_count]))
			++*taken_count;
	memcpy(given, me->sent, me->sent_count * sizeof *given);
	*given_count = me->sent_count;
	me->sent_count = 0;
	aborted = me->hub->aborted;
	pthread_mutex_unlock(&me->hub->lock);
	return aborted ? fail_aborted() : GS_OK;
}

static void
end_all(struct gs_ranks *ranks, int status)
{
	struct gs_hub *hub = own(ranks)->hub;

	(void)status;
	pthread_mutex_lock(&hub->lock);
	hub->aborted = true;
	pthread_cond_broadcast(&hub->changed);
	pthread_mutex_unlock(&hub->lock);
}

static const struct gs_ranks_calls calls = {
	gather, sum, share, make_window, open_window, give, retake, poll, close_window, end_all,
};

/* ---- beginning and end ----------------------------------------------------------------- */

static struct gs_hub *
open_hub(unsigned size)
{
	struct gs_hub *hub = calloc(1, sizeof *hub + size * sizeof hub->members[0]);

	if (hub == NULL)
		return NULL;
	pthread_mutex_init(&hub->lock, NULL);
	pthread_cond_init(&hub->changed, NULL);
	hub->size = size;
	for (unsigned r = 0; r < size; r++) {
		hub->members[r].hub = hub;
		hub->members[r].ranks = (struct gs_ranks){
			.calls = &calls, .rank = r, .size = size, .local_rank = r, .local_size = size,
			.host = "here",
		};
	}
	return hub;
}

static void
close_hub(struct gs_hub *hub)
{
	for (unsigned r = 0; r < hub->size; r++)
		free_window(&hub->members[r]);
	pthread_mutex_destroy(&hub->lock);
	pthread_cond_destroy(&hub->changed);
	free(hub);
}

static void *
run_rank(void *context)
{
	struct member *m = context;

	m->run(&m->ranks, m->given);
	return NULL;
}

bool
gs_ranks_threads_run(unsigned size, void (*run)(struct gs_ranks *ranks, void *member), void *members,
                     size_t bytes)
{
	struct gs_hub *hub = open_hub(size);
	sigset_t all, before;
	unsigned started = 1;

	if (hub == NULL)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);		/* a new thread inherits this */
	for (; started < size; started++) {
		struct member *m = &hub->members[started];

		m->run = run;
		m->given = (char *)members + started * bytes;
		if (pthread_create(&m->thread, NULL, run_rank, m) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started == size)
		run(&hub->members[0].ranks, members);
	else
		gs_ranks_abort(&hub->members[0].ranks, 2);
	for (unsigned r = 1; r < started; r++)
		pthread_join(hub->members[r].thread, NULL);
	close_hub(hub);
	return started == size;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * team.c - one function, run by several threads at once
 *
 * A caller claims idle workers, starts new ones up to its limit, wakes them, runs as worker 0,
 * and sleeps until the last worker returns.  A team of gs_team_each() that got fewer members
 * than it asked for stays open: a worker joins an open team before it goes to sleep, so a
 * stage that starts a moment too early does not stay alone until its end.
 *
 * Threads sleep on futexes (futex.c), which need no lock.
 *
 * Invariant: a worker is either in the list of idle workers, or counted in at_work of one team.
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/monitor.h"
#include "base/team.h"
#include "base/thread.h"

struct team {
	gs_team_body *body;
	void         *context;
	unsigned      size;
	atomic_uint   at_work;		/* workers that have not returned */
	_Atomic uint64_t helped_ns;	/* the time that workers have spent on it */
	struct team  *next_open;
	unsigned      wanted;		/* workers that may still join, while it is open */
};

struct worker {
	struct worker *next_idle;
	struct team   *team;		/* the one it belongs to */
	unsigned       number;
	atomic_uint    called;		/* TEAM is set and waits */
};

static struct {
	pthread_mutex_t lock;
	struct worker   workers[GS_TEAM_MAX];
	unsigned        count;		/* workers that have been started */
	struct worker  *idle;
	struct team    *open;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- sleep ----------------------------------------------------------------- */

/* Sleep while *WORD is VALUE, or wake up early; the thread's clock (monitor.h) stops. */
static void
sleep_while(atomic_uint *word, unsigned value)
{
	const uint64_t since = gs_clock_wall();

	gs_futex_wait(word, value);
	gs_clock_helped -= gs_clock_wall() - since;
}

/* ---- workers --------------------------------------------------------------- */

static void *
work(void *context)
{
	struct worker *worker = context;

	for (;;) {
		struct team *team, *next;

		while (atomic_exchange(&worker->called, 0) == 0)
			sleep_while(&worker->called, 0);
		for (team = worker->team; team != NULL; team = next) {
			const uint64_t since = gs_clock_now();

			team->body(team->context, worker->number, team->size);
			atomic_fetch_add(&team->helped_ns, gs_clock_now() - since);
			/* Join an open team, or become idle: then another thread may call this one. */
			pthread_mutex_lock(&pool.lock);
			for (next = pool.open; next != NULL && next->wanted == 0;)
				next = next->next_open;
			if (next != NULL) {
				next->wanted--;
				atomic_fetch_add(&next->at_work, 1);
			} else {
				worker->next_idle = pool.idle;
				pool.idle = worker;
			}
			pthread_mutex_unlock(&pool.lock);
			/* The last access to TEAM.  Once the count is 0 the caller may return, and TEAM is
			 * gone: the wake-up uses its address only. */
			if (atomic_fetch_sub(&team->at_work, 1) == 1)
				gs_futex_wake(&team->at_work, 1);
		}
	}
	return NULL;
}

/* A child of fork() has no workers.  It must not have been forked within a body. */
static void
forget_workers(void)
{
	memset(&pool, 0, sizeof pool);
	pthread_mutex_init(&pool.lock, NULL);
	gs_futex_forget();
}

/* ---- teams ----------------------------------------------------------------- */

/* Claim idle workers, or start some, until TEAM has THREADS members, and wake them.  The caller runs as
 * worker 0, and then calls await(). */
static void
begin(struct team *team, unsigned threads, bool open)
{
	struct worker *members = NULL, *next;
	pthread_t id;

	threads = threads < 1 ? 1 : threads > GS_TEAM_MAX ? GS_TEAM_MAX : threads;
	pthread_mutex_lock(&pool.lock);
	for (; team->size < threads; team->size++) {
		struct worker *worker = pool.idle;

		if (worker != NULL) {
			pool.idle = worker->next_idle;
		} else {
			worker = &pool.workers[pool.count];
			if (pool.count + 1 >= threads)
				break;
			if (pool.count == 0)
				(void)pthread_atfork(NULL, NULL, forget_workers);
			if (gs_thread_create(&id, true, work, worker) != 0)
				break;
			pool.count++;
		}
		worker->team = team;
		worker->number = team->size;
		worker->next_idle = members;
		members = worker;
	}
	atomic_init(&team->at_work, team->size - 1);
	if (open) {
		team->wanted = threads - team->size;
		team->next_open = pool.open;
		pool.open = team;
	}
	pthread_mutex_unlock(&pool.lock);
	for (; members != NULL; members = next) {
		next = members->next_idle;	/* once called, it may become idle again */
		atomic_store(&members->called, 1);
		gs_futex_wake(&members->called, 1);
	}
}

static void
await(struct team *team)
{
	unsigned at_work;

	while ((at_work = atomic_load(&team->at_work)) > 0)
		sleep_while(&team->at_work, at_work);
	gs_clock_helped += atomic_load(&team->helped_ns);
}

void
gs_team_run(unsigned threads, gs_team_body *body, void *context)
{
	struct team team = { .body = body, .context = context, .size = 1 };

	if (threads > 1)
		begin(&team, threads, false);
	team.body(team.context, 0, team.size);
	await(&team);
}

/* What the members of gs_team_each() share. */
struct each {
	void        (*each)(void *context, size_t i);
	void         *context;
	size_t        count;
	atomic_size_t next;
};

static void
run_each(void *context, unsigned worker, unsigned size)
{
	struct each *each = context;
	size_t i;

	(void)worker, (void)size;
	while ((i = atomic_fetch_add(&each->next, 1)) < each->count)
		each->each(each->context, i);
}

void
gs_team_each(unsigned threads, size_t count, void (*each)(void *context, size_t i), void *context)
{
	struct each all = { .each = each, .context = context, .count = count };
	struct team team = { .body = run_each, .context = &all, .size = 1 }, **at = &pool.open;

	if (threads > count)
		threads = (unsigned)count;
	if (threads > 1)
		begin(&team, threads, true);
	team.body(team.context, 0, team.size);
	if (threads > 1) {
		/* No other worker joins TEAM.  Called workers that have not begun become idle again: on a
		 * busy processor they may begin milliseconds later. */
		pthread_mutex_lock(&pool.lock);
		while (*at != &team)
			at = &(*at)->next_open;
		*at = team.next_open;
		for (unsigned w = 0; w < pool.count; w++) {
			struct worker *worker = &pool.workers[w];

			if (worker->team == &team && atomic_exchange(&worker->called, 0) == 1) {
				worker->next_idle = pool.idle;
				pool.idle = worker;
				atomic_fetch_sub(&team.at_work, 1);
			}
		}
		pthread_mutex_unlock(&pool.lock);
	}
	await(&team);
}

/* ---- how many threads --------------------------------------------------------- */

/* The number at the beginning of variable NAME, which may be "4,2" for nested regions; or 0. */
static unsigned
number_of(const char *name)
{
	const char *text = getenv(name);
	const long number = text != NULL ? strtol(text, NULL, 10) : 0;

	return number < 1 ? 0 : number > INT_MAX ? INT_MAX : (unsigned)number;
}

unsigned
gs_team_most(void)
{
	const unsigned asked = number_of("OMP_NUM_THREADS"), limit = number_of("OMP_THREAD_LIMIT");
	const unsigned most = asked > 0 ? asked : gs_cores_count();

	return limit > 0 && limit < most ? limit : most;
}

/* ---- copying ---------------------------------------------------------------- */

struct copy {
	char       *to;
	const char *from;
	size_t      bytes;
};

enum { SHARE_BYTES = 256 << 10 };	/* copied by a thread at a time; not tuned */

static void
copy_share(void *context, size_t share)
{
	const struct copy *copy = context;
	const size_t at = share * SHARE_BYTES, left = copy->bytes - at;

	memcpy(copy->to + at, copy->from + at, left < SHARE_BYTES ? left : SHARE_BYTES);
}

void
gs_team_copy(unsigned threads, void *to, const void *from, size_t bytes)
{
	struct copy copy = { to, from, bytes };

	gs_team_each(threads, (bytes + SHARE_BYTES - 1) / SHARE_BYTES, copy_share, &copy);
}

// SPDX-License-Identifier: BSD-2-Clause
/* team.c - rows for src/base/team.c */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/monitor.h"
#include "base/team.h"
#include "tests/unit/units.h"

void unit_team(void);

enum { MOST = 16, ROUNDS = 200, CALLERS = 4 };

/* ---- workers ----------------------------------------------------------------- */

struct roll {
	atomic_uint calls, sizes[GS_TEAM_MAX + 1], workers[GS_TEAM_MAX];
	atomic_bool masked;	/* a worker holds all signals back */
	pthread_t   caller;
	bool        caller_first;
};

static void
call_roll(void *context, unsigned worker, unsigned size)
{
	struct roll *roll = context;
	sigset_t mask;

	atomic_fetch_add(&roll->calls, 1);
	atomic_fetch_add(&roll->sizes[size], 1);
	atomic_fetch_add(&roll->workers[worker], 1);
	if (worker == 0)
		roll->caller_first = pthread_equal(pthread_self(), roll->caller);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (worker > 0 && !(sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM)))
		atomic_store(&roll->masked, false);
}

/* Each worker once, and all of them know how many they are. */
static unsigned
roll_size(unsigned threads, bool *right)
{
	struct roll roll = { .masked = true, .caller = pthread_self() };
	unsigned size;

	gs_team_run(threads, call_roll, &roll);
	size = roll.calls;
	*right = size > 0 && roll.sizes[size] == size && roll.caller_first && roll.masked;
	for (unsigned r = 0; r < GS_TEAM_MAX; r++)
		*right &= roll.workers[r] == (r < size);
	return size;
}

static void
check_sizes(void)
{
	bool right;

	for (unsigned threads = 0; threads <= MOST; threads++) {
		unsigned size = roll_size(threads, &right);

		CHECK(right && size == (threads > 0 ? threads : 1), "%u wanted, %u there", threads,
		      size);
	}
	for (unsigned round = 0; round < ROUNDS; round++) {	/* all are idle at once again */
		unsigned threads = 1 + round % MOST, size = roll_size(threads, &right);

		CHECK(right && size == threads, "round %u: %u wanted, %u there", round, threads, size);
	}
	CHECK(roll_size(3 * GS_TEAM_MAX, &right) <= GS_TEAM_MAX && right, "no more than there may be");
}

/* ---- each ------------------------------------------------------------------ */

struct things {
	atomic_uint *done;
	size_t       count;
};

static void
do_one(void *context, size_t i)
{
	const struct things *things = context;

	atomic_fetch_add(&things->done[i], 1);
}

static bool
each_once(unsigned threads, size_t count)
{
	struct things things = { calloc(count + 1, sizeof *things.done), count };
	bool once = things.done != NULL;

	gs_team_each(threads, count, do_one, &things);
	for (size_t i = 0; once && i < count; i++)
		once = things.done[i] == 1;
	once = once && things.done[count] == 0;
	free(things.done);
	return once;
}

static void
check_each(void)
{
	static const size_t counts[] = { 0, 1, 2, 15, 16, 17, 1000, 100003 };

	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (unsigned threads = 0; threads <= MOST; threads += 1 + threads / 4)
			CHECK(each_once(threads, counts[c]), "%u threads do %zu things once each",
			      threads, counts[c]);
}

/* ---- nested, and at once ----------------------------------------------------- */

static void
nest(void *context, unsigned worker, unsigned size)
{
	atomic_uint *wrong = context;
	bool right;

	(void)worker, (void)size;
	for (unsigned round = 0; round < ROUNDS / 20; round++) {
		(void)roll_size(1 + round % 4, &right);
		if (!right || !each_once(4, 100))
			atomic_fetch_add(wrong, 1);
	}
}

static void *
call_teams(void *context)
{
	for (unsigned threads = 1; threads <= 8; threads++)
		gs_team_run(threads, nest, context);
	return NULL;
}

static void
check_nested(void)
{
	atomic_uint wrong = 0;
	pthread_t callers[CALLERS];

	(void)call_teams(&wrong);
	CHECK(wrong == 0, "nested: %u wrong", wrong);
	for (unsigned c = 0; c < CALLERS; c++)
		if (pthread_create(&callers[c], NULL, call_teams, &wrong) != 0)
			abort();
	for (unsigned c = 0; c < CALLERS; c++)
		pthread_join(callers[c], NULL);
	CHECK(wrong == 0, "nested, of several callers: %u wrong", wrong);
}

/* ---- latecomers -------------------------------------------------------------- */

struct meeting {
	atomic_bool held, over;
	atomic_uint there;
};

static void
hold(void *context, unsigned worker, unsigned size)
{
	struct meeting *meeting = context;

	(void)worker, (void)size;
	atomic_fetch_add(&meeting->there, 1);
	while (!atomic_load(&meeting->over))
		usleep(100);
}

static void *
hold_all(void *meeting)
{
	gs_team_run(4, hold, meeting);
	return NULL;
}

/* The first task releases the others, and waits until one of them arrives. */
static void
meet(void *context, size_t i)
{
	struct meeting *meeting = context;

	if (i > 0) {
		atomic_store(&meeting->held, true);
		return;
	}
	atomic_store(&meeting->over, true);
	while (!atomic_load(&meeting->held))
		usleep(100);
}

static void
join_late(void)
{
	struct meeting meeting = { .there = 0 };
	pthread_t caller;

	if (pthread_create(&caller, NULL, hold_all, &meeting) != 0)
		abort();
	while (atomic_load(&meeting.there) < 4)
		usleep(100);
	gs_team_each(4, 2, meet, &meeting);
	pthread_join(caller, NULL);
	CHECK(meeting.held, "who becomes idle helps a team that is short of members");
}

/* ---- in a child: fork() does not copy the other threads ------------------------------- */

static void
in_child(bool (*works)(void), const char *what)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		alarm(20);
		_exit(!works());
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "%s: %x", what, status);
}

static bool
works_after_fork(void)
{
	bool right;

	return roll_size(3, &right) == 3 && right && each_once(3, 1000);
}

/* As a user who may not start more processes; root has no such limit. */
static bool
works_alone(void)
{
	const struct rlimit none = { 0, 0 };
	bool right;

	if ((geteuid() == 0 && setuid(65534) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0)
		return false;
	return roll_size(4, &right) == 1 && right && each_once(4, 1000);
}

/* ---- the clock of a team's caller --------------------------------------------- */

enum { LONG_NS = 200 * 1000 * 1000 };

/* One takes long, the others wait for it. */
struct work {
	_Atomic uint64_t worked_ns;
	atomic_uint      size;
};

static void
work(void *context, unsigned worker, unsigned size)
{
	const struct timespec nap = { .tv_nsec = LONG_NS };
	const uint64_t since = gs_clock_wall();
	struct work *all = context;

	if (worker + 1 == size)
		(void)nanosleep(&nap, NULL);
	atomic_fetch_add(&all->worked_ns, gs_clock_wall() - since);
	atomic_store(&all->size, size);
}

/* It counts the time in which each thread has worked, not waiting. */
static void
check_clock(void)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct work all = { .size = 0 };
		uint64_t since = gs_clock_now(), counted;
		struct gs_clock clock = { .ns = { 0 } };

		gs_team_run(threads, work, &all);
		gs_clock_lap(&clock, GS_STAGE_SORT, &since);
		counted = clock.ns[GS_STAGE_SORT];
		CHECK(counted >= all.worked_ns && counted < all.worked_ns + LONG_NS / 2,
		      "a team of %u worked for %llu ns, not %llu", all.size,
		      (unsigned long long)all.worked_ns, (unsigned long long)counted);
	}
}

/* ---- how many ---------------------------------------------------------------- */

static void
check_most(void)
{
	static const struct { const char *threads, *limit; unsigned most; } rows[] = {
		{ "3", NULL, 3 }, { "3", "2", 2 }, { "3", "5", 3 }, { "7,2", NULL, 7 },
		{ " 4", NULL, 4 }, { "1", "9", 1 }, { "5", "0", 5 }, { "5", "none", 5 },
	};
	const unsigned cores = (getenv("OMP_NUM_THREADS") || getenv("OMP_THREAD_LIMIT")) ? 0
	                                                                            : gs_team_most();

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		setenv("OMP_NUM_THREADS", rows[r].threads, 1);
		unsetenv("OMP_THREAD_LIMIT");
		if (rows[r].limit != NULL)
			setenv("OMP_THREAD_LIMIT", rows[r].limit, 1);
		CHECK(gs_team_most() == rows[r].most, "%s threads, %s at most: %u", rows[r].threads,
		      rows[r].limit ? rows[r].limit : "any number", gs_team_most());
	}
	setenv("OMP_NUM_THREADS", "0", 1);
	unsetenv("OMP_THREAD_LIMIT");
	CHECK(gs_team_most() > 0 && (cores == 0 || gs_team_most() == cores), "no number: the cores");
	unsetenv("OMP_NUM_THREADS");
}

void
unit_team(void)
{
	in_child(works_alone, "no thread is to be had");
	join_late();
	check_sizes();
	check_each();
	check_nested();
	check_clock();
	in_child(works_after_fork, "a child that forked");
	check_most();
}

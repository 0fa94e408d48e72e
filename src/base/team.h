// SPDX-License-Identifier: BSD-2-Clause
/*
 * team.h - one function, run by several threads at once
 *
 * The threads are the process's own, started when first wanted and asleep between: they
 * wait on a futex, not by spinning, so that on a busy machine they cost nothing.  Each
 * team takes what is idle of them, and the caller is always its first member; so teams
 * of several callers at once share one set of threads, and never outnumber it.
 *
 * Why not OpenMP: libgomp's threads spin between two regions (up to 15 times the
 * processor time on an oversubscribed machine), it has a set of them for every thread
 * that opens a region, and loading it takes a tenth of a job of ten lines.
 *
 * They end with the process.  gsort_close() leaves them asleep for the next job, as
 * starting one takes 20 us; they hold nothing of a job's, have all signals blocked, and in
 * a child of fork() there are none, so it begins anew.  They run code of this library: who
 * loads it with dlopen(3) must not unload it.
 *
 * Invariant: a body must do with any size of team, one included.
 */
#ifndef GS_TEAM_H
#define GS_TEAM_H

#include <stdatomic.h>
#include <stddef.h>

/* More threads than this are not used: tables of one entry a thread are on the stack. */
enum { GS_TEAM_MAX = 256 };

/** What a member does: RANK of SIZE, 0 is the caller. */
typedef void gs_team_body(void *context, unsigned rank, unsigned size);

/**
 * Run BODY(CONTEXT, rank, size) by at most THREADS threads; returns when all have.
 * SIZE may be less: other teams are at work, or no thread could be started.
 */
void gs_team_run(unsigned threads, gs_team_body *body, void *context);

/**
 * Run EACH(CONTEXT, i) for all i below COUNT, by at most THREADS threads, each taking the
 * next i when it is done with one; a thread that becomes idle meanwhile joins.  Not for
 * gs_team_wait().
 */
void gs_team_each(unsigned threads, size_t count, void (*each)(void *context, size_t i),
                  void *context);

/** Copy BYTES by at most THREADS threads; the memory does not overlap. */
void gs_team_copy(unsigned threads, void *to, const void *from, size_t bytes);

/** Wait until all members of the caller's own team are here; only within a body. */
void gs_team_wait(void);

/** Threads a team should have if nobody says otherwise: cores that this process may run on,
 *  or OMP_NUM_THREADS, which sort(1) heeds, too; no more than OMP_THREAD_LIMIT. */
unsigned gs_team_most(void);

/** Keep the least of all that several members find. */
static inline void
gs_team_least(atomic_size_t *least, size_t found)
{
	size_t before = atomic_load(least);

	while (found < before && !atomic_compare_exchange_weak(least, &before, found))
		;
}

/** Where the part of thread RANK begins, of COUNT things shared out to SIZE threads. */
static inline size_t
gs_team_begin(size_t count, unsigned rank, unsigned size)
{
	return count / size * rank + count % size * rank / size;
}

#endif

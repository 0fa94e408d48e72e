// SPDX-License-Identifier: BSD-2-Clause
/*
 * team.h - one function, run by several threads at once
 *
 * The process has one set of worker threads.  They are started on demand and sleep on a
 * futex between two teams, so an idle worker costs no processor time.  A team consists of
 * its caller and of workers that were idle: several callers share the workers, and never
 * use more than there are.
 *
 * Why not OpenMP: libgomp's threads spin between two regions (up to 15 times the processor
 * time on an oversubscribed machine), it starts a set of threads for each thread that opens a
 * region, and loading it takes a tenth of the time of a job of ten lines.
 *
 * Workers live as long as the process: gsort_close() leaves them asleep for the next job,
 * because starting one takes 20 us.  They block all signals and hold no resource of a job.  A
 * child of fork() has none and starts its own.  They run code of this library, so a program
 * that loads it with dlopen(3) must not unload it.
 *
 * Invariant: a body works with a team of any size, even of one.
 */
#ifndef GS_TEAM_H
#define GS_TEAM_H

#include <stdatomic.h>
#include <stddef.h>

/* The largest team.  Tables with an entry for each thread are on the stack. */
enum { GS_TEAM_MAX = 256 };

/** The work of one member of a team of SIZE.  WORKER 0 is the caller. */
typedef void gs_team_body(void *context, unsigned worker, unsigned size);

/**
 * Run BODY(CONTEXT, worker, size) on each member of a team; returns when all have returned.
 *
 * @threads  the most members; there are fewer if other teams use the workers, or if no
 *           thread can be started
 */
void gs_team_run(unsigned threads, gs_team_body *body, void *context);

/**
 * Run EACH(CONTEXT, i) for all i below COUNT.  Each of at most THREADS threads takes the next
 * i when it has finished one; workers that become idle meanwhile join.
 */
void gs_team_each(unsigned threads, size_t count, void (*each)(void *context, size_t i), void *context);

/** Copy BYTES by at most THREADS threads; the memory does not overlap. */
void gs_team_copy(unsigned threads, void *to, const void *from, size_t bytes);

/** The default number of threads: OMP_NUM_THREADS, which sort(1) obeys, too; else the cores
 *  that this process may run on.  At most OMP_THREAD_LIMIT. */
unsigned gs_team_most(void);

/** Lower *LEAST to FOUND, if that is less; several members may do so at once. */
static inline void
gs_team_least(atomic_size_t *least, size_t found)
{
	size_t before = atomic_load(least);

	while (found < before && !atomic_compare_exchange_weak(least, &before, found))
		;
}

/** Where the share of member WORKER begins, of COUNT things shared out to SIZE members. */
static inline size_t
gs_team_begin(size_t count, unsigned worker, unsigned size)
{
	return count / size * worker + count % size * worker / size;
}

/* ---- to sleep until another thread has changed a word (futex.c) ------------------- */

/*
 * As futex(2) of Linux: whoever changes the word wakes afterwards, and a sleeper looks at the word
 * again.  Elsewhere, and with GS_PORTABLE, the fallback has a lock and a condition variable for each of
 * a few classes of addresses.
 */

/** Sleep while *WORD is VALUE, or wake up early. */
void gs_futex_wait(atomic_uint *word, unsigned value);

/** Wake up to SLEEPERS threads, which may be more in the fallback.  WORD is not read: it may be gone. */
void gs_futex_wake(atomic_uint *word, int sleepers);

/** In the child of fork(), before anything else: nobody sleeps. */
void gs_futex_forget(void);

/* ---- and the processors that this process may run on (cores.c) -------------------- */

enum { GS_CORES_BYTES = 128 };

/** How many there are, as nproc(1) counts them. */
unsigned gs_cores_count(void);

/** Which ones, as bytes to compare with another process of the same host; all 0: unknown. */
void gs_cores_set(unsigned char set[GS_CORES_BYTES]);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * team.h - who am I in this parallel region, with OpenMP or without
 *
 * Without OpenMP the pragmas mean nothing and every team is one thread.
 */
#ifndef GS_TEAM_H
#define GS_TEAM_H

#include <stddef.h>

#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_thread_limit(void) { return 1; }
static inline void omp_set_num_threads(int threads) { (void)threads; }
#endif

/* More threads than this are not used: tables of one entry a thread are on the stack. */
enum { GS_TEAM_MAX = 256 };

static inline unsigned
gs_team_rank(void)
{
	return (unsigned)omp_get_thread_num();
}

static inline unsigned
gs_team_size(void)
{
	return (unsigned)omp_get_num_threads();
}

/** Threads that a parallel region gets if nobody says otherwise: cores, or OMP_NUM_THREADS;
 *  no more than OMP_THREAD_LIMIT. */
static inline unsigned
gs_team_most(void)
{
	const int threads = omp_get_max_threads(), limit = omp_get_thread_limit();

	return (unsigned)(threads < limit ? threads : limit);
}

/**
 * How many threads the caller's parallel regions get that do not say it
 * themselves; returns what it was before.
 */
static inline unsigned
gs_team_limit(unsigned threads)
{
	const int before = omp_get_max_threads();

	omp_set_num_threads((int)threads);
	return (unsigned)before;
}

/** Where the part of thread RANK begins, of COUNT things shared out to SIZE threads. */
static inline size_t
gs_team_begin(size_t count, unsigned rank, unsigned size)
{
	return count / size * rank + count % size * rank / size;
}

#endif

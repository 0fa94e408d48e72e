// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks_threads.h - ranks that are threads of one process
 *
 * For tests: of the calls that several hosts would make, without MPI, under ThreadSanitizer,
 * valgrind and with calls of the system that fail.
 */
#ifndef GS_RANKS_THREADS_H
#define GS_RANKS_THREADS_H

#include "net/ranks.h"

struct gs_hub;

/** SIZE ranks that are not connected to any thread yet; NULL: no memory. */
struct gs_hub *gs_ranks_threads_open(unsigned size);

/** The rank number RANK; one thread uses it. */
struct gs_ranks *gs_ranks_threads_rank(struct gs_hub *hub, unsigned rank);

/** All threads have ended. */
void gs_ranks_threads_close(struct gs_hub *hub);

#endif

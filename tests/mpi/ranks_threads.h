// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks_threads.h - ranks that are threads of one process
 *
 * For tests: of the calls that several hosts would make, without MPI, under ThreadSanitizer,
 * valgrind and with calls of the system that fail.
 */
#ifndef GS_RANKS_THREADS_H
#define GS_RANKS_THREADS_H

#include "ranks/net/ranks.h"

/**
 * Let SIZE ranks RUN, each with its element of an array of MEMBERS of so many BYTES: rank 0 on this
 * thread, each other on one of its own, with all signals blocked.
 *
 * @return  whether there was memory and a thread for each; all have ended
 */
bool gs_ranks_threads_run(unsigned size, void (*run)(struct gs_ranks *ranks, void *member),
                          void *members, size_t bytes);

#endif

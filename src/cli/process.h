// SPDX-License-Identifier: BSD-2-Clause
/*
 * process.h - the process: how it begins, the GPUs that it sees, how it dies of a signal, and ends
 */
#ifndef GS_PROCESS_H
#define GS_PROCESS_H

#include <stdbool.h>

#include "gsort.h"

/* 1: free all memory before the exit, so that leaks show (configure --enable-sanitizer). */
#ifndef GS_TIDY
#define GS_TIDY	0
#endif

enum { GS_EXIT_SORTED = 0, GS_EXIT_DISORDER = 1, GS_EXIT_ERROR = 2 };

/** Call first, before any file is opened and any thread started. */
void gs_process_begin(void);

/** Flush standard output and exit with STATUS; with 2 if the flush fails. */
_Noreturn void gs_process_end(int status);

/* ---- called as sort (as_sort.c) ---------------------------------------------------- */

/** Was the program called as "sort"?  If it does not do what sort(1) does with ARGV, the
 *  next sort on PATH runs in its place, or the process ends. */
bool gs_as_sort(int argc, char **argv);

/** Run the next sort on PATH with ARGV in place of this program; returns if there is none. */
void gs_next_sort(char **argv);

/** As far as the environment says, is the locale of the keys of lines C? */
bool gs_environment_is_c(void);

/* ---- let CUDA open only what gsort uses (cuda_environment.c) ---------------------- */

/**
 * Set CUDA_VISIBLE_DEVICES to the GPU that OPTIONS ask for, and OPTIONS to GPU 0, its number from now on;
 * and CUDA_DEVICE_MAX_CONNECTIONS to what gsort needs, if it is not set.
 * Call before any thread is started and before any call of CUDA.
 */
void gs_cuda_environment(struct gsort_options *options);

#endif

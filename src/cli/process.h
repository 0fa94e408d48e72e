// SPDX-License-Identifier: BSD-2-Clause
/*
 * process.h - how the process begins, dies of a signal, and ends
 */
#ifndef GS_PROCESS_H
#define GS_PROCESS_H

/* 1: free all memory before the exit, so that leaks show (configure --enable-sanitizer). */
#ifndef GS_TIDY
#define GS_TIDY	0
#endif

enum { GS_EXIT_SORTED = 0, GS_EXIT_DISORDER = 1, GS_EXIT_ERROR = 2 };

/** Call first, before any file is opened and any thread started. */
void gs_process_begin(void);

/** Flush standard output and exit with STATUS; with 2 if the flush fails. */
_Noreturn void gs_process_end(int status);

#endif

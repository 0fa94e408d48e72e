// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress_line.h - how far a job has come, as a line of text
 *
 * Async-signal-safe: a handler of SIGUSR1 may call it.
 */
#ifndef GS_PROGRESS_LINE_H
#define GS_PROGRESS_LINE_H

#include <stddef.h>

#include "gsort.h"

enum { GS_PROGRESS_WIDEST = 256 };

struct gs_progress_line {
	char   text[GS_PROGRESS_WIDEST];
	size_t bytes;
};

/* Seconds. */
struct gs_progress_times {
	double elapsed;
	double writing;		/* since the first key was written; 0: none was */
	double left;		/* that the last line said; less than 0: it said nothing */
};

/**
 * Describe PROGRESS: "read 62% 3.9/6.3GiB 2.1GiB/s | sorted 3/5 runs | 0:03 eta 0:04".
 *
 * @progress  NULL: the job is not open yet
 * @times     LEFT is set; what is said never grows from one line to the next
 * @columns   of the terminal: from 100 on there is a bar before it; 0: no terminal
 */
void gs_progress_describe(struct gs_progress_line *line, const struct gsort_progress *progress,
                          enum gsort_operation operation, struct gs_progress_times *times,
                          unsigned columns);

/** Append TEXT, as far as there is room. */
void gs_progress_add(struct gs_progress_line *line, const char *text);

#endif

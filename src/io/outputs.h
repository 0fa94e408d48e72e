// SPDX-License-Identifier: BSD-2-Clause
/*
 * outputs.h - the output of a job: one, or several files that together are one
 *
 * Several files are named by a pattern: "%r" stands for the rank of a file, from 0 on, with zeros
 * before it, so that all names are of one length and in the order of the ranks; "%%" for "%".
 * The caller writes to each of them (output.h).  gs_outputs_finish() replaces all of them, or none.
 */
#ifndef GS_OUTPUTS_H
#define GS_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "io/output.h"

enum { GS_OUTPUTS_MOST = 1024 };

struct gs_outputs {
	struct gs_output **files;	/* by rank; NULL: not open */
	char             **names;	/* of several files; else NULL */
	size_t             count;
};

/** Can PATTERN name several files?  GS_EUSAGE: it has no %r, or a % before something else. */
MUST_CHECK gs_status gs_outputs_check_pattern(const char *pattern);

/** The name of the file of RANK, of COUNT files, for free(3); NULL: no memory, or it is too long. */
char *gs_outputs_name(const char *pattern, size_t rank, size_t count);

/** Are the COUNT files of PATTERN different ones?  GS_EUSAGE: two names are one file; GS_EIO: a name is
 *  too long. */
MUST_CHECK gs_status gs_outputs_check_files(const char *pattern, size_t count);

/**
 * Open all outputs, see gs_output_open().
 *
 * @options  of each; with SPLIT, NAME is a pattern
 * @split    how many files, at most GS_OUTPUTS_MOST; 0: one output, whatever it is
 * @return   GS_OK; GS_EIO; GS_EUSAGE: binary keys to a terminal, or two names of one file; close
 *           what is open then
 */
MUST_CHECK gs_status gs_outputs_open(struct gs_outputs *outputs,
                                     const struct gs_output_options *options, unsigned split);

/* Memory for each of several files: names, and messages between threads.  Measured. */
enum { GS_OUTPUT_BYTES = 24 << 10 };

/** Wait until nothing that was submitted is borrowed any more. */
MUST_CHECK gs_status gs_outputs_wait(const struct gs_outputs *outputs);

/** Write what is left, and give new files their names, all or none. */
MUST_CHECK gs_status gs_outputs_finish(const struct gs_outputs *outputs);

/** Free all; what was not finished is dropped.  A zeroed struct is allowed. */
void gs_outputs_close(struct gs_outputs *outputs);

#endif

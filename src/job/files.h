// SPDX-License-Identifier: BSD-2-Clause
/*
 * files.h - the files that a job reads and writes, by any name, and warnings of data that are lost in them
 *
 * A job may write to the file that it reads.  Two outputs that are one file are refused where they are
 * opened (io/output.h).  gsort_clash() is for files that the caller reads or writes beside the job.
 */
#ifndef GS_JOB_FILES_H
#define GS_JOB_FILES_H

#include <stdint.h>

#include "base/monitor.h"
#include "gsort.h"

/** The input that is the one output, too; NULL: none, or there are several outputs. */
const char *gs_job_rewrites(const struct gsort_options *options);

/* ---- data lost without an error: "gsort f > f", "gsort -o f" ------------------- */

/* Zeroed: nothing can be lost. */
struct gs_lost {
	uint64_t output_bytes;	/* that the output had before, if no input is named */
};

/** Before the output is opened: look at it, and warn if it is an input that has become empty. */
void gs_lost_open(struct gs_lost *lost, const struct gsort_options *options,
                  const struct gs_monitor *monitor);

/** After a sort that has read BYTES: warn if it has emptied its output, and nothing else. */
void gs_lost_close(const struct gs_lost *lost, const struct gsort_options *options, uint64_t bytes,
                   const struct gs_monitor *monitor);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * files.h - the files that a job reads and writes, by any name
 *
 * A job may write to the file that it reads.  Two outputs that are one file are refused where they are
 * opened (io/output.h).  gsort_clash() is for files that the caller reads or writes beside the job.
 */
#ifndef GS_JOB_FILES_H
#define GS_JOB_FILES_H

#include "gsort.h"

/** The input that is the one output, too; NULL: none, or there are several outputs. */
const char *gs_job_rewrites(const struct gsort_options *options);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job of the library, whose input and output are bytes in memory
 */
#ifndef GS_FUZZ_JOB_H
#define GS_FUZZ_JOB_H

#include "fuzz.h"
#include "gsort.h"

enum { FUZZ_INPUTS = 6 };

/* How bytes go in ... */
enum fuzz_in { FUZZ_IN_FILES, FUZZ_IN_PIPE, FUZZ_IN_CALLBACK, FUZZ_INS };
/* ... and out. */
enum fuzz_out { FUZZ_OUT_CALLBACK, FUZZ_OUT_FILE, FUZZ_OUTS };

struct fuzz_job {
	struct gsort_options options;	/* all but inputs and output */
	struct fuzz_bytes    inputs[FUZZ_INPUTS];
	unsigned             count;	/* of inputs; those that are not files: 1 */
	enum fuzz_in         in;
	enum fuzz_out        out;
	uint64_t             state;	/* random: how many bytes are given and taken at a time */

	/* What came of it. */
	gsort_status         status;
	char                 message[1024];	/* "" unless there was trouble */
	struct fuzz_bytes    output;
	struct gsort_stats   stats;
	unsigned             warnings;
	char                 warned[1024];	/* the first */
};

/** Open, run and close the job, and check what holds for every job. */
void fuzz_job_run(struct fuzz_job *job);

/** Append COUNT keys of options.type, drawn by SHAPE and FROM, to input INTO. */
void fuzz_job_make(struct fuzz_job *job, struct fuzz *from, unsigned into, size_t count);

/** A number of keys, mostly few, at most MOST. */
size_t fuzz_job_count(struct fuzz *from, size_t most);

void fuzz_job_free(struct fuzz_job *job);

#endif

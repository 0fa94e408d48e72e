// SPDX-License-Identifier: BSD-2-Clause
/* merge_input.h - the inputs of a merge, of keys or of records: each is opened when its turn comes */
#ifndef GS_JOB_MERGE_INPUT_H
#define GS_JOB_MERGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "io/input.h"
#include "job/job.h"

/* Memory for each input beside its name and its file, open or not.  Measured. */
enum { GS_MERGE_INPUT_BYTES = 360 };

/** How many inputs there are; a callback is one. */
size_t gs_merge_count(const struct gsort_options *options);

/** The name of input number I; "-" is standard input. */
const char *gs_merge_name(const struct gsort_options *options, size_t i);

/**
 * Open the input called *NAME, which is borrowed, and pass its header of options.skip_bytes.
 *
 * @threads  that decompress it
 * @header   memory for the header; NULL: it is dropped
 * @return   as gs_input_open(); GS_EINPUT: it ends within the header.  *INPUT may be set even then
 */
MUST_CHECK gs_status gs_merge_open(struct gsort *job, const char *const *name, unsigned threads,
                                   char *header, struct gs_input **input);

/** Is the output an input that is written in place, so that writing destroys what is still to be read? */
bool gs_merge_overwrites(const struct gsort *job);

#endif

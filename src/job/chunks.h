// SPDX-License-Identifier: BSD-2-Clause
/* chunks.h - all bytes of binary inputs, read ahead by a thread, one chunk after the other */
#ifndef GS_JOB_CHUNKS_H
#define GS_JOB_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "io/ahead.h"
#include "job/job.h"

/**
 * Hand each chunk of whole UNITs of bytes, of CHUNK_BYTES or less, the last of a file shorter, to TAKE,
 * until that sets *STOP or fails.  Headers (options.skip_bytes) are dropped, and counted in
 * stats.bytes_in.
 *
 * @return  GS_OK; GS_EBUDGET: no memory for GS_AHEAD_CHUNKS of them; an error of reading or of TAKE
 */
MUST_CHECK gs_status gs_job_chunks(struct gsort *job, size_t unit, size_t chunk_bytes,
                                   gs_status (*take)(void *context, const struct gs_chunk *chunk,
                                                     bool *stop),
                                   void *context, bool *stop);

#endif

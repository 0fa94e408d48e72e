// SPDX-License-Identifier: BSD-2-Clause
/* ingest_state.h - what the files of the ingest stage share */
#ifndef GS_STAGES_INGEST_STATE_H
#define GS_STAGES_INGEST_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "format/text_decoder.h"
#include "gsort.h"
#include "io/input.h"
#include "plan/plan.h"
#include "sort/count.h"
#include "stages/pieces.h"
#include "stages/taker.h"

struct gs_ingest {
	const struct gsort_options *options;
	const struct gs_plan_input *plan_input;
	const struct gs_plan       *plan;
	struct gs_monitor          *monitor;
	struct gs_input            *input;
	struct gs_taker             taker;
	struct gs_count            *histogram;	/* of small text integers */
	atomic_uint                *readers;	/* jobs that share the threads while they read; NULL:
						 * there is none but this one */
	unsigned                    key_bits;	/* 8 .. 64; 0: text */

	/* binary */
	char    *piece_memory;		/* plan.piece_bytes a thread */
	char    *header;		/* options.skip_bytes of the first input */
	size_t   header_bytes;

	/* text */
	struct gs_text_options  text;
	struct gs_ahead         ahead;
	char                   *chunk_memory;
	void                   *decoder_memory;
	struct gs_text_decoder *decoder;
	unsigned                warnings;	/* of this run of the stage, ... */
	unsigned                warned;		/* ... and of one before: not repeated */

	struct gs_read_counts read;
	uint64_t invalid_lines;	/* so far */
};

/** If the GPU fails, everything is read again: GS_ENOCOPY if the recorder cannot keep the next
 *  BYTES. */
MUST_CHECK static inline gs_status
gs_ingest_check_copy(const struct gs_ingest *ingest, size_t bytes)
{
	if (bytes <= gs_input_record_room(ingest->input))
		return GS_OK;
	return gs_fail(GS_ENOCOPY, "the input is too large to be kept in memory, in case the GPU fails");
}

/** Read every file of binary keys to its end (raw_ingest.c).  GS_EINPUT: one ends within a key. */
MUST_CHECK gs_status gs_raw_ingest(struct gs_ingest *ingest);

/** Map COUNT keys to ordered bits, in place. */
void gs_raw_map(const struct gs_ingest *ingest, void *keys, size_t count);

/** Read a file to its end, to the staging buffers of a GPU (raw_staging.c).  GS_ENOCOPY: the recorder cannot
 *  keep it, in case the GPU fails. */
MUST_CHECK gs_status gs_raw_stage(struct gs_ingest *ingest, struct gs_pieces *pieces);

/** Read every file of numbers to its end (text_ingest.c).  GS_EINPUT: a line without a number,
 *  if such lines end the job. */
MUST_CHECK gs_status gs_text_ingest(struct gs_ingest *ingest);

#endif

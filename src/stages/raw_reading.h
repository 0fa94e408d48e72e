// SPDX-License-Identifier: BSD-2-Clause
/*
 * raw_reading.h - one file of binary keys: its pieces become ordered bits, and are counted
 *
 * raw_ingest.c stores the keys on the CPU, raw_staging.c reads them for a GPU.
 */
#ifndef GS_STAGES_RAW_READING_H
#define GS_STAGES_RAW_READING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "stages/ingest_state.h"
#include "stages/pieces.h"

struct gs_raw_reading {
	struct gs_ingest *ingest;
	struct gs_pieces  pieces;
	uint64_t          file_bytes;	/* so far; with the lock of pieces */
	size_t            left;		/* bytes of this round that are not claimed yet; the same */
};

/** Read PIECE to KEYS if it was claimed, and map it to *COUNT keys of ordered bits; any thread. */
MUST_CHECK gs_status gs_raw_decode(struct gs_raw_reading *reading, struct gs_file_piece *piece,
                                   void *keys, size_t *count);

/** PIECE is done; with the lock of pieces. */
void gs_raw_note(struct gs_raw_reading *reading, const struct gs_file_piece *piece);

/** Read the file to its end, to the staging buffers of a GPU (raw_staging.c).  GS_ENOCOPY: the recorder
 *  cannot keep it, in case the GPU fails. */
MUST_CHECK gs_status gs_raw_stage(struct gs_raw_reading *reading);

#endif

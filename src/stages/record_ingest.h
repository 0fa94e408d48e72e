// SPDX-License-Identifier: BSD-2-Clause
/*
 * record_ingest.h - input to items: read records, and hand them on
 *
 * An item is a record; or, for --argsort, its keys alone and then its number in the input.
 */
#ifndef GS_STAGES_RECORD_INGEST_H
#define GS_STAGES_RECORD_INGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "format/record.h"
#include "gsort.h"
#include "io/input.h"
#include "stages/pieces.h"

struct gs_record_ingest {
	const struct gsort_options *options;
	struct gs_monitor    *monitor;
	struct gs_input      *input;
	struct gs_taker  taker;
	struct gs_record      record;	/* as it is in the input */
	struct gs_record      item;	/* as it is stored */
	struct gsort_key     *item_keys;	/* where the keys are in an item of --argsort */
	struct gsort_key     *own_key;	/* of options without keys */
	const struct gsort_key *keys;	/* and in a record */
	size_t                key_count;
	unsigned              threads;
	size_t                piece_records;
	struct gs_arena       arena;	/* the memory of: */
	char                 *pieces;	/* of records, one a thread */
	char                 *item_pieces;	/* of items, if they are others */
	char                 *header;	/* options.skip_bytes of the first input */
	size_t                header_bytes;
	const uint64_t       *skips;	/* bytes to drop of each input instead; or NULL */
	bool                  checks_order;	/* each input must be in order: set before run() */
	uint64_t              skipped;		/* bytes of the current input */
	struct gs_read_counts read;
};

/** Understand the keys of OPTIONS.  GS_EUSAGE: a key is not in the record. */
MUST_CHECK gs_status gs_record_ingest_open(struct gs_record_ingest *ingest,
                                           const struct gsort_options *options);

/** Choose the buffers of THREADS that read pieces of about PIECE_BYTES of items. */
MUST_CHECK gs_status gs_record_ingest_allocate(struct gs_record_ingest *ingest, unsigned threads,
                                               size_t piece_bytes);

/** Read everything, for TAKER; all are borrowed. */
MUST_CHECK gs_status gs_record_ingest_run(struct gs_record_ingest *ingest, struct gs_input *input,
                                          const struct gs_taker *taker,
                                          struct gs_monitor *monitor);

/** A zeroed struct is allowed. */
void gs_record_ingest_close(struct gs_record_ingest *ingest);

#endif

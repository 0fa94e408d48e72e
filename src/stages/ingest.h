// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.h - input to keys: read, decode, store
 *
 *     set_format, carve, open; run; header; close
 *
 * If the device that sorts fails, all of it runs again over an input that was rewound.
 */
#ifndef GS_STAGES_INGEST_H
#define GS_STAGES_INGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "format/text_decoder.h"
#include "gsort.h"
#include "io/ahead.h"
#include "io/input.h"
#include "plan/plan.h"
#include "stages/store.h"
#include "stages/verify.h"

/* What takes keys instead of the store, with the meaning of gs_store_reserve() and gs_store_add():
 * a rank deals them out.  ADD NULL: the store takes them. */
struct gs_key_taker {
	gs_status (*reserve)(void *context, size_t least, size_t *room);
	void      (*add)(void *context, unsigned rank, unsigned key_class, void *keys, size_t count);
	void       *context;
};

struct gs_ingest {
	const struct gsort_options *options;
	const struct gs_plan       *plan;
	struct gs_monitor          *monitor;
	struct gs_input            *input;
	struct gs_store            *store;
	struct gs_verify           *verify;
	struct gs_key_taker         taker;	/* may be set between carve and run */
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

	uint64_t bytes, keys, invalid_lines;	/* so far */
};

/** Choose how text is read, from OPTIONS. */
void gs_ingest_set_format(struct gs_ingest *ingest, const struct gsort_options *options);

/** Take buffers from ARENA, or from one that is not open: only their sum. */
void gs_ingest_carve(struct gs_ingest *ingest, const struct gs_plan *plan,
                     struct gs_arena *arena);

/** Begin, with what was carved; everything is borrowed. */
void gs_ingest_open(struct gs_ingest *ingest, struct gs_input *input, struct gs_store *store,
                    struct gs_verify *verify, struct gs_monitor *monitor);

/** Read everything; at the end all keys are in the store. */
MUST_CHECK gs_status gs_ingest_run(struct gs_ingest *ingest);

/** What stood before the keys of the first input; *BYTES may be 0. */
const char *gs_ingest_header(const struct gs_ingest *ingest, size_t *bytes);

/** Stop reading; forget what was read.  A zeroed struct is allowed. */
void gs_ingest_close(struct gs_ingest *ingest);

#endif

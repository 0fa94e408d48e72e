// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest_state.h - what the files of the ingest stage share, and where keys go
 *
 * Keys that were read go to the store, or to whoever takes them instead.
 */
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

	uint64_t bytes, keys, invalid_lines;	/* so far */
};

/** Does a GPU of this process get the keys as they are read? */
bool gs_ingest_stages_keys(const struct gs_ingest *ingest);

/** Make room for at least LEAST bytes of keys, between two rounds; *ROOM is how many may come. */
MUST_CHECK gs_status gs_ingest_reserve(struct gs_ingest *ingest, size_t least, size_t *room);

/** The first of COUNT sequence numbers for keys of KEY_CLASS. */
uint64_t gs_ingest_next_sequence(struct gs_ingest *ingest, unsigned key_class, size_t count);

/** Store COUNT keys; any thread, as gs_store_add(). */
void gs_ingest_add(struct gs_ingest *ingest, unsigned rank, unsigned key_class, uint64_t sequence,
                   void *keys, size_t count);

/** Count keys and bytes read, for statistics and progress; one thread at a time. */
void gs_ingest_count(struct gs_ingest *ingest, uint64_t bytes, uint64_t keys);

/** If the GPU fails, everything is read again: GS_ENOCOPY if the recorder cannot keep the next
 *  BYTES. */
MUST_CHECK gs_status gs_ingest_check_copy(const struct gs_ingest *ingest, size_t bytes);

#endif

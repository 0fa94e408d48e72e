// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.h - binary and text input to keys, and binary input to records: read, decode, hand on
 *
 *     set_format, carve, open; run; header; close
 *
 * If the device that sorts fails, the whole stage runs again over the rewound input.
 */
#ifndef GS_INGEST_H
#define GS_INGEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "engine/engine.h"
#include "gsort.h"
#include "io/input.h"
#include "key/record.h"
#include "plan/plan.h"
#include "sort/count.h"
#include "text/text_decoder.h"

/* ---- a binary file that a team reads piece by piece (pieces.c) ----------------- */

/*
 * Threads claim pieces of a regular file and read them at the same time; they read other inputs in
 * turn.
 *
 *     open; { fill }*; close
 */

/* What has been read of all files so far. */
struct gs_read_counts {
	_Atomic uint64_t bytes, elements, invalid_lines;
};

/** Add to COUNTS, and show them for progress; one thread at a time. */
void gs_read_counts_add(struct gs_read_counts *counts, struct gs_monitor *monitor, uint64_t bytes,
                        uint64_t elements);

/* The current file of an input. */
struct gs_pieces {
	struct gs_input      *input;
	struct gs_monitor    *monitor;
	struct gs_read_counts *counts;
	size_t                unit;	/* the size of an element */
	struct gs_first_error error;	/* the error that ended a run */
	pthread_mutex_t lock;		/* guards what follows, the input, and the counters of callers */
	bool            claims;		/* pieces can be claimed */
	bool            ended;		/* the input has been read */
	uint64_t        file_bytes;	/* read from the file */
	uint64_t        number;		/* of the next element in the input */
};

/* A piece that was read for a taker. */
struct gs_read_piece {
	char    *data;
	size_t   count;			/* elements; after an error, fewer or none */
	uint64_t number;		/* of its first element in the input */
	uint64_t sequence;		/* for the taker */
};

struct gs_piece_round {
	const struct gs_taker *taker;
	char  *memory;			/* PIECE_BYTES for each thread */
	size_t piece_bytes;

	/** Hand PIECE, which may be changed, to the taker; any thread.  An error ends the round. */
	gs_status (*store)(void *context, unsigned worker, const struct gs_read_piece *piece);
	void  *context;
};

/** Begin with the current file of INPUT, in elements of UNIT bytes, which are added to COUNTS; all are
 *  borrowed.  Close PIECES even after an error. */
MUST_CHECK gs_status gs_pieces_open(struct gs_pieces *pieces, struct gs_input *input, size_t unit,
                                    struct gs_read_counts *counts, struct gs_monitor *monitor);

void gs_pieces_close(struct gs_pieces *pieces);

/** Read a round of at most BYTES with at most THREADS; the taker has room for BYTES. */
MUST_CHECK gs_status gs_pieces_fill(struct gs_pieces *pieces, const struct gs_piece_round *round,
                                    unsigned threads, size_t bytes);

/* ---- keys: for the files of the stage ------------------------------------------ */

/* What a run of the stage has read so far. */
struct gs_ingested {
	struct gs_read_counts read;
	size_t   header_bytes;		/* of binary keys */
	atomic_bool stopped;		/* at a line of text that is not exact */
	unsigned warnings;
};

struct gs_ingest {
	const struct gsort_options *options;
	const struct gs_plan       *plan;
	struct gs_monitor          *monitor;
	struct gs_input            *input;
	struct gs_taker             taker;
	struct gs_count            *histogram;	/* for small text integers */
	unsigned                    key_bits;	/* 8 .. 64; 0: text */

	/* binary */
	size_t   unit, key_at;		/* the size of an element, and the place of the key in it; the caller
					 * may set both for a record */
	char    *piece_memory;		/* PIECE_BYTES for each thread */
	size_t   piece_bytes;		/* as planned, or the size of an element */
	char    *header;		/* options.skip_bytes of the first input */

	/* text */
	struct gs_text_options  text;
	struct gs_text_header   text_header;
	struct gs_ahead         ahead;
	struct gs_arena         chunks;		/* memory for the chunks of AHEAD */
	struct gs_text_decoder *decoder;		/* after carve, its memory */
	unsigned                warned;		/* warnings of an earlier run, which are not repeated */

	struct gs_ingested done;		/* by this run */
};

/** Get memory for GS_AHEAD_CHUNKS chunks of text, as planned.  GS_EBUDGET. */
MUST_CHECK gs_status gs_ingest_open_chunks(struct gs_ingest *ingest, char **memory);

/* ---- keys: for other folders (ingest.c) ---------------------------------------- */

/** Choose how text is read, from OPTIONS. */
void gs_ingest_set_format(struct gs_ingest *ingest, const struct gsort_options *options);

/** Set what a plan must know about keys and text; INPUT has their type and the operation. */
void gs_ingest_plan(struct gs_plan_input *input);

/** Take buffers from ARENA; if it is not open, only add up their sizes. */
void gs_ingest_carve(struct gs_ingest *ingest, const struct gs_plan *plan,
                     struct gs_arena *arena);

/** Begin, with the carved buffers; everything is borrowed.  Small text integers are counted in HISTOGRAM;
 *  all other keys go to a taker. */
void gs_ingest_open(struct gs_ingest *ingest, struct gs_input *input, struct gs_count *histogram,
                    struct gs_monitor *monitor);

/** Read everything; afterwards TAKER has all keys. */
MUST_CHECK gs_status gs_ingest_run(struct gs_ingest *ingest, const struct gs_taker *taker);

/** The header of the first input; BYTES may be 0. */
struct gs_item_slice gs_ingest_header(const struct gs_ingest *ingest);

/** Stop reading, and forget what was read.  INGEST may be zeroed. */
void gs_ingest_close(struct gs_ingest *ingest);

/* ---- records (record_ingest.c) ------------------------------------------------- */

/*
 * An item is a record; or, for --argsort, the keys of a record, followed by its number in the input.
 */

struct gs_record_ingest {
	const struct gsort_options *options;
	struct gs_monitor    *monitor;
	struct gs_input      *input;
	struct gs_taker  taker;
	struct gs_record      record;	/* as it is in the input */
	struct gs_record      item;	/* as it is stored */
	struct gsort_key     *item_keys;	/* the places of the keys in an item of --argsort, ... */
	struct gsort_key      own_key;	/* the key if the options have none */
	const struct gsort_key *keys;	/* ... and in a record */
	size_t                key_count;
	unsigned              threads;
	size_t                piece_records;
	struct gs_arena       arena;	/* memory for the pieces */
	char                 *pieces;	/* of records, one per thread */
	char                 *item_pieces;	/* of items, if these are not records */
	char                 *header;	/* options.skip_bytes of the first input */
	size_t                header_bytes;
	bool                  checks_order;	/* each input must be in order: set before run() */
	uint64_t              skipped;		/* bytes of the current input */
	struct gs_read_counts read;
};

/** Begin, with the keys of OPTIONS.  GS_EUSAGE: a key is outside the record. */
MUST_CHECK gs_status gs_record_ingest_open(struct gs_record_ingest *ingest,
                                           const struct gsort_options *options);

/** Choose the buffers of THREADS that read pieces of about PIECE_BYTES of items. */
MUST_CHECK gs_status gs_record_ingest_allocate(struct gs_record_ingest *ingest, unsigned threads,
                                               size_t piece_bytes);

/** Read everything for TAKER; all are borrowed. */
MUST_CHECK gs_status gs_record_ingest_run(struct gs_record_ingest *ingest, struct gs_input *input,
                                          const struct gs_taker *taker,
                                          struct gs_monitor *monitor);

/** Close INGEST, which may be zeroed. */
void gs_record_ingest_close(struct gs_record_ingest *ingest);

#endif

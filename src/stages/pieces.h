// SPDX-License-Identifier: BSD-2-Clause
/*
 * pieces.h - a binary file that a team reads piece by piece
 *
 * Threads claim pieces of a regular file and read them side by side; they read anything else in
 * turn.
 *
 *     open; { fill, for a taker }*; close
 *     open; { run: each thread, until there is none: next with the lock, read without it, note with it }*;
 *     close
 */
#ifndef GS_STAGES_PIECES_H
#define GS_STAGES_PIECES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "base/team.h"
#include "io/input.h"
#include "stages/taker.h"

/* What was read of all files so far. */
struct gs_read_counts {
	uint64_t bytes, elements;
};

/** Add to COUNTS, and show them for progress; one thread at a time. */
void gs_read_counts_add(struct gs_read_counts *counts, struct gs_monitor *monitor, uint64_t bytes,
                        uint64_t elements);

/* The current file of an input. */
struct gs_pieces {
	struct gs_input      *input;
	struct gs_monitor    *monitor;
	struct gs_read_counts *counts;
	size_t                unit;	/* bytes of an element */
	struct gs_first_error error;	/* of one run; it ends the run */
	pthread_mutex_t lock;		/* guards what follows, the input, and what callers count */
	bool            claims;		/* pieces can be claimed */
	bool            ended;		/* there are no more */
	uint64_t        file_bytes;	/* read */
	uint64_t        number;		/* of the next element in the input */
};

struct gs_file_piece {
	size_t bytes;			/* read, or 0 */
	struct gs_input_piece claimed;	/* still to be read; bytes 0: it is */
};

/* One that was read for a taker. */
struct gs_read_piece {
	char    *data;
	size_t   count;			/* elements; fewer, or none, after an error */
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
 *  borrowed.  After an error, too, it must be closed. */
MUST_CHECK gs_status gs_pieces_open(struct gs_pieces *pieces, struct gs_input *input, size_t unit,
                                    struct gs_read_counts *counts, struct gs_monitor *monitor);

void gs_pieces_close(struct gs_pieces *pieces);

/** Read a round of at most BYTES, for which the taker has room, with at most THREADS. */
MUST_CHECK gs_status gs_pieces_fill(struct gs_pieces *pieces, const struct gs_piece_round *round,
                                    unsigned threads, size_t bytes);

/** Run BODY on a team of at most THREADS.  Returns the first error that it noted in pieces->error. */
MUST_CHECK gs_status gs_pieces_run(struct gs_pieces *pieces, unsigned threads, gs_team_body *body,
                                   void *context);

/** The next piece of at most WANT bytes: it is read to INTO, or else claimed; with the lock.
 *  False: there is none, or an error was noted. */
bool gs_pieces_next(struct gs_pieces *pieces, void *into, size_t want, struct gs_file_piece *piece);

/** Read to INTO what was claimed, if it was; any thread.  piece->bytes may be fewer: the file was
 *  truncated meanwhile. */
MUST_CHECK gs_status gs_pieces_read(struct gs_pieces *pieces, void *into, struct gs_file_piece *piece);

/** It was read: count it; with the lock. */
void gs_pieces_note(struct gs_pieces *pieces, const struct gs_file_piece *piece);

/** Has the file ended, or another thread failed?  With the lock. */
bool gs_pieces_stop(const struct gs_pieces *pieces);

#endif

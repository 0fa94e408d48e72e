// SPDX-License-Identifier: BSD-2-Clause
/*
 * pieces.h - a binary file that a team reads piece by piece
 *
 * Threads claim pieces of a regular file and read them side by side; they read anything else in
 * turn.
 *
 *     open; { run: each thread, until there is none: next with the lock, read without it }*; close
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

/* The current file of an input. */
struct gs_pieces {
	struct gs_input      *input;
	struct gs_clock      *clock;
	struct gs_first_error error;	/* of one run; it ends the run */
	pthread_mutex_t lock;		/* guards what follows, the input, and what callers count */
	bool            claims;		/* pieces can be claimed */
	bool            ended;		/* there are no more */
};

struct gs_file_piece {
	size_t bytes;			/* read, or 0 */
	struct gs_input_piece claimed;	/* still to be read; bytes 0: it is */
};

/** Begin with the current file of INPUT; both are borrowed.  After an error, too, it must be closed. */
MUST_CHECK gs_status gs_pieces_open(struct gs_pieces *pieces, struct gs_input *input,
                                    struct gs_clock *clock);

void gs_pieces_close(struct gs_pieces *pieces);

/** Run BODY on a team of at most THREADS.  Returns the first error that it noted in pieces->error. */
MUST_CHECK gs_status gs_pieces_run(struct gs_pieces *pieces, unsigned threads, gs_team_body *body,
                                   void *context);

/** The next piece of at most WANT bytes: it is read to INTO, or else claimed; with the lock.
 *  False: there is none, or an error was noted. */
bool gs_pieces_next(struct gs_pieces *pieces, void *into, size_t want, struct gs_file_piece *piece);

/** Read to INTO what was claimed, if it was; any thread.  piece->bytes may be fewer: the file was
 *  truncated meanwhile. */
MUST_CHECK gs_status gs_pieces_read(struct gs_pieces *pieces, void *into, struct gs_file_piece *piece);

/** Has the file ended, or another thread failed?  With the lock. */
bool gs_pieces_stop(const struct gs_pieces *pieces);

#endif

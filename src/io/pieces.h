// SPDX-License-Identifier: BSD-2-Clause
/*
 * pieces.h - all inputs, piece by piece, to whichever thread asks next
 *
 * Who works on a piece reads it himself, in turn: so what is read is in his cache, no
 * byte goes from one core to another, and there is no thread that only reads.
 *
 *     gs_pieces_open(&pieces, input, NULL, NULL);
 *     by any number of threads, each with a buffer of its own:
 *             while (gs_pieces_take(&pieces, buffer, sizeof buffer, &piece))
 *                     work on the piece.bytes at buffer
 *     TRY(gs_pieces_close(&pieces));
 */
#ifndef GS_PIECES_H
#define GS_PIECES_H

#include <pthread.h>

#include "io/input.h"

struct gs_piece {
	uint64_t    place;	/* its number, from 0, in the order of the input */
	uint64_t    at;		/* where it begins in its file, behind the header */
	size_t      bytes;	/* at least 1; of one file */
	const char *name;	/* of that file; lives as long as the input */
};

struct gs_pieces {
	struct gs_input *input;
	gs_status      (*begin)(void *context);
	void            *context;
	pthread_mutex_t  lock;		/* for all that follows, and INPUT */
	struct gs_piece  next;		/* PLACE and AT of the next one */
	bool             in_file, claims;	/* it is of the current file; and can be claimed */
	bool             over;
	gs_status        status;	/* the first trouble in the order of the input */
	uint64_t         trouble_place;
	char             message[1024];
};

/**
 * Get ready to read INPUT, from its next file on.
 *
 * @begin  NULL, or called at the beginning of every file, by one thread at a time: it may
 *         gs_input_read() the file's header
 */
void gs_pieces_open(struct gs_pieces *pieces, struct gs_input *input,
                    gs_status (*begin)(void *context), void *context);

/**
 * Read the next piece, of at most BYTES: as large as that, unless its file ends there.
 * 128 to 512 KiB are best: they fit a second-level cache with what is made of them.
 *
 * @return  false: there is no more, or there was trouble
 */
bool gs_pieces_take(struct gs_pieces *pieces, void *into, size_t bytes, struct gs_piece *piece);

/** There was trouble with PIECE, and the caller's sentence says which: nobody gets another. */
void gs_pieces_fail(struct gs_pieces *pieces, const struct gs_piece *piece, gs_status status);

/** When all threads have done: GS_OK, or the trouble that came first in the input, with its
 *  sentence. */
MUST_CHECK gs_status gs_pieces_close(struct gs_pieces *pieces);

#endif

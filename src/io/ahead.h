// SPDX-License-Identifier: BSD-2-Clause
/*
 * ahead.h - chunks of input, read ahead by a thread
 *
 * Reading and decompressing go on while the caller decodes the chunk before.  The chunks lie in
 * memory that the caller lends; the caller borrows one chunk at a time.
 */
#ifndef GS_AHEAD_H
#define GS_AHEAD_H

#include "base/clock.h"
#include "base/status.h"
#include "base/thread.h"
#include "io/input.h"

enum { GS_AHEAD_CHUNKS = 3 };	/* one is read, one waits, one is decoded */

struct gs_chunk {
	char       *data;
	size_t      bytes;
	const char *name;	/* of the file it came from; lives as long as the input */
	bool        begins;	/* first of its file */
	bool        ends;	/* last of its file; may be empty */
	gs_status   status;	/* an error after these bytes, with the MESSAGE of the reader */
};

struct gs_ahead {
	struct gs_input  *input;
	uint64_t          skip_bytes;
	struct gs_thread  thread;
	struct gs_queue   full, empty;
	struct gs_chunk   chunks[GS_AHEAD_CHUNKS];
	size_t            chunk_bytes;
	struct gs_error   error;	/* that ends reading */
	bool              open;
	bool              begun;	/* the caller has read the first chunk */
	bool              handed_over;	/* the thread reads from here on, or there is nothing left */
	bool              alone;	/* no thread could be started: the caller reads */
	bool              begins, in_file;	/* the next chunk is the first of its file; one follows */
	struct gs_clock  *clock;	/* counts the time of reading; the caller may set it */
	bool              first_alone;	/* nobody reads while the caller has the first chunk, so that it
					 * may gs_input_glance(); the caller may set it */
};

/** Prepare to read INPUT into MEMORY of GS_AHEAD_CHUNKS x CHUNK_BYTES. */
void
gs_ahead_open(struct gs_ahead *ahead, struct gs_input *input, char *memory, size_t chunk_bytes);

/** The same, without the first SKIP_BYTES of each file. */
void
gs_ahead_open_behind(struct gs_ahead *ahead, struct gs_input *input, uint64_t skip_bytes,
                     char *memory, size_t chunk_bytes);

/**
 * The next chunk, in order; waits for it.
 *
 * @chunk   borrowed until given back with gs_ahead_give(); NULL: no more
 * @return  GS_OK, or the reader's error, once all bytes before it were taken
 */
MUST_CHECK gs_status gs_ahead_take(struct gs_ahead *ahead, struct gs_chunk **chunk);
void gs_ahead_give(struct gs_ahead *ahead, struct gs_chunk *chunk);

/** Stop reading, join the thread.  A zeroed struct is allowed. */
void gs_ahead_close(struct gs_ahead *ahead);

#endif

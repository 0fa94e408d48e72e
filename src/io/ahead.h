// SPDX-License-Identifier: BSD-2-Clause
/*
 * ahead.h - chunks of input, read ahead by a thread of its own
 *
 * So that reading and decompressing go on while the last chunk is decoded.  The
 * chunks' memory is borrowed from the opener; the taker borrows one at a time.
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
	gs_status   status;	/* trouble after these bytes; its sentence in MESSAGE */
	char        message[GS_MESSAGE_BYTES];
};

struct gs_ahead {
	struct gs_input  *input;
	uint64_t          skip_bytes;
	struct gs_thread  thread;
	struct gs_queue   full, empty;
	struct gs_chunk   chunks[GS_AHEAD_CHUNKS];
	size_t            chunk_bytes;
	bool              open;
	bool              begun, settled;	/* the first chunk was read; and the rest is a thread's */
	bool              begins, in_file;	/* the next chunk is the first of its file; one follows */
	struct gs_clock  *clock;	/* the opener may set it: of reading; or NULL */
};

/** Get ready to read INPUT into MEMORY, GS_AHEAD_CHUNKS x CHUNK_BYTES. */
void
gs_ahead_open(struct gs_ahead *ahead, struct gs_input *input, char *memory, size_t chunk_bytes);

/** The same, but SKIP_BYTES at the beginning of each file come in no chunk. */
void
gs_ahead_open_behind(struct gs_ahead *ahead, struct gs_input *input, uint64_t skip_bytes,
                     char *memory, size_t chunk_bytes);

/**
 * The next chunk, in order; waits for it.
 *
 * @chunk   borrowed until given back with gs_ahead_give(); NULL: no more
 * @return  GS_OK, or the reader's trouble, once all bytes before it were taken; GS_EBUDGET: no
 *          thread could be started
 */
MUST_CHECK gs_status gs_ahead_take(struct gs_ahead *ahead, struct gs_chunk **chunk);
void gs_ahead_give(struct gs_ahead *ahead, struct gs_chunk *chunk);

/** Stop reading, join the thread.  A zeroed struct is allowed. */
void gs_ahead_close(struct gs_ahead *ahead);

#endif

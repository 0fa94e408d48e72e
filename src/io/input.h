// SPDX-License-Identifier: BSD-2-Clause
/*
 * input.h - the bytes of all inputs, one file after the other; as they are asked for, or read ahead
 *
 * All inputs are opened at the start, so that a missing file is found before the first byte is
 * read.  The input owns its descriptors and decompressors.
 *
 *     while (gs_input_next(in))
 *             do
 *                     TRY(gs_input_read(in, buffer, size, &got));
 *             while (got == size);
 */
#ifndef GS_INPUT_H
#define GS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "base/thread.h"
#include "io/files.h"

/**
 * Open every input.
 *
 * @return  GS_OK; GS_EIO: it cannot be opened, is a folder, or standard input is closed;
 *          GS_EUSAGE: binary keys from a terminal; GS_EINPUT: as gs_contents_check()
 */
MUST_CHECK gs_status gs_input_open(struct gs_input **input, const struct gs_input_options *options);

/** Change these of gs_input_options for all reads from now on. */
void gs_input_share(struct gs_input *input, unsigned threads, size_t unpack_bytes, uint64_t window_bytes);

/** What is known of its files; borrowed. */
const struct gs_files *gs_input_files(const struct gs_input *input);

/* ---- reading ------------------------------------------------------------------ */

/** Go on to the next file, at first to the first; false: there are no more. */
bool gs_input_next(struct gs_input *input);

/** Where in the current file its bytes begin: 0, unless a range says otherwise. */
uint64_t gs_input_start(const struct gs_input *input);

/** The current file's name for messages; standard input is "-". */
const char *gs_input_name(const struct gs_input *input);

/**
 * Read the next BYTES of the current file; blocks for all of them.
 *
 * @got     set to BYTES, or less: the file ended there
 * @return  GS_OK; GS_EIO: read failed; GS_EINPUT: corrupt or truncated compressed data, before
 *          which *GOT bytes are good
 *
 * Several threads read a regular file if that is faster.
 */
MUST_CHECK gs_status gs_input_read(struct gs_input *input, void *into, size_t bytes, size_t *got);

/** Read the next BYTES of the current file, to INTO, or to drop them: NULL.  Standard input that is
 *  named again has none to skip.  GS_EIO; GS_EINPUT: it has fewer. */
MUST_CHECK gs_status gs_input_skip(struct gs_input *input, uint64_t bytes, void *into);

/** From another thread: end the read that waits, which comes out short.  Do not read after it,
 *  unless the input is rewound.  A callback that waits is not interrupted. */
void gs_input_stop(struct gs_input *input);

/** NULL is allowed. */
void gs_input_close(struct gs_input *input);

/* ---- pieces: many readers of one file ------------------------------------------- */

/* A part of a file that one thread has claimed, and will read once.  Until then the file stays
 * open, whichever file is the current one. */
struct gs_input_piece {
	size_t   file_at;	/* its number */
	uint64_t offset;	/* in the file */
	size_t   bytes;
};

/** Is the current file a regular one that is not compressed, and are BYTES of it read by several threads? */
bool gs_input_has_team(struct gs_input *input, size_t bytes);

/** gs_file_left() of the current file. */
uint64_t gs_input_left(const struct gs_input *input);

/** Can the rest of the current file be claimed: is it regular, and not compressed?  Begins the file,
 *  if nobody did. */
MUST_CHECK gs_status gs_input_claims(struct gs_input *input, bool *yes);

/** Claim the next BYTES of the current file, or the rest of its size when it was opened
 *  (*PIECE.bytes 0: nothing); gs_input_read() goes on after them.  One thread at a time. */
void gs_input_claim(struct gs_input *input, size_t bytes, struct gs_input_piece *piece);

/** Read a piece, from any thread.  *GOT less than its bytes: the file has shrunk meanwhile. */
MUST_CHECK gs_status gs_input_read_piece(struct gs_input *input, const struct gs_input_piece *piece,
                                         void *into, size_t *got);

/**
 * Read BYTES of the current file, from AT bytes after what has been read or claimed, and stay
 * where it is.  *GOT is 0 if it is not a regular file, cannot be read there, or is interrupted.
 */
void gs_input_glance(struct gs_input *input, uint64_t at, size_t bytes, void *into, size_t *got);

/** The same BYTES will be looked at soon: a disk may fetch them. */
void gs_input_expect(const struct gs_input *input, uint64_t at, size_t bytes);

/** The next BYTES of the current file, which is regular, count as read.  GS_EINTERRUPTED. */
MUST_CHECK gs_status gs_input_advance(struct gs_input *input, uint64_t bytes);

/* ---- reading again ---------------------------------------------------------------- */

/**
 * Begin again before the first file.  Regular files are read again from where they began, and opened again
 * unless they stayed open, as the current one does.
 * All claimed pieces have been read, and no other thread reads.
 *
 * @return  GS_OK; GS_EIO: a byte of a file that is not regular has been read; the input goes on as if nobody
 *          had asked.  A file that was replaced meanwhile is GS_EIO when it is read.
 */
MUST_CHECK gs_status gs_input_rewind(struct gs_input *input);

/** All is read, and the input will not begin again: close the files that stayed open for that. */
void gs_input_close_left(struct gs_input *input);

/* ---- chunks, read ahead by a thread (ahead.c) ------------------------------------- */

/*
 * Reading and decompressing go on while the caller decodes the chunk before.  The chunks lie in
 * memory that the caller lends; the caller borrows one chunk at a time.
 */

enum { GS_AHEAD_CHUNKS = 3 };	/* one is read, one waits, one is decoded */

struct gs_chunk {
	char       *data;
	size_t      bytes;
	const char *name;	/* of the file it came from; lives as long as the input */
	bool        begins;	/* first of its file, ... */
	uint64_t    start;	/* ... after this many bytes of the file */
	bool        ends;	/* last of its file; may be empty */
	gs_status   status;	/* an error after these bytes, with the MESSAGE of the reader */
};

struct gs_ahead {
	struct gs_input  *input;
	uint64_t          skip_bytes;	/* of each file, that do not count; the caller may set it */
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
	bool              in_turn;	/* a team reads chunks of plain files when they are wanted, as all
					 * threads work on each; the caller may set it */
	bool              rest;		/* with both: the caller takes the rest of a plain file behind its
					 * first chunk, which is small; the caller may set it */
};

/** Prepare to read INPUT into MEMORY of GS_AHEAD_CHUNKS x CHUNK_BYTES. */
void gs_ahead_open(struct gs_ahead *ahead, struct gs_input *input, char *memory, size_t chunk_bytes);

/**
 * The next chunk, in order; waits for it.
 *
 * @chunk   borrowed until given back with gs_ahead_give(); NULL: no more
 * @return  GS_OK, or the reader's error, once all bytes before it were taken
 */
MUST_CHECK gs_status gs_ahead_take(struct gs_ahead *ahead, struct gs_chunk **chunk);
void gs_ahead_give(struct gs_ahead *ahead, struct gs_chunk *chunk);

/** With REST, between two chunks: may the caller claim the rest of the current file? */
bool gs_ahead_leaves_rest(const struct gs_ahead *ahead);

/** Stop reading, join the thread.  A zeroed struct is allowed. */
void gs_ahead_close(struct gs_ahead *ahead);

#endif

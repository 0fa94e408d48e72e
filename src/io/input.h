// SPDX-License-Identifier: BSD-2-Clause
/*
 * input.h - the bytes of all inputs, one file after the other
 *
 * Every input is opened when the job is, so that a missing file is found before
 * the first byte is read.  The input owns its descriptors and decompressors.
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

#include "base/status.h"
#include "gsort.h"

#define GS_UNKNOWN	UINT64_MAX	/* a size nobody knows yet */

struct gs_input;

struct gs_input_options {
	const char *const    *names;	/* borrowed; "-" is standard input */
	size_t                count;	/* 0: standard input */
	bool                  binary;	/* never guess compression from content */
	bool                  terminal_ok;	/* read binary keys from a terminal */
	enum gsort_decompress decompress;
	unsigned              threads;	/* for regular files, and decompression */
	size_t                unpack_bytes;	/* memory for decompression in parallel, 0: none */
	uint64_t              window_bytes;	/* that decompressing may need anyway, 0: any */
	const struct gs_input *stops_with;	/* or NULL: stopping that one stops this, too */
	bool                  later;	/* open only to check; again, and to stay, when its turn comes */

	/* Called, if set, before the first compressed byte is decompressed, by the thread that
	 * will do it. */
	void                (*before_inflate)(void *context);
	void                 *before_context;

	/* Instead of files: as read(2), see gsort.h.  In messages it is called "input". */
	ptrdiff_t           (*read)(void *context, void *into, size_t bytes);
	void                 *read_context;
};

/**
 * Open every input.
 *
 * @return  GS_OK; or GS_EIO (cannot open, directory, closed standard input),
 *          GS_EUSAGE (binary keys from a terminal)
 */
MUST_CHECK gs_status
gs_input_open(struct gs_input **input, const struct gs_input_options *options);

/** How many files this process had better have open at once for input. */
size_t gs_input_most_open(void);

/** From here on regular files are read by so many THREADS at once, and decompressed with
 *  so much memory: see gs_input_options. */
void gs_input_share(struct gs_input *input, unsigned threads, size_t unpack_bytes,
                    uint64_t window_bytes);

/** Bytes of all inputs together, or GS_UNKNOWN: a pipe or compressed. */
uint64_t gs_input_bytes(const struct gs_input *input);

/**
 * The first file whose size is known and no multiple of KEY_BYTES, for the check
 * before anything is read.
 *
 * @return  its name and *BYTES, or NULL
 */
const char *gs_input_partial(const struct gs_input *input, unsigned key_bytes, uint64_t *bytes);

/** Is one of the files surely compressed, as far as one can know before reading? */
bool gs_input_inflates(const struct gs_input *input);

/** Is one of them surely of a format that may look back very far, zstd or xz? */
bool gs_input_large_window(const struct gs_input *input);

/** Go on to the next file, at first to the first; false: no more. */
bool gs_input_next(struct gs_input *input);

/** The current file's name for messages; standard input is "-". */
const char *gs_input_name(const struct gs_input *input);

/**
 * Read the next BYTES of the current file; blocks for all of them.
 *
 * @got     set to BYTES, or less: the file ended there
 * @return  GS_OK; GS_EIO (read failed); GS_EINPUT (corrupt or truncated
 *          compressed data; *GOT bytes before it are good)
 *
 * Regular files are read by several threads at once where that pays.
 */
MUST_CHECK gs_status
gs_input_read(struct gs_input *input, void *into, size_t bytes, size_t *got);

/** gs_input_read() for a caller that has only a callback: CONTEXT is the input. */
MUST_CHECK gs_status
gs_input_read_callback(void *context, void *into, size_t bytes, size_t *got);

/*
 * Many readers.  Of a regular file that is not compressed each thread may read a piece of its
 * own: it claims one, then reads it, once; until then the file stays open for it, whatever
 * file is the input's current one.
 */
struct gs_input_piece {
	size_t   file_at;	/* its number */
	uint64_t offset;	/* in the file */
	size_t   bytes;
};

/** Can the rest of the current file be claimed?  Begins the file, if nobody did. */
MUST_CHECK gs_status gs_input_claims(struct gs_input *input, bool *yes);

/** The next BYTES of the current file, or what is left of it as far as its size was known
 *  when it was opened (*PIECE.bytes 0: nothing); gs_input_read() goes on behind them.  One
 *  thread at a time. */
void gs_input_claim(struct gs_input *input, size_t bytes, struct gs_input_piece *piece);

/** Read a piece, from any thread.  *GOT less than its bytes: the file has been cut meanwhile. */
MUST_CHECK gs_status
gs_input_read_piece(struct gs_input *input, const struct gs_input_piece *piece, void *into,
                    size_t *got);

/** Read the next BYTES of the current file and forget them, through SCRATCH; GS_EINPUT: it
 *  has fewer. */
MUST_CHECK gs_status
gs_input_skip(struct gs_input *input, uint64_t bytes, void *scratch, size_t scratch_bytes);

bool gs_input_can_rewind(const struct gs_input *input);
MUST_CHECK gs_status gs_input_rewind(struct gs_input *input);
MUST_CHECK gs_status gs_input_peek(struct gs_input *input, uint64_t least, uint64_t *bytes);
void gs_input_record(struct gs_input *input, void *memory, size_t bytes);
void gs_input_stop_recording(struct gs_input *input);

/** From another thread: the read that goes on stops waiting and comes out short; none
 *  shall follow.  A callback that waits is waited for. */
void gs_input_stop(struct gs_input *input);

/** NULL is allowed. */
void gs_input_close(struct gs_input *input);

#endif

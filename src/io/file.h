// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.h - one file of the input: what it is, and its bytes
 *
 * A regular file is read with pread(2), by several threads at once.  The bytes of any other file
 * pass through the input's recorder.
 *
 * Opening a file makes a reference, which the input gives up with gs_file_leave(); a piece that
 * has been claimed is another one.  The file is closed with the last of them.
 */
#ifndef GS_FILE_H
#define GS_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "gsort.h"
#include "io/open.h"
#include "io/recorder.h"

struct gs_file {
	const char *name;
	int         fd;			/* -1: not open, or closed */
	bool        waits;		/* is opened when its turn comes */
	bool        again;		/* is opened again: must be the same file */
	bool        regular;
	bool        spent;		/* "-" for the second time: empty */
	uint64_t    bytes;		/* from START on; GS_UNKNOWN */
	uint64_t    start;		/* where its bytes begin, if regular */
	uint64_t    read_bytes;		/* of these, so far; or claimed */
	dev_t       device;		/* which file it is */
	ino_t       inode;
	enum gsort_decompress format;
	bool        binary;		/* it should have binary keys */
	bool        guarded;		/* it is refused if it is plainly something else */
	bool        guessed;		/* FORMAT is that of binary contents, which may be keys */
	bool        partial;		/* only these bytes of it are read, as they are: */
	struct gs_range range;
	struct gs_recorder *recorder;	/* the input's */
	struct gs_recording recording;	/* if it is not regular */
	atomic_uint references;		/* the input's, and one for each piece not yet read */
};

/** Is it "-"? */
bool gs_file_is_standard(const struct gs_file *file);

/**
 * Open FILE and find out what it is.
 *
 * @no_terminal  refuse a terminal
 * @stay         it may stay open; else it is opened for a check only, and WAITS for its turn,
 *               as named pipes always do
 * @return       GS_OK; GS_EIO; GS_EUSAGE: it is a terminal; GS_EINPUT: as gs_file_check()
 */
MUST_CHECK gs_status
gs_file_open(struct gs_file *file, bool no_terminal, bool stay);

/** Look at the first BYTES of a guarded file, decompressed; WHOLE: there are no more.  GS_EINPUT: it
 *  is plainly not what it should be. */
MUST_CHECK gs_status
gs_file_check(const struct gs_file *file, const void *data, size_t bytes, bool whole);

/** The input is done with FILE: it is closed after the last piece that somebody still reads. */
void gs_file_leave(struct gs_file *file);

/** The input will read FILE, which it has left, or whose recording it rewinds, once more. */
void gs_file_rewind(struct gs_file *file);

/** Take a reference; opening a file does so. */
void gs_file_reference(struct gs_file *file);

/* ---- bytes ------------------------------------------------------------------ */

/** Let the recorder look at LEAST to MOST bytes of a file that is not regular, or at all of it: then
 *  its format is known, and in the second case its size.  GS_EINPUT: as gs_file_check(). */
MUST_CHECK gs_status gs_file_look(struct gs_file *file, size_t least, size_t most);

/** The next BYTES of a regular file, by THREADS; *GOT less than BYTES: it ended there. */
MUST_CHECK gs_status
gs_file_read(struct gs_file *file, unsigned threads, void *into, size_t bytes, size_t *got);

/** Claim the next BYTES of a file whose size is known, or what is left of it, from *OFFSET on;
 *  returns how many. */
size_t gs_file_claim(struct gs_file *file, size_t bytes, uint64_t *offset);

/** Read a piece that was claimed, from any thread; *GOT less than BYTES: the file has shrunk. */
MUST_CHECK gs_status
gs_file_read_piece(struct gs_file *file, uint64_t offset, size_t bytes, void *into, size_t *got);

/** Read BYTES from AT bytes after what was read or claimed, and stay there; returns how many there
 *  were, 0 unless it is a regular file. */
size_t gs_file_glance(const struct gs_file *file, uint64_t at, size_t bytes, void *into);

/** "read failed", with the file's name and errno. */
gs_status gs_file_fail(const struct gs_file *file);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * files.h - the files of an input: one and all, opened, and facts about them
 *
 * Regular files are opened at the start, so a missing one is found before the first byte is
 * read, and deleting a file later does no harm.  A pipe is opened when its turn comes, because
 * its writer may wait until another pipe is read.  So are the files beyond what RLIMIT_NOFILE
 * allows, and all of them with the option LATER; at the start they are only checked.
 */
#ifndef GS_FILES_H
#define GS_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "gsort.h"
#include "io/open.h"

struct gs_input;

/* ---- which files an input has, and how they are read ------------------------------ */

/* What is refused by how it begins (contents.c). */
enum gs_guarded {
	GS_UNGUARDED,
	GS_GUARDED_HEADER,	/* an array whose header would be sorted: anything else may be records */
	GS_GUARDED,		/* what is plainly not a file of numbers */
};

struct gs_input_options {
	const char *const    *names;	/* borrowed; "-" is standard input */
	size_t                count;	/* 1 at least */
	size_t                unit;	/* bytes of a key or record; 0: text */
	enum gs_guarded         guarded;
	uint64_t              skip_bytes;	/* the header; an array with another header is refused */
	bool                  terminal_ok;	/* read binary keys from a terminal */
	enum gsort_decompress decompress;
	unsigned              threads;	/* for regular files, and decompression */
	size_t                unpack_bytes;	/* memory for decompression by several threads, 0: none */
	uint64_t              window_bytes;	/* for decompression by one thread, 0: no limit */
	const struct gs_input *stops_with;	/* or NULL: stopping that input stops this one, too */
	_Atomic uint64_t     *stored;	/* or NULL: raised by the bytes read of files, as they are */
	const struct gs_range *ranges;	/* or NULL: of each file only these bytes; a range that ends at
					 * GS_UNKNOWN is the whole file.  Regular, not compressed */
	bool                  later;	/* open only for a check, and again when its turn comes */
	bool                  again;	/* files opened before their turn stay open; gs_input_close_left() */

	const atomic_bool    *interrupted;	/* or NULL: once it is true every read fails */

	const char           *confined;	/* or NULL: a compressed file is refused, with this message */

	/* If set: called in place of read(2) of the file, see gsort.h; its name is for messages. */
	ptrdiff_t           (*read)(void *context, void *into, size_t bytes);
	void                 *read_context;
};

/* ---- what a file is, by its first bytes (contents.c) ------------------------------ */

/*
 * Binary keys can have any bytes.  So a format is recognized only by more of its header than
 * keys have by chance: uniformly random bytes pass for one with a probability below 2^-36.
 */

enum {
	GS_CONTENTS_BYTES = 4096,	/* more of a file are not looked at */
	GS_CONTENTS_LEAST = 32,		/* with fewer, a header of compressed data may be cut */
};

/** The number of BYTES, 4 at most, at AT, the lowest first. */
uint32_t gs_little_endian(const unsigned char *at, unsigned bytes);

/** Bytes of the header of the zstd frame whose first 5 bytes are at AT. */
size_t gs_zstd_header_bytes(const unsigned char *at);

/** The format of compressed data, its header read as far as it goes, for binary inputs;
 *  GSORT_DECOMPRESS_NONE: none. */
enum gsort_decompress gs_contents_packed(const void *data, size_t bytes);

/**
 * Refuse a file that is plainly something else than numbers: an archive, a table, a program; or,
 * if it should be binary keys, text, or an array of numbers of another width.
 *
 * @name    of the file, for the message
 * @bytes   at DATA, the file's first; at most GS_CONTENTS_BYTES are looked at
 * @whole   the file has no more
 * @unit    bytes of a key or record; 0: text
 * @guard   not GS_UNGUARDED
 * @skip    bytes of its header, which will not be sorted
 * @return  GS_OK; GS_EINPUT: the message says what it is, and the way out
 */
MUST_CHECK gs_status gs_contents_check(const char *name, const void *data, size_t bytes, bool whole,
                                       size_t unit, enum gs_guarded guard, uint64_t skip);

/* ---- one file: what it is, and its bytes (file.c) --------------------------------- */

/*
 * A regular file is read with pread(2), by several threads at once.  The bytes of any other file
 * are read one after the other by the input.
 *
 * Opening a file makes a reference, which the input gives up with gs_file_leave(); a piece that
 * has been claimed is another one.  The file is closed with the last of them.
 */

enum { GS_TEAM_BYTES = 4 << 20 };	/* of a regular file, or more, are read by several threads */

struct gs_file {
	const char *name;
	int         fd;			/* -1: not open, or closed */
	bool        waits;		/* is opened when its turn comes */
	bool        again;		/* is opened again: must be the same file */
	bool        no_terminal;	/* it must not be one */
	bool        stays;		/* open when the input leaves it: it may be read again */
	bool        regular;
	bool        spent;		/* "-" for the second time: empty */
	uint64_t    bytes;		/* from START on; GS_UNKNOWN */
	uint64_t    start;		/* where its bytes begin, if regular */
	uint64_t    read_bytes;		/* of these, so far; or claimed */
	dev_t       device;		/* which file it is */
	ino_t       inode;
	enum gsort_decompress format;
	size_t      unit;		/* it should have binary keys, or records, of so many bytes; or 0 */
	enum gs_guarded guarded;
	uint64_t    skip_bytes;		/* its header */
	bool        guessed;		/* FORMAT was guessed from binary contents, which may be keys */
	const struct gs_range *part;	/* only these bytes of it are read, as they are; or NULL */
	atomic_uint references;		/* the input's, and one for each piece not yet read */
};

/** Is it "-"? */
bool gs_file_is_standard(const struct gs_file *file);

/**
 * Open FILE, perhaps again, and find out what it is.
 *
 * @stay    it may stay open; else it is opened for a check only, and WAITS for its turn, as named
 *          pipes always do
 * @return  GS_OK; GS_EIO; GS_EUSAGE: it is a terminal; GS_EINPUT: as gs_file_check()
 */
MUST_CHECK gs_status gs_file_open(struct gs_file *file, bool stay);

/** Look at the first BYTES of a guarded file, decompressed; WHOLE: these are all.  GS_EINPUT: it is
 *  plainly not what it should be. */
MUST_CHECK gs_status
gs_file_check(const struct gs_file *file, const void *data, size_t bytes, bool whole);

/** The input is done with FILE: unless it stays, it is closed after the last piece that somebody still
 *  reads. */
void gs_file_leave(struct gs_file *file);

/** Close FILE, which the input has left and will not read again. */
void gs_file_close_left(struct gs_file *file);

/** The input will read FILE once more, from where it began. */
void gs_file_rewind(struct gs_file *file);

/** Find out the format of FILE, unless it is known, from its first BYTES; WHOLE: these are all.
 *  GS_EINPUT: as gs_file_check(). */
MUST_CHECK gs_status
gs_file_recognize(struct gs_file *file, const void *data, size_t bytes, bool whole);

/** The next BYTES of a regular file, by THREADS; *GOT less than BYTES: it ended there. */
MUST_CHECK gs_status
gs_file_read(struct gs_file *file, unsigned threads, void *into, size_t bytes, size_t *got);

/** Read a piece that was claimed, from any thread; *GOT less than BYTES: the file has shrunk. */
MUST_CHECK gs_status
gs_file_read_piece(struct gs_file *file, uint64_t offset, size_t bytes, void *into, size_t *got);

/** Bytes that nobody has read or claimed, as far as its size was known. */
uint64_t gs_file_left(const struct gs_file *file);

/** Let the kernel fetch BYTES from AT bytes after what was read or claimed on, while the caller works. */
void gs_file_expect(const struct gs_file *file, uint64_t at, size_t bytes);

/** "read failed", with the file's name and errno. */
gs_status gs_file_fail(const struct gs_file *file);

/* ---- all of them (files.c) -------------------------------------------------------- */

struct gs_files {
	struct gs_file *list;
	size_t          count;
};

/**
 * Open the files of OPTIONS.
 *
 * @return  as gs_input_open(); after an error, too, they must be closed
 */
MUST_CHECK gs_status gs_files_open(struct gs_files *files, const struct gs_input_options *options);

/** A zeroed struct is allowed. */
void gs_files_close(struct gs_files *files);

/** Bytes of all files together; GS_UNKNOWN if one is a pipe or, unless they are counted as they are STORED,
 *  compressed. */
uint64_t gs_files_bytes(const struct gs_files *files, bool stored);

/**
 * The first file whose size is known and is not a multiple of KEY_BYTES, so that the job fails
 * before it reads anything.
 *
 * @return  its name and *BYTES, or NULL
 */
const char *gs_files_partial(const struct gs_files *files, size_t key_bytes, uint64_t *bytes);

/* What is asked of compressed files. */
enum gs_inflates {
	GS_MAY_INFLATE,		/* is one compressed, or may a pipe turn out to be? */
	GS_INFLATES,		/* is one known to be? */
	GS_LARGE_WINDOW,	/* and of a format with large windows or blocks: not gzip? */
};

/** Is there such a file? */
bool gs_files_inflate(const struct gs_files *files, enum gs_inflates asked);

/** Is every one a regular file, which can be read again? */
bool gs_files_are_seekable(const struct gs_files *files);

#endif

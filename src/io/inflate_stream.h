// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_stream.h - compressed bytes on their way to a library, and the errors about them
 *
 * For the decompressors of each format (inflate_gzip.c and its neighbours).  A stream holds
 * one block of a file; a decompressor takes bytes from NEXT on and calls
 * gs_inflate_advance().
 */
#ifndef GS_INFLATE_STREAM_H
#define GS_INFLATE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/open.h"

struct gs_parallel_inflate;
struct gs_inflate;

enum {
	GS_BLOCK_BYTES = 256 << 10,	/* read at once */
	GS_KEPT_BYTES  = 64,		/* of the block before: more than any magic number */
};

/* What decompression may use. */
struct gs_inflate_options {
	unsigned threads;
	size_t   memory_bytes;	/* beyond what one thread needs, approximately; 0: one thread */
	uint64_t window_bytes;	/* what one thread may need, approximately; 0: no limit */
	bool     regular;	/* the input is a regular file, at OFFSET */
	uint64_t offset;
};

/* A format: how it is recognized, and its decompressor. */
struct gs_inflate_format {
	const char  *name, *suffix;
	const char  *magic;
	size_t       magic_bytes;
	const char  *soname, *package;	/* of the library */
	const char *(**version)(void);	/* once it is loaded */
	bool       (*loads)(void);
	size_t       state_bytes;	/* of the decoder; 0: open() makes it, and close() frees it */
	const struct gs_archive_filter *filter;	/* of libarchive; or NULL */
	gs_status  (*open)(struct gs_inflate *stream);	/* NULL: nothing is to be done */
	/* Add to *GOT, up to BYTES, and set DONE at the end; may add nothing. */
	gs_status  (*step)(struct gs_inflate *stream, char *into, size_t bytes, size_t *got);
	void       (*close)(struct gs_inflate *stream);	/* also if open() failed */
};

struct gs_inflate {
	const char *name;	/* of the file, for messages */
	const struct gs_inflate_format *format;
	struct gs_inflate_options options;
	struct gs_reader reader;
	struct gs_parallel_inflate *parallel;	/* or NULL */
	uint64_t    position;	/* in the file, of the data that READER gave last */
	char       *block;	/* GS_KEPT_BYTES of the last one, then this one */
	size_t      block_bytes;
	char       *next;	/* the first byte that no library has seen */
	size_t      left;	/* bytes from there on */
	uint64_t    total_bytes;	/* read so far */
	bool        ended;	/* the file has no more bytes */
	bool        inside;	/* a member has begun and not ended */
	bool        any;	/* a member has ended */
	bool        done;	/* the last member has ended */
	void       *decoder;	/* the state of the format's decompressor; NULL: it was not opened */
};

/* Each in the file of its library: inflate_gzip.c, inflate_xz.c, inflate_zstd.c, inflate_archive.c. */
extern const struct gs_inflate_format gs_inflate_gzip, gs_inflate_xz, gs_inflate_zstd,
                                      gs_inflate_bzip2, gs_inflate_lz4;

/** Read the next block behind the LEFT bytes, which are at most GS_KEPT_BYTES; at the end set ENDED. */
MUST_CHECK gs_status gs_inflate_fill(struct gs_inflate *stream);

/** Skip zeros between members and after the last, as gzip(1) and bzip2(1) do: tapes pad files to blocks. */
MUST_CHECK gs_status gs_inflate_skip_zeros(struct gs_inflate *stream);

/**
 * Within a member: read a block if no byte is left.  Else begin the next member: look for MAGIC,
 * of MAGIC_BYTES (0: any), and set INSIDE; or, at the end of the file, set DONE.
 *
 * @return  GS_OK; GS_EINPUT: something else begins here, or the file ends within MAGIC, or it
 *          is empty
 */
MUST_CHECK gs_status
gs_inflate_provide(struct gs_inflate *stream, const char *magic, size_t magic_bytes);

/** BYTES from NEXT on have been given to a library. */
void gs_inflate_advance(struct gs_inflate *stream, size_t bytes);

/* Errors: each sets a message and returns its status.  GS_EINPUT ... */
gs_status gs_inflate_truncated(const struct gs_inflate *stream);
gs_status gs_inflate_corrupt(const struct gs_inflate *stream, const char *reason);
/** Where a member should begin there is something else. */
gs_status gs_inflate_foreign(const struct gs_inflate *stream);
/* ... and GS_EBUDGET. */
gs_status gs_inflate_no_memory(const struct gs_inflate *stream);
/** The data need a larger window than OPTIONS allow. */
gs_status gs_inflate_too_large(const struct gs_inflate *stream);

/* ---- frames that know their size, by several threads (parallel_inflate.c) --------- */

/*
 * For regular files: zstd of several frames (pzstd, the seekable format, cat a.zst b.zst) and
 * blocked gzip (bgzip).  Everything else, from the first frame that is not as simple as that,
 * is left to the format's decompressor, which also reports all errors.
 */

/** Begin to decompress a regular file; NULL: not possible, or not worth it. */
struct gs_parallel_inflate *gs_parallel_inflate_open(const struct gs_inflate *stream);

/**
 * Add to *GOT, up to BYTES.
 *
 * @offset  set to the offset in the file of the frames that the bytes come from
 * @return  false: that was all; the rest of the file, which may be empty, begins at *OFFSET
 */
bool gs_parallel_inflate_read(struct gs_parallel_inflate *parallel, char *into, size_t bytes,
                              size_t *got, uint64_t *offset);

/** NULL is allowed. */
void gs_parallel_inflate_close(struct gs_parallel_inflate *parallel);

#endif

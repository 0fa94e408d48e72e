// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_stream.h - what the files of inflate*.c share, nobody else's
 *
 * A compressed stream, block by block, and the table row that says how to unpack
 * it.
 */
#ifndef GS_INFLATE_STREAM_H
#define GS_INFLATE_STREAM_H

#include <lzma.h>

#include "base/dynload.h"
#include "io/inflate.h"

struct archive;

enum {
	GS_BLOCK_BYTES = 256 << 10,	/* read at once */
	GS_KEPT_BYTES  = 64,		/* of the block before: more than any magic number */
};

struct gs_inflate {
	const struct gs_inflate_format *format;
	const char *name;	/* of the file */
	struct gs_reader reader;
	char       *block;	/* GS_KEPT_BYTES of the last one, then this one */
	size_t      block_bytes;
	char       *next;	/* what no library has seen yet */
	size_t      left;
	uint64_t    total_bytes;	/* read so far, prefix included */
	bool        ended;	/* FD has */
	bool        inside;	/* a member has begun and not ended */
	bool        any;	/* a member has ended */
	bool        done;	/* so has the last one */

	struct gs_inflate_help help;
	struct gs_parallel_inflate *frames;	/* or NULL: from front to back */
	z_stream        zlib;
	lzma_stream     lzma;
	ZSTD_DStream   *zstd;
	struct archive *archive;
	uint64_t        opened_at;	/* where in the file ARCHIVE was opened */
	bool            seeded;		/* it has got its seed */
	gs_status       read_status;	/* of the callback */
};

struct gs_inflate_format {
	enum gsort_decompress decompress;
	const char  *name, *suffix;
	const char  *magic;
	size_t       magic_bytes;
	gs_status  (*open)(struct gs_inflate *);
	/* Add to *GOT, up to BYTES; or come closer to it; or be done. */
	gs_status  (*step)(struct gs_inflate *, char *into, size_t bytes, size_t *got);
	void       (*close)(struct gs_inflate *);
	int          filter;			/* for libarchive */
	const unsigned char *seed;		/* a member that holds one byte */
	size_t       seed_bytes;
};

/** Read the next block, if there is one; before it, the end of the last is kept. */
MUST_CHECK gs_status gs_inflate_fill(struct gs_inflate *z);

/** BYTES from NEXT on have been given to a library. */
void gs_inflate_advance(struct gs_inflate *z, size_t bytes);

/* The sentences about bad data; each returns GS_EINPUT ... */
gs_status gs_inflate_truncated(const struct gs_inflate *z);
gs_status gs_inflate_corrupt(const struct gs_inflate *z, const char *reason);
/** Where a member should begin, something else does. */
gs_status gs_inflate_foreign(const struct gs_inflate *z);
/** ... and GS_EBUDGET: to decompress it takes more memory than HELP allows. */
gs_status gs_inflate_too_large(const struct gs_inflate *z);

/* The formats that are libarchive's, and liblzma's. */
extern const struct gs_inflate_format gs_inflate_bzip2, gs_inflate_lz4, gs_inflate_xz;

#endif

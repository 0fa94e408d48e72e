// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.h - decompress a stream: the only door to libarchive, liblzma, libzstd, zlib
 *
 * Filters only, never archive formats: the result is the one stream inside.
 * Formats made of members (gzip, bzip2, xz, zstd, lz4 frames) may be repeated.
 */
#ifndef GS_INFLATE_H
#define GS_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "io/open.h"

struct gs_inflate;

enum { GS_MAGIC_BYTES = 6 };

/** The format whose magic number DATA begins with; GSORT_DECOMPRESS_NONE: none. */
enum gsort_decompress gs_inflate_sniff(const void *data, size_t bytes);

/** The format of NAME's suffix (.gz .bz2 .xz .zst .lz4); GSORT_DECOMPRESS_NONE: none. */
enum gsort_decompress gs_inflate_suffix(const char *name);

/* What may be used: to be faster, and at all. */
struct gs_inflate_help {
	unsigned threads;
	size_t   memory_bytes;	/* beyond what one thread needs, 0: one thread; about */
	uint64_t window_bytes;	/* what one thread may need, 0: anything; about */
	bool     regular;	/* the reader's is a regular file, and stands at OFFSET */
	uint64_t offset;
};

/**
 * Decompress what comes from READER, after the PREFIX that was already read from it.
 *
 * @name  for messages, borrowed; PREFIX is copied; the descriptor stays the caller's
 * @help  or NULL
 */
MUST_CHECK gs_status
gs_inflate_open(struct gs_inflate **inflate, enum gsort_decompress format,
                const struct gs_reader *reader, const char *name, const void *prefix,
                size_t prefix_bytes, const struct gs_inflate_help *help);

/**
 * The next BYTES of decompressed data; *GOT less than BYTES: the end.
 *
 * @return  GS_OK; GS_EINPUT: corrupt or truncated; GS_EIO: read failed; GS_EBUDGET: a window
 *          larger than allowed
 */
MUST_CHECK gs_status
gs_inflate_read(struct gs_inflate *inflate, void *into, size_t bytes, size_t *got);

/** The libraries and their versions, for people; returns INTO. */
const char *gs_inflate_libraries(char *into, size_t bytes);

/** NULL is allowed. */
void gs_inflate_close(struct gs_inflate *inflate);

#endif

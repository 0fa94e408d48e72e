// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.h - decompress a stream
 *
 * Filters only, never archive formats: the result is the one stream inside.  A file may
 * consist of several members (gzip members, bzip2 and xz streams, zstd and lz4 frames).
 */
#ifndef GS_INFLATE_H
#define GS_INFLATE_H

#include <stddef.h>

#include "base/status.h"
#include "gsort.h"
#include "io/inflate_stream.h"
#include "io/open.h"

enum { GS_MAGIC_BYTES = 6 };

/** The format whose magic number DATA begins with; GSORT_DECOMPRESS_NONE: none. */
enum gsort_decompress gs_inflate_sniff(const void *data, size_t bytes);

/** The format of NAME's suffix (.gz .bz2 .xz .zst .lz4); GSORT_DECOMPRESS_NONE: none. */
enum gsort_decompress gs_inflate_suffix(const char *name);

/** The program that makes files of that suffix: "gzip"; NULL: none. */
const char *gs_inflate_program(const char *name);

/**
 * Decompress the bytes of READER.
 *
 * @name     for messages, borrowed; a descriptor stays the caller's
 * @return   GS_OK; GS_EIO: the library cannot be loaded; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status gs_inflate_open(struct gs_inflate **inflate, enum gsort_decompress format,
                                     const struct gs_reader *reader, const char *name,
                                     const struct gs_inflate_options *options);

/**
 * The next BYTES of decompressed data; *GOT less than BYTES: the end.
 *
 * @return  GS_OK; GS_EINPUT: corrupt or truncated; GS_EIO: read failed; GS_EBUDGET: a window
 *          larger than OPTIONS allow
 */
MUST_CHECK gs_status gs_inflate_read(struct gs_inflate *inflate, void *into, size_t bytes, size_t *got);

/** Where in the descriptor of a regular file decompression has come. */
uint64_t gs_inflate_position(const struct gs_inflate *inflate);

/** The libraries and their versions, for people; loads them.  Returns INTO. */
const char *gs_inflate_libraries(char *into, size_t bytes);

/** NULL is allowed. */
void gs_inflate_close(struct gs_inflate *inflate);

#endif

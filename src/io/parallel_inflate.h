// SPDX-License-Identifier: BSD-2-Clause
/*
 * parallel_inflate.h - decompress frames that know their size, by several threads
 *
 * For regular files: zstd of several frames (pzstd, the seekable format, cat a.zst b.zst) and
 * blocked gzip (bgzip).  Everything else, from the first frame that is not as simple as that,
 * is left to the format's decompressor, which also reports all errors.
 */
#ifndef GS_PARALLEL_INFLATE_H
#define GS_PARALLEL_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsort.h"

struct gs_parallel_inflate;

/**
 * Begin to decompress FD from OFFSET on.
 *
 * @memory_bytes  what all threads may use together
 * @return        NULL: not possible, or not worth it
 */
struct gs_parallel_inflate *
gs_parallel_inflate_open(enum gsort_decompress format, int fd, uint64_t offset, unsigned threads,
                         size_t memory_bytes);

/**
 * Add to *GOT, up to BYTES.
 *
 * @return  false: that was all; the rest of the file, which may be empty, begins at *OFFSET
 */
bool gs_parallel_inflate_read(struct gs_parallel_inflate *parallel, char *into, size_t bytes,
                              size_t *got, uint64_t *offset);

/** Where in FD the data begin that come next. */
uint64_t gs_parallel_inflate_position(const struct gs_parallel_inflate *parallel);

/** NULL is allowed. */
void gs_parallel_inflate_close(struct gs_parallel_inflate *parallel);

#endif

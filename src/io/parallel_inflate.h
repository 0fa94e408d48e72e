// SPDX-License-Identifier: BSD-2-Clause
/*
 * parallel_inflate.h - a compressed regular file made of frames that know their size, many at once
 *
 * zstd files of several frames (pzstd, the seekable format, cat a.zst b.zst) and blocked
 * gzip (bgzip).  Whatever is not as simple as that is left to the decompressor that reads
 * from front to back, from there on; so its errors are the only ones.
 */
#ifndef GS_PARALLEL_INFLATE_H
#define GS_PARALLEL_INFLATE_H

#include <stdint.h>

#include "io/inflate.h"

struct gs_parallel_inflate;

/**
 * Begin to decompress FD from OFFSET on.
 *
 * @return  NULL: that cannot be done, or does not pay
 */
struct gs_parallel_inflate *gs_parallel_inflate_open(enum gsort_decompress format, int fd, uint64_t offset,
                                 const struct gs_inflate_help *help);

/**
 * Add to *GOT, up to BYTES.
 *
 * @return  false: that was all of it; the rest of the file, if there is one, begins at
 *          *OFFSET, with a frame
 */
bool gs_parallel_inflate_read(struct gs_parallel_inflate *frames, char *into, size_t bytes, size_t *got,
                    uint64_t *offset);

/** NULL is allowed. */
void gs_parallel_inflate_close(struct gs_parallel_inflate *frames);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * frames.h - a compressed regular file made of frames that know their size, many at once
 *
 * zstd files of several frames (pzstd, the seekable format, cat a.zst b.zst) and blocked
 * gzip (bgzip).  Whatever is not as simple as that is left to the decompressor that reads
 * from front to back, from there on; so its errors are the only ones.
 */
#ifndef GS_FRAMES_H
#define GS_FRAMES_H

#include <stdint.h>

#include "io/inflate.h"

struct gs_frames;

/**
 * Begin to decompress FD from OFFSET on.
 *
 * @return  NULL: that cannot be done, or does not pay
 */
struct gs_frames *gs_frames_open(enum gsort_decompress format, int fd, uint64_t offset,
                                 const struct gs_inflate_help *help);

/**
 * Add to *GOT, up to BYTES.
 *
 * @return  false: that was all of it; the rest of the file, if there is one, begins at
 *          *OFFSET, with a frame
 */
bool gs_frames_read(struct gs_frames *frames, char *into, size_t bytes, size_t *got,
                    uint64_t *offset);

/** NULL is allowed. */
void gs_frames_close(struct gs_frames *frames);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* inflate_archive.h - bzip2 and lz4, by libarchive */
#ifndef GS_INFLATE_ARCHIVE_H
#define GS_INFLATE_ARCHIVE_H

#include "io/inflate_stream.h"

extern const struct gs_inflate_format gs_inflate_bzip2, gs_inflate_lz4;

#endif

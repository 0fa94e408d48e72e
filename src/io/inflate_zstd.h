// SPDX-License-Identifier: BSD-2-Clause
/* inflate_zstd.h - zstd, by libzstd */
#ifndef GS_INFLATE_ZSTD_H
#define GS_INFLATE_ZSTD_H

#include "io/inflate_stream.h"

extern const struct gs_inflate_format gs_inflate_zstd;

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* inflate_xz.h - xz, by liblzma, by several threads where the file has several blocks */
#ifndef GS_INFLATE_XZ_H
#define GS_INFLATE_XZ_H

#include "io/inflate_stream.h"

extern const struct gs_inflate_format gs_inflate_xz;

#endif

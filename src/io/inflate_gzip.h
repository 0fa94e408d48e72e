// SPDX-License-Identifier: BSD-2-Clause
/* inflate_gzip.h - gzip, by zlib */
#ifndef GS_INFLATE_GZIP_H
#define GS_INFLATE_GZIP_H

#include "io/inflate_stream.h"

extern const struct gs_inflate_format gs_inflate_gzip;

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* codec_headers.c - compare base/codec_abi.h with the headers of the libraries: a function that they
 * declare differently does not compile */
#define GS_CODEC_HEADERS
#include "tests/unit/base/codec_facts.h"

#if LZMA_VERSION < UINT32_C(50040002)	/* has no memlimit_threading: nothing to compare with */
#define memlimit_threading	reserved_int5
#define memlimit_stop		reserved_int6
#endif

const struct codec_fact codec_headers[] = CODEC_FACTS;

// SPDX-License-Identifier: BSD-2-Clause
/*
 * static_codecs.c - the functions of all codec libraries, for configure --enable-static-program
 *
 * A static program cannot load libraries.  Linked into it, this table takes the place of dlopen(3) and
 * dlsym(3) in dynload.c.
 */
#include <archive.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/static_codecs.h"

#define LIBRARY(...)
#define FUNCTION(library, function)	{ #function, (gs_any_function *)(function) },
#if LZMA_VERSION >= UINT32_C(50040000)
#define OPTIONAL(library, function)	FUNCTION(library, function)
#else
#define OPTIONAL(library, function)
#endif
#define END(library)
static const struct gs_static_function functions[] = {
#include "base/codecs.def"
	{ NULL, NULL }
};

const struct gs_static_codecs gs_static_codecs = { functions };

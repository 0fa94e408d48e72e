// SPDX-License-Identifier: BSD-2-Clause
/*
 * dynload.h - libraries that are loaded when they are first needed
 *
 * Linked in the usual way, zlib and libzstd took a tenth of the time of a job of ten lines.
 */
#ifndef GS_DYNLOAD_H
#define GS_DYNLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/codec_abi.h"

/* ---- any library ---------------------------------------------------------- */

/* A function of a library, and the pointer that is set to it, or to NULL. */
struct gs_symbol { const char *name; void *function; bool optional; };

/* A library, and the functions that gsort calls of it. */
struct gs_library {
	const char             *soname;
	const struct gs_symbol *symbols;
	size_t                  count;
	bool                    loaded;
};

#define GS_LIBRARY(soname, symbols)	{ soname, symbols, sizeof (symbols) / sizeof *(symbols), false }

/**
 * Load LIBRARY, unless that was done before; it stays loaded.  Any thread.
 *
 * @return  false: it is not installed, or lacks a symbol that is not optional, or too many files are
 *          open; the next call tries again
 */
bool gs_library_loads(struct gs_library *library);

/** The loader's message about the library that this thread has just failed to load; NULL: it is missing. */
const char *gs_library_trouble(void);

/* ---- the libraries of compressed data (codecs.def) ------------------------- */

/*
 * For each library, such as zlib: gs_zlib holds its functions; call gs_zlib_loads() before any of these; see
 * gs_library_loads().
 */
#define LIBRARY(library, ...)		extern struct gs_##library {
#define FUNCTION(library, function)	__typeof__(function) *function;
#define OPTIONAL(library, function)	__typeof__(function) *function;
#define END(library)			} gs_##library; bool gs_##library##_loads(void);
#include "base/codecs.def"
#undef LIBRARY
#undef FUNCTION
#undef OPTIONAL
#undef END

/* For inflateInit2_(): the stream has a gzip header, not zlib's, and any window. */
enum { GS_GZIP_WINDOW_BITS = MAX_WBITS + 16 };

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * dynload.h - libraries that are loaded when they are first needed
 *
 * Linked in the usual way, zlib and libzstd took a tenth of the time of a job of ten lines.
 * Include this header where their functions are called: the macros below give the loaded
 * functions their usual names.
 *
 * A library that is loaded this way is invisible to ldd(1) and to packaging tools.  So each
 * is declared in the binary by an ELF note, as "dlopen() Metadata for ELF Files" specifies
 * (https://systemd.io/ELF_DLOPEN_METADATA).
 */
#ifndef GS_DYNLOAD_H
#define GS_DYNLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codec_abi.h"

/* ---- any library ---------------------------------------------------------- */

/* A function of a library, and the pointer that is set to it, or to NULL. */
struct gs_symbol { const char *name; void *function; bool optional; };

/* A library, and the functions that gsort calls of it. */
struct gs_library {
	const char             *soname;
	const struct gs_symbol *symbols;
	size_t                  count;
	atomic_int              state;	/* 0 before the first call of gs_library_loads() */
};

#define GS_LIBRARY(soname, symbols)	{ soname, symbols, sizeof (symbols) / sizeof *(symbols), 0 }

/**
 * Load LIBRARY, unless that was done before; it stays loaded.  Any thread.
 *
 * @return  false: it is not installed, or lacks a symbol that is not optional
 */
bool gs_library_loads(struct gs_library *library);

/*
 * Declare a library in the binary.  NAME makes the variable's name; the others are string
 * literals.  PRIORITY: "required", "recommended" or "suggested".
 *
 * A note outlives --gc-sections and strip(1).  Of a static library it reaches the program
 * together with the object file that it is in, so it stands beside the call that loads.
 */
#ifdef __ELF__
#define GS_DLOPEN_NOTE(name, soname, feature, description, priority) \
	GS_DLOPEN_JSON(name, "[{\"soname\":[\"" soname "\"],\"feature\":\"" feature \
	               "\",\"description\":\"" description "\",\"priority\":\"" priority "\"}]")

#define GS_DLOPEN_JSON(variable, json) \
	static const struct { \
		uint32_t owner_bytes, json_bytes, type; \
		char     owner[4]; \
		_Alignas(4) char text[sizeof (json)]; \
	} dlopen_note_##variable __attribute__((used, section(".note.dlopen"), aligned(4))) = { \
		4, sizeof (json), 0x407c0c0a, "FDO", json, \
	}
#else	/* no notes: a type that nobody uses */
#define GS_DLOPEN_NOTE(name, soname, feature, description, priority) \
	struct gs_dlopen_##name
#endif

/* ---- zlib and libzstd ------------------------------------------------------ */

/** Call these before any of the functions below; see gs_library_loads(). */
bool gs_zlib_loads(void);
bool gs_zstd_loads(void);

/* For inflateInit2(): the stream has a gzip header, not zlib's, and any window. */
enum { GS_GZIP_WINDOW_BITS = MAX_WBITS + 16 };

#define GS_ZLIB_FUNCTIONS \
	F(zlibVersion) F(inflateInit2_) F(inflate) F(inflateReset) F(inflateEnd)
#define GS_ZSTD_FUNCTIONS \
	F(ZSTD_versionString) F(ZSTD_createDCtx) F(ZSTD_DCtx_setParameter) F(ZSTD_decompressStream) \
	F(ZSTD_decompressDCtx) F(ZSTD_freeDCtx) F(ZSTD_createCCtx) F(ZSTD_compressCCtx) \
	F(ZSTD_freeCCtx) F(ZSTD_isError) F(ZSTD_getErrorCode) F(ZSTD_getErrorName)

#define F(name)	__typeof__(name) *name;
extern struct gs_zlib { GS_ZLIB_FUNCTIONS } gs_zlib;
extern struct gs_zstd { GS_ZSTD_FUNCTIONS } gs_zstd;
#undef F

#define zlibVersion(...)		gs_zlib.zlibVersion(__VA_ARGS__)
#define inflateInit2_(...)		gs_zlib.inflateInit2_(__VA_ARGS__)
#define inflate(...)			gs_zlib.inflate(__VA_ARGS__)
#define inflateReset(...)		gs_zlib.inflateReset(__VA_ARGS__)
#define inflateEnd(...)			gs_zlib.inflateEnd(__VA_ARGS__)
#define ZSTD_versionString(...)		gs_zstd.ZSTD_versionString(__VA_ARGS__)
#define ZSTD_createDCtx(...)		gs_zstd.ZSTD_createDCtx(__VA_ARGS__)
#define ZSTD_DCtx_setParameter(...)	gs_zstd.ZSTD_DCtx_setParameter(__VA_ARGS__)
#define ZSTD_decompressStream(...)	gs_zstd.ZSTD_decompressStream(__VA_ARGS__)
#define ZSTD_decompressDCtx(...)	gs_zstd.ZSTD_decompressDCtx(__VA_ARGS__)
#define ZSTD_freeDCtx(...)		gs_zstd.ZSTD_freeDCtx(__VA_ARGS__)
#define ZSTD_createCCtx(...)		gs_zstd.ZSTD_createCCtx(__VA_ARGS__)
#define ZSTD_compressCCtx(...)		gs_zstd.ZSTD_compressCCtx(__VA_ARGS__)
#define ZSTD_freeCCtx(...)		gs_zstd.ZSTD_freeCCtx(__VA_ARGS__)
#define ZSTD_isError(...)		gs_zstd.ZSTD_isError(__VA_ARGS__)
#define ZSTD_getErrorCode(...)		gs_zstd.ZSTD_getErrorCode(__VA_ARGS__)
#define ZSTD_getErrorName(...)		gs_zstd.ZSTD_getErrorName(__VA_ARGS__)

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * dynload.h - libraries that are loaded when they are first needed
 *
 * Linked, zlib and libzstd took a job of ten lines a tenth of its time.  To be included
 * where they are called: from here on their functions are those that were loaded, by
 * their usual names.
 */
#ifndef GS_DYNLOAD_H
#define GS_DYNLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A function of a library, and the pointer that is to point to it. */
struct gs_symbol { const char *name; void *function; };

/** Load LIBRARY and find all SYMBOLS.  False: it is not there, or not whole. */
bool gs_dynload(const char *library, const struct gs_symbol *symbols, size_t count);

/** Is it there?  To be asked before any of the functions below is called. */
bool gs_zlib_loads(void);
bool gs_zstd_loads(void);

#define GS_ZLIB_FUNCTIONS \
	F(inflateInit2_) F(inflate) F(inflateReset) F(inflateEnd)
#define GS_ZSTD_FUNCTIONS \
	F(ZSTD_createDCtx) F(ZSTD_DCtx_setParameter) F(ZSTD_decompressStream) \
	F(ZSTD_decompressDCtx) F(ZSTD_freeDCtx) F(ZSTD_createCCtx) F(ZSTD_compressCCtx) \
	F(ZSTD_freeCCtx) F(ZSTD_isError) F(ZSTD_getErrorCode) F(ZSTD_getErrorName)

#define F(name)	__typeof__(name) *name;
extern struct gs_zlib { GS_ZLIB_FUNCTIONS } gs_zlib;
extern struct gs_zstd { GS_ZSTD_FUNCTIONS } gs_zstd;
#undef F

#define inflateInit2_(...)		gs_zlib.inflateInit2_(__VA_ARGS__)
#define inflate(...)			gs_zlib.inflate(__VA_ARGS__)
#define inflateReset(...)		gs_zlib.inflateReset(__VA_ARGS__)
#define inflateEnd(...)			gs_zlib.inflateEnd(__VA_ARGS__)
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

/* The same since zstd 1.3.0. */
#define ZSTD_createDStream(...)		ZSTD_createDCtx(__VA_ARGS__)
#define ZSTD_freeDStream(...)		ZSTD_freeDCtx(__VA_ARGS__)

#endif

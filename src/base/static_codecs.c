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

#define F(function)	{ #function, (gs_any_function *)(function) }

static const struct gs_static_function functions[] = {
	F(zlibVersion), F(inflateInit2_), F(inflate), F(inflateReset), F(inflateEnd),
	F(ZSTD_versionString), F(ZSTD_createDCtx), F(ZSTD_DCtx_setParameter), F(ZSTD_decompressStream),
	F(ZSTD_decompressDCtx), F(ZSTD_freeDCtx), F(ZSTD_createCCtx), F(ZSTD_compressCCtx),
	F(ZSTD_freeCCtx), F(ZSTD_isError), F(ZSTD_getErrorCode), F(ZSTD_getErrorName),
	F(LZ4_versionString), F(LZ4_compress_default), F(LZ4_decompress_safe),
	F(lzma_version_string), F(lzma_stream_decoder), F(lzma_code), F(lzma_end),
#if LZMA_VERSION >= UINT32_C(50040000)
	F(lzma_stream_decoder_mt),
#endif
	F(archive_version_string), F(archive_read_new), F(archive_read_append_filter),
	F(archive_read_support_format_raw), F(archive_read_open), F(archive_read_next_header),
	F(archive_read_data), F(archive_read_free), F(archive_error_string), F(archive_filter_bytes),
	{ NULL, NULL }
};

const struct gs_static_codecs gs_static_codecs = { functions };

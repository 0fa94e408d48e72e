// SPDX-License-Identifier: BSD-2-Clause
/*
 * codec_facts.h - sizes, places and constants of base/codec_abi.h, by name
 *
 * Included twice: by codec_abi.c with gsort's declarations, by tests/tools/codec_headers.c with those of the
 * libraries' headers.
 */
#ifndef CODEC_FACTS_H
#define CODEC_FACTS_H

#include "base/codec_abi.h"

struct codec_fact { const char *name; long long value; };

extern const struct codec_fact codec_headers[];	/* ends with NULL */

#define FACT(value)		{ #value, (long long)(value) },
#define PLACE(type, member)	FACT(offsetof(type, member))

#define CODEC_FACTS { \
	FACT(sizeof(z_stream)) PLACE(z_stream, next_in) PLACE(z_stream, avail_in) \
	PLACE(z_stream, next_out) PLACE(z_stream, avail_out) PLACE(z_stream, msg) \
	PLACE(z_stream, zalloc) PLACE(z_stream, zfree) PLACE(z_stream, opaque) \
	FACT(Z_OK) FACT(Z_STREAM_END) FACT(Z_MEM_ERROR) FACT(Z_BUF_ERROR) FACT(Z_NO_FLUSH) \
	FACT(Z_FINISH) FACT(MAX_WBITS) FACT(ZLIB_VERSION[0]) \
	FACT(sizeof(ZSTD_inBuffer)) PLACE(ZSTD_inBuffer, src) PLACE(ZSTD_inBuffer, size) \
	PLACE(ZSTD_inBuffer, pos) FACT(sizeof(ZSTD_outBuffer)) PLACE(ZSTD_outBuffer, dst) \
	PLACE(ZSTD_outBuffer, size) PLACE(ZSTD_outBuffer, pos) FACT(ZSTD_d_windowLogMax) \
	FACT(ZSTD_error_prefix_unknown) FACT(ZSTD_error_frameParameter_windowTooLarge) \
	FACT(LZMA_OK) FACT(LZMA_STREAM_END) FACT(LZMA_MEM_ERROR) FACT(LZMA_MEMLIMIT_ERROR) \
	FACT(LZMA_FORMAT_ERROR) FACT(LZMA_OPTIONS_ERROR) FACT(LZMA_BUF_ERROR) FACT(LZMA_RUN) \
	FACT(LZMA_FINISH) FACT(LZMA_CONCATENATED) FACT(sizeof(lzma_stream)) \
	PLACE(lzma_stream, next_in) PLACE(lzma_stream, avail_in) PLACE(lzma_stream, next_out) \
	PLACE(lzma_stream, avail_out) FACT(sizeof(lzma_mt)) PLACE(lzma_mt, flags) \
	PLACE(lzma_mt, threads) PLACE(lzma_mt, memlimit_threading) PLACE(lzma_mt, memlimit_stop) \
	FACT(ARCHIVE_OK) FACT(ARCHIVE_FILTER_BZIP2) FACT(ARCHIVE_FILTER_LZ4) \
	FACT(sizeof(la_ssize_t)) FACT(sizeof(la_int64_t)) \
	{ NULL, 0 } \
}

#endif

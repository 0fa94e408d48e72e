// SPDX-License-Identifier: BSD-2-Clause
/*
 * codec_abi.h - what gsort calls of zlib, libzstd, liblz4, liblzma and libarchive
 *
 * Their libraries are loaded when a job needs them (dynload.h), so a host without their headers
 * builds a gsort that uses them all the same.  What is declared here is fixed by the names of the
 * libraries: libz.so.1, libzstd.so.1, liblz4.so.1, liblzma.so.5, libarchive.so.13.
 * tests/unit/base/codec_abi.c compares it with the headers: with GS_CODEC_HEADERS types and constants
 * come from the libraries' headers, and the declarations below must agree with these.
 */
#ifndef GS_CODEC_ABI_H
#define GS_CODEC_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef GS_CODEC_HEADERS
#include <archive.h>
#include <archive_entry.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#else

/* ---- zlib ------------------------------------------------------------------- */

typedef struct z_stream_s {
	unsigned char *next_in;
	unsigned       avail_in;
	unsigned long  total_in;
	unsigned char *next_out;
	unsigned       avail_out;
	unsigned long  total_out;
	char          *msg;		/* NULL: none */
	void          *state;
	void        *(*zalloc)(void *, unsigned, unsigned);
	void         (*zfree)(void *, void *);
	void          *opaque;
	int            data_type;
	unsigned long  adler;
	unsigned long  reserved;
} z_stream;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_MEM_ERROR = -4, Z_BUF_ERROR = -5 };
enum { Z_NO_FLUSH = 0, Z_FINISH = 4, MAX_WBITS = 15 };
#define ZLIB_VERSION		"1"	/* the library compares the first character */

/* ---- libzstd ---------------------------------------------------------------- */

typedef struct ZSTD_CCtx_s ZSTD_CCtx;
typedef struct ZSTD_DCtx_s ZSTD_DCtx;
typedef struct ZSTD_inBuffer_s { const void *src; size_t size, pos; } ZSTD_inBuffer;
typedef struct ZSTD_outBuffer_s { void *dst; size_t size, pos; } ZSTD_outBuffer;
typedef enum { ZSTD_d_windowLogMax = 100 } ZSTD_dParameter;
typedef enum {
	ZSTD_error_prefix_unknown = 10, ZSTD_error_frameParameter_windowTooLarge = 16,
} ZSTD_ErrorCode;

/* ---- liblzma ---------------------------------------------------------------- */

typedef enum {
	LZMA_OK = 0, LZMA_STREAM_END = 1, LZMA_MEM_ERROR = 5, LZMA_MEMLIMIT_ERROR = 6,
	LZMA_FORMAT_ERROR = 7, LZMA_OPTIONS_ERROR = 8, LZMA_BUF_ERROR = 10,
} lzma_ret;
typedef enum { LZMA_RUN = 0, LZMA_FINISH = 3 } lzma_action;
enum { LZMA_CONCATENATED = 8 };

typedef struct {
	const uint8_t *next_in;
	size_t         avail_in;
	uint64_t       total_in;
	uint8_t       *next_out;
	size_t         avail_out;
	uint64_t       total_out;
	const void    *allocator;
	void          *internal;
	void          *reserved_pointers[4];
	uint64_t       seek_pos, reserved_2;
	size_t         reserved_sizes[2];
	unsigned       reserved_enums[2];
} lzma_stream;

typedef struct {		/* of 5.4; stream_decoder_mt came with it */
	uint32_t    flags, threads;
	uint64_t    block_size;
	uint32_t    timeout, preset;
	const void *filters;
	unsigned    check, reserved_enums[3];
	uint32_t    reserved_ints[4];
	uint64_t    memlimit_threading, memlimit_stop;
	uint64_t    reserved_longs[2];
	void       *reserved_pointers[4];
} lzma_mt;

/* ---- libarchive ------------------------------------------------------------- */

struct archive;
struct archive_entry;
typedef ssize_t la_ssize_t;
typedef int64_t la_int64_t;
typedef la_ssize_t archive_read_callback(struct archive *, void *context, const void **data);
typedef int archive_open_callback(struct archive *, void *context);
typedef int archive_close_callback(struct archive *, void *context);

enum { ARCHIVE_OK = 0, ARCHIVE_FILTER_BZIP2 = 2, ARCHIVE_FILTER_LZ4 = 13 };

#endif

/* ---- functions ---------------------------------------------------------------- */

const char *zlibVersion(void);
int inflateInit2_(z_stream *, int window_bits, const char *version, int stream_bytes);
int inflate(z_stream *, int flush);
int inflateReset(z_stream *);
int inflateEnd(z_stream *);

const char *ZSTD_versionString(void);
ZSTD_DCtx *ZSTD_createDCtx(void);
size_t ZSTD_DCtx_setParameter(ZSTD_DCtx *, ZSTD_dParameter, int value);
size_t ZSTD_decompressStream(ZSTD_DCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *);
size_t ZSTD_decompressDCtx(ZSTD_DCtx *, void *to, size_t room, const void *from, size_t bytes);
size_t ZSTD_freeDCtx(ZSTD_DCtx *);
ZSTD_CCtx *ZSTD_createCCtx(void);
size_t ZSTD_compressCCtx(ZSTD_CCtx *, void *to, size_t room, const void *from, size_t bytes, int level);
size_t ZSTD_freeCCtx(ZSTD_CCtx *);
unsigned ZSTD_isError(size_t code);
ZSTD_ErrorCode ZSTD_getErrorCode(size_t code);
const char *ZSTD_getErrorName(size_t code);

const char *LZ4_versionString(void);
int LZ4_compress_default(const char *from, char *to, int bytes, int room);
int LZ4_decompress_safe(const char *from, char *to, int bytes, int room);

const char *lzma_version_string(void);
lzma_ret lzma_stream_decoder(lzma_stream *, uint64_t memory, uint32_t flags);
lzma_ret lzma_code(lzma_stream *, lzma_action);
void lzma_end(lzma_stream *);
lzma_ret lzma_stream_decoder_mt(lzma_stream *, const lzma_mt *);	/* from 5.4 on */

const char *archive_version_string(void);
struct archive *archive_read_new(void);
int archive_read_append_filter(struct archive *, int filter);
int archive_read_support_format_raw(struct archive *);
int archive_read_open(struct archive *, void *context, archive_open_callback *, archive_read_callback *,
                      archive_close_callback *);
int archive_read_next_header(struct archive *, struct archive_entry **);
la_ssize_t archive_read_data(struct archive *, void *into, size_t bytes);
int archive_read_free(struct archive *);
const char *archive_error_string(struct archive *);
la_int64_t archive_filter_bytes(struct archive *, int filter);

#endif

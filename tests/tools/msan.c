// SPDX-License-Identifier: BSD-2-Clause
/*
 * msan.c - what MemorySanitizer must be told of code that it does not watch
 *
 * Linked in front of gsort and units by tests/house/sanitizers.sh, with --wrap: what the C++ library and the
 * libraries of compressed data write is initialised.  Vector kernels are not used, as clang knows few of
 * their instructions.
 */
#include <sanitizer/msan_interface.h>
#include <sys/stat.h>

#include "base/dynload.h"
#include "base/simd.h"
#include "text/floats.h"

/* ---- vectors, floats of the C++ library, and a call that clang 14 does not know ---- */

void __real_gs_simd_at_most(enum gs_simd most);
void __wrap_gs_simd_at_most(enum gs_simd most);

void
__wrap_gs_simd_at_most(enum gs_simd most)
{
	(void)most;
	__real_gs_simd_at_most(GS_SIMD_NONE);
}

static void __attribute__((constructor))
use_no_vectors(void)
{
	__real_gs_simd_at_most(GS_SIMD_NONE);
}

enum gs_float __real_gs_float_read(const char *text, const char *end, double *value);
enum gs_float __wrap_gs_float_read(const char *text, const char *end, double *value);
size_t __real_gs_float_print(double value, bool narrow, char *into);
size_t __wrap_gs_float_print(double value, bool narrow, char *into);
double __real_gs_float_round(double value, unsigned digits);
double __wrap_gs_float_round(double value, unsigned digits);

enum gs_float
__wrap_gs_float_read(const char *text, const char *end, double *value)
{
	enum gs_float kind;

	__msan_check_mem_is_initialized(text, (size_t)(end - text));
	__msan_scoped_disable_interceptor_checks();	/* memcmp(3) of what to_chars() wrote */
	kind = __real_gs_float_read(text, end, value);
	__msan_scoped_enable_interceptor_checks();
	__msan_unpoison(&kind, sizeof kind);
	__msan_unpoison(value, sizeof *value);
	return kind;
}

size_t
__wrap_gs_float_print(double value, bool narrow, char *into)
{
	size_t bytes;

	__msan_check_mem_is_initialized(&value, sizeof value);
	bytes = __real_gs_float_print(value, narrow, into);
	__msan_unpoison(&bytes, sizeof bytes);
	__msan_unpoison(into, bytes);
	return bytes;
}

double
__wrap_gs_float_round(double value, unsigned digits)
{
	double rounded;

	__msan_check_mem_is_initialized(&value, sizeof value);
	rounded = __real_gs_float_round(value, digits);
	__msan_unpoison(&rounded, sizeof rounded);
	return rounded;
}

int __real_statx(int folder, const char *name, int flags, unsigned mask, struct statx *facts);
int __wrap_statx(int folder, const char *name, int flags, unsigned mask, struct statx *facts);

int
__wrap_statx(int folder, const char *name, int flags, unsigned mask, struct statx *facts)
{
	const int status = __real_statx(folder, name, flags, mask, facts);

	__msan_unpoison(facts, status == 0 ? sizeof *facts : 0);
	return status;
}

/* ---- the libraries of compressed data -------------------------------------------------------- */

static struct gs_zlib zlib;	/* what is watched */
static struct gs_zstd zstd;
static struct gs_lz4 lz4;
static struct gs_lzma lzma;
static struct gs_archive archive;

static int
watched_inflateInit2_(z_stream *stream, int bits, const char *version, int bytes)
{
	const int status = zlib.inflateInit2_(stream, bits, version, bytes);

	__msan_unpoison(stream, sizeof *stream);
	return status;
}

static int
watched_inflate(z_stream *stream, int flush)
{
	unsigned char *into = stream->next_out;
	int status;

	__msan_check_mem_is_initialized(stream->next_in, stream->avail_in);
	status = zlib.inflate(stream, flush);
	__msan_unpoison(stream, sizeof *stream);
	__msan_unpoison(into, (size_t)(stream->next_out - into));
	return status;
}

static int
watched_inflateReset(z_stream *stream)
{
	const int status = zlib.inflateReset(stream);

	__msan_unpoison(stream, sizeof *stream);
	return status;
}

static size_t
watched_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	const size_t before = out->pos;
	size_t status;

	__msan_check_mem_is_initialized((const char *)in->src + in->pos, in->size - in->pos);
	status = zstd.ZSTD_decompressStream(context, out, in);
	__msan_unpoison(out, sizeof *out);
	__msan_unpoison(in, sizeof *in);
	__msan_unpoison((char *)out->dst + before, out->pos - before);
	return status;
}

static size_t
watched_ZSTD_decompressDCtx(ZSTD_DCtx *context, void *into, size_t room, const void *from, size_t bytes)
{
	size_t made;

	__msan_check_mem_is_initialized(from, bytes);
	made = zstd.ZSTD_decompressDCtx(context, into, room, from, bytes);
	__msan_unpoison(into, made <= room ? made : 0);
	return made;
}

static size_t
watched_ZSTD_compressCCtx(ZSTD_CCtx *context, void *into, size_t room, const void *from, size_t bytes,
                          int level)
{
	size_t made;

	__msan_check_mem_is_initialized(from, bytes);
	made = zstd.ZSTD_compressCCtx(context, into, room, from, bytes, level);
	__msan_unpoison(into, made <= room ? made : 0);
	return made;
}

static int
watched_LZ4_compress_default(const char *from, char *into, int bytes, int room)
{
	int made;

	__msan_check_mem_is_initialized(from, (size_t)bytes);
	made = lz4.LZ4_compress_default(from, into, bytes, room);
	__msan_unpoison(into, made > 0 ? (size_t)made : 0);
	return made;
}

static int
watched_LZ4_decompress_safe(const char *from, char *into, int bytes, int room)
{
	int made;

	__msan_check_mem_is_initialized(from, (size_t)bytes);
	made = lz4.LZ4_decompress_safe(from, into, bytes, room);
	__msan_unpoison(into, made > 0 ? (size_t)made : 0);
	return made;
}

static lzma_ret
watched_lzma_code(lzma_stream *stream, lzma_action action)
{
	uint8_t *into = stream->next_out;
	lzma_ret status;

	__msan_check_mem_is_initialized(stream->next_in, stream->avail_in);
	__msan_scoped_disable_interceptor_checks();	/* memcmp(3) of what it has copied */
	status = lzma.lzma_code(stream, action);
	__msan_scoped_enable_interceptor_checks();
	__msan_unpoison(stream, sizeof *stream);
	__msan_unpoison(into, (size_t)(stream->next_out - into));
	return status;
}

static int
watched_archive_read_append_filter(struct archive *reader, int code)
{
	int status;

	__msan_scoped_disable_interceptor_checks();	/* strcmp(3) of a name that it has made */
	status = archive.archive_read_append_filter(reader, code);
	__msan_scoped_enable_interceptor_checks();
	return status;
}

static ssize_t
watched_archive_read_data(struct archive *reader, void *into, size_t room)
{
	const ssize_t made = archive.archive_read_data(reader, into, room);

	__msan_unpoison(into, made > 0 ? (size_t)made : 0);
	return made;
}

static const char *
watched_archive_error_string(struct archive *reader)
{
	const char *text = archive.archive_error_string(reader);

	if (text != NULL)
		__msan_unpoison_string(text);
	return text;
}

/* FUNCTION of LIBRARY is watched, from the first time that it is loaded. */
#define WATCH(library, function) \
	if (gs_##library.function != watched_##function) { \
		library.function = gs_##library.function; \
		gs_##library.function = watched_##function; \
	}

bool __real_gs_zlib_loads(void);
bool __wrap_gs_zlib_loads(void);
bool __real_gs_zstd_loads(void);
bool __wrap_gs_zstd_loads(void);
bool __real_gs_lz4_loads(void);
bool __wrap_gs_lz4_loads(void);
bool __real_gs_lzma_loads(void);
bool __wrap_gs_lzma_loads(void);
bool __real_gs_archive_loads(void);
bool __wrap_gs_archive_loads(void);

bool
__wrap_gs_zlib_loads(void)
{
	const bool loaded = __real_gs_zlib_loads();

	WATCH(zlib, inflateInit2_)
	WATCH(zlib, inflate)
	WATCH(zlib, inflateReset)
	return loaded;
}

bool
__wrap_gs_zstd_loads(void)
{
	const bool loaded = __real_gs_zstd_loads();

	WATCH(zstd, ZSTD_decompressStream)
	WATCH(zstd, ZSTD_decompressDCtx)
	WATCH(zstd, ZSTD_compressCCtx)
	return loaded;
}

bool
__wrap_gs_lz4_loads(void)
{
	const bool loaded = __real_gs_lz4_loads();

	WATCH(lz4, LZ4_compress_default)
	WATCH(lz4, LZ4_decompress_safe)
	return loaded;
}

bool
__wrap_gs_lzma_loads(void)
{
	const bool loaded = __real_gs_lzma_loads();

	WATCH(lzma, lzma_code)
	return loaded;
}

bool
__wrap_gs_archive_loads(void)
{
	const bool loaded = __real_gs_archive_loads();

	WATCH(archive, archive_read_append_filter)
	WATCH(archive, archive_read_data)
	WATCH(archive, archive_error_string)
	return loaded;
}

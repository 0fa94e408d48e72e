// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.c - one compressed stream becomes bytes
 *
 * In:   a descriptor, and the few bytes already read from it.
 * Out:  what its members (gzip members, bzip2 and xz streams, zstd and lz4
 *       frames) hold, one after the other.
 *
 * Four libraries are behind one function, step(), and none may be lenient: a
 * sorted half of a file looks just like a sorted file.
 *
 * bzip2 and lz4 are libarchive's (inflate_archive.c), xz is liblzma's (inflate_xz.c).
 * zstd is libzstd's, for windows up to 2 GiB.  gzip is zlib's, because libarchive 3.6.2 never looks at
 * the CRC: of a file with one byte changed in the middle it returns all the rest
 * without complaint, and nothing it offers tells where a member ends, so the CRC
 * cannot be checked from outside.
 *
 * Invariant: next .. next + left is what was read and not yet given to a library;
 * it lies inside the buffer.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/parallel_inflate.h"
#include "io/inflate_stream.h"
#include "io/open.h"

/* ---- trouble ----------------------------------------------------------- */

gs_status
gs_inflate_truncated(const struct gs_inflate *z)
{
	return gs_fail(GS_EINPUT, "%s: truncated %s data", z->name, z->format->name);
}

gs_status
gs_inflate_corrupt(const struct gs_inflate *z, const char *reason)
{
	return gs_fail(GS_EINPUT, "%s: corrupt %s data: %s", z->name, z->format->name,
	               reason);
}

/* Where a member should begin, something else does. */
gs_status
gs_inflate_foreign(const struct gs_inflate *z)
{
	if (z->any)
		return gs_fail(GS_EINPUT, "%s: trailing garbage after the %s data",
		               z->name, z->format->name);
	return gs_fail(GS_EINPUT, "%s: not %s data; if it is not compressed, use --decompress=none",
	               z->name, z->format->name);
}

/* Data say how far they look back, and a few bytes of them may say 4 GiB. */
gs_status
gs_inflate_too_large(const struct gs_inflate *z)
{
	return gs_fail(GS_EBUDGET, "%s: to decompress it takes more than the %llu MiB of memory that "
	               "are left for that; use a larger -S, or decompress it first", z->name,
	               (unsigned long long)(z->help.window_bytes >> 20));
}

/* ---- the compressed bytes ---------------------------------------------- */

/* The next block, if there is one; before it, the end of the last is kept. */
gs_status
gs_inflate_fill(struct gs_inflate *z)
{
	char *data = z->block + GS_KEPT_BYTES;
	ssize_t got;

	assert(z->left <= GS_KEPT_BYTES);
	memmove(z->block, z->block + z->block_bytes, GS_KEPT_BYTES);
	z->next = data - z->left;
	z->block_bytes = 0;
	got = gs_read(&z->reader, data, GS_BLOCK_BYTES);
	if (got < 0)
		return gs_fail_errno(GS_EIO, "read failed: %s", z->name);
	z->block_bytes = (size_t)got;
	z->left += (size_t)got;
	z->total_bytes += (uint64_t)got;
	z->ended = got == 0;
	return GS_OK;
}

void
gs_inflate_advance(struct gs_inflate *z, size_t bytes)
{
	assert(bytes <= z->left);
	z->next += bytes;
	z->left -= bytes;
}

/* For the libraries that are handed a block: see that there is one, or be done. */
static gs_status
provide(struct gs_inflate *z)
{
	if (z->left == 0 && !z->ended)
		TRY(gs_inflate_fill(z));
	z->done = z->left == 0 && !z->inside;
	return z->done && !z->any ? gs_inflate_truncated(z) : GS_OK;
}

/* ---- gzip: zlib -------------------------------------------------------- */

enum { GZIP_ONLY = 16 };	/* added to the window bits: a gzip header, nothing else */

static gs_status
gzip_open(struct gs_inflate *z)
{
	if (inflateInit2(&z->zlib, MAX_WBITS + GZIP_ONLY) != Z_OK)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	return GS_OK;
}

static gs_status
gzip_step(struct gs_inflate *z, char *into, size_t bytes, size_t *got)
{
	const size_t most = 1 << 30;	/* zlib counts in unsigned int */
	size_t room = bytes - *got < most ? bytes - *got : most;
	z_stream *zlib = &z->zlib;
	int code;

	TRY(provide(z));
	if (z->done)
		return GS_OK;
	zlib->next_in = (unsigned char *)z->next;
	zlib->avail_in = (unsigned)z->left;
	zlib->next_out = (unsigned char *)into + *got;
	zlib->avail_out = (unsigned)room;
	code = inflate(zlib, Z_NO_FLUSH);
	gs_inflate_advance(z, z->left - zlib->avail_in);
	*got += room - zlib->avail_out;
	z->inside = code != Z_STREAM_END;
	switch (code) {
	case Z_STREAM_END:
		z->any = true;
		inflateReset(zlib);
		return GS_OK;
	case Z_OK:
		return GS_OK;
	case Z_BUF_ERROR:	/* no progress, so there was no more input */
		return gs_inflate_truncated(z);
	case Z_MEM_ERROR:
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	}
	if (zlib->msg != NULL && strcmp(zlib->msg, "incorrect header check") == 0)
		return gs_inflate_foreign(z);
	return gs_inflate_corrupt(z, zlib->msg != NULL ? zlib->msg : "bad stream");
}

static void
gzip_close(struct gs_inflate *z)
{
	inflateEnd(&z->zlib);
}

/* ---- zstd: libzstd ----------------------------------------------------- */

enum { WINDOW_LOG_LEAST = 10, WINDOW_LOG_MOST = 31 };	/* zstd --long=31 */

/* The largest window that is allowed, as a power of two. */
static int
window_log(uint64_t bytes)
{
	int log = WINDOW_LOG_MOST;

	while (bytes > 0 && log > WINDOW_LOG_LEAST && bytes >> log == 0)
		log--;
	return log;
}

static gs_status
zstd_open(struct gs_inflate *z)
{
	z->zstd = ZSTD_createDStream();
	if (z->zstd == NULL)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	/* Memory is only taken when a frame asks for it. */
	ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, window_log(z->help.window_bytes));
	return GS_OK;
}

static gs_status
zstd_step(struct gs_inflate *z, char *into, size_t bytes, size_t *got)
{
	ZSTD_inBuffer in;
	ZSTD_outBuffer out = { into, bytes, *got };
	size_t code;

	TRY(provide(z));
	if (z->done)
		return GS_OK;
	in = (ZSTD_inBuffer){ z->next, z->left, 0 };
	code = ZSTD_decompressStream(z->zstd, &out, &in);
	if (code != 0 && in.size == 0 && out.pos == *got)
		return gs_inflate_truncated(z);
	gs_inflate_advance(z, in.pos);
	*got = out.pos;
	z->inside = code != 0;
	z->any |= code == 0;
	if (!ZSTD_isError(code))
		return GS_OK;
	if (ZSTD_getErrorCode(code) == ZSTD_error_prefix_unknown)
		return gs_inflate_foreign(z);
	if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge &&
	    window_log(z->help.window_bytes) < WINDOW_LOG_MOST)
		return gs_inflate_too_large(z);
	return gs_inflate_corrupt(z, ZSTD_getErrorName(code));
}

static void
zstd_close(struct gs_inflate *z)
{
	ZSTD_freeDStream(z->zstd);
}

/* ---- the formats ------------------------------------------------------- */

static const struct gs_inflate_format gzip = {
	GSORT_DECOMPRESS_GZIP, "gzip", ".gz", "\x1f\x8b\x08", 3,
	gzip_open, gzip_step, gzip_close, 0, NULL, 0,
};
static const struct gs_inflate_format zstd = {
	GSORT_DECOMPRESS_ZSTD, "zstd", ".zst", "\x28\xb5\x2f\xfd", 4,
	zstd_open, zstd_step, zstd_close, 0, NULL, 0,
};

static const struct gs_inflate_format *const formats[] = {
	&gzip, &gs_inflate_bzip2, &gs_inflate_xz, &zstd, &gs_inflate_lz4,
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct gs_inflate_format *
format_of(enum gsort_decompress decompress)
{
	for (size_t f = 0; f < FORMATS; f++)
		if (formats[f]->decompress == decompress)
			return formats[f];
	return NULL;
}

enum gsort_decompress
gs_inflate_sniff(const void *data, size_t bytes)
{
	const unsigned char *magic = data;

	for (size_t f = 0; f < FORMATS; f++)
		if (bytes >= formats[f]->magic_bytes &&
		    memcmp(data, formats[f]->magic, formats[f]->magic_bytes) == 0)
			return formats[f]->decompress;
	/* 0x184D2A50 .. 5F, a frame to be skipped, zstd's or lz4's: pzstd begins so. */
	if (bytes >= 4 && (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", 3) == 0)
		return GSORT_DECOMPRESS_ZSTD;
	return GSORT_DECOMPRESS_NONE;
}

enum gsort_decompress
gs_inflate_suffix(const char *name)
{
	size_t length = strlen(name);

	for (size_t f = 0; f < FORMATS; f++) {
		size_t suffix = strlen(formats[f]->suffix);

		if (length > suffix && strcmp(name + length - suffix, formats[f]->suffix) == 0)
			return formats[f]->decompress;
	}
	return GSORT_DECOMPRESS_NONE;
}

/* The libraries called here; libarchive and liblzma are loaded by their own files. */
static gs_status
load_library(const struct gs_inflate *z)
{
	if (z->format == &gzip ? gs_zlib_loads() : z->format == &zstd ? gs_zstd_loads() : true)
		return GS_OK;
	return gs_fail(GS_EIO, "%s: %s cannot be loaded: install %s, or decompress the %s data first",
	               z->name, z->format == &gzip ? "libz.so.1" : "libzstd.so.1",
	               z->format == &gzip ? "zlib" : "libzstd", z->format->name);
}

gs_status
gs_inflate_open(struct gs_inflate **inflate, enum gsort_decompress format,
                const struct gs_reader *reader, const char *name, const void *prefix,
                size_t prefix_bytes, const struct gs_inflate_help *help)
{
	struct gs_inflate *z = calloc(1, sizeof *z);
	gs_status status;

	*inflate = NULL;
	if (z == NULL || (z->block = calloc(1, GS_KEPT_BYTES + GS_BLOCK_BYTES)) == NULL) {
		free(z);
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", name);
	}
	assert(prefix_bytes <= GS_BLOCK_BYTES);
	z->format = format_of(format);
	assert(z->format != NULL);
	z->name = name;
	z->reader = *reader;
	if (help != NULL)
		z->help = *help;
	z->next = z->block + GS_KEPT_BYTES;
	if (prefix_bytes > 0)
		memcpy(z->next, prefix, prefix_bytes);
	z->left = z->block_bytes = z->total_bytes = prefix_bytes;
	status = load_library(z);
	if (status == GS_OK && z->format->open != NULL)
		status = z->format->open(z);
	if (status != GS_OK) {
		free(z->block);
		free(z);
		return status;
	}
	if (z->help.regular && z->help.threads > 1 && z->help.memory_bytes > 0)
		z->frames = gs_parallel_inflate_open(format, reader->fd, z->help.offset, &z->help);
	*inflate = z;
	return GS_OK;
}

/* Where the frames that know their size end, the file may go on: front to back. */
static gs_status
leave_frames(struct gs_inflate *z, uint64_t offset)
{
	gs_parallel_inflate_close(z->frames);
	z->frames = NULL;
	z->any = offset > z->help.offset;
	if (lseek(z->reader.fd, (off_t)offset, SEEK_SET) < 0)
		return gs_fail_errno(GS_EIO, "read failed: %s", z->name);
	return GS_OK;
}

gs_status
gs_inflate_read(struct gs_inflate *z, void *into, size_t bytes, size_t *got)
{
	uint64_t offset;

	*got = 0;
	if (z->frames != NULL && !gs_parallel_inflate_read(z->frames, into, bytes, got, &offset))
		TRY(leave_frames(z, offset));
	while (*got < bytes && !z->done)
		TRY(z->format->step(z, into, bytes, got));
	return GS_OK;
}

void
gs_inflate_close(struct gs_inflate *z)
{
	if (z == NULL)
		return;
	gs_parallel_inflate_close(z->frames);
	z->format->close(z);
	free(z->block);
	free(z);
}

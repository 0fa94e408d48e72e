// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.c - one compressed stream becomes bytes
 *
 * In:   a descriptor, and the few bytes already read from it.
 * Out:  what its members (gzip members, bzip2 and xz streams, zstd and lz4
 *       frames) hold, one after the other.
 *
 * Three libraries are behind one function, step(), and none may be lenient: a
 * sorted half of a file looks just like a sorted file.
 *
 * bzip2, xz and lz4 are libarchive's: one filter, chosen here and not guessed
 * (archive_read_append_filter: guessing would unpack a .gz inside a .gz too), and
 * the raw format.  zstd is libzstd's, for windows up to 2 GiB.  gzip is zlib's,
 * because libarchive 3.6.2 never looks at the CRC: of a file with one byte
 * changed in the middle it returns all the rest without complaint, and nothing it
 * offers tells where a member ends, so the CRC cannot be checked from outside.
 *
 * What libarchive 3.6.2 lets pass in the other three, and the remedy:
 *   - trouble before the first byte of output is taken for an empty file (lz4
 *     with large blocks, cut anywhere).  So a member with one known byte is fed
 *     to it first: from then on there has been output;
 *   - after a bzip2 stream or lz4 frame, anything is silently ignored, and so is
 *     all after an empty lz4 frame.  So at its end we look how much it has
 *     consumed: what is left must begin another member, for which it is opened
 *     afresh, or is garbage.  (Of garbage behind lz4, it consumes four bytes: a
 *     file that ends right there is the one case that passes.)
 *
 * Invariant: next .. next + left is what was read and not yet given to a library;
 * it lies inside the buffer.
 */
#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "io/inflate.h"
#include "io/open.h"

enum {
	BLOCK_BYTES = 256 << 10,	/* read at once */
	KEPT_BYTES  = 64,		/* of the block before: more than any magic number */
};

/* A member that holds one newline; what comes of it is dropped. */
static const unsigned char bzip2_seed[] = {
	0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x9e, 0x7d, 0x96,
	0x9d, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x10, 0x20, 0x00, 0x21, 0x18, 0x46,
	0x82, 0xee, 0x48, 0xa7, 0x0a, 0x12, 0x13, 0xcf, 0xb2, 0xd3, 0xa0,
};
static const unsigned char xz_seed[] = {
	0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02,
	0x00, 0x21, 0x01, 0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0x01, 0x00,
	0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x93, 0x06, 0xd7, 0x32, 0x00, 0x01, 0x15,
	0x01, 0xa9, 0x63, 0x34, 0x60, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00,
	0x00, 0x01, 0x59, 0x5a,
};
static const unsigned char lz4_seed[] = {
	0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0x01, 0x00, 0x00, 0x80, 0x0a, 0x00,
	0x00, 0x00, 0x00,
};

struct gs_inflate {
	const struct format *format;
	const char *name;	/* of the file */
	int         fd;
	char       *block;	/* KEPT_BYTES of the last one, then this one */
	size_t      block_bytes;
	char       *next;	/* what no library has seen yet */
	size_t      left;
	uint64_t    total_bytes;	/* read so far, prefix included */
	bool        ended;	/* FD has */
	bool        inside;	/* a member has begun and not ended */
	bool        any;	/* a member has ended */
	bool        done;	/* so has the last one */

	z_stream        zlib;
	ZSTD_DStream   *zstd;
	struct archive *archive;
	uint64_t        opened_at;	/* where in the file ARCHIVE was opened */
	bool            seeded;		/* it has got its seed */
	gs_status       read_status;	/* of the callback */
};

struct format {
	enum gsort_decompress decompress;
	const char  *name, *suffix;
	const char  *magic;
	size_t       magic_bytes;
	gs_status  (*open)(struct gs_inflate *);
	/* Add to *GOT, up to BYTES; or come closer to it; or be done. */
	gs_status  (*step)(struct gs_inflate *, char *into, size_t bytes, size_t *got);
	void       (*close)(struct gs_inflate *);
	int          filter;			/* libarchive's, with its seed */
	const unsigned char *seed;
	size_t       seed_bytes;
};

/* ---- trouble ----------------------------------------------------------- */

static gs_status
truncated(const struct gs_inflate *z)
{
	return gs_fail(GS_EINPUT, "%s: truncated %s data", z->name, z->format->name);
}

static gs_status
corrupt(const struct gs_inflate *z, const char *reason)
{
	return gs_fail(GS_EINPUT, "%s: corrupt %s data: %s", z->name, z->format->name,
	               reason);
}

/* Where a member should begin, something else does. */
static gs_status
foreign(const struct gs_inflate *z)
{
	if (z->any)
		return gs_fail(GS_EINPUT, "%s: trailing garbage after the %s data",
		               z->name, z->format->name);
	return gs_fail(GS_EINPUT, "%s: not %s data", z->name, z->format->name);
}

/* ---- the compressed bytes ---------------------------------------------- */

/* The next block, if there is one; before it, the end of the last is kept. */
static gs_status
fill(struct gs_inflate *z)
{
	char *data = z->block + KEPT_BYTES;
	ssize_t got;

	assert(z->left <= KEPT_BYTES);
	memmove(z->block, z->block + z->block_bytes, KEPT_BYTES);
	z->next = data - z->left;
	z->block_bytes = 0;
	got = gs_read(z->fd, data, BLOCK_BYTES);
	if (got < 0)
		return gs_fail_errno(GS_EIO, "read failed: %s", z->name);
	z->block_bytes = (size_t)got;
	z->left += (size_t)got;
	z->total_bytes += (uint64_t)got;
	z->ended = got == 0;
	return GS_OK;
}

static void
advance(struct gs_inflate *z, size_t bytes)
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
		TRY(fill(z));
	z->done = z->left == 0 && !z->inside;
	return z->done && !z->any ? truncated(z) : GS_OK;
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
	advance(z, z->left - zlib->avail_in);
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
		return truncated(z);
	case Z_MEM_ERROR:
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	}
	if (zlib->msg != NULL && strcmp(zlib->msg, "incorrect header check") == 0)
		return foreign(z);
	return corrupt(z, zlib->msg != NULL ? zlib->msg : "bad stream");
}

static void
gzip_close(struct gs_inflate *z)
{
	inflateEnd(&z->zlib);
}

/* ---- zstd: libzstd ----------------------------------------------------- */

enum { WINDOW_LOG_MOST = 31 };	/* zstd --long=31 */

static gs_status
zstd_open(struct gs_inflate *z)
{
	z->zstd = ZSTD_createDStream();
	if (z->zstd == NULL)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	/* Whatever zstd --long wrote: memory is only taken when a frame asks for it. */
	ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
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
		return truncated(z);
	advance(z, in.pos);
	*got = out.pos;
	z->inside = code != 0;
	z->any |= code == 0;
	if (!ZSTD_isError(code))
		return GS_OK;
	if (ZSTD_getErrorCode(code) == ZSTD_error_prefix_unknown)
		return foreign(z);
	return corrupt(z, ZSTD_getErrorName(code));
}

static void
zstd_close(struct gs_inflate *z)
{
	ZSTD_freeDStream(z->zstd);
}

/* ---- bzip2, xz, lz4: libarchive ---------------------------------------- */

/* Its read callback: what is left of the last block, then block by block. */
static la_ssize_t
feed(struct archive *archive, void *context, const void **data)
{
	struct gs_inflate *z = context;
	size_t bytes;

	(void)archive;
	if (!z->seeded) {
		z->seeded = true;
		*data = z->format->seed;
		return (la_ssize_t)z->format->seed_bytes;
	}
	if (z->left == 0 && !z->ended)
		z->read_status = fill(z);
	if (z->read_status != GS_OK)
		return -1;
	*data = z->next;
	bytes = z->left;
	advance(z, bytes);
	return (la_ssize_t)bytes;
}

static gs_status
filter_trouble(struct gs_inflate *z)
{
	const char *reason = archive_error_string(z->archive);

	if (z->read_status != GS_OK)
		return z->read_status;	/* its sentence is there already */
	if (reason == NULL || strcmp(reason, "Unrecognized archive format") == 0)
		return gs_fail(GS_EINPUT, "%s: truncated or corrupt %s data",	/* not even */
		               z->name, z->format->name);	/* the seed came out */
	/* "truncated lz4 input"; liblzma without more input: "No progress is possible" */
	if (z->ended && (strstr(reason, "runcated") || strstr(reason, "No progress")))
		return truncated(z);
	return corrupt(z, reason);
}

/* Begin at NEXT, with the seed; its byte is read and dropped. */
static gs_status
filter_open(struct gs_inflate *z)
{
	struct archive_entry *entry;
	char newline;

	z->seeded = false;
	z->opened_at = z->total_bytes - z->left;
	z->archive = archive_read_new();
	if (z->archive == NULL)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	if (archive_read_append_filter(z->archive, z->format->filter) != ARCHIVE_OK ||
	    archive_read_support_format_raw(z->archive) != ARCHIVE_OK ||
	    archive_read_open(z->archive, z, NULL, feed, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(z->archive, &entry) != ARCHIVE_OK ||
	    archive_read_data(z->archive, &newline, 1) != 1)
		return filter_trouble(z);
	return GS_OK;
}

static void
filter_close(struct gs_inflate *z)
{
	archive_read_free(z->archive);
	z->archive = NULL;
}

/* At NEXT there is another member, or the end, or garbage. */
static gs_status
begin_member(struct gs_inflate *z)
{
	const struct format *format = z->format;

	while (z->left < GS_MAGIC_BYTES && !z->ended)
		TRY(fill(z));
	if (z->left == 0) {
		z->done = true;
		return z->any ? GS_OK : truncated(z);
	}
	if (memcmp(z->next, format->magic,
	           z->left < format->magic_bytes ? z->left : format->magic_bytes) != 0)
		return foreign(z);
	return z->left < format->magic_bytes ? truncated(z) : filter_open(z);
}

/* libarchive says that is all: is it? */
static gs_status
filter_end(struct gs_inflate *z)
{
	uint64_t used_bytes = (uint64_t)archive_filter_bytes(z->archive, -1) -
	                      z->format->seed_bytes;
	uint64_t rest_bytes = z->total_bytes - z->opened_at - used_bytes;

	if (used_bytes == 0)		/* it had its chance */
		return z->ended ? truncated(z) : corrupt(z, "bad header");
	z->any = true;
	filter_close(z);
	if (rest_bytes > z->block_bytes + KEPT_BYTES)	/* it never looks so far ahead */
		return foreign(z);
	z->next -= rest_bytes - z->left;
	z->left = rest_bytes;
	return begin_member(z);
}

static gs_status
filter_step(struct gs_inflate *z, char *into, size_t bytes, size_t *got)
{
	la_ssize_t more;

	if (z->archive == NULL)
		return begin_member(z);
	more = archive_read_data(z->archive, into + *got, bytes - *got);
	if (more < 0)
		return filter_trouble(z);
	*got += (size_t)more;
	return more > 0 ? GS_OK : filter_end(z);
}

/* ---- the formats ------------------------------------------------------- */

static const struct format formats[] = {
	{ GSORT_DECOMPRESS_GZIP, "gzip", ".gz", "\x1f\x8b\x08", 3,
	  gzip_open, gzip_step, gzip_close, 0, NULL, 0 },
	{ GSORT_DECOMPRESS_BZIP2, "bzip2", ".bz2", "BZh", 3,
	  NULL, filter_step, filter_close,
	  ARCHIVE_FILTER_BZIP2, bzip2_seed, sizeof bzip2_seed },
	{ GSORT_DECOMPRESS_XZ, "xz", ".xz", "\xfd" "7zXZ", 6,
	  NULL, filter_step, filter_close, ARCHIVE_FILTER_XZ, xz_seed, sizeof xz_seed },
	{ GSORT_DECOMPRESS_ZSTD, "zstd", ".zst", "\x28\xb5\x2f\xfd", 4,
	  zstd_open, zstd_step, zstd_close, 0, NULL, 0 },
	{ GSORT_DECOMPRESS_LZ4, "lz4", ".lz4", "\x04\x22\x4d\x18", 4,
	  NULL, filter_step, filter_close, ARCHIVE_FILTER_LZ4, lz4_seed, sizeof lz4_seed },
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct format *
format_of(enum gsort_decompress decompress)
{
	for (size_t f = 0; f < FORMATS; f++)
		if (formats[f].decompress == decompress)
			return &formats[f];
	return NULL;
}

enum gsort_decompress
gs_inflate_sniff(const void *data, size_t bytes)
{
	const unsigned char *magic = data;

	for (size_t f = 0; f < FORMATS; f++)
		if (bytes >= formats[f].magic_bytes &&
		    memcmp(data, formats[f].magic, formats[f].magic_bytes) == 0)
			return formats[f].decompress;
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
		size_t suffix = strlen(formats[f].suffix);

		if (length > suffix && strcmp(name + length - suffix, formats[f].suffix) == 0)
			return formats[f].decompress;
	}
	return GSORT_DECOMPRESS_NONE;
}

gs_status
gs_inflate_open(struct gs_inflate **inflate, enum gsort_decompress format, int fd,
                const char *name, const void *prefix, size_t prefix_bytes)
{
	struct gs_inflate *z = calloc(1, sizeof *z);
	gs_status status = GS_OK;

	*inflate = NULL;
	if (z == NULL || (z->block = calloc(1, KEPT_BYTES + BLOCK_BYTES)) == NULL) {
		free(z);
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", name);
	}
	assert(prefix_bytes <= BLOCK_BYTES);
	z->format = format_of(format);
	assert(z->format != NULL);
	z->name = name;
	z->fd = fd;
	z->next = z->block + KEPT_BYTES;
	if (prefix_bytes > 0)
		memcpy(z->next, prefix, prefix_bytes);
	z->left = z->block_bytes = z->total_bytes = prefix_bytes;
	if (z->format->open != NULL)
		status = z->format->open(z);
	if (status != GS_OK) {
		free(z->block);
		free(z);
		return status;
	}
	*inflate = z;
	return GS_OK;
}

gs_status
gs_inflate_read(struct gs_inflate *z, void *into, size_t bytes, size_t *got)
{
	*got = 0;
	while (*got < bytes && !z->done)
		TRY(z->format->step(z, into, bytes, got));
	return GS_OK;
}

void
gs_inflate_close(struct gs_inflate *z)
{
	if (z == NULL)
		return;
	z->format->close(z);
	free(z->block);
	free(z);
}

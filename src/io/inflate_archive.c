// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_archive.c - bzip2 and lz4, by libarchive, and strictly
 *
 * One filter, chosen here and not guessed (archive_read_append_filter: guessing
 * would unpack a .bz2 inside a .bz2 too), and the raw format.
 *
 * What libarchive 3.6.2 lets pass, and the remedy:
 *   - trouble before the first byte of output is taken for an empty file (lz4
 *     with large blocks, cut anywhere).  So a member with one known byte is fed
 *     to it first: from then on there has been output;
 *   - after a bzip2 stream or lz4 frame, anything is silently ignored, and so is
 *     all after an empty lz4 frame.  So at its end we look how much it has
 *     consumed: what is left must begin another member, for which it is opened
 *     afresh, or is garbage.  (Of garbage behind lz4, it consumes four bytes: a
 *     file that ends right there is the one case that passes.)
 *
 * The library is loaded when the first such file is met: it brings twelve others
 * along (libxml2, ICU ...), which took 1.3 ms of the 2.4 ms of gsort --help.
 */
#include <archive.h>
#include <archive_entry.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "io/inflate_stream.h"

/* A member that holds one newline; what comes of it is dropped. */
static const unsigned char bzip2_seed[] = {
	0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x9e, 0x7d, 0x96,
	0x9d, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x10, 0x20, 0x00, 0x21, 0x18, 0x46,
	0x82, 0xee, 0x48, 0xa7, 0x0a, 0x12, 0x13, 0xcf, 0xb2, 0xd3, 0xa0,
};
static const unsigned char lz4_seed[] = {
	0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0x01, 0x00, 0x00, 0x80, 0x0a, 0x00,
	0x00, 0x00, 0x00,
};

/* ---- the library -------------------------------------------------------- */

#define LIBRARY		"libarchive.so.13"	/* of every libarchive 3 */
#define FUNCTION(name)	__typeof__(archive_##name) *name

static struct {
	FUNCTION(read_new);
	FUNCTION(read_append_filter);
	FUNCTION(read_support_format_raw);
	FUNCTION(read_open);
	FUNCTION(read_next_header);
	FUNCTION(read_data);
	FUNCTION(read_free);
	FUNCTION(error_string);
	FUNCTION(filter_bytes);
	bool there;
} la;

static void
load_library(void)
{
	static const struct gs_symbol symbols[] = {
		{ "archive_read_new", &la.read_new },
		{ "archive_read_append_filter", &la.read_append_filter },
		{ "archive_read_support_format_raw", &la.read_support_format_raw },
		{ "archive_read_open", &la.read_open },
		{ "archive_read_next_header", &la.read_next_header },
		{ "archive_read_data", &la.read_data },
		{ "archive_read_free", &la.read_free },
		{ "archive_error_string", &la.error_string },
		{ "archive_filter_bytes", &la.filter_bytes },
	};

	la.there = gs_dynload(LIBRARY, symbols, sizeof symbols / sizeof symbols[0]);
}

/* ---- a filter ----------------------------------------------------------- */

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
		z->read_status = gs_inflate_fill(z);
	if (z->read_status != GS_OK)
		return -1;
	*data = z->next;
	bytes = z->left;
	gs_inflate_advance(z, bytes);
	return (la_ssize_t)bytes;
}

static gs_status
filter_trouble(struct gs_inflate *z)
{
	const char *reason = la.error_string(z->archive);

	if (z->read_status != GS_OK)
		return z->read_status;	/* its sentence is there already */
	if (reason == NULL || strcmp(reason, "Unrecognized archive format") == 0)
		return gs_fail(GS_EINPUT, "%s: truncated or corrupt %s data",	/* not even */
		               z->name, z->format->name);	/* the seed came out */
	if (z->ended && strstr(reason, "runcated"))	/* "truncated lz4 input" */
		return gs_inflate_truncated(z);
	return gs_inflate_corrupt(z, reason);
}

/* Begin at NEXT, with the seed; its byte is read and dropped. */
static gs_status
filter_open(struct gs_inflate *z)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct archive_entry *entry;
	char newline;

	pthread_once(&once, load_library);
	if (!la.there)
		return gs_fail(GS_EIO, "%s: " LIBRARY " cannot be loaded: install libarchive, or "
		               "decompress the %s data first", z->name, z->format->name);
	z->seeded = false;
	z->opened_at = z->total_bytes - z->left;
	z->archive = la.read_new();
	if (z->archive == NULL)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	if (la.read_append_filter(z->archive, z->format->filter) != ARCHIVE_OK ||
	    la.read_support_format_raw(z->archive) != ARCHIVE_OK ||
	    la.read_open(z->archive, z, NULL, feed, NULL) != ARCHIVE_OK ||
	    la.read_next_header(z->archive, &entry) != ARCHIVE_OK ||
	    la.read_data(z->archive, &newline, 1) != 1)
		return filter_trouble(z);
	return GS_OK;
}

static void
filter_close(struct gs_inflate *z)
{
	if (z->archive != NULL)
		la.read_free(z->archive);
	z->archive = NULL;
}

/* At NEXT there is another member, or the end, or garbage. */
static gs_status
begin_member(struct gs_inflate *z)
{
	const struct gs_inflate_format *format = z->format;

	while (z->left < GS_MAGIC_BYTES && !z->ended)
		TRY(gs_inflate_fill(z));
	if (z->left == 0) {
		z->done = true;
		return z->any ? GS_OK : gs_inflate_truncated(z);
	}
	if (memcmp(z->next, format->magic,
	           z->left < format->magic_bytes ? z->left : format->magic_bytes) != 0)
		return gs_inflate_foreign(z);
	return z->left < format->magic_bytes ? gs_inflate_truncated(z) : filter_open(z);
}

/* libarchive says that is all: is it? */
static gs_status
filter_end(struct gs_inflate *z)
{
	uint64_t used_bytes = (uint64_t)la.filter_bytes(z->archive, -1) -
	                      z->format->seed_bytes;
	uint64_t rest_bytes = z->total_bytes - z->opened_at - used_bytes;

	if (used_bytes == 0)		/* it had its chance */
		return z->ended ? gs_inflate_truncated(z) : gs_inflate_corrupt(z, "bad header");
	z->any = true;
	filter_close(z);
	if (rest_bytes > z->block_bytes + GS_KEPT_BYTES)	/* it never looks so far ahead */
		return gs_inflate_foreign(z);
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
	more = la.read_data(z->archive, into + *got, bytes - *got);
	if (more < 0)
		return filter_trouble(z);
	*got += (size_t)more;
	return more > 0 ? GS_OK : filter_end(z);
}

const struct gs_inflate_format gs_inflate_bzip2 = {
	GSORT_DECOMPRESS_BZIP2, "bzip2", ".bz2", "BZh", 3,
	NULL, filter_step, filter_close,
	ARCHIVE_FILTER_BZIP2, bzip2_seed, sizeof bzip2_seed,
};
const struct gs_inflate_format gs_inflate_lz4 = {
	GSORT_DECOMPRESS_LZ4, "lz4", ".lz4", "\x04\x22\x4d\x18", 4,
	NULL, filter_step, filter_close,
	ARCHIVE_FILTER_LZ4, lz4_seed, sizeof lz4_seed,
};

const char *
gs_inflate_libraries(char *into, size_t bytes)
{
	snprintf(into, bytes, "libzstd " ZSTD_VERSION_STRING ", zlib " ZLIB_VERSION
	         ", liblzma " LZMA_VERSION_STRING ", libarchive " ARCHIVE_VERSION_ONLY_STRING
	         " (loaded when they are needed)");
	return into;
}

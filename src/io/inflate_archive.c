// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_archive.c - bzip2 and lz4, by libarchive, and strictly
 *
 * libarchive reads the raw format through one filter.  The filter is set here, not guessed:
 * guessing would also decompress a .bz2 inside a .bz2.
 *
 * libarchive 3.6.2 accepts two kinds of bad data.  The remedies:
 *
 * - An error before the first byte of output counts as an empty file (lz4 with large blocks,
 *   truncated anywhere).  So each member is preceded by a seed, a member that holds one known
 *   byte: after it there has been output.
 * - Anything after a bzip2 stream or an lz4 frame is ignored, and so is everything after an
 *   empty lz4 frame.  So at the end of a member this file looks how much the library has
 *   consumed.  The rest must begin with another member, for which the library is opened
 *   anew; otherwise it is garbage.  (After lz4, the library consumes four bytes of garbage: a
 *   file that ends right there is the one case that passes.)
 *
 * libarchive has one error code for all bad data.  Data are truncated, not corrupt, if it has
 * asked for bytes after the last one.
 *
 * It is loaded when the first such file is met, as it needs twelve other libraries (libxml2,
 * ICU ...): loading them took 1.3 ms of the 2.4 ms of gsort --help.
 */
#include "base/dynload.h"
#include "io/inflate_stream.h"

/* ---- a member ------------------------------------------------------------- */

/* A filter of libarchive, and a member that holds one newline. */
struct filter {
	int                  code;
	const char          *magic;
	size_t               magic_bytes;
	const unsigned char *seed;
	size_t               seed_bytes;
};

struct decoder {
	const struct filter *filter;
	struct archive *archive;	/* of the current member, or NULL */
	uint64_t        opened_at;	/* where in the file the member begins */
	bool            seeded;		/* the seed has been given to the library */
	bool            starved;	/* it has asked for bytes after the last one */
	gs_status       read_status;	/* of the callback */
};

/* The library's read callback: the seed, the rest of the last block, then blocks. */
static la_ssize_t
provide(struct archive *archive, void *context, const void **data)
{
	struct gs_inflate_stream *stream = context;
	struct decoder *decoder = stream->decoder;
	size_t bytes;

	(void)archive;
	if (!decoder->seeded) {
		decoder->seeded = true;
		*data = decoder->filter->seed;
		return (la_ssize_t)decoder->filter->seed_bytes;
	}
	if (stream->left == 0 && !stream->ended)
		decoder->read_status = gs_inflate_fill(stream);
	if (decoder->read_status != GS_OK)
		return -1;
	*data = stream->next;
	bytes = stream->left;
	decoder->starved |= bytes == 0;
	gs_inflate_advance(stream, bytes);
	return (la_ssize_t)bytes;
}

/* The library has failed; REASON is for the message. */
static gs_status
fail(const struct gs_inflate_stream *stream, const char *reason)
{
	const struct decoder *decoder = stream->decoder;

	if (decoder->read_status != GS_OK)
		return decoder->read_status;	/* its message is set */
	return decoder->starved ? gs_inflate_truncated(stream)
	                        : gs_inflate_corrupt(stream, reason != NULL ? reason : "bad header or block");
}

static void
close_member(struct decoder *decoder)
{
	if (decoder->archive != NULL)
		gs_archive.archive_read_free(decoder->archive);
	decoder->archive = NULL;
}

/* Begin at NEXT, with the seed; the byte that it holds is read and dropped. */
static gs_status
open_member(struct gs_inflate_stream *stream)
{
	struct decoder *decoder = stream->decoder;
	struct archive_entry *entry;
	char newline;

	decoder->seeded = decoder->starved = false;
	decoder->opened_at = stream->total_bytes - stream->left;
	decoder->archive = gs_archive.archive_read_new();
	if (decoder->archive == NULL)
		return gs_inflate_no_memory(stream);
	if (gs_archive.archive_read_append_filter(decoder->archive, decoder->filter->code) != ARCHIVE_OK ||
	    gs_archive.archive_read_support_format_raw(decoder->archive) != ARCHIVE_OK ||
	    gs_archive.archive_read_open(decoder->archive, stream, NULL, provide, NULL) != ARCHIVE_OK ||
	    gs_archive.archive_read_next_header(decoder->archive, &entry) != ARCHIVE_OK ||
	    gs_archive.archive_read_data(decoder->archive, &newline, 1) != 1)
		return fail(stream, "bad header or block");
	return GS_OK;
}

/* The library has come to an end: of a member, or of what it understands. */
static gs_status
end_member(struct gs_inflate_stream *stream)
{
	struct decoder *decoder = stream->decoder;
	const uint64_t used_bytes = (uint64_t)gs_archive.archive_filter_bytes(decoder->archive, -1) -
	                            decoder->filter->seed_bytes;
	const uint64_t rest_bytes = stream->total_bytes - decoder->opened_at - used_bytes;

	if (used_bytes == 0)		/* it did not accept the first byte */
		return fail(stream, "bad header or block");
	stream->any = true;
	stream->inside = false;
	close_member(decoder);
	if (rest_bytes > stream->block_bytes + GS_KEPT_BYTES)	/* it never reads so far ahead */
		return gs_inflate_foreign(stream);
	stream->next -= rest_bytes - stream->left;
	stream->left = rest_bytes;
	return GS_OK;
}

/* ---- the stream ------------------------------------------------------------ */

static gs_status
archive_step(struct gs_inflate_stream *stream, char *into, size_t bytes, size_t *got)
{
	struct decoder *decoder = stream->decoder;
	la_ssize_t more;

	if (decoder->archive == NULL) {
		if (decoder->filter->code == ARCHIVE_FILTER_BZIP2)
			TRY(gs_inflate_skip_zeros(stream));
		TRY(gs_inflate_provide(stream, decoder->filter->magic, decoder->filter->magic_bytes));
		return stream->done ? GS_OK : open_member(stream);
	}
	more = gs_archive.archive_read_data(decoder->archive, into + *got, bytes - *got);
	if (more < 0)
		return fail(stream, gs_archive.archive_error_string(decoder->archive));
	*got += (size_t)more;
	return more > 0 ? GS_OK : end_member(stream);
}

static void
archive_close(struct gs_inflate_stream *stream)
{
	close_member(stream->decoder);
}

/* ---- the formats ------------------------------------------------------------ */

#define BZIP2_MAGIC	"BZh"
#define LZ4_MAGIC	"\x04\x22\x4d\x18"

static const unsigned char bzip2_seed[] = {
	0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x9e, 0x7d, 0x96, 0x9d, 0x00, 0x00, 0x00,
	0x40, 0x00, 0x00, 0x10, 0x20, 0x00, 0x21, 0x18, 0x46, 0x82, 0xee, 0x48, 0xa7, 0x0a, 0x12, 0x13, 0xcf,
	0xb2, 0xd3, 0xa0,
};
static const unsigned char lz4_seed[] = {
	0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0x01, 0x00, 0x00, 0x80, 0x0a, 0x00, 0x00, 0x00, 0x00,
};
static const struct filter bzip2 = {
	ARCHIVE_FILTER_BZIP2, BZIP2_MAGIC, sizeof BZIP2_MAGIC - 1, bzip2_seed, sizeof bzip2_seed,
};
static const struct filter lz4 = {
	ARCHIVE_FILTER_LZ4, LZ4_MAGIC, sizeof LZ4_MAGIC - 1, lz4_seed, sizeof lz4_seed,
};

static gs_status
archive_open(struct gs_inflate_stream *stream)
{
	struct decoder *decoder = stream->decoder;

	decoder->filter = stream->format == gs_inflate_lz4.name ? &lz4 : &bzip2;
	return GS_OK;
}

const struct gs_inflate_format gs_inflate_bzip2 = {
	GSORT_DECOMPRESS_BZIP2, "bzip2", ".bz2", BZIP2_MAGIC, sizeof BZIP2_MAGIC - 1,
	"libarchive.so.13", "libarchive", &gs_archive.archive_version_string, gs_archive_loads,
	sizeof(struct decoder), archive_open, archive_step, archive_close,
};
const struct gs_inflate_format gs_inflate_lz4 = {
	GSORT_DECOMPRESS_LZ4, "lz4", ".lz4", LZ4_MAGIC, sizeof LZ4_MAGIC - 1,
	"libarchive.so.13", "libarchive", &gs_archive.archive_version_string, gs_archive_loads,
	sizeof(struct decoder), archive_open, archive_step, archive_close,
};

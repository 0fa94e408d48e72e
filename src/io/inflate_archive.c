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
struct gs_archive_filter {
	int                  code;
	const unsigned char *seed;
	size_t               seed_bytes;
};

struct decoder {
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
	struct gs_inflate *stream = context;
	struct decoder *decoder = stream->decoder;
	size_t bytes;

	(void)archive;
	if (!decoder->seeded) {
		decoder->seeded = true;
		*data = stream->format->filter->seed;
		return (la_ssize_t)stream->format->filter->seed_bytes;
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
fail(const struct gs_inflate *stream, const char *reason)
{
	const struct decoder *decoder = stream->decoder;

	if (decoder->read_status != GS_OK)
		return decoder->read_status;	/* its message is set */
	return decoder->starved ? gs_inflate_truncated(stream)
	                        : gs_inflate_corrupt(stream, reason != NULL ? reason : "bad header or block");
}

static void
archive_close(struct gs_inflate *stream)
{
	struct decoder *decoder = stream->decoder;

	if (decoder->archive != NULL)
		gs_archive.archive_read_free(decoder->archive);
	decoder->archive = NULL;
}

static gs_status
archive_step(struct gs_inflate *stream, char *into, size_t bytes, size_t *got)
{
	static const char bad[] = "bad header or block";
	const struct gs_inflate_format *format = stream->format;
	struct decoder *decoder = stream->decoder;
	struct archive_entry *entry;
	uint64_t used_bytes, rest_bytes;
	la_ssize_t more;
	char newline;

	if (decoder->archive == NULL) {
		if (format->filter->code == ARCHIVE_FILTER_BZIP2)
			TRY(gs_inflate_skip_zeros(stream));
		TRY(gs_inflate_provide(stream, format->magic, format->magic_bytes));
		if (stream->done)
			return GS_OK;
		/* Begin at NEXT, with the seed; the byte that it holds is read and dropped. */
		decoder->seeded = decoder->starved = false;
		decoder->opened_at = stream->total_bytes - stream->left;
		decoder->archive = gs_archive.archive_read_new();
		if (decoder->archive == NULL)
			return gs_inflate_no_memory(stream);
		return gs_archive.archive_read_append_filter(decoder->archive,
		                                             format->filter->code) == ARCHIVE_OK &&
		       gs_archive.archive_read_support_format_raw(decoder->archive) == ARCHIVE_OK &&
		       gs_archive.archive_read_open(decoder->archive, stream, NULL, provide,
		                                    NULL) == ARCHIVE_OK &&
		       gs_archive.archive_read_next_header(decoder->archive, &entry) == ARCHIVE_OK &&
		       gs_archive.archive_read_data(decoder->archive, &newline, 1) == 1
		       ? GS_OK : fail(stream, bad);
	}
	more = gs_archive.archive_read_data(decoder->archive, into + *got, bytes - *got);
	if (more < 0)
		return fail(stream, gs_archive.archive_error_string(decoder->archive));
	*got += (size_t)more;
	if (more > 0)
		return GS_OK;
	/* The library has come to an end: of a member, or of what it understands. */
	used_bytes = (uint64_t)gs_archive.archive_filter_bytes(decoder->archive, -1) -
	             format->filter->seed_bytes;
	rest_bytes = stream->total_bytes - decoder->opened_at - used_bytes;
	if (used_bytes == 0)		/* it did not accept the first byte */
		return fail(stream, bad);
	stream->any = true;
	stream->inside = false;
	archive_close(stream);
	if (rest_bytes > stream->block_bytes + GS_KEPT_BYTES)	/* it never reads so far ahead */
		return gs_inflate_foreign(stream);
	stream->next -= rest_bytes - stream->left;
	stream->left = rest_bytes;
	return GS_OK;
}

/* ---- the formats ------------------------------------------------------------ */

static const unsigned char bzip2_seed[] = {
	0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x9e, 0x7d, 0x96, 0x9d, 0x00, 0x00, 0x00,
	0x40, 0x00, 0x00, 0x10, 0x20, 0x00, 0x21, 0x18, 0x46, 0x82, 0xee, 0x48, 0xa7, 0x0a, 0x12, 0x13, 0xcf,
	0xb2, 0xd3, 0xa0,
};
static const unsigned char lz4_seed[] = {
	0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0x01, 0x00, 0x00, 0x80, 0x0a, 0x00, 0x00, 0x00, 0x00,
};
static const struct gs_archive_filter bzip2 = { ARCHIVE_FILTER_BZIP2, bzip2_seed, sizeof bzip2_seed };
static const struct gs_archive_filter lz4 = { ARCHIVE_FILTER_LZ4, lz4_seed, sizeof lz4_seed };

const struct gs_inflate_format gs_inflate_bzip2 = {
	"bzip2", ".bz2", "BZh", 3, "libarchive.so.13", "libarchive", &gs_archive.archive_version_string,
	gs_archive_loads, sizeof(struct decoder), &bzip2, NULL, archive_step, archive_close,
};
const struct gs_inflate_format gs_inflate_lz4 = {
	"lz4", ".lz4", "\x04\x22\x4d\x18", 4, "libarchive.so.13", "libarchive",
	&gs_archive.archive_version_string, gs_archive_loads, sizeof(struct decoder), &lz4, NULL,
	archive_step, archive_close,
};

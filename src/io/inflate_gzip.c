// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_gzip.c - gzip, by zlib
 *
 * libarchive 3.6.2 reads gzip, too, but ignores the CRC: of a file with one changed byte it
 * returns all the rest without an error, and it does not say where a member ends, so the
 * caller cannot check the CRC either.
 */
#include "base/dynload.h"
#include "io/inflate_stream.h"

#define MAGIC	"\x1f\x8b\x08"	/* the third byte is the method: zlib knows no other */

static gs_status
gzip_open(struct gs_inflate *stream)
{
	return gs_zlib.inflateInit2_(stream->decoder, GS_GZIP_WINDOW_BITS, ZLIB_VERSION,
	                             sizeof(z_stream)) == Z_OK ? GS_OK : gs_inflate_no_memory(stream);
}

static gs_status
gzip_step(struct gs_inflate *stream, char *into, size_t bytes, size_t *got)
{
	const size_t most = 1 << 30;	/* zlib counts in unsigned int */
	const size_t room = bytes - *got < most ? bytes - *got : most;
	z_stream *zlib = stream->decoder;
	int code;

	TRY(gs_inflate_skip_zeros(stream));
	TRY(gs_inflate_provide(stream, MAGIC, 2));
	if (stream->done)
		return GS_OK;
	zlib->next_in = (unsigned char *)stream->next;
	zlib->avail_in = (unsigned)stream->left;
	zlib->next_out = (unsigned char *)into + *got;
	zlib->avail_out = (unsigned)room;
	code = gs_zlib.inflate(zlib, Z_NO_FLUSH);
	gs_inflate_advance(stream, stream->left - zlib->avail_in);
	*got += room - zlib->avail_out;
	stream->inside = code != Z_STREAM_END;
	switch (code) {
	case Z_STREAM_END:
		stream->any = true;
		gs_zlib.inflateReset(zlib);
		return GS_OK;
	case Z_OK:
		return GS_OK;
	case Z_BUF_ERROR:	/* no progress, so there was no more input */
		return gs_inflate_truncated(stream);
	case Z_MEM_ERROR:
		return gs_inflate_no_memory(stream);
	}
	return gs_inflate_corrupt(stream, zlib->msg != NULL ? zlib->msg : "bad stream");
}

static void
gzip_close(struct gs_inflate *stream)
{
	gs_zlib.inflateEnd(stream->decoder);
}

const struct gs_inflate_format gs_inflate_gzip = {
	"gzip", ".gz", MAGIC, 3, "libz.so.1", "zlib", &gs_zlib.zlibVersion, gs_zlib_loads,
	sizeof(z_stream), NULL, gzip_open, gzip_step, gzip_close,
};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_xz.c - xz, by liblzma, by several threads where the file has several blocks
 *
 * liblzma's own decoder with threads (version 5.4 and later) also reads pipes, and returns
 * bytes in order, all good ones before an error.  It needs blocks whose headers have their
 * sizes, as `xz -T` writes them.  With an older version, or with less memory than two blocks
 * take, one thread decompresses.  768 MB of text in blocks of 1 MiB, sorted whole, H200 host:
 * 2.0 s with 16 threads, 14.2 with one; 86 MB in 8 MiB, 2-core AMD EPYC VM: 1.2 s, 1.8.
 */
#include <string.h>

#include "base/dynload.h"
#include "io/inflate_stream.h"

#define MAGIC		"\xfd" "7zXZ"
#define GARBAGE		"damaged, or garbage after it"

static gs_status
xz_open(struct gs_inflate *stream)
{
	const struct gs_inflate_options *options = &stream->options;
	const uint64_t most = options->window_bytes > 0 ? options->window_bytes : UINT64_MAX;
	const lzma_mt threaded = {
		.flags = LZMA_CONCATENATED, .threads = options->threads,
		.memlimit_threading = options->memory_bytes, .memlimit_stop = most,
	};
	const bool many = options->threads > 1 && options->memory_bytes > 0 &&
	                  gs_lzma.lzma_stream_decoder_mt != NULL;
	lzma_stream *lzma = stream->decoder;	/* it is zeroed, as by LZMA_STREAM_INIT */

	return (many ? gs_lzma.lzma_stream_decoder_mt(lzma, &threaded)
	             : gs_lzma.lzma_stream_decoder(lzma, most, LZMA_CONCATENATED)) == LZMA_OK
	       ? GS_OK : gs_inflate_no_memory(stream);
}

static gs_status
xz_step(struct gs_inflate *stream, char *into, size_t bytes, size_t *got)
{
	lzma_stream *lzma = stream->decoder;
	lzma_ret code;

	if (stream->left == 0 && !stream->ended)
		TRY(gs_inflate_fill(stream));
	lzma->next_in = (const uint8_t *)stream->next;
	lzma->avail_in = stream->left;
	lzma->next_out = (uint8_t *)into + *got;
	lzma->avail_out = bytes - *got;
	code = gs_lzma.lzma_code(lzma, stream->ended ? LZMA_FINISH : LZMA_RUN);
	gs_inflate_advance(stream, stream->left - lzma->avail_in);
	*got = bytes - lzma->avail_out;
	switch (code) {
	case LZMA_OK:
		return GS_OK;
	case LZMA_STREAM_END:
		stream->done = true;
		return GS_OK;
	case LZMA_BUF_ERROR:	/* no progress twice, so there was no more input */
		/* liblzma waits for the 12 bytes of a header: do fewer, which begin none, follow the end of a
		 * stream, "YZ"? */
		for (size_t more = 1; more < 12; more++)
			if (memcmp(stream->next - more - 2, "YZ", 2) == 0)
				return memcmp(stream->next - more, MAGIC, more < 6 ? more : 6) != 0
				       ? gs_inflate_corrupt(stream, GARBAGE) : gs_inflate_truncated(stream);
		return gs_inflate_truncated(stream);
	case LZMA_FORMAT_ERROR:
		return gs_inflate_foreign(stream);
	case LZMA_MEM_ERROR:
		return gs_inflate_no_memory(stream);
	case LZMA_MEMLIMIT_ERROR:
		return gs_inflate_too_large(stream);
	case LZMA_OPTIONS_ERROR:
		return gs_inflate_corrupt(stream, "of a kind that liblzma does not know");
	default:
		return gs_inflate_corrupt(stream, GARBAGE);
	}
}

static void
xz_close(struct gs_inflate *stream)
{
	gs_lzma.lzma_end(stream->decoder);
}

const struct gs_inflate_format gs_inflate_xz = {
	"xz", ".xz", MAGIC, 6, "liblzma.so.5", "liblzma", &gs_lzma.lzma_version_string, gs_lzma_loads,
	sizeof(lzma_stream), NULL, xz_open, xz_step, xz_close,
};

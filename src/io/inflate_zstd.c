// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_zstd.c - zstd, by libzstd
 *
 * libarchive reads zstd, too, but no window of more than 128 MiB; here it may be 2 GiB.
 */
#include "base/dynload.h"
#include "io/inflate_stream.h"

enum { WINDOW_LOG_LEAST = 10, WINDOW_LOG_MOST = 31 };	/* zstd --long=31 */

/* The largest window that fits in BYTES, 0: any; as a power of two. */
static int
window_log(uint64_t bytes)
{
	int log = WINDOW_LOG_MOST;

	while (bytes > 0 && log > WINDOW_LOG_LEAST && bytes >> log == 0)
		log--;
	return log;
}

static gs_status
zstd_open(struct gs_inflate *stream)
{
	stream->decoder = gs_zstd.ZSTD_createDCtx();
	if (stream->decoder == NULL)
		return gs_inflate_no_memory(stream);
	/* Memory is only taken when a frame asks for it. */
	gs_zstd.ZSTD_DCtx_setParameter(stream->decoder, ZSTD_d_windowLogMax,
	                               window_log(stream->options.window_bytes));
	return GS_OK;
}

static gs_status
zstd_step(struct gs_inflate *stream, char *into, size_t bytes, size_t *got)
{
	ZSTD_inBuffer in;
	ZSTD_outBuffer out = { into, bytes, *got };
	size_t code;

	TRY(gs_inflate_provide(stream, "", 0));
	if (stream->done)
		return GS_OK;
	in = (ZSTD_inBuffer){ stream->next, stream->left, 0 };
	code = gs_zstd.ZSTD_decompressStream(stream->decoder, &out, &in);
	if (code != 0 && in.size == 0 && out.pos == *got)
		return gs_inflate_truncated(stream);
	gs_inflate_advance(stream, in.pos);
	*got = out.pos;
	stream->inside = code != 0;
	stream->any |= code == 0;
	if (!gs_zstd.ZSTD_isError(code))
		return GS_OK;
	if (gs_zstd.ZSTD_getErrorCode(code) == ZSTD_error_prefix_unknown)
		return gs_inflate_foreign(stream);
	if (gs_zstd.ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge &&
	    window_log(stream->options.window_bytes) < WINDOW_LOG_MOST)
		return gs_inflate_too_large(stream);
	return gs_inflate_corrupt(stream, gs_zstd.ZSTD_getErrorName(code));
}

static void
zstd_close(struct gs_inflate *stream)
{
	gs_zstd.ZSTD_freeDCtx(stream->decoder);
}

const struct gs_inflate_format gs_inflate_zstd = {
	"zstd", ".zst", "\x28\xb5\x2f\xfd", 4, "libzstd.so.1", "libzstd", &gs_zstd.ZSTD_versionString,
	gs_zstd_loads, 0, NULL, zstd_open, zstd_step, zstd_close,
};

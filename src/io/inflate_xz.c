// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_xz.c - xz, by liblzma, block by block at once where the file has several
 *
 * Its own decoder with threads (5.4 and later) takes a file as it comes, from a pipe too,
 * and gives the bytes in order, those before the trouble first; only what `xz -T` wrote
 * has blocks whose sizes stand before them.  An older one, or less memory than two blocks
 * need, means one thread.  768 MB of text in blocks of 1 MiB, sorted whole, H200 host: 2.0 s
 * with 16 threads, 14.2 with one; 86 MB in 8 MiB, 2-core AMD EPYC VM: 1.2 s, 1.8.
 *
 * The library is loaded when the first such file is met.
 */
#include <pthread.h>

#include "io/inflate_stream.h"

#define LIBRARY		"liblzma.so.5"
#define HAS_THREADS	(LZMA_VERSION >= 50040002)	/* 5.4.0, in liblzma's way of counting */

static struct {
	__typeof__(lzma_stream_decoder) *stream_decoder;
	__typeof__(lzma_code)           *code;
	__typeof__(lzma_end)            *end;
#if HAS_THREADS
	__typeof__(lzma_stream_decoder_mt) *stream_decoder_mt;	/* or NULL */
#endif
	bool there;
} xz;

static void
load_library(void)
{
	static const struct gs_symbol symbols[] = {
		{ "lzma_stream_decoder", &xz.stream_decoder },
		{ "lzma_code", &xz.code },
		{ "lzma_end", &xz.end },
	};

	xz.there = gs_dynload(LIBRARY, symbols, sizeof symbols / sizeof symbols[0]);
#if HAS_THREADS
	static const struct gs_symbol newer = { "lzma_stream_decoder_mt", &xz.stream_decoder_mt };

	(void)gs_dynload(LIBRARY, &newer, 1);
#endif
}

static lzma_ret
start(struct gs_inflate *z)
{
	const uint64_t most = z->help.window_bytes > 0 ? z->help.window_bytes : UINT64_MAX;

#if HAS_THREADS
	if (z->help.threads > 1 && z->help.memory_bytes > 0 && xz.stream_decoder_mt != NULL) {
		const lzma_mt options = {
			.flags = LZMA_CONCATENATED, .threads = z->help.threads,
			.memlimit_threading = z->help.memory_bytes, .memlimit_stop = most,
		};

		return xz.stream_decoder_mt(&z->lzma, &options);
	}
#endif
	return xz.stream_decoder(&z->lzma, most, LZMA_CONCATENATED);
}

static gs_status
xz_open(struct gs_inflate *z)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_library);
	if (!xz.there)
		return gs_fail(GS_EIO, "%s: " LIBRARY " cannot be loaded: install liblzma, or "
		               "decompress the xz data first", z->name);
	z->lzma = (lzma_stream)LZMA_STREAM_INIT;
	if (start(z) != LZMA_OK)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	return GS_OK;
}

static gs_status
xz_step(struct gs_inflate *z, char *into, size_t bytes, size_t *got)
{
	lzma_ret code;

	if (z->left == 0 && !z->ended)
		TRY(gs_inflate_fill(z));
	z->lzma.next_in = (const uint8_t *)z->next;
	z->lzma.avail_in = z->left;
	z->lzma.next_out = (uint8_t *)into + *got;
	z->lzma.avail_out = bytes - *got;
	code = xz.code(&z->lzma, z->ended ? LZMA_FINISH : LZMA_RUN);
	gs_inflate_advance(z, z->left - z->lzma.avail_in);
	*got = bytes - z->lzma.avail_out;
	switch (code) {
	case LZMA_OK:
		return GS_OK;
	case LZMA_STREAM_END:
		z->done = true;
		return GS_OK;
	case LZMA_BUF_ERROR:	/* no progress twice, so there was no more input */
		return gs_inflate_truncated(z);
	case LZMA_FORMAT_ERROR:
		return gs_inflate_foreign(z);
	case LZMA_MEM_ERROR:
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", z->name);
	case LZMA_MEMLIMIT_ERROR:
		return gs_inflate_too_large(z);
	case LZMA_OPTIONS_ERROR:
		return gs_inflate_corrupt(z, "of a kind that liblzma does not know");
	default:
		return gs_inflate_corrupt(z, "damaged, or garbage behind it");
	}
}

static void
xz_close(struct gs_inflate *z)
{
	xz.end(&z->lzma);
}

const struct gs_inflate_format gs_inflate_xz = {
	GSORT_DECOMPRESS_XZ, "xz", ".xz", "\xfd" "7zXZ", 6,
	xz_open, xz_step, xz_close, 0, NULL, 0,
};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate_stream.c - compressed bytes on their way to a library, and the errors about them
 *
 * In:   a reader.
 * Out:  blocks of compressed bytes.
 *
 * Invariant: next .. next + left has been read and not yet given to a library; it lies inside
 * the buffer.
 */
#include <assert.h>
#include <string.h>

#include "io/inflate_stream.h"

/* ---- errors --------------------------------------------------------------- */

gs_status
gs_inflate_truncated(const struct gs_inflate *stream)
{
	return gs_fail(GS_EINPUT, "%s: truncated %s data", stream->name, stream->format->name);
}

gs_status
gs_inflate_corrupt(const struct gs_inflate *stream, const char *reason)
{
	return gs_fail(GS_EINPUT, "%s: corrupt %s data: %s", stream->name, stream->format->name, reason);
}

gs_status
gs_inflate_foreign(const struct gs_inflate *stream)
{
	if (stream->any)
		return gs_fail(GS_EINPUT, "%s: trailing garbage after the %s data", stream->name,
		               stream->format->name);
	return gs_fail(GS_EINPUT, "%s: not %s data; %s", stream->name, stream->format->name,
	               stream->left >= 4 && memcmp(stream->next, "\2\x21\x4c\x18", 4) == 0
	               ? "lz4 data of the old format are decompressed first: lz4 -dc"
	               : "if it is not compressed, use --decompress=none");
}

gs_status
gs_inflate_no_memory(const struct gs_inflate *stream)
{
	return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", stream->name);
}

/* A header of a few bytes may ask for a window of 4 GiB. */
gs_status
gs_inflate_too_large(const struct gs_inflate *stream)
{
	return gs_fail(GS_EBUDGET, "%s: to decompress it takes more than the %llu MiB of memory that "
	               "are left for that; use a larger -S, or decompress it first", stream->name,
	               (unsigned long long)(stream->options.window_bytes >> 20));
}

/* ---- blocks --------------------------------------------------------------- */

gs_status
gs_inflate_fill(struct gs_inflate *stream)
{
	char *data = stream->block + GS_KEPT_BYTES;
	ssize_t got;

	assert(stream->left <= GS_KEPT_BYTES);
	memmove(stream->block, stream->block + stream->block_bytes, GS_KEPT_BYTES);
	stream->next = data - stream->left;
	stream->block_bytes = 0;
	got = gs_read(&stream->reader, data, GS_BLOCK_BYTES);
	if (got == GS_READ_STOPPED)
		got = 0;		/* nobody wants the rest, nor the error that follows */
	if (got < 0)
		return gs_fail_errno(GS_EIO, "read failed: %s", stream->name);
	stream->block_bytes = (size_t)got;
	stream->left += (size_t)got;
	stream->total_bytes += (uint64_t)got;
	stream->ended = got == 0;
	return GS_OK;
}

gs_status
gs_inflate_provide(struct gs_inflate *stream, const char *magic, size_t magic_bytes)
{
	const size_t wanted = stream->inside || magic_bytes == 0 ? 1 : magic_bytes;

	while (stream->left < wanted && !stream->ended)
		TRY(gs_inflate_fill(stream));
	if (stream->inside)
		return GS_OK;
	stream->done = stream->left == 0;
	if (stream->done)
		return stream->any ? GS_OK : gs_inflate_truncated(stream);
	if (memcmp(stream->next, magic, stream->left < magic_bytes ? stream->left : magic_bytes) != 0)
		return gs_inflate_foreign(stream);
	if (stream->left < magic_bytes)
		return gs_inflate_truncated(stream);
	stream->inside = true;
	return GS_OK;
}

gs_status
gs_inflate_skip_zeros(struct gs_inflate *stream)
{
	while (stream->any && !stream->inside && (stream->left > 0 || !stream->ended)) {
		if (stream->left == 0)
			TRY(gs_inflate_fill(stream));
		else if (*stream->next == '\0')
			gs_inflate_advance(stream, 1);
		else
			break;
	}
	return GS_OK;
}

void
gs_inflate_advance(struct gs_inflate *stream, size_t bytes)
{
	assert(bytes <= stream->left);
	stream->next += bytes;
	stream->left -= bytes;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * parallel_inflate.c - decompress frames that know their size, by several threads
 *
 * In:   a descriptor of a regular file.
 * Out:  the contents of its frames, in their order.
 *
 * A segment is a few consecutive frames, at least SEGMENT_BYTES when decompressed.  Its end is
 * found by walking over the headers of its frames and their blocks, without reading the data
 * between them.  Each thread takes the next segment, reads it and decompresses it into a slot
 * of its own; the reader copies the slots out in order.
 *
 * 768 MB of text, sorted whole, H200 host, 16 threads against one that decompresses: zstd
 * 0.61 s and 1.1, bgzf 1.0 and 3.0 (not compressed: 0.17); 86 MB, 2-core AMD EPYC VM: bgzf
 * 0.25 and 0.38, zstd 0.17 and 0.20.
 *
 * The first segment that is damaged, truncated, too large or of another kind ends the parallel
 * part of the file.  The format's decompressor reads on from the beginning of that segment,
 * and reports its errors.  bzip2 could be cut at the 48 bits that a block begins with, lz4 at
 * its blocks: not worth their lines.
 *
 * Invariant: GIVEN <= TAKEN <= GIVEN + SLOTS; slot i % SLOTS holds segment i.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dynload.h"
#include "base/filesystem.h"
#include "base/thread.h"
#include "base/way.h"
#include "io/files.h"
#include "io/inflate_stream.h"

enum {
	SEGMENT_BYTES = 1 << 20,	/* decompressed, at least; not tuned */
	MOST_THREADS  = 16,
	MOST_SLOTS    = MOST_THREADS + 2,	/* one is read, one waits */
	ZSTD_BLOCK    = 128 << 10,	/* no block of zstd holds more */
	BGZF_BLOCK    = 64 << 10,
};

enum state { WORKING, READY, LAST };

/* A segment, and the slot that it is decompressed in. */
struct segment {
	enum state state;
	uint64_t   offset;
	size_t     packed_bytes, plain_bytes, read_bytes;
	char      *packed;	/* slot_bytes of memory, and one; touched only as they are used */
	char      *plain;	/* in it, behind the packed ones */
};

struct gs_parallel_inflate {
	bool             gzip;		/* or zstd */
	int              fd;
	uint64_t         next;		/* where the next segment begins */
	size_t           slot_bytes;	/* bytes of a slot, packed and plain */
	pthread_mutex_t  lock;
	pthread_cond_t   changed;
	uint64_t         taken, given;	/* segments, by the threads and to the reader */
	bool             over;		/* no more segments are wanted */
	unsigned         slots, threads;
	struct segment   segments[MOST_SLOTS];
	struct gs_thread thread[MOST_THREADS];
};

/* ---- where frames end ---------------------------------------------------- */

/* A frame: where it ends, and the most it can hold. */
struct frame { uint64_t end; uint64_t plain_most; };

/* RFC 8878, 3.1.1: header, blocks, checksum.  False: not zstd, or more than MOST bytes. */
static bool
walk_zstd(int fd, uint64_t offset, size_t most, struct frame *frame)
{
	unsigned char head[8];
	uint32_t block;

	frame->plain_most = 0;
	if (gs_read_at(fd, head, sizeof head, offset) != sizeof head)
		return false;
	if (memcmp(head + 1, "\x2a\x4d\x18", 3) == 0 && (head[0] & 0xf0) == 0x50) {
		frame->end = offset + 8 + gs_little_endian(head + 4, 4);
		return true;
	}
	if (memcmp(head, "\x28\xb5\x2f\xfd", 4) != 0)
		return false;
	frame->end = offset + gs_zstd_header_bytes(head);
	do {
		unsigned char bytes[3];

		if (frame->end - offset > most || frame->plain_most > most ||
		    gs_read_at(fd, bytes, sizeof bytes, frame->end) != sizeof bytes)
			return false;
		block = gs_little_endian(bytes, 3);
		if (block >> 3 == 0 && (block & 1) == 0)
			return false;	/* empty blocks could fill the whole file */
		frame->end += 3 + ((block >> 1 & 3) == 1 ? 1 : block >> 3);	/* 1: run of a byte */
		frame->plain_most += (block >> 1 & 3) == 2 ? ZSTD_BLOCK : block >> 3;
	} while ((block & 1) == 0);
	frame->end += (head[4] & 4) != 0 ? 4 : 0;
	return true;
}

/* SAM specification 4.1: a gzip member whose extra field "BC" is its length. */
static bool
walk_gzip(int fd, uint64_t offset, struct frame *frame)
{
	unsigned char head[18];

	if (gs_read_at(fd, head, sizeof head, offset) != sizeof head ||
	    memcmp(head, "\x1f\x8b\x08\x04", 4) != 0 || memcmp(head + 12, "BC\2", 4) != 0)
		return false;
	frame->end = offset + gs_little_endian(head + 16, 2) + 1;
	frame->plain_most = BGZF_BLOCK;
	return true;
}

/* Find the end of the segment at OFFSET.  False: no whole frame there fits in a slot. */
static bool
find_end(const struct gs_parallel_inflate *parallel, uint64_t offset, struct segment *segment)
{
	struct frame frame = { .end = offset };
	struct stat st;

	segment->offset = offset;
	segment->packed_bytes = segment->plain_bytes = segment->read_bytes = 0;
	if (fstat(parallel->fd, &st) != 0)
		return false;
	while (segment->plain_bytes < SEGMENT_BYTES) {
		const bool walked = parallel->gzip
			? walk_gzip(parallel->fd, frame.end, &frame)
			: walk_zstd(parallel->fd, frame.end, parallel->slot_bytes, &frame);

		if (!walked || frame.end > (uint64_t)st.st_size ||
		    frame.end - offset + segment->plain_bytes + frame.plain_most > parallel->slot_bytes)
			break;
		segment->packed_bytes = (size_t)(frame.end - offset);
		segment->plain_bytes += (size_t)frame.plain_most;
	}
	return segment->packed_bytes > 0;
}

/* ---- the threads --------------------------------------------------------- */

/* A thread's decompressor, of one of the formats. */
struct decoder { ZSTD_DCtx *zstd; z_stream zlib; };

/* Decompress all members of the segment.  False: one is damaged, or memory is short. */
static bool
unpack(const struct gs_parallel_inflate *parallel, struct decoder *decoder, struct segment *segment)
{
	const size_t room = parallel->slot_bytes + 1 - segment->packed_bytes;
	z_stream *zlib = &decoder->zlib;

	if (segment->packed == NULL)
		segment->packed = malloc(parallel->slot_bytes + 1);
	if (segment->packed == NULL ||
	    gs_read_at(parallel->fd, segment->packed, segment->packed_bytes, segment->offset) !=
	    segment->packed_bytes)
		return false;
	segment->plain = segment->packed + segment->packed_bytes;
	if (!parallel->gzip) {
		segment->plain_bytes = gs_zstd.ZSTD_decompressDCtx(decoder->zstd, segment->plain, room,
		                                                   segment->packed, segment->packed_bytes);
		return !gs_zstd.ZSTD_isError(segment->plain_bytes);
	}
	zlib->next_in = (unsigned char *)segment->packed;
	zlib->avail_in = (unsigned)segment->packed_bytes;
	zlib->next_out = (unsigned char *)segment->plain;
	zlib->avail_out = (unsigned)room;
	while (zlib->avail_in > 0)
		if (gs_zlib.inflateReset(zlib) != Z_OK || gs_zlib.inflate(zlib, Z_FINISH) != Z_STREAM_END)
			return false;
	segment->plain_bytes = room - zlib->avail_out;
	return true;
}

static gs_status
unpack_segments(void *context)
{
	struct gs_parallel_inflate *parallel = context;
	struct decoder decoder = { .zstd = parallel->gzip ? NULL : gs_zstd.ZSTD_createDCtx() };
	const bool able = parallel->gzip
		? gs_zlib.inflateInit2_(&decoder.zlib, GS_GZIP_WINDOW_BITS, ZLIB_VERSION,
		                        sizeof decoder.zlib) == Z_OK
		: decoder.zstd != NULL;

	pthread_mutex_lock(&parallel->lock);
	while (!parallel->over) {
		struct segment *segment = &parallel->segments[parallel->taken % parallel->slots];
		bool good;

		if (parallel->taken == parallel->given + parallel->slots) {
			pthread_cond_wait(&parallel->changed, &parallel->lock);	/* for a slot */
			continue;
		}
		parallel->taken++;
		segment->state = WORKING;
		good = find_end(parallel, parallel->next, segment);
		if (good) {
			parallel->next += segment->packed_bytes;
			pthread_mutex_unlock(&parallel->lock);
			good = able && unpack(parallel, &decoder, segment);
			pthread_mutex_lock(&parallel->lock);
		}
		segment->state = good ? READY : LAST;
		parallel->over |= !good;
		pthread_cond_broadcast(&parallel->changed);
	}
	pthread_mutex_unlock(&parallel->lock);
	if (!parallel->gzip)
		gs_zstd.ZSTD_freeDCtx(decoder.zstd);
	else if (able)
		gs_zlib.inflateEnd(&decoder.zlib);
	return GS_OK;
}

/* ---- the reader ---------------------------------------------------------- */

struct gs_parallel_inflate *
gs_parallel_inflate_open(const struct gs_inflate *stream)
{
	const struct gs_inflate_options *options = &stream->options;
	const bool gzip = stream->format == &gs_inflate_gzip;
	struct gs_parallel_inflate *parallel;
	struct segment first, second;

	if (!options->regular || options->threads <= 1 ||
	    (!gzip && stream->format != &gs_inflate_zstd) ||
	    (parallel = calloc(1, sizeof *parallel)) == NULL)
		return NULL;
	parallel->gzip = gzip;
	parallel->fd = stream->reader.fd;
	parallel->next = options->offset;
	parallel->slots = (options->threads < MOST_THREADS ? options->threads : MOST_THREADS) + 2;
	parallel->slot_bytes = options->memory_bytes / parallel->slots;
	pthread_mutex_init(&parallel->lock, NULL);
	pthread_cond_init(&parallel->changed, NULL);
	if (gs_way(gzip ? "members of gzip" : "frames of zstd",
	           find_end(parallel, options->offset, &first) &&
	           find_end(parallel, options->offset + first.packed_bytes, &second)))
		while (parallel->threads < parallel->slots - 2 &&
		       gs_thread_start(&parallel->thread[parallel->threads], unpack_segments,
		                       parallel) == GS_OK)
			parallel->threads++;
	if (parallel->threads > 0)
		return parallel;
	gs_parallel_inflate_close(parallel);
	return NULL;
}

bool
gs_parallel_inflate_read(struct gs_parallel_inflate *parallel, char *into, size_t bytes,
                         size_t *got, uint64_t *offset)
{
	while (*got < bytes) {
		struct segment *segment = &parallel->segments[parallel->given % parallel->slots];
		size_t want;

		pthread_mutex_lock(&parallel->lock);
		while (parallel->given == parallel->taken || segment->state == WORKING)
			pthread_cond_wait(&parallel->changed, &parallel->lock);
		pthread_mutex_unlock(&parallel->lock);
		*offset = segment->offset;
		if (segment->state == LAST)
			return false;
		want = segment->plain_bytes - segment->read_bytes;
		want = want < bytes - *got ? want : bytes - *got;
		memcpy(into + *got, segment->plain + segment->read_bytes, want);
		*got += want;
		segment->read_bytes += want;
		if (segment->read_bytes < segment->plain_bytes)
			break;
		pthread_mutex_lock(&parallel->lock);
		parallel->given++;
		pthread_cond_broadcast(&parallel->changed);
		pthread_mutex_unlock(&parallel->lock);
	}
	return true;
}

void
gs_parallel_inflate_close(struct gs_parallel_inflate *parallel)
{
	if (parallel == NULL)
		return;
	pthread_mutex_lock(&parallel->lock);
	parallel->over = true;
	pthread_cond_broadcast(&parallel->changed);
	pthread_mutex_unlock(&parallel->lock);
	for (unsigned t = 0; t < parallel->threads; t++)
		(void)gs_thread_join(&parallel->thread[t]);
	for (unsigned s = 0; s < parallel->slots; s++)
		free(parallel->segments[s].packed);
	pthread_mutex_destroy(&parallel->lock);
	pthread_cond_destroy(&parallel->changed);
	free(parallel);
}

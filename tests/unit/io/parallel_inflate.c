// SPDX-License-Identifier: BSD-2-Clause
/* parallel_inflate.c - rows for src/io/parallel_inflate.c: which frames threads decompress, and to where */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dynload.h"
#include "io/inflate.h"
#include "tests/unit/units.h"

void unit_parallel_inflate(void);

/* Functions that gsort does not call, which base/codec_abi.h lacks. */
int deflateInit2_(z_stream *, int level, int method, int bits, int memory, int strategy, const char *version,
                  int bytes);
int deflate(z_stream *, int flush);
int deflateEnd(z_stream *);
unsigned long crc32(unsigned long, const unsigned char *, unsigned bytes);
size_t ZSTD_CCtx_setParameter(ZSTD_CCtx *, int parameter, int value);
size_t ZSTD_compress2(ZSTD_CCtx *, void *to, size_t room, const void *from, size_t bytes);

enum {
	MOST_FRAMES = 64, ROOM_BYTES = 4 << 20, ZSTD_MOST = 128 << 10, GZIP_MOST = 64 << 10, PLENTY = 4 << 20,
	MOST_THREADS = 16,
	MOST_PIECE = 250001,
	BEGIN = 7,	/* bytes in front of the first frame */
};

/*
 * Frames are a letter and the bytes of their contents, and n times that if "*n" follows.  Of zstd: r raw; i
 * raw, with a number of no dictionary; t in two raw blocks; l a run of one byte; c compressed, with a
 * checksum; s skipped.  Of gzip: g blocked.  The others end the parallel part: e and f have an empty block
 * in front; d is damaged; h has another magic number, k and m nearly the one of a skipped frame; z is
 * blocked and damaged; b has more bytes than a block may have, j one byte behind its end; p is not blocked,
 * o has another extra field, q two of them.
 *
 * A slot has SPARE bytes more than the largest good frame takes.
 */
static const struct row {
	const char *name, *frames;
	unsigned    threads;
	long        spare;
} rows[] = {
	{ "frames that fill their slots", "c20000*9", 2, 0 },
	{ "larger ones by a byte", "c20000*9", 2, -1 },
	{ "a large one behind smaller ones", "c20000*4c20500c20000*9", 2, -1 },
	{ "raw blocks that fill their slots", "r131071*9", 3, 0 },
	{ "and are larger by a byte", "r131071*9", 3, -1 },
	{ "two raw blocks in a frame", "t200000*8", 2, 0 },
	{ "two raw blocks that do not fit", "t200000*8", 2, -1 },
	{ "runs of a byte", "l100000*9l7", 2, 0 },
	{ "runs that do not fit", "l100000*9", 2, -1 },
	{ "skipped frames, between and at the end", "s3c20000s0c20000s9s9c20000s1c20000s0", 2, 0 },
	{ "frames with room for many", "c20000*40", 3, PLENTY },
	{ "frames of any size", "r1c70000l120000s50000t3i20r0c7*9r99999*12", 3, PLENTY },
	{ "small frames", "c2000*17", 2, PLENTY },
	{ "blocked gzip that fills its slots", "g60000*9", 2, 0 },
	{ "and is larger by a byte", "g60000*9", 2, -1 },
	{ "blocks of 64 KiB, and an empty one", "g65536*9g0", 2, 0 },
	{ "blocked gzip with room for many", "g60000*40", 3, PLENTY },
	{ "small blocks of gzip", "g2000*33", 2, PLENTY },
	{ "an empty block in front", "c2000*12e20000c2000*9", 2, PLENTY },
	{ "an empty run in front", "c2000*12f20000c2000*9", 2, PLENTY },
	{ "a damaged frame", "c20000*5d20000c20000*9", 2, 5000 },
	{ "a frame of something else", "c2000*12h20000c2000*9", 2, PLENTY },
	{ "what is nearly skipped", "c2000*12k9c2000*9", 2, PLENTY },
	{ "and by another byte", "c2000*12m9c2000*9", 2, PLENTY },
	{ "a damaged block of gzip", "g60000*5z60000g60000*9", 2, 5000 },
	{ "one that is larger than blocks are", "g60000*5b600000g60000*9", 2, 0 },
	{ "one that is longer than it is", "g60000*5j60000g60000*9", 2, 5000 },
	{ "gzip without a length", "g6000*20p6000g6000*9", 2, PLENTY },
	{ "with another extra field", "g6000*20o6000g6000*9", 2, PLENTY },
	{ "with more than the length", "g6000*20q6000g6000*9", 2, PLENTY },
	{ "more threads than there may be", "c20000*60", 40, 0 },
	{ "sixteen", "g60000*60", 16, 0 },
	{ "one thread", "c20000*9", 1, PLENTY },
	{ "no memory", "c20000*9", 2, -PLENTY },
	{ "one frame", "c20000", 2, PLENTY },
	{ "one, and half of the next", "c20000e9", 2, PLENTY },
	{ "another format", "h20000*9", 2, PLENTY },
};

struct frame { size_t at, plain, cost; bool good; };

/* The file of a row, and its contents. */
static struct frame frames[MOST_FRAMES + 1];
static size_t frame_count;
static unsigned char *packed;
static char *plain;

/* ---- making a file ------------------------------------------------------------- */

static size_t
put(unsigned char *into, size_t value, unsigned bytes)
{
	for (unsigned b = 0; b < bytes; b++)
		into[b] = (unsigned char)(value >> 8 * b);
	return bytes;
}

/* A block of zstd with KEPT bytes in the file: all, or one for a run. */
static size_t
put_block(unsigned char *into, const char *text, size_t bytes, size_t kept, bool last)
{
	put(into, bytes << 3 | (size_t)(kept < bytes) << 1 | last, 3);
	memcpy(into + 3, text, kept);
	return 3 + kept;
}

static size_t
put_zstd(char kind, const char *text, size_t bytes, unsigned char *into)
{
	const size_t first = kind == 't' ? bytes / 2 : 0;
	size_t used = 6;

	memcpy(into, "\x28\xb5\x2f\xfd\0\x58", used);	/* a window of 2 MiB, no size, no checksum */
	into[0] ^= kind == 'h';
	into[4] |= kind == 'i';
	used += kind == 'i' ? put(into + used, 0, 1) : 0;
	if (kind == 'f')
		used += put(into + used, 2, 4);
	if (kind == 'e' || kind == 't')
		used += put_block(into + used, text, first, first, false);
	text += first;
	bytes -= first;
	return used + put_block(into + used, text, bytes, kind == 'l' ? 1 : bytes, true);
}

static size_t
put_compressed(char kind, const char *text, size_t bytes, unsigned char *into)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t used;

	ZSTD_CCtx_setParameter(zstd, 201, 1);
	used = ZSTD_compress2(zstd, into, 1 << 20, text, bytes);
	ZSTD_freeCCtx(zstd);
	into[used - 1] ^= kind == 'd';
	return used;
}

static size_t
put_gzip(char kind, const char *text, size_t bytes, unsigned char *into)
{
	z_stream zlib = { .next_in = (unsigned char *)(uintptr_t)text,
	                  .avail_in = (unsigned)bytes, .avail_out = 1 << 20 };
	const size_t extra = kind == 'p' ? 0 : kind == 'q' ? 10 : 6;
	size_t used = 10;

	memcpy(into, "\x1f\x8b\x08\4time\0\xff", used);
	into[3] = extra > 0 ? 4 : 0;
	if (extra > 0)
		used += put(into + used, extra, 2);
	if (kind == 'q') {	/* another one first */
		memcpy(into + used, "xy\0", 4);
		used += 4;
	}
	if (extra > 0) {
		memcpy(into + used, kind == 'o' ? "BD\2\0\0" : "BC\2\0\0", 6);
		used += 6;
	}
	zlib.next_out = into + used;
	deflateInit2_(&zlib, 1, 8, -MAX_WBITS, 8, 0, ZLIB_VERSION, sizeof zlib);
	deflate(&zlib, Z_FINISH);
	used += zlib.total_out;
	deflateEnd(&zlib);
	used += put(into + used, crc32(0, (const unsigned char *)text, (unsigned)bytes) ^ (kind == 'z'), 4);
	used += put(into + used, bytes, 4);
	into[used] = 'j';
	used += kind == 'j';
	if (extra > 0)
		put(into + 16, used - 1, 2);
	return used;
}

/* A frame of BYTES of TEXT; returns how many it has.  MOST: how many more its headers let it have. */
static size_t
put_frame(char kind, const char *text, size_t bytes, unsigned char *into, size_t *most)
{
	*most = bytes;
	if (strchr("skm", kind) != NULL) {
		*most = 0;
		put(into, kind == 'k' ? 0x184d2a60 : kind == 'm' ? 0x184d2b50 : 0x184d2a5a, 4);
		memset(into + 8, 'x', bytes);
		return 4 + put(into + 4, bytes, 4) + bytes;
	}
	if (strchr("cd", kind) != NULL)
		*most = ZSTD_MOST;
	else if (strchr("gzbjpoq", kind) != NULL)
		*most = GZIP_MOST;
	return (*most == ZSTD_MOST ? put_compressed : *most == GZIP_MOST ? put_gzip
	        : put_zstd)(kind, text, bytes, into);
}

/* Make the file of a row. */
static void
make(const char *list)
{
	size_t used = 0, contents = 0;

	frame_count = 0;
	for (char kind; (kind = *list) != '\0';) {
		char *end;
		const size_t bytes = strtoul(list + 1, &end, 10);
		const unsigned long times = *end == '*' ? strtoul(end + 1, &end, 10) : 1;

		for (unsigned long t = 0; t < times; t++) {
			struct frame *frame = &frames[frame_count++];
			size_t most;

			if (kind == 'l' || kind == 'b')
				memset(plain + contents, '7', bytes);
			*frame = (struct frame){ used, contents, 0, strchr("ritlcsg", kind) != NULL };
			frame->cost = put_frame(kind, plain + contents, bytes, packed + used, &most);
			used += frame->cost;
			frame->cost += most;
			contents += strchr("skm", kind) == NULL ? bytes : 0;
		}
		list = end;
	}
	frames[frame_count] = (struct frame){ .at = used, .plain = contents };
}

/* ---- reading it ------------------------------------------------------------------ */

/* Threads of this process. */
static unsigned
count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned count = 0;

	while (readdir(tasks) != NULL)
		count++;
	closedir(tasks);
	return count - 2;
}

/* Open FILE with SLOT_BYTES for each slot of THREADS.  FORMAT NULL: found in its data. */
static struct gs_parallel_inflate *
open_as(FILE *file, unsigned threads, size_t slot_bytes, bool regular, const struct gs_inflate_format *format)
{
	const unsigned slots = (threads < MOST_THREADS ? threads : MOST_THREADS) + 2;
	const struct gs_inflate stream = {
		.format = format != NULL ? format : *packed == 0x1f ? &gs_inflate_gzip : &gs_inflate_zstd,
		.reader = { .fd = fileno(file), .stop = -1 },
		.options = {
			.threads = threads, .regular = regular, .offset = BEGIN,
			.memory_bytes = slot_bytes > 0 ? slot_bytes * slots + slots - 1 : 0,
		},
	};

	return gs_parallel_inflate_open(&stream);
}

static struct gs_parallel_inflate *
open_parallel(FILE *file, unsigned threads, size_t slot_bytes)
{
	return open_as(file, threads, slot_bytes, true, NULL);
}

static FILE *
write_file(const struct row *row)
{
	FILE *file = tmpfile();

	make(row->frames);
	fprintf(file, "%*s", BEGIN, "");
	fwrite(packed, 1, frames[frame_count].at, file);
	fflush(file);
	return file;
}

/* The frame at OFFSET of the file. */
static size_t
frame_at(uint64_t offset)
{
	size_t f = 0;

	while (f < frame_count && frames[f].at + BEGIN < offset)
		f++;
	return f;
}

/* Read all that threads give, in PIECE bytes: the frame where that ends, or SIZE_MAX if something is odd.
 * ALONE: they give one frame after the other. */
static size_t
read_all(struct gs_parallel_inflate *parallel, size_t piece, bool alone)
{
	static char into[MOST_PIECE];
	bool more = true, good = true;
	size_t at = 0, f = 0;

	while (good && more) {
		size_t got = 0;
		uint64_t offset;

		more = gs_parallel_inflate_read(parallel, into, piece, &got, &offset);
		good = (more ? got == piece : got < piece) && at + got <= frames[frame_count].plain &&
		       memcmp(into, plain + at, got) == 0;
		at += got;
		f = frame_at(offset);
		good = good && frames[f].at + BEGIN == offset && frames[f].plain <= at &&
		       (!alone || !more || at <= frames[f + 1].plain);
	}
	return good && frames[f].plain == at ? f : SIZE_MAX;
}

static void
check_row(const struct row *row, size_t piece)
{
	FILE *file = write_file(row);
	const size_t memory = units_memory();
	const unsigned threads = row->threads < MOST_THREADS ? row->threads : MOST_THREADS;
	const unsigned all = count_threads() + threads;
	struct gs_parallel_inflate *parallel;
	size_t slot_bytes = 0, end = 0, ends;
	bool alone = true, wait;

	for (size_t f = 0; f < frame_count; f++)
		slot_bytes = frames[f].good && frames[f].cost > slot_bytes ? frames[f].cost : slot_bytes;
	slot_bytes = row->spare == -PLENTY ? 0 : slot_bytes + (size_t)row->spare;
	for (; end < frame_count && frames[end].good && frames[end].cost <= slot_bytes; end++)
		alone &= frames[end].cost + frames[end + 1].cost > slot_bytes || end + 1 == frame_count;
	parallel = open_parallel(file, row->threads, slot_bytes);
	CHECK((parallel != NULL) == (threads > 1 && end > 1), "%s: threads are started or not", row->name);
	if (parallel != NULL) {
		/* They wait for the reader; those of the row before may still be there for a moment. */
		wait = alone && end > threads + 2;
		for (unsigned try = 0; wait && try < 3000 && count_threads() != all; try++)
			usleep(1000);
		CHECK(!wait || count_threads() == all, "%s: %u threads", row->name, threads);
		ends = read_all(parallel, piece, alone);
		CHECK(ends == end, "%s, in pieces of %zu: that ends at frame %zd, not %zu", row->name, piece,
		      (ssize_t)ends, end);
		gs_parallel_inflate_close(parallel);
	}
	/* The first call of a row allocates what threads keep. */
	CHECK(piece < MOST_PIECE || units_memory() == memory, "%s: %zd bytes are not given back", row->name,
	      (ssize_t)(units_memory() - memory));
	fclose(file);
}

/* ---- what fails -------------------------------------------------------------------- */

/* Each call fails in turn: the bytes given before it are right. */
static void
check_failures(const struct row *row)
{
	FILE *file = write_file(row);
	bool failed = true;

	for (long call = 0; failed; call++) {
		struct gs_parallel_inflate *parallel;
		size_t memory = units_memory(), ends = 0;

		units_fail(call);
		parallel = open_parallel(file, 2, PLENTY);
		if (parallel != NULL)
			ends = read_all(parallel, 100000, false);
		failed = units_has_failed();
		gs_parallel_inflate_close(parallel);
		CHECK(failed ? ends <= frame_count : ends == frame_count, "call %ld fails: %zd frames", call,
		      (ssize_t)ends);
		CHECK(units_memory() == memory, "call %ld fails: %zd bytes are not given back", call,
		      (ssize_t)(units_memory() - memory));
	}
	fclose(file);
}

static ZSTD_DCtx *
make_none(void)
{
	return NULL;
}

static int
fail_to_make(z_stream *zlib, int bits, const char *version, int bytes)
{
	(void)zlib, (void)bits, (void)version, (void)bytes;
	return Z_MEM_ERROR;
}

/* Files that threads do not read; and a reader that stops early, or reads nothing. */
static void
check_open(const struct row *row)
{
	FILE *file = write_file(row);
	char bytes[100];

	CHECK(open_as(file, 2, PLENTY, false, NULL) == NULL, "%s: not a regular file", row->name);
	CHECK(open_as(file, 2, PLENTY, true, &gs_inflate_lz4) == NULL, "%s: another format", row->name);
	for (unsigned reads = 0; reads < 2; reads++) {
		struct gs_parallel_inflate *parallel = open_parallel(file, 2, frames[0].cost);
		uint64_t offset;
		size_t got = 0;

		CHECK(parallel != NULL && (reads == 0 ||
		      gs_parallel_inflate_read(parallel, bytes, sizeof bytes, &got, &offset)),
		      "%s: read %u times, and closed", row->name, reads);
		gs_parallel_inflate_close(parallel);
	}
	fclose(file);
}

static void
check_no_decoder(const struct row *row)
{
	FILE *file = write_file(row);
	const struct gs_zstd zstd = gs_zstd;
	const struct gs_zlib zlib = gs_zlib;
	struct gs_parallel_inflate *parallel;

	gs_zstd.ZSTD_createDCtx = make_none;
	gs_zlib.inflateInit2_ = fail_to_make;
	parallel = open_parallel(file, 2, PLENTY);
	CHECK(parallel != NULL && read_all(parallel, 1000, false) == 0, "%s: without a decoder none is read",
	      row->name);
	gs_parallel_inflate_close(parallel);
	gs_zstd = zstd;
	gs_zlib = zlib;
	fclose(file);
}

void
unit_parallel_inflate(void)
{
	packed = malloc(ROOM_BYTES);
	plain = malloc(ROOM_BYTES);
	for (size_t b = 0; b < ROOM_BYTES; b++)
		plain[b] = (char)('0' + (units_mix(b / 16) >> b % 16 * 4 & 7));
	if (!gs_zstd_loads() || !gs_zlib_loads()) {
		CHECK(false, "no libraries");
		return;
	}
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		check_row(&rows[r], 777);
		check_row(&rows[r], 20000);
		check_row(&rows[r], MOST_PIECE);
		if (strncmp(rows[r].name, "small", 5) == 0) {
			check_failures(&rows[r]);
			check_no_decoder(&rows[r]);
			check_open(&rows[r]);
		}
	}
	free(packed);
	free(plain);
}

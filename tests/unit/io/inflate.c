// SPDX-License-Identifier: BSD-2-Clause
/* inflate.c - every format whole, in members, cut, changed and followed by garbage */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "io/inflate.h"
#include "tests/unit/units.h"

enum { TEXT_BYTES = 300000, ROOM_BYTES = 4 << 20 };

static const struct format {
	enum gsort_decompress decompress;
	const char *name;
	int (*add)(struct archive *);
	size_t checked_from;	/* a change behind these bytes must not pass */
	size_t magic_bytes;
	bool   pads;		/* zeros may follow a member */
} formats[] = {
	{ GSORT_DECOMPRESS_GZIP, "gzip", archive_write_add_filter_gzip, 10, 3, true },
	{ GSORT_DECOMPRESS_BZIP2, "bzip2", archive_write_add_filter_bzip2, 4, 3, true },
	{ GSORT_DECOMPRESS_XZ, "xz", archive_write_add_filter_xz, 0, 6, true },
	{ GSORT_DECOMPRESS_ZSTD, "zstd", archive_write_add_filter_zstd, 6, 4, false },
	{ GSORT_DECOMPRESS_LZ4, "lz4", archive_write_add_filter_lz4, 0, 4, false },
};

/* The memory limit of decompression: set to each row in turn. */
static const struct gs_inflate_options option_rows[] = {
	{ .threads = 1 }, { .threads = 3, .memory_bytes = 64 << 20 },
};
static struct gs_inflate_options options;

enum {
	FORMATS = sizeof formats / sizeof formats[0],
	OPTION_ROWS = sizeof option_rows / sizeof option_rows[0],
};

/* ---- tools -------------------------------------------------------------- */

/* Digits that compress, but not to nothing. */
static char *
make_text(void)
{
	char *text = malloc(TEXT_BYTES);
	unsigned state = 1;

	for (size_t b = 0; b < TEXT_BYTES; b++) {
		state = state * 1103515245 + 12345;
		text[b] = b % 9 == 8 ? '\n' : (char)('0' + (state >> 16) % 10);
	}
	return text;
}

/* libarchive 3.6.2 cannot write an empty lz4 frame. */
static const char empty_lz4[] = "\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0\x05\x5d\xcc\x02";

/* A member of FORMAT that holds DATA; libarchive's own zstd writes no checksum. */
static size_t
pack(const struct format *format, const char *data, size_t bytes, char *into)
{
	struct archive *archive;
	struct archive_entry *entry;
	size_t used = 0;

	if (format->decompress == GSORT_DECOMPRESS_ZSTD) {
		ZSTD_CCtx *zstd = ZSTD_createCCtx();

		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		used = ZSTD_compress2(zstd, into, ROOM_BYTES, data, bytes);
		ZSTD_freeCCtx(zstd);
		return used;
	}
	if (format->decompress == GSORT_DECOMPRESS_LZ4 && bytes == 0) {
		memcpy(into, empty_lz4, sizeof empty_lz4 - 1);
		return sizeof empty_lz4 - 1;
	}
	archive = archive_write_new();
	entry = archive_entry_new();
	format->add(archive);
	archive_write_set_filter_option(archive, NULL, "compression-level", "1");
	archive_write_set_format_raw(archive);
	archive_write_set_bytes_per_block(archive, 0);
	archive_write_open_memory(archive, into, ROOM_BYTES, &used);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_write_header(archive, entry);
	archive_write_data(archive, data, bytes);
	archive_write_close(archive);
	archive_entry_free(entry);
	archive_write_free(archive);
	return used;
}

/* A member of blocked gzip, as bgzip writes it, of less than 64 KiB. */
static size_t
deflate_blocked(const char *data, size_t bytes, char *into)
{
	unsigned char extra[] = { 'B', 'C', 2, 0, 0, 0 };
	gz_header header = { .extra = extra, .extra_len = sizeof extra, .os = 255 };
	z_stream zlib = {
		.next_in = (const unsigned char *)data, .avail_in = (unsigned)bytes,
		.next_out = (unsigned char *)into, .avail_out = 1 << 16,
	};
	size_t packed;

	deflateInit2(&zlib, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
	deflateSetHeader(&zlib, &header);
	deflate(&zlib, Z_FINISH);
	packed = zlib.total_out;
	deflateEnd(&zlib);
	into[16] = (char)(packed - 1);
	into[17] = (char)((packed - 1) >> 8);
	return packed;
}

/* A reader of a file that returns 1 byte, then 2 ... 7, then all that is wanted; from a call on it fails. */
struct dripping { int fd; size_t calls; };
static size_t fails_from = SIZE_MAX;

static ptrdiff_t
drip(void *context, void *into, size_t bytes)
{
	struct dripping *from = context;
	const size_t most = ++from->calls < 8 ? from->calls : bytes;

	if (from->calls >= fails_from && from->calls < 1000) {	/* the end comes if nobody stops */
		errno = EIO;
		return -1;
	}
	return read(from->fd, into, bytes < most ? bytes : most);
}

/* Decompress BYTES of DATA, in pieces of PIECE_BYTES; the first few bytes come one by one if DRIPS. */
static gs_status
unpack(enum gsort_decompress decompress, const char *data, size_t bytes, bool drips,
       size_t piece_bytes, char *into, size_t *got)
{
	FILE *file = tmpfile();
	struct dripping from = { .fd = fileno(file) };
	const struct gs_reader reader = {
		.fd = fileno(file), .stop = -1, .read = drips ? drip : NULL, .context = &from,
	};
	struct gs_inflate *z;
	uint64_t before = 0;
	bool forward = true;
	gs_status status;
	size_t more;

	fwrite(data, 1, bytes, file);
	fflush(file);
	lseek(fileno(file), 0, SEEK_SET);
	options.regular = !drips;
	*got = 0;
	status = gs_inflate_open(&z, decompress, &reader, "in", &options);
	if (status == GS_OK)
		do {
			status = gs_inflate_read(z, into + *got, piece_bytes, &more);
			*got += more;
			forward = forward && gs_inflate_position(z) >= before;
			before = gs_inflate_position(z);
		} while (status == GS_OK && more == piece_bytes);
	CHECK(forward && before <= bytes && (status != GS_OK || before == bytes),
	      "decompression goes forward, to byte %llu of %zu", (unsigned long long)before, bytes);
	gs_inflate_close(z);
	fclose(file);
	return status;
}

/* ---- rows --------------------------------------------------------------- */

/* Members, one after the other: T the text, e nothing; and 0 four zeros behind one. */
static void
check_members(const struct format *format, const char *text)
{
	static const char *const rows[] = {
		"T", "e", "TT", "eT", "Te", "TeT", "eee", "eeTeeeTe", "TTTT",
		"T0", "T00T0e0", "eT000T",
	};
	char *packed = malloc(ROOM_BYTES * 2), *plain = malloc(ROOM_BYTES);
	char *whole = malloc(ROOM_BYTES), *empty = malloc(ROOM_BYTES);
	const size_t whole_bytes = pack(format, text, TEXT_BYTES, whole);
	const size_t empty_bytes = pack(format, text, 0, empty);

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		size_t bytes = 0, texts = 0, got;

		if (strchr(rows[r], '0') != NULL && !format->pads)
			continue;
		for (const char *member = rows[r]; *member != '\0'; member++) {
			const bool is_text = *member == 'T';
			const size_t more = is_text ? whole_bytes : *member == 'e' ? empty_bytes : 4;

			memcpy(packed + bytes, is_text ? whole : *member == 'e' ? empty : "\0\0\0", more);
			bytes += more;
			texts += is_text;
		}
		for (unsigned drips = 0; drips < 2; drips++) {
			const gs_status status = unpack(format->decompress, packed, bytes, drips,
			                                100000 + r * 12345, plain, &got);
			bool holds = status == GS_OK && got == texts * TEXT_BYTES;

			for (size_t t = 0; holds && t < texts; t++)
				holds = memcmp(plain + t * TEXT_BYTES, text, TEXT_BYTES) == 0;
			CHECK(holds, "%s, members %s, come out whole: %zu, %s", format->name,
			      rows[r], got, status == GS_OK ? "ok" : gs_message());
		}
	}
	free(packed);
	free(plain);
	free(whole);
	free(empty);
}

/* Each read fails in turn, and so do those behind it. */
static void
check_reads(const struct format *format, const char *packed, size_t bytes, char *plain)
{
	gs_status status = GS_EIO;
	size_t got;

	for (fails_from = 1; status != GS_OK && fails_from < 100; fails_from++) {
		status = unpack(format->decompress, packed, bytes, true, 1 << 20, plain, &got);
		CHECK(status == GS_OK || (status == GS_EIO &&
		      strcmp(gs_message(), "read failed: in: Input/output error") == 0),
		      "%s: read %zu fails: %s", format->name, fails_from, gs_message());
	}
	CHECK(fails_from > 9 && fails_from < 100, "%s: %zu reads", format->name, fails_from);
	fails_from = SIZE_MAX;
}

static void
check_cut(const struct format *format, const char *packed, size_t bytes, char *plain)
{
	const size_t lengths[] = {
		0, 1, 2, 3, 4, 5, 6, 9, 10, 17, 18, 40, bytes / 4, bytes / 2, bytes - 100,
		bytes - 20, bytes - 12, bytes - 9, bytes - 8, bytes - 7, bytes - 4, bytes - 1,
	};
	char truncated[64];

	snprintf(truncated, sizeof truncated, "in: truncated");
	for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
		size_t got;
		gs_status status = unpack(format->decompress, packed, lengths[l], false, 1 << 20,
		                          plain, &got);

		CHECK(status == GS_EINPUT && strncmp(gs_message(), truncated, 13) == 0,
		      "%s cut to %zu of %zu bytes is truncated: %s", format->name, lengths[l],
		      bytes, status == GS_OK ? "ok" : gs_message());
	}
}

/* Each byte of both ends, and some between; briefly, fewer. */
static void
check_changed(const struct format *format, char *packed, size_t bytes, char *plain)
{
	const size_t ends = units_brief() ? 20 : 60, step = bytes / (units_brief() ? 7 : 37);

	for (size_t at = format->checked_from; at < bytes; at += at < ends || at + ends > bytes
	     ? 1 : step < bytes - (ends - 1) - at ? step : bytes - (ends - 1) - at) {
		gs_status status;
		size_t got;

		packed[at] ^= 0x15;
		status = unpack(format->decompress, packed, bytes, false, 1 << 20, plain, &got);
		packed[at] ^= 0x15;
		CHECK(status == GS_EINPUT && strncmp(gs_message(), "in: ", 4) == 0,
		      "%s with byte %zu of %zu changed is noticed: got %zu, %s", format->name,
		      at, bytes, got, status == GS_OK ? "ok" : gs_message());
	}
}

static void
check_garbage(const struct format *format, char *packed, size_t bytes, char *plain)
{
	static const char *const garbage[] = {
		"h", "hello world\n", "BZ", "\x04\x22", "12\n", "1234\n", "\x1f\x8b\x07 of another method",
	};
	char expected[128];

	for (size_t g = 0; g < sizeof garbage / sizeof garbage[0]; g++) {
		size_t got;
		gs_status status;

		memcpy(packed + bytes, garbage[g], strlen(garbage[g]));
		status = unpack(format->decompress, packed, bytes + strlen(garbage[g]), false, 1 << 20,
		                plain, &got);
		snprintf(expected, sizeof expected, format->decompress == GSORT_DECOMPRESS_XZ
		         ? "in: corrupt %s data: damaged, or garbage after it"
		         : strncmp(packed, garbage[g], strlen(garbage[g])) == 0 ? "in: truncated %s data"
		         : strncmp(packed, garbage[g], 2) == 0 && format->decompress == GSORT_DECOMPRESS_GZIP
		         ? "in: corrupt %s data: unknown compression method"
		         : "in: trailing garbage after the %s data", format->name);
		CHECK(status == GS_EINPUT && strcmp(gs_message(), expected) == 0, "%s followed by %s: %s",
		      format->name, garbage[g], gs_message());
	}
	for (size_t cut = 1; cut < 6; cut++) {	/* the first bytes of another member are not garbage */
		size_t got;
		gs_status status;

		memcpy(packed + bytes, packed, cut);
		status = unpack(format->decompress, packed, bytes + cut, false, 1 << 20, plain, &got);
		CHECK(status == GS_EINPUT && strstr(gs_message(), "truncated") != NULL,
		      "%s followed by %zu bytes of a member is truncated: %s", format->name, cut,
		      gs_message());
	}
}

/* Text is no compressed data. */
static void
check_foreign(const struct format *format, const char *text, char *plain)
{
	char expected[128];
	size_t got;
	gs_status status = unpack(format->decompress, text, 1000, false, 1 << 20, plain, &got);

	snprintf(expected, sizeof expected, "in: not %s data; if it is not compressed, use "
	         "--decompress=none", format->name);
	CHECK(status == GS_EINPUT && strcmp(gs_message(), expected) == 0,
	      "text is no %s: %s", format->name, gs_message());
	if (format->decompress == GSORT_DECOMPRESS_XZ)
		return;
	for (size_t bytes = 3; bytes < 6; bytes += format->decompress == GSORT_DECOMPRESS_ZSTD ? 2 : 1) {
		status = unpack(format->decompress, "\2\x21\x4c\x18\0", bytes, false, 1 << 20, plain, &got);
		CHECK(status == GS_EINPUT && (strstr(gs_message(), "lz4 data of the old format") != NULL) ==
		      (bytes >= 4), "%zu bytes of old lz4 are no %s: %s", bytes, format->name, gs_message());
	}
}

/* Only one layer is decompressed, whatever is inside. */
static void
check_layers(const struct format *format, const char *text, char *plain)
{
	char *inner = malloc(ROOM_BYTES), *outer = malloc(ROOM_BYTES);
	size_t inner_bytes = pack(format, text, TEXT_BYTES, inner), got;
	size_t outer_bytes = pack(format, inner, inner_bytes, outer);
	gs_status status = unpack(format->decompress, outer, outer_bytes, false, 1 << 20, plain, &got);

	CHECK(status == GS_OK && got == inner_bytes && memcmp(plain, inner, got) == 0,
	      "%s in %s loses one layer", format->name, format->name);
	free(inner);
	free(outer);
}

/* A window of 2^27, and a frame to be skipped before it. */
static void
check_zstd_extras(const char *text, char *plain)
{
	char *packed = malloc(ROOM_BYTES);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	ZSTD_inBuffer in = { text, TEXT_BYTES, 0 };
	ZSTD_outBuffer out = { packed, ROOM_BYTES, 0 };
	size_t got;

	memcpy(packed, "\x5a\x2a\x4d\x18\x03\0\0\0xyz", 11);
	out.pos = 11;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 28);
	while (ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end) != 0)
		;
	ZSTD_freeCCtx(zstd);
	CHECK(gs_inflate_sniff(packed, 6) == GSORT_DECOMPRESS_ZSTD,
	      "a frame to be skipped is recognized as zstd");
	CHECK(unpack(GSORT_DECOMPRESS_ZSTD, packed, out.pos, false, 1 << 20, plain, &got) == GS_OK &&
	      got == TEXT_BYTES && memcmp(plain, text, got) == 0,
	      "a zstd window of 2^28 and a skipped frame come out whole: %s", gs_message());
	free(packed);
}

/* A frame of zstd says how large its window is, a power of two: allowed, or too large, or beyond all. */
static void
check_windows(const char *text, char *plain)
{
	static const struct { int log; uint64_t most; } cases[] = {
		{ 10, 1 }, { 10, 1 << 10 }, { 10, 0 }, { 11, (1 << 11) - 1 }, { 11, 1 << 11 },
		{ 20, (1 << 21) - 1 },
		{ 20, (1 << 20) - 1 }, { 27, 1 << 27 }, { 27, (1 << 27) - 1 }, { 28, 0 },
		{ 28, UINT64_MAX }, { 31, (1u << 31) - 1 },
	};
	/* a header that asks for 2^41 bytes, and an empty block */
	static const char beyond[] = "\x28\xb5\x2f\xfd\0\xf8\1\0\0";
	char *packed = malloc(ROOM_BYTES), expected[160];
	gs_status status;
	size_t got;

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		const uint64_t most = cases[c].most;
		ZSTD_CCtx *zstd = ZSTD_createCCtx();
		ZSTD_inBuffer in = { text, 3000, 0 };
		ZSTD_outBuffer out = { packed, ROOM_BYTES, 0 };

		options = (struct gs_inflate_options){ .threads = 1, .window_bytes = most };
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 10);
		/* first some, so the frame does not say how long it is */
		ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_continue);
		while (ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end) != 0)
			;
		ZSTD_freeCCtx(zstd);
		packed[5] = (char)((cases[c].log - 10) << 3);	/* the header's byte about it */
		status = unpack(GSORT_DECOMPRESS_ZSTD, packed, out.pos, false, 1 << 20, plain, &got);
		snprintf(expected, sizeof expected, "in: to decompress it takes more than the %llu MiB of "
		         "memory that are left for that; use a larger -S, or decompress it first",
		         (unsigned long long)(most >> 20));
		CHECK(most == 0 || cases[c].log == 10 || most >> cases[c].log > 0
		      ? status == GS_OK && got == 3000 && memcmp(plain, text, got) == 0
		      : status == GS_EBUDGET && strcmp(gs_message(), expected) == 0,
		      "a window of 2^%d in %llu bytes: %s", cases[c].log, (unsigned long long)most,
		      status == GS_OK ? "ok" : gs_message());
	}
	for (unsigned limited = 0; limited < 2; limited++) {
		options = (struct gs_inflate_options){ .threads = 1, .window_bytes = limited << 20 };
		status = unpack(GSORT_DECOMPRESS_ZSTD, beyond, sizeof beyond - 1, false, 1 << 20, plain,
		                &got);
		CHECK(limited ? status == GS_EBUDGET : status == GS_EINPUT &&
		      strstr(gs_message(), "corrupt zstd data") != NULL, "a window of 2^41: %s",
		      gs_message());
	}
	free(packed);
}

/*
 * TIMES the text in frames that can be decompressed side by side, and then one that has no
 * length (bgzf) or follows a skipped frame (zstd).
 */
static size_t
make_frames(const struct format *format, const char *text, unsigned times, char *into)
{
	size_t used = 0;

	for (unsigned t = 0; t < times; t++)
		if (format->decompress == GSORT_DECOMPRESS_ZSTD)
			used += pack(format, text, TEXT_BYTES, into + used);
		else
			for (size_t at = 0; at < TEXT_BYTES; at += 60000)
				used += deflate_blocked(text + at, 60000, into + used);
	if (format->decompress == GSORT_DECOMPRESS_ZSTD) {
		memcpy(into + used, "\x5a\x2a\x4d\x18\x03\0\0\0xyz", 11);
		used += 11;
	}
	return used + pack(format, text, TEXT_BYTES, into + used);
}

/* Frames side by side give what they give from front to back, errors included. */
static void
check_frames(const struct format *format, const char *text)
{
	enum { TIMES = 11, ROOM = (TIMES + 1) * TEXT_BYTES };
	char *packed = malloc(ROOM + ROOM_BYTES), *plain[2] = { malloc(2 * ROOM), malloc(2 * ROOM) };
	const size_t bytes = make_frames(format, text, TIMES, packed);
	const size_t block_bytes = format->decompress == GSORT_DECOMPRESS_ZSTD ? 128 << 10 : 0;
	const unsigned rows = units_brief() ? 20 : 100;
	unsigned errors = 0;

	for (unsigned r = 0; r < rows; r++) {
		const size_t at = r == 0 ? bytes : (size_t)(units_mix(r) % bytes);
		const bool cut = r % 2 == 0;
		char message[200];
		gs_status status[2];
		size_t got[2];

		packed[at] ^= cut ? 0 : 0x15;
		for (unsigned h = 0; h < 2; h++) {
			options = option_rows[h == 0 ? 0 : OPTION_ROWS - 1];
			status[h] = unpack(format->decompress, packed, cut ? at : bytes, false, 300007,
			                   plain[h], &got[h]);
			if (h == 0)
				snprintf(message, sizeof message, "%s", gs_message());
		}
		packed[at] ^= cut ? 0 : 0x15;
		errors += status[0] != GS_OK;
		/* A bad zstd frame gives a block more or less, depending on where calls begin. */
		CHECK(status[0] == status[1] && memcmp(plain[0], plain[1], got[got[1] < got[0]]) == 0 &&
		      (status[0] == GS_OK ? got[0] == got[1] : strcmp(message, gs_message()) == 0 &&
		       got[0] <= got[1] + block_bytes && got[1] <= got[0] + block_bytes),
		      "frames of %s, %s at %zu of %zu: %zu and %zu bytes, %s and %s", format->name,
		      cut ? "cut" : "changed", at, bytes, got[0], got[1], message, gs_message());
		CHECK(r > 0 || (status[1] == GS_OK && got[1] == ROOM), "%s frames come out whole",
		      format->name);
	}
	CHECK(errors > rows / 10 * 9, "damaged frames are errors: %u times", errors);
	free(packed);
	free(plain[0]);
	free(plain[1]);
}

/* Memory for no frame of random bytes, one, or a few: none is unpacked behind the share of its thread. */
static void
check_frame_memory(const struct format *format)
{
	enum { FRAMES = 20, PERCENTS = 5 };
	static const size_t percents[PERCENTS] = { 1, 99, 101, 199, 250 };	/* of a share for one frame */
	const bool zstd = format->decompress == GSORT_DECOMPRESS_ZSTD;
	const size_t bytes = zstd ? 20000 : 60000;
	const size_t share = zstd ? 2 * bytes + 13 : bytes + 100 + (64 << 10);
	char *text = malloc(FRAMES * bytes), *plain = malloc(FRAMES * bytes + 1);
	char *packed = malloc(ROOM_BYTES);
	size_t used = 0;

	for (size_t b = 0; b < FRAMES * bytes; b++)
		text[b] = (char)units_mix(b);
	for (size_t f = 0; f < FRAMES; f++)
		used += zstd ? pack(format, text + f * bytes, bytes, packed + used)
		             : deflate_blocked(text + f * bytes, bytes, packed + used);
	for (size_t p = 0; p < PERCENTS; p++) {
		const unsigned threads = 2, slots = threads + 2;
		gs_status status;
		size_t got;

		options = (struct gs_inflate_options){
			.threads = threads, .memory_bytes = slots * (share * percents[p] / 100),
		};
		status = unpack(format->decompress, packed, used, false, FRAMES * bytes + 1, plain, &got);
		CHECK(status == GS_OK && got == FRAMES * bytes && memcmp(plain, text, got) == 0,
		      "frames of %s in memory for %zu %% of one come out whole: %zu, %s", format->name,
		      percents[p], got, status == GS_OK ? "ok" : gs_message());
	}
	free(text);
	free(plain);
	free(packed);
}

static void
check_names(void)
{
	static const struct { const char *name; enum gsort_decompress format; } rows[] = {
		{ "a.gz", GSORT_DECOMPRESS_GZIP }, { "a.bz2", GSORT_DECOMPRESS_BZIP2 },
		{ "a.b.xz", GSORT_DECOMPRESS_XZ }, { "dir/a.zst", GSORT_DECOMPRESS_ZSTD },
		{ "a.lz4", GSORT_DECOMPRESS_LZ4 }, { "a.GZ", GSORT_DECOMPRESS_NONE },
		{ "a.tgz", GSORT_DECOMPRESS_NONE }, { "gz", GSORT_DECOMPRESS_NONE },
		{ ".gz", GSORT_DECOMPRESS_NONE }, { "", GSORT_DECOMPRESS_NONE },
		{ "a.gz.bin", GSORT_DECOMPRESS_NONE },
	};

	char skipped[] = "\x50\x2a\x4d\x18", text[200];
	const char *at = gs_inflate_libraries(text, sizeof text);

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const char *program = gs_inflate_program(rows[r].name), *expected = NULL;

		for (size_t f = 0; f < FORMATS; f++)
			if (formats[f].decompress == rows[r].format)
				expected = formats[f].name;
		CHECK(gs_inflate_suffix(rows[r].name) == rows[r].format &&
		      (program == NULL) == (expected == NULL) &&
		      (program == NULL || strcmp(program, expected) == 0),
		      "the suffix of '%s' means what it should", rows[r].name);
	}
	for (int first = 0x4f; first <= 0x60; first++) {
		skipped[0] = (char)first;
		for (size_t bytes = 3; bytes <= 4; bytes++)
			CHECK(gs_inflate_sniff(skipped, bytes) == (bytes == 4 && first >= 0x50 && first < 0x60
			      ? GSORT_DECOMPRESS_ZSTD : GSORT_DECOMPRESS_NONE),
			      "%zu bytes of a frame to be skipped, %#x", bytes, (unsigned)first);
	}
	for (size_t l = 0; l < 4; l++) {	/* each once, with its version */
		static const char *const names[] = { "zlib ", ", libarchive ", ", liblzma ", ", libzstd " };

		CHECK(strncmp(at, names[l], strlen(names[l])) == 0 && at[strlen(names[l])] >= '0' &&
		      at[strlen(names[l])] <= '9', "library %zu is named: %s", l, at);
		at += strlen(names[l]);
		at += strcspn(at, ",");
	}
	CHECK(*at == '\0', "and no other: %s", at);
	CHECK(strncmp(gs_inflate_libraries(text, 8), "zlib 1.2.3", 7) == 0 && text[7] == '\0',
	      "in 8 bytes: %s", text);
	CHECK(gs_inflate_sniff("12345\n", 6) == GSORT_DECOMPRESS_NONE, "digits have no magic");
	CHECK(gs_inflate_sniff("\x1f\x8b", 2) == GSORT_DECOMPRESS_NONE, "two bytes are too few");
}

void unit_inflate(void);

void
unit_inflate(void)
{
	char *text = make_text(), *packed = malloc(ROOM_BYTES), *plain = malloc(ROOM_BYTES);

	for (size_t f = 0; f < FORMATS * OPTION_ROWS; f++) {
		const struct format *format = &formats[f % FORMATS];
		/* two blocks of zstd, three of lz4 */
		size_t bytes = pack(format, text, TEXT_BYTES / (units_brief() ? 2u : 1u), packed);

		options = option_rows[f / FORMATS];
		CHECK(gs_inflate_sniff(packed, GS_MAGIC_BYTES) == format->decompress,
		      "%s is recognized", format->name);
		CHECK(gs_inflate_sniff(packed, format->magic_bytes) == format->decompress &&
		      gs_inflate_sniff(packed, format->magic_bytes - 1) == GSORT_DECOMPRESS_NONE,
		      "%s is recognized by %zu bytes", format->name, format->magic_bytes);
		check_members(format, text);
		check_cut(format, packed, bytes, plain);
		check_reads(format, packed, bytes, plain);
		check_changed(format, packed, bytes, plain);
		bytes = pack(format, text, TEXT_BYTES, packed);
		check_garbage(format, packed, bytes, plain);
		check_foreign(format, text, plain);
		check_layers(format, text, plain);
	}
	check_frames(&formats[0], text);
	check_frames(&formats[3], text);
	check_frame_memory(&formats[0]);
	check_frame_memory(&formats[3]);
	check_zstd_extras(text, plain);
	check_windows(text, plain);
	check_names();
	free(text);
	free(packed);
	free(plain);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.c - compressed input: any bytes, and members that were damaged
 *
 * The same bytes are read three times: from a callback, from one that returns few bytes at a time,
 * and from a file by several threads (parallel_inflate.c).  All readings must end the same way, and
 * agree up to there.  If this file made the members, their contents are known: whole members must
 * return them, and damage must be found unless it changed nothing.
 */
#include <archive.h>
#include <archive_entry.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "fuzz.h"
#include "io/input.h"

enum { MOST_PLAIN = 3 << 20, PACKED_ROOM = 1 << 20, MEMBERS = 24 };

/* ---- making members -------------------------------------------------------- */

static size_t
pack_archive(int (*filter)(struct archive *), const char *level, const struct fuzz_bytes *plain,
             char *into)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;

	filter(archive);
	archive_write_set_filter_option(archive, NULL, "compression-level", level);
	archive_write_set_format_raw(archive);
	archive_write_set_bytes_per_block(archive, 0);
	archive_entry_set_filetype(entry, AE_IFREG);
	FUZZ_MUST(archive_write_open_memory(archive, into, PACKED_ROOM, &used) == ARCHIVE_OK);
	FUZZ_MUST(archive_write_header(archive, entry) == ARCHIVE_OK);
	FUZZ_MUST(archive_write_data(archive, plain->data, plain->bytes) == (la_ssize_t)plain->bytes);
	archive_write_close(archive);
	archive_write_free(archive);
	archive_entry_free(entry);
	return used;
}

/* BGZF: the length of a member is in its header. */
static size_t
pack_gzip(const struct fuzz_bytes *plain, bool blocked, char *into)
{
	unsigned char extra[6] = { 'B', 'C', 2, 0, 0, 0 };
	gz_header header = { .extra = extra, .extra_len = sizeof extra, .os = 255 };
	z_stream z = { .next_in = (unsigned char *)plain->data, .avail_in = (unsigned)plain->bytes,
	               .next_out = (unsigned char *)into, .avail_out = PACKED_ROOM };

	FUZZ_MUST(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	if (blocked)
		deflateSetHeader(&z, &header);
	FUZZ_MUST(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	if (blocked) {
		into[16] = (char)(z.total_out - 1);
		into[17] = (char)((z.total_out - 1) >> 8);
	}
	return z.total_out;
}

static size_t
pack_zstd(const struct fuzz_bytes *plain, bool sized, char *into)
{
	static ZSTD_CCtx *zstd;
	size_t bytes;

	if (zstd == NULL)
		zstd = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, sized);
	bytes = ZSTD_compress2(zstd, into, PACKED_ROOM, plain->data, plain->bytes);
	FUZZ_MUST(!ZSTD_isError(bytes));
	return bytes;
}

static size_t
pack(enum gsort_decompress format, const struct fuzz_bytes *plain, bool variant, char *into)
{
	static const char empty_lz4[] = "\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0\x05\x5d\xcc\x02";

	switch (format) {
	case GSORT_DECOMPRESS_GZIP:
		return pack_gzip(plain, variant && plain->bytes <= 60000, into);
	case GSORT_DECOMPRESS_BZIP2:
		return pack_archive(archive_write_add_filter_bzip2, "1", plain, into);
	case GSORT_DECOMPRESS_XZ:
		return pack_archive(archive_write_add_filter_xz, "0", plain, into);
	case GSORT_DECOMPRESS_ZSTD:
		return pack_zstd(plain, variant, into);
	default:		/* libarchive 3.6.2 cannot write an empty lz4 frame */
		if (plain->bytes == 0)
			memcpy(into, empty_lz4, sizeof empty_lz4 - 1);
		return plain->bytes == 0 ? sizeof empty_lz4 - 1 :
		       pack_archive(archive_write_add_filter_lz4, variant ? "1" : "9", plain, into);
	}
}

/* Members, and where each ends. */
struct made {
	enum gsort_decompress format;
	struct fuzz_bytes plain, packed;
	size_t members, plain_ends[MEMBERS + 1], packed_ends[MEMBERS + 1];
	bool   damaged, cut;	/* cut: only that */
};

static void
make_member(struct made *made, struct fuzz *from, bool variant)
{
	static char into[PACKED_ROOM];
	const unsigned size = (unsigned)fuzz_take(from, 1), kind = (unsigned)fuzz_take(from, 1);
	struct fuzz_bytes plain = { .data = NULL };
	uint64_t state = kind;
	size_t bytes = size < 200 ? size * size / 4 : (size - 199) * 1000;

	fuzz_put(&plain, "", 0);
	for (uint64_t word; bytes >= 8; bytes -= 8) {
		word = fuzz_random(&state) >> kind % 64;
		if (kind % 3 == 0)
			word &= 0x0f0f0f0f0f0f0f0f;
		fuzz_put(&plain, &word, sizeof word);
	}
	fuzz_put(&plain, "8 or less", bytes);
	fuzz_put(&made->plain, plain.data, plain.bytes);
	fuzz_put(&made->packed, into, pack(made->format, &plain, variant, into));
	made->members++;
	made->plain_ends[made->members] = made->plain.bytes;
	made->packed_ends[made->members] = made->packed.bytes;
	fuzz_free(&plain);
}

static void
damage(struct made *made, struct fuzz *from)
{
	const unsigned kind = fuzz_pick(from, 8);
	const size_t at = fuzz_take(from, 3) % (made->packed.bytes + 1);
	const unsigned change = 1 + fuzz_pick(from, 255);

	made->damaged = true;
	switch (kind) {
	case 0: case 1:
		made->cut = true;
		made->packed.bytes = at;
		break;
	case 2: case 3: case 4:
		if (at < made->packed.bytes)
			made->packed.data[at] ^= (char)change;
		break;
	case 5:		/* for lz4, damage in the last four bytes may pass: inflate_archive.c */
		fuzz_put(&made->packed, "garbage", 5 + change % 3);
		break;
	default:
		made->damaged = false;
	}
}

static void
make(struct made *made, struct fuzz *from)
{
	const unsigned members = (unsigned)fuzz_take(from, 1), variant = (unsigned)fuzz_take(from, 1);
	const unsigned count = 1 + (members < 192 ? members % 4 : members % MEMBERS);

	fuzz_put(&made->plain, "", 0);
	for (unsigned m = 0; m < count && made->plain.bytes < MOST_PLAIN; m++)
		make_member(made, from, variant >> m % 8 & 1);
	damage(made, from);
}

/* ---- reading ---------------------------------------------------------------- */

struct giver { const struct fuzz_bytes *bytes; size_t at, most; };

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct giver *giver = context;
	size_t now = giver->bytes->bytes - giver->at;

	now = now < bytes ? now : bytes;
	now = now < giver->most ? now : giver->most;
	if (now > 0)
		memcpy(into, giver->bytes->data + giver->at, now);
	giver->at += now;
	return (ptrdiff_t)now;
}

struct end {
	gs_status status;
	char      message[1024];
	struct fuzz_bytes bytes;	/* a few bytes may become gigabytes: stop at MOST_PLAIN */
};

/* PIECE bytes are read at a time. */
static void
read_input(struct end *end, const struct gs_input_options *options, size_t piece)
{
	static char buffer[1 << 16];
	struct gs_input *input;
	size_t got = piece;

	fuzz_put(&end->bytes, "", 0);
	FUZZ_MUST(gs_input_open(&input, options) == GS_OK && gs_input_next(input));
	while (end->status == GS_OK && got == piece && end->bytes.bytes < MOST_PLAIN) {
		end->status = gs_input_read(input, buffer, piece, &got);
		fuzz_put(&end->bytes, buffer, got);
	}
	gs_input_close(input);
	if (end->status != GS_OK)
		snprintf(end->message, sizeof end->message, "%s", gs_message());
	FUZZ_MUST(end->status == GS_OK || strstr(end->message, ": ") != NULL);
}

static void
read_callback(struct end *end, const struct fuzz_bytes *packed, enum gsort_decompress format,
              size_t most, size_t piece)
{
	static const char *const name = "input";
	struct giver giver = { packed, 0, most };
	const struct gs_input_options options = {
		.names = &name, .count = 1, .decompress = format, .read = give, .read_context = &giver,
	};

	read_input(end, &options, piece);
}

static void
read_file(struct end *end, const struct fuzz_bytes *packed, enum gsort_decompress format)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char name[32];
	const char *names[] = { name };
	const struct gs_input_options options = {
		.names = names, .count = 1, .decompress = format, .threads = 2,
		.unpack_bytes = 64 << 20,
	};

	FUZZ_MUST(fd >= 0 && write(fd, packed->data, packed->bytes) == (ssize_t)packed->bytes);
	sprintf(name, "/proc/self/fd/%d", fd);
	read_input(end, &options, 1 << 16);
	close(fd);
}

/* ---- the same? --------------------------------------------------------------- */

/*
 * What libzstd 1.5.4 says depends on how its input is cut: which reason, and whether an empty
 * frame may claim not to be.  No byte that came out was wrong, so that is let pass.
 */
static void
compare(const struct end *one, const struct end *two, enum gsort_decompress format)
{
	const size_t least = one->bytes.bytes < two->bytes.bytes ? one->bytes.bytes : two->bytes.bytes;
	const bool same_bytes = one->bytes.bytes == two->bytes.bytes;

	FUZZ_MUST(memcmp(one->bytes.data, two->bytes.data, least) == 0);
	if (one->bytes.bytes >= MOST_PLAIN || two->bytes.bytes >= MOST_PLAIN)
		return;
	FUZZ_MUST(one->status == two->status || (format == GSORT_DECOMPRESS_ZSTD && same_bytes));
	FUZZ_MUST(one->status != GS_OK || two->status != GS_OK || same_bytes);
	if (format == GSORT_DECOMPRESS_GZIP && one->status != GS_OK)	/* behind the name */
		FUZZ_MUST(strcmp(strstr(one->message, ": "), strstr(two->message, ": ")) == 0);
}

/* What is known about members that were made here. */
static void
compare_made(const struct made *made, const struct end *end)
{
	const size_t bytes = end->bytes.bytes;

	if (made->plain.bytes >= MOST_PLAIN)
		return;
	FUZZ_MUST(made->damaged || end->status == GS_OK);
	if (end->status != GS_OK)
		return;
	if (!made->cut)
		FUZZ_MUST(bytes == made->plain.bytes);
	for (size_t m = 0; made->cut && made->plain_ends[m] != bytes; m++)
		FUZZ_MUST(m < made->members);
	FUZZ_MUST(memcmp(end->bytes.data, made->plain.data, bytes) == 0);
}

void
fuzz_inflate(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1), most = 1 + (unsigned)fuzz_take(&from, 1);
	struct made made = { .format = (enum gsort_decompress)(GSORT_DECOMPRESS_GZIP + flags % 5) };
	struct end one = { .status = GS_OK }, two = one, file = one;
	const bool makes = flags & 128;
	const enum gsort_decompress format = flags & 64 ? GSORT_DECOMPRESS_AUTO : made.format;

	if (makes)
		make(&made, &from);
	else
		fuzz_put(&made.packed, from.data, from.bytes);
	read_callback(&one, &made.packed, format, SIZE_MAX, 1 << 16);
	read_callback(&two, &made.packed, format, most, 1 + most * 37);
	read_file(&file, &made.packed, format);
	compare(&one, &two, made.format);
	compare(&one, &file, made.format);
	if (makes && format != GSORT_DECOMPRESS_AUTO)	/* damage may make it look plain */
		compare_made(&made, &one);
	fuzz_free(&made.plain);
	fuzz_free(&made.packed);
	fuzz_free(&one.bytes);
	fuzz_free(&two.bytes);
	fuzz_free(&file.bytes);
}

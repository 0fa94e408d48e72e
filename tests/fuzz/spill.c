// SPDX-License-Identifier: BSD-2-Clause
/*
 * spill.c - runs on disk: they are read as they were written, and damage is an error
 *
 * Either whole runs through spill.h, read in turns; or packed blocks, in a file that is
 * changed before it is read; or any bytes in place of a block.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "spill/spill.h"
#include "spill/compress.h"

enum { BUFFER_BYTES = 256 << 10, RUNS = 3, MOST_KEYS = 100000 };

static char buffer[BUFFER_BYTES] __attribute__((aligned(64)));

/* A key of BITS at place K: they ascend, by steps as SHAPE says. */
static void
make_keys(char *keys, size_t count, unsigned bits, unsigned shape)
{
	uint64_t state = shape, key = 0;

	for (size_t k = 0; k < count; k++) {
		key += fuzz_random(&state) >> (shape % 64);
		if (bits == 64)
			((uint64_t *)(void *)keys)[k] = key;
		else
			((uint32_t *)(void *)keys)[k] = (uint32_t)key;
	}
}

static size_t
count_of(struct fuzz *from)
{
	const size_t size = (size_t)fuzz_take(from, 1), more = (size_t)fuzz_take(from, 3);

	return size < 200 ? size * 8 : more % MOST_KEYS;
}

/* ---- whole runs ------------------------------------------------------------- */

struct side { char *keys; size_t count, read; struct gs_run run; };

static void
write_run(struct gs_spill *spill, struct side *side, unsigned bits, size_t piece)
{
	char *part = malloc(piece * (bits / 8));

	FUZZ_MUST(gs_spill_begin(spill, bits, 1) == GS_OK);
	for (size_t k = 0, now; k < side->count; k += now) {
		now = side->count - k < piece ? side->count - k : piece;
		memcpy(part, side->keys + k * (bits / 8), now * (bits / 8));
		FUZZ_MUST(gs_spill_write(spill, 0, part, now) == GS_OK);
	}
	FUZZ_MUST(gs_spill_end(spill, &side->run) == GS_OK);
	FUZZ_MUST(side->run.count == side->count);
	free(part);
}

static void
read_some(struct gs_spill *spill, struct side *side, unsigned bits, size_t room)
{
	const size_t key_bytes = bits / 8, left = side->count - side->read;
	const size_t right = left < room ? left : room;
	char *into = malloc(room * key_bytes);
	size_t count;

	FUZZ_MUST(gs_spill_read(spill, &side->run, into, room, &count) == GS_OK);
	FUZZ_MUST(count == right);
	FUZZ_MUST(memcmp(into, side->keys + side->read * key_bytes, count * key_bytes) == 0);
	side->read += count;
	free(into);
}

static void
fuzz_runs(struct fuzz *from, const char *program, unsigned bits)
{
	static const char *const dirs[] = { "/dev/shm" };
	static const struct gs_monitor quiet;
	const struct gs_spill_options options = {
		.dirs = dirs, .dir_count = 1, .compress_program = program, .threads = 2,
		.buffer = buffer, .buffer_bytes = BUFFER_BYTES, .monitor = &quiet,
	};
	struct side sides[RUNS] = { { .keys = NULL } };
	struct gs_spill *spill;
	bool more = true;

	FUZZ_MUST(gs_spill_open(&spill, &options) == GS_OK);
	for (unsigned r = 0; r < RUNS; r++) {
		sides[r].count = count_of(from);
		sides[r].keys = malloc(sides[r].count * (bits / 8) + 1);
		make_keys(sides[r].keys, sides[r].count, bits, (unsigned)fuzz_take(from, 1));
		write_run(spill, &sides[r], bits, 1 + (size_t)fuzz_take(from, 2));
	}
	while (more) {
		more = false;
		for (unsigned r = 0; r < RUNS; r++) {
			if (sides[r].read < sides[r].count)
				read_some(spill, &sides[r], bits, 1 + (size_t)fuzz_take(from, 1) * 331 +
				          sides[r].count / 20);
			more |= sides[r].read < sides[r].count;
		}
	}
	gs_spill_close(spill);
	for (unsigned r = 0; r < RUNS; r++)
		free(sides[r].keys);
}

/* ---- packed blocks ------------------------------------------------------------ */

/* Change, cut or leave the file; true: it is as it was. */
static bool
damage(int fd, uint64_t end, struct fuzz *from)
{
	const unsigned kind = fuzz_pick(from, 4), changes = 1 + fuzz_pick(from, 8);

	if (kind == 0 || end == 0)
		return true;
	if (kind == 1) {
		FUZZ_MUST(ftruncate(fd, (off_t)(fuzz_take(from, 3) % end)) == 0);
		return false;
	}
	for (unsigned c = 0; c < changes; c++) {
		const uint64_t at = kind == 2 ? fuzz_take(from, 1) % end : fuzz_take(from, 3) % end;
		const char byte = (char)fuzz_take(from, 1);

		FUZZ_MUST(pwrite(fd, &byte, 1, (off_t)at) == 1);
	}
	return false;
}

static void
fuzz_blocks(struct fuzz *from, enum gs_pack_method method, unsigned bits)
{
	struct gs_spill_file file = { .dir = "here", .fd = memfd_create("fuzz", MFD_CLOEXEC) };
	const size_t count = count_of(from), piece = 1 + (size_t)fuzz_take(from, 2) + count / 64;
	const unsigned shape = (unsigned)fuzz_take(from, 1);
	char *keys = malloc(count * (bits / 8) + 1), *into = malloc(piece * (bits / 8));
	struct gs_blocks_cursor place = { .bits = bits };
	struct gs_blocks blocks;
	gs_status status;
	bool whole;

	FUZZ_MUST(gs_blocks_open(&blocks, method, 2, buffer, BUFFER_BYTES) == GS_OK);
	make_keys(keys, count, bits, shape);
	FUZZ_MUST(gs_blocks_write(&blocks, &file, keys, count, bits) == GS_OK);
	place.end = file.end;
	whole = damage(file.fd, file.end, from);
	for (size_t k = 0, now; k < count; k += now) {
		now = count - k < piece ? count - k : piece;
		status = gs_blocks_read(&blocks, &file, &place, into, now);
		FUZZ_MUST(status == GS_OK || (!whole && gs_message()[0] != '\0'));
		if (status != GS_OK)
			break;
		FUZZ_MUST(!whole || memcmp(into, keys + k * (bits / 8), now * (bits / 8)) == 0);
	}
	gs_blocks_close(&blocks);
	close(file.fd);
	free(keys);
	free(into);
}

/* Any bytes as a block. */
static void
fuzz_block(struct fuzz *from, enum gs_pack_method method, unsigned bits)
{
	enum { BLOCK = 8 << 10 };
	static char memory[3 * BLOCK] __attribute__((aligned(64)));
	struct gs_pack_header header;
	struct gs_packer packer;

	FUZZ_MUST(gs_packer_bytes(BLOCK) <= sizeof memory);
	gs_packer_open(&packer, method, BLOCK, memory);
	(void)gs_pack(&packer, "a key...", 1, bits);	/* nobody unpacks who has not packed */
	header.keys = (uint32_t)fuzz_take(from, 2) % 1200;
	header.packed_bytes = from->bytes < BLOCK ? (uint32_t)from->bytes : BLOCK;
	if (fuzz_take(from, 1) == 0)
		header.packed_bytes = header.keys * (bits / 8);
	memcpy(packer.packed, &header, sizeof header);
	memcpy(packer.packed + sizeof header, from->data, from->bytes < BLOCK ? from->bytes : BLOCK);
	if (header.keys > 0 && gs_pack_header_is_sound(&packer, &header, bits)) {
		char *keys = malloc(header.keys * (bits / 8));	/* ends where the block does */

		(void)gs_unpack(&packer, keys, bits);
		free(keys);
	}
	gs_packer_close(&packer);
}

void
fuzz_spill(const uint8_t *data, size_t bytes)
{
	static const char *const programs[] = { NULL, "zstd", "lz4" };
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1), bits = flags & 1 ? 64 : 32;
	const enum gs_pack_method method = flags & 2 ? GS_PACK_LZ4 : GS_PACK_ZSTD;

	switch (flags >> 2 & 3) {
	case 0:  fuzz_runs(&from, programs[flags / 16 % 3], bits); break;
	case 1:  fuzz_block(&from, method, bits); break;
	default: fuzz_blocks(&from, method, bits); break;
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * blocks.c - runs that are compressed block by block, by several threads
 *
 * In:   sorted keys, any number at a time.
 * Out:  blocks, one after the other in a file; and keys again, any number at a time.
 *
 * Threads compress and decompress, each its own block; the caller's thread writes and reads the
 * file.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "spill/compress.h"

/* Bytes of keys in a block.  Blocks of 1 MiB would be at most 10 % smaller when compressed. */
enum { BLOCK_BYTES_LEAST = 8 << 10, BLOCK_BYTES_MOST = 128 << 10 };

/* One packer that writes for as many bytes of memory, since zstd takes about as much besides. */
enum { PACKER_SHARE_BYTES = 1 << 20 };

/* Half as many packers read as write: reading goes on beside a merge, which has threads of its
 * own. */
gs_status
gs_blocks_open(struct gs_blocks *blocks, enum gs_pack_method method, unsigned threads,
               char *memory, size_t bytes)
{
	const size_t share = bytes / PACKER_SHARE_BYTES;
	size_t writers = share < threads ? share : threads, count, block;
	const char *end = memory + bytes;

	writers = writers < 1 ? 1 : writers > GS_TEAM_MAX ? GS_TEAM_MAX : writers;
	count = writers + (writers + 1) / 2;
	block = (bytes - count * 64) / (2 * count + 1) / 64 * 64;
	block = block > BLOCK_BYTES_MOST ? BLOCK_BYTES_MOST : block;
	assert(block >= BLOCK_BYTES_LEAST);
	*blocks = (struct gs_blocks){
		.packers = calloc(count, sizeof *blocks->packers), .writers = writers,
		.readers = count - writers, .part = memory, .block_bytes = block,
	};
	if (blocks->packers == NULL)
		return gs_fail(GS_EBUDGET, "no memory to compress temporary files");
	memory += block;
	for (size_t p = 0; p < count; p++, memory += gs_packer_bytes(block))
		gs_packer_open(&blocks->packers[p], method, block, memory);
	assert(memory <= end);
	(void)end;
	return GS_OK;
}

void
gs_blocks_close(struct gs_blocks *blocks)
{
	for (size_t p = 0; blocks->packers != NULL && p < blocks->writers + blocks->readers; p++)
		gs_packer_close(&blocks->packers[p]);
	free(blocks->packers);
}

/* Blocks that a team works on, each with a packer of its own. */
struct load {
	struct gs_packer *packers;
	const char       *keys;		/* to be packed */
	char             *into;		/* or to where they are unpacked */
	unsigned          bits;
	size_t            begins[GS_TEAM_MAX + 1];	/* first key of each block */
	size_t            bytes[GS_TEAM_MAX];		/* of each block, packed */
	atomic_bool       corrupt;
};

static void
pack_one(void *context, size_t b)
{
	struct load *load = context;
	const size_t begin = load->begins[b];

	load->bytes[b] = gs_pack(&load->packers[b], load->keys + begin * (load->bits / 8),
	                         load->begins[b + 1] - begin, load->bits);
}

static void
unpack_one(void *context, size_t b)
{
	struct load *load = context;

	if (!gs_unpack(&load->packers[b], load->into + load->begins[b] * (load->bits / 8), load->bits))
		atomic_store(&load->corrupt, true);
}

gs_status
gs_blocks_write(struct gs_blocks *blocks, struct gs_spill_file *file, const char *keys,
                size_t count, unsigned bits)
{
	const size_t most = blocks->block_bytes / (bits / 8);

	while (count > 0) {
		const size_t part = count < blocks->writers * most ? count : blocks->writers * most;
		const unsigned team = (unsigned)((part + most - 1) / most);
		struct load load = { .packers = blocks->packers, .keys = keys, .bits = bits };

		for (unsigned b = 0; b <= team; b++)
			load.begins[b] = gs_team_begin(part, b, team);
		gs_team_each(team, team, pack_one, &load);
		for (unsigned b = 0; b < team; b++)
			TRY(gs_spill_file_write(file, blocks->packers[b].packed, load.bytes[b]));
		keys += part * (bits / 8);
		count -= part;
	}
	return GS_OK;
}

/* Read the block at the cursor, as it is in the file. */
static gs_status
read_block(const struct gs_spill_file *file, const struct gs_blocks_cursor *cursor,
           struct gs_packer *packer, struct gs_pack_header *header)
{
	const uint64_t left = cursor->end - cursor->at;

	if (left < sizeof *header)
		return gs_spill_file_corrupt(file->dir);
	TRY(gs_spill_file_read(file, cursor->at, header, sizeof *header));
	if (!gs_pack_header_is_sound(packer, header, cursor->bits) ||
	    header->packed_bytes > left - sizeof *header)
		return gs_spill_file_corrupt(file->dir);
	memcpy(packer->packed, header, sizeof *header);
	return gs_spill_file_read(file, cursor->at + sizeof *header,
	                          packer->packed + sizeof *header, header->packed_bytes);
}

/* Read whole blocks, as many as there are packers and as ROOM allows: *COUNT keys. */
static gs_status
read_whole(struct gs_blocks *blocks, const struct gs_spill_file *file,
           struct gs_blocks_cursor *cursor, char *into, size_t room, size_t *count)
{
	struct gs_packer *packers = blocks->packers + blocks->writers;
	struct load load = { .packers = packers, .into = into, .bits = cursor->bits };
	unsigned team = 0;

	for (*count = 0; team < blocks->readers && cursor->at < cursor->end; team++) {
		struct gs_pack_header header = { .keys = 0 };

		TRY(read_block(file, cursor, &packers[team], &header));
		if (header.keys > room - *count)
			break;
		load.begins[team] = *count;
		*count += header.keys;
		cursor->at += sizeof header + header.packed_bytes;
	}
	gs_team_each(team, team, unpack_one, &load);
	return load.corrupt ? gs_spill_file_corrupt(file->dir) : GS_OK;
}

gs_status
gs_blocks_read(struct gs_blocks *blocks, const struct gs_spill_file *file,
               struct gs_blocks_cursor *cursor, char *into, size_t count)
{
	struct gs_packer *packer = &blocks->packers[blocks->writers];
	const size_t key_bytes = cursor->bits / 8;

	for (size_t done = 0, got = 0; done < count; done += got, got = 0) {
		char *to = into + done * key_bytes;
		struct gs_pack_header header = { .keys = 0 };

		if (cursor->given == 0)
			TRY(read_whole(blocks, file, cursor, to, count - done, &got));
		if (got > 0)
			continue;
		/* A part of the block at the cursor, which is unpacked again for each part. */
		TRY(read_block(file, cursor, packer, &header));
		if (header.keys <= cursor->given || !gs_unpack(packer, blocks->part, cursor->bits))
			return gs_spill_file_corrupt(file->dir);
		got = header.keys - cursor->given < count - done ? header.keys - cursor->given : count - done;
		memcpy(to, blocks->part + cursor->given * key_bytes, got * key_bytes);
		cursor->given += got;
		if (cursor->given == header.keys) {
			cursor->at += sizeof header + header.packed_bytes;
			cursor->given = 0;
		}
	}
	return GS_OK;
}

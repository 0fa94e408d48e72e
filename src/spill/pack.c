// SPDX-License-Identifier: BSD-2-Clause
/*
 * pack.c - one block of sorted keys, compressed
 *
 * In:   up to a block of sorted keys.
 * Out:  a header, and as many bytes as the keys have or fewer.
 *
 * Neighbours in sorted order differ by little.  So each key is replaced by its difference from the
 * key before it, and the bytes of the differences are shuffled: all lowest bytes first, as Blosc
 * and HDF5 do it.  Then the many zeros of the high bytes stand together.  Without this random keys
 * hardly compress, and much more slowly.  Runs of 2^25 uniform keys, EPYC 9005, one thread, blocks
 * of 128 KiB: size, and GB/s of packing and unpacking without the transformation itself (which
 * does 4 to 6 GB/s):
 *
 *                       u32, zstd -1        lz4               u64, zstd -1       lz4
 *     keys              .84  1.3  2.1    1.00 14. 73.       .94  1.3  1.7    1.00 14. 75.
 *     differences       .34  0.4  1.7     .50 0.9 4.4       .75  1.2  2.1    1.00  5. 54.
 *     shuffled          .25  3.7  20.     .26 15. 27.       .63  4.1  24.     .63 13. 35.
 *
 * Higher levels of zstd, and blocks of 1 MiB, make runs of 2^30 keys 1 to 10 % smaller, and
 * shorter runs no smaller.
 */
#include <string.h>

#include "base/dynload.h"
#include "base/round.h"
#include "spill/compress.h"

enum { ZSTD_LEVEL = 1 };

/* Both libraries are loaded when they are first needed.  Without them, blocks are stored as
 * they are. */
const char *
gs_pack_lz4_version(void)
{
	return gs_lz4_loads() ? gs_lz4.LZ4_versionString() : "missing";
}

#define EACH_WIDTH	"spill/shuffle.inc"
#include "sort/each_width.inc"

enum { LINE_BYTES = 64 };	/* of cache, on which each buffer begins */

size_t
gs_packer_bytes(size_t block_bytes)
{
	return gs_round_up(block_bytes, LINE_BYTES) +
	       gs_round_up(sizeof(struct gs_pack_header) + block_bytes, LINE_BYTES);
}

void
gs_packer_open(struct gs_packer *packer, enum gs_pack_method method, size_t block_bytes, void *memory)
{
	*packer = (struct gs_packer){
		.method = method, .block_bytes = block_bytes, .planes = memory,
		.packed = (unsigned char *)memory + gs_round_up(block_bytes, LINE_BYTES),
	};
}

void
gs_packer_close(struct gs_packer *packer)
{
	if (packer->compressor != NULL)
		gs_zstd.ZSTD_freeCCtx(packer->compressor);
	if (packer->expander != NULL)
		gs_zstd.ZSTD_freeDCtx(packer->expander);
}

/* Compress BYTES at FROM to TO, which has room for as many.  0: they do not become fewer. */
static size_t
compress_bytes(struct gs_packer *packer, const void *from, void *to, size_t bytes)
{
	size_t packed;

	packer->missing = packer->missing ||
	                  !(packer->method == GS_PACK_LZ4 ? gs_lz4_loads() : gs_zstd_loads());
	if (packer->missing)
		return 0;
	if (packer->method == GS_PACK_LZ4) {
		const int result = gs_lz4.LZ4_compress_default(from, to, (int)bytes, (int)bytes);

		return result > 0 ? (size_t)result : 0;
	}
	if (packer->compressor == NULL)
		packer->compressor = gs_zstd.ZSTD_createCCtx();
	if (packer->compressor == NULL)		/* no memory */
		return 0;
	packed = gs_zstd.ZSTD_compressCCtx(packer->compressor, to, bytes, from, bytes, ZSTD_LEVEL);
	return gs_zstd.ZSTD_isError(packed) ? 0 : packed;
}

size_t
gs_pack(struct gs_packer *packer, const void *keys, size_t count, unsigned bits)
{
	const size_t bytes = count * (bits / 8);
	struct gs_pack_header header = { .keys = (uint32_t)count };
	unsigned char *to = packer->packed + sizeof header;
	size_t packed;

	if (bits == 32)
		shuffle_32(keys, count, (uint32_t *)(void *)packer->packed, packer->planes);
	else
		shuffle_64(keys, count, (uint64_t *)(void *)packer->packed, packer->planes);
	packed = compress_bytes(packer, packer->planes, to, bytes);
	if (packed == 0 || packed >= bytes) {
		memcpy(to, packer->planes, bytes);
		packed = bytes;
	}
	header.packed_bytes = (uint32_t)packed;
	memcpy(packer->packed, &header, sizeof header);
	return sizeof header + packed;
}

bool
gs_pack_header_is_sound(const struct gs_packer *packer, const struct gs_pack_header *header, unsigned bits)
{
	const size_t bytes = (size_t)header->keys * (bits / 8);

	return header->keys > 0 && bytes <= packer->block_bytes && header->packed_bytes > 0 &&
	       header->packed_bytes <= bytes;
}

bool
gs_expand(struct gs_packer *packer, const void *from, size_t packed, void *to, size_t bytes)
{
	if (packer->method == GS_PACK_LZ4)
		return gs_lz4_loads() &&
		       gs_lz4.LZ4_decompress_safe(from, to, (int)packed, (int)bytes) == (int)bytes;
	if (packer->expander == NULL && gs_zstd_loads())
		packer->expander = gs_zstd.ZSTD_createDCtx();
	return packer->expander != NULL &&
	       gs_zstd.ZSTD_decompressDCtx(packer->expander, to, bytes, from, packed) == bytes;
}

bool
gs_unpack(struct gs_packer *packer, void *keys, unsigned bits)
{
	const unsigned char *from = packer->packed + sizeof(struct gs_pack_header);
	const unsigned char *planes = packer->planes;
	struct gs_pack_header header;
	size_t bytes;

	memcpy(&header, packer->packed, sizeof header);
	bytes = (size_t)header.keys * (bits / 8);
	if (header.packed_bytes == bytes)
		planes = from;
	else if (!gs_expand(packer, from, header.packed_bytes, packer->planes, bytes))
		return false;
	if (bits == 32)
		unshuffle_32(planes, header.keys, keys);
	else
		unshuffle_64(planes, header.keys, keys);
	return true;
}

size_t
gs_pack_items(struct gs_packer *packer, const void *items, size_t bytes)
{
	const size_t packed = compress_bytes(packer, items, packer->packed, bytes);

	return packed < bytes ? packed : 0;
}

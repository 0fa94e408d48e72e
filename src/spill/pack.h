// SPDX-License-Identifier: BSD-2-Clause
/*
 * pack.h - one block of sorted keys, compressed
 *
 * A packer is what one thread needs.  It works in memory that it is given, and owns what the
 * library of its method allocates (zstd: 0.7 MiB).
 */
#ifndef GS_SPILL_PACK_H
#define GS_SPILL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gs_pack_method { GS_PACK_ZSTD, GS_PACK_LZ4 };

/* In front of each block. */
struct gs_pack_header {
	uint32_t keys;
	uint32_t packed_bytes;	/* after the header; as many as the keys have if not compressed */
};

struct gs_packer {
	enum gs_pack_method method;
	size_t              block_bytes;	/* of keys, at most */
	unsigned char      *planes;		/* see shuffle.inc */
	unsigned char      *packed;		/* header and block */
	void               *compressor, *expander;
};

/** The version of liblz4, which is loaded; or "missing". */
const char *gs_pack_lz4_version(void);

/** Memory for a packer of such blocks: a multiple of 64. */
size_t gs_packer_bytes(size_t block_bytes);

/** @memory  gs_packer_bytes() of it, aligned for keys; borrowed */
void gs_packer_open(struct gs_packer *packer, enum gs_pack_method method, size_t block_bytes,
                    void *memory);
void gs_packer_close(struct gs_packer *packer);

/** Pack COUNT keys of BITS, a block at most.  Returns how many bytes at packer->packed to write. */
size_t gs_pack(struct gs_packer *packer, const void *keys, size_t count, unsigned bits);

/** Can this be the header of a block of keys of BITS? */
bool gs_pack_header_is_sound(const struct gs_packer *packer, const struct gs_pack_header *header,
                             unsigned bits);

/** Unpack the block at packer->packed, which has a sound header.  False: it is corrupt. */
bool gs_unpack(struct gs_packer *packer, void *keys, unsigned bits);

#endif

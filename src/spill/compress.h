// SPDX-License-Identifier: BSD-2-Clause
/*
 * compress.h - runs that are compressed, block by block
 */
#ifndef GS_SPILL_COMPRESS_H
#define GS_SPILL_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "spill/file.h"

/* ---- one block of sorted keys, or of items (pack.c) ------------------------------------------ */

/*
 * A packer is what one thread needs.  It works in memory that it is given, and owns what the
 * library of its method allocates (zstd: 0.7 MiB).
 */

enum gs_pack_method { GS_PACK_ZSTD, GS_PACK_LZ4 };

/* In front of each block. */
struct gs_pack_header {
	uint32_t keys;
	uint32_t packed_bytes;	/* after the header; the bytes of the keys if not compressed */
};

struct gs_packer {
	enum gs_pack_method method;
	size_t              block_bytes;	/* of keys, at most */
	bool                missing;		/* the library is not installed, and not searched for again */
	unsigned char      *planes;		/* see shuffle.inc */
	unsigned char      *packed;		/* header and block */
	void               *compressor, *expander;
};

/** The version of liblz4, which is loaded; or "missing". */
const char *gs_pack_lz4_version(void);

/** Memory for a packer of such blocks: a multiple of 64. */
size_t gs_packer_bytes(size_t block_bytes);

/** @memory  gs_packer_bytes() of it, aligned for keys; borrowed */
void gs_packer_open(struct gs_packer *packer, enum gs_pack_method method, size_t block_bytes, void *memory);
void gs_packer_close(struct gs_packer *packer);

/** Pack COUNT keys of BITS, a block at most.  Returns how many bytes at packer->packed to write. */
size_t gs_pack(struct gs_packer *packer, const void *keys, size_t count, unsigned bits);

/** Can this be the header of a block of keys of BITS? */
bool gs_pack_header_is_sound(const struct gs_packer *packer, const struct gs_pack_header *header,
                             unsigned bits);

/** Unpack the block at packer->packed, which has a sound header.  False: it is corrupt. */
bool gs_unpack(struct gs_packer *packer, void *keys, unsigned bits);

/** Compress BYTES of items, a block at most, to packer->packed; returns how many there are, or 0: they do not
 *  become fewer. */
size_t gs_pack_items(struct gs_packer *packer, const void *items, size_t bytes);

/** Decompress PACKED bytes at FROM to BYTES at TO.  False: they are corrupt. */
bool gs_expand(struct gs_packer *packer, const void *from, size_t packed, void *to, size_t bytes);

/* ---- runs, block by block, by several threads (blocks.c) ------------------------- */

/*
 * One thread may write while another reads; each side has packers of its own.  The caller owns the
 * memory.
 */

struct gs_blocks {
	struct gs_packer *packers;	/* owned; first the writers', then the readers' */
	size_t            writers, readers;
	char             *part;		/* a block of keys, if not all of them are asked for */
	size_t            block_bytes;	/* of keys, at most */
};

/* What is left of a run. */
struct gs_blocks_cursor {
	uint64_t at, end;	/* in the file */
	size_t   given;		/* keys of the block at AT that were read */
	unsigned bits;
};

/**
 * Choose the size of blocks and the number of packers for up to THREADS threads.
 *
 * @memory  BYTES of it, 64 KiB at least; borrowed
 * @return  GS_OK, or GS_EBUDGET
 */
MUST_CHECK gs_status
gs_blocks_open(struct gs_blocks *blocks, enum gs_pack_method method, unsigned threads,
               char *memory, size_t bytes);
void gs_blocks_close(struct gs_blocks *blocks);

/** Append COUNT keys of BITS to FILE.  Returns GS_OK, or GS_EIO. */
MUST_CHECK gs_status
gs_blocks_write(struct gs_blocks *blocks, struct gs_spill_file *file, const char *keys,
                size_t count, unsigned bits);

/** Read the next COUNT keys, which must be there.  Returns GS_OK, GS_EIO or GS_EINPUT. */
MUST_CHECK gs_status
gs_blocks_read(struct gs_blocks *blocks, const struct gs_spill_file *file,
               struct gs_blocks_cursor *cursor, char *into, size_t count);

#endif

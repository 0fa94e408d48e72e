// SPDX-License-Identifier: BSD-2-Clause
/*
 * blocks.h - runs that are compressed block by block, by several threads
 *
 * One thread may write while another reads; each side has packers of its own.  The caller owns the
 * memory.
 */
#ifndef GS_SPILL_BLOCKS_H
#define GS_SPILL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "spill/file.h"
#include "spill/pack.h"

struct gs_blocks {
	struct gs_packer *packers;	/* owned; first those of writing, then those of reading */
	size_t            writers, readers;
	char             *part;		/* a block of keys, not all of which are asked for */
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

/** Read the next COUNT keys, of which there must be so many.  Returns GS_OK, GS_EIO or
 *  GS_EINPUT. */
MUST_CHECK gs_status
gs_blocks_read(struct gs_blocks *blocks, const struct gs_spill_file *file,
               struct gs_blocks_cursor *cursor, char *into, size_t count);

#endif

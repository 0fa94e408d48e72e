// SPDX-License-Identifier: BSD-2-Clause
/*
 * blocks.h - runs packed block by block, by several threads
 *
 * One thread may write while another reads; each has packers of its own.
 */
#ifndef GS_SPILL_BLOCKS_H
#define GS_SPILL_BLOCKS_H

#include "base/status.h"
#include "spill/file.h"
#include "spill/pack.h"

struct gs_blocks {
	struct gs_packer *packers;	/* owned; those that write, then those that read */
	size_t            writers, readers;
	char             *part;		/* a block of keys, not all of which are asked for */
	size_t            block_bytes;	/* of keys, at most */
};

/* What is left of a run. */
struct gs_blocks_place {
	uint64_t at, end;	/* in the file */
	size_t   given;		/* keys of the block at AT that were read */
	unsigned bits;
};

/** How long blocks are for so much memory and so many threads, and how many packers. */
MUST_CHECK gs_status
gs_blocks_open(struct gs_blocks *blocks, enum gs_pack_method method, unsigned threads,
               char *memory, size_t bytes);
void gs_blocks_close(struct gs_blocks *blocks);

/** Append COUNT keys to FILE. */
MUST_CHECK gs_status
gs_blocks_write(struct gs_blocks *blocks, struct gs_spill_file *file, const char *keys,
                size_t count, unsigned bits);

/** The next COUNT keys; there must be so many. */
MUST_CHECK gs_status
gs_blocks_read(struct gs_blocks *blocks, const struct gs_spill_file *file,
               struct gs_blocks_place *place, char *into, size_t count);

#endif

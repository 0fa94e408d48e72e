// SPDX-License-Identifier: BSD-2-Clause
/*
 * compress.h - temporary files that are compressed block by block, in this process or by an external program
 */
#ifndef GS_SPILL_COMPRESS_H
#define GS_SPILL_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "spill/file.h"

/* ---- one block of sorted keys, or of items (pack.c) ------------------------------------------ */

/*
 * A packer is what one thread needs.  It works in memory that it is given, and owns what the
 * library of its method allocates (zstd: 0.7 MiB).
 */

enum gs_pack_method { GS_PACK_ZSTD, GS_PACK_LZ4, GS_PACK_PROGRAM };

/* How a set of packers compresses. */
struct gs_compression {
	enum gs_pack_method      method;
	char                    *program;	/* its path; owned */
};

/** Does NAME, or NULL, mean a process for each block? */
bool gs_compression_starts_programs(const char *name);

/** Find the program NAME, by PATH, unless it means a library.  False: it is not there; it warned. */
bool gs_compression_open(struct gs_compression *by, const char *name, const struct gs_monitor *monitor);

/** A zeroed struct is allowed. */
void gs_compression_close(struct gs_compression *by);

/* In front of each block. */
struct gs_pack_header {
	uint32_t keys;
	uint32_t packed_bytes;	/* after the header; as many as the keys have if not compressed */
};

struct gs_packer {
	const struct gs_compression *by;	/* borrowed */
	size_t               block_bytes;	/* of keys, at most */
	unsigned char       *planes;		/* see shuffle.inc */
	unsigned char       *packed;		/* header and block */
	void                *compressor, *expander;
	struct gs_spill_file scratch;		/* through which bytes go to a program and come back */
};

/** The version of liblz4, which is loaded; or "missing". */
const char *gs_pack_lz4_version(void);

/** Memory for a packer of such blocks: a multiple of 64. */
size_t gs_packer_bytes(size_t block_bytes);

/** @memory  gs_packer_bytes() of it, aligned for keys; borrowed */
void gs_packer_open(struct gs_packer *packer, const struct gs_compression *by, size_t block_bytes,
                    void *memory);
void gs_packer_close(struct gs_packer *packer);

/* DIR is where the block lies, or will: a program's files lie there, too, and messages name it. */

/** Pack COUNT keys of BITS, a block at most: TO_WRITE bytes at packer->packed.  GS_OK, or GS_EIO. */
MUST_CHECK gs_status
gs_pack(struct gs_packer *packer, const char *dir, const void *keys, size_t count, unsigned bits,
        size_t *to_write);

/** Can this be the header of a block of keys of BITS? */
bool gs_pack_header_is_sound(const struct gs_packer *packer, const struct gs_pack_header *header,
                             unsigned bits);

/** Unpack the block at packer->packed, which has a sound header.  GS_OK; GS_EIO; GS_EINPUT: it is corrupt. */
MUST_CHECK gs_status
gs_unpack(struct gs_packer *packer, const char *dir, void *keys, unsigned bits);

/**
 * Compress BYTES at FROM, a block at most, to fewer bytes at TO.
 *
 * @packed  how many these are; 0: they did not become fewer
 * @return  GS_OK, or GS_EIO
 */
MUST_CHECK gs_status
gs_pack_bytes(struct gs_packer *packer, const char *dir, const void *from, void *to, size_t bytes,
              size_t *packed);

/** The other way, to as many bytes as there were.  GS_OK; GS_EIO; GS_EINPUT: these are others. */
MUST_CHECK gs_status
gs_unpack_bytes(struct gs_packer *packer, const char *dir, const void *from, size_t packed, void *to,
                size_t bytes);

/** The same two by an external program (program.c): PROG from bytes to a file, PROG -d back, as sort(1) runs
 *  it. */
MUST_CHECK gs_status
gs_program_pack(struct gs_packer *packer, const char *dir, const void *from, void *to, size_t bytes,
                size_t *packed);
MUST_CHECK gs_status
gs_program_unpack(struct gs_packer *packer, const char *dir, const void *from, size_t packed, void *to,
                  size_t bytes);

/* ---- runs, block by block, by several threads (blocks.c) ------------------------- */

/*
 * One thread may write while another reads; each side has packers of its own.  The caller owns the
 * memory.
 */

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
gs_blocks_open(struct gs_blocks *blocks, const struct gs_compression *by, unsigned threads,
               char *memory, size_t bytes);
void gs_blocks_close(struct gs_blocks *blocks);

/** Append COUNT keys of BITS to FILE.  Returns GS_OK, or GS_EIO. */
MUST_CHECK gs_status
gs_blocks_write(struct gs_blocks *blocks, struct gs_spill_file *file, const char *keys,
                size_t count, unsigned bits);

/** Read the next keys, of which there must be so many as there is ROOM for.  *COUNT: fewer, but not 0, if the
 *  next block does not fit.  Returns GS_OK, GS_EIO or GS_EINPUT. */
MUST_CHECK gs_status
gs_blocks_read(struct gs_blocks *blocks, const struct gs_spill_file *file,
               struct gs_blocks_cursor *cursor, char *into, size_t room, size_t *count);

#endif

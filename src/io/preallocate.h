// SPDX-License-Identifier: BSD-2-Clause
/*
 * preallocate.h - blocks of a regular file, allocated before its bytes come
 *
 * For output.c and sink.c alone.
 */
#ifndef GS_PREALLOCATE_H
#define GS_PREALLOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_preallocation {
	int      fd;
	bool     wanted;	/* make more of them */
	uint64_t at;		/* in the file: where the next byte goes */
	uint64_t passed;	/* bytes so far */
	uint64_t end;		/* up to here there may be blocks of ours; 0: none */
};

/** Find out what FD is: blocks are wanted for a regular file, unless it is appended to. */
void gs_preallocate_open(struct gs_preallocation *room, int fd);

/** write(2) is about to be called for BYTES, in a row with those before. */
void gs_preallocate_ahead(struct gs_preallocation *room, size_t bytes);

/** All was written, or no more will be: give back the blocks behind the end of the file.
 *  Returns 0, or -1 and errno. */
int gs_preallocate_cut(struct gs_preallocation *room);

#endif

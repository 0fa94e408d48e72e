// SPDX-License-Identifier: BSD-2-Clause
/* preallocate.h - allocate the blocks of a regular file before its bytes; for output_fd.c */
#ifndef GS_PREALLOCATE_H
#define GS_PREALLOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_preallocation {
	int      fd;
	bool     wanted;	/* more blocks are to be allocated */
	uint64_t at;		/* in the file: where the next byte is written */
	uint64_t written;	/* bytes so far */
	uint64_t end;		/* blocks may have been allocated up to here; 0: none */
	uint64_t ahead_bytes;	/* that are allocated at once, at least */
};

/** Begin: blocks are wanted if FD is a regular file, and is not appended to.  It is one of FILES
 *  that are written at the same time: together they do not allocate more than one does. */
void gs_preallocate_open(struct gs_preallocation *blocks, int fd, unsigned files);

/** Before anything is written: allocate all blocks of a file of so many BYTES. */
void gs_preallocate_all(struct gs_preallocation *blocks, uint64_t bytes);

/** Call this before write(2) of BYTES, which follow the bytes before. */
void gs_preallocate_ahead(struct gs_preallocation *blocks, size_t bytes);

/** All has been written: free the blocks after the end of the file.
 *  Returns 0, or -1 and errno. */
int gs_preallocate_cut(struct gs_preallocation *blocks);

#endif

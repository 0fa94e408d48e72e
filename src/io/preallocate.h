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
};

/** Begin: blocks are wanted if FD is a regular file, and is not appended to. */
void gs_preallocate_open(struct gs_preallocation *blocks, int fd);

/** Call this before write(2) of BYTES, which follow the bytes before. */
void gs_preallocate_ahead(struct gs_preallocation *blocks, size_t bytes);

/** All has been written: free the blocks behind the end of the file.
 *  Returns 0, or -1 and errno. */
int gs_preallocate_cut(struct gs_preallocation *blocks);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.h - a temporary file that has no name
 *
 * The file owns its descriptor and borrows the name of its directory.
 */
#ifndef GS_SPILL_FILE_H
#define GS_SPILL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct gs_spill_file {
	const char *dir;
	int         fd;			/* -1: not made yet */
	uint64_t    end;		/* bytes written, with the gaps between runs */
	uint64_t    needed_bytes;	/* beyond those, for the message of a full disk; 0: unknown */
	uint64_t    beside_bytes;	/* of this and other files, for that message, if more */
};

/** Check that DIR takes temporary files: make one and drop it.  Returns GS_OK, or GS_EIO. */
MUST_CHECK gs_status gs_spill_dir_check(const char *dir);

/** Make the file.  Returns GS_OK, or GS_EIO. */
MUST_CHECK gs_status gs_spill_file_make(struct gs_spill_file *file, const char *dir);

/** Append BYTES.  Returns GS_OK, or GS_EIO; a size limit sends no signal. */
MUST_CHECK gs_status
gs_spill_file_write(struct gs_spill_file *file, const void *from, size_t bytes);

/** Read BYTES from offset AT on.  Returns GS_OK, GS_EIO, or GS_EINPUT: the file is shorter. */
MUST_CHECK gs_status
gs_spill_file_read(const struct gs_spill_file *file, uint64_t at, void *into, size_t bytes);

/** Give the disk space between two offsets back, as far as the file system can. */
void gs_spill_file_forget(const struct gs_spill_file *file, uint64_t from, uint64_t to);

/** Close it, which frees its disk space. */
void gs_spill_file_close(struct gs_spill_file *file);

/** Fail because a temporary file in DIR has changed.  Returns GS_EINPUT. */
gs_status gs_spill_file_corrupt(const char *dir);

#endif

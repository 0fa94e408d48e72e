// SPDX-License-Identifier: BSD-2-Clause
/*
 * files.h - all files of an input: opened, and what is known of them
 *
 * Regular files are opened at the start, so a missing one is found before the first byte is
 * read, and deleting a file later does no harm.  A pipe is opened when its turn comes, because
 * its writer may wait until another pipe is read.  So are the files beyond what RLIMIT_NOFILE
 * allows, and all of them with the option LATER; at the start they are only checked.
 */
#ifndef GS_FILES_H
#define GS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/file.h"
#include "io/input_options.h"
#include "io/recorder.h"

struct gs_files {
	struct gs_file *list;
	size_t          count;
};

/**
 * Open the files of OPTIONS; a callback is one file.  What is not regular will be read through
 * RECORDER, borrowed.
 *
 * @return  as gs_input_open(); after an error, too, they must be closed
 */
MUST_CHECK gs_status gs_files_open(struct gs_files *files, const struct gs_input_options *options,
                                   struct gs_recorder *recorder);

/** Open a file whose turn has come, or again; it stays open. */
MUST_CHECK gs_status gs_files_open_one(struct gs_file *file,
                                       const struct gs_input_options *options);

/** A zeroed struct is allowed. */
void gs_files_close(struct gs_files *files);

/* ---- what is known ---------------------------------------------------------- */

/** Bytes of all files together; GS_UNKNOWN if one is a pipe or compressed. */
uint64_t gs_files_bytes(const struct gs_files *files);

/** The bytes of all files, compressed if they are, or GS_UNKNOWN. */
uint64_t gs_files_stored_bytes(const struct gs_files *files);

/**
 * The first file whose size is known and is no multiple of KEY_BYTES, so that the job fails
 * before it reads anything.
 *
 * @return  its name and *BYTES, or NULL
 */
const char *gs_files_partial(const struct gs_files *files, size_t key_bytes, uint64_t *bytes);

/** Is one of the files known to be compressed? */
bool gs_files_inflate(const struct gs_files *files);

/** Is one of them known to be of a format with large windows or blocks: not gzip? */
bool gs_files_large_window(const struct gs_files *files);

/** Is every one a regular file, which can be read again without a recording? */
bool gs_files_are_seekable(const struct gs_files *files);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.h - which bytes of the inputs each rank reads
 *
 * Regular files that are not compressed are one long row of bytes, of which each rank gets the same
 * share.  A line of text belongs to the rank in whose share it begins.  Compressed files are dealt
 * out whole, the largest first, each to the rank with the least to read so far.  Whatever else
 * there is, such as standard input, rank 0 reads.  The first input's header is always read by rank
 * 0.
 */
#ifndef GS_PARTS_H
#define GS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "io/open.h"
#include "net/ranks.h"

struct gs_parts {
	const char      **names;	/* of the files of this rank, or parts of them */
	struct gs_range  *ranges;	/* their bytes; END GS_UNKNOWN: the whole file */
	unsigned         *numbers;	/* which of all inputs they are */
	size_t            count;
	uint64_t          plain_bytes;	/* of all ranks, that are shared out by ranges */
	uint64_t          other_bytes;	/* of compressed files; GS_UNKNOWN: there is a pipe */
	bool              inflates;	/* a file is compressed */
	char              terminator;	/* of lines */
	char             *header;	/* of the first file, if it has lines that may have names */
	size_t            header_bytes;
	unsigned          overlap_keys;	/* of this rank, that another one has, too */
	uint64_t          overlap_bytes;
	uint64_t          elements, before;	/* with --argsort: of this rank; before its first one */
};

/**
 * Find out what the inputs are, and share them out; collective.
 *
 * @overlap  each part begins one key, or line, before its share: for a check of the order
 * @return   GS_OK; GS_EIO, GS_EINPUT, GS_EUSAGE as from gs_input_open(); GS_EIO also: a file has
 *           not the same size on all hosts
 */
MUST_CHECK gs_status
gs_parts_open(struct gs_parts *parts, const struct gsort_options *options, struct gs_ranks *ranks,
              bool overlap);

/** Where in the file called NAME, by the address of its name, this rank begins. */
uint64_t gs_parts_begin(const struct gs_parts *parts, const char *name);

/** For gs_text_options.lines_before: CONTEXT is the parts. */
uint64_t gs_parts_lines_before(void *context, const char *name, bool count);

void gs_parts_close(struct gs_parts *parts);

#endif

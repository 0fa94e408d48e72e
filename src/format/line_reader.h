// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_reader.h - text of one input as keys in the order of its lines
 *
 * For checking and merging: batch by batch, in memory that is given.
 */
#ifndef GS_LINE_READER_H
#define GS_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "format/lines.h"

enum { GS_LINE_READER_KEYS = 2048 };	/* a batch; fits the second-level cache, not tuned */

/* Where the text comes from. */
struct gs_line_source {
	/** Read the next BYTES; blocks for all of them.  *GOT less than BYTES: the end. */
	gs_status (*read)(void *context, void *into, size_t bytes, size_t *got);
	void       *context;
	const char *name;	/* for messages */
};

struct gs_line_reader {
	struct gs_line_source source;
	struct gs_lines  lines;
	struct gs_clock *clock;		/* the opener may set it; NULL at first */

	/* the last batch */
	uint64_t keys[GS_LINE_READER_KEYS];
	uint8_t  classes[GS_LINE_READER_KEYS];
	uint64_t numbers[GS_LINE_READER_KEYS];	/* of the keys' lines */
	uint32_t at[GS_LINE_READER_KEYS];	/* where they are in LINES_TEXT */
	size_t   count;
	const char *batch_text;

	uint64_t bytes;		/* read so far */
	bool     ended;		/* the input has */
	size_t   begin, end;	/* of TEXT: not decoded yet */
	size_t   room;
	char     text[];
};

/** The least memory of a reader, which has room for a few of the longest lines; and what is
 *  useful.  Not tuned. */
enum {
	GS_LINE_READER_LEAST_BYTES = sizeof(struct gs_line_reader) + (16 << 10),
	GS_LINE_READER_MOST_BYTES  = 1 << 20,
};

/** Begin to read SOURCE, in MEMORY (borrowed); nothing to close. */
struct gs_line_reader *
gs_line_reader_open(void *memory, size_t memory_bytes, const struct gs_line_source *source,
                    const struct gs_text_options *options);

/**
 * The next batch; count 0: the end.
 *
 * @return  GS_OK; GS_EINPUT: a bad line; GS_EIO
 */
MUST_CHECK gs_status gs_line_reader_next(struct gs_line_reader *reader);

#endif

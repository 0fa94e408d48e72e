// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_reader.h - the text of one input as keys, in the order of its lines
 *
 * For checking and merging.  Keys come in batches; the memory is the caller's.
 */
#ifndef GS_LINE_READER_H
#define GS_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "format/lines.h"

enum { GS_LINE_READER_KEYS = 2048 };	/* of a batch, which fits in the L2 cache; not tuned */

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
	struct gs_clock *clock;		/* the caller may set it */

	/* the last batch */
	uint64_t keys[GS_LINE_READER_KEYS];
	uint8_t  classes[GS_LINE_READER_KEYS];
	uint64_t numbers[GS_LINE_READER_KEYS];	/* of the keys' lines */
	uint32_t at[GS_LINE_READER_KEYS];	/* where the lines are in BATCH_TEXT */
	size_t   count;
	const char *batch_text;

	uint64_t bytes;		/* read so far */
	bool     ended;		/* the source has no more bytes */
	size_t   begin, end;	/* the bytes of TEXT that are not decoded yet */
	size_t   room;		/* bytes of TEXT */
	char     text[];
};

/* The least memory of a reader, which holds a few of the longest lines; and as much as is useful.
 * Not tuned. */
enum {
	GS_LINE_READER_LEAST_BYTES = sizeof(struct gs_line_reader) + (16 << 10),
	GS_LINE_READER_MOST_BYTES  = 1 << 20,
};

/** Begin to read SOURCE, in MEMORY (borrowed).  Nothing to close. */
struct gs_line_reader *
gs_line_reader_open(void *memory, size_t memory_bytes, const struct gs_line_source *source,
                    const struct gs_text_options *options);

/**
 * Read the next batch; its COUNT is 0 at the end.
 *
 * @return  GS_OK; GS_EINPUT: an invalid line; GS_EIO
 */
MUST_CHECK gs_status gs_line_reader_next(struct gs_line_reader *reader);

#endif

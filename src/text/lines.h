// SPDX-License-Identifier: BSD-2-Clause
/*
 * lines.h - lines of text to keys, in the order of the lines
 *
 * For checking and merging, which depend on the order of the input; text_decoder.h is faster.
 * Keys compare by (class, key), where a key is its ordered bits.  All floats are of class
 * GS_FLOATS.
 */
#ifndef GS_LINES_H
#define GS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "text/text.h"

struct gs_lines {
	struct gs_text_options options;
	const char *name;
	uint64_t    line;		/* lines of the file that have been read */
	uint64_t    header_left;	/* lines of its header that are still to be skipped */
	uint64_t    invalid;		/* lines left out, of all files */
	bool        in_long_line;	/* its beginning was left out */
	bool        overflow_warned;	/* a float became infinite, and there was a warning */
};

/** Begin, with a copy of OPTIONS.  Nothing to close. */
void gs_lines_open(struct gs_lines *lines, const struct gs_text_options *options);

/** The next line is the first of the file called NAME (borrowed). */
void gs_lines_begin_file(struct gs_lines *lines, const char *name);

/**
 * Parse the whole lines at the beginning of TEXT, until there are ROOM keys.
 *
 * @last    the file ends here: what follows the last terminator is a line, too
 * @keys    ordered bits (complemented, in the class's width, if options.reverse)
 * @classes enum gs_text_class of each; complemented with reverse (GS_TEXT_CLASSES - 1 -
 *          class), so that (class, key) ascends either way
 * @at      NULL, or set to each key's line: its offset in TEXT
 * @number  NULL, or set to each key's line number in its file, from 1
 * @count   set to how many keys
 * @used    set to bytes of TEXT that have been parsed
 * @return  GS_OK; GS_EINPUT: an invalid line, which may just be longer than 4095 bytes; the
 *          *COUNT keys before it are good
 *
 * Without LAST, *USED is 0 if TEXT is less than a line.  It is more than 0 if BYTES are more than
 * 4095.
 */
MUST_CHECK gs_status
gs_lines_decode(struct gs_lines *lines, const char *text, size_t bytes, bool last,
                uint64_t *keys, uint8_t *classes, uint32_t *at, uint64_t *number,
                size_t room, size_t *count, size_t *used);

/* ---- the lines of one input, a batch at a time -------------------- */

/*
 * For checking and merging.  Keys come in batches; the memory is the caller's.
 */

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

// SPDX-License-Identifier: BSD-2-Clause
/*
 * feed.h - text of one input as keys in the order of its lines
 *
 * For checking and merging: batch by batch, in memory that is given.
 */
#ifndef GS_FEED_H
#define GS_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "format/lines.h"
#include "io/input.h"

enum { GS_FEED_KEYS = 2048 };	/* a batch; fits the second-level cache, not tuned */

struct gs_feed {
	struct gs_input *input;
	struct gs_lines  lines;
	struct gs_clock *clock;		/* the opener may set it; NULL at first */

	/* the last batch */
	uint64_t keys[GS_FEED_KEYS];
	uint8_t  classes[GS_FEED_KEYS];
	uint64_t numbers[GS_FEED_KEYS];	/* of the keys' lines */
	uint32_t at[GS_FEED_KEYS];	/* where they are in LINES_TEXT */
	size_t   count;
	const char *batch_text;

	uint64_t bytes;		/* read so far */
	bool     ended;		/* the input has */
	size_t   begin, end;	/* of TEXT: not decoded yet */
	size_t   room;
	char     text[];
};

/** The least memory of a feed, which has room for a few of the longest lines; and what is
 *  useful.  Not tuned. */
enum { GS_FEED_BYTES_LEAST = sizeof(struct gs_feed) + (16 << 10), GS_FEED_BYTES_MOST = 1 << 20 };

/** Begin the file of INPUT that is its turn, in MEMORY (borrowed); nothing to close. */
struct gs_feed *
gs_feed_open(void *memory, size_t memory_bytes, struct gs_input *input,
             const struct gs_text_options *options);

/**
 * The next batch; count 0: the end.
 *
 * @return  GS_OK; GS_EINPUT: a bad line; GS_EIO
 */
MUST_CHECK gs_status gs_feed_next(struct gs_feed *feed);

#endif

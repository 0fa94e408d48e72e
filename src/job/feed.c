// SPDX-License-Identifier: BSD-2-Clause
/*
 * feed.c - text of one input as keys in the order of its lines
 *
 * In:   bytes of an input.
 * Out:  batches of keys, and where each came from.
 *
 * One buffer: what is left of it when no whole line is moves to its beginning, and
 * is followed by what is read next.
 *
 * Invariant: BEGIN <= END <= ROOM, and what is before BEGIN is done with.
 */
#include <assert.h>
#include <string.h>

#include "format/line.h"
#include "job/feed.h"

struct gs_feed *
gs_feed_open(void *memory, size_t memory_bytes, struct gs_input *input,
             const struct gs_text_options *options)
{
	struct gs_feed *feed = memory;

	assert(memory_bytes >= GS_FEED_BYTES_LEAST);
	feed->input = input;
	feed->clock = NULL;
	feed->count = feed->begin = feed->end = 0;
	feed->bytes = 0;
	feed->ended = false;
	feed->room = memory_bytes - sizeof *feed;
	gs_lines_open(&feed->lines, options);
	gs_lines_begin_file(&feed->lines, gs_input_name(input));
	return feed;
}

/* More text behind what is left of it. */
static gs_status
read_more(struct gs_feed *feed)
{
	const size_t left = feed->end - feed->begin;
	uint64_t since = gs_clock_now();
	size_t got;

	memmove(feed->text, feed->text + feed->begin, left);
	feed->begin = 0;
	feed->end = left;
	assert(left <= GS_LINE_BYTES);	/* the rest of one that is longer is passed over */
	TRY(gs_input_read(feed->input, feed->text + left, feed->room - left, &got));
	gs_clock_lap(feed->clock, GS_STAGE_READ, &since);
	feed->end += got;
	feed->bytes += got;
	feed->ended = feed->end < feed->room;
	return GS_OK;
}

gs_status
gs_feed_next(struct gs_feed *feed)
{
	for (;;) {
		uint64_t since = gs_clock_now();
		gs_status status;
		size_t used;

		feed->batch_text = feed->text + feed->begin;
		status = gs_lines_decode(&feed->lines, feed->batch_text, feed->end - feed->begin,
		                         feed->ended, feed->keys, feed->classes, feed->at,
		                         feed->numbers, GS_FEED_KEYS, &feed->count, &used);
		gs_clock_lap(feed->clock, GS_STAGE_DECODE, &since);
		feed->begin += used;
		assert(feed->begin <= feed->end);
		if (feed->count == 0)
			TRY(status);	/* else keys come first, and the bad line once more */
		if (feed->count > 0 || (feed->ended && feed->begin == feed->end))
			return GS_OK;
		if (!feed->ended)
			TRY(read_more(feed));
	}
}

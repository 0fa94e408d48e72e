// SPDX-License-Identifier: BSD-2-Clause
/*
 * source.h - inputs that are in order, of a check or a merge, or else are an error that says where
 *            they are not
 */
#ifndef GS_KINDS_SOURCE_H
#define GS_KINDS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "ingest/line_ingest.h"
#include "io/input.h"
#include "kinds/kind.h"
#include "sort/follow.h"
#include "text/text_decoder.h"

/* ---- the sorted inputs of a merge, of elements of any kind --------------------- */

/*
 *     open; header; { read }* of keys or { fill }* of items; close
 *
 * Each input is opened when it is first read, its order is checked while it is read, and it is closed
 * at its end.  Text is in the order of its key classes, so an input continues where it stopped.
 *
 * Invariant: an input of text has delivered all its keys of the classes before the current one.
 */

struct gs_merge_input {
	struct gs_merge_inputs *all;	/* NULL: of a check */
	struct gs_feed   *feed;
	const char       *name;
	const char       *advice;	/* ends the message about disorder */
	struct gs_input  *input;	/* NULL: not begun, or ended */
	bool              begun;
	struct gs_follow  follow;
	uint64_t          elements;	/* before this file, less those of it that another rank checks */
	uint64_t          bytes;	/* read of it */
	char             *memory;	/* borrowed: what was read last, or of text: */
	struct gs_text_decoder *decoder;
	char             *text;		/* a chunk, with room for another terminator: USED bytes of it ... */
	size_t            used, left;	/* ... were decoded, and these are LEFT behind them */
	bool              ended;	/* there is no more */
	struct gs_text_keys *found;	/* the keys of those bytes: so many are TAKEN, and RUN are in order */
	size_t            taken, run;
	unsigned          place;	/* of the class that is wanted, in the order of output */
	struct gs_line_collector *lines;	/* or lines that are items */
};

/* All inputs, and what they share. */
struct gs_merge_inputs {
	struct gs_feed *feed;
	struct gs_input_options in;	/* how each is opened */
	struct gs_merge_input *inputs;
	size_t    count, room;		/* bytes of the memory of each */
	struct gs_line_collector *collectors;	/* of lines, one each */
	struct gs_arena arena;
	char     *header;		/* of the first input */
	size_t    header_bytes;
	atomic_size_t spare;	/* memory for lines that are larger than a buffer */
};

/** Begin, with ROOM bytes for each of MOST inputs that are read at a time; each is opened as IN says.
 *  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_merge_inputs_open(struct gs_merge_inputs *all, struct gs_feed *feed,
                                          const struct gs_input_options *in, size_t room, size_t most);

/** Read the header of the first input of keys; items have theirs once the first input was filled. */
MUST_CHECK gs_status gs_merge_read_header(struct gs_merge_inputs *all);

/** For a struct gs_source, CONTEXT being the input: the next ROOM keys; fewer at the end.  GS_EINPUT: an
 *  element is not whole, or out of order, but the *COUNT before it are good; or as gs_input_read(). */
MUST_CHECK gs_status gs_merge_read(void *context, void *into, size_t room, size_t *count);

/** For a struct gs_merge_source, CONTEXT being the input: the next items; none at the end. */
MUST_CHECK gs_status gs_merge_fill(void *context, struct gs_item_slice *items);

/** Is the merger to compare items?  Else they may be in any order; or some may be left out, and they are
 *  compared where they are read. */
bool gs_merge_checks(const struct gs_merge_inputs *all);

/** ITEM, of the last ones, is out of order; INPUT.follow has counted those before it. */
gs_status gs_merge_fail(void *context, const char *item, size_t bytes);

/** A zeroed struct is allowed. */
void gs_merge_inputs_close(struct gs_merge_inputs *all);

/* ---- the elements of all inputs, as if they were one --------------------------- */

/* What kinds have for a check (kind.h). */
MUST_CHECK gs_status gs_keys_check(struct gs_feed *feed, struct gs_follow *follow);
MUST_CHECK gs_status gs_records_check(struct gs_feed *feed, struct gs_follow *follow);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge_input.h - the sorted inputs of a merge, of elements of any kind
 *
 *     open; header; { read }* of keys or { fill }* of items; close
 *
 * Each input is opened when it is first read, its order is checked while it is read, and it is closed
 * at its end.  Text is in the order of its key classes, so an input continues where it stopped.
 *
 * Invariant: an input of text has delivered all its keys of the classes before the current one.
 */
#ifndef GS_JOB_MERGE_INPUT_H
#define GS_JOB_MERGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "format/lines.h"
#include "io/input.h"
#include "job/job.h"
#include "job/stretch.h"
#include "stages/line_ingest.h"

struct gs_merge_input {
	struct gs_merge_inputs *all;
	const char       *name;
	struct gs_input  *input;	/* NULL: not begun, or ended */
	bool              begun;
	unsigned          place;	/* text: of the current key class, in the order of output */
	struct gs_follow  follow;
	struct gs_stretch stretch;	/* of keys or records */
	uint64_t          bytes;	/* read */
	char             *memory;	/* borrowed: what was read last, or the reader of text */
	struct gs_line_reader *reader;	/* of text: lines that become keys; ... */
	size_t            taken;	/* ... so many of its batch were taken */
	struct gs_line_collector *lines;	/* or lines that are items */
};

/* All inputs, and what they share. */
struct gs_merge_inputs {
	struct gsort *job;
	struct gs_merge_input *inputs;
	size_t    count, room;		/* bytes of the memory of each */
	struct gs_line_collector *collectors;	/* of lines, one each */
	struct gs_arena arena;
	char     *header;		/* of the first input */
	size_t    header_bytes;
	struct gs_text_header text_header;	/* text: the same, while it is read */
	size_t    spare;		/* memory for lines that are larger than a buffer */
};

/** How many inputs there are; a callback is one. */
size_t gs_merge_count(const struct gsort_options *options);

/** Begin, with ROOM bytes for each of MOST inputs that are read at a time.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_merge_inputs_open(struct gs_merge_inputs *all, struct gsort *job, size_t room,
                                          size_t most);

/** Read the header of the first input, of keys; that of items is there once it was filled. */
MUST_CHECK gs_status gs_merge_read_header(struct gs_merge_inputs *all);

/** For a struct gs_source, CONTEXT being the input: the next ROOM keys; fewer at the end.  The errors of
 *  gs_stretch_next(), with the keys that are in order, or those of gs_input_read(). */
MUST_CHECK gs_status gs_merge_read(void *context, void *into, size_t room, size_t *count);

/** The next items of an input; none at the end. */
MUST_CHECK gs_status gs_merge_fill(void *context, struct gs_item_slice *items);

/** Has the input ended? */
bool gs_merge_ended(const struct gs_merge_input *input);

/** A zeroed struct is allowed. */
void gs_merge_inputs_close(struct gs_merge_inputs *all);

#endif

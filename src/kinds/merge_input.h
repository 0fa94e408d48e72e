// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge_input.h - inputs that are in order, of a check or a merge, or else are an error that says where
 *                 they are not
 */
#ifndef GS_JOB_MERGE_INPUT_H
#define GS_JOB_MERGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "ingest/line_ingest.h"
#include "io/input.h"
#include "job/job.h"
#include "sort/follow.h"
#include "text/lines.h"

/* ---- stretches of one input, decoded and compared (stretch.c) ------------------ */

/* Binary keys, or records. */
struct gs_stretch {
	struct gsort     *job;
	struct gs_follow *follow;
	const char       *advice;	/* ends the message about disorder */
	size_t            element_bytes;

	/* The file that is being read. */
	const char *name;
	uint64_t    elements;	/* compared before it, less those of it that another rank checks */
	uint64_t    bytes;	/* of it so far */
};

/** Begin; all are borrowed. */
struct gs_stretch gs_stretch_open(struct gsort *job, struct gs_follow *follow, const char *advice);

/** A file called NAME begins, after SKIPPED elements of it. */
void gs_stretch_begin(struct gs_stretch *stretch, const char *name, uint64_t skipped);

/**
 * The next BYTES of the file are at DATA: keys become ordered bits, in place.
 *
 * @return  GS_OK; GS_EINPUT: an element is not whole, or out of order (follow.disorder), but the
 *          follow.elements before it are good; GS_EBUDGET
 */
MUST_CHECK gs_status gs_stretch_next(struct gs_stretch *stretch, void *data, size_t bytes);

/** Begin to read INPUT, of text, in MEMORY of ROOM bytes; nothing to close. */
struct gs_line_reader *gs_stretch_open_text(struct gsort *job, struct gs_input *input, void *memory,
                                            size_t room);

/** Compare the last batch of READER.  GS_EINPUT: a line is out of order (follow->disorder). */
MUST_CHECK gs_status gs_stretch_text(struct gsort *job, const struct gs_line_reader *reader,
                                     struct gs_follow *follow, const char *advice);

/** The error for line number AT of that batch: it is out of order. */
gs_status gs_stretch_fail_text(const struct gsort *job, const struct gs_line_reader *reader, size_t at,
                               const char *advice);

/* ---- the sorted inputs of a merge, of elements of any kind (merge_input.c) ----- */

/*
 *     open; header; { read }* of keys or { fill }* of items; close
 *
 * Each input is opened when it is first read, its order is checked while it is read, and it is closed
 * at its end.  Text is in the order of its key classes, so an input continues where it stopped.
 *
 * Invariant: an input of text has delivered all its keys of the classes before the current one.
 */

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
	unsigned  threads;		/* that read one */
	struct gs_line_collector *collectors;	/* of lines, one each */
	struct gs_arena arena;
	char     *header;		/* of the first input */
	size_t    header_bytes;
	size_t    spare;		/* memory for lines that are larger than a buffer */
};

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

/* What kinds have for that (job.h). */
MUST_CHECK gs_status gs_keys_begin_input(struct gs_merge_input *input);
MUST_CHECK gs_status gs_records_begin_input(struct gs_merge_input *input);
MUST_CHECK gs_status gs_lines_begin_input(struct gs_merge_input *input);
MUST_CHECK gs_status gs_records_fill(struct gs_merge_input *input, struct gs_item_slice *items);
MUST_CHECK gs_status gs_lines_fill(struct gs_merge_input *input, struct gs_item_slice *items);

/** Has the input ended? */
bool gs_merge_ended(const struct gs_merge_input *input);

/** A zeroed struct is allowed. */
void gs_merge_inputs_close(struct gs_merge_inputs *all);

#endif

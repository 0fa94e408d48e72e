// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_ingest.h - input to lines: read, cut, store
 *
 * Every line is stored with its terminator; the last line of a file gets one if it has none.  For
 * --argsort it is stored behind its number.
 */
#ifndef GS_STAGES_LINE_INGEST_H
#define GS_STAGES_LINE_INGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "format/line_order.h"
#include "io/input.h"
#include "plan/items.h"
#include "stages/taker.h"
#include "stages/line_faults.h"
#include "stages/line_number.h"
#include "stages/text_number.h"

/* Bytes that grow. */
struct gs_line_bytes {
	char  *data;
	size_t bytes, room;
};

struct gs_line_ingest {
	struct gs_line_order *order;	/* completed by the first header, if keys name columns */
	struct gs_taker  taker;	/* ADD NULL: nothing is stored */
	struct gs_follow     *follow;	/* compares neighbours; NULL: nobody does */
	struct gs_monitor    *monitor;
	unsigned  threads;
	uint64_t  header_lines;
	struct gs_line_bytes header;	/* lines of the first input */
	uint64_t  bytes;		/* read */
	uint64_t  lines;		/* stored, if they have numbers */
	struct gs_line_number number;
	const struct gs_text_options *text;	/* with numbers: lines are numbers, too, of which ITEM is
						 * made, or else NULL; borrowed */
	const struct gs_record *item;
	struct gs_line_faults faults;	/* of strict keys; the caller may set its ADVICE */
	bool      overflow_warned;	/* a float became infinite, and there was a warning */
	struct gs_input *input;		/* borrowed, to take a sample of; NULL: there is none */
	const struct gs_chunk *chunk;	/* while the first one is taken */
	size_t    line_most;		/* bytes of a line, if nothing is stored, ... */
	size_t    header_most;		/* ... and of a header; the caller may lower both */
	bool      measures;		/* the inputs have ends: a line that is too long is read to its end,
					 * for the message; the caller may set it */
	char     *numbered;		/* with numbers: a piece of the store for each thread, to make
					 * items in; borrowed */

	/* The file that is being read. */
	const char *name;
	uint64_t  lines_before;		/* of the files before */
	uint64_t  header_left;		/* lines that are still to come */
	bool      first;		/* of all files */
	struct gs_line_place place;	/* where the line that has begun ends so far */
	struct gs_line_bytes line;	/* that has begun in an earlier chunk */
	bool      measured;		/* it is too long, and only its bytes are counted */
	struct gs_line_bytes names;	/* the header of this file, if it is not the first */
};

/** Begin; everything is borrowed.  TAKER or FOLLOW may be NULL.  OPTIONS: header lines, and what to do with
 *  lines at fault. */
void gs_line_ingest_open(struct gs_line_ingest *ingest, struct gs_line_order *order,
                         const struct gs_text_options *options, const struct gs_taker *taker,
                         struct gs_follow *follow, struct gs_monitor *monitor, unsigned threads);

/**
 * Take the next chunk of the input.
 *
 * @return  GS_OK; GS_EINPUT: a line is no number, a quote is not closed, a column is not in the
 *          header, a line is too long, or lines are out of order (follow->disorder); GS_EBUDGET;
 *          GS_EIO: the store has to write to disk, and cannot
 */
MUST_CHECK gs_status gs_line_ingest_chunk(struct gs_line_ingest *ingest,
                                          const struct gs_chunk *chunk);

/** Free all; a zeroed struct is allowed. */
void gs_line_ingest_close(struct gs_line_ingest *ingest);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_ingest.h - input to lines: read and cut, left out if at fault, numbered, stored or collected
 *
 * Every line is stored with its terminator; the last line of a file gets one if it has none.  For
 * --argsort it is stored behind its number.
 */
#ifndef GS_INGEST_LINE_INGEST_H
#define GS_INGEST_LINE_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "linekey/line_order.h"
#include "text/text_decoder.h"
#include "key/record.h"
#include "text/text.h"
#include "io/input.h"
#include "plan/items.h"
#include "sort/follow.h"
#include "sort/items/items.h"
#include "engine/engine.h"

/* ---- lines whose strict keys are not numbers (line_faults.c) ------------------- */

/*
 * One input after the other; linekey/line_order.h finds the fault of a line.
 */

struct gs_line_faults {
	const struct gs_line_order   *order;
	const struct gs_text_options *options;	/* what to do with lines at fault, and how lines count */
	struct gs_follow             *follow;	/* compares neighbours; NULL: nobody does */
	bool        merges;	/* disorder is of a merge, which has advice */
	const char *name;	/* of the input; NULL: none has begun */
	uint64_t    shown;	/* lines of it so far, as an editor counts them */
	uint64_t    invalid;	/* lines left out, of all inputs */
};

/* Whole lines. */
struct gs_line_piece {
	char       *data;
	const char *end;
	uint64_t    shown;	/* lines, as an editor counts them, if keys are strict */
	bool        faulty;	/* it has a line that is to be left out, or refused */
	bool        noted;	/* something is to be said of it */
};

/** How many lines an editor shows of COUNT lines from BEGIN to END: with CSV, one may be several. */
uint64_t gs_line_shown(const struct gs_line_faults *faults, const char *begin, const char *end,
                       size_t count);

/** See whether a line of PIECE is at fault, and how many an editor shows of a sound piece. */
void gs_line_check(const struct gs_line_faults *faults, struct gs_line_piece *piece);

/** The error for LINE of BYTES, which is out of order: NUMBER of the file, as an editor counts lines. */
gs_status gs_line_disorder(const struct gs_line_faults *faults, uint64_t number, const char *line,
                           size_t bytes);

/**
 * Compare the lines from DATA to *END with the ones before, if they are followed, and move the lines that
 * are not at fault together: *END becomes their end.
 *
 * @return  GS_OK; GS_EINPUT: a line is refused, or out of order; GS_EBUDGET
 */
MUST_CHECK gs_status gs_line_leave_out(struct gs_line_faults *faults, char *data, const char **end);

/* ---- --argsort: lines behind their numbers in the input (line_number.c) -------- */

/*
 * An item is GS_LINE_NUMBER_BYTES, the first of which are written, and then the line.
 */

enum { GS_LINE_NUMBER_BYTES = 8 };

/* The number of a line as it is written. */
struct gs_line_number {
	unsigned bits;		/* 32 or 64; 0: lines have no numbers */
	bool     swaps;		/* its byte order is not this machine's */
};

/** VALUE in the byte order of the output; the rest is padding. */
uint64_t gs_line_number_bits(struct gs_line_number number, uint64_t value);

/* Items that are lines after some bytes. */
struct gs_line_items {
	const struct gs_line_order *order;	/* of the lines; borrowed */
	size_t front;
};

/** The order of such ITEMS, for which CONTEXT is set, and borrowed. */
void gs_line_items_order(struct gs_item_order *items, struct gs_line_items *context,
                         const struct gs_line_order *order, size_t front);

/** Lines from DATA to END.  O(END - DATA). */
uint64_t gs_line_number_count(const struct gs_line_order *order, const char *data, const char *end);

/** Make items of all lines from DATA to END, the first of which has FIRST; INTO has room for
 *  END - DATA bytes, and GS_LINE_NUMBER_BYTES for each line.  Returns the bytes of the items. */
size_t gs_line_number_put(const struct gs_line_order *order, struct gs_line_number number,
                          const char *data, const char *end, uint64_t first, char *into);

/* ---- --argsort: numbers as text behind each other (text_number.c) -------------- */

/*
 * An item is the key of a line, which compares as the number does, and then the number of the line.
 */

/** Describe items of text as OPTIONS read it.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_text_number_open(struct gs_record *item,
                                         const struct gs_text_options *options, bool reverse);

/** The most bytes of items that LINES lines of BYTES make. */
size_t gs_text_number_most(const struct gs_record *item, uint64_t lines, size_t bytes);

enum { GS_TEXT_NUMBER_CHUNK = 8192 };

/**
 * Make items of the whole lines from DATA to END that are not left out.
 *
 * @decoder in_order, and not REVERSE, of chunks of GS_TEXT_NUMBER_CHUNK; it knows the file, and its lines
 *          before DATA
 * @first   the number of the line at DATA in all inputs
 * @into    has room for gs_text_number_most()
 * @made    set to the bytes of the items
 * @return  GS_OK; GS_EINPUT: an invalid line
 */
MUST_CHECK gs_status
gs_text_number_put(const struct gs_record *item, struct gs_text_decoder *decoder,
                   struct gs_line_number number, const char *data, const char *end, uint64_t first,
                   char *into, size_t *made);

/* ---- for figures: the numbers that lines are by their first key (line_column.c) - */

/*
 * A value that is missing has no key.
 */

/* A line takes at most this share of memory; while it grows it is there three times.  Not tuned. */
enum { GS_COLUMN_LINE_SHARE = 18 };

struct gs_line_column {
	uint64_t *keys;		/* memory for the keys of a chunk: gs_line_column_keys(); borrowed */
	uint64_t  flip;		/* UINT64_MAX: they are complemented; or 0 */
	uint64_t  count, missing;	/* values so far */
	bool      warned;	/* of a number that is rounded */
};

/** The most keys that CHUNK_BYTES of lines have; a line that is longer has one. */
uint64_t gs_line_column_keys(size_t chunk_bytes);

struct gs_line_ingest;

/** Add the keys of the lines from DATA to END.  GS_EINPUT: one is at fault; or as the taker. */
MUST_CHECK gs_status gs_line_column_add(struct gs_line_ingest *ingest, char *data, const char *end);

/* ---- lines from all over a large file (line_sample.c) -------------------------- */

/*
 * Without them the first lines decide the bounds of the buckets.  They are divided again then, and so is
 * most of a file that is nearly sorted.
 */

/**
 * Show TAKER a sample of INPUT, CHUNK of which was read so far, as items with numbers if NUMBER has bits;
 * nobody else reads it meanwhile.
 *
 * Does nothing if the input is small, not a regular file, or CSV with quotes, where nobody knows which
 * lines are within quotes, or if memory is short.  Returns what TAKER does.
 */
MUST_CHECK gs_status gs_line_sample(const struct gs_line_order *order, struct gs_line_number number,
                                    struct gs_input *input, const struct gs_chunk *chunk,
                                    const struct gs_taker *taker);

/* ---- read, cut, store (line_ingest.c) ------------------------------------------ */

/* What a line and a header may take; the caller may change all. */
struct gs_line_limits {
	size_t   line_most;	/* bytes of a line, if nothing is stored, ... */
	size_t   header_most;	/* ... and of a header */
	unsigned shares;	/* of the user's limit; the job has one; for messages */
	bool     measures;	/* the inputs have ends: a line that is too long is read to its end, for the
				 * message */
};

/* The file that is being read. */
struct gs_line_file {
	uint64_t  lines_before;		/* of the files before */
	uint64_t  header_lines, header_left;	/* lines in all, which the caller sets; still to come */
	bool      first;		/* of all files, but for empty ones before it if there are headers */
	bool      inside;		/* it is read from the middle on; the caller sets it */
	struct gs_line_place place;	/* where the line that has begun ends so far */
	struct gs_bytes line;	/* that has begun in an earlier chunk */
	bool      measured;		/* it is too long, and only its bytes are counted */
	struct gs_bytes names;	/* the header of this file, if it is not the first */
};

struct gs_line_ingest {
	struct gs_line_order *order;	/* completed by the first header, if keys name columns */
	struct gs_taker  taker;	/* ADD NULL: nothing is stored */
	struct gs_follow     *follow;	/* compares neighbours; NULL: nobody does */
	struct gs_monitor    *monitor;
	unsigned  threads;
	struct gs_line_limits limits;
	struct gs_line_file file;
	struct gs_bytes header;	/* lines of the first input; if it is not read here, the caller sets
					 * them, and FAULTS.name to "" */
	uint64_t  bytes;		/* read */
	uint64_t  lines;		/* stored, if they have numbers */
	struct gs_line_number number;
	const struct gs_text_options *text;	/* with numbers: lines are numbers, too, of which ITEM is
						 * made, or else NULL; borrowed */
	const struct gs_record *item;
	struct gs_line_faults faults;	/* of strict keys; the caller may set MERGES */
	bool      overflow_warned;	/* a float became infinite, and there was a warning */
	struct gs_input *input;		/* borrowed, to take a sample of; NULL: no sample */
	const struct gs_chunk *chunk;	/* while the first one is taken */
	struct gs_line_column *column;	/* only keys are stored; NULL: lines; borrowed */
	char     *numbered;		/* with numbers: a piece of the store for each thread, to make
					 * items in; borrowed */
};

/** Has no input had a line so far?  Then the next one has the header. */
static inline bool
gs_line_ingest_wants_header(const struct gs_line_ingest *ingest)
{
	const struct gs_line_file *file = &ingest->file;

	return file->first && file->header_lines > 0 && file->header_left == file->header_lines;
}

/** Begin; everything is borrowed.  TAKER or FOLLOW may be NULL.  OPTIONS: header lines, and what to do with
 *  lines at fault. */
void gs_line_ingest_open(struct gs_line_ingest *ingest, struct gs_line_order *order,
                         const struct gs_text_options *options, const struct gs_taker *taker,
                         struct gs_follow *follow, struct gs_monitor *monitor, unsigned threads);

/**
 * Take the next chunk of the input.
 *
 * @return  GS_OK; GS_EINPUT: a line is not a number, a quote is not closed, a column is not in the
 *          header, a line is too long, or lines are out of order (follow->disorder); GS_EBUDGET;
 *          GS_EIO: the store has to write to disk, and cannot
 */
MUST_CHECK gs_status gs_line_ingest_chunk(struct gs_line_ingest *ingest,
                                          const struct gs_chunk *chunk);

/** Is gs_line_ingest_rest() of use: lines are stored as they are, and end where a terminator is? */
bool gs_line_ingest_takes_rest(const struct gs_line_ingest *ingest);

/**
 * Between two chunks: take the rest of the current file, but for a line at its end that lacks a terminator,
 * or up to one that is longer than a sixteenth of a piece.  The team reads it, in MEMORY of BYTES.  Returns
 * as gs_line_ingest_chunk().
 *
 * A team that reads a chunk, and then divides it, waits twice for its last thread: 12 of 16 were busy.  10^7
 * lines of CSV to /dev/null on 16 cores, median of 9: 116 ms in chunks, 93 so; of 13 bytes 51 and 46.
 */
MUST_CHECK gs_status gs_line_ingest_rest(struct gs_line_ingest *ingest, struct gs_input *input,
                                         char *memory, size_t bytes);

/** Free all; a zeroed struct is allowed. */
void gs_line_ingest_close(struct gs_line_ingest *ingest);

/* ---- whole lines of one input in memory (line_collector.c) --------------------- */

/*
 * The stage that cuts the lines of a sort (line_ingest.h) cuts these, too.
 */

/* A line takes at most this share of memory: it grows in three buffers, and the output and a group of equal
 * lines may keep copies. */
enum { GS_COLLECTED_SHARE = 10 };

struct gs_line_collector {
	struct gs_line_ingest ingest;
	struct gs_bytes lines, before;	/* those before stay, as they may be in use */
	size_t *spare;		/* memory that may be taken, of all collectors */
	bool    borrows;	/* the header is another collector's */
};

/** Begin; all are borrowed.  FIRST: the collector of the first input, whose header stands for all; or this
 *  one.  MONITOR, OPTIONS and FOLLOW as for gs_line_ingest_open(). */
void gs_line_collector_open(struct gs_line_collector *collector, const struct gs_line_collector *first,
                            struct gs_line_order *order, const struct gs_text_options *options,
                            struct gs_follow *follow, struct gs_monitor *monitor, size_t *spare);

/** A zeroed struct is allowed; the first one is closed last. */
void gs_line_collector_close(struct gs_line_collector *collector);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_ingest.h - input to lines: cut them, leave out the faulty ones, number them, and store or collect them
 *
 * Every line is stored with its terminator; the last line of a file gets one if it has none.  For
 * --argsort it is stored behind its number.
 */
#ifndef GS_INGEST_LINE_INGEST_H
#define GS_INGEST_LINE_INGEST_H

#include <stdatomic.h>
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
 * Inputs come one after the other.  linekey/line_order.h finds what is wrong with a line.
 */

struct gs_line_faults {
	const struct gs_line_order   *order;
	const struct gs_text_options *options;	/* what to do with faulty lines, and how lines are counted */
	struct gs_follow             *follow;	/* compares neighbours; NULL: they are not compared */
	bool        merges;	/* this is a merge: its message about disorder has advice */
	const char *name;	/* the input's; NULL: none has begun */
	uint64_t    shown;	/* lines of the input so far, as an editor counts them */
	uint64_t    invalid;	/* lines left out of all inputs */
};

/* The most pieces that are added at once; the store has room for 8 a thread. */
enum { GS_LINE_PIECES = 64 };

/* Whole lines. */
struct gs_line_piece {
	char       *data;
	const char *end;
	uint64_t    shown;	/* lines, as an editor counts them, if keys are strict */
	bool        faulty;	/* it has a line to leave out, or to refuse */
	bool        noted;	/* it has something to report */
};

/** How many lines an editor shows for the COUNT lines from BEGIN to END: a line of CSV may be several. */
uint64_t gs_line_shown(const struct gs_line_faults *faults, const char *begin, const char *end,
                       size_t count);

/** Set PIECE->faulty and, unless a line is faulty, PIECE->shown. */
void gs_line_check(const struct gs_line_faults *faults, struct gs_line_piece *piece);

/** The error for LINE of BYTES, which is out of order; NUMBER is its number in the file. */
gs_status gs_line_disorder(const struct gs_line_faults *faults, uint64_t number, const char *line,
                           size_t bytes);

/**
 * Remove the faulty lines from DATA .. *END, and set *END to the end of the others.  If there is a FOLLOW,
 * check that these are in order.
 *
 * @return  GS_OK; GS_EINPUT: a line is refused, or out of order; GS_EBUDGET
 */
MUST_CHECK gs_status gs_line_leave_out(struct gs_line_faults *faults, char *data, const char **end);

/* ---- --argsort: lines behind their numbers in the input (line_number.c) -------- */

/*
 * An item is a number in GS_LINE_NUMBER_BYTES, whose first bytes are written, and then the line.
 */

enum { GS_LINE_NUMBER_BYTES = 8 };

/* How the number of a line is written. */
struct gs_line_number {
	unsigned bits;		/* 32 or 64; 0: lines have no numbers */
	bool     swaps;		/* in the byte order that this machine does not have */
};

/** VALUE as it is written, in the first bytes; the others are padding. */
uint64_t gs_line_number_bits(struct gs_line_number number, uint64_t value);

/* Items that are lines after some bytes. */
struct gs_line_items {
	const struct gs_line_order *order;	/* of the lines; borrowed */
	size_t front;
};

/** The order of such ITEMS, for which CONTEXT is set, and borrowed. */
void gs_line_items_order(struct gs_item_order *items, struct gs_line_items *context,
                         const struct gs_line_order *order, size_t front);

/** How many lines are there from DATA to END? */
uint64_t gs_line_number_count(const struct gs_line_order *order, const char *data, const char *end);

/** Make items from the lines in DATA .. END, numbered from FIRST on.  INTO has room for END - DATA bytes and
 *  GS_LINE_NUMBER_BYTES for each line.  Returns the bytes of the items. */
size_t gs_line_number_put(const struct gs_line_order *order, struct gs_line_number number,
                          const char *data, const char *end, uint64_t first, char *into);

/* ---- --argsort: the keys of numbers as text, and their places (text_number.c) --- */

/*
 * An item is the key of a line, which compares as the number does, and then the number of the line.
 */

/** Describe items of text as OPTIONS read it.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_text_number_open(struct gs_record *item,
                                         const struct gs_text_options *options, bool reverse);

/** The most bytes of items that LINES lines with BYTES in all make. */
size_t gs_text_number_most(const struct gs_record *item, uint64_t lines, size_t bytes);

enum { GS_TEXT_NUMBER_CHUNK = 8192 };

/**
 * Make items from the whole lines in DATA .. END, except lines that are left out.
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
 * A missing value has no key.
 */

/* A line takes at most this share of memory, in which it is three times while it grows.  Not tuned. */
enum { GS_COLUMN_LINE_SHARE = 18 };

struct gs_line_column {
	uint64_t *keys;		/* memory for the keys of a chunk: gs_line_column_keys(); borrowed */
	uint64_t  flip;		/* UINT64_MAX: they are complemented; or 0 */
	uint64_t  count, missing;	/* values so far */
	bool      warned;	/* about a number that is rounded */
};

/** The most keys that CHUNK_BYTES of lines have; a longer line has one. */
uint64_t gs_line_column_keys(size_t chunk_bytes);

struct gs_line_ingest;

/** Add the keys of the lines in COUNT pieces, which are adjacent.  GS_EINPUT: a line is faulty; or an error
 *  of the taker. */
MUST_CHECK gs_status gs_line_column_add(struct gs_line_ingest *ingest, struct gs_line_piece *pieces,
                                        size_t count);

/* ---- lines from all over a large file (line_sample.c) -------------------------- */

/*
 * Without this sample the first lines decide the bounds of the buckets.  Then most of a file that is nearly
 * sorted falls into few buckets, which are divided again.
 */

/**
 * Show TAKER a sample of INPUT, as items with numbers if NUMBER has bits.  Only CHUNK was read so far, and
 * no other thread reads meanwhile.
 *
 * Does nothing if the input is small or not a regular file, if memory is short, or if CSV has quotes: then
 * it is unknown which lines are within them.  Returns what TAKER does.
 */
MUST_CHECK gs_status gs_line_sample(const struct gs_line_order *order, struct gs_line_number number,
                                    struct gs_input *input, const struct gs_chunk *chunk,
                                    const struct gs_taker *taker);

/* ---- read, cut, store (line_ingest.c) ------------------------------------------ */

/* How large a line and a header may be; the caller may change every member. */
struct gs_line_limits {
	size_t   line_most;	/* bytes of a line, if nothing is stored */
	size_t   header_most;	/* bytes of a header */
	unsigned shares;	/* the job has one of so many shares of the user's limit; for messages */
	bool     measures;	/* a line that is too long is read to its end, so that the message has its
				 * length: every input ends */
};

/* The file that is being read. */
struct gs_line_file {
	uint64_t  lines_before;		/* lines of the files before it */
	uint64_t  header_lines, header_left;	/* how many there are, set by the caller; still to come */
	bool      first;		/* the first of all; with headers, empty files do not count */
	bool      inside;		/* set by the caller: it is read from the middle on */
	struct gs_line_place place;	/* where the line that has begun ends so far */
	struct gs_bytes line;	/* the line that has begun in an earlier chunk */
	bool      measured;		/* that line is too long: its bytes are only counted */
	struct gs_bytes names;	/* the header of this file, if it is not the first */
};

struct gs_line_ingest {
	struct gs_line_order *order;	/* completed by the first header, if keys name columns */
	struct gs_taker  taker;	/* ADD NULL: nothing is stored */
	struct gs_follow     *follow;	/* compares neighbours; NULL: they are not compared */
	struct gs_monitor    *monitor;
	unsigned  threads;
	struct gs_line_limits limits;
	struct gs_line_file file;
	struct gs_bytes header;	/* lines of the first input; if it is not read here, the caller sets
					 * them, and FAULTS.name to "" */
	uint64_t  bytes;		/* read */
	uint64_t  lines;		/* stored, if they have numbers */
	struct gs_line_number number;
	const struct gs_text_options *text;	/* with NUMBER, if lines are numbers as text: how they are
						 * read, and the items that they become; borrowed; or NULL */
	const struct gs_record *item;
	struct gs_line_faults faults;	/* the caller may set MERGES */
	bool      overflow_warned;	/* there was a warning about a float that became infinite */
	struct gs_input *input;		/* a sample is taken from it; borrowed; NULL: no sample */
	const struct gs_chunk *chunk;	/* the first one, while it is taken */
	struct gs_line_column *column;	/* keys are stored, not lines; borrowed; or NULL */
	char     *numbered;		/* with NUMBER: for each thread a piece of the store in which it makes
					 * items; borrowed */
};

/** Has no input had a line so far?  Then the next input has the header. */
static inline bool
gs_line_ingest_wants_header(const struct gs_line_ingest *ingest)
{
	const struct gs_line_file *file = &ingest->file;

	return file->first && file->header_lines > 0 && file->header_left == file->header_lines;
}

/** Begin; everything is borrowed.  TAKER or FOLLOW may be NULL.  OPTIONS say how many lines a header has, and
 *  what to do with faulty lines. */
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

/** Can gs_line_ingest_rest() be called?  It can if lines are stored as they are, and each terminator ends a
 *  line. */
bool gs_line_ingest_takes_rest(const struct gs_line_ingest *ingest);

/**
 * Between two chunks: take the rest of the current file, but for a last line without a terminator, or up to
 * a line that is longer than a sixteenth of a piece.  The team reads it into MEMORY of BYTES.  Returns as
 * gs_line_ingest_chunk().
 *
 * A team that reads a chunk and then divides it waits twice for its last thread: 12 of 16 were busy.  10^7
 * lines of CSV to /dev/null on 16 cores, median of 9: 116 ms in chunks, 93 ms in this way; lines of 13 bytes:
 * 51 and 46 ms.
 */
MUST_CHECK gs_status gs_line_ingest_rest(struct gs_line_ingest *ingest, struct gs_input *input,
                                         char *memory, size_t bytes);

/** Free all; a zeroed struct is allowed. */
void gs_line_ingest_close(struct gs_line_ingest *ingest);

/* ---- whole lines of one input in memory (line_collector.c) --------------------- */

/*
 * They are cut by the stage above, which cuts the lines of a sort, too.
 */

/* A line of a merge takes at most this share of memory: all GS_MERGE_BATCHES buffers of all inputs may have
 * such lines, in less than half of it, and one grows; as may the output and a group of equal lines. */
#define GS_COLLECTED_SHARE(inputs)	(7 * (unsigned)(inputs) + 5)

struct gs_line_collector {
	struct gs_line_ingest ingest;
	struct gs_bytes lines[GS_MERGE_BATCHES];	/* the last ones; those before may be in use */
	struct gs_follow follow;	/* for the faults; the caller's */
	atomic_size_t *spare;	/* memory that all collectors may still take */
	size_t  inputs;		/* of the merge */
	bool    borrows;	/* the header is another collector's */
};

/** Begin; all are borrowed.  FIRST: the collector of the first input, whose header stands for all; or this
 *  one.  MONITOR, OPTIONS and FOLLOW as for gs_line_ingest_open(). */
void gs_line_collector_open(struct gs_line_collector *collector, const struct gs_line_collector *first,
                            struct gs_line_order *order, const struct gs_text_options *options,
                            struct gs_follow *follow, struct gs_monitor *monitor,
                            atomic_size_t *spare);

/** A zeroed struct is allowed; the first one is closed last. */
void gs_line_collector_close(struct gs_line_collector *collector);

#endif

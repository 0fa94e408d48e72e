// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.h - sorted elements to output: keys are verified, selected, encoded and written; items are written
 *
 *     carve; open; [open_items]; header; { sink, class_end }* in the order of the output; end
 *
 * If a GPU fails, the job starts over on the CPU, and the emit stage continues where it stopped:
 * gs_emit_resume(), then the same sequence again.  It skips keys that it has delivered; their
 * checksum must be the same as the first time.
 */
#ifndef GS_OUTPUT_EMIT_H
#define GS_OUTPUT_EMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "base/thread.h"
#include "gsort.h"
#include "io/output.h"
#include "linekey/line_order.h"
#include "output/select.h"
#include "output/top.h"
#include "output/verify.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"
#include "sort/items/items.h"
#include "sort/span.h"
#include "text/encode.h"

/* ---- the keys that were delivered before a GPU failed (delivered.c) ------------ */

/*
 * Until a GPU fails: note the spans that are about to be delivered, in order.  After gs_emit_resume(), the
 * same keys come again: skip them at the front of spans, and compare their checksum with that of the first
 * time.
 *
 * Complexity: linear in the keys noted or skipped; keys that come with a checksum, or that are not
 * noted, cost nothing.
 */

struct gs_delivered_keys {
	uint64_t keys, sum;		/* whether or not they were selected */
};

/* Zeroed: nothing is noted or skipped. */
struct gs_delivered {
	unsigned threads;		/* that compute checksums */
	bool     resumable;		/* note delivered keys, as the device may fail; else skip them */
	struct gs_delivered_keys before[GS_CLASSES];
	struct gs_delivered_keys skipped[GS_CLASSES];	/* since it failed */
};

/** The number of keys of the class that are still to be skipped. */
uint64_t gs_delivered_left(const struct gs_delivered *delivered, unsigned key_class);

/** A span is about to be delivered: note its keys, or skip the keys at its front that were delivered before.
 *  GS_EINPUT: the keys have changed. */
MUST_CHECK gs_status gs_delivered_pass(struct gs_delivered *delivered, struct gs_sorted_span *sorted);

/* ---- the output file to which a sorted key belongs, if there are several (split.c) -------- */

/*
 * Keys are numbered in sorted order, before any selection.  With N files and K keys, file F begins with key
 * floor(F * K / N).  So binary files differ by at most one key; text is cut at lines.  If a group of equal
 * keys becomes one key, that key is in one file.
 *
 * Keys of a class in memory or on a GPU are written by strands: a strand is the keys for one file.
 * Several strands are written at once, each in order.  The place of a binary key in a file depends only on
 * its number.  The place of a line depends on the lines before it, so a span of text belongs to the strand
 * of its middle key.
 *
 * The places of records of a fixed length are known, too, so many threads write them, in any order.
 */

struct gs_split {
	const struct gs_outputs *outputs;
	uint64_t keys;			/* expected, about; more keys go to the last file */
	uint64_t position;		/* the number of the next key, before selection */
	uint64_t header_bytes;		/* at the front of the first file */
	size_t   complete;		/* the number of files that get nothing more */

	/* the strands of a class, while it is drained */
	size_t   first;			/* the file of the first strand */
	size_t   record_bytes;		/* the size of a binary key in the output; 0: text */
	uint64_t *strand_at;		/* the number within the class of the first key of each */
	struct gs_span_digest *digests;	/* for all spans of each, to verify */
	size_t   strands;			/* 0: no class is drained by strands */
	uint64_t strand_keys;		/* in all strands */
	_Atomic uint64_t written;	/* bytes */
};

/** Begin; OUTPUTS is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_split_open(struct gs_split *split, const struct gs_outputs *outputs);

/** How many of the next COUNT keys belong to the same file as the first of them. */
uint64_t gs_split_together(const struct gs_split *split, uint64_t count);

/** Set *OUTPUT to the file of the next key, and complete the files before it. */
MUST_CHECK gs_status gs_split_output(struct gs_split *split, struct gs_output **output);

/** Begin a whole class, the next COUNT keys, which comes by strands; see split.strands and strand_at.
 *  False: an output is written in place, so it cannot. */
bool gs_split_begin_strands(struct gs_split *split, uint64_t count, size_t record_bytes);

/** Begin to write keys of RECORD_BYTES at their places, in the files FROM .. TO - 1.  False: an output is
 *  written in place, so that is impossible. */
bool gs_split_begin_places(struct gs_split *split, size_t record_bytes, size_t from, size_t to);

/** Write BYTES of keys, starting with key number AT; several threads may do so at once. */
MUST_CHECK gs_status gs_split_put_at(const struct gs_split *split, uint64_t at, const char *data,
                                     size_t bytes);

/** Close SPLIT, which may be zeroed. */
void gs_split_close(struct gs_split *split);

/* ---- items in another form: lines or their keys with counts, with marks; wide keys as text (show.c) */

struct gs_show {
	/** If set: append an ITEM in another form to TEXT.  TIMES: how often it occurs; or NULL. */
	gs_status (*item)(struct gs_show *show, const char *item, size_t bytes, const uint64_t *times);
	gs_status (*header)(struct gs_show *show, const char *header, size_t bytes);	/* or NULL */
	gs_status (*end)(struct gs_show *show);		/* behind the last item; or NULL */

	const struct gsort_options *options;
	const struct gs_line_order *order;	/* of lines */
	bool    keys;		/* with counts: show the keys of lines, not whole lines */
	const char *listed;	/* in JSON: the name of the list, ... */
	uint64_t elements;	/* ... the elements of the input, set before anything is shown, ... */
	bool    begun;		/* ... and whether the list has an item */
	char   *text;		/* not written yet */
	size_t  bytes, room;
};

enum { GS_CHARACTER_BYTES = 7 };

/** Write the first character of TEXT as in a JSON string, or a byte that is not UTF-8 as Python's
 *  surrogateescape does.  *READ is set to its bytes in TEXT.  Writes at most GS_CHARACTER_BYTES with a NUL,
 *  and returns their number. */
size_t gs_json_character(char *into, const char *text, size_t bytes, size_t *read);

/* ---- the stage (emit.c) -------------------------------------------------------- */

/* The encoded form of a span in a slot. */
struct gs_encoded {
	void            *data;
	size_t           bytes;
	bool             gives;		/* a pipe gets the pages of DATA */
	size_t           given;		/* bytes of the slot's memory whose pages a pipe may have */
	struct gs_span_digest digest;	/* to verify */
	size_t           taken;		/* keys of the span, before selection */
	size_t           keys;		/* keys in DATA, ... */
	struct gs_seam   seam;		/* ... and with selection, the groups around them */
};

struct gs_emit_items {
	const struct gs_item_order *order;	/* NULL: elements are keys */
	size_t    bytes;		/* written for each item, without its count; 0: they differ */
	uint64_t  left_out;		/* the next items to leave out: they were written as keys */
	struct gs_item_top *top;	/* if set: takes all items, and the end writes the most frequent */
	struct gs_show show;
};

/* Keys or items written so far. */
struct gs_written {
	_Atomic uint64_t keys, bytes;
	bool      header;
};

struct gs_emit {
	const struct gs_plan *plan;
	struct gs_monitor    *monitor;
	struct gs_split       split;	/* the output, or the files of it */
	struct gs_verify     *verify;
	struct gs_encoding    encoding;
	size_t                element_bytes;	/* an element in the output, with its count; 0: they differ */
	struct gs_select      select;
	struct gs_pick        pick;	/* before any other selection */
	uint64_t              class_position;	/* split.position before the class */
	struct gs_tail        tail;	/* if kept: takes all keys; the last ones are written at the end */
	char     *print[2];		/* one is written while keys are encoded to the other */
	unsigned  print_at;
	struct gs_delivered delivered;
	bool      class_ended[GS_CLASSES];
	struct gs_written written;

	/* for a producer with many threads */
	struct gs_encoded encoded[GS_BATCH_SLOTS_MOST];
	char     *slot_print;		/* for each slot */
	bool      gives_pages;		/* keys go to a pipe as pages, from this class on */
	struct gs_emit_items items;
};

/** Choose the format of the output from OPTIONS. */
void gs_emit_set_format(struct gs_emit *emit, const struct gsort_options *options);

/** Take buffers from ARENA; if it is not open, only add up their sizes. */
void gs_emit_carve(struct gs_emit *emit, const struct gsort_options *options,
                   const struct gs_plan *plan, struct gs_arena *arena);

/** Begin; everything is borrowed.  GS_EBUDGET. */
MUST_CHECK gs_status gs_emit_open(struct gs_emit *emit, const struct gsort_options *options,
                                  const struct gs_outputs *outputs, struct gs_verify *verify,
                                  struct gs_monitor *monitor);

/** Selected items of ORDER will come, to be written in the form that OPTIONS want.  LINES is the order of
 *  lines.  If LISTED is not NULL, write JSON: {"keys": ELEMENTS, "LISTED": [...]}.  All are borrowed. */
void gs_emit_open_items(struct gs_emit *emit, const struct gsort_options *options,
                        const struct gs_item_order *order, const struct gs_line_order *lines,
                        const char *listed);

/** KEYS keys or items will come, in all classes: decide where the files of a split end, and which
 *  positions are written.  Several processes write ALL keys, and BEFORE of these come before KEYS.
 *  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_emit_expect_keys(struct gs_emit *emit, const struct gsort_options *options,
                                         uint64_t keys, uint64_t before, uint64_t all);

/** The job starts again: skip what was delivered. */
void gs_emit_resume(struct gs_emit *emit);

/** Write the header, once. */
MUST_CHECK gs_status gs_emit_header(struct gs_emit *emit, const char *header, size_t bytes);

/** The sink for KEY_CLASS, which has about ELEMENTS keys or items; 0: unknown.  It changes spans in
 *  place. */
struct gs_span_sink gs_emit_sink(struct gs_emit *emit, unsigned key_class, uint64_t elements);

/** The same for items. */
struct gs_span_sink gs_emit_item_sink(struct gs_emit *emit, uint64_t items);

/** Write BYTES unchanged. */
MUST_CHECK gs_status gs_emit_bytes(struct gs_emit *emit, const void *data, size_t bytes);

/** Write the text of show that is not written yet. */
MUST_CHECK gs_status gs_emit_flush(struct gs_emit *emit);

/** All keys of a class have been taken. */
MUST_CHECK gs_status gs_emit_class_end(struct gs_emit *emit, unsigned key_class);

/** Are no more keys wanted, because the head is complete? */
bool gs_emit_is_complete(const struct gs_emit *emit);

/** All classes have ended: verify, and wait until the output has all bytes. */
MUST_CHECK gs_status gs_emit_end(struct gs_emit *emit);

/** Free EMIT, also after an error; it may be zeroed. */
void gs_emit_close(struct gs_emit *emit);

/* ---- a queue in place of the output: one thread hands sorted elements to another (span_queue.c) --- */

/*
 *     giver:  open; { sink, end } for each class; shut
 *     taker:  { next, until the class has ended } for each class; shut; close
 *
 * Nothing is copied: a span is borrowed until the taker asks for the next one.  A giver that sorts in
 * slots continues meanwhile, at most half of the slots ahead; any other giver waits.
 */

enum { GS_SPAN_QUEUE_OFFERS = 16 };

struct gs_span_queue {
	struct gs_queue there, back;
	struct gs_span  offers[GS_SPAN_QUEUE_OFFERS];	/* used in turn; count 0: the end of a class */
	size_t          given, returned;
	size_t          keeps;		/* offers that may be out after a span in a slot is taken */
	unsigned        threads;	/* of the giver */
	struct gs_span *borrowed;	/* the taker has it; or NULL */
	struct gs_verify *verify;
	bool            shut;		/* for the giver: the taker wants no more */
};

/** At most THREADS of a giver that sorts in slots work on spans. */
void gs_span_queue_open(struct gs_span_queue *queue, unsigned threads);

/* The giver: */

/** The sink for any class: it has enough when the taker has shut.  It notes in VERIFY the keys that it hands
 *  on.  The producer may have SLOTS. */
struct gs_span_sink gs_span_queue_sink(struct gs_span_queue *queue, struct gs_verify *verify,
                                       size_t slots);

/** All elements of the class have been given. */
void gs_span_queue_end(struct gs_span_queue *queue);

/* The taker: */

/** Wait for the next span, which may be changed; count 0: the class has ended.
 *  False: the giver has ended early. */
bool gs_span_queue_next(struct gs_span_queue *queue, struct gs_span *span);

#endif

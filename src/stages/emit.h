// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.h - sorted elements to output: keys are verified, selected, encoded and written; items are written
 *
 *     carve, open, [open_items], set_output; header; { sink, class_end }* in the order of the output; end
 *
 * If a GPU fails, the job starts over on the CPU, and the emit stage continues where it stopped:
 * gs_emit_resume(), then the same sequence again.  It skips keys that it has delivered; their
 * checksum must be the same as the first time.
 */
#ifndef GS_STAGES_EMIT_H
#define GS_STAGES_EMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "format/encode.h"
#include "gsort.h"
#include "io/output.h"
#include "plan/plan.h"
#include "sort/items/items.h"
#include "sort/span.h"
#include "stages/delivered.h"
#include "stages/pick.h"
#include "stages/select.h"
#include "stages/span_encoder.h"
#include "stages/split.h"
#include "stages/tail.h"
#include "stages/verify.h"

struct gs_emit {
	const struct gs_plan *plan;
	struct gs_monitor    *monitor;
	struct gs_split       split;	/* the output, or the files of it */
	struct gs_verify     *verify;
	struct gs_encoding    encoding;
	struct gs_select      select;
	struct gs_pick        pick;	/* before anything else is selected */
	uint64_t              ranked, class_rank;	/* keys taken; and before the class */
	struct gs_tail        tail;	/* if it is kept, keys go there, and out at the end */
	char     *print[2];		/* one is written while the other is encoded into */
	unsigned  print_at;
	bool      header_written;
	struct gs_delivered delivered;
	bool      class_ended[GS_CLASSES];
	_Atomic uint64_t keys, bytes;	/* written so far; of keys or items */
	uint64_t  strand_keys;		/* of the class that is drained by strands */
	struct gs_span_encoder encoder;	/* of a producer with many threads */

	/* items */
	const struct gs_item_order *order;	/* NULL: keys */
	size_t    written_bytes;	/* of what is written of each, without its count; 0: they differ */
	char     *counted;		/* buffer for items with counts */

	/* If set: write COUNT items from DATA to END in another form, with gs_emit_bytes(). */
	gs_status (*show)(void *context, const char *data, const char *end, size_t count,
	                  const uint64_t *times);
	void     *show_context;
};

/** Choose the format of the output from OPTIONS. */
void gs_emit_set_format(struct gs_emit *emit, const struct gsort_options *options);

/** Memory for each key that is encoded; 0: keys are written where they lie. */
size_t gs_emit_print_bytes(const struct gs_emit *emit);

/** Take buffers from ARENA, or from one that is not open: only their sum. */
void gs_emit_carve(struct gs_emit *emit, const struct gsort_options *options,
                   const struct gs_plan *plan, struct gs_arena *arena);

/** Begin; everything is borrowed. */
void gs_emit_open(struct gs_emit *emit, const struct gsort_options *options,
                  struct gs_verify *verify, struct gs_monitor *monitor);

/** What comes are items of ORDER, which the store has selected.  WRITTEN_BYTES: what is written of an item;
 *  0: all of it.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_emit_open_items(struct gs_emit *emit, const struct gs_item_order *order,
                                        size_t written_bytes);

/** Set the output, borrowed; once.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_emit_set_output(struct gs_emit *emit, const struct gs_outputs *outputs);

/** So many KEYS or items will come, of all classes: decides where files of a split end, and which ranks are
 *  written.  Of ALL keys that several processes write, BEFORE come before them.  GS_EBUDGET: no
 *  memory. */
MUST_CHECK gs_status gs_emit_expect_keys(struct gs_emit *emit, const struct gsort_options *options,
                                         uint64_t keys, uint64_t before, uint64_t all);

/** The device of this plan may fail: remember what is delivered. */
void gs_emit_expect_failure(struct gs_emit *emit);

/** The job starts again: skip what was delivered. */
void gs_emit_resume(struct gs_emit *emit);

/** Write the header, once. */
MUST_CHECK gs_status gs_emit_header(struct gs_emit *emit, const char *header, size_t bytes);

/** The sink of KEY_CLASS, which has about KEYS keys, or as many items as are expected; 0: nobody knows.
 *  Spans are changed in place. */
struct gs_span_sink gs_emit_sink(struct gs_emit *emit, unsigned key_class, uint64_t keys);

/** The same of items: those of a fixed length may be written in any order, if the outputs are several new
 *  files. */
struct gs_span_sink gs_emit_items_sink(struct gs_emit *emit, uint64_t items);

/** Write BYTES as they are. */
MUST_CHECK gs_status gs_emit_bytes(struct gs_emit *emit, const void *data, size_t bytes);

/** The same of *BYTES, which become 0. */
MUST_CHECK gs_status gs_emit_flush(struct gs_emit *emit, const void *data, size_t *bytes);

/** All keys of a class have been taken. */
MUST_CHECK gs_status gs_emit_class_end(struct gs_emit *emit, unsigned key_class);

/** Are no more keys wanted, because the head is complete? */
bool gs_emit_is_complete(const struct gs_emit *emit);

/** All classes have ended: verify, and wait until all is with the output. */
MUST_CHECK gs_status gs_emit_end(struct gs_emit *emit);

/** Free what is left after an error; a zeroed struct is allowed. */
void gs_emit_close(struct gs_emit *emit);

#endif

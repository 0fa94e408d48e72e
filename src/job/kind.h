// SPDX-License-Identifier: BSD-2-Clause
/*
 * kind.h - what the elements of a job are: keys (keys.c), records (items.c), lines (line_job.c), or for
 * figures the keys that are a column of lines, or a field of records (keys.c)
 *
 *     adapt; describe; allocate, again for another plan; [open_emit]; read, again if the job starts over;
 *     header; close
 *
 * A job that begins with numbers may become one of lines while it reads (turn.c), and begins again with
 * describe.
 *
 * Keys of 128 bits and --argsort of binary keys are records, and --argsort of text is of lines.
 */
#ifndef GS_JOB_KIND_H
#define GS_JOB_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"

struct gs_follow;
struct gs_line_printer;
struct gs_taker;

struct gs_kind {
	bool items;	/* of the engine */

	/** Set the options of JOB to others that mean the same, and are done with less. */
	void (*adapt)(struct gsort *job);

	/** Understand the keys, after gs_ingest_set_format().  GS_EUSAGE: one is wrong.  NULL: there are
	 *  none. */
	gs_status (*describe)(struct gsort *job);

	/** Bytes of an element in the input; 0: text. */
	size_t (*element_bytes)(const struct gsort *job);

	/** Is the output no text? */
	bool (*writes_binary)(const struct gsort *job);

	/** Get memory, as planned, and open JOB->engine.  GS_EBUDGET. */
	gs_status (*allocate)(struct gsort *job);

	/** Can temporary files be made?  GS_EIO. */
	gs_status (*check_disk)(struct gsort *job);

	/** Let JOB->emit write elements as the options say.  GS_EBUDGET.  NULL: nothing is to be done. */
	gs_status (*open_emit)(struct gsort *job);

	/** Of items: make them of *DATA, *BYTES of elements as they are read, which is freed if they are
	 *  others.  GS_EBUDGET. */
	gs_status (*make_items)(const struct gsort *job, char **data, size_t *bytes);

	/** Read all input, for TAKER. */
	gs_status (*read)(struct gsort *job, const struct gs_taker *taker);

	/** After that: what stands in the output before COUNT elements, for a .npy file made of that.
	 *  GS_EBUDGET. */
	gs_status (*header)(struct gsort *job, uint64_t count, const char **header, size_t *bytes);

	/** Compare all elements with the ones before, and store none.  GS_EINPUT: one is invalid, or out
	 *  of order (follow->disorder). */
	gs_status (*check)(struct gsort *job, struct gs_follow *follow);

	/** Print the elements that are sorted, and after that the memory that is used. */
	void (*explain)(const struct gs_line_printer *to, const struct gsort *job);
	void (*explain_memory)(const struct gs_line_printer *to, const struct gsort *job);

	/** Report what was read, and by what: bytes, elements, invalid lines. */
	void (*count)(const struct gsort *job, struct gsort_stats *stats);
};

MUST_CHECK gs_status gs_keys_check(struct gsort *job, struct gs_follow *follow);	/* check.c */
MUST_CHECK gs_status gs_records_check(struct gsort *job, struct gs_follow *follow);
void gs_keys_explain(const struct gs_line_printer *to, const struct gsort *job);	/* explain.c */
void gs_records_explain(const struct gs_line_printer *to, const struct gsort *job);
void gs_lines_explain(const struct gs_line_printer *to, const struct gsort *job);
void gs_keys_explain_memory(const struct gs_line_printer *to, const struct gsort *job);
void gs_items_explain_memory(const struct gs_line_printer *to, const struct gsort *job);

extern const struct gs_kind gs_keys, gs_records, gs_lines, gs_column, gs_field;

/** What OPTIONS sort. */
const struct gs_kind *gs_kind_of(const struct gsort_options *options);

#endif

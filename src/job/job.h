// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job: the objects that it is made of, and its operations
 *
 * Each object owns its state and is known to the others only by what its header offers.  The
 * sequence of one operation is in sort.c, merge.c or check.c.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/monitor.h"
#include "base/status.h"
#include "gsort.h"
#include "io/input.h"
#include "io/output.h"
#include "plan/items.h"
#include "plan/plan.h"
#include "sort/set_merge.h"
#include "spill/file.h"
#include "figures/answer.h"
#include "output/emit.h"
#include "engine/engine.h"
#include "ingest/ingest.h"
#include "engine/item_store.h"
#include "ingest/line_ingest.h"
#include "engine/store.h"
#include "output/verify.h"

struct gs_follow;
struct gs_line_printer;
struct gs_merge_input;
struct gs_ranked;

/* ---- what the elements of a job are (keys.c, items.c, line_job.c) ------------ */

/*
 * A kind is filled in above all that asks it; api.c gives it to a job, which chooses it in open.c.
 *
 * Keys (keys.c), records (items.c), lines (line_job.c), or for figures the keys that are a column of lines,
 * or a field of records (keys.c).
 *
 *     adapt; describe; allocate, again for another plan; [open_emit]; read, again if the job starts over;
 *     header; close
 *
 * A job that begins with numbers may become one of lines while it reads (fallback.c), and begins again with
 * describe.
 *
 * Keys of 128 bits and --argsort of binary keys are records, and --argsort of text is of lines.
 */

struct gs_kind {
	/** Set the options of JOB to others that mean the same, and are done with less. */
	void (*adapt)(struct gsort *job);

	/** Understand the keys, after gs_ingest_set_format(), and set the bytes of an element if it has
	 *  others.  GS_EUSAGE: one is wrong.  NULL: there are none. */
	gs_status (*describe)(struct gsort *job);

	/** The facts about them for a plan. */
	void (*plan)(struct gs_plan_input *input);
	const char *cpu_rule;

	/** Add to that the memory which elements of this kind need beside them; GUESSED: the size of the
	 *  input is a hint. */
	void (*keep)(const struct gsort *job, struct gs_plan_input *input, bool guessed);

	/** For a sort, and for a merge: get memory, as planned, and open JOB->engine.  GS_EBUDGET. */
	gs_status (*allocate[2])(struct gsort *job);

	/** Can temporary files be made?  GS_EIO. */
	gs_status (*check_disk)(struct gsort *job);

	/** Let JOB->emit write elements as the options say.  GS_EBUDGET.  NULL: nothing is to be done. */
	gs_status (*open_emit)(struct gsort *job);

	/** Read all input, for TAKER. */
	gs_status (*read)(struct gsort *job, const struct gs_taker *taker);

	/** Before that, for a rank of several: set *TAKER, the engine's, to one that deals out elements to
	 *  the ranks that own them.  GS_EBUDGET. */
	gs_status (*deal)(struct gsort *job, struct gs_taker *taker);

	/** After that: what stands in the output before the elements. */
	gs_status (*header)(struct gsort *job, const char **header, size_t *bytes);

	/** Merge inputs that are in order, or operands of a set.  GS_EINPUT: one of them is not. */
	gs_status (*merge)(struct gsort *job);

	/** A file of that is open: begin to read its elements.  GS_EBUDGET. */
	gs_status (*begin_input)(struct gs_merge_input *input);

	/** Of items: the next of that file; none at the end. */
	gs_status (*fill)(struct gs_merge_input *input, struct gs_item_slice *items);

	/** Compare all elements with the ones before, and store none.  GS_EINPUT: one is invalid, or out
	 *  of order (follow->disorder). */
	gs_status (*check)(struct gsort *job, struct gs_follow *follow);

	/** The work that it is to do what INPUT says, which is as planned, but of any size; *KEPT: the bytes
	 *  that a sort keeps.  A merge that sorts becomes a sort in INPUT. */
	enum gs_work (*work)(const struct gsort *job, struct gs_plan_input *input, uint64_t *kept);

	const struct gs_answer_of *figures;	/* how they are made; NULL: there are none */

	const char *type;	/* of elements, for people; NULL: that of the options */

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

extern const struct gs_kind gs_keys, gs_records, gs_lines, gs_text_numbers, gs_column, gs_field;

/** What OPTIONS sort. */
const struct gs_kind *gs_kind_of(const struct gsort_options *options);

/* ---- lines that are compared as numbers are numbers, until one of them is none (fallback.c) ---- */

/*
 * Of -n and -g:
 *
 *     begin, as lines adapt; end, if an input is compressed or a line is no such number
 *
 * While each line of its files is what gsort prints for its number, the job sorts numbers, several times as
 * fast.  At the first other line it becomes one of lines (sort.c), and reads the files again.
 */

struct gs_turn {
	bool      may;			/* the job may become one of: */
	struct gsort_options lines;
	bool      ended;
};

/** Make OPTIONS, of lines, those of a sort of numbers; false: that is not how it may begin. */
bool gs_turn_begin(struct gs_turn *turn, struct gsort_options *options);

/** Make them those of lines again, for good. */
void gs_turn_end(struct gs_turn *turn, struct gsort_options *options);

/* ---- the files that a job reads and writes, by any name (files.c) ----------- */

/*
 * A job may write to the file that it reads.  Two outputs that are one file are refused where they are
 * opened (io/output.h).  gsort_clash() is for files that the caller reads or writes beside the job.
 */

/** The input that is the one output, too; NULL: none, or there are several outputs. */
const char *gs_job_rewrites(const struct gsort_options *options);

/* ---- data lost without an error: "gsort f > f", "gsort -o f" ------------------- */

/* Zeroed: nothing can be lost. */
struct gs_lost {
	uint64_t output_bytes;	/* that the output had before, if no input is named */
};

/** Before the output is opened: look at it, and warn if it is an input that has become empty. */
void gs_lost_open(struct gs_lost *lost, const struct gsort_options *options,
                  const struct gs_monitor *monitor);

/** After a sort that has read BYTES: warn if it has emptied its output, and nothing else. */
void gs_lost_close(const struct gs_lost *lost, const struct gsort_options *options, uint64_t bytes,
                   const struct gs_monitor *monitor);

/* ---- enter the sandbox before anything is decompressed (sandbox_policy.c) ---- */

/* Once entered, the sandbox holds for the process to its end (base/sandbox.h). */

/** Enter it, if options.sandbox is set and an input of JOB, whose files are open, may be compressed; before
 *  any other thread exists. */
void gs_confine(struct gsort *job);

/* ---- the job -------------------------------------------------------------------- */

/* A sort of keys has these; lines have the reader that is ahead, too. */
struct gs_key_job {
	struct gs_arena  arena;		/* all buffers of a sort, merge or check */
	struct gs_ingest ingest;
	struct gs_store  store;
	struct gs_turn   turn;		/* of lines, if they begin as numbers */
};

/* A job of lines by key has these. */
struct gs_line_job {
	struct gs_line_order  order;
	struct gs_line_items  whole, behind_numbers;	/* of orders of items */
	struct gs_follow      follow;	/* of a check or merge */
	struct gs_line_ingest ingest;
	struct gs_line_column column;	/* of a job of figures */
	struct gs_arena       arena;	/* its chunks, unless keys.ingest has them */
	char                 *chunks;
	struct gs_arena       numbered;	/* pieces of --argsort */
	struct gs_record      number;	/* an item of --argsort of text, which is read as: */
	const struct gs_text_options *text;	/* or NULL: lines are no numbers */
	size_t                chunk_bytes;
	size_t                line_most, header_most;	/* see ingest/line_ingest.h */
};

/* A job of records, lines or wide keys has these. */
struct gs_items {
	struct gs_record_ingest ingest;
	struct gs_item_order    order, written;	/* of sorted items, and of the output's */
	const struct gs_item_order *by;		/* ORDER; NULL: elements are keys */
	struct gs_item_store   *store;
	struct gs_item_firsts  *firsts;	/* of --keep-order, in place of it */
	struct gs_show          show;	/* lines with counts or as JSON, wide keys as text */
	const char             *listed;	/* as JSON, and under this name; or NULL */
	struct gs_item_top      top;	/* of --top */
	struct gs_line_job      lines;
};

/* What a job reads and writes, and what may be lost in it. */
struct gs_job_files {
	struct gs_input      *input;
	struct gs_outputs     outputs;
	const char           *temp_dir;	/* of options without any */
	struct gs_lost        lost;
};

/* How far a job is: it runs once, and each phase is timed (sort.c). */
struct gs_phases {
	atomic_bool      began;		/* by gsort_run() */
	atomic_bool      interrupted;	/* by gsort_interrupt() */
	enum gsort_phase now;		/* that is being timed, ... */
	double           since;		/* ... and when it began */
};

struct gsort {
	struct gs_ranked    *ranked;		/* what it is among the ranks; alone: the only one */
	struct gsort_options options;		/* a copy of the caller's; a rank has changed it */
	const struct gs_kind *(*kind_of)(const struct gsort_options *options);
	const struct gs_kind *kind;		/* of elements */
	struct gs_limits     limits;		/* of the machine; cores 0: not read yet */
	struct gs_plan_input plan_input;
	struct gs_plan       plan;
	struct gs_monitor    monitor;
	struct gsort_stats   stats;
	struct gs_phases     phases;
	struct gs_job_files  files;
	struct gs_key_job    keys;
	struct gs_items      items;
	struct gs_engine     engine;	/* of keys.store or items.store; context NULL: not open */
	struct gs_emit       emit;
	struct gs_verify     verify;

	_Atomic(struct gs_combination *) set;	/* of a set operation: combine.c */
	struct gs_handover *handover;	/* or: it sorts one input of that, and hands its elements over */
};

/** Is it a set operation of keys, which merges the operands, each sorted by a job of its own (combine.c)? */
static inline bool
gs_job_combines(const struct gsort *job)
{
	return job->options.set != GSORT_NO_SET && job->options.operation == GSORT_MERGE;
}

/* ---- open inputs and output, plan, and get memory (open.c) ------------------ */

/** Open inputs and output, plan, get memory: all that can fail before a job runs. */
MUST_CHECK gs_status gs_job_open(struct gsort *job);

/** The same for a job that sorts one input of the set operation WHOLE: its elements go to JOB->handover. */
MUST_CHECK gs_status gs_job_open_operand(struct gsort *job, const struct gsort *whole);

/** How all inputs are opened; of a merge, one of them is opened in the same way. */
struct gs_input_options gs_job_input_options(struct gsort *job);

/** Free what gs_job_open() has opened, and what came after. */
void gs_job_close(struct gsort *job);

/** Plan again with the facts known by now, and open the stages up to the store in the memory of the
 *  new plan; the keys that they had are lost. */
MUST_CHECK gs_status gs_job_replan(struct gsort *job);

/** JOB, which reads on, has other options now: choose its kind, plan, and get memory again. */
MUST_CHECK gs_status gs_job_reopen(struct gsort *job);

/* ---- what records, lines and --argsort have of their own (items.c) ---------- */

/** The most frequent items are counted items. */
void gs_items_adapt(struct gsort *job);

/** The sizes of its items (plan/items.h), of a sort or of a check of lines. */
struct gs_item_sizes gs_items_sizes(const struct gsort *job);

/** What a sort of INPUT keeps, of items of EACH about: of a head little, with numbers more.  A merge that
 *  sorts becomes a sort. */
uint64_t gs_items_kept(const struct gsort *job, struct gs_plan_input *input, uint64_t each);

void gs_items_plan(struct gs_plan_input *input);
void gs_items_keep(const struct gsort *job, struct gs_plan_input *input, bool guessed);
#define GS_MANY_VALUES	"so many values (--top, --sample, --tail, --histogram)"
#define GS_ITEMS_ON_CPU	"records and lines are sorted on the CPU"

/** A merge that does not become a sort has buffers of its own. */
gs_status gs_items_allocate_none(struct gsort *job);

/** Open JOB->engine, with SIZES.  GS_EBUDGET. */
MUST_CHECK gs_status gs_items_open_engine(struct gsort *job, const struct gs_item_sizes *sizes);

/** Check that temporary files can be made. */
MUST_CHECK gs_status gs_items_check_disk(struct gsort *job);

/** Set the bytes, items and invalid lines of the input in STATS. */
void gs_items_count_read(const struct gsort *job, struct gsort_stats *stats);

/* ---- what only a job of lines by key has (line_job.c) -------------------------- */

enum { GS_LINE_ABOUT_BYTES = 24 };	/* of a line, about */

/** Read the options of the order of the lines, whose keys are numbers if it is STRICT.  GS_EUSAGE: one is
 *  wrong. */
MUST_CHECK gs_status gs_line_job_order(struct gsort *job, bool strict);

/** Read all lines to TAKER, or to FOLLOW, which compares neighbours; either may be NULL. */
MUST_CHECK gs_status gs_line_job_read(struct gsort *job, const struct gs_taker *taker,
                                      struct gs_follow *follow);

/* ---- what it takes, about, and how much of that is done (forecast.c) ----------- */

/** What JOB takes; of compressed files, by a guess of what is in them. */
void gs_job_forecast(const struct gsort *job, struct gs_forecast *forecast);

/** Its batches and temporary files: of a column, those of the keys that it keeps. */
void gs_job_estimate(const struct gsort *job, struct gs_estimate *estimate);

/** Will a merge of items be a sort, even if the output does not overwrite an input?  Its SIZES are set. */
bool gs_items_merge_sorts(const struct gsort *job, struct gs_item_merge_sizes *sizes);

/** It is planned: store in its counters what the plan expects. */
void gs_job_expect(struct gsort *job);

/** All has been read: the same, if the size of the input was unknown. */
void gs_job_expect_the_rest(struct gsort *job);

/** Set the work in PROGRESS, whose other members are set. */
void gs_job_work(const struct gsort *job, struct gsort_progress *progress);

/* ---- phases: for progress, for the caller, and how long each took (sort.c) ----- */

/** The job begins to read, sort or write: PHASE.  The seconds since the phase before it began, if
 *  that is not over, are added to the statistics. */
void gs_phase_begin(struct gsort *job, enum gsort_phase phase);

/** The phase is over; its seconds are added.  Nothing may have begun. */
void gs_phase_end(struct gsort *job);

/* ---- the sequence of a sort (sort.c) ------------------------------------------- */

/** Sort everything, on another device if the first one fails. */
MUST_CHECK gs_status gs_job_sort(struct gsort *job);

/** Write the header, then all elements of the engine, and finish the output. */
MUST_CHECK gs_status gs_job_emit(struct gsort *job, const char *header, size_t header_bytes);

/* ---- sorted inputs become one (merge.c) ---------------------------------------- */

/** Merge all inputs of JOB to its output.  GS_EINPUT: one of them is not in order. */
MUST_CHECK gs_status gs_keys_merge(struct gsort *job);
MUST_CHECK gs_status gs_items_merge(struct gsort *job);

/* ---- is the input sorted? (check.c) -------------------------------------------- */

/** Check the inputs of JOB as if they were one; *DISORDER is set to the answer. */
MUST_CHECK gs_status gs_job_check(struct gsort *job, bool *disorder);

/* ---- union, intersection and difference of inputs (combine.c) ------------------ */

/*
 * Each input is sorted by a job of its own, larger than memory or not.  The jobs read one after the other,
 * so that no input is opened before the one before it has ended, and share the memory.  Their sorted keys
 * are merged as they come.
 */

/** Run the set operation that the options want: open a job for each input, merge them all. */
MUST_CHECK gs_status gs_job_combine(struct gsort *job);

/** What SET keeps. */
static inline enum gs_set_keep
gs_set_keep_of(enum gsort_set set)
{
	switch (set) {
	case GSORT_UNION:      return GS_KEEP_UNION;
	case GSORT_INTERSECT:  return GS_KEEP_INTERSECTION;
	case GSORT_DIFFERENCE: return GS_KEEP_DIFFERENCE;
	default:               return GS_KEEP_SYMMETRIC;
	}
}

/** Add the figures of all inputs to those of the job. */
void gs_combine_stats(struct gsort *job);

/** The sum of what the jobs of all inputs have counted so far; any thread. */
void gs_combine_progress(const struct gsort *job, struct gsort_progress *progress);

/** Stop and free the jobs of all inputs, if there are any. */
void gs_combine_close(struct gsort *job);

/* ---- run one of them, and report on it (run.c) --------------------------------- */

/** gsort_run(), of a job that has not run yet. */
gsort_status gs_job_run(struct gsort *job);

#endif

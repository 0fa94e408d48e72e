// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job: the objects that it is made of
 *
 * Each object owns its state and is known to the others only by what its header offers.  The
 * sequence of one operation is in sort.c, merge.c or check.c.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "gsort.h"
#include "io/input.h"
#include "io/output.h"
#include "job/files.h"
#include "job/kind.h"
#include "job/npy.h"
#include "job/sandbox_policy.h"
#include "job/turn.h"
#include "plan/plan.h"
#include "stages/answer.h"
#include "stages/emit.h"
#include "stages/engine.h"
#include "stages/handover.h"
#include "stages/ingest.h"
#include "stages/item_store.h"
#include "stages/line_ingest.h"
#include "stages/store.h"
#include "stages/verify.h"

struct gs_ranked;

/* A sort of keys has these; lines have the reader that is ahead, too. */
struct gs_key_job {
	struct gs_ingest ingest;
	struct gs_store  store;
	struct gs_turn   turn;		/* of lines, if they begin as numbers */
};

/* A job of lines by key has these. */
struct gs_line_job {
	struct gs_line_order  order;
	struct gs_follow      follow;	/* of a check or merge */
	struct gs_line_ingest ingest;
	struct gs_line_column column;	/* of a job of figures */
	struct gs_arena       arena;	/* its chunks, unless keys.ingest has them */
	char                 *chunks;
	struct gs_arena       numbered;	/* pieces of --argsort */
	struct gs_record      number;	/* an item of --argsort of text */
	size_t                chunk_bytes;
	size_t                line_most, header_most;	/* see stages/line_ingest.h */
};

/* A job of records, lines or wide keys has these. */
struct gs_items {
	struct gs_record_ingest ingest;
	struct gs_item_order    order;
	struct gs_item_store   *store;
	struct gs_show          show;	/* lines with counts, wide keys as text */
	struct gs_item_top      top;	/* of --top */
	struct gs_npy_inputs    npy;
	const char             *temp_dir;	/* of options without any */
	struct gs_line_job      lines;
};

/* What a job reads and writes, what may be lost in it, and the sandbox around it. */
struct gs_job_files {
	struct gs_input      *input;
	struct gs_outputs     outputs;
	struct gs_lost        lost;
	struct gs_confinement confinement;
};

/* How far a job is: it runs once, and each phase is timed (phase.c). */
struct gs_phases {
	atomic_bool      began;		/* by gsort_run() */
	atomic_bool      interrupted;	/* by gsort_interrupt() */
	enum gsort_phase now;		/* that is being timed, ... */
	double           since;		/* ... and when it began */
};

struct gsort {
	struct gs_ranked    *ranked;		/* NULL: this process sorts alone */
	struct gsort_options options;		/* a copy of the caller's; a rank has changed it */
	const struct gs_kind *kind;		/* of elements */
	struct gs_plan_input plan_input;
	struct gs_plan       plan;
	struct gs_monitor    monitor;
	struct gsort_stats   stats;
	struct gs_phases     phases;
	struct gs_arena      arena;		/* all buffers of a sort or merge */
	struct gs_job_files  files;
	struct gs_key_job    keys;
	struct gs_items      items;
	struct gs_engine     engine;	/* of keys.store or items.store; context NULL: not open */
	struct gs_emit       emit;
	struct gs_verify     verify;

	_Atomic(struct gs_combination *) set;	/* of a set operation: combine.c */
	struct gs_handover *handover;	/* or: it sorts one input of that, and hands its elements over */
};

#endif

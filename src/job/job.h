// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job: the objects that it is made of
 *
 * Each object owns its state and is known to the others only by what its header offers.  The
 * sequence of one operation is in sort.c, merge.c or check.c.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include "base/arena.h"
#include "base/monitor.h"
#include "gsort.h"
#include "io/input.h"
#include "io/outputs.h"
#include "job/rendezvous.h"
#include "job/sandbox_policy.h"
#include "plan/plan.h"
#include "stages/emit.h"
#include "stages/ingest.h"
#include "stages/store.h"
#include "stages/verify.h"

struct gs_ranked;

struct gsort {
	const struct gsort_options *options;	/* the caller's; of a rank, what it makes of them */
	struct gs_ranked    *ranked;		/* NULL: this process sorts alone */
	struct gs_plan_input plan_input;
	struct gs_plan       plan;
	struct gs_monitor    monitor;
	struct gsort_stats   stats;
	struct gs_arena      arena;		/* all buffers of a sort or merge */
	struct gs_arena      recording;		/* what may have to be read again */
	struct gs_input     *input;
	struct gs_outputs    outputs;
	struct gs_ingest     ingest;
	struct gs_store      store;
	struct gs_emit       emit;
	struct gs_verify     verify;
	struct gs_confinement confinement;
	struct gs_rendezvous rendezvous;
};

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox_policy.h - enter the sandbox before anything is decompressed
 *
 * Once entered, the sandbox holds for the process to its end (base/sandbox.h).
 */
#ifndef GS_SANDBOX_POLICY_H
#define GS_SANDBOX_POLICY_H

#include <pthread.h>
#include <stdbool.h>

#include "base/monitor.h"
#include "gsort.h"
#include "io/output.h"
#include "plan/plan.h"

struct gs_confinement {
	const struct gsort_options *options;
	const struct gs_plan       *plan;
	const struct gs_outputs    *outputs;	/* of the job, once they are open */
	struct gs_monitor          *monitor;
	pthread_mutex_t lock;		/* guards DONE */
	bool            done;
};

/** Begin; everything is borrowed. */
void gs_confinement_open(struct gs_confinement *confinement, const struct gsort_options *options,
                         const struct gs_plan *plan, const struct gs_outputs *outputs,
                         struct gs_monitor *monitor);

/**
 * Enter the sandbox, if options.sandbox is set, before anything is decompressed.  The first call
 * does so; other threads wait for it.
 *
 * @context  the struct gs_confinement
 */
void gs_confine(void *context);

void gs_confinement_close(struct gs_confinement *confinement);

#endif

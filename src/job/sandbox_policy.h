// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox_policy.h - what a job that decompresses still may do
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
	struct gs_output *const    *output;	/* where the job keeps its output, or NULL there */
	struct gs_monitor          *monitor;
	pthread_mutex_t lock;		/* guards DONE */
	bool            done;
};

/** Begin; everything is borrowed. */
void gs_confinement_open(struct gs_confinement *confinement, const struct gsort_options *options,
                         const struct gs_plan *plan, struct gs_output *const *output,
                         struct gs_monitor *monitor);

/**
 * Before anything is decompressed: give up what the job does not need (options.sandbox).  Does
 * so once; any thread, others wait until it is done.
 *
 * @context  the struct gs_confinement
 */
void gs_confine(void *context);

void gs_confinement_close(struct gs_confinement *confinement);

#endif

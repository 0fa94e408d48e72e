// SPDX-License-Identifier: BSD-2-Clause
/* phase.h - the phases of a job: for progress, for the caller, and how long each took */
#ifndef GS_JOB_PHASE_H
#define GS_JOB_PHASE_H

#include "job/job.h"

/** The job begins to read, sort or write: PHASE.  The seconds since the phase before it began, if
 *  that is not over, are added to the statistics. */
void gs_phase_begin(struct gsort *job, enum gsort_phase phase);

/** The phase is over; its seconds are added.  Nothing may have begun. */
void gs_phase_end(struct gsort *job);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked_figures.h - figures about the elements of all ranks, and the most frequent ones of them
 *
 * Each rank has the elements of a range, in order, so the ranks of their order that it takes follow those of
 * the rank before it; and equal ones are on one rank if that matters.  So sums, counts and keys by their rank
 * are added up, and the most frequent values of each are compared by rank 0.
 *
 * All are collective.  A job alone is the only one of its ranks.
 */
#ifndef GS_RANKED_FIGURES_H
#define GS_RANKED_FIGURES_H

#include "job/job.h"

/** What this rank has of all elements, which have been sorted: PART. */
MUST_CHECK gs_status gs_ranked_part(struct gsort *job, struct gs_answer_part *part);

/** All classes have ended on all ranks: add what they have to the FIGURES of rank 0.  Of a job alone:
 *  verify. */
MUST_CHECK gs_status gs_ranked_join(struct gsort *job, struct gs_answer *figures);

/** This rank has found its most frequent items, or has failed with STATUS: give them to rank 0. */
MUST_CHECK gs_status gs_ranked_top(struct gsort *job, gs_status status);

#endif

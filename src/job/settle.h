// SPDX-License-Identifier: BSD-2-Clause
/*
 * settle.h - what several ranks do between the stages of a sort
 *
 *     open_gpu; deal; the job reads; settle; place; the job writes; finish
 *
 * All are collective.  After a failure gs_ranks_abort() must end the other ranks, unless ranks->agreed.
 * A job alone is the only one of its ranks: it keeps what it reads, and its output is the whole.
 */
#ifndef GS_SETTLE_H
#define GS_SETTLE_H

#include "job/job.h"

/** Open the GPU that the plan demands, if it does; of several ranks.  GS_ENODEV. */
MUST_CHECK gs_status gs_ranked_open_gpu(struct gsort *job);

/** TAKER is the engine's; set to one that deals out elements to the ranks that own them.  GS_EBUDGET. */
MUST_CHECK gs_status gs_ranked_deal(struct gsort *job, struct gs_taker *taker);

/** All has been read: take the blocks still to come, and share histograms. */
MUST_CHECK gs_status gs_ranked_settle(struct gsort *job);

/** After that: the keys that this rank has. */
uint64_t gs_ranked_keys(const struct gsort *job);

/** This rank has COUNT elements, or groups of items, that may leave: begin its output, with a header of
 *  HEADER_BYTES. */
MUST_CHECK gs_status gs_ranked_place(struct gsort *job, uint64_t count, size_t header_bytes);

/** The job has written everything, or has failed with STATUS: verify, and finish the output of all; or
 *  let all remove what they have written. */
MUST_CHECK gs_status gs_ranked_finish(struct gsort *job, gs_status status);

/** Check the order.  The message of the first disorder is that of the rank that has it, and empty on the
 *  others. */
MUST_CHECK gs_status gs_ranked_check(struct gsort *job, bool *disorder);

#endif

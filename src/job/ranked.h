// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked.h - the job of one rank, of several that sort together
 *
 * Each rank has a job of its own: its part of the inputs, its plan, its memory, its store.  Its options
 * and limits are here; settle.h has what it does between the stages of a sort.
 */
#ifndef GS_RANKED_H
#define GS_RANKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "job/parts.h"
#include "job/ranked_output.h"
#include "job/item_spread.h"
#include "job/spread.h"
#include "net/ranks.h"
#include "plan/plan.h"

struct gs_ranked {
	struct gs_ranks            *ranks;
	struct gs_ranked           *whole;	/* of a set operation of which this sorts an operand; its
						 * spread has the splitters of all operands */
	struct gsort_options        given;	/* the caller's; a merge has become a sort */
	struct gsort_options        options;	/* of the job of this rank */
	struct gs_parts             parts;
	struct gs_spread            spread;
	struct gs_item_spread       item_spread;	/* in its place, for items */
	struct gs_ranked_output     output;
	unsigned                    sharers;	/* ranks that share the cores of this one */
	size_t                      window_bytes;
};

/**
 * Look what the inputs are, and which part of them this rank reads; collective.
 *
 * @ranked  set; NULL if the caller is alone: OPTIONS have no ranks, or only one
 * @return  GS_OK; GS_EUSAGE: several ranks cannot do that; as gs_parts_open()
 */
MUST_CHECK gs_status
gs_ranked_open(struct gs_ranked **ranked, const struct gsort_options *options);

/** A merge by ranks is a sort: must the caller check first that each input is sorted? */
bool gs_ranked_checks_merge(const struct gs_ranked *ranked);

/** Set the options of the job of this rank, and open its output; collective. */
MUST_CHECK gs_status gs_ranked_begin(struct gs_ranked *ranked);

/** Look which part of an operand of the set operation WHOLE this rank reads, and set *OPTIONS, which have
 *  that one input, to those of the job that sorts it; collective.  WHOLE is NULL in a job alone, and so is
 *  *RANKED then. */
MUST_CHECK gs_status gs_ranked_open_operand(struct gs_ranked **ranked, struct gsort_options *options,
                                            struct gs_ranked *whole);

/* RANKED is NULL in a job alone: it has all of the machine, and agrees with itself. */

/** Divide what the machine has by the ranks on it. */
void gs_ranked_limit(struct gs_ranked *ranked, struct gs_plan_input *input);

/** The bytes of all input, of which OWN are of a job alone; UINT64_MAX: they are unknown. */
uint64_t gs_ranked_bytes(const struct gs_ranked *ranked, uint64_t own);

/** Fit the plan to the window. */
void gs_ranked_adapt(const struct gs_ranked *ranked, struct gs_plan *plan);

/** As gs_ranks_agree(). */
MUST_CHECK gs_status gs_ranked_agree(struct gs_ranked *ranked, gs_status status);

/** Keys or records, of BYTES each, that other ranks check of the file called NAME. */
uint64_t gs_ranked_before(const struct gs_ranked *ranked, const char *name, size_t bytes);

/** Is this the rank that speaks for all? */
bool gs_ranked_speaks(const struct gs_ranked *ranked);

/** Add up what all ranks have done; collective. */
MUST_CHECK gs_status
gs_ranked_sum_stats(struct gs_ranked *ranked, struct gsort_stats *stats);

/** NULL is allowed. */
void gs_ranked_close(struct gs_ranked *ranked);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_faults.h - lines whose strict keys are no numbers: refused, or left out
 *
 * Of one input after the other; format/line_order.h says what is wrong with a line.
 */
#ifndef GS_STAGES_LINE_FAULTS_H
#define GS_STAGES_LINE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/line_order.h"
#include "format/text.h"
#include "sort/follow.h"

struct gs_line_faults {
	const struct gs_line_order   *order;
	const struct gs_text_options *options;	/* what to do with lines at fault, and how lines count */
	struct gs_follow             *follow;	/* compares neighbours; NULL: nobody does */
	const char *advice;	/* ends the message about disorder */
	const char *name;	/* of the input */
	uint64_t    shown;	/* lines of it so far, as an editor counts them */
	uint64_t    invalid;	/* lines left out, of all inputs */
};

/** How many lines an editor shows of COUNT lines from BEGIN to END: with CSV, one may be several. */
uint64_t gs_line_shown(const struct gs_line_faults *faults, const char *begin, const char *end,
                       size_t count);

/** Is one of the lines from DATA to END at fault?  If not, *SHOWN is set to how many an editor shows. */
bool gs_line_has_fault(const struct gs_line_faults *faults, const char *data, const char *end,
                       uint64_t *shown);

/**
 * Compare the lines from DATA to *END with the ones before, if they are followed, and move those that are
 * not at fault together: *END is where they end then.
 *
 * @return  GS_OK; GS_EINPUT: a line is refused, or out of order; GS_EBUDGET
 */
MUST_CHECK gs_status gs_line_leave_out(struct gs_line_faults *faults, char *data, const char **end);

#endif

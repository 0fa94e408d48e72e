// SPDX-License-Identifier: BSD-2-Clause
/*
 * lost.h - warn of commands that lose data without an error: "gsort f > f", "gsort -o f"
 */
#ifndef GS_LOST_H
#define GS_LOST_H

#include <stdint.h>

#include "base/monitor.h"
#include "gsort.h"

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

#endif

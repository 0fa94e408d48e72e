// SPDX-License-Identifier: BSD-2-Clause
/*
 * figures.h - figures about keys as text or JSON
 */
#ifndef GS_STAGES_FIGURES_H
#define GS_STAGES_FIGURES_H

#include <stdint.h>

#include "base/status.h"
#include "io/output.h"
#include "stages/answer.h"

/**
 * Write the figures of ANSWER, which has ended, as lines or as one of JSON.
 *
 * @bytes  so many are added to it
 */
MUST_CHECK gs_status
gs_figures_write(const struct gs_answer *answer, struct gs_output *output, uint64_t *bytes);

#endif

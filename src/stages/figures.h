// SPDX-License-Identifier: BSD-2-Clause
/*
 * figures.h - figures about keys as text or JSON
 */
#ifndef GS_STAGES_FIGURES_H
#define GS_STAGES_FIGURES_H

#include <stddef.h>

#include "base/status.h"
#include "stages/answer.h"

/**
 * Print the figures of ANSWER, which has ended.
 *
 * @text   set to lines, or to one of JSON; to be freed
 * @bytes  set to their length
 * @return GS_OK; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status gs_figures_print(const struct gs_answer *answer, char **text, size_t *bytes);

#endif

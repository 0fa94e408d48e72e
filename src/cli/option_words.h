// SPDX-License-Identifier: BSD-2-Clause
/* option_words.h - what each option does whose value is one of some words */
#ifndef GS_OPTION_WORDS_H
#define GS_OPTION_WORDS_H

#include "cli/option_use.h"

gs_option_handler gs_set_choice, gs_set_report, gs_set_stats, gs_set_progress, gs_set_sort;
gs_option_handler gs_set_check, gs_set_help;

/** The option for a kind of check: "-c", "-C" or "--check=summary". */
const char *gs_spell_check(enum gsort_check check);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* option_handlers.h - what each option does */
#ifndef GS_OPTION_HANDLERS_H
#define GS_OPTION_HANDLERS_H

#include "cli/option_use.h"

gs_option_handler gs_set_flag, gs_set_count;			/* without a value */
gs_option_handler gs_set_order, gs_set_set;			/* by their name */
gs_option_handler gs_set_type, gs_set_to, gs_set_base, gs_set_device;
gs_option_handler gs_set_key, gs_set_argsort;
gs_option_handler gs_set_output, gs_set_name, gs_set_program, gs_set_temp_dir, gs_set_separator;

/* With one of some words: option_words.c. */
gs_option_handler gs_set_choice, gs_set_report, gs_set_stats, gs_set_progress, gs_set_sort;
gs_option_handler gs_set_check, gs_set_help;

/* With a number or a size: option_numbers.c. */
gs_option_handler gs_set_number, gs_set_keys, gs_set_bytes;	/* a field of opts.def */
gs_option_handler gs_set_head, gs_set_header, gs_set_histogram, gs_set_record;
gs_option_handler gs_set_buffer, gs_set_memory, gs_set_batch, gs_set_split, gs_set_threads;

/** Write a key type as people type it, "-u32" or "--type=text"; return INTO. */
const char *gs_spell_type(const char *name, char into[24]);

/** The option for a kind of check: "-c", "-C" or "--check=summary". */
const char *gs_spell_check(enum gsort_check check);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_handlers.h - what options without a value, with a type or with a name do
 *
 * Those with a word are in option_words.h, those with a number in option_numbers.h.
 */
#ifndef GS_OPTION_HANDLERS_H
#define GS_OPTION_HANDLERS_H

#include "cli/option_use.h"

gs_option_handler gs_set_flag, gs_set_count;			/* without a value */
gs_option_handler gs_set_order, gs_set_set;			/* by their name */
gs_option_handler gs_set_type, gs_set_to, gs_set_base, gs_set_device;
gs_option_handler gs_set_key, gs_set_argsort;
gs_option_handler gs_set_output, gs_set_name, gs_set_program, gs_set_temp_dir, gs_set_separator;

/** Write a key type as people type it, "-u32" or "--type=text"; return INTO. */
const char *gs_spell_type(const char *name, char into[24]);

#endif

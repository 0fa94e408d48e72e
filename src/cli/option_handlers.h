// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_handlers.h - what becomes of an option's value: one function for each taker of opts.def
 *
 * Each puts VALUE (NULL: none was given) into OPTS, at the field of ROW or where it
 * knows; false if it is wrong, and then it has said why.
 */
#ifndef GS_OPTION_HANDLERS_H
#define GS_OPTION_HANDLERS_H

#include <stdbool.h>

#include "cli/opts.h"
#include "cli/table.h"

typedef bool gs_option_handler(struct gs_opts *opts, const struct gs_row *row, const char *value);

gs_option_handler gs_set_flag, gs_set_count;			/* no value */
gs_option_handler gs_set_type, gs_set_to, gs_set_sort, gs_set_device;
gs_option_handler gs_set_choice, gs_set_check, gs_set_order, gs_set_progress;	/* words */
gs_option_handler gs_set_output, gs_set_name, gs_set_program, gs_set_temp_dir;	/* names */
gs_option_handler gs_set_head, gs_set_header, gs_set_bytes;	/* numbers */
gs_option_handler gs_set_buffer, gs_set_memory, gs_set_batch, gs_set_threads;

#endif

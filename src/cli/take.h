// SPDX-License-Identifier: BSD-2-Clause
/*
 * take.h - what becomes of an option's value: one function for each taker of opts.def
 *
 * Each puts VALUE (NULL: none was given) into OPTS, at the field of ROW or where it
 * knows; false if it is wrong, and then it has said why.
 */
#ifndef GS_TAKE_H
#define GS_TAKE_H

#include <stdbool.h>

#include "cli/opts.h"
#include "cli/table.h"

typedef bool gs_take(struct gs_opts *opts, const struct gs_row *row, const char *value);

gs_take gs_take_flag, gs_take_count;			/* no value */
gs_take gs_take_type, gs_take_to, gs_take_sort, gs_take_device;
gs_take gs_take_choice, gs_take_check, gs_take_order, gs_take_progress;	/* words */
gs_take gs_take_output, gs_take_name, gs_take_program, gs_take_temp_dir;	/* names */
gs_take gs_take_head, gs_take_header, gs_take_bytes;	/* numbers */
gs_take gs_take_buffer, gs_take_memory, gs_take_batch, gs_take_threads;

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* option_numbers.h - what each option does whose value is a number or a size */
#ifndef GS_OPTION_NUMBERS_H
#define GS_OPTION_NUMBERS_H

#include "cli/option_use.h"

gs_option_handler gs_set_number, gs_set_keys, gs_set_bytes;	/* a field of opts.def */
gs_option_handler gs_set_head, gs_set_header, gs_set_histogram, gs_set_record;
gs_option_handler gs_set_buffer, gs_set_memory, gs_set_batch, gs_set_split, gs_set_threads;

#endif

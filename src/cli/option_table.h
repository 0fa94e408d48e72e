// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_table.h - opts.def as arrays, and as --help
 */
#ifndef GS_OPTION_TABLE_H
#define GS_OPTION_TABLE_H

#include <stdio.h>

#include "cli/option_use.h"

/* A letter that, followed by one of its widths, names a key type: -u32. */
struct gs_type_letter {
	char        letter;
	unsigned    widths[6];		/* ends with 0 */
	const char *help;
};

extern const struct gs_option gs_options[];
extern const size_t gs_option_count;

extern const struct gs_type_letter gs_type_letters[];	/* ends with letter 0 */

/** Print --help, or --help=all; every line fits in 80 columns. */
void gs_option_help(FILE *to, bool all);

#endif

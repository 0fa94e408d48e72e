// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_conflicts.h - options that do not go together, and how to say so
 */
#ifndef GS_OPTION_CONFLICTS_H
#define GS_OPTION_CONFLICTS_H

#include "cli/opts.h"

/**
 * Check what only the command line knows, letters and operands; the library checks
 * struct gsort_options in gsort_open().
 *
 * @return  true; or false, and standard error has said why
 */
bool gs_options_compatible(const struct gs_opts *opts);

/**
 * A message of the library in the words of the command line: its options are long ones
 * in quotes; '--output' becomes '-o', '--type=u32' becomes '-u32'.
 */
void gs_conflict_report(const struct gs_opts *opts, const char *message);

#endif

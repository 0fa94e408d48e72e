// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_conflicts.h - options that cannot be used together
 */
#ifndef GS_OPTION_CONFLICTS_H
#define GS_OPTION_CONFLICTS_H

#include "cli/opts.h"

/**
 * Check what only the command line knows: operands, letters, empty names.  The library
 * checks struct gsort_options in gsort_open().
 *
 * @return  true; or false after a message
 */
bool gs_options_compatible(const struct gs_opts *opts);

/**
 * If gsort_open() refuses OPTS because of two options, report them as people type them:
 * "-o", not "--output".
 *
 * @return  true: reported; false: there is no such conflict
 */
bool gs_conflict_report(const struct gs_opts *opts);

#endif

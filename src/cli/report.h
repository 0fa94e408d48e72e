// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.h - all messages and statistics
 *
 * A message is one line on standard error.  It begins with the name under which the program
 * runs.  Characters that are not visible, as in file names, become \ooo.
 */
#ifndef GS_REPORT_H
#define GS_REPORT_H

#include "cli/opts.h"

/** From now on keep the last message of gs_report_error() and gs_report_usage(), and print none. */
void gs_report_hold(void);

/** Print the message that is kept, if there is one, with BEFORE before it; NULL: drop it.  From now on
 *  messages are printed again. */
void gs_report_release(const char *before);

/** Print a message; WITH_HELP, for options that are not understood, and "Try 'gsort --help'".  False, so that
 *  a function which fails can return it. */
bool gs_report(bool with_help, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define gs_report_error(...)	gs_report(false, __VA_ARGS__)
#define gs_report_usage(...)	gs_report(true, __VA_ARGS__)

/** For gsort_options.note and gsort_plan(): print LINE as a message. */
void gs_report_note(void *context, const char *line);

/** For gsort_options.warn: print LINE as a warning. */
void gs_report_warning(void *context, const char *line);

/** For gsort_plan() and gsort_info(): print LINE to the FILE * CONTEXT. */
void gs_report_line(void *context, const char *line);

/** Print what a job did: one line; with -vv up to three. */
void gs_report_summary(const struct gs_opts *opts, const struct gsort_stats *stats);

/** Print what a job did, and the exit STATUS, as one JSON object.  False after a message: the file of
 *  --verbose=json cannot be written. */
bool gs_report_json(const struct gs_opts *opts, const struct gsort_stats *stats, int status);

/** Open the file of --verbose=json, before anything is read.  False after a message: it cannot be opened, or
 *  two files of which one would overwrite the other are one (gsort_clash()). */
bool gs_report_open(const struct gs_opts *opts);

#endif

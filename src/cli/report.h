// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.h - everything gsort says to people, and to programs about itself
 *
 * Messages are one line on standard error that begins with the name under which the
 * program runs; what is not printable in them (file names!) becomes \ooo.
 */
#ifndef GS_REPORT_H
#define GS_REPORT_H

#include "cli/opts.h"

/** One message. */
void gs_report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A message, and where to find help: for what getopt cannot read. */
void gs_report_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** For gsort_options.note and gsort_plan(): a line as a message. */
void gs_report_note(void *context, const char *line);

/** For gsort_options.warn: a line as a warning. */
void gs_report_warning(void *context, const char *line);

/** For gsort_plan() and gsort_info(): a line to the FILE * that is CONTEXT. */
void gs_report_line(void *context, const char *line);

/** What a job did, in one line. */
void gs_report_summary(const struct gs_opts *opts, const struct gsort_stats *stats);

/** The same as a JSON object, with the exit STATUS. */
void gs_report_json(const struct gs_opts *opts, const struct gsort_stats *stats, int status);

#endif

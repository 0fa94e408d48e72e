// SPDX-License-Identifier: BSD-2-Clause
/*
 * opts.h - what the command line asks for
 */
#ifndef GS_OPTS_H
#define GS_OPTS_H

#include <stdbool.h>
#include <stdio.h>

#include "gsort.h"

enum { GS_MOST_ROWS = 100 };	/* of opts.def */

/* When a bar of progress is drawn. */
enum gs_progress_when { GS_PROGRESS_UNSAID, GS_PROGRESS_AUTO, GS_PROGRESS_ALWAYS,
                        GS_PROGRESS_NEVER };

enum gs_stats_format { GS_STATS_NONE, GS_STATS_JSON };

/* Strings point into argv and the environment, or are constants. */
struct gs_opts {
	struct gsort_options job;	/* what the library is told */
	const char *given[GS_MOST_ROWS];	/* by row: the last value, "" if it has none; or NULL */
	char        spelled[32];	/* the option being read, as it was typed: "-S" */
	const char *type_name;		/* "u32"; NULL: not given, text */
	const char *to_name;		/* of --to; NULL: not given */
	const char *device_name;	/* of --device; NULL: not given */
	const char *files0_name;	/* of --files0-from; NULL: not given */
	const char **temp_dirs;		/* of -T; job.temp_dirs */
	char      **words;		/* what was split, to the end: the operands live in them */
	bool        numeric, general;	/* -n, -g */
	bool        check, merge;	/* -c or -C; -m */
	bool        check_order;	/* --check-order or --nocheck-order was given */
	bool        bare_f;		/* -f without a width */
	bool        quiet;
	bool        no_sandbox;
	unsigned    verbose;
	enum gs_progress_when progress;
	enum gs_stats_format  stats;
	bool        debug, plan, info, help, version;
	bool        none;		/* for options without effect */
};

/**
 * Read the command line and GSORT_DEVICE.
 *
 * @opts    options and operands; the operands are argv's
 * @return  true; or false: not possible, and standard error has said why
 */
bool gs_opts_parse(struct gs_opts *opts, int argc, char **argv);

/** The options that were given and have no effect, "-b, -s"; false: none. */
bool gs_opts_ignored(const struct gs_opts *opts, char *into, size_t room);

/** Print --help: every line within 80 columns. */
void gs_opts_help(FILE *to);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * opts.h - the command line as data, how it is read, and options that exclude each other
 *
 *     gs_args_parse(); gs_options_compatible(); gsort_open(), and if it refuses, gs_conflict_report()
 *
 * main.c passes JOB to the library.  Strings point into argv and the environment, or are constants.
 */
#ifndef GS_OPTS_H
#define GS_OPTS_H

#include <errno.h>
#include <stdbool.h>

#include "gsort.h"

/** The last part of argv[0]. */
static inline const char *
gs_program_name(void)
{
#ifdef __linux__
	return program_invocation_short_name;
#else
	return getprogname();
#endif
}

/** Is it no text? */
static inline bool
gs_is_binary(enum gsort_type type)
{
	return type != GSORT_TEXT && type != GSORT_TEXT_FLOAT;
}

enum { GS_MOST_OPTIONS = 100 };	/* rows of opts.def, at most */

enum gs_progress_when { GS_PROGRESS_UNSET, GS_PROGRESS_AUTO, GS_PROGRESS_ALWAYS,
                        GS_PROGRESS_NEVER };

/* How something is reported, if it is. */
enum gs_report_format { GS_REPORT_NONE, GS_REPORT_TEXT, GS_REPORT_JSON };

/* Bits of an option that is given alone, or with a word. */
enum { GS_ALONE = 1, GS_FIRST_WORD = 2, GS_SECOND_WORD = 4 };

/* Values of an option that may be given several times. */
struct gs_texts {
	const char **all;
	size_t       count;
};

/* A type as people name it. */
struct gs_named_type {
	const char *name;		/* "u32"; of a notation the word for it; NULL: no type is given */
	enum gsort_type type;
	enum gsort_notation notation;	/* of text */
	enum gsort_endian endian;	/* GSORT_ENDIAN_HOST: the name does not say it */
};

struct gs_opts {
	struct gsort_options job;
	const char *given[GS_MOST_OPTIONS];	/* last value of each row, "" if none; or NULL */
	struct gs_named_type type, to;	/* of --type, --to */
	const char *device_name;	/* of --device; NULL: not given */
	const char *files0_name;	/* of --files0-from; NULL: not given */
	struct gs_texts keys, temp_dirs;	/* of -k, -T */
	struct gsort_key *record_keys;	/* of KEYS, for JOB */
	char        ordering[16];	/* the letters that apply to all keys */
	char      **words;		/* argv, key types as --type=TYPE; holds the operands */
	bool        letters[128];	/* -n, -g, -r and other options of one letter */
	unsigned    unique;		/* bits: -u, --unique=repeated, --unique=singletons */
	bool        check, merge;	/* -c or -C; -m */
	bool        lines;		/* --lines */
	const char *line_option;	/* that makes gsort sort lines: "--lines", "-k"; NULL: none does */
	bool        quiet;
	bool        no_sandbox;		/* --decompress=no-sandbox */
	bool        bare_header;	/* --header without a number */
	unsigned    verbose;		/* how often -v was given */
	enum gs_progress_when progress;
	enum gs_report_format stats, plan;	/* of --verbose=json, --plan */
	const char *stats_text;		/* of --verbose: "json" or "json:FILE"; NULL: not given */
	const char *stats_file;		/* that FILE; NULL: standard error */
	const char *packed_text;	/* of --decompress, but for no-sandbox; NULL: not given */
	bool        debug;
	unsigned    help, version;	/* bits: --help, --help=all; --version, --version=json */
	char      **next;		/* called as sort: the words for the next one; else NULL */
};

/* ---- from argv to them (args.c) ------------------------------------------------- */

/**
 * Read the command line, the file of --files0-from and GSORT_DEVICE.
 *
 * @opts    set to options and operands
 * @as_sort they are those of sort(1)
 * @return  true; or false after a message on standard error
 */
bool gs_args_parse(struct gs_opts *opts, int argc, char **argv, bool as_sort);

/* ---- options that cannot be used together (option_conflicts.c) ----------------- */

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
 * @return  true: reported; false: the options go together
 */
bool gs_conflict_report(const struct gs_opts *opts);

#endif

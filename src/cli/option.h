// SPDX-License-Identifier: BSD-2-Clause
/*
 * option.h - an option of the command line: its row in opts.def, and its handler
 */
#ifndef GS_CLI_OPTION_H
#define GS_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/opts.h"

struct gs_option_use;

/* ---- a row, a use, and values that do not agree ----------------------------------- */

/*
 * opts.def names one handler for each option.  A handler stores the value in struct
 * gs_opts.  If the value is wrong, it reports why and returns false.
 *
 * The same option twice: equal values are fine, different values are an error.  Except where
 * scripts rely on sort(1): of --parallel, --batch-size, --check-order and --progress the last
 * one counts, of -S the largest, and of -T all.
 */

typedef bool gs_option_handler(struct gs_opts *opts, const struct gs_option_use *use);

/* One row of opts.def: an option, a refused option, or a heading of --help. */
struct gs_option {
	const char *name;	/* long name; NULL: a heading, or an option with a letter only */
	int         letter;	/* 0: a long name only */
	const char *value;	/* name of the value; NULL: no value; "[X]": an optional one */
	const char *help;	/* line of --help; NULL: none; if refused: its use in sort(1) */
	const char *refusal;	/* why gsort refuses it; NULL: gsort accepts it */
	bool        rare;	/* in --help=all, not in --help */
	size_t      field;	/* offset in struct gs_opts */
	gs_option_handler *handler;	/* NULL: a heading, or refused */
};

/* One option on the command line. */
struct gs_option_use {
	const struct gs_option *option;
	const char *spelled;	/* as typed: "-S", "--buffer-size" */
	const char *value;	/* NULL: none */
	const char *previous;	/* its value in an earlier use, "" without one; NULL: first use */
};

/** The field of OPTS that opts.def names for the option. */
void *gs_option_field(struct gs_opts *opts, const struct gs_option_use *use);

/** Report two values of the same option that differ; false. */
bool gs_refuse_two(const struct gs_option_use *use, const char *one, const char *other);

/** Report two options that exclude each other; false. */
bool gs_refuse_pair(const char *one, const char *other);

/* ---- opts.def as arrays, and as --help (option_table.c) ------------------------ */

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

/* ---- what each option does (option_handlers.c) ------------------------------------ */

gs_option_handler gs_set_flag, gs_set_count;			/* without a value */
gs_option_handler gs_set_order, gs_set_set;			/* by their name */
gs_option_handler gs_set_type, gs_set_to, gs_set_device;
gs_option_handler gs_set_key, gs_set_argsort;
gs_option_handler gs_set_output, gs_set_name, gs_set_program, gs_set_temp_dir, gs_set_separator;

/* With one of some words: option_words.c. */
gs_option_handler gs_set_choice, gs_set_report, gs_set_stats, gs_set_progress, gs_set_sort;
gs_option_handler gs_set_check, gs_set_help;

/* With a number or a size: option_numbers.c. */
gs_option_handler gs_set_number, gs_set_keys, gs_set_bytes;	/* a field of opts.def */
gs_option_handler gs_set_head, gs_set_header, gs_set_histogram, gs_set_record;
gs_option_handler gs_set_buffer, gs_set_memory, gs_set_batch, gs_set_split, gs_set_threads;

/** Write a key type as people type it, "-u32" or "--type=text"; return INTO. */
const char *gs_spell_type(const char *name, char into[24]);

/** Is this type, or NULL, text in another notation than decimal? */
bool gs_is_noted(const char *name);

/** The option for a kind of check: "-c", "-C" or "--check=summary". */
const char *gs_spell_check(enum gsort_check check);

#endif

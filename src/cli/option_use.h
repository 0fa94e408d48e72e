// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_use.h - one option on the command line: where its value goes, and values that do not agree
 *
 * opts.def names one handler for each option.  A handler stores the value in struct
 * gs_opts.  If the value is wrong, it reports why and returns false.
 *
 * The same option twice: equal values are fine, different values are an error.  Except where
 * scripts rely on sort(1): of --parallel, --batch-size, --check-order and --progress the last
 * one counts, of -S the largest, and of -T all.
 */
#ifndef GS_OPTION_USE_H
#define GS_OPTION_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/opts.h"

struct gs_option_use;

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

#endif

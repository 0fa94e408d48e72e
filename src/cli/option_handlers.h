// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_handlers.h - what each option does with its value
 *
 * opts.def names one handler for each option.  A handler stores the value in struct
 * gs_opts.  If the value is wrong, it reports why and returns false.
 */
#ifndef GS_OPTION_HANDLERS_H
#define GS_OPTION_HANDLERS_H

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

gs_option_handler gs_set_flag, gs_set_count;			/* without a value */
gs_option_handler gs_set_type, gs_set_to, gs_set_sort, gs_set_device;
gs_option_handler gs_set_choice, gs_set_check, gs_set_order, gs_set_progress;	/* words */
gs_option_handler gs_set_report, gs_set_stats;
gs_option_handler gs_set_output, gs_set_name, gs_set_program, gs_set_temp_dir;	/* names */
gs_option_handler gs_set_set, gs_set_base;
gs_option_handler gs_set_keys, gs_set_number, gs_set_histogram, gs_set_separator;
gs_option_handler gs_set_head, gs_set_header, gs_set_bytes;	/* numbers */
gs_option_handler gs_set_record, gs_set_key, gs_set_argsort;
gs_option_handler gs_set_buffer, gs_set_memory, gs_set_batch, gs_set_split, gs_set_threads,
                  gs_set_ranks;

/** Write a key type as people type it, "-u32" or "--type=text"; return INTO. */
const char *gs_spell_type(const char *name, char into[24]);

/** The option for a kind of check: "-c", "-C" or "--check=summary". */
const char *gs_spell_check(enum gsort_check check);

#endif

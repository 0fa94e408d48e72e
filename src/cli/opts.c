// SPDX-License-Identifier: BSD-2-Clause
/*
 * opts.c - argv to gsort_options
 *
 * argv.c makes key types readable for getopt, getopt finds the options in the
 * table, the table's takers put them into the struct.  What getopt cannot read
 * is explained here, in the words of sort(1), and with the nearest option.
 */
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_conflicts.h"
#include "cli/argv.h"
#include "cli/files0.h"
#include "cli/opts.h"
#include "cli/report.h"
#include "cli/table.h"
#include "cli/parse_value.h"

enum { FIRST_LONG = 256 };	/* getopt's id of a row: its letter, or this + its place */

static const struct gs_row *
row_of_id(int id)
{
	if (id >= FIRST_LONG)
		return &gs_rows[id - FIRST_LONG];
	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++)
		if (id != 0 && row->letter == id)
			return row;
	return NULL;
}

/*
 * The row of a long option, as getopt finds it: the whole name, or the start of
 * one name only.  *COUNT: how many names begin so.  BYTES ends at a '='.
 */
static const struct gs_row *
row_of_name(const char *name, size_t bytes, unsigned *count)
{
	const struct gs_row *found = NULL;

	*count = 0;
	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++) {
		if (row->name == NULL || strncmp(row->name, name, bytes) != 0)
			continue;
		found = row;
		if (row->name[bytes] == '\0') {
			*count = 1;
			return row;
		}
		++*count;
	}
	return *count == 1 ? found : NULL;
}

static bool
needs_value(const struct gs_row *row)
{
	return row != NULL && row->value != NULL && row->value[0] != '[';
}

/* For argv.c. */
static bool
takes_value(const char *word)
{
	unsigned count;

	if (word[1] != '-')
		return needs_value(row_of_id((unsigned char)word[1]));
	return strchr(word, '=') == NULL
	       && needs_value(row_of_name(word + 2, strlen(word + 2), &count));
}

/* --- getopt ---------------------------------------------------------------- */

/* ":abc:..." and the long names, from the table. */
static void
make_getopt_tables(char *letters, struct option *longs)
{
	char *letter = letters;
	struct option *option = longs;

	*letter++ = ':';		/* tell a missing value from an unknown option */
	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++) {
		if (row->letter != 0)
			*letter++ = (char)row->letter;
		if (row->letter != 0 && needs_value(row))
			*letter++ = ':';
		if (row->name == NULL && row->value != NULL)	/* -y, -y0 */
			letter = stpcpy(letter, "::");
		if (row->name != NULL)
			*option++ = (struct option){
				.name = row->name,
				.has_arg = needs_value(row) ? required_argument
				           : row->value != NULL ? optional_argument : no_argument,
				.val = FIRST_LONG + (int)(row - gs_rows),
			};
	}
	*letter = '\0';
	*option = (struct option){ .name = NULL };
}

/* The option of ours that WORD nearly spells, within two slips of the finger; or NULL. */
static const char *
nearest(const char *word, size_t bytes)
{
	const char *near = NULL;
	size_t best = 3;

	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++) {
		size_t slips;

		if (row->name == NULL || row->refusal != NULL)
			continue;
		slips = gs_parse_distance(word, bytes, row->name);
		if (slips < best) {
			best = slips;
			near = row->name;
		}
	}
	return near;
}

static void
complain_ambiguous(const char *word, size_t bytes)
{
	char list[512] = "";

	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++)
		if (row->name != NULL && strncmp(row->name, word + 2, bytes - 2) == 0
		    && strlen(list) + strlen(row->name) + sizeof " '--'" <= sizeof list)
			strcat(strcat(strcat(list, " '--"), row->name), "'");
	gs_report_usage("option '%s' is ambiguous; possibilities:%s", word, list);
}

/* Say what getopt did not like about the long option WORD. */
static void
complain_long(int answer, const char *word)
{
	size_t bytes = strcspn(word, "=");	/* of the option itself */
	unsigned count;
	const char *near;

	if (answer == ':') {
		gs_report_usage("option '%s' requires an argument", word);
	} else if (row_of_name(word + 2, bytes - 2, &count) != NULL) {
		gs_report_usage("option '%.*s' doesn't allow an argument", (int)bytes, word);
	} else if (count > 1) {
		complain_ambiguous(word, bytes);
	} else if ((near = nearest(word + 2, bytes - 2)) != NULL) {
		gs_report_usage("unrecognized option '%s'; did you mean '--%s'?", word, near);
	} else {
		gs_report_usage("unrecognized option '%s'", word);
	}
}

/* One option that getopt has found. */
static bool
take_option(struct gs_opts *opts, const struct gs_row *row, bool by_letter, const char *value)
{
	assert(row != NULL);		/* getopt knows what we have told it */
	if (row->refusal == NULL) {
		if (by_letter)
			snprintf(opts->spelled, sizeof opts->spelled, "-%c", row->letter);
		else
			snprintf(opts->spelled, sizeof opts->spelled, "--%s", row->name);
		if (!row->take(opts, row, value))
			return false;
		opts->given[row - gs_rows] = value != NULL ? value : "";
		return true;
	}
	if (by_letter)
		gs_report_error("-%c (%s) %s", row->letter, row->meaning, row->refusal);
	else
		gs_report_error("--%s (%s) %s", row->name, row->meaning, row->refusal);
	return false;
}

static bool
read_options(struct gs_opts *opts, int argc, char **argv)
{
	char letters[3 * GS_MOST_ROWS + 2];
	struct option longs[GS_MOST_ROWS + 1];
	int id;

	make_getopt_tables(letters, longs);
	opterr = 0;
	while ((id = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (id == '?' || id == ':') {
			/* OPTOPT is a letter; or it was a long one, the word just passed. */
			if (optopt == 0 || optopt >= FIRST_LONG)
				complain_long(id, argv[optind - 1]);
			else
				gs_report_usage(id == ':' ? "option requires an argument -- '%c'"
				                          : "invalid option -- '%c'", optopt);
			return false;
		}
		if (!take_option(opts, row_of_id(id), id < FIRST_LONG, optarg))
			return false;
	}
	opts->job.inputs = (const char *const *)argv + optind;
	opts->job.input_count = (size_t)(argc - optind);
	return true;
}

/* The names in --files0-from are the operands; there are to be no others. */
static bool
read_names(struct gs_opts *opts)
{
	if (opts->files0_name == NULL)
		return true;
	if (opts->job.input_count > 0) {
		gs_report_usage("extra operand '%s': file operands cannot be combined with "
		                "--files0-from", opts->job.inputs[0]);
		return false;
	}
	return gs_files0_read(opts->files0_name, &opts->job.inputs, &opts->job.input_count);
}

/* What follows from several options together. */
static void
conclude(struct gs_opts *opts)
{
	if (opts->general)
		opts->job.type = GSORT_TEXT_FLOAT;
	if (opts->check)		/* -mc checks, as in sort(1) */
		opts->job.operation = GSORT_CHECK;
	else if (opts->merge)
		opts->job.operation = GSORT_MERGE;
	opts->job.temp_dirs = opts->temp_dirs;
	if (opts->plan)			/* no keys will meet a terminal */
		opts->job.force = true;
	if (opts->device_name == NULL && opts->job.operation == GSORT_SORT)
		gs_parse_environment(&opts->job, opts->quiet);
}

bool
gs_opts_ignored(const struct gs_opts *opts, char *into, size_t room)
{
	into[0] = '\0';
	for (size_t r = 0; r < gs_row_count; r++)
		if (opts->given[r] != NULL && (gs_rows[r].field == offsetof(struct gs_opts, none) ||
		                               gs_rows[r].field == offsetof(struct gs_opts, bare_f)))
			snprintf(into + strlen(into), room - strlen(into), "%s-%c",
			         into[0] != '\0' ? ", " : "", gs_rows[r].letter);
	return into[0] != '\0';
}

static void
complain_width(const char *word, const struct gs_argv_type *type)
{
	char list[64] = "";

	for (const unsigned *width = type->widths; *width != 0; width++)
		sprintf(list + strlen(list), "%s-%c%u", width == type->widths ? "" : ", ",
		        type->letter, *width);
	gs_report_error("invalid key width in '%s': there are %s", word, list);
}

bool
gs_opts_parse(struct gs_opts *opts, int argc, char **argv)
{
	const struct gs_argv_rules rules = { gs_row_types, takes_value };
	const struct gs_argv_type *type;
	const char *bad;
	char **words;

	*opts = (struct gs_opts){ .type_name = NULL };
	opts->temp_dirs = calloc((size_t)argc, sizeof *opts->temp_dirs);
	bad = NULL;
	words = opts->temp_dirs == NULL ? NULL : gs_argv_split(&argc, argv, &rules, &bad, &type);
	if (words == NULL) {
		if (bad != NULL)
			complain_width(bad, type);
		else
			gs_report_error("out of memory");
		return false;
	}
	opts->words = words;
	if (!read_options(opts, argc, words))
		return false;
	if (opts->help || opts->version)
		return true;
	if (!opts->info && (!read_names(opts) || !gs_options_compatible(opts)))
		return false;
	conclude(opts);
	return true;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_conflicts.c - options that do not go together, and how to say so
 *
 * Messages have the words of sort(1), and name an option as most people type it: by
 * its letter, if it has one.
 */
#include <stdio.h>
#include <string.h>

#include "cli/option_conflicts.h"
#include "cli/report.h"
#include "cli/table.h"

/* --- operands -------------------------------------------------------------- */

static bool
names_agree(const struct gs_opts *opts)
{
	for (size_t i = 0; i < opts->job.input_count; i++)
		if (opts->job.inputs[i][0] == '\0') {
			gs_report_error("the name of an input is empty; standard input is -");
			return false;
		}
	if (opts->job.output != NULL && opts->job.output[0] == '\0') {
		gs_report_error("the name of the output is empty");
		return false;
	}
	for (size_t t = 0; t < opts->job.temp_dir_count; t++)
		if (opts->temp_dirs[t][0] == '\0') {
			gs_report_error("the name of a temporary directory is empty");
			return false;
		}
	if (opts->check && opts->job.input_count > 1) {
		gs_report_error("extra operand '%s' not allowed with %s", opts->job.inputs[1],
		                gs_row_spell_check(opts->job.check));
		return false;
	}
	return true;
}

/* --- letters --------------------------------------------------------------- */

static bool
clash(const char *one, const char *other)
{
	gs_report_error("options '%s' and '%s' are incompatible", one, other);
	return false;
}

static bool
types_agree(const struct gs_opts *opts)
{
	const bool text = opts->job.type == GSORT_TEXT || opts->job.type == GSORT_TEXT_FLOAT;
	char type[24] = "";

	if (opts->type_name != NULL)
		gs_row_spell_type(opts->type_name, type);
	if (opts->numeric && opts->general)
		return clash("-g", "-n");
	if (opts->numeric && (!text || opts->job.type == GSORT_TEXT_FLOAT))
		return clash("-n", type);
	if (opts->general && (!text || (opts->type_name != NULL && opts->job.type == GSORT_TEXT)))
		return clash("-g", type);
	return true;
}

bool
gs_options_compatible(const struct gs_opts *opts)
{
	if (!names_agree(opts) || !types_agree(opts))
		return false;
	if (opts->check_order && !opts->merge) {
		gs_report_error("option '%s' needs '-m'",
		                opts->job.trust_order ? "--nocheck-order" : "--check-order");
		return false;
	}
	return true;
}

/* --- the library's messages ------------------------------------------------ */

/* The option called NAME, of BYTES, as people type it. */
static void
spell_option(const struct gs_opts *opts, const char *name, size_t bytes, char *into, size_t room)
{
	const bool is_type = bytes > strlen("type=") && strncmp(name, "type=", 5) == 0;

	if (bytes == strlen("check") && strncmp(name, "check", bytes) == 0) {
		snprintf(into, room, "%s", gs_row_spell_check(opts->job.check));
		return;
	}
	if (is_type && strncmp(name + 5, "text", 4) != 0) {
		snprintf(into, room, "-%.*s", (int)bytes - 5, name + 5);
		return;
	}
	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++)
		if (row->name != NULL && row->letter != 0 && strlen(row->name) == bytes
		    && strncmp(row->name, name, bytes) == 0) {
			snprintf(into, room, "-%c", row->letter);
			return;
		}
	snprintf(into, room, "--%.*s", (int)bytes, name);
}

void
gs_conflict_report(const struct gs_opts *opts, const char *message)
{
	char said[8192] = "";
	size_t at = 0;

	if (strncmp(message, "option", strlen("option")) != 0) {
		gs_report_error("%s", message);
		return;
	}
	while (*message != '\0' && at < sizeof said - 1) {
		const size_t bytes = strncmp(message, "'--", 3) == 0 ? strcspn(message + 3, "'") : 0;

		said[at++] = *message;
		said[at] = '\0';
		message++;
		if (bytes > 0) {
			spell_option(opts, message + 2, bytes, said + at, sizeof said - at);
			at += strlen(said + at);
			message += 2 + bytes;
		}
	}
	gs_report_error("%s", said);
}

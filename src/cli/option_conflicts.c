// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_conflicts.c - options that cannot be used together
 *
 * The messages are in the words of sort(1).  They name an option by its letter, if it has
 * one, as most people type it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/opts.h"
#include "cli/report.h"

/* --- what only the command line knows -------------------------------------- */

bool
gs_options_compatible(const struct gs_opts *opts)
{
	const struct gsort_options *job = &opts->job;
	const bool binary = gs_is_binary(job->type), decimal = job->notation == GSORT_DECIMAL;
	/* for lines, the library knows all letters */
	const bool numeric = !job->lines && opts->letters['n'];
	const bool general = !job->lines && opts->letters['g'];
	/* the library cannot tell --invalid=abort from no --invalid */
	bool abort = job->lines && !job->csv && job->invalid == GSORT_INVALID_ABORT &&
	             GS_GIVEN(opts, job.invalid) != NULL && job->quantiles == NULL && !job->summary &&
	             job->histogram == 0;
	char type[24] = "";

	for (size_t i = 0; i < job->input_count; i++)
		if (job->inputs[i][0] == '\0')
			return gs_report_error("the name of an input is empty; for standard input, use -");
	if (job->output != NULL && job->output[0] == '\0')
		return gs_report_error("the name of the output is empty");
	for (size_t t = 0; t < job->temp_dir_count; t++)
		if (opts->temp_dirs.all[t][0] == '\0')
			return gs_report_error("the name of a temporary directory is empty");
	for (size_t k = 0; k < opts->keys.count; k++)	/* is it not a name, ip or time? */
		abort &= strchr(opts->keys.all[k], ':') == NULL &&
		         strchr(" \t\n+0123456789", *opts->keys.all[k]) != NULL;
	if (abort)
		return gs_report_error("'--invalid' needs a key by name, or --csv, and a letter such as n: "
		                       "-k price:n; a key of sort(1) that is not a number counts as 0");
	if (opts->type.name != NULL)
		gs_spell_type(&opts->type, type);
	/* a key type says what bare numbers are */
	if (job->lines && opts->type.name != NULL)
		return gs_refuse_pair(opts->line_option, type,
		                      job->notation == GSORT_TIME
		                      ? "of a field the key says it: -k 2,2:time"
		                      : job->notation == GSORT_IPV4
		                      ? "of a field the key says it: -k 2,2:ip"
		                      : "lines are text; binary records need --record-size");
	if (numeric && general)
		return gs_refuse_pair("-g", "-n", NULL);
	if ((numeric || general) && job->record_bytes > 0)
		return gs_refuse_pair(numeric ? "-n" : "-g", "--record-size", NULL);
	if (!job->lines && !decimal && job->type == GSORT_TEXT && job->record_bytes == 0 &&
	    opts->type.notation == GSORT_DECIMAL)
		return gs_report_error("option '--to=hex' needs binary keys: text is read and written in one "
		                       "notation, with '--type=hex' in this one");
	if (numeric && (!decimal || job->type != GSORT_TEXT))
		return gs_refuse_pair("-n", type, NULL);
	if (general && (binary || (opts->type.name != NULL && job->type == GSORT_TEXT)))
		return gs_refuse_pair("-g", type, NULL);
	return !opts->quiet || opts->verbose == 0 || gs_refuse_pair("-q", "-v", NULL);
}

/* --- what the library refuses ---------------------------------------------- */

/* Write the option with this long NAME as it was typed, or could have been. */
static void
spell_option(const struct gs_opts *opts, const char *name, char into[64])
{
	const struct gs_option *o = gs_options, *const end = o + gs_option_count;

	while (o < end && (o->name == NULL || o->letter == 0 || strcmp(o->name, name) != 0))
		o++;
	if (strcmp(name, "check") == 0)
		snprintf(into, 64, "%s", gs_spell_check(opts->job.check));
	else if (strcmp(name, "type") == 0 && opts->type.name != NULL)
		gs_spell_type(&opts->type, into);
	else if (strcmp(name, "lines") == 0 && opts->line_option != NULL)
		snprintf(into, 64, "%s", opts->line_option);
	else if (strcmp(name, "to") == 0)
		snprintf(into, 64, "--to=%s", opts->to.name);
	else if (strcmp(name, "device") == 0)
		snprintf(into, 64, "--device=%s", opts->device_name);
	else if (o < end)
		snprintf(into, 64, "-%c", o->letter);
	else
		snprintf(into, 64, "--%s", strcmp(name, "skip-bytes") == 0 ? "header" : name);
}

bool
gs_conflict_report(const struct gs_opts *opts)
{
	struct gsort_conflict conflict;
	char one[64], other[64];

	if (!gsort_conflict(&opts->job, &conflict))
		return false;
	spell_option(opts, conflict.one, one);
	spell_option(opts, conflict.other, other);
	if (conflict.needs)
		gs_report_error("option '%s' needs '%s'", one, other);
	else if (strcmp(conflict.one, "skip-bytes") == 0)
		gs_report_error("options '%s' and '%s' are incompatible; to drop the bytes, use "
		                "tail -c +%llu", one, other,
		                (unsigned long long)opts->job.skip_bytes + 1);
	else
		(void)gs_refuse_pair(one, other, conflict.why);
	return true;
}

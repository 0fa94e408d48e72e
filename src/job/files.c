// SPDX-License-Identifier: BSD-2-Clause
/*
 * files.c - the files that a job reads and writes, by any name, and warnings about commands that lose
 * data
 *
 * A shell empties the target of > before gsort starts: "gsort f > f" sees an empty file that is input and
 * output.  "gsort -o f" names no input, so nothing is sorted into f.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/open.h"
#include "io/output.h"
#include "job/job.h"
#include "options/options.h"
#include "ranks/net/ranks.h"

/* The input that is FILE. */
static const char *
find_input(const struct gsort_options *options, const struct gs_identity *file)
{
	if (!file->known || options->read != NULL)
		return NULL;
	for (size_t i = 0; i < options->input_count; i++) {
		const char *name = options->inputs[i];
		const struct gs_identity input = gs_identity_of(strcmp(name, "-") == 0 ? NULL : name,
		                                                STDIN_FILENO);

		if (gs_identity_same(&input, file))
			return name;
	}
	return NULL;
}

/* How many names the output's pattern stands for; 0: it is one name. */
static size_t
count_parts(const struct gsort_options *options)
{
	if (options->output == NULL)
		return 0;
	if (options->split > 0)
		return options->split <= GS_OUTPUTS_MOST ? options->split : 0;
	return options->ranks != NULL && strstr(options->output, "%r") != NULL ? options->ranks->size : 0;
}

/* The output that is FILE; its name is the message then. */
static bool
find_output(const struct gsort_options *options, const struct gs_identity *file)
{
	const size_t parts = count_parts(options);
	bool found = false;

	if (!file->known || options->operation == GSORT_CHECK || options->write != NULL ||
	    (parts > 0 && gs_outputs_check_pattern(options->output) != GS_OK))
		return false;
	for (size_t p = 0; p < (parts > 0 ? parts : 1) && !found; p++) {
		char *part = NULL;
		const bool named = parts == 0 || gs_outputs_name(options->output, p, parts, &part) == GS_OK;
		const char *name = parts > 0 ? part : options->output;
		const struct gs_identity output = gs_identity_of(name, STDOUT_FILENO);

		found = named && gs_identity_same(&output, file);
		if (found)
			(void)gs_fail(GS_EUSAGE, "%s", name != NULL ? name : "standard output");
		free(part);
	}
	return found;
}

const char *
gs_job_rewrites(const struct gsort_options *options)
{
	const struct gs_identity output = gs_identity_of(options->output, STDOUT_FILENO);

	return count_parts(options) > 0 || options->write != NULL
	       ? NULL : find_input(options, &output);
}

const char *
gsort_clash(const struct gsort_options *options, const char *name, bool written)
{
	struct gs_identity file;
	struct gsort_options copy;
	const char *input;

	if (name == NULL || gs_options_copy(&copy, options) != GS_OK)
		return NULL;
	file = gs_identity_of(!written && strcmp(name, "-") == 0 ? NULL : name, STDIN_FILENO);
	input = written ? find_input(&copy, &file) : NULL;
	return input != NULL ? input : find_output(&copy, &file) ? gs_message() : NULL;
}

/* ---- data lost without an error -------------------------------------------------- */

uint64_t
gs_lost_open(const struct gsort_options *options, const struct gs_monitor *monitor)
{
	struct stat output;
	const char *name;

	if (options->read != NULL || options->split > 0)
		return 0;
	if (options->output != NULL)
		return options->inputs == gs_standard_input && stat(options->output, &output) == 0 &&
		       S_ISREG(output.st_mode) ? (uint64_t)output.st_size : 0;
	if (options->write != NULL || fstat(STDOUT_FILENO, &output) != 0 || !S_ISREG(output.st_mode) ||
	    output.st_size > 0)
		return 0;
	name = gs_job_rewrites(options);
	if (name != NULL)
		gs_warn(monitor, "%s is input and output: the shell has emptied it before gsort could read "
		        "it; to sort a file in its place, use -o", name);
	return 0;
}

void
gs_lost_close(uint64_t lost, const struct gsort_options *options, uint64_t bytes,
              const struct gs_monitor *monitor)
{
	if (lost > 0 && bytes == 0)
		gs_warn(monitor, "no input was named and standard input was empty: %s, which had %" PRIu64
		        " bytes, is empty now; to sort that file: gsort -o %s %s", options->output,
		        lost, options->output, options->output);
}

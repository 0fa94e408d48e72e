// SPDX-License-Identifier: BSD-2-Clause
/* files.c - the files that a job reads and writes, by any name */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/open.h"
#include "io/output.h"
#include "job/files.h"
#include "job/options.h"
#include "net/ranks.h"

/* The input that is FILE. */
static const char *
find_input(const struct gsort_options *options, const struct gs_identity *file)
{
	static const char *const standard[] = { "-" };
	const size_t count = options->input_count > 0 ? options->input_count : 1;
	const char *const *names = options->input_count > 0 ? options->inputs : standard;

	if (!file->known || options->read != NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const bool is_standard = strcmp(names[i], "-") == 0;
		const struct gs_identity input = gs_identity_of(is_standard ? NULL : names[i], STDIN_FILENO);

		if (gs_identity_same(&input, file))
			return names[i];
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
		char *part = parts > 0 ? gs_outputs_name(options->output, p, parts) : NULL;
		const char *name = parts > 0 ? part : options->output;
		const struct gs_identity output = gs_identity_of(name, STDOUT_FILENO);

		found = (parts == 0 || part != NULL) && gs_identity_same(&output, file);
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

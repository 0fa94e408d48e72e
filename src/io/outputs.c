// SPDX-License-Identifier: BSD-2-Clause
/*
 * outputs.c - the output of a job: one, or several files that together are one
 *
 * In:   a name, or a pattern and how many files it names.
 * Out:  open outputs; in the end all of them complete, or as they were before.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/open.h"
#include "io/output.h"

/* ---- names ---------------------------------------------------------------- */

gs_status
gs_outputs_check_pattern(const char *pattern)
{
	bool ranked = false;

	for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2) {
		if (at[1] != 'r' && at[1] != '%')
			return gs_fail(GS_EUSAGE, "invalid output name '%s': with '--split', a %% stands "
			               "before r or another %%", pattern);
		ranked |= at[1] == 'r';
	}
	return ranked ? GS_OK
	       : gs_fail(GS_EUSAGE, "invalid output name '%s': '--split' needs %%r in it, which becomes "
	                 "the number of each file", pattern);
}

gs_status
gs_outputs_name(const char *pattern, size_t index, size_t count, char **made)
{
	const int digits = snprintf(NULL, 0, "%zu", count - 1);
	char name[PATH_MAX];
	size_t bytes = 0;

	for (const char *at = pattern; *at != '\0' && bytes < sizeof name; at++) {
		if (*at != '%')
			name[bytes++] = *at;
		else if (*++at == '%')
			name[bytes++] = '%';
		else
			bytes += (size_t)snprintf(name + bytes, sizeof name - bytes, "%0*zu", digits, index);
	}
	*made = NULL;
	if (bytes >= sizeof name)
		return gs_fail(GS_EIO, "open failed: the name of output %zu is too long", index);
	name[bytes] = '\0';
	*made = strdup(name);
	return *made != NULL ? GS_OK : gs_fail(GS_EBUDGET, "out of memory");
}

gs_status
gs_outputs_check_files(const char *pattern, size_t count)
{
	struct gs_identity *files;
	gs_status status = GS_NEW(files, count, "outputs");

	for (size_t f = 0; f < count && status == GS_OK; f++) {
		char *name, *other = NULL;

		status = gs_outputs_name(pattern, f, count, &name);
		if (status == GS_OK)
			files[f] = gs_identity_of(name, -1);
		for (size_t before = 0; before < f && status == GS_OK; before++) {
			if (!gs_identity_same(&files[before], &files[f]))
				continue;
			status = gs_outputs_name(pattern, before, count, &other);
			THEN(status, gs_fail(GS_EUSAGE, "%s and %s are the same file", other, name));
		}
		free(name);
		free(other);
	}
	free(files);
	return status;
}

/* ---- opening ---------------------------------------------------------------- */

gs_status
gs_outputs_open(struct gs_outputs *outputs, const struct gs_output_options *options,
                unsigned split)
{
	const size_t count = split > 0 ? split : 1;
	struct gs_output_options each = *options;

	*outputs = (struct gs_outputs){ .count = 0 };
	TRY(GS_NEW(outputs->files, count, "outputs"));
	if (split > 0)
		TRY(GS_NEW(outputs->names, count, "outputs"));
	outputs->count = count;
	if (split == 0)
		return gs_output_open(&outputs->files[0], options);
	TRY(gs_outputs_check_files(options->name, count));
	for (size_t f = 0; f < count; f++) {
		TRY(gs_outputs_name(options->name, f, count, &outputs->names[f]));
		each.name = outputs->names[f];
		TRY(gs_output_open(&outputs->files[f], &each));
	}
	return GS_OK;
}

/* ---- the end ------------------------------------------------------------------ */

gs_status
gs_outputs_wait(const struct gs_outputs *outputs)
{
	for (size_t f = 0; f < outputs->count; f++)
		TRY(gs_output_wait(outputs->files[f]));
	return GS_OK;
}

void
gs_outputs_close(struct gs_outputs *outputs)
{
	for (size_t f = 0; f < outputs->count; f++) {
		gs_output_close(outputs->files[f]);
		if (outputs->names != NULL)
			free(outputs->names[f]);
	}
	free(outputs->files);
	free(outputs->names);
	*outputs = (struct gs_outputs){ .count = 0 };
}

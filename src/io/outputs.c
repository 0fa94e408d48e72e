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

static int
digits_of(size_t number)
{
	int digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

char *
gs_outputs_name(const char *pattern, size_t index, size_t count)
{
	char name[PATH_MAX];
	size_t bytes = 0;

	for (const char *at = pattern; *at != '\0' && bytes < sizeof name; at++) {
		if (*at != '%')
			name[bytes++] = *at;
		else if (*++at == '%')
			name[bytes++] = '%';
		else
			bytes += (size_t)snprintf(name + bytes, sizeof name - bytes, "%0*zu",
			                          digits_of(count - 1), index);
	}
	if (bytes >= sizeof name)
		return NULL;
	name[bytes] = '\0';
	return strdup(name);
}

/* A file and its index. */
struct ranked_file {
	struct gs_identity file;
	size_t index;
};

static int
compare_files(const void *a, const void *b)
{
	const struct ranked_file *one = a, *other = b;
	const int order = gs_identity_compare(&one->file, &other->file);

	return order != 0 ? order : (one->index > other->index) - (one->index < other->index);
}

/* Find out which files the names are; *KNOWN of them are in FILES then. */
static gs_status
identify(const char *pattern, size_t count, struct ranked_file *files, size_t *known)
{
	*known = 0;
	for (size_t f = 0; f < count; f++) {
		char *name = gs_outputs_name(pattern, f, count);

		if (name == NULL)
			return gs_fail(GS_EIO, "open failed: the name of output %zu is too long", f);
		files[*known] = (struct ranked_file){ gs_identity_of(name, -1), f };
		*known += files[*known].file.known;
		free(name);
	}
	return GS_OK;
}

static gs_status
refuse(const char *pattern, size_t count, size_t a, size_t b)
{
	char *one = gs_outputs_name(pattern, a, count), *other = gs_outputs_name(pattern, b, count);
	const gs_status status = one == NULL || other == NULL ? gs_fail(GS_EBUDGET, "out of memory")
	                         : gs_fail(GS_EUSAGE, "%s and %s are the same file", one, other);

	free(one);
	free(other);
	return status;
}

gs_status
gs_outputs_check_files(const char *pattern, size_t count)
{
	struct ranked_file *files;
	gs_status status = GS_NEW(files, count, "outputs");
	size_t known = 0;

	if (status == GS_OK && (status = identify(pattern, count, files, &known)) == GS_OK && known > 0)
		qsort(files, known, sizeof *files, compare_files);
	for (size_t f = 1; f < known && status == GS_OK; f++)
		if (gs_identity_same(&files[f - 1].file, &files[f].file))
			status = refuse(pattern, count, files[f - 1].index, files[f].index);
	free(files);
	return status;
}

/* ---- opening ---------------------------------------------------------------- */

static gs_status
open_files(struct gs_outputs *outputs, const struct gs_output_options *options)
{
	struct gs_output_options each = *options;

	TRY(gs_outputs_check_files(options->name, outputs->count));
	for (size_t f = 0; f < outputs->count; f++) {
		each.name = outputs->names[f] = gs_outputs_name(options->name, f, outputs->count);
		if (each.name == NULL)
			return gs_fail(GS_EBUDGET, "out of memory");
		TRY(gs_output_open(&outputs->files[f], &each));
	}
	return GS_OK;
}

gs_status
gs_outputs_open(struct gs_outputs *outputs, const struct gs_output_options *options,
                unsigned split)
{
	const size_t count = split > 0 ? split : 1;

	*outputs = (struct gs_outputs){ .count = 0 };
	TRY(GS_NEW(outputs->files, count, "outputs"));
	if (split > 0)
		TRY(GS_NEW(outputs->names, count, "outputs"));
	outputs->count = count;
	return split > 0 ? open_files(outputs, options) : gs_output_open(&outputs->files[0], options);
}

/* ---- the end ------------------------------------------------------------------ */

gs_status
gs_outputs_wait(const struct gs_outputs *outputs)
{
	for (size_t f = 0; f < outputs->count; f++)
		TRY(gs_output_wait(outputs->files[f]));
	return GS_OK;
}

gs_status
gs_outputs_finish(const struct gs_outputs *outputs)
{
	return gs_output_finish_all(outputs->files, outputs->count);
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

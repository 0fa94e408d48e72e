// SPDX-License-Identifier: BSD-2-Clause
/*
 * files0.c - read the names of inputs from a file: --files0-from
 *
 * In:   bytes.
 * Out:  pointers to names in them.  The messages are those of sort(1).
 *
 * Each block is checked as it is read.  So a file that holds no names fails at once, however
 * long it is: /dev/zero, or a file of numbers.
 *
 * Invariant: all bytes up to the last NUL read so far are valid names.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/option.h"

enum {
	FIRST_BYTES = 1 << 16,		/* first size of the buffer, which doubles; not tuned */
	MOST_BYTES  = 256 << 20,	/* of all names; a longer file is a mistake */
};

struct names {
	char  *all;		/* the buffer */
	size_t bytes;		/* read into it */
	size_t room;		/* its size */
	size_t begin;		/* offset of the name that has no NUL yet */
	size_t count;		/* complete names */
};

/* Check the name before END.  ENDED: its NUL is at END; else more of it may follow. */
static bool
check_name(const char *from, const struct names *names, size_t end, bool ended)
{
	const char *name = names->all + names->begin;
	const size_t bytes = end - names->begin;

	if (bytes >= PATH_MAX)
		gs_report_error("%s:%zu: file name longer than %d bytes; a NUL must end each name",
		                from, names->count + 1, PATH_MAX - 1);
	else if (ended && bytes == 0)
		gs_report_error("%s:%zu: invalid zero-length file name", from, names->count + 1);
	else if (ended && bytes == 1 && name[0] == '-')
		gs_report_error("when reading file names from standard input, no file name of '-' "
		                "allowed");
	else
		return true;
	return false;
}

/* The last name has no NUL, and ends at the end of the file: may it be a list of lines? */
static bool
check_last(const char *from, const struct names *names)
{
	const char *name = names->all + names->begin;

	if (!check_name(from, names, names->bytes, true))
		return false;
	if (strchr(name, '\n') == NULL || access(name, F_OK) == 0)
		return true;
	return gs_report_error("%s:%zu: file name with a newline; a NUL must end each name, as of "
	                       "find -print0", from, names->count);
}

/* Check the names in the bytes from AT on. */
static bool
check_names(const char *from, struct names *names, size_t at)
{
	while (at < names->bytes) {
		const char *nul = memchr(names->all + at, '\0', names->bytes - at);
		const size_t end = nul != NULL ? (size_t)(nul - names->all) : names->bytes;

		if (!check_name(from, names, end, nul != NULL))
			return false;
		at = end + 1;
		if (nul != NULL) {
			names->begin = at;
			names->count++;
		}
	}
	return true;
}

/* Make room for at least one byte and a NUL. */
static bool
grow(const char *from, struct names *names)
{
	char *more;

	if (names->bytes + 1 < names->room)
		return true;
	if (names->room >= MOST_BYTES)
		return gs_report_error("%s: more than %d MiB of file names", from, MOST_BYTES >> 20);
	names->room = names->room > 0 ? 2 * names->room : FIRST_BYTES;
	more = realloc(names->all, names->room);
	if (more == NULL)
		gs_report_error("out of memory for the names in '%s'", from);
	else
		names->all = more;
	return more != NULL;
}

/* Read all names of IN, and put a NUL after the last. */
static bool
read_all(const char *from, FILE *in, struct names *names)
{
	while (grow(from, names)) {
		const size_t before = names->bytes;
		int error;

		names->bytes += fread(names->all + before, 1, names->room - 1 - before, in);
		error = errno;
		if (!check_names(from, names, before))
			return false;
		if (ferror(in))
			return gs_report_error("cannot read file names from '%s': %s", from,
			                       strerror(error));
		if (feof(in)) {
			const bool ended = names->begin == names->bytes;

			names->all[names->bytes] = '\0';
			names->count += !ended;
			return ended || check_last(from, names);
		}
	}
	return false;
}

/* Make the array of pointers to the names; NULL: out of memory. */
static const char **
list_names(const struct names *names)
{
	const char **found = malloc((names->count + 1) * sizeof *found);
	const char *at = names->all;

	for (size_t n = 0; found != NULL && n < names->count; n++, at += strlen(at) + 1)
		found[n] = at;
	return found;
}

bool
gs_files0_read(const char *from, const char *const **names, size_t *count)
{
	FILE *in = strcmp(from, "-") == 0 ? stdin : fopen(from, "re");
	struct names read = { .all = NULL };
	const char **found = NULL;

	if (in == NULL)
		return gs_report_error("open failed: %s: %s", from, strerror(errno));
	if (read_all(from, in, &read)) {
		found = list_names(&read);
		if (found == NULL)
			gs_report_error("out of memory for the names in '%s'", from);
		else if (read.count == 0)
			gs_report_error("no input from '%s'", from);
	}
	if (in != stdin)
		fclose(in);
	if (found != NULL && read.count > 0) {
		*names = found;
		*count = read.count;
		return true;
	}
	free(found);
	free(read.all);
	return false;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * files0.c - names of inputs from a file: --files0-from
 *
 * In: bytes.  Out: pointers into them.  The messages are those of sort(1).
 *
 * Names are looked at as they come, so that what holds none is told at once, however long
 * it is: /dev/zero, or a file of numbers.
 *
 * Invariant: of what was read, all up to the last NUL is good names.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files0.h"
#include "cli/report.h"

enum {
	FIRST_BYTES = 1 << 16,		/* not tuned: it doubles */
	MOST_BYTES  = 256 << 20,	/* of all names: more is no list that anybody meant */
};

/* What has come. */
struct names {
	char  *all;
	size_t bytes, room;
	size_t begin;		/* of the name that has not ended */
	size_t count;		/* that have */
};

/* Is the name that ends at END, or might go on there, good so far? */
static bool
is_good(const char *from, const struct names *names, size_t end, bool ended)
{
	const char *name = names->all + names->begin;
	const size_t bytes = end - names->begin;

	if (bytes >= PATH_MAX)
		gs_report_error("%s:%zu: file name longer than %d bytes; names end in NUL", from,
		                names->count + 1, PATH_MAX - 1);
	else if (ended && bytes == 0)
		gs_report_error("%s:%zu: invalid zero-length file name", from, names->count + 1);
	else if (ended && bytes == 1 && name[0] == '-')
		gs_report_error("when reading file names from standard input, no file name of '-' "
		                "allowed");
	else
		return true;
	return false;
}

/* Look at the names among the bytes from AT on. */
static bool
look(const char *from, struct names *names, size_t at)
{
	while (at < names->bytes) {
		const char *nul = memchr(names->all + at, '\0', names->bytes - at);
		const size_t end = nul != NULL ? (size_t)(nul - names->all) : names->bytes;

		if (!is_good(from, names, end, nul != NULL))
			return false;
		at = end + 1;
		if (nul != NULL) {
			names->begin = at;
			names->count++;
		}
	}
	return true;
}

static bool
make_room(const char *from, struct names *names)
{
	char *more;

	if (names->bytes + 1 < names->room)
		return true;
	if (names->room >= MOST_BYTES) {
		gs_report_error("%s: more than %d MiB of file names", from, MOST_BYTES >> 20);
		return false;
	}
	names->room = names->room > 0 ? 2 * names->room : FIRST_BYTES;
	more = realloc(names->all, names->room);
	if (more == NULL)
		gs_report_error("out of memory for the names in '%s'", from);
	else
		names->all = more;
	return more != NULL;
}

/* All names of IN, the last with a NUL behind it. */
static bool
read_all(const char *from, FILE *in, struct names *names)
{
	while (make_room(from, names)) {
		const size_t before = names->bytes;

		int error;

		names->bytes += fread(names->all + before, 1, names->room - 1 - before, in);
		error = errno;
		if (!look(from, names, before))
			return false;
		if (ferror(in)) {
			gs_report_error("cannot read file names from '%s': %s", from, strerror(error));
			return false;
		}
		if (feof(in)) {
			const bool ended = names->begin == names->bytes;

			names->all[names->bytes] = '\0';
			names->count += !ended;
			return ended || is_good(from, names, names->bytes, true);
		}
	}
	return false;
}

/* Pointers to the names; NULL: out of memory. */
static const char **
split(const struct names *names)
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

	if (in == NULL) {
		gs_report_error("open failed: %s: %s", from, strerror(errno));
		return false;
	}
	if (read_all(from, in, &read)) {
		found = split(&read);
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

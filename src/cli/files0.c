// SPDX-License-Identifier: BSD-2-Clause
/*
 * files0.c - read the names of inputs from a file: --files0-from
 *
 * In:   bytes.
 * Out:  the names in them.  The messages are sort(1)'s.
 *
 * Each name is checked as it is read.  So a file that holds no names fails at once, however
 * long it is: /dev/zero, or a file of numbers.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/option.h"
#include "cli/report.h"

enum { MOST_BYTES = 256 << 20 };	/* of all names; a longer file is a mistake */

struct names {
	const char *from;	/* the file that lists them */
	char       *all;	/* each with its NUL */
	size_t      bytes, room;
	size_t      count;
};

static bool
read_names(struct names *names, FILE *in)
{
	const char *const from = names->from;
	int byte = '\0';

	while (byte != EOF) {
		const size_t begin = names->bytes, number = names->count + 1;
		const char *name;
		size_t bytes;

		do {
			byte = getc_unlocked(in);
			if (names->bytes == MOST_BYTES)
				return gs_report_error("%s: more than %d MiB of file names", from,
				                       MOST_BYTES >> 20);
			if (names->bytes == names->room &&
			    GS_GROW(names->all, &names->room, names->bytes + 1, "bytes of names") != GS_OK)
				return gs_report_error("out of memory for the names in '%s'", from);
			names->all[names->bytes++] = (char)(byte == EOF ? '\0' : byte);
		} while (byte != EOF && byte != '\0' && names->bytes - begin < PATH_MAX);
		name = names->all + begin;
		bytes = names->bytes - begin;	/* with its NUL, or without one if it is longer */
		if (byte == EOF && ferror(in))
			return gs_report_error("cannot read file names from '%s': %s", from, strerror(errno));
		if (byte == EOF && bytes == 1)
			break;
		if (name[bytes - 1] != '\0')
			return gs_report_error("%s:%zu: file name longer than %d bytes; a NUL must end each "
			                       "name", from, number, PATH_MAX - 1);
		if (bytes == 1)
			return gs_report_error("%s:%zu: invalid zero-length file name", from, number);
		if (strcmp(name, "-") == 0)
			return gs_report_error("when reading file names from standard input, no file name of "
			                       "'-' allowed");
		if (byte == EOF && strchr(name, '\n') != NULL && access(name, F_OK) != 0)	/* lines */
			return gs_report_error("%s:%zu: file name with a newline; a NUL must end each name, "
			                       "as of find -print0", from, number);
		names->count++;
	}
	return names->count > 0 || gs_report_error("no input from '%s'", from);
}

bool
gs_files0_read(const char *from, const char *const **names, size_t *count)
{
	FILE *in = strcmp(from, "-") == 0 ? stdin : fopen(from, "re");
	struct names read = { .from = from };
	const char **found = NULL, *at;

	if (in == NULL)
		return gs_report_error("open failed: %s: %s", from, strerror(errno));
	if (read_names(&read, in) && (found = malloc(read.count * sizeof *found)) == NULL)
		gs_report_error("out of memory for the names in '%s'", from);
	if (in != stdin)
		fclose(in);
	if (found == NULL) {
		free(read.all);
		return false;
	}
	at = read.all;
	for (size_t n = 0; n < read.count; n++, at += strlen(at) + 1)
		found[n] = at;
	*names = found;
	*count = read.count;
	return true;
}

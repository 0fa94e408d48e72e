// SPDX-License-Identifier: BSD-2-Clause
/*
 * files0.c - names of inputs from a file: --files0-from
 *
 * In: bytes.  Out: pointers into them.  Everything is read before the first name is
 * looked at; the messages are those of sort(1).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files0.h"
#include "cli/report.h"

enum { FIRST_BYTES = 1 << 16 };	/* not tuned: it doubles */

/* All of IN, with a NUL behind it; NULL and errno on trouble. */
static char *
read_all(FILE *in, size_t *bytes)
{
	size_t room = FIRST_BYTES;
	char *all = malloc(room);

	*bytes = 0;
	while (all != NULL) {
		char *more;

		*bytes += fread(all + *bytes, 1, room - 1 - *bytes, in);
		if (*bytes < room - 1)
			break;
		more = realloc(all, room *= 2);
		if (more == NULL)
			free(all);
		all = more;
	}
	if (all != NULL && ferror(in)) {
		free(all);
		return NULL;
	}
	if (all != NULL)
		all[*bytes] = '\0';
	return all;
}

/* Pointers to the names in BYTES of ALL; NULL: out of memory. */
static const char **
split(const char *all, size_t bytes, size_t *count)
{
	const char **names;
	size_t nuls = 0;

	for (size_t b = 0; b < bytes; b++)
		nuls += all[b] == '\0';
	names = malloc((nuls + 1) * sizeof *names);
	*count = 0;
	if (names != NULL)
		for (const char *at = all; at < all + bytes; at += strlen(at) + 1)
			names[(*count)++] = at;
	return names;
}

static bool
names_are_good(const char *from, const char *const *names, size_t count)
{
	if (count == 0) {
		gs_report_error("no input from '%s'", from);
		return false;
	}
	for (size_t n = 0; n < count; n++) {
		if (strcmp(names[n], "-") == 0) {
			gs_report_error("when reading file names from standard input, no file "
			                "name of '-' allowed");
			return false;
		}
		if (names[n][0] == '\0') {
			gs_report_error("%s:%zu: invalid zero-length file name", from, n + 1);
			return false;
		}
	}
	return true;
}

bool
gs_files0_read(const char *from, const char *const **names, size_t *count)
{
	FILE *in = strcmp(from, "-") == 0 ? stdin : fopen(from, "re");
	const char **found = NULL;
	size_t bytes;
	char *all;

	if (in == NULL) {
		gs_report_error("open failed: %s: %s", from, strerror(errno));
		return false;
	}
	errno = 0;
	all = read_all(in, &bytes);
	if (all != NULL)
		found = split(all, bytes, count);
	if (found == NULL && errno == ENOMEM)
		gs_report_error("out of memory for the names in '%s'", from);
	else if (found == NULL)
		gs_report_error("cannot read file names from '%s'", from);
	if (in != stdin)
		fclose(in);
	if (found != NULL && names_are_good(from, found, *count)) {
		*names = found;
		return true;
	}
	free(found);
	free(all);
	return false;
}

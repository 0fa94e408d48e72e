// SPDX-License-Identifier: BSD-2-Clause
/*
 * as_sort.c - called as "sort", gsort is sort(1): by itself, or by the next sort on PATH
 *
 * In:   argv, the environment.
 * Out:  whether this program sorts; if not, another one runs in its place.
 *
 * The next sort gets what this one would not do as sort(1) does: other locales than C, random order, the old
 * keys (+1 -2), --debug, --compress-program, and whatever is refused.  Nothing has been read by then.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/opts.h"
#include "cli/process.h"
#include "cli/report.h"

/* Set for the next sort: if that is gsort again, by another name of PATH, there is none. */
static const char mark[] = "GSORT_NEXT_SORT";

/* ---- what this program does as sort(1) does -------------------------------------- */

enum { OTHERS = 256, SORT };

static const struct option options[] = {
	{ "ignore-leading-blanks", no_argument, NULL, 'b' },
	{ "check", optional_argument, NULL, 'c' },
	{ "compress-program", required_argument, NULL, OTHERS },
	{ "debug", no_argument, NULL, OTHERS },
	{ "dictionary-order", no_argument, NULL, 'd' },
	{ "ignore-case", no_argument, NULL, 'f' },
	{ "files0-from", required_argument, NULL, 'T' },
	{ "general-numeric-sort", no_argument, NULL, 'g' },
	{ "ignore-nonprinting", no_argument, NULL, 'i' },
	{ "key", required_argument, NULL, 'k' },
	{ "merge", no_argument, NULL, 'm' },
	{ "month-sort", no_argument, NULL, 'M' },
	{ "numeric-sort", no_argument, NULL, 'n' },
	{ "human-numeric-sort", no_argument, NULL, 'h' },
	{ "version-sort", no_argument, NULL, 'V' },
	{ "random-sort", no_argument, NULL, OTHERS },
	{ "random-source", required_argument, NULL, OTHERS },
	{ "sort", required_argument, NULL, SORT },
	{ "output", required_argument, NULL, 'o' },
	{ "reverse", no_argument, NULL, 'r' },
	{ "stable", no_argument, NULL, 's' },
	{ "batch-size", required_argument, NULL, 'S' },
	{ "buffer-size", required_argument, NULL, 'S' },
	{ "field-separator", required_argument, NULL, 't' },
	{ "temporary-directory", required_argument, NULL, 'T' },
	{ "unique", no_argument, NULL, 'u' },
	{ "zero-terminated", no_argument, NULL, 'z' },
	{ "parallel", required_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 's' },
	{ "version", no_argument, NULL, 's' },
	{ NULL, 0, NULL, 0 },
};

/* Is the word R of -k or --sort, a letter or a name, random order? */
static bool
is_random(int option, const char *word)
{
	return option == 'k' ? strchr(word, 'R') != NULL
	       : option == SORT && strncmp(word, "random", strlen(word)) == 0;
}

/* "+1", "+2.3n": an old key, which is a file where POSIX allows no old keys. */
static bool
is_old_key(const char *word)
{
	return word[0] == '+' && word[1] >= '0' && word[1] <= '9';
}

/* Are all options understood as sort(1) understands them?  ARGV stays as it is. */
static bool
understands(int argc, char **argv)
{
	unsigned operands = 0;
	bool checks = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "-bcCdfghik:mMno:rsS:t:T:uVy:z", options, NULL)) != -1) {
		if (option == '?' || option == OTHERS || is_random(option, optarg) ||
		    (option == 1 && is_old_key(optarg)))
			return false;
		operands += option == 1;
		checks |= option == 'c' || option == 'C';
	}
	operands += (unsigned)(argc - optind);
	optind = 0;		/* begin anew */
	return !checks || operands <= 1;	/* sort refuses the second, in its words */
}

/* ---- the locale -------------------------------------------------------------------- */

static bool
is_c(const char *category)
{
	const char *const names[] = { "LC_ALL", category, "LANG" };
	const char *locale = NULL;

	for (size_t n = 0; n < sizeof names / sizeof *names && (locale == NULL || *locale == '\0'); n++)
		locale = getenv(names[n]);
	return locale == NULL || *locale == '\0' || strcmp(locale, "C") == 0 ||
	       strcmp(locale, "POSIX") == 0 || strcasecmp(locale, "C.UTF-8") == 0 ||
	       strcasecmp(locale, "C.utf8") == 0;
}

/* ---- the next sort ------------------------------------------------------------------ */

/* Is PATH a program, and not the one that runs? */
static bool
is_another(const char *path, const struct stat *self)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0 &&
	       (status.st_dev != self->st_dev || status.st_ino != self->st_ino);
}

/* Run it; returns if there is none. */
static void
run_next(char **argv)
{
	const char *path = getenv("PATH");
	char name[PATH_MAX];
	struct stat self;

	if (getenv(mark) != NULL || path == NULL || stat("/proc/self/exe", &self) != 0)
		return;
	(void)setenv(mark, "1", 1);
	while (*path != '\0') {
		const size_t length = strcspn(path, ":");

		if (snprintf(name, sizeof name, "%.*s/sort", (int)length, length > 0 ? path : ".") <
		    (int)sizeof name && is_another(name, &self))
			(void)execv(name, argv);
		path += length + (path[length] == ':');
	}
}

bool
gs_as_sort(int argc, char **argv)
{
	if (strcmp(gs_program_name(), "sort") != 0)
		return false;
	if (understands(argc, argv) && is_c("LC_COLLATE") && is_c("LC_CTYPE") && is_c("LC_NUMERIC") &&
	    is_c("LC_TIME")) {
		(void)unsetenv(mark);
		return true;
	}
	run_next(argv);
	gs_report_error("this locale, or one of the options, needs another sort, and PATH has none; "
	                "LC_ALL=C, or gsort, does without");
	gs_process_end(GS_EXIT_ERROR);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * as_sort.c - called as "sort", gsort is sort(1): by itself, or by the next sort on PATH
 *
 * In:   argv, the environment.
 * Out:  whether this program sorts; if not, another one runs in its place.
 *
 * The next sort gets what this one would not do as sort(1) does: random order, the old keys (+1 -2), --debug,
 * a program that compresses (this one has fewer temporary files, or none); and what this one refuses, so that
 * the message is its own.  Nothing has been read by then.
 */
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/opts.h"
#include "cli/process.h"
#include "cli/report.h"

/* The process that runs the next sort: if that is gsort again, by another name of PATH, there is none. */
static const char mark[] = "GSORT_NEXT_SORT";
static bool is_next;

/* ---- what this program does as sort(1) does, unless it is refused ------------------ */

/* Long options that are not here are left to the next sort. */

enum { SORT = 256, PROGRAM };

static const struct option options[] = {
	{ "ignore-leading-blanks", no_argument, NULL, 'b' },
	{ "check", optional_argument, NULL, 'c' },
	{ "compress-program", required_argument, NULL, PROGRAM },
	{ "dictionary-order", no_argument, NULL, 'd' },
	{ "ignore-case", no_argument, NULL, 'f' },
	{ "files0-from", required_argument, NULL, 'o' },
	{ "general-numeric-sort", no_argument, NULL, 'g' },
	{ "ignore-nonprinting", no_argument, NULL, 'i' },
	{ "key", required_argument, NULL, 'k' },
	{ "merge", no_argument, NULL, 'm' },
	{ "month-sort", no_argument, NULL, 'M' },
	{ "numeric-sort", no_argument, NULL, 'n' },
	{ "human-numeric-sort", no_argument, NULL, 'h' },
	{ "version-sort", no_argument, NULL, 'V' },
	{ "sort", required_argument, NULL, SORT },
	{ "output", required_argument, NULL, 'o' },
	{ "reverse", no_argument, NULL, 'r' },
	{ "stable", no_argument, NULL, 's' },
	{ "batch-size", required_argument, NULL, 'S' },
	{ "buffer-size", required_argument, NULL, 'S' },
	{ "field-separator", required_argument, NULL, 't' },
	{ "temporary-directory", required_argument, NULL, 'o' },
	{ "unique", no_argument, NULL, 'u' },
	{ "zero-terminated", no_argument, NULL, 'z' },
	{ "parallel", required_argument, NULL, 'S' },
	{ NULL, 0, NULL, 0 },
};

/* Is WORD one of LIST, which ends with NULL? */
static bool
is_one_of(const char *word, const char *const *list)
{
	while (*list != NULL && strcmp(*list, word) != 0)
		list++;
	return *list != NULL;
}

/* Is this a size that is not beyond 64 bits, which sort(1) refuses? */
static bool
is_size(const char *word)
{
	const size_t digits = strspn(word, " +0123456789");

	return word[digits + strspn(word + digits, "bkKmMgGtT%")] == '\0' &&
	       (digits <= 7 || (digits <= 16 && word[digits + strspn(word + digits, "bkK")] == '\0'));
}

/* Has the argument of an option the meaning of sort(1) here?  In doubt, no. */
static bool
is_shared(int option, const char *word)
{
	static const char *const checks[] = { "quiet", "silent", "diagnose-first", NULL };
	static const char *const programs[] = { "lz4", "zstd", NULL };	/* compress in this process */
	static const char *const orders[] = {
		"general-numeric", "human-numeric", "month", "numeric", "version", NULL,
	};

	switch (option) {
	case 'c':  return word == NULL || is_one_of(word, checks);
	case SORT: return is_one_of(word, orders);
	case PROGRAM: return is_one_of(word, programs);
	case 'k':  return strchr(word, 'R') == NULL;		/* random order */
	case 't':  return strlen(word) == 1;
	case 'S':  return is_size(word);
	case 'y':  return false;
	default:   return true;
	}
}

/* Is the option that ends before argv[optind] a long one that is cut short? */
static bool
is_short_of(const char *word, int index)
{
	return index >= 0 && strcspn(word + 2, "=") != strlen(options[index].name);
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
	bool shared = getenv("POSIXLY_CORRECT") == NULL;	/* where operands end options */
	bool checks = false;
	int option, index = -1, at = 1;

	opterr = 0;
	while (shared && (option = getopt_long(argc, argv, "-bcCdfghik:mMno:rsS:t:T:uVy:z", options,
	                                       &index)) != -1) {
		shared = option != '?' && is_shared(option, optarg) &&
		         !(option == 1 && is_old_key(optarg)) && !is_short_of(argv[at], index);
		operands += option == 1;
		checks |= option == 'c' || option == 'C';
		at = optind;
		index = -1;
	}
	operands += (unsigned)(argc - optind);
	optind = 0;		/* begin anew */
	return shared && (!checks || operands <= 1);	/* sort refuses the second */
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

bool
gs_environment_is_c(void)
{
	return is_c("LC_COLLATE") && is_c("LC_CTYPE") && is_c("LC_NUMERIC") && is_c("LC_TIME");
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

void
gs_next_sort(char **argv)
{
	const char *path = getenv("PATH");
	char name[PATH_MAX], process[24];
	struct stat self;

	if (is_next || path == NULL || stat("/proc/self/exe", &self) != 0)
		return;
	snprintf(process, sizeof process, "%ld", (long)getpid());
	(void)setenv(mark, process, 1);
	(void)signal(SIGXFSZ, SIG_DFL);
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
	const char *before = getenv(mark);

	if (strcmp(gs_program_name(), "sort") != 0)
		return false;
	is_next = before != NULL && strtol(before, NULL, 10) == (long)getpid();	/* exec keeps it */
	if (understands(argc, argv)) {
		(void)unsetenv(mark);
		return true;
	}
	gs_next_sort(argv);
	gs_report_error("one of the options needs another sort, and PATH has none");
	gs_process_end(GS_EXIT_ERROR);
}

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
#ifdef __linux__
#include <sys/auxv.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/opts.h"
#include "cli/process.h"
#include "cli/report.h"

/* The process that runs the next sort: if that is gsort again, by another name on PATH, no sort is next. */
static const char mark[] = "GSORT_NEXT_SORT";
static bool is_next;

/* ---- what this program does as sort(1) does, unless it is refused ------------------ */

enum { OPERAND = 1 };		/* id in getopt */

/* Is WORD one of LIST? */
static bool
is_one_of(const char *word, const char *list)
{
	return gs_words_have(list, word, strlen(word));
}

/* Is this a size that is not beyond 64 bits, which sort(1) refuses? */
static bool
is_size(const char *word)
{
	const size_t digits = strspn(word, " +0123456789");

	return word[digits + strspn(word + digits, "bkKmMgGtT%")] == '\0' &&
	       (digits <= 7 || (digits <= 16 && word[digits + strspn(word + digits, "bkK")] == '\0'));
}

/* Has the option that getopt found in WORD, with its VALUE, the meaning of sort(1) here?  In doubt, no; so a
 * long option that is cut short has not. */
static bool
is_shared(int id, const char *word, const char *value)
{
	const struct gs_option *option = gs_option_of_id(id);

	if (option == NULL || (id >= GS_FIRST_LONG && strcspn(word + 2, "=") != strlen(option->name)))
		return false;
	switch (option->letter) {
	case 'c':  return value == NULL || is_one_of(value, "quiet silent diagnose-first");
	case 'k':  return strchr(value, 'R') == NULL;		/* random order */
	case 't':  return strlen(value) == 1 || strcmp(value, "\\0") == 0;
	case 'S':  return is_size(value);
	case 'u':  return value == NULL;
	case '\0': break;		/* a long name only */
	default:   return strchr("bCdfghimMnorsTVz", option->letter) != NULL;
	}
	return strcmp(option->name, "files0-from") == 0 ||
	       (strcmp(option->name, "sort") == 0 && is_one_of(value, option->words)) ||
	       /* codecs in this process */
	       (strcmp(option->name, "compress-program") == 0 && is_one_of(value, "lz4 zstd")) ||
	       (is_one_of(option->name, "batch-size parallel") && is_size(value));
}

/* Are all options understood as sort(1) understands them?  ARGV stays as it is. */
static bool
understands(int argc, char **argv)
{
	bool shared = getenv("POSIXLY_CORRECT") == NULL;	/* where operands end options */
	char letters[3 * GS_MOST_OPTIONS + 2];
	struct option longs[GS_MOST_OPTIONS + 1];
	int id, at = 1;

	gs_getopt_tables('-', letters, longs);
	opterr = 0;
	while (shared && (id = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		/* "+1", "+2.3n": an old key, which is a file where POSIX allows no old keys */
		shared = id == OPERAND ? optarg[0] != '+' || optarg[1] < '0' || optarg[1] > '9'
		                       : is_shared(id, argv[at], optarg);
		at = optind;
	}
	optind = 0;		/* begin anew */
	return shared;
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

void
gs_next_sort(char **argv)
{
	const char *path = getenv("PATH"), *started = "/proc/self/exe";
	char name[PATH_MAX], process[24];
	struct stat self, status;

#ifdef __linux__
	if (access(started, F_OK) != 0)		/* a chroot may lack /proc */
		started = (const char *)getauxval(AT_EXECFN);
#endif
	if (is_next || path == NULL || stat(started, &self) != 0)
		return;
	snprintf(process, sizeof process, "%ld", (long)getpid());
	(void)setenv(mark, process, 1);
	(void)signal(SIGXFSZ, SIG_DFL);
	while (*path != '\0') {
		const size_t length = strcspn(path, ":");

		/* a program, and not the one that runs */
		if (snprintf(name, sizeof name, "%.*s/sort", (int)length, length > 0 ? path : ".") <
		    (int)sizeof name && stat(name, &status) == 0 && S_ISREG(status.st_mode) &&
		    access(name, X_OK) == 0 &&
		    (status.st_dev != self.st_dev || status.st_ino != self.st_ino))
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

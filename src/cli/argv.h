// SPDX-License-Identifier: BSD-2-Clause
/*
 * argv.h - "-ru64" means "-r --type=u64"
 */
#ifndef GS_ARGV_H
#define GS_ARGV_H

#include <stdbool.h>

/* A letter that names key types when one of its widths follows. */
struct gs_argv_type {
	char        letter;
	unsigned    widths[5];		/* ends with 0 */
	const char *meaning;
};

struct gs_argv_rules {
	const struct gs_argv_type *types;	/* ends with letter 0 */
	bool (*takes_value)(const char *word);	/* "-o" or "--output": is a value needed? */
};

/**
 * Write every key type of the command line as --type=TYPE, so that getopt can
 * read it.
 *
 * @argc    changed to the new count
 * @bad     set, on trouble, to the word that holds the bad width
 * @type    and to the type it was meant to be
 * @return  the new argv, the caller's to free() (strings and all); or NULL: a
 *          width that does not exist, or (BAD is NULL) out of memory
 */
char **gs_argv_split(int *argc, char **argv, const struct gs_argv_rules *rules,
                     const char **bad, const struct gs_argv_type **type);

#endif

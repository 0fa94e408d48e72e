// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.h - opts.def as data
 */
#ifndef GS_TABLE_H
#define GS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/argv.h"
#include "cli/opts.h"

struct gs_row {
	const char *name;	/* long name; NULL: a heading, or only a letter */
	int         letter;	/* 0: only a long name */
	const char *value;	/* NULL: none; "[X]": optional */
	const char *meaning;	/* in --help, NULL: not there; or what it is in sort(1) */
	const char *refusal;	/* why not; NULL: it is ours */
	size_t      field;	/* offset in struct gs_opts */

	/** Put the option into OPTS; false if VALUE is wrong, and then it has said why. */
	bool (*take)(struct gs_opts *opts, const struct gs_row *row, const char *value);
};

extern const struct gs_row gs_rows[];
extern const size_t gs_row_count;

/* The key types that are written as letter and width. */
extern const struct gs_argv_type gs_row_types[];

/** How people write a type: "-u32", "--type=text"; returns INTO. */
const char *gs_row_spell_type(const char *name, char into[24]);

/** And a check: "-c", "-C", "--check=summary". */
const char *gs_row_spell_check(enum gsort_check check);

#endif

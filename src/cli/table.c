// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - opts.def as data
 *
 * Each row names its taker (take.c); nothing else knows a single option.
 */
#include <string.h>

#include "cli/option_handlers.h"

#define NUMBERS_ONLY	"is not supported: gsort sorts numbers; use sort(1)"

const char *
gs_row_spell_type(const char *name, char into[24])
{
	strcpy(into, strncmp(name, "text", 4) == 0 ? "--type=" : "-");
	return strcat(into, name);
}

const char *
gs_row_spell_check(enum gsort_check check)
{
	return check == GSORT_CHECK_FIRST ? "-c" : check == GSORT_CHECK_QUIET ? "-C"
	                                                                      : "--check=summary";
}

#define GROUP(heading)		{ .meaning = heading },
#define TYPE(letter, widths, meaning)
#define OPT(taker, member, ...)	{ OPT_(__VA_ARGS__), .take = gs_set_##taker, \
				  .field = offsetof(struct gs_opts, member) },
#define OPT_(long, short, what, text) \
	.name = long, .letter = short, .value = what, .meaning = text
#define REFUSE(long, short, what, text, why) { OPT_(long, short, what, text), .refusal = why },

const struct gs_row gs_rows[] = {
#include "cli/opts.def"
};

#undef GROUP
#undef TYPE
#undef OPT
#undef REFUSE

const size_t gs_row_count = sizeof gs_rows / sizeof gs_rows[0];
_Static_assert(sizeof gs_rows / sizeof gs_rows[0] <= GS_MOST_ROWS, "raise GS_MOST_ROWS");

#define GROUP(heading)
#define WIDTHS(...)		{ __VA_ARGS__, 0 }
#define TYPE(one, widths_, text) { .letter = one, .widths = widths_, .meaning = text },
#define OPT(...)
#define REFUSE(...)

const struct gs_argv_type gs_row_types[] = {
#include "cli/opts.def"
	{ .letter = 0 },
};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_table.c - opts.def as arrays, and as --help
 *
 * In:   opts.def, one row for each option.
 * Out:  gs_options[], which getopt's tables and the messages are made from; --help.
 */
#include "config.h"

#include <getopt.h>
#include <string.h>

#include "cli/option.h"
#include "cli/opts.h"

/* --- the arrays ------------------------------------------------------------ */

#define GROUP(heading)		{ .help = heading },
#define OPT(long, short, what, how, member, text) \
	{ ROW(long, short, what, text), FIELD(member), how },
#define RARE(long, short, what, how, member, text) \
	{ ROW(long, short, what, text), FIELD(member), how, .rare = true },
#define REFUSE(long, short, what, text, why)	{ ROW(long, short, what, text), .refusal = why },
#define ROW(long, short, what, text)	.name = long, .letter = short, .value = what, .help = text
#define FIELD(member) \
	.field = offsetof(struct gs_opts, member), .bytes = sizeof ((struct gs_opts *)NULL)->member

#define FLAG			.kind = GS_FLAG
#define TEXT(two)		.kind = GS_TEXT, .rule = two
#define TEXTS			.kind = GS_TEXTS
#define WORD(first, list)	.kind = GS_WORD, .least = first, .words = list
#define WORDS(list)		.kind = GS_WORDS, .words = list
#define NUMBER(min, max, what)	.kind = GS_NUMBER, .least = min, .most = max, .rule = what
#define SPECIAL(function)	.kind = GS_SPECIAL, .set = gs_set_##function
#define SPECIAL_WORDS(function, list)	SPECIAL(function), .words = list
#define DEFAULT(text, how)	.bare = text, how

const struct gs_option gs_options[] = {
#include "cli/opts.def"
};

const size_t gs_option_count = sizeof gs_options / sizeof gs_options[0];
_Static_assert(sizeof gs_options / sizeof gs_options[0] <= GS_MOST_OPTIONS,
               "raise GS_MOST_OPTIONS");

const struct gs_type_letter gs_type_letters[] = {
	{ 'u', { 8, 16, 32, 64, 128 } }, { 'i', { 8, 16, 32, 64, 128 } }, { 'f', { 16, 32, 64 } },
	{ 0, { 0 } },
};

const char *
gs_given(const struct gs_opts *opts, size_t field)
{
	for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++)
		if (o->field == field && opts->given[o - gs_options] != NULL)
			return opts->given[o - gs_options];
	return NULL;
}

/* --- for getopt ------------------------------------------------------------ */

const struct gs_option *
gs_option_of_id(int id)
{
	if (id >= GS_FIRST_LONG)
		return &gs_options[id - GS_FIRST_LONG];
	for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++)
		if (id != 0 && o->letter == id)
			return o;
	return NULL;
}

bool
gs_option_needs_value(const struct gs_option *option)
{
	return option != NULL && option->value != NULL && option->value[0] != '[';
}

void
gs_getopt_tables(char first, char *letters, struct option *longs)
{
	char *letter = letters;
	struct option *next = longs;

	*letter++ = first;
	for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++) {
		if (o->letter != 0)
			*letter++ = (char)o->letter;
		if (o->letter != 0 && gs_option_needs_value(o))
			*letter++ = ':';
		if (o->name == NULL && o->value != NULL)	/* -y, -y0 */
			letter = stpcpy(letter, "::");
		if (o->name != NULL)
			*next++ = (struct option){
				.name = o->name,
				.has_arg = gs_option_needs_value(o) ? required_argument
				           : o->value != NULL ? optional_argument : no_argument,
				.val = GS_FIRST_LONG + (int)(o - gs_options),
			};
	}
	*letter = '\0';
	*next = (struct option){ .name = NULL };
}

/* --- help ------------------------------------------------------------------ */

enum { HELP_COLUMN = 30 };	/* where the text of an option begins */

static void
print_line(FILE *to, const char *spelled, const char *text)
{
	if (strlen(spelled) + 2 > HELP_COLUMN)
		fprintf(to, "%s\n%*s%s\n", spelled, HELP_COLUMN, "", text);
	else
		fprintf(to, "%-*s%s\n", HELP_COLUMN, spelled, text);
}

void
gs_option_help(FILE *to, bool all)
{
	char types[96] = " ";

	for (const struct gs_type_letter *type = gs_type_letters; type->letter != 0; type++)
		for (const unsigned *width = type->widths; *width != 0; width++)
			sprintf(types + strlen(types), " -%c%u", type->letter, *width);
	fprintf(to, "Usage: %s [OPTION]... [FILE]...\n", gs_program_name());
	fputs("Sort all FILEs, or standard input: numbers, lines or binary records.\n", to);
	/* "  -S, --buffer-size=SIZE", "  -c, --check[=HOW]".  --help has a line for each option: the letter
	 * is enough where the name leaves no room. */
	for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++) {
		const char *value = o->value != NULL ? o->value : "";
		char letter[] = "    ", spelled[64];

		if (o->refusal != NULL || o->help == NULL || (o->rare && !all))
			continue;
		if (o->kind == GS_HEADING) {
			fprintf(to, "\n%s:\n", o->help);
			if (o == gs_options)
				print_line(to, strcat(types, " -bf16"), "binary numbers; u32be: big endian");
			continue;
		}
		if (o->letter != 0)
			memcpy(letter, (char[]){ '-', (char)o->letter, ',' }, 3);
		snprintf(spelled, sizeof spelled, "  %s--%s%s%s", letter, o->name,
		         *value == '[' ? "[=" : *value != '\0' ? "=" : "", value + (*value == '['));
		if (!all && o->letter != 0 && strlen(spelled) + 2 > HELP_COLUMN)
			snprintf(spelled, sizeof spelled, "  -%c %s", o->letter, value);
		print_line(to, spelled, o->help);
	}
	if (!all) {
		fprintf(to, "\nKeys: %s -k 2,2nr -k 1,1 hits.txt   %s --csv --header -k price:n t.csv\n"
		        "All options: %s --help=all.  With examples: man %s\n", gs_program_name(),
		        gs_program_name(), gs_program_name(), gs_program_name());
		return;
	}
	fputs("\n"
	      "SIZE is in KiB, or has a suffix: b, K, M, G, T (also KiB, MiB ...), or %.\n"
	      "BYTES is in bytes, or has a suffix: K, M, G, T; so may counts: --head=10K.\n"
	      "Long options may be abbreviated: --rev.\n"
	      "\n"
	      "Examples:\n"
	      "  gsort ids.txt > sorted.txt               text, one integer per line\n"
	      "  gsort -n -r sizes.txt                    lines by number, as sort -n -r\n"
	      "  gsort -u32 -o keys.bin keys.bin          binary keys; replace the file\n"
	      "  gsort -u64 --to=text --head=10 keys.bin  the ten smallest keys, as text\n"
	      "\n"
	      "Exit status: 0 sorted, or in order; 1 not in order (-c); 2 an error, and an\n"
	      "existing output file is unchanged.  The manual has more: man gsort\n", to);
	if (sizeof PACKAGE_URL > 1)		/* configure.ac knows it */
		fputs("Home page: " PACKAGE_URL "\n", to);
}

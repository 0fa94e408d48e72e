// SPDX-License-Identifier: BSD-2-Clause
/* help.c - the table as --help */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/opts.h"
#include "cli/table.h"

enum { HELP_AT = 27 };		/* column of the meanings */

static void
print_help_line(FILE *to, const char *spelled, const char *meaning)
{
	if (strlen(spelled) + 2 > HELP_AT)
		fprintf(to, "%s\n%*s%s\n", spelled, HELP_AT, "", meaning);
	else
		fprintf(to, "%-*s%s\n", HELP_AT, spelled, meaning);
}

static void
print_types(FILE *to)
{
	for (const struct gs_argv_type *type = gs_row_types; type->letter != 0; type++) {
		char spelled[64] = " ";

		for (const unsigned *width = type->widths; *width != 0; width++)
			sprintf(spelled + strlen(spelled), " -%c%u", type->letter, *width);
		print_help_line(to, spelled, type->meaning);
	}
}

/* "  -S, --buffer-size=SIZE", "  -c, --check[=HOW]", "  -C" */
static void
spell(const struct gs_row *row, char into[64])
{
	const char *value = row->value != NULL ? row->value : "";
	char letter[] = "    ";

	if (row->letter != 0)
		memcpy(letter, (char[]){ '-', (char)row->letter, row->name != NULL ? ',' : ' ' }, 3);
	snprintf(into, 64, "  %s%s%s%s%s", letter, row->name != NULL ? "--" : "",
	         row->name != NULL ? row->name : "", value[0] == '[' ? "[=" : *value ? "=" : "",
	         value + (value[0] == '['));
}

void
gs_opts_help(FILE *to)
{
	fprintf(to, "Usage: %s [OPTION]... [FILE]...\n", program_invocation_short_name);
	fputs("Sort numbers, binary or text, of all FILEs together to standard output.\n"
	      "With no FILE, or when FILE is -, read standard input.\n", to);
	for (const struct gs_row *row = gs_rows; row < gs_rows + gs_row_count; row++) {
		char spelled[64];

		if (row->refusal != NULL || row->meaning == NULL)
			continue;
		if (row->take == NULL) {
			fprintf(to, "\n%s:\n", row->meaning);
			if (row == gs_rows)
				print_types(to);
			continue;
		}
		spell(row, spelled);
		print_help_line(to, spelled, row->meaning);
	}
	fputs("\nSIZE is in KiB, or ends in b, K, M, G, T (also KiB, MiB ...) or %.  BYTES are\n"
	      "bytes, or end in K, M, G, T.  Long options may be cut short: --rev.\n"
	      "Exit status: 0 sorted, or in order; 1 a check found disorder; 2 trouble, and an\n"
	      "existing output file is as it was.  More: man gsort\n", to);
}

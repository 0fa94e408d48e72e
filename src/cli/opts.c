// SPDX-License-Identifier: BSD-2-Clause
/*
 * opts.c - argv to gsort_options
 *
 * One table, made from opts.def.  Each row names its taker, the function that
 * puts the option into the struct; nothing else here knows a single option.
 *
 * Order does not matter, except that of two --parallel the last one counts, as
 * in sort(1).  The same value twice is fine; two values that differ are not.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/argv.h"
#include "cli/opts.h"
#include "cli/report.h"
#include "cli/values.h"

#define NUMBERS_ONLY	"is not supported: gsort sorts numbers; use sort(1)"
#define NOT_YET		"is not supported in this release; use sort(1)"

struct row {
	const char *name;	/* long name; NULL: a heading, or only a letter */
	int         letter;	/* 0: only a long name */
	const char *value;	/* NULL: none; "[X]": optional */
	const char *meaning;	/* in --help; or what it is in sort(1) */
	const char *refusal;	/* why not; NULL: it is ours */
	bool      (*take)(struct gs_opts *opts, const struct row *row, const char *value);
	size_t      field;	/* offset in struct gs_opts */
};

static void *
field_of(struct gs_opts *opts, const struct row *row)
{
	return (char *)opts + row->field;
}

/* --- the takers: false if the value is wrong; then they have said why ------- */

static bool
take_flag(struct gs_opts *opts, const struct row *row, const char *value)
{
	(void)value;
	*(bool *)field_of(opts, row) = true;
	return true;
}

static bool
take_count(struct gs_opts *opts, const struct row *row, const char *value)
{
	(void)value;
	++*(unsigned *)field_of(opts, row);
	return true;
}

/* How the user would write a type: -u32, --type=text. */
static const char *
spell_type(const char *name, char into[16])
{
	bool text = strcmp(name, "text") == 0;

	strcpy(into, text ? "--type=" : "-");
	return strcat(into, name);
}

static bool
take_type(struct gs_opts *opts, const struct row *row, const char *value)
{
	enum gsort_type type;
	char one[16], two[16];

	(void)row;
	if (!gsort_type_named(value, &type)) {
		gs_report_error("invalid argument '%s' for --type: it is one of u8, u16, u32, "
		                "u64, i8, i16, i32, i64, f32, f64, text", value);
		return false;
	}
	if (opts->type_name != NULL && opts->job.type != type) {
		gs_report_error("options '%s' and '%s' are incompatible",
		                spell_type(opts->type_name, one), spell_type(value, two));
		return false;
	}
	opts->job.type = type;
	opts->type_name = value;
	return true;
}

static bool
take_output(struct gs_opts *opts, const struct row *row, const char *value)
{
	(void)row;
	if (opts->job.output != NULL && strcmp(opts->job.output, value) != 0) {
		gs_report_error("multiple output files specified: '%s' and '%s'",
		                opts->job.output, value);
		return false;
	}
	opts->job.output = value;
	return true;
}

static bool
take_decompress(struct gs_opts *opts, const struct row *row, const char *value)
{
	static const char *const names[] = {
		[GSORT_DECOMPRESS_AUTO] = "auto", [GSORT_DECOMPRESS_NONE] = "none",
		[GSORT_DECOMPRESS_GZIP] = "gzip", [GSORT_DECOMPRESS_BZIP2] = "bzip2",
		[GSORT_DECOMPRESS_XZ] = "xz", [GSORT_DECOMPRESS_ZSTD] = "zstd",
		[GSORT_DECOMPRESS_LZ4] = "lz4",
	};
	const unsigned count = sizeof names / sizeof names[0];
	enum gsort_decompress *format = field_of(opts, row);
	unsigned f = 0;

	while (f < count && strcmp(names[f], value) != 0)
		f++;
	if (f == count) {
		gs_report_error("invalid argument '%s' for --decompress: it is one of auto, none, "
		                "gzip, bzip2, xz, zstd, lz4", value);
		return false;
	}
	if (*format != GSORT_DECOMPRESS_AUTO && *format != f) {
		gs_report_error("options '--decompress=%s' and '--decompress=%s' are incompatible",
		                names[*format], value);
		return false;
	}
	*format = (enum gsort_decompress)f;
	return true;
}

static bool
take_device(struct gs_opts *opts, const struct row *row, const char *value)
{
	(void)row;
	if (!gs_value_device(value, &opts->job.device, &opts->job.gpu_index)) {
		gs_report_error("invalid argument '%s' for --device: it is auto, cpu, gpu, or gpu:N "
		                "with N counted from 0", value);
		return false;
	}
	if (opts->device_name != NULL && strcmp(opts->device_name, value) != 0) {
		gs_report_error("options '--device=%s' and '--device=%s' are incompatible",
		                opts->device_name, value);
		return false;
	}
	opts->device_name = value;
	return true;
}

static bool
take_memory(struct gs_opts *opts, const struct row *row, const char *value)
{
	uint64_t bytes = 0;
	unsigned percent = 0;
	const char *wrong = gs_value_memory(value, &bytes, &percent);

	(void)row;
	if (wrong != NULL) {
		gs_report_error("--gpu-memory argument '%s' %s", value, wrong);
		return false;
	}
	if ((opts->job.gpu_memory_bytes != 0 || opts->job.gpu_memory_percent != 0)
	    && (opts->job.gpu_memory_bytes != bytes || opts->job.gpu_memory_percent != percent)) {
		gs_report_error("two different values of --gpu-memory");
		return false;
	}
	opts->job.gpu_memory_bytes = bytes;
	opts->job.gpu_memory_percent = percent;
	return true;
}

static bool
take_threads(struct gs_opts *opts, const struct row *row, const char *value)
{
	(void)row;
	if (!gs_value_threads(value, &opts->job.threads)) {
		gs_report_error("invalid --parallel argument '%s': it is a whole number from 1 up",
		                value);
		return false;
	}
	return true;
}

/* --- the table ------------------------------------------------------------- */

#define GROUP(heading)		{ .meaning = heading },
#define TYPE(letter, widths, meaning)
#define OPT(taker, member, ...)	{ OPT_(__VA_ARGS__), .take = take_##taker, \
				  .field = offsetof(struct gs_opts, member) },
#define OPT_(long, short, what, text) \
	.name = long, .letter = short, .value = what, .meaning = text
#define REFUSE(long, short, what, text, why) { OPT_(long, short, what, text), .refusal = why },

static const struct row rows[] = {
#include "cli/opts.def"
};

#undef GROUP
#undef TYPE
#undef OPT
#undef REFUSE

enum { ROWS = sizeof rows / sizeof rows[0] };

#define GROUP(heading)
#define WIDTHS(...)		{ __VA_ARGS__, 0 }
#define TYPE(one, widths_, text) { .letter = one, .widths = widths_, .meaning = text },
#define OPT(...)
#define REFUSE(...)

static const struct gs_argv_type types[] = {
#include "cli/opts.def"
	{ .letter = 0 },
};

enum { FIRST_LONG = 256 };	/* getopt's id of a row: its letter, or this + its place */

static const struct row *
row_of_id(int id)
{
	if (id >= FIRST_LONG)
		return &rows[id - FIRST_LONG];
	for (const struct row *row = rows; row < rows + ROWS; row++)
		if (id != 0 && row->letter == id)
			return row;
	return NULL;
}

/*
 * The row of a long option, as getopt finds it: the whole name, or the start of
 * one name only.  *COUNT: how many names begin so.  BYTES ends at a '='.
 */
static const struct row *
row_of_name(const char *name, size_t bytes, unsigned *count)
{
	const struct row *found = NULL;

	*count = 0;
	for (const struct row *row = rows; row < rows + ROWS; row++) {
		if (row->name == NULL || strncmp(row->name, name, bytes) != 0)
			continue;
		found = row;
		if (row->name[bytes] == '\0') {
			*count = 1;
			return row;
		}
		++*count;
	}
	return *count == 1 ? found : NULL;
}

static bool
needs_value(const struct row *row)
{
	return row != NULL && row->value != NULL && row->value[0] != '[';
}

/* For argv.c. */
static bool
takes_value(const char *word)
{
	unsigned count;

	if (word[1] != '-')
		return needs_value(row_of_id((unsigned char)word[1]));
	return strchr(word, '=') == NULL
	       && needs_value(row_of_name(word + 2, strlen(word + 2), &count));
}

/* --- getopt ---------------------------------------------------------------- */

/* ":abc:..." and the long names, from the table. */
static void
make_getopt_tables(char letters[2 * ROWS + 2], struct option longs[ROWS + 1])
{
	char *letter = letters;
	struct option *option = longs;

	*letter++ = ':';		/* tell a missing value from an unknown option */
	for (const struct row *row = rows; row < rows + ROWS; row++) {
		if (row->letter != 0)
			*letter++ = (char)row->letter;
		if (row->letter != 0 && needs_value(row))
			*letter++ = ':';
		if (row->name != NULL)
			*option++ = (struct option){
				.name = row->name,
				.has_arg = needs_value(row) ? required_argument
				           : row->value != NULL ? optional_argument : no_argument,
				.val = FIRST_LONG + (int)(row - rows),
			};
	}
	*letter = '\0';
	*option = (struct option){ .name = NULL };
}

/* The option of ours that WORD nearly spells, within two slips of the finger; or NULL. */
static const char *
nearest(const char *word, size_t bytes)
{
	const char *near = NULL;
	size_t best = 3;

	for (const struct row *row = rows; row < rows + ROWS; row++) {
		size_t slips;

		if (row->name == NULL || row->refusal != NULL)
			continue;
		slips = gs_value_distance(word, bytes, row->name);
		if (slips < best) {
			best = slips;
			near = row->name;
		}
	}
	return near;
}

static void
complain_ambiguous(const char *word, size_t bytes)
{
	char list[512] = "";

	for (const struct row *row = rows; row < rows + ROWS; row++)
		if (row->name != NULL && strncmp(row->name, word + 2, bytes - 2) == 0
		    && strlen(list) + strlen(row->name) + sizeof " '--'" <= sizeof list)
			strcat(strcat(strcat(list, " '--"), row->name), "'");
	gs_report_usage("option '%s' is ambiguous; possibilities:%s", word, list);
}

/* Say what getopt did not like about the long option WORD. */
static void
complain_long(int answer, const char *word)
{
	size_t bytes = strcspn(word, "=");	/* of the option itself */
	unsigned count;
	const char *near;

	if (answer == ':') {
		gs_report_usage("option '%s' requires an argument", word);
	} else if (row_of_name(word + 2, bytes - 2, &count) != NULL) {
		gs_report_usage("option '%.*s' doesn't allow an argument", (int)bytes, word);
	} else if (count > 1) {
		complain_ambiguous(word, bytes);
	} else if ((near = nearest(word + 2, bytes - 2)) != NULL) {
		gs_report_usage("unrecognized option '%s'; did you mean '--%s'?", word, near);
	} else {
		gs_report_usage("unrecognized option '%s'", word);
	}
}

/* One option that getopt has found. */
static bool
take_option(struct gs_opts *opts, const struct row *row, bool by_letter, const char *value)
{
	if (row->refusal == NULL)
		return row->take(opts, row, value);
	if (by_letter)
		gs_report_error("-%c (%s) %s", row->letter, row->meaning, row->refusal);
	else
		gs_report_error("--%s (%s) %s", row->name, row->meaning, row->refusal);
	return false;
}

static bool
read_options(struct gs_opts *opts, int argc, char **argv)
{
	char letters[2 * ROWS + 2];
	struct option longs[ROWS + 1];
	int id;

	make_getopt_tables(letters, longs);
	opterr = 0;
	while ((id = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (id == '?' || id == ':') {
			/* OPTOPT is the letter, or else tells of a long one: the word just passed. */
			if (optopt == 0 || optopt >= FIRST_LONG)
				complain_long(id, argv[optind - 1]);
			else
				gs_report_usage(id == ':' ? "option requires an argument -- '%c'"
				                          : "invalid option -- '%c'", optopt);
			return false;
		}
		if (!take_option(opts, row_of_id(id), id < FIRST_LONG, optarg))
			return false;
	}
	opts->job.inputs = (const char *const *)argv + optind;
	opts->job.input_count = (size_t)(argc - optind);
	return true;
}

/* Options that do not go together, whatever their order. */
static bool
agree(const struct gs_opts *opts)
{
	char type[16];

	if (opts->numeric && opts->job.type != GSORT_TEXT) {
		gs_report_error("options '-n' and '%s' are incompatible",
		                spell_type(opts->type_name, type));
		return false;
	}
	return true;
}

static void
complain_width(const char *word, const struct gs_argv_type *type)
{
	char list[64] = "";

	for (const unsigned *width = type->widths; *width != 0; width++)
		sprintf(list + strlen(list), "%s-%c%u", width == type->widths ? "" : ", ",
		        type->letter, *width);
	gs_report_error("invalid key width in '%s': there are %s", word, list);
}

bool
gs_opts_parse(struct gs_opts *opts, int argc, char **argv)
{
	const struct gs_argv_rules rules = { types, takes_value };
	const struct gs_argv_type *type;
	const char *bad;
	char **words;

	*opts = (struct gs_opts){ .type_name = NULL };
	words = gs_argv_split(&argc, argv, &rules, &bad, &type);
	if (words == NULL) {
		if (bad != NULL)
			complain_width(bad, type);
		else
			gs_report_error("out of memory");
		return false;
	}
	/* WORDS stay until the end: the operands live in them. */
	if (!read_options(opts, argc, words) || !agree(opts))
		return false;
	if (opts->device_name == NULL)
		gs_value_environment(&opts->job, opts->quiet);
	return true;
}

/* --- help ------------------------------------------------------------------ */

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
	for (const struct gs_argv_type *type = types; type->letter != 0; type++) {
		char spelled[64] = " ";

		for (const unsigned *width = type->widths; *width != 0; width++)
			sprintf(spelled + strlen(spelled), " -%c%u", type->letter, *width);
		print_help_line(to, spelled, type->meaning);
	}
}

void
gs_opts_help(FILE *to)
{
	fputs("Usage: gsort [OPTION]... [FILE]...\n"
	      "Sort numbers, binary or text, of all FILEs together to standard output.\n"
	      "With no FILE, or when FILE is -, read standard input.\n", to);
	for (const struct row *row = rows; row < rows + ROWS; row++) {
		char letter[] = "-?, ";
		char spelled[64];

		if (row->refusal != NULL)
			continue;
		if (row->take == NULL) {
			fprintf(to, "\n%s:\n", row->meaning);
			if (row == rows)
				print_types(to);
			continue;
		}
		if (row->letter != 0)
			letter[1] = (char)row->letter;
		snprintf(spelled, sizeof spelled, "  %s--%s%s%s", row->letter != 0 ? letter : "    ",
		         row->name, row->value != NULL ? "=" : "",
		         row->value != NULL ? row->value : "");
		print_help_line(to, spelled, row->meaning);
	}
	fputs("\nSIZE is in KiB, or ends in b, K, M, G, T (also KiB, MiB ...) or %.\n"
	      "Exit status: 0 sorted; 2 trouble, and an existing output file is as it was.\n"
	      "More: man gsort\n", to);
}

// SPDX-License-Identifier: BSD-2-Clause
/* option_words.c - what each option does whose value is one of some words */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/report.h"

enum { NO_SANDBOX = 1000, SORT_REFUSED = INT_MAX };

#define FLAG(name)	offsetof(struct gs_opts, name)

static const struct choice {
	const char *option, *word;
	unsigned    means;
} choices[] = {
	{ "check", "diagnose-first", GSORT_CHECK_FIRST },
	{ "check", "quiet", GSORT_CHECK_QUIET },
	{ "check", "silent", GSORT_CHECK_QUIET },
	{ "check", "summary", GSORT_CHECK_SUMMARY },
	{ "decompress", "auto", GSORT_DECOMPRESS_AUTO },
	{ "decompress", "no-sandbox", NO_SANDBOX },
	{ "decompress", "none", GSORT_DECOMPRESS_NONE },
	{ "decompress", "gzip", GSORT_DECOMPRESS_GZIP },
	{ "decompress", "bzip2", GSORT_DECOMPRESS_BZIP2 },
	{ "decompress", "xz", GSORT_DECOMPRESS_XZ },
	{ "decompress", "zstd", GSORT_DECOMPRESS_ZSTD },
	{ "decompress", "lz4", GSORT_DECOMPRESS_LZ4 },
	{ "invalid", "abort", GSORT_INVALID_ABORT },
	{ "invalid", "fail", GSORT_INVALID_FAIL },
	{ "invalid", "warn", GSORT_INVALID_WARN },
	{ "invalid", "ignore", GSORT_INVALID_IGNORE },
	{ "invalid", "skip-blank", GSORT_INVALID_SKIP_BLANK },
	{ "progress", "auto", GS_PROGRESS_AUTO },
	{ "progress", "always", GS_PROGRESS_ALWAYS },
	{ "progress", "never", GS_PROGRESS_NEVER },
	{ "sort", "numeric", FLAG(numeric) },
	{ "sort", "general-numeric", FLAG(general) },
	{ "sort", "human-numeric", FLAG(human) },
	{ "sort", "month", FLAG(month) },
	{ "sort", "random", SORT_REFUSED },
	{ "sort", "version", FLAG(version_sort) },
	{ "unique", "repeated", true }, { "unique", "singletons", false },
	{ "verbose", "json", GS_REPORT_JSON },
	{ "plan", "text", GS_REPORT_TEXT }, { "plan", "json", GS_REPORT_JSON },
	{ "version", "json", GS_ABOUT_FULL },
	{ "help", "all", GS_ABOUT_FULL },
};

static const struct choice *const choices_end = choices + sizeof choices / sizeof choices[0];

/* Find the choice for WORD: the whole word, or the start of only one.  NULL: there is none.  sort(1) has no
 * --check=summary, so "s" is not short for that. */
static const struct choice *
choice_of(const char *option, const char *word)
{
	const struct choice *found = NULL;

	for (const struct choice *c = choices; c < choices_end; c++) {
		if (strcmp(c->option, option) != 0 || strncmp(c->word, word, strlen(word)) != 0)
			continue;
		if (strcmp(c->word, word) == 0)
			return c;
		if (found != NULL && found->means != c->means && strcmp(c->word, "summary") != 0)
			return NULL;
		if (found == NULL)
			found = c;
	}
	return word[0] == '\0' ? NULL : found;
}

/* The words of an option: "abort, fail, warn". */
static void
list_words(const struct gs_option_use *use, char list[128])
{
	list[0] = '\0';
	for (const struct choice *c = choices; c < choices_end; c++)
		if (strcmp(c->option, use->option->name) == 0 && c->means != SORT_REFUSED)
			sprintf(list + strlen(list), "%s%s", list[0] != '\0' ? ", " : "", c->word);
}

/* The same, with a message if there is none. */
static const struct choice *
parse_choice(const struct gs_option_use *use, const char *word)
{
	const struct choice *choice = choice_of(use->option->name, word);
	char list[128];

	if (choice != NULL)
		return choice;
	list_words(use, list);
	gs_report_usage("invalid argument '%s' for %s: must be %s%s", word, use->spelled,
	                strchr(list, ',') != NULL ? "one of " : "", list);
	return NULL;
}

/* The field has the size of an enum. */
bool
gs_set_choice(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct choice *choice = parse_choice(use, use->value);

	if (choice == NULL)
		return false;
	if (use->previous != NULL && choice_of(use->option->name, use->previous) != choice)
		return gs_refuse_two(use, use->previous, use->value);
	*(unsigned *)gs_option_field(opts, use) = choice->means;
	return true;
}

/* -u, --unique, --unique=repeated, --unique=singletons */
bool
gs_set_unique(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct choice *choice = use->value == NULL ? NULL : parse_choice(use, use->value);

	if (use->value == NULL)
		opts->job.unique = true;
	else if (choice != NULL)
		*(choice->means ? &opts->job.repeated : &opts->job.singletons) = true;
	return use->value == NULL || choice != NULL;
}

/* A format, and whether a sandbox is wanted: both may be given. */
bool
gs_set_decompress(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct choice *choice = parse_choice(use, use->value);

	if (choice == NULL)
		return false;
	if (choice->means == NO_SANDBOX)
		return opts->no_sandbox = true;
	if (opts->packed_text != NULL && choice_of("decompress", opts->packed_text) != choice)
		return gs_refuse_two(use, opts->packed_text, use->value);
	opts->job.decompress = (enum gsort_decompress)choice->means;
	opts->packed_text = use->value;
	return true;
}

/* -v, --verbose, --verbose=json, --verbose=json:FILE */
bool
gs_set_verbose(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *value = use->value != NULL ? use->value : "";
	const char *file = strncmp(value, "json:", 5) == 0 ? value + 5 : NULL;

	if (use->value == NULL) {
		opts->verbose++;
		return true;
	}
	if (opts->stats_text != NULL && strcmp(opts->stats_text, value) != 0)
		return gs_refuse_two(use, opts->stats_text, value);
	if (file == NULL && choice_of("verbose", value) == NULL)
		return gs_report_usage("invalid argument '%s' for %s: must be json or json:FILE", value,
		                       use->spelled);
	if (file != NULL && *file == '\0')
		return gs_report_usage("invalid argument '%s' for %s: the name of the file is empty", value,
		                       use->spelled);
	opts->stats = GS_REPORT_JSON;
	opts->stats_text = value;
	opts->stats_file = file;
	return true;
}

/* --plan, --plan=text, --plan=json, --plan=SIZE, --progress=always ...: a word, and the size of an input that
 * is not there or that no file tells, may both be given.  The field has the size of an enum. */
bool
gs_set_word_or_size(struct gs_opts *opts, const struct gs_option_use *use)
{
	unsigned *const field = gs_option_field(opts, use);
	const struct choice *choice = choice_of(use->option->name, use->value != NULL ? use->value : "");
	uint64_t bytes;
	char list[128];

	if (choice == NULL && use->value != NULL) {
		if (!gs_parse_bytes(use->value, &bytes)) {
			list_words(use, list);
			return gs_report_usage("invalid argument '%s' for %s: must be %s, or a size of the "
			                       "input, such as 512, 4K, 6G or 2GiB", use->value,
			                       use->spelled, list);
		}
		bytes += bytes == 0;		/* 0 in size_hint: it was not given */
		if (opts->job.size_hint > 0 && opts->job.size_hint != bytes)
			return gs_report_error("two different sizes of the input");
		opts->job.size_hint = bytes;
	}
	if (choice == NULL && *field != 0 && use->value != NULL)
		return true;
	if (choice == NULL)		/* the first word of the option */
		for (choice = choices; strcmp(choice->option, use->option->name) != 0; )
			choice++;
	*field = choice->means;
	return true;
}

/* --help, --help=all, --version, --version=json */
bool
gs_set_about(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gs_about *const field = gs_option_field(opts, use);
	const struct choice *choice = use->value == NULL ? NULL : parse_choice(use, use->value);

	if (choice != NULL)
		*field = (enum gs_about)choice->means;
	else if (*field == GS_ABOUT_NONE)
		*field = GS_ABOUT_BRIEF;
	return use->value == NULL || choice != NULL;
}

bool
gs_set_sort(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct choice *choice = parse_choice(use, use->value);

	if (choice == NULL)
		return false;
	if (choice->means == SORT_REFUSED)
		return gs_report_error("--sort=%s is not supported; use shuf(1)", choice->word);
	return *((bool *)opts + choice->means) = true;
}

const char *
gs_spell_check(enum gsort_check check)
{
	return check == GSORT_CHECK_FIRST ? "-c" : check == GSORT_CHECK_QUIET ? "-C"
	                                                                      : "--check=summary";
}

/* -c, -C, --check and --check=HOW. */
bool
gs_set_check(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gsort_check check = use->option->letter == 'C' ? GSORT_CHECK_QUIET : GSORT_CHECK_FIRST;

	if (use->value != NULL) {
		const struct choice *choice = parse_choice(use, use->value);

		if (choice == NULL)
			return false;
		check = (enum gsort_check)choice->means;
	}
	if (opts->check && opts->job.check != check)
		return gs_refuse_pair(gs_spell_check(opts->job.check), gs_spell_check(check));
	opts->check = true;
	opts->job.check = check;
	return true;
}

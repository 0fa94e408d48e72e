// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_handlers.c - what becomes of an option's value
 *
 * The same value twice is fine; two values that differ are not, except where a
 * script may rely on what sort(1) does: the last --parallel, --batch-size,
 * --check-order and --progress counts, the largest -S, and every -T.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/report.h"
#include "cli/option_handlers.h"
#include "cli/parse_value.h"

static void *
field_of(struct gs_opts *opts, const struct gs_row *row)
{
	return (char *)opts + row->field;
}

/* The value that the option had before; NULL: none. */
static const char *
value_before(const struct gs_opts *opts, const struct gs_row *row)
{
	return opts->given[row - gs_rows];
}

static bool
clash(const char *option, const char *one, const char *other)
{
	gs_report_error("options '--%s=%s' and '--%s=%s' are incompatible", option, one, option,
	                other);
	return false;
}

/* --- without a value ------------------------------------------------------- */

bool
gs_set_flag(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)value;
	*(bool *)field_of(opts, row) = true;
	return true;
}

bool
gs_set_count(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)value;
	++*(unsigned *)field_of(opts, row);
	return true;
}

bool
gs_set_order(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)value;
	opts->check_order = true;
	opts->job.trust_order = row->name[0] == 'n';	/* --nocheck-order */
	return true;
}

/* --- key types ------------------------------------------------------------- */

static bool
take_type_name(const struct gs_opts *opts, const char *value, const char *more,
               enum gsort_type *type)
{
	if (gsort_type_named(value, type))
		return true;
	gs_report_error("invalid argument '%s' for %s: it is one of u8, u16, u32, u64, i8, i16, "
	                "i32, i64, f32, f64, text%s", value, opts->spelled, more);
	return false;
}

bool
gs_set_type(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	enum gsort_type type;
	char one[24], two[24];

	(void)row;
	if (!take_type_name(opts, value, ", text-float", &type))
		return false;
	if (opts->type_name != NULL && opts->job.type != type) {
		gs_report_error("options '%s' and '%s' are incompatible",
		                gs_row_spell_type(opts->type_name, one),
		                gs_row_spell_type(value, two));
		return false;
	}
	opts->job.type = type;
	opts->type_name = value;
	return true;
}

bool
gs_set_to(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	enum gsort_type type;

	if (!take_type_name(opts, value, "", &type))
		return false;
	if (type == GSORT_TEXT_FLOAT)	/* text is text */
		type = GSORT_TEXT;
	if (opts->to_name != NULL && opts->job.to != type)
		return clash(row->name, opts->to_name, value);
	opts->job.to = type;
	opts->job.converts = true;
	opts->to_name = value;
	return true;
}

bool
gs_set_device(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	if (!gs_parse_device(value, &opts->job.device, &opts->job.gpu_index)) {
		gs_report_error("invalid argument '%s' for --device: it is auto, cpu, gpu, or "
		                "gpu:N with N counted from 0", value);
		return false;
	}
	if (opts->device_name != NULL && strcmp(opts->device_name, value) != 0)
		return clash(row->name, opts->device_name, value);
	opts->device_name = value;
	return true;
}

/* --- words ----------------------------------------------------------------- */

enum { SORT_NUMERIC, SORT_GENERAL, SORT_REFUSED = 1000 };

static const struct choice {
	const char *option, *word;
	unsigned    means;
} choices[] = {
	{ "check", "diagnose-first", GSORT_CHECK_FIRST },
	{ "check", "quiet", GSORT_CHECK_QUIET },
	{ "check", "silent", GSORT_CHECK_QUIET },
	{ "check", "summary", GSORT_CHECK_SUMMARY },
	{ "decompress", "auto", GSORT_DECOMPRESS_AUTO },
	{ "decompress", "none", GSORT_DECOMPRESS_NONE },
	{ "decompress", "gzip", GSORT_DECOMPRESS_GZIP },
	{ "decompress", "bzip2", GSORT_DECOMPRESS_BZIP2 },
	{ "decompress", "xz", GSORT_DECOMPRESS_XZ },
	{ "decompress", "zstd", GSORT_DECOMPRESS_ZSTD },
	{ "decompress", "lz4", GSORT_DECOMPRESS_LZ4 },
	{ "endian", "little", GSORT_ENDIAN_LITTLE },
	{ "endian", "big", GSORT_ENDIAN_BIG },
	{ "invalid", "abort", GSORT_INVALID_ABORT },
	{ "invalid", "fail", GSORT_INVALID_FAIL },
	{ "invalid", "warn", GSORT_INVALID_WARN },
	{ "invalid", "ignore", GSORT_INVALID_IGNORE },
	{ "progress", "auto", GS_PROGRESS_AUTO },
	{ "progress", "always", GS_PROGRESS_ALWAYS },
	{ "progress", "never", GS_PROGRESS_NEVER },
	{ "sort", "numeric", SORT_NUMERIC },
	{ "sort", "general-numeric", SORT_GENERAL },
	{ "sort", "human-numeric", SORT_REFUSED },
	{ "sort", "month", SORT_REFUSED },
	{ "sort", "random", SORT_REFUSED },
	{ "sort", "version", SORT_REFUSED },
	{ "stats", "json", GS_STATS_JSON },
};

static const struct choice *const choices_end = choices + sizeof choices / sizeof choices[0];

/* The choice that WORD names, or is the beginning of, if of no other; or NULL. */
static const struct choice *
choice_of(const char *option, const char *word)
{
	const struct choice *found = NULL;

	for (const struct choice *c = choices; c < choices_end; c++) {
		if (strcmp(c->option, option) != 0 || strncmp(c->word, word, strlen(word)) != 0)
			continue;
		if (strcmp(c->word, word) == 0)
			return c;
		if (found != NULL && found->means != c->means)
			return NULL;
		found = c;
	}
	return word[0] == '\0' ? NULL : found;
}

static bool
take_word(const struct gs_opts *opts, const struct gs_row *row, const char *word,
          const struct choice **choice)
{
	char list[128] = "";

	if ((*choice = choice_of(row->name, word)) != NULL)
		return true;
	for (const struct choice *c = choices; c < choices_end; c++)
		if (strcmp(c->option, row->name) == 0 && c->means != SORT_REFUSED)
			sprintf(list + strlen(list), "%s%s", list[0] != '\0' ? ", " : "", c->word);
	gs_report_error("invalid argument '%s' for %s: it is %s%s", word, opts->spelled,
	                strchr(list, ',') != NULL ? "one of " : "", list);
	return false;
}

/* A word that sets a field of the size of an enum. */
bool
gs_set_choice(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	const char *before = value_before(opts, row);
	const struct choice *choice;

	if (!take_word(opts, row, value, &choice))
		return false;
	if (before != NULL && choice_of(row->name, before) != choice)
		return clash(row->name, before, value);
	*(unsigned *)field_of(opts, row) = choice->means;
	return true;
}

bool
gs_set_progress(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	const struct choice *choice;

	if (row->name[0] == 'n') {			/* --no-progress */
		opts->progress = GS_PROGRESS_NEVER;
		return true;
	}
	if (!take_word(opts, row, value != NULL ? value : "auto", &choice))
		return false;
	opts->progress = (enum gs_progress_when)choice->means;
	return true;
}

bool
gs_set_sort(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	const struct choice *choice;

	if (!take_word(opts, row, value, &choice))
		return false;
	if (choice->means == SORT_REFUSED) {
		gs_report_error("--sort=%s is not supported: gsort sorts numbers; use sort(1)",
		                choice->word);
		return false;
	}
	opts->numeric |= choice->means == SORT_NUMERIC;
	opts->general |= choice->means == SORT_GENERAL;
	return true;
}

/* -c, -C, --check and --check=HOW. */
bool
gs_set_check(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	enum gsort_check check = row->letter == 'C' ? GSORT_CHECK_QUIET : GSORT_CHECK_FIRST;
	const struct choice *choice;

	if (value != NULL) {
		if (!take_word(opts, row, value, &choice))
			return false;
		check = (enum gsort_check)choice->means;
	}
	if (opts->check && opts->job.check != check) {
		gs_report_error("options '%s' and '%s' are incompatible",
		                gs_row_spell_check(opts->job.check), gs_row_spell_check(check));
		return false;
	}
	opts->check = true;
	opts->job.check = check;
	return true;
}

/* --- names ----------------------------------------------------------------- */

/* A name, into a field. */
bool
gs_set_name(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	const char **name = field_of(opts, row);

	if (*name != NULL && strcmp(*name, value) != 0)
		return clash(row->name, *name, value);
	*name = value;
	return true;
}

bool
gs_set_output(struct gs_opts *opts, const struct gs_row *row, const char *value)
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

bool
gs_set_program(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)row;
	if (opts->job.compress_program != NULL
	    && strcmp(opts->job.compress_program, value) != 0) {
		gs_report_error("multiple compress programs specified: '%s' and '%s'",
		                opts->job.compress_program, value);
		return false;
	}
	opts->job.compress_program = value;
	return true;
}

bool
gs_set_temp_dir(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)row;
	opts->temp_dirs[opts->job.temp_dir_count++] = value;
	return true;
}

/* --- numbers --------------------------------------------------------------- */

static bool
refuse_number(const struct gs_opts *opts, const char *value, const char *what)
{
	gs_report_error("invalid %s argument '%s': %s", opts->spelled, value, what);
	return false;
}

/* A number into a field of 64 bits, unless another was there. */
static bool
set_number(struct gs_opts *opts, const struct gs_row *row, uint64_t number, const char *value)
{
	uint64_t *field = field_of(opts, row);
	const char *before = value_before(opts, row);

	if (before != NULL && *field != number)
		return clash(row->name, before, value);
	*field = number;
	return true;
}

bool
gs_set_head(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	uint64_t number;

	if (!gs_parse_whole(value, &number))
		return refuse_number(opts, value, "it is a whole number");
	if (opts->job.head && opts->job.head_count != number) {
		gs_report_error("two different values of --head-count");
		return false;
	}
	opts->job.head = true;
	return set_number(opts, row, number, value);
}

bool
gs_set_header(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	uint64_t number = 1;

	if (value != NULL && (!gs_parse_whole(value, &number) || number == 0))
		return refuse_number(opts, value, "it is a whole number from 1 up");
	return set_number(opts, row, number, value != NULL ? value : "1");
}

bool
gs_set_bytes(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	uint64_t number;

	if (!gs_parse_bytes(value, &number))
		return refuse_number(opts, value, "it is a whole number of bytes below 16E, such as 512, "
		                     "4K, 6G or 2GiB");
	return set_number(opts, row, number, value);
}

/*
 * As sort -S: the largest counts, a percentage is of all memory, and what is too
 * little becomes the least possible: only 0 would mean that nothing was said.
 */
bool
gs_set_buffer(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	uint64_t bytes = 0, percent = 0;
	const char *wrong = gs_parse_size(value, &bytes, &percent);

	(void)row;
	if (wrong != NULL) {
		gs_report_error("%s argument '%s' %s", opts->spelled, value, wrong);
		return false;
	}
	if (strchr(value, '%') != NULL)
		bytes = gs_parse_share(percent);
	if (bytes == 0)
		bytes = 1;
	if (opts->job.memory_bytes < bytes)
		opts->job.memory_bytes = bytes;
	return true;
}

bool
gs_set_memory(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	uint64_t bytes = 0, percent = 0;
	const char *wrong = gs_parse_size(value, &bytes, &percent);

	(void)row;
	if (wrong == NULL && strchr(value, '%') != NULL && (percent < 1 || percent > 100))
		wrong = "is not between 1% and 100%";
	if (wrong == NULL && bytes == 0 && percent == 0)
		wrong = "is too small";
	if (wrong != NULL) {
		gs_report_error("%s argument '%s' %s", opts->spelled, value, wrong);
		return false;
	}
	if ((opts->job.gpu_memory_bytes != 0 || opts->job.gpu_memory_percent != 0)
	    && (opts->job.gpu_memory_bytes != bytes || opts->job.gpu_memory_percent != percent)) {
		gs_report_error("two different values of --gpu-memory");
		return false;
	}
	opts->job.gpu_memory_bytes = bytes;
	opts->job.gpu_memory_percent = (unsigned)percent;
	return true;
}

/* As in sort(1): each input of a merge, its output and standard error need a descriptor. */
bool
gs_set_batch(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	struct rlimit files;
	uint64_t number, most = UINT32_MAX;

	(void)row;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur - 3 < most)
		most = files.rlim_cur < 3 ? 0 : files.rlim_cur - 3;
	if (!gs_parse_whole(value, &number))
		return refuse_number(opts, value, "it is a whole number from 2 up");
	if (number < 2)
		return refuse_number(opts, value, "the minimum is 2");
	if (number > most) {
		gs_report_error("%s argument '%s' is too large: the maximum with the current limit "
		                "of open files is %llu", opts->spelled, value,
		                (unsigned long long)most);
		return false;
	}
	opts->job.merge_files = (unsigned)number;
	return true;
}

bool
gs_set_threads(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)row;
	if (!gs_parse_threads(value, &opts->job.threads))
		return refuse_number(opts, value, "it is a whole number from 1 up");
	return true;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * option_handlers.c - what each option does with its value
 *
 * The same option twice: equal values are fine, different values are an error.  Except where
 * scripts rely on sort(1): of --parallel, --batch-size, --check-order and --progress the last
 * one counts, of -S the largest, and of -T all.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/option_handlers.h"
#include "cli/parse_value.h"
#include "cli/report.h"
#include "cli/type_names.h"

const char *
gs_spell_type(const char *name, char into[24])
{
	enum gsort_notation notation;

	snprintf(into, 24, "%s%s", strncmp(name, "text", 4) == 0 || gs_notation_called(name, &notation)
	         ? "--type=" : "-", name);
	return into;
}

const char *
gs_spell_check(enum gsort_check check)
{
	return check == GSORT_CHECK_FIRST ? "-c" : check == GSORT_CHECK_QUIET ? "-C"
	                                                                      : "--check=summary";
}

static void *
field_of(struct gs_opts *opts, const struct gs_option_use *use)
{
	return (char *)opts + use->option->field;
}

/* Two values of the same option. */
static bool
refuse_two(const struct gs_option_use *use, const char *one, const char *other)
{
	gs_report_error("options '--%s=%s' and '--%s=%s' are incompatible", use->option->name, one,
	                use->option->name, other);
	return false;
}

static bool
refuse_pair(const char *one, const char *other)
{
	gs_report_error("options '%s' and '%s' are incompatible", one, other);
	return false;
}

/* --- without a value ------------------------------------------------------- */

bool
gs_set_flag(struct gs_opts *opts, const struct gs_option_use *use)
{
	*(bool *)field_of(opts, use) = true;
	return true;
}

bool
gs_set_count(struct gs_opts *opts, const struct gs_option_use *use)
{
	++*(unsigned *)field_of(opts, use);
	return true;
}

/* --check-order, --nocheck-order */
bool
gs_set_order(struct gs_opts *opts, const struct gs_option_use *use)
{
	opts->check_order = true;
	opts->job.trust_order = use->option->name[0] == 'n';
	return true;
}

/* --- key types ------------------------------------------------------------- */

/* Returns gsort's name of the type, or NULL after a message.  "<u4" says the byte order, too. */
static const char *
parse_type(struct gs_opts *opts, const struct gs_option_use *use, const char *also,
           enum gsort_type *type)
{
	enum gsort_endian endian = opts->job.endian;
	const char *name = gsort_type_named(use->value, type) ? use->value
	                   : gs_type_called(use->value, type, &endian);

	if (name != NULL && opts->job.endian != GSORT_ENDIAN_HOST && endian != opts->job.endian) {
		gs_report_error("%s=%s is in another byte order than the option before it", use->spelled,
		                use->value);
		return NULL;
	}
	opts->job.endian = endian;
	if (name != NULL)
		return name;
	gs_report_usage("invalid argument '%s' for %s: must be one of u8, u16, u32, u64, i8, i16, "
	                "i32, i64, f16, bf16, f32, f64, text%s", use->value, use->spelled, also);
	return NULL;
}

/* Is this type text in another notation? */
static bool
is_noted(const char *name)
{
	enum gsort_notation notation;

	return gs_notation_called(name, &notation);
}

/* Text is in one notation. */
static bool
set_notation(struct gs_opts *opts, const struct gs_option_use *use, enum gsort_notation notation)
{
	if (opts->job.notation != GSORT_DECIMAL && opts->job.notation != notation) {
		gs_report_error("%s=%s is in another notation than the option before it", use->spelled,
		                use->value);
		return false;
	}
	opts->job.notation = notation;
	return true;
}

/* --base=16 */
bool
gs_set_base(struct gs_opts *opts, const struct gs_option_use *use)
{
	if (strcmp(use->value, "10") != 0 && strcmp(use->value, "16") != 0) {
		gs_report_error("invalid --base argument '%s': must be 16 or 10", use->value);
		return false;
	}
	return set_notation(opts, use, use->value[1] == '6' ? GSORT_HEXADECIMAL : GSORT_DECIMAL);
}

bool
gs_set_type(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gsort_type type = GSORT_TEXT;
	enum gsort_notation notation = GSORT_DECIMAL;
	const bool noted = gs_notation_called(use->value, &notation);
	const char *name = noted ? use->value
	                         : parse_type(opts, use, ", u128, i128, text-float, ipv4, time", &type);
	char one[24], other[24];

	if (name == NULL || (noted && !set_notation(opts, use, notation)))
		return false;
	if (opts->type_name != NULL && (opts->job.type != type || noted != is_noted(opts->type_name)))
		return refuse_pair(gs_spell_type(opts->type_name, one), gs_spell_type(name, other));
	opts->job.type = type;
	opts->type_name = name;
	return true;
}

bool
gs_set_to(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gsort_type type;
	const char *name = parse_type(opts, use, "", &type);

	if (name == NULL)
		return false;
	if (type == GSORT_TEXT_FLOAT)	/* as output, the same as text */
		type = GSORT_TEXT;
	if (opts->to_name != NULL && opts->job.to != type)
		return refuse_two(use, opts->to_name, use->value);
	opts->job.to = type;
	opts->job.converts = true;
	opts->to_name = name;
	return true;
}

bool
gs_set_device(struct gs_opts *opts, const struct gs_option_use *use)
{
	if (!gs_parse_device(use->value, &opts->job)) {
		gs_report_usage("invalid argument '%s' for --device: must be auto, cpu, gpu, "
		                "gpu:N, gpu:N,N or gpu:all (N counts the GPUs from 0)", use->value);
		return false;
	}
	if (opts->device_name != NULL && strcmp(opts->device_name, use->value) != 0)
		return refuse_two(use, opts->device_name, use->value);
	opts->device_name = use->value;
	return true;
}

/* --- words ----------------------------------------------------------------- */

enum { SORT_NUMERIC, SORT_GENERAL, SORT_HUMAN, SORT_MONTH, SORT_VERSION, SORT_REFUSED = 1000 };

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
	{ "format", "auto", GSORT_FORMAT_AUTO },
	{ "format", "raw", GSORT_FORMAT_RAW },
	{ "format", "npy", GSORT_FORMAT_NPY },
	{ "invalid", "abort", GSORT_INVALID_ABORT },
	{ "invalid", "fail", GSORT_INVALID_FAIL },
	{ "invalid", "warn", GSORT_INVALID_WARN },
	{ "invalid", "ignore", GSORT_INVALID_IGNORE },
	{ "invalid", "skip-blank", GSORT_INVALID_SKIP_BLANK },
	{ "progress", "auto", GS_PROGRESS_AUTO },
	{ "progress", "always", GS_PROGRESS_ALWAYS },
	{ "progress", "never", GS_PROGRESS_NEVER },
	{ "sort", "numeric", SORT_NUMERIC },
	{ "sort", "general-numeric", SORT_GENERAL },
	{ "sort", "human-numeric", SORT_HUMAN },
	{ "sort", "month", SORT_MONTH },
	{ "sort", "random", SORT_REFUSED },
	{ "sort", "version", SORT_VERSION },
	{ "stats", "json", GS_REPORT_JSON },
	{ "plan", "text", GS_REPORT_TEXT }, { "plan", "json", GS_REPORT_JSON },
	{ "info", "text", GS_REPORT_TEXT }, { "info", "json", GS_REPORT_JSON },
};

static const struct choice *const choices_end = choices + sizeof choices / sizeof choices[0];

/* Find the choice for WORD: the whole word, or the start of only one.  NULL: there is none. */
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

/* The same, with a message if there is none. */
static const struct choice *
parse_choice(const struct gs_option_use *use, const char *word)
{
	const struct choice *choice = choice_of(use->option->name, word);
	char list[128] = "";

	if (choice != NULL)
		return choice;
	for (const struct choice *c = choices; c < choices_end; c++)
		if (strcmp(c->option, use->option->name) == 0 && c->means != SORT_REFUSED)
			sprintf(list + strlen(list), "%s%s", list[0] != '\0' ? ", " : "", c->word);
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
		return refuse_two(use, use->previous, use->value);
	*(unsigned *)field_of(opts, use) = choice->means;
	return true;
}

/* --plan, --info; with a format, or as text */
bool
gs_set_report(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct choice *choice = parse_choice(use, use->value != NULL ? use->value : "text");

	if (choice != NULL)
		*(enum gs_report_format *)field_of(opts, use) = (enum gs_report_format)choice->means;
	return choice != NULL;
}

/* --stats=json, --stats=json:FILE */
bool
gs_set_stats(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *file = strncmp(use->value, "json:", 5) == 0 ? use->value + 5 : NULL;

	if (use->previous != NULL && strcmp(use->previous, use->value) != 0)
		return refuse_two(use, use->previous, use->value);
	if (file == NULL && choice_of(use->option->name, use->value) == NULL) {
		gs_report_usage("invalid argument '%s' for %s: must be json or json:FILE", use->value,
		                use->spelled);
		return false;
	}
	if (file != NULL && *file == '\0') {
		gs_report_usage("invalid argument '%s' for %s: the name of the file is empty", use->value,
		                use->spelled);
		return false;
	}
	opts->stats = GS_REPORT_JSON;
	opts->stats_file = file;
	return true;
}

/* --progress, --no-progress */
bool
gs_set_progress(struct gs_opts *opts, const struct gs_option_use *use)
{
	const bool no = use->option->name[0] == 'n';
	const struct choice *choice = no ? NULL : parse_choice(use, use->value != NULL ? use->value
	                                                                               : "auto");

	if (!no && choice == NULL)
		return false;
	opts->progress = no ? GS_PROGRESS_NEVER : (enum gs_progress_when)choice->means;
	return true;
}

bool
gs_set_sort(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct choice *choice = parse_choice(use, use->value);

	if (choice == NULL)
		return false;
	if (choice->means == SORT_REFUSED) {
		gs_report_error("--sort=%s is not supported; use shuf(1)", choice->word);
		return false;
	}
	opts->numeric |= choice->means == SORT_NUMERIC;
	opts->general |= choice->means == SORT_GENERAL;
	opts->human |= choice->means == SORT_HUMAN;
	opts->month |= choice->means == SORT_MONTH;
	opts->version_sort |= choice->means == SORT_VERSION;
	return true;
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
		return refuse_pair(gs_spell_check(opts->job.check), gs_spell_check(check));
	opts->check = true;
	opts->job.check = check;
	return true;
}

/* --- records --------------------------------------------------------------- */

/* What it means depends on other options: see gs_records_read(). */
bool
gs_set_key(struct gs_opts *opts, const struct gs_option_use *use)
{
	opts->key_texts[opts->key_count++] = use->value;
	return true;
}

bool
gs_set_argsort(struct gs_opts *opts, const struct gs_option_use *use)
{
	const unsigned bits = strcmp(use->value, "u32") == 0 ? 32 :
	                      strcmp(use->value, "u64") == 0 ? 64 : 0;

	if (bits == 0) {
		gs_report_usage("invalid argument '%s' for %s: must be u32 or u64", use->value,
		                use->spelled);
		return false;
	}
	if (use->previous != NULL && opts->job.argsort_bits != bits)
		return refuse_two(use, use->previous, use->value);
	opts->job.argsort_bits = bits;
	return true;
}

/* --- names ----------------------------------------------------------------- */

bool
gs_set_name(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char **name = field_of(opts, use);

	if (*name != NULL && strcmp(*name, use->value) != 0)
		return refuse_two(use, *name, use->value);
	*name = use->value;
	return true;
}

bool
gs_set_output(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *before = opts->job.output;

	if (before != NULL && strcmp(before, use->value) != 0) {
		gs_report_error("multiple output files specified: '%s' and '%s'", before,
		                use->value);
		return false;
	}
	opts->job.output = use->value;
	return true;
}

bool
gs_set_program(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *before = opts->job.compress_program;

	if (before != NULL && strcmp(before, use->value) != 0) {
		gs_report_error("multiple compress programs specified: '%s' and '%s'", before,
		                use->value);
		return false;
	}
	opts->job.compress_program = use->value;
	return true;
}

bool
gs_set_separator(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *before = opts->job.separator;

	if (before != NULL && strcmp(before, use->value) != 0) {
		gs_report_error("two different separators: '%s' and '%s'", before, use->value);
		return false;
	}
	opts->job.separator = use->value;
	return true;
}

bool
gs_set_temp_dir(struct gs_opts *opts, const struct gs_option_use *use)
{
	opts->temp_dirs[opts->job.temp_dir_count++] = use->value;
	return true;
}

/* --- numbers --------------------------------------------------------------- */

static bool
refuse_number(const struct gs_option_use *use, const char *rule)
{
	gs_report_error("invalid %s argument '%s': %s", use->spelled, use->value, rule);
	return false;
}

/* Store NUMBER in a field of 64 bits, unless the field has another. */
static bool
set_number(struct gs_opts *opts, const struct gs_option_use *use, uint64_t number)
{
	uint64_t *field = field_of(opts, use);

	if (use->previous != NULL && *field != number)
		return refuse_two(use, use->previous, use->value);
	*field = number;
	return true;
}

bool
gs_set_head(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_count(use->value, &number))
		return refuse_number(use, "must be a whole number, such as 1000, 1K or 2M");
	if (opts->job.head && opts->job.head_count != number) {
		gs_report_error("two different values of --head-count");
		return false;
	}
	opts->job.head = true;
	opts->job.head_count = number;
	return true;
}

/* --union, --intersect, --difference, --symmetric: by the first letter. */
bool
gs_set_set(struct gs_opts *opts, const struct gs_option_use *use)
{
	static const char *const names[] = { "", "--union", "--intersect", "--difference", "--symmetric" };
	enum gsort_set set = GSORT_UNION;

	while (names[set][2] != use->option->name[0])
		set++;
	if (opts->job.set != GSORT_NO_SET && opts->job.set != set)
		return refuse_pair(names[opts->job.set], names[set]);
	opts->job.set = set;
	return true;
}

/* A number of keys, in a struct gsort_count. */
bool
gs_set_keys(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gsort_count *keys = field_of(opts, use);
	uint64_t number;

	if (!gs_parse_count(use->value, &number))
		return refuse_number(use, "must be a number of keys, such as 10, 4K or 2M");
	if (keys->wanted && keys->count != number)
		return refuse_two(use, use->previous, use->value);
	*keys = (struct gsort_count){ .wanted = true, .count = number };
	return true;
}

bool
gs_set_number(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_count(use->value, &number))
		return refuse_number(use, "must be a whole number");
	return set_number(opts, use, number);
}

/* --histogram is --histogram=10. */
bool
gs_set_histogram(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number = 10;

	if (use->value != NULL && (!gs_parse_count(use->value, &number) || number == 0 ||
	                           number > UINT32_MAX))
		return refuse_number(use, "must be a number of intervals, at least 1");
	if (opts->job.histogram > 0 && opts->job.histogram != number) {
		gs_report_error("two different values of --histogram");
		return false;
	}
	opts->job.histogram = (unsigned)number;
	return true;
}

/* --header is --header=1. */
bool
gs_set_header(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gs_option_use full = *use;
	uint64_t number;

	if (use->value == NULL)
		full.value = "1";
	if (use->previous != NULL && *use->previous == '\0')
		full.previous = "1";
	if (!gs_parse_count(full.value, &number) || number == 0)
		return refuse_number(use, "must be a whole number, at least 1");
	return set_number(opts, &full, number);
}

bool
gs_set_record(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_bytes(use->value, &number) || number == 0 || number > GSORT_RECORD_MOST_BYTES)
		return refuse_number(use, "must be a number of bytes, from 1 to 1M");
	return set_number(opts, use, number);
}

bool
gs_set_bytes(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_bytes(use->value, &number))
		return refuse_number(use, "must be a number of bytes below 16E, such as 512, 4K, "
		                     "6G or 2GiB");
	return set_number(opts, use, number);
}

/* A size, in *BYTES or in *PERCENT.  False after a message. */
static bool
parse_size(const struct gs_option_use *use, uint64_t *bytes, uint64_t *percent)
{
	switch (gs_parse_size(use->value, bytes, percent)) {
	case GS_SIZE_OK:
		return true;
	case GS_SIZE_NOT_A_NUMBER:
		return refuse_number(use, "must be a size, such as 512M, 8G or 50%");
	case GS_SIZE_BAD_SUFFIX:
		gs_report_error("invalid suffix in %s argument '%s': must be one of b, K, M, G, T, "
		                "P, E, KiB, MiB, GiB, TiB, %%", use->spelled, use->value);
		return false;
	}
	return false;
}

/*
 * As in sort(1), the largest -S counts, N% is of all memory, and a size that is too small
 * becomes the minimum.  So 0 becomes 1: 0 in memory_bytes means that -S was not given.  A size that
 * is too large is no limit.
 */
bool
gs_set_buffer(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t bytes = 0, percent = 0;

	if (!parse_size(use, &bytes, &percent))
		return false;
	if (strchr(use->value, '%') != NULL)
		bytes = gs_memory_share(percent);
	if (bytes == 0)
		bytes = 1;
	if (opts->job.memory_bytes < bytes)
		opts->job.memory_bytes = bytes;
	return true;
}

bool
gs_set_memory(struct gs_opts *opts, const struct gs_option_use *use)
{
	const bool given = opts->job.gpu_memory_bytes != 0 || opts->job.gpu_memory_percent != 0;
	uint64_t bytes = 0, percent = 0;

	if (!parse_size(use, &bytes, &percent))
		return false;
	if (strchr(use->value, '%') != NULL && (percent < 1 || percent > 100)) {
		gs_report_error("%s argument '%s' is not between 1%% and 100%%", use->spelled,
		                use->value);
		return false;
	}
	if (bytes == 0 && percent == 0) {
		gs_report_error("%s argument '%s' is too small", use->spelled, use->value);
		return false;
	}
	if (given && (opts->job.gpu_memory_bytes != bytes ||
	              opts->job.gpu_memory_percent != percent)) {
		gs_report_error("two different values of --gpu-memory");
		return false;
	}
	opts->job.gpu_memory_bytes = bytes;
	opts->job.gpu_memory_percent = (unsigned)percent;
	return true;
}

/* As in sort(1), a merge needs a descriptor for each input, its output and standard error. */
bool
gs_set_batch(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct rlimit files;
	uint64_t number, most = UINT32_MAX;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur - 3 < most)
		most = files.rlim_cur < 3 ? 0 : files.rlim_cur - 3;
	if (!gs_parse_count(use->value, &number) || number < 2)
		return refuse_number(use, "must be a whole number, at least 2");
	if (number > most) {
		gs_report_error("%s argument '%s' is too large: the maximum with the current limit "
		                "on open files is %llu", use->spelled, use->value,
		                (unsigned long long)most);
		return false;
	}
	opts->job.merge_files = (unsigned)number;
	return true;
}

/* As many as gsort_open() takes. */
enum { SPLIT_MOST = 1024 };

bool
gs_set_ranks(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_count(use->value, &number) || number == 0 || number > 65536)
		return refuse_number(use, "must be a whole number from 1 to 65536");
	opts->job.plan_ranks = (unsigned)number;
	return true;
}

bool
gs_set_split(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_count(use->value, &number) || number < 1 || number > SPLIT_MOST)
		return refuse_number(use, "must be a whole number from 1 to 1024");
	if (use->previous != NULL && opts->job.split != number)
		return refuse_two(use, use->previous, use->value);
	opts->job.split = (unsigned)number;
	return true;
}

bool
gs_set_threads(struct gs_opts *opts, const struct gs_option_use *use)
{
	if (!gs_parse_threads(use->value, &opts->job.threads))
		return refuse_number(use, "must be a whole number, at least 1");
	return true;
}

// SPDX-License-Identifier: BSD-2-Clause
/* option_values.c - how options store their values, by the kinds of opts.def; numbers and sizes */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/report.h"

/* --- texts to numbers ------------------------------------------------------ */

bool
gs_read_whole(const char **at, uint64_t *number)
{
	const char *from = *at;

	*number = 0;
	for (; **at >= '0' && **at <= '9'; ++*at) {
		unsigned digit = (unsigned)(**at - '0');

		*number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX
		                                              : *number * 10 + digit;
	}
	return *at > from;
}

/*
 * Read a number with the suffix of a size, as sort(1) has them: b (bytes), K k M m G g T t P E Z Y R Q
 * (powers of 1024), KiB MiB GiB TiB; with none, it is multiplied by 1024 to the POWER.  One that does not
 * fit in 64 bits becomes UINT64_MAX.  False: it is not a number, or has another suffix.
 */
static bool
read_scaled(const char *value, int power, uint64_t *number)
{
	static const char large[] = "KMGTPEZYRQ", small[] = "kmgt";

	if (!gs_read_whole(&value, number))
		return false;
	if (strcmp(value, "b") == 0) {
		power = 0;
	} else if (*value != '\0') {
		const char *const found = strchr(large, *value), *const other = strchr(small, *value);

		if (found == NULL && other == NULL)
			return false;
		power = 1 + (int)(found != NULL ? found - large : other - small);
		if (value[1] != '\0' && (found == NULL || power > 4 || strcmp(value + 1, "iB") != 0))
			return false;
	}
	for (; power > 0; power--)
		*number = *number > UINT64_MAX / 1024 ? UINT64_MAX : *number * 1024;
	return true;
}

/* A number of things, or with a suffix of a size but for b, as of head(1). */
static bool
read_count(const char *value, uint64_t *number)
{
	return value[strspn(value, "0123456789")] != 'b' && read_scaled(value, 0, number);
}

/* The numbers of sort(1) may have blanks and a plus sign before them. */
static const char *
after_sign(const char *value)
{
	value += strspn(value, " \t\n\v\f\r");
	return value + (*value == '+');
}

static bool
refuse_number(const struct gs_option_use *use, const char *rule)
{
	return gs_report_error("invalid %s argument '%s': %s", use->spelled, use->value, rule);
}

/* --- words ----------------------------------------------------------------- */

int
gs_find_word(const char *words, const char *value)
{
	const size_t bytes = strlen(value);
	int found = -1, starts = 0;

	for (int number = 0; *words != '\0' && bytes > 0; number++) {
		const size_t length = strcspn(words, " ");

		if (bytes <= length && strncmp(words, value, bytes) == 0) {
			if (bytes == length)
				return number;
			found = number;
			starts++;
		}
		words += length + (words[length] == ' ');
	}
	return starts == 1 ? found : -1;
}

/* "abort, fail, warn" */
static void
list_words(const char *words, char list[128])
{
	for (; *words != '\0'; words++) {
		if (*words == ' ')
			*list++ = ',';
		*list++ = *words;
	}
	*list = '\0';
}

bool
gs_parse_word(const struct gs_option_use *use, const char *value, unsigned *number)
{
	const int found = gs_find_word(use->option->words, value);
	char list[128];

	*number = (unsigned)found;
	if (found >= 0)
		return true;
	list_words(use->option->words, list);
	return gs_report_usage("invalid argument '%s' for %s: must be %s%s", value, use->spelled,
	                       strchr(list, ',') != NULL ? "one of " : "", list);
}

/* --- by kind --------------------------------------------------------------- */

bool
gs_refuse_two(const struct gs_option_use *use, const char *previous)
{
	const char *const name = use->option->name;

	return use->option->value == NULL	/* its name is the word */
	       ? gs_report_error("options '--%s' and '--%s' are incompatible", previous, name)
	       : gs_report_error("options '--%s=%s' and '--%s=%s' are incompatible", name, previous, name,
	                         use->value);
}

bool
gs_refuse_pair(const char *one, const char *other, const char *why)
{
	return gs_report_error("options '%s' and '%s' are incompatible%s%s", one, other,
	                       why != NULL ? ": " : "", why != NULL ? why : "");
}

bool
gs_option_set(struct gs_opts *opts, const struct gs_option_use *use)
{
	const struct gs_option *const option = use->option;
	void *const field = (char *)opts + option->field;
	uint64_t number = 0, before = 0;
	unsigned word;

	switch (option->kind) {
	case GS_FLAG:
		*(bool *)field = true;
		return true;
	case GS_TEXT:
		*(const char **)field = use->value;
		if (use->previous == NULL || strcmp(use->previous, use->value) == 0)
			return true;
		return option->rule == NULL ? gs_refuse_two(use, use->previous)
		       : gs_report_error("%s: '%s' and '%s'", option->rule, use->previous, use->value);
	case GS_TEXTS: {
		struct gs_texts *const texts = field;

		texts->all[texts->count++] = use->value;
		return true;
	}
	case GS_WORDS:
		if (use->value != NULL && !gs_parse_word(use, use->value, &word))
			return false;
		*(unsigned *)field |= use->value == NULL ? (unsigned)GS_ALONE
		                                         : (unsigned)GS_FIRST_WORD << word;
		return true;
	case GS_WORD:
		if (!gs_parse_word(use, use->value, &word))
			return false;
		number = option->least + word;
		break;
	case GS_NUMBER:
		if (!read_count(use->value, &number) || number < option->least || number > option->most)
			return refuse_number(use, option->rule);
		break;
	case GS_SPECIAL:
		return option->set(opts, use);
	case GS_HEADING:
		return false;
	}
	/* equal values are fine */
	memcpy(&before, field, option->bytes);
	if (use->previous != NULL && before != number)
		return gs_refuse_two(use, use->previous);
	memcpy(field, &number, option->bytes);
	return true;
}

/* --- special numbers ------------------------------------------------------- */

/* --sample=K, --sample=K:SEED */
bool
gs_set_sample(struct gs_opts *opts, const struct gs_option_use *use)
{
	const size_t digits = strcspn(use->value, ":");
	uint64_t number, seed = 0;
	char keys[32];

	snprintf(keys, sizeof keys, "%.*s", (int)digits, use->value);
	if (digits >= sizeof keys || !read_count(keys, &number))
		return refuse_number(use, GS_KEYS_RULE);
	if (use->value[digits] == ':' &&
	    (!read_count(use->value + digits + 1, &seed) || seed == UINT64_MAX))	/* or more */
		return refuse_number(use, "the seed must be a whole number below 18446744073709551615");
	if (use->previous != NULL && (opts->job.sample.count != number || opts->job.seed != seed))
		return gs_refuse_two(use, use->previous);
	opts->job.sample.count = number;
	opts->job.seed = seed;
	return true;
}

/* --histogram=log is --histogram=log:20. */
bool
gs_set_histogram(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *value = use->value;
	const bool powers = strncmp(value, "log", 3) == 0 && (value[3] == '\0' || value[3] == ':');
	const enum gsort_edges edges = powers ? GSORT_EDGES_LOG : GSORT_EDGES_ROUND;
	uint64_t number;

	if (powers)
		value = value[3] == ':' ? value + 4 : "20";
	if (!read_count(value, &number) || number == 0 || number > UINT32_MAX)
		return refuse_number(use, "must be a number of intervals, from 1 to 1048576, or log, or "
		                     "log:N");
	if (use->previous != NULL &&
	    (opts->job.histogram != number || opts->job.histogram_edges != edges))
		return gs_refuse_two(use, use->previous);
	opts->job.histogram = (unsigned)number;
	opts->job.histogram_edges = edges;
	return true;
}

/*
 * As in sort(1), the largest -S counts, N% is of all memory, and a size that is too small
 * becomes the minimum.  So 0 becomes 1: 0 in memory_bytes means that -S was not given.  A size that
 * is too large sets no limit.  -S gpu:SIZE may be given once.
 */
bool
gs_set_buffer(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gsort_options *const job = &opts->job;
	const bool gpu = strncmp(use->value, "gpu:", 4) == 0;
	const char *size = gpu ? use->value + 4 : after_sign(use->value), *suffix = size;
	uint64_t bytes = 0, percent;

	/* a number of KiB, or with a suffix; or with %: then BYTES is 0, else PERCENT */
	if (!gs_read_whole(&suffix, &percent))
		return refuse_number(use, "must be a size, such as 512M, 8G or 50%");
	if (strcmp(suffix, "%") != 0) {
		percent = 0;
		if (!read_scaled(size, 1, &bytes))
			return gs_report_error("invalid suffix in %s argument '%s': must be a whole number "
			                       "and one of b, K, M, G, T, P, E, Z, Y, R, Q, KiB, MiB, GiB, "
			                       "TiB, %%", use->spelled, use->value);
	}
	if (gpu) {
		if (strchr(use->value, '%') != NULL && (percent < 1 || percent > 100))
			return gs_report_error("%s argument '%s' is not between 1%% and 100%%", use->spelled,
			                       use->value);
		if (bytes == 0 && percent == 0)
			return gs_report_error("%s argument '%s' is too small", use->spelled, use->value);
		if ((job->gpu_memory_bytes != 0 || job->gpu_memory_percent != 0) &&
		    (job->gpu_memory_bytes != bytes || job->gpu_memory_percent != percent))
			return gs_report_error("two different limits of GPU memory");
		job->gpu_memory_bytes = bytes;
		job->gpu_memory_percent = (unsigned)percent;
		return true;
	}
	if (percent > 0) {
		const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
		const double share = memory / 100 * (double)percent;

		bytes = share < 1e19 ? (uint64_t)share : UINT64_MAX;
	}
	bytes += bytes == 0;
	if (job->memory_bytes < bytes)
		job->memory_bytes = bytes;
	return true;
}

/* As in sort(1), the last one counts, and a merge needs a descriptor for each input, its output and standard
 * error. */
bool
gs_set_batch(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct rlimit files;
	uint64_t number, most = UINT32_MAX;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur - 3 < most)
		most = files.rlim_cur < 3 ? 0 : files.rlim_cur - 3;
	if (!read_count(after_sign(use->value), &number) || number < 2)
		return refuse_number(use, "must be a whole number, at least 2");
	if (number > most)
		return gs_report_error("%s argument '%s' is too large: the maximum with the current limit "
		                       "on open files is %llu", use->spelled, use->value,
		                       (unsigned long long)most);
	opts->job.merge_files = (unsigned)number;
	return true;
}

/*
 * Cut larger numbers down to this, or to the number of processors: more threads cannot help,
 * and each takes memory.
 */
enum { MANY_THREADS = 64 };

/* As in sort(1), the last one counts. */
bool
gs_set_threads(struct gs_opts *opts, const struct gs_option_use *use)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t most = processors > MANY_THREADS ? (uint64_t)processors : MANY_THREADS;
	const char *value = after_sign(use->value);
	uint64_t number;

	if (!gs_read_whole(&value, &number) || *value != '\0' || number == 0)
		return refuse_number(use, "must be a whole number, at least 1");
	opts->job.threads = (unsigned)(number < most ? number : most);
	return true;
}

/* --plan, --plan=text, --plan=json, --plan=SIZE, --progress=always ...: a word (the last one counts), and the
 * size of an input that is not there or that no file tells, may both be given. */
bool
gs_set_word_or_size(struct gs_opts *opts, const struct gs_option_use *use)
{
	unsigned *const field = (unsigned *)(void *)((char *)opts + use->option->field);
	const int word = gs_find_word(use->option->words, use->value);
	uint64_t bytes;
	char list[128];

	if (word >= 0) {
		*field = (unsigned)word + 1;
		return true;
	}
	if (!read_scaled(use->value, 0, &bytes) || bytes == UINT64_MAX) {
		list_words(use->option->words, list);
		return gs_report_usage("invalid argument '%s' for %s: must be %s, or a size of the "
		                       "input, such as 512, 4K, 6G or 2GiB", use->value, use->spelled, list);
	}
	bytes += bytes == 0;		/* 0 in size_hint: it was not given */
	if (opts->job.size_hint > 0 && opts->job.size_hint != bytes)
		return gs_report_error("two different sizes of the input");
	opts->job.size_hint = bytes;
	if (*field == 0)
		*field = 1;		/* the first word */
	return true;
}

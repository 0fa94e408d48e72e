// SPDX-License-Identifier: BSD-2-Clause
/* option_numbers.c - what each option does whose value is a number or a size */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/option.h"
#include "cli/report.h"

static bool
refuse_number(const struct gs_option_use *use, const char *rule)
{
	return gs_report_error("invalid %s argument '%s': %s", use->spelled, use->value, rule);
}

static const char keys_rule[] = "must be a number of keys, such as 10, 4K or 2M";

/* Store NUMBER in a field of 64 bits, unless the field has another. */
static bool
set_number(struct gs_opts *opts, const struct gs_option_use *use, uint64_t number)
{
	uint64_t *field = gs_option_field(opts, use);

	if (use->previous != NULL && *field != number)
		return gs_refuse_two(use, use->previous, use->value);
	*field = number;
	return true;
}

bool
gs_set_head(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_count(use->value, &number))
		return refuse_number(use, "must be a whole number, such as 1000, 1K or 2M");
	if (opts->job.head && opts->job.head_count != number)
		return gs_report_error("two different values of --head");
	opts->job.head = true;
	opts->job.head_count = number;
	return true;
}

/* A number of keys, in a struct gsort_count. */
bool
gs_set_keys(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gsort_count *keys = gs_option_field(opts, use);
	uint64_t number;

	if (!gs_parse_count(use->value, &number))
		return refuse_number(use, keys_rule);
	if (keys->wanted && keys->count != number)
		return gs_refuse_two(use, use->previous, use->value);
	*keys = (struct gsort_count){ .wanted = true, .count = number };
	return true;
}

/* --sample=K, --sample=K:SEED */
bool
gs_set_sample(struct gs_opts *opts, const struct gs_option_use *use)
{
	const size_t digits = strcspn(use->value, ":");
	uint64_t number, seed = 0;
	char keys[32];

	snprintf(keys, sizeof keys, "%.*s", (int)digits, use->value);
	if (digits >= sizeof keys || !gs_parse_count(keys, &number))
		return refuse_number(use, keys_rule);
	if (use->value[digits] == ':' &&
	    (!gs_parse_count(use->value + digits + 1, &seed) || seed == UINT64_MAX))	/* or more */
		return refuse_number(use, "the seed must be a whole number below 18446744073709551615");
	if (opts->job.sample.wanted && (opts->job.sample.count != number || opts->job.seed != seed))
		return gs_refuse_two(use, use->previous, use->value);
	opts->job.sample = (struct gsort_count){ .wanted = true, .count = number };
	opts->job.seed = seed;
	return true;
}

/* --histogram is --histogram=10, --histogram=log is --histogram=log:20. */
bool
gs_set_histogram(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *value = use->value;
	const bool powers = value != NULL && strncmp(value, "log", 3) == 0 &&
	                    (value[3] == '\0' || value[3] == ':');
	const enum gsort_edges edges = powers ? GSORT_EDGES_LOG : GSORT_EDGES_ROUND;
	uint64_t number = powers ? 20 : 10;

	if (powers)
		value = value[3] == ':' ? value + 4 : NULL;
	if (value != NULL && (!gs_parse_count(value, &number) || number == 0 || number > UINT32_MAX))
		return refuse_number(use, "must be a number of intervals, from 1 to 1048576, or log, or "
		                     "log:N");
	if (opts->job.histogram > 0 && (opts->job.histogram != number || opts->job.histogram_edges != edges))
		return gs_report_error("two different values of --histogram");
	opts->job.histogram = (unsigned)number;
	opts->job.histogram_edges = edges;
	return true;
}

/* --header is --header=1; of binary input N is a number of bytes. */
bool
gs_set_header(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gs_option_use full = *use;
	uint64_t number;

	opts->bare_header |= use->value == NULL;
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

/* SIZE, the value or its end, in *BYTES or in *PERCENT.  False after a message. */
static bool
parse_size(const struct gs_option_use *use, const char *size, uint64_t *bytes, uint64_t *percent)
{
	switch (gs_parse_size(size, bytes, percent)) {
	case GS_SIZE_OK:
		return true;
	case GS_SIZE_NOT_A_NUMBER:
		return refuse_number(use, "must be a size, such as 512M, 8G or 50%");
	case GS_SIZE_BAD_SUFFIX:
		return gs_report_error("invalid suffix in %s argument '%s': must be a whole number and "
		                       "one of b, K, M, G, T, P, E, Z, Y, R, Q, KiB, MiB, GiB, TiB, %%",
		                       use->spelled, use->value);
	}
	return false;
}

/* -S gpu:SIZE */
static bool
set_gpu_memory(struct gs_opts *opts, const struct gs_option_use *use, const char *size)
{
	const bool given = opts->job.gpu_memory_bytes != 0 || opts->job.gpu_memory_percent != 0;
	uint64_t bytes = 0, percent = 0;

	if (!parse_size(use, size, &bytes, &percent))
		return false;
	if (strchr(size, '%') != NULL && (percent < 1 || percent > 100))
		return gs_report_error("%s argument '%s' is not between 1%% and 100%%", use->spelled,
		                       use->value);
	if (bytes == 0 && percent == 0)
		return gs_report_error("%s argument '%s' is too small", use->spelled, use->value);
	if (given && (opts->job.gpu_memory_bytes != bytes ||
	              opts->job.gpu_memory_percent != percent))
		return gs_report_error("two different limits of GPU memory");
	opts->job.gpu_memory_bytes = bytes;
	opts->job.gpu_memory_percent = (unsigned)percent;
	return true;
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

	if (strncmp(use->value, "gpu:", 4) == 0)
		return set_gpu_memory(opts, use, use->value + 4);
	if (!parse_size(use, gs_after_sign(use->value), &bytes, &percent))
		return false;
	if (strchr(use->value, '%') != NULL)
		bytes = gs_memory_share(percent);
	if (bytes == 0)
		bytes = 1;
	if (opts->job.memory_bytes < bytes)
		opts->job.memory_bytes = bytes;
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
	if (!gs_parse_count(gs_after_sign(use->value), &number) || number < 2)
		return refuse_number(use, "must be a whole number, at least 2");
	if (number > most)
		return gs_report_error("%s argument '%s' is too large: the maximum with the current limit "
		                       "on open files is %llu", use->spelled, use->value,
		                       (unsigned long long)most);
	opts->job.merge_files = (unsigned)number;
	return true;
}

/* As many as gsort_open() takes. */
enum { SPLIT_MOST = 1024 };

bool
gs_set_split(struct gs_opts *opts, const struct gs_option_use *use)
{
	uint64_t number;

	if (!gs_parse_count(use->value, &number) || number < 1 || number > SPLIT_MOST)
		return refuse_number(use, "must be a whole number from 1 to 1024");
	if (use->previous != NULL && opts->job.split != number)
		return gs_refuse_two(use, use->previous, use->value);
	opts->job.split = (unsigned)number;
	return true;
}

bool
gs_set_threads(struct gs_opts *opts, const struct gs_option_use *use)
{
	if (!gs_parse_threads(gs_after_sign(use->value), &opts->job.threads))
		return refuse_number(use, "must be a whole number, at least 1");
	return true;
}

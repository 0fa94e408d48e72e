// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse_value.c - from the text of an option's value to a number
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/option.h"

/*
 * Read the digits at *AT and move *AT past them.  False: there are none.  A number that
 * does not fit in 64 bits becomes UINT64_MAX.
 */
static bool
read_whole(const char **at, uint64_t *number)
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

const char *
gs_after_sign(const char *value)
{
	value += strspn(value, " \t\n\v\f\r");
	return value + (*value == '+');
}

/* Add GPU number INDEX, but not twice. */
static bool
add_gpu(struct gsort_options *options, uint64_t index)
{
	for (unsigned g = 0; g < options->gpu_count; g++)
		if ((uint64_t)options->gpus[g] == index)
			return false;
	if (index > INT_MAX || options->gpu_count == GSORT_GPUS_MOST)
		return false;
	options->gpus[options->gpu_count++] = (int)index;
	return true;
}

bool
gs_parse_device(const char *value, struct gsort_options *options)
{
	const char *at = value + 3;	/* behind "gpu": nothing, ":all" or a list of numbers */
	uint64_t index;

	if (strcmp(value, "auto") == 0 || strcmp(value, "cpu") == 0) {
		options->device = *value == 'a' ? GSORT_DEVICE_AUTO : GSORT_DEVICE_CPU;
		return true;
	}
	if (strncmp(value, "gpu", 3) != 0)
		return false;
	options->gpu_count = 0;
	options->gpus[0] = 0;
	if (strcmp(at, ":all") == 0) {
		options->gpu_count = GSORT_ALL_GPUS;
		at += strlen(at);
	} else if (*at == ':') {
		do {
			++at;
			if (!read_whole(&at, &index) || !add_gpu(options, index))
				return false;
		} while (*at == ',');
	}
	if (*at != '\0')
		return false;
	options->device = GSORT_DEVICE_GPU;
	return true;
}

/* The power of 1024 that SUFFIX means, 0: b; -1: SUFFIX is unknown. */
static int
power_of(const char *suffix)
{
	static const char large[] = "KMGTPEZYRQ", small[] = "kmgt";	/* those of sort(1) */
	const char *const found = strchr(large, *suffix), *const other = strchr(small, *suffix);

	if (strcmp(suffix, "b") == 0)
		return 0;
	if (*suffix == '\0' || (found == NULL && other == NULL))
		return -1;
	if (suffix[1] == '\0')
		return 1 + (int)(found != NULL ? found - large : other - small);
	return found != NULL && found < large + 4 && strcmp(suffix + 1, "iB") == 0 ? 1 + (int)(found - large)
	                                                                         : -1;
}

/* A number with the suffix of a size; with none, it is multiplied by 1024 to the POWER.  One that does not
 * fit in 64 bits becomes UINT64_MAX. */
static enum gs_size_error
read_scaled(const char *value, int power, uint64_t *number)
{
	if (!read_whole(&value, number))
		return GS_SIZE_NOT_A_NUMBER;
	if (*value != '\0' && (power = power_of(value)) < 0)
		return GS_SIZE_BAD_SUFFIX;
	for (; power > 0; power--)
		*number = *number > UINT64_MAX / 1024 ? UINT64_MAX : *number * 1024;
	return GS_SIZE_OK;
}

enum gs_size_error
gs_parse_size(const char *value, uint64_t *bytes, uint64_t *percent)
{
	const char *suffix = value;
	uint64_t number;

	if (!read_whole(&suffix, &number) || strcmp(suffix, "%") != 0)
		return read_scaled(value, 1, bytes);
	*percent = number;
	return GS_SIZE_OK;
}

uint64_t
gs_memory_share(uint64_t percent)
{
	const uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	const double bytes = (double)pages * (double)sysconf(_SC_PAGESIZE) / 100 * (double)percent;

	return bytes < 1e19 ? (uint64_t)bytes : UINT64_MAX;
}

bool
gs_parse_count(const char *value, uint64_t *number)
{
	return value[strspn(value, "0123456789")] != 'b' && read_scaled(value, 0, number) == GS_SIZE_OK;
}

bool
gs_parse_bytes(const char *value, uint64_t *bytes)
{
	return read_scaled(value, 0, bytes) == GS_SIZE_OK && *bytes != UINT64_MAX;
}

bool
gs_parse_record_key(const char *value, struct gsort_key *key)
{
	const char *at = strchr(value, '@');
	char name[16];

	*key = (struct gsort_key){ .type = GSORT_TEXT };
	if (at == NULL || (size_t)(at - value) >= sizeof name)
		return false;
	memcpy(name, value, (size_t)(at - value));
	name[at - value] = '\0';
	if (strncmp(name, "bytes", 5) == 0) {
		const char *digits = name + 5;

		if (!read_whole(&digits, &key->bytes) || *digits != '\0' || key->bytes == 0)
			return false;
	} else if (gs_type_ordered(name, &key->type, &key->endian) == NULL || key->type == GSORT_TEXT ||
	           key->type == GSORT_TEXT_FLOAT) {
		return false;
	}
	at++;
	if (!read_whole(&at, &key->offset))
		return false;
	key->reverse = *at == 'r';
	return at[key->reverse] == '\0';
}

/*
 * Cut larger numbers down to this, or to the number of processors: more threads cannot help,
 * and each takes memory.
 */
enum { MANY_THREADS = 64 };

bool
gs_parse_threads(const char *value, unsigned *threads)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t most = processors > MANY_THREADS ? (uint64_t)processors : MANY_THREADS;
	uint64_t number;

	if (!read_whole(&value, &number) || *value != '\0' || number == 0)
		return false;
	*threads = (unsigned)(number < most ? number : most);
	return true;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse_value.c - what option values mean
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/parse_value.h"

/*
 * Digits at *AT, and *AT moved behind them.  False: there are none.  A number
 * too large for 64 bits becomes the largest.
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

bool
gs_parse_device(const char *value, enum gsort_device *device, int *gpu_index)
{
	uint64_t index = 0;

	if (strcmp(value, "auto") == 0) {
		*device = GSORT_DEVICE_AUTO;
	} else if (strcmp(value, "cpu") == 0) {
		*device = GSORT_DEVICE_CPU;
	} else if (strncmp(value, "gpu", 3) == 0) {
		const char *at = value + 3;

		if (*at == ':' && (++at, !read_whole(&at, &index)))
			return false;
		if (*at != '\0' || index > INT_MAX)
			return false;
		*device = GSORT_DEVICE_GPU;
	} else {
		return false;
	}
	*gpu_index = (int)index;
	return true;
}

void
gs_parse_environment(struct gsort_options *job, bool quiet)
{
	const char *value = getenv("GSORT_DEVICE");

	if (value == NULL || *value == '\0')
		return;
	if (!gs_parse_device(value, &job->device, &job->gpu_index) && !quiet)
		gs_report_error("warning: GSORT_DEVICE is '%s', not auto, cpu, gpu or gpu:N: "
		                "ignored", value);
}

/* The power of 1024 that a suffix stands for; -1: there is no such suffix. */
static int
power_of(const char *suffix)
{
	static const struct {
		const char *letters;	/* sort(1) takes small letters up to here only */
		int         power;
	} units[] = {
		{ "Kk", 1 }, { "Mm", 2 }, { "Gg", 3 }, { "Tt", 4 }, { "P", 5 },
		{ "E", 6 }, { "Z", 7 }, { "Y", 8 }, { "R", 9 }, { "Q", 10 },
	};

	for (size_t u = 0; *suffix != '\0' && u < sizeof units / sizeof units[0]; u++) {
		if (strchr(units[u].letters, *suffix) == NULL)
			continue;
		if (suffix[1] == '\0')
			return units[u].power;
		if (units[u].power <= 4 && *suffix == units[u].letters[0]
		    && strcmp(suffix + 1, "iB") == 0)
			return units[u].power;
	}
	return -1;
}

/* *NUMBER times 1024 to the POWER, if 64 bits hold it. */
static bool
scale(uint64_t *number, int power)
{
	for (; power > 0 && *number != 0; power--) {
		if (*number > UINT64_MAX / 1024)
			return false;
		*number *= 1024;
	}
	return true;
}

const char *
gs_parse_size(const char *value, uint64_t *bytes, uint64_t *percent)
{
	const char *suffix = value;
	uint64_t number;
	int power;

	if (!read_whole(&suffix, &number))
		return "is not a size: a size is a whole number, such as 8G or 50%";
	if (strcmp(suffix, "%") == 0) {
		*percent = number;
		return NULL;
	}
	power = *suffix == '\0' ? 1 : strcmp(suffix, "b") == 0 ? 0 : power_of(suffix);
	if (power < 0)
		return "has an invalid suffix: it is one of b, K, M, G, T, P, E, KiB, MiB, GiB, "
		       "TiB, %";
	if (number == UINT64_MAX || !scale(&number, power))
		return "is too large";
	*bytes = number;
	return NULL;
}

uint64_t
gs_parse_share(uint64_t percent)
{
	const uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	const double bytes = (double)pages * (double)sysconf(_SC_PAGESIZE) / 100 * (double)percent;

	return bytes < 1e19 ? (uint64_t)bytes : UINT64_MAX;
}

bool
gs_parse_whole(const char *value, uint64_t *number)
{
	return read_whole(&value, number) && *value == '\0';
}

bool
gs_parse_bytes(const char *value, uint64_t *bytes)
{
	int power;

	if (!read_whole(&value, bytes))
		return false;
	power = *value == '\0' || strcmp(value, "b") == 0 ? 0 : power_of(value);
	return power >= 0 && *bytes != UINT64_MAX && scale(bytes, power);
}

/*
 * More threads than this, and than there are processors, cannot help; each costs
 * memory for its share of the work.
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

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment, three rows of the table at a time (Damerau, "A
 * technique for computer detection and correction of spelling errors", 1964).
 */
size_t
gs_parse_distance(const char *typed, size_t bytes, const char *name)
{
	enum { LONGEST = 40 };		/* no option is so long: whatever is, is far */
	size_t table[3][LONGEST + 1];
	size_t name_bytes = strlen(name);

	if (bytes > LONGEST || name_bytes > LONGEST)
		return LONGEST;
	for (size_t n = 0; n <= name_bytes; n++)
		table[0][n] = n;
	for (size_t t = 1; t <= bytes; t++) {
		size_t *now = table[t % 3];
		size_t *before = table[(t + 2) % 3], *earlier = table[(t + 1) % 3];

		now[0] = t;
		for (size_t n = 1; n <= name_bytes; n++) {
			size_t other = typed[t - 1] != name[n - 1];

			now[n] = least(before[n - 1] + other, least(before[n], now[n - 1]) + 1);
			if (t > 1 && n > 1 && typed[t - 1] == name[n - 2]
			    && typed[t - 2] == name[n - 1])
				now[n] = least(now[n], earlier[n - 2] + 1);
		}
	}
	return table[bytes % 3][name_bytes];
}

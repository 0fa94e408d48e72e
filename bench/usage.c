// SPDX-License-Identifier: BSD-2-Clause
/* usage.c - what the subcommands of gsort-bench share on their command lines */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/usage.h"

int
bad_usage(const char *what, const char *value)
{
	fprintf(stderr, "gsort-bench: %s '%s'; see --help\n", what, value);
	return 2;
}

size_t
parse_number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10), power;

	if (end == text || *text == '-')
		return 0;
	if (*end == '\0')
		return (size_t)value;
	power = *end == '^' && value == 2 ? strtoull(end + 1, &end, 10) : 64;
	return *end == '\0' && power < 48 ? (size_t)1 << power : 0;
}

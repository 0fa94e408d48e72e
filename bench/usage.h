// SPDX-License-Identifier: BSD-2-Clause
/* usage.h - what the subcommands of gsort-bench share on their command lines */
#ifndef GS_BENCH_USAGE_H
#define GS_BENCH_USAGE_H

#include <stddef.h>

/** Print on standard error that VALUE is wrong, and why; returns the exit status, 2. */
int bad_usage(const char *what, const char *value);

/** The value of "1000" or "2^28"; 0 if TEXT is neither. */
size_t parse_number(const char *text);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* report.h - print and record one result of gsort-bench ladder or sweep */
#ifndef GS_BENCH_REPORT_H
#define GS_BENCH_REPORT_H

#include "bench/ladder/run_variant.h"

/** "2^20", or the digits; in the caller's buffer. */
const char *keys_text(size_t keys, char *text, size_t bytes);

/** PART / WHOLE, or 0 if WHOLE is not known. */
double share(double part, double whole);

/** Print the heading of the rows. */
void report_heading(void);

/**
 * Print one result, and record it (bench/record.h).
 *
 * @subcommand             "ladder" or "sweep"
 * @over_qsort, @over_cub  how many times faster than these; 0: unknown
 */
void report(const char *subcommand, const struct variant *variant, size_t keys,
            const struct run_args *args, const struct run_result *result,
            double over_qsort, double over_cub);

#endif

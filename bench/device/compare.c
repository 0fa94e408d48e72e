// SPDX-License-Identifier: BSD-2-Clause
/*
 * compare.c - time several ways to do the same work, in turn, and print a row for each
 *
 * Candidates take turns, so that changes of clocks and neighbours on the machine hit all of
 * them alike.  Keys are restored by a copy that is not timed.  Rows show medians.
 */
#include "config.h"

#include <stdio.h>

#include "bench/device/compare.h"
#include "bench/device/source.h"
#include "bench/record.h"
#include "bench/stats.h"

void
compare_heading(void)
{
	printf("%-22s %3s %11s %9s %-13s %8s %8s %8s %9s %8s\n", "Gkeys/s", "", "keys", "tile",
	       "shape", "median", "min", "max", "predicted", "of copy");
}

static void
record_row(const struct comparison *what, const struct candidate *one, const struct stats *stats)
{
	const double giga = (double)what->count / 1e9;

	record_text("name", one->name);
	if (one->call != NULL)
		record_text("call", one->call);
	record_text("type", what->type);
	record_number("keys", (double)what->count);
	record_number("tile", (double)what->tile_keys);
	record_text("shape", what->shape);
	record_number("runs", what->runs);
	record_number("gkeys_median", giga / stats->median);
	record_number("gkeys_min", giga / stats->most);
	record_number("gkeys_max", giga / stats->least);
	record_number("gkeys_predicted", one->predicted_seconds > 0 ? giga / one->predicted_seconds : 0);
	record_number("copy_gbytes", harness.copy_bandwidth / 1e9);
	record_end();
}

static void
print_row(const struct comparison *what, struct candidate *one)
{
	const struct stats stats = stats_of(one->seconds, what->runs);
	const double giga = (double)what->count / 1e9;

	printf("%-22s %s %11zu %9zu %-13s %8.2f %8.2f %8.2f", one->name, what->type, what->count,
	       what->tile_keys, what->shape, giga / stats.median, giga / stats.most,
	       giga / stats.least);
	if (one->predicted_seconds > 0)
		printf(" %9.2f", giga / one->predicted_seconds);
	else
		printf("         -");
	/* as part of the speed of a copy of the keys */
	printf(" %7.1f%%%s%s\n", 100 * giga * 1e9 / stats.median * 2 * (what->bits / 8) /
	       harness.copy_bandwidth, one->call != NULL ? "  " : "", one->call != NULL ? one->call : "");
	record_row(what, one, &stats);
}

void
compare(const struct comparison *what, struct candidate *all, unsigned many)
{
	for (unsigned run = 0; run <= what->runs; run++)
		for (unsigned c = 0; c < many; c++) {
			const bool check = run == what->runs || (run == 0 && !what->check_last_only);
			char *result;
			double seconds = harness_time(all[c].name, all[c].run, what->bits, what->count,
			                              what->tile_keys, &result);

			if (run > 0)		/* the first one warms up */
				all[c].seconds[run - 1] = seconds;
			if (check && what->run_keys > 0 && (all[c].run != run_radix || radix_ascends()))
				source_check(all[c].name, result, what->bits, what->count,
				             what->run_keys, what->digest);
		}
	for (unsigned c = 0; c < many; c++)
		print_row(what, &all[c]);
}

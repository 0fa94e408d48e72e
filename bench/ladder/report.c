// SPDX-License-Identifier: BSD-2-Clause
/* report.c - print and record one result of gsort-bench ladder or sweep */
#include "config.h"

#include <omp.h>
#include <stdio.h>

#include "bench/ladder/report.h"
#include "bench/record.h"

const char *
keys_text(size_t keys, char *text, size_t bytes)
{
	if (keys != 0 && (keys & (keys - 1)) == 0)
		snprintf(text, bytes, "2^%u", variant_bits(keys));
	else
		snprintf(text, bytes, "%zu", keys);
	return text;
}

double
share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* All of a row, in the order of struct run_result. */
static void
record_result(const char *what, const struct variant *variant, size_t keys, const struct run_args *args,
             const struct run_result *r, double over_qsort, double over_cub)
{
	static const char *const names[VARIANT_KINDS][4] = {
		{ "kind0", "kind0_ms", "kind0_launches", "kind0_occupancy" },
		{ "kind1", "kind1_ms", "kind1_launches", "kind1_occupancy" },
		{ "kind2", "kind2_ms", "kind2_launches", "kind2_occupancy" },
		{ "kind3", "kind3_ms", "kind3_launches", "kind3_occupancy" },
	};

	record_text("what", what);
	record_text("variant", variant->name);
	record_text("report", variant->report);
	record_text("place", variant->place == VARIANT_CPU ? "cpu" : "gpu");
	record_number("keys", (double)keys);
	record_text("order", args->descending ? "descending" : "ascending");
	record_number("threads", args->threads);
	record_number("blocks", args->blocks);
	record_number("runs", r->total.runs);
	record_number("total_ms", 1e3 * r->total.mean);
	record_number("margin_ms", 1e3 * r->total.margin);
	record_number("median_ms", 1e3 * r->total.median);
	record_number("kernels_ms", 1e3 * r->kernels.mean);
	record_number("kernels_margin_ms", 1e3 * r->kernels.margin);
	record_number("sent_ms", 1e3 * r->sent.mean);
	record_number("received_ms", 1e3 * r->received.mean);
	record_number("launches_predicted", r->predicted.launches);
	record_number("launches", r->counted.launches);
	record_number("bytes_predicted", r->predicted.bytes);
	record_number("bytes", r->counted.bytes);
	record_number("copy_share",
	              share(r->counted.bytes / r->kernels.mean, runner_copy_bandwidth()));
	record_number("mkeys", 1e-6 * (double)keys / r->total.mean);
	record_number("mkeys_kernels", 1e-6 * (double)keys / r->kernels.mean);
	record_number("mbytes", 4e-6 * (double)keys / r->total.mean);
	record_number("over_qsort", over_qsort);
	record_number("over_cub", over_cub);
	for (int k = 0; k < VARIANT_KINDS; k++) {
		record_text(names[k][0], variant->kinds[k]);
		record_number(names[k][1], 1e3 * r->kinds[k].seconds);
		record_number(names[k][2], r->kinds[k].launches);
		record_number(names[k][3], r->kinds[k].occupancy);
	}
	record_text("device", runner_device());
	record_number("copy_gbytes", 1e-9 * runner_copy_bandwidth());
	record_number("cores", omp_get_num_procs());
	record_end();
}

/*
 * Where the time of a GPU variant went: the bus, and each kind of kernel.  Kinds have
 * the time of the timed runs, in the proportions of the one with an event a launch.
 */
static void
print_shares(const struct variant *variant, const struct run_result *r)
{
	const double all = r->sent.mean + r->received.mean + r->kernels.mean;
	double watched = 0;

	for (int k = 0; k < VARIANT_KINDS; k++)
		watched += r->kinds[k].seconds;
	printf("  H2D %.1f%% D2H %.1f%%", 100 * share(r->sent.mean, all),
	       100 * share(r->received.mean, all));
	for (int k = 0; k < VARIANT_KINDS; k++)
		if (r->kinds[k].launches > 0)
			printf(" %s %.1f%% (%g x, occupancy %.0f%%)", variant->kinds[k],
			       100 * share(r->kinds[k].seconds, watched) *
			       share(r->kernels.mean, all), r->kinds[k].launches,
			       100 * r->kinds[k].occupancy);
}

/* So many times as fast, if that is known. */
static void
print_times(double times, int digits)
{
	if (times > 0)
		printf(" %7.*f", digits, times);
	else
		printf(" %7s", "-");
}

void
report(const char *what, const struct variant *variant, size_t keys, const struct run_args *args,
          const struct run_result *r, double over_qsort, double over_cub)
{
	char text[24];

	printf("%-18s %9s %3u %10.3f %8.3f %10.3f %10.3f %8.1f %8.0f", variant->name,
	       keys_text(keys, text, sizeof text), r->total.runs, 1e3 * r->total.mean,
	       1e3 * r->total.margin, 1e3 * r->total.median, 1e3 * r->kernels.mean,
	       1e-6 * (double)keys / r->total.mean, 4e-6 * (double)keys / r->total.mean);
	print_times(over_qsort, 1);
	print_times(over_cub, 3);
	if (variant->predict != NULL)
		printf(" %5.0f %5.0f %9.3f %9.3f", r->predicted.launches, r->counted.launches,
		       1e-9 * r->predicted.bytes, 1e-9 * r->counted.bytes);
	else
		printf(" %5s %5s %9s %9s", "-", "-", "-", "-");
	if (variant->place == VARIANT_GPU && variant->predict != NULL)
		printf(" %5.1f%%", 100 * share(r->counted.bytes / r->kernels.mean,
		                               runner_copy_bandwidth()));
	if (variant->place == VARIANT_GPU && variant->kinds[0] != NULL)
		print_shares(variant, r);
	if (!r->right)
		printf("  WRONG");
	printf("\n");
	fflush(stdout);
	record_result(what, variant, keys, args, r, over_qsort, over_cub);
}

void
report_heading(void)
{
	if (runner_has_gpu())
		printf("%s: a copy reads and writes %.0f GB/s\n", runner_device(),
		       1e-9 * runner_copy_bandwidth());
	else
		printf("no GPU here: variants that need one are skipped\n");
	printf("%-18s %9s %3s %10s %8s %10s %10s %8s %8s %7s %7s %11s %19s %6s\n", "variant", "keys",
	       "n", "mean ms", "+-95%", "median ms", "kernels ms", "Mkeys/s", "MB/s", "x qsort",
	       "x cub", "launches p/m", "GB predicted/made", "copy");
}

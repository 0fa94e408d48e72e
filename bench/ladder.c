// SPDX-License-Identifier: BSD-2-Clause
/*
 * ladder.c - gsort-bench ladder: every rung at every size, beside its prediction
 *
 * All rungs of one size run before the next size begins, references first, so
 * that a rung and what it is compared with are minutes apart, not hours.  A rung
 * that took long is not asked for twice as many keys if that would try the
 * patience; the output says so.
 */
#include "config.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "bench/ladder.h"
#include "bench/record.h"
#include "bench/references.h"

static const char usage[] =
	"Usage: gsort-bench ladder [OPTION]...\n"
	"Run the systems of five reports on bitonic sort (kernels/paper), and references.\n"
	"\n"
	"  --from=N --to=N   sizes 2^N keys, one after the other [16, 29]\n"
	"  --keys=LIST       these sizes instead, as 1000000,2^24\n"
	"  --rungs=LIST      names, or the groups reports, references, cpu, gpu, all [all]\n"
	"  --runs=N          timed runs of each rung and size [30]\n"
	"  --seconds=S       but, after three, no more once they have taken S [2]\n"
	"  --patience=S      one run if it takes longer than S; a size that would is skipped [10]\n"
	"  --threads=N       of CPU rungs [all cores]\n"
	"  --blocks=N        of the grid, for rungs whose grid is free (more: gsort-bench sweep)\n"
	"  --descending      largest first; rungs that cannot say so\n"
	"  --check-only      one checked run of each, and of awkward sizes; exit 1 if wrong\n"
	"  --json=FILE  --csv=FILE   write the figures, a row a line\n"
	"  --list            the rungs, and what each is about\n";

/* ---- one row ------------------------------------------------------------- */

const char *
keys_text(size_t keys, char *text, size_t bytes)
{
	if (keys != 0 && (keys & (keys - 1)) == 0)
		snprintf(text, bytes, "2^%u", rung_bits(keys));
	else
		snprintf(text, bytes, "%zu", keys);
	return text;
}

static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* All of a row, in the order of struct climb. */
static void
record_climb(const char *what, const struct rung *rung, size_t keys, const struct climb_ask *ask,
             const struct climb *r, double over_qsort, double over_cub)
{
	static const char *const names[RUNG_KINDS][4] = {
		{ "kind0", "kind0_ms", "kind0_launches", "kind0_occupancy" },
		{ "kind1", "kind1_ms", "kind1_launches", "kind1_occupancy" },
		{ "kind2", "kind2_ms", "kind2_launches", "kind2_occupancy" },
		{ "kind3", "kind3_ms", "kind3_launches", "kind3_occupancy" },
	};

	record_text("what", what);
	record_text("rung", rung->name);
	record_text("report", rung->report);
	record_text("place", rung->place == RUNG_CPU ? "cpu" : "gpu");
	record_number("keys", (double)keys);
	record_text("order", ask->descending ? "descending" : "ascending");
	record_number("threads", ask->threads);
	record_number("blocks", ask->blocks);
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
	              share(r->counted.bytes / r->kernels.mean, climb_copy_bandwidth()));
	record_number("mkeys", 1e-6 * (double)keys / r->total.mean);
	record_number("mkeys_kernels", 1e-6 * (double)keys / r->kernels.mean);
	record_number("mbytes", 4e-6 * (double)keys / r->total.mean);
	record_number("over_qsort", over_qsort);
	record_number("over_cub", over_cub);
	for (int k = 0; k < RUNG_KINDS; k++) {
		record_text(names[k][0], rung->kinds[k]);
		record_number(names[k][1], 1e3 * r->kinds[k].seconds);
		record_number(names[k][2], r->kinds[k].launches);
		record_number(names[k][3], r->kinds[k].occupancy);
	}
	record_text("device", climb_device());
	record_number("copy_gbytes", 1e-9 * climb_copy_bandwidth());
	record_number("cores", omp_get_num_procs());
	record_end();
}

/*
 * Where the time of a GPU rung went: the bus, and each kind of kernel.  Kinds have
 * the time of the timed runs, in the proportions of the one with an event a launch.
 */
static void
print_shares(const struct rung *rung, const struct climb *r)
{
	const double all = r->sent.mean + r->received.mean + r->kernels.mean;
	double watched = 0;

	for (int k = 0; k < RUNG_KINDS; k++)
		watched += r->kinds[k].seconds;
	printf("  H2D %.1f%% D2H %.1f%%", 100 * share(r->sent.mean, all),
	       100 * share(r->received.mean, all));
	for (int k = 0; k < RUNG_KINDS; k++)
		if (r->kinds[k].launches > 0)
			printf(" %s %.1f%% (%g x, occupancy %.0f%%)", rung->kinds[k],
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
put_climb(const char *what, const struct rung *rung, size_t keys, const struct climb_ask *ask,
          const struct climb *r, double over_qsort, double over_cub)
{
	char text[24];

	printf("%-18s %9s %3u %10.3f %8.3f %10.3f %10.3f %8.1f %8.0f", rung->name,
	       keys_text(keys, text, sizeof text), r->total.runs, 1e3 * r->total.mean,
	       1e3 * r->total.margin, 1e3 * r->total.median, 1e3 * r->kernels.mean,
	       1e-6 * (double)keys / r->total.mean, 4e-6 * (double)keys / r->total.mean);
	print_times(over_qsort, 1);
	print_times(over_cub, 3);
	if (rung->predict != NULL)
		printf(" %5.0f %5.0f %9.3f %9.3f", r->predicted.launches, r->counted.launches,
		       1e-9 * r->predicted.bytes, 1e-9 * r->counted.bytes);
	else
		printf(" %5s %5s %9s %9s", "-", "-", "-", "-");
	if (rung->place == RUNG_GPU && rung->predict != NULL)
		printf(" %5.1f%%", 100 * share(r->counted.bytes / r->kernels.mean,
		                               climb_copy_bandwidth()));
	if (rung->place == RUNG_GPU && rung->kinds[0] != NULL)
		print_shares(rung, r);
	if (!r->right)
		printf("  WRONG");
	printf("\n");
	fflush(stdout);
	record_climb(what, rung, keys, ask, r, over_qsort, over_cub);
}

static void
print_head(void)
{
	if (climb_has_gpu())
		printf("%s: a copy reads and writes %.0f GB/s\n", climb_device(),
		       1e-9 * climb_copy_bandwidth());
	else
		printf("no GPU here: rungs that need one are skipped\n");
	printf("%-18s %9s %3s %10s %8s %10s %10s %8s %8s %7s %7s %11s %19s %6s\n", "rung", "keys",
	       "n", "mean ms", "+-95%", "median ms", "kernels ms", "Mkeys/s", "MB/s", "x qsort",
	       "x cub", "launches p/m", "GB predicted/made", "copy");
}

/* ---- the climb ----------------------------------------------------------- */

/* What is known of a rung from the sizes before. */
struct past {
	double seconds;		/* of one run at the last size */
	size_t keys;
};

/* Skip RUNG at this size?  Says why. */
static bool
skips(const struct rung *rung, size_t keys, const struct ask *ask, const struct past *past)
{
	const double guess = past->keys > 0 ?
		past->seconds * (double)keys / (double)past->keys : 0;
	char why[128], text[24];

	keys_text(keys, text, sizeof text);
	if (rung->place == RUNG_GPU && !climb_has_gpu())
		return true;
	if (rung_refuses(rung, keys, ask->climb.descending, why, sizeof why)) {
		printf("%-18s %9s skipped: %s\n", rung->name, text, why);
		return true;
	}
	if (guess > ask->climb.patience)
		printf("%-18s %9s skipped: it would take some %.0f s\n", rung->name, text, guess);
	return guess > ask->climb.patience;
}

static struct climb_ask
climb_ask_of(const struct ask *ask, const struct rung *rung)
{
	struct climb_ask one = ask->climb;

	if (rung->place == RUNG_CPU)
		one.threads = !rung->shapes ? 1 : ask->thread_counts > 0 ? ask->threads[0] :
		              (unsigned)omp_get_num_procs();
	else if (rung->shapes && ask->block_counts > 0)
		one.blocks = ask->blocks[0];
	return one;
}

/* All rungs at one size; how many were wrong. */
static unsigned
climb_size(const struct ask *ask, size_t keys, struct past *past)
{
	double qsort_seconds = 0, cub_seconds = 0;
	unsigned wrong = 0;
	char text[24];

	climb_load(keys);
	for (unsigned r = 0; ask->rungs[r] != NULL; r++) {
		const struct rung *rung = ask->rungs[r];
		const struct climb_ask one = climb_ask_of(ask, rung);
		struct climb result;
		int error;

		if (skips(rung, keys, ask, &past[r]))
			continue;
		error = climb(rung, &one, &result);
		if (error != 0) {
			printf("%-18s %9s skipped: %s\n", rung->name,
			       keys_text(keys, text, sizeof text), climb_why(rung, error));
			continue;
		}
		past[r] = (struct past){ result.total.mean, keys };
		if (strcmp(rung->name, "qsort") == 0)
			qsort_seconds = result.total.mean;
		if (strcmp(rung->name, "cub_radix") == 0)
			cub_seconds = result.total.mean;
		put_climb("ladder", rung, keys, &one, &result,
		          share(qsort_seconds, result.total.mean),
		          share(cub_seconds, result.total.mean));
		wrong += !result.right;
	}
	return wrong;
}

/* Every rung that does not reach up to the least size asked for, at the most it can. */
static unsigned
climb_small(const struct ask *ask)
{
	unsigned wrong = 0;

	for (unsigned r = 0; ask->rungs[r] != NULL; r++) {
		struct ask alone = *ask;
		struct past past = { 0, 0 };
		const size_t most = ask->rungs[r]->most_keys;
		bool reaches = false;

		for (unsigned s = 0; s < ask->sizes; s++)
			reaches = reaches || ask->keys[s] <= most;
		alone.rungs[0] = ask->rungs[r];
		alone.rungs[1] = NULL;
		if (!reaches)
			wrong += climb_size(&alone, most, &past);
	}
	return wrong;
}

/* ---- only checking ------------------------------------------------------- */

/* Around powers of two, and both orders: one run each; how many were wrong. */
static unsigned
check_size(const struct ask *ask, size_t keys, unsigned *checked)
{
	unsigned wrong = 0;
	char why[128], text[24];

	climb_load(keys);
	for (unsigned r = 0; ask->rungs[r] != NULL; r++)
		for (int down = 0; down <= 1; down++) {
			const struct rung *rung = ask->rungs[r];
			struct climb_ask one = climb_ask_of(ask, rung);
			struct climb result;
			int error;

			one.descending = down;
			one.runs = 1;
			if ((rung->place == RUNG_GPU && !climb_has_gpu()) ||
			    rung_refuses(rung, keys, down, why, sizeof why))
				continue;
			error = climb(rung, &one, &result);
			++*checked;
			if (error == 0 && result.right && (rung->predict == NULL ||
			    (result.predicted.launches == result.counted.launches &&
			     result.predicted.bytes == result.counted.bytes)))
				continue;
			printf("WRONG: %s, %s keys, %s%s%s\n", rung->name,
			       keys_text(keys, text, sizeof text),
			       down ? "descending" : "ascending",
			       error != 0 ? ": " : "", error != 0 ? climb_why(rung, error) : "");
			wrong++;
		}
	return wrong;
}

static int
check_only(const struct ask *ask)
{
	unsigned wrong = 0, checked = 0;

	for (unsigned s = 0; s < ask->sizes; s++) {
		const size_t keys = ask->keys[s];

		wrong += check_size(ask, keys, &checked);
		if (keys > 3) {
			wrong += check_size(ask, keys - 1, &checked);
			wrong += check_size(ask, keys - keys / 3, &checked);
		}
	}
	if (checked == 0)
		printf("nothing was checked: no GPU, or no rung can do these sizes\n");
	else
		printf("%u sorts, %u wrong\n", checked, wrong);
	return wrong > 0 || checked == 0;
}

int
bench_ladder(int argc, char **argv)
{
	struct ask ask = { .climb = { .runs = 30, .seconds = 2, .patience = 10 } };
	struct past past[MOST_RUNGS] = { { 0, 0 } };
	unsigned wrong = 0;
	int status;

	status = ask_parse(&ask, argc, argv, "all", usage);
	if (status >= 0)
		return status;
	ask_open(&ask);
	if (ask.check_only) {
		status = check_only(&ask);
		climb_close();
		return status;
	}
	record_open(ask.json, ask.csv);
	print_head();
	wrong += climb_small(&ask);
	for (unsigned s = 0; s < ask.sizes; s++)
		wrong += climb_size(&ask, ask.keys[s], past);
	record_close();
	climb_close();
	return wrong > 0;
}

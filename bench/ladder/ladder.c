// SPDX-License-Identifier: BSD-2-Clause
/*
 * ladder.c - gsort-bench ladder: every variant at every size, beside its prediction
 *
 * All variants of one size run before the next size begins, references first, so that a variant
 * and what it is compared with are minutes apart, not hours.  A size is skipped if the variant
 * would need more than --patience for it, by the time of the last size; the output says so.
 */
#include "config.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "bench/ladder/args.h"
#include "bench/ladder/ladder.h"
#include "bench/ladder/report.h"
#include "bench/record.h"

static const char usage[] =
	"Usage: gsort-bench ladder [OPTION]...\n"
	"Run the systems of five reports on bitonic sort (kernels/paper), and references.\n"
	"\n"
	"  --from=N --to=N   sizes 2^N keys, one after the other [16, 29]\n"
	"  --keys=LIST       these sizes instead, as 1000000,2^24\n"
	"  --variants=LIST      names, or the groups reports, references, cpu, gpu, all [all]\n"
	"  --runs=N          timed runs of each variant and size [30]\n"
	"  --seconds=S       but, after three, no more once they have taken S [2]\n"
	"  --patience=S      one run if it takes longer than S; a size that would is skipped [10]\n"
	"  --threads=N       of CPU variants [all cores]\n"
	"  --blocks=N        of the grid, for variants whose grid is free (more: gsort-bench sweep)\n"
	"  --descending      largest first; variants that cannot say so\n"
	"  --check-only      one checked run of each, and of awkward sizes; exit 1 if wrong\n"
	"  --json=FILE  --csv=FILE   write the figures, a row a line\n"
	"  --list            the variants, and what each is about\n";

/* ---- all sizes ----------------------------------------------------------- */

/* What earlier sizes tell about a variant. */
struct past {
	double seconds;		/* of one run at the last size */
	size_t keys;
};

/* Skip VARIANT at this size?  Says why. */
static bool
skips(const struct variant *variant, size_t keys, const struct bench_args *args, const struct past *past)
{
	const double guess = past->keys > 0 ?
		past->seconds * (double)keys / (double)past->keys : 0;
	char why[128], text[24];

	keys_text(keys, text, sizeof text);
	if (variant->place == VARIANT_GPU && !runner_has_gpu())
		return true;
	if (variant_refuses(variant, keys, args->run.descending, why, sizeof why)) {
		printf("%-18s %9s skipped: %s\n", variant->name, text, why);
		return true;
	}
	if (guess > args->run.patience)
		printf("%-18s %9s skipped: it would take some %.0f s\n", variant->name, text, guess);
	return guess > args->run.patience;
}

static struct run_args
run_args_of(const struct bench_args *args, const struct variant *variant)
{
	struct run_args one = args->run;

	if (variant->place == VARIANT_CPU)
		one.threads = !variant->shapes ? 1 : args->thread_counts > 0 ? args->threads[0] :
		              (unsigned)omp_get_num_procs();
	else if (variant->shapes && args->block_counts > 0)
		one.blocks = args->blocks[0];
	return one;
}

/* All variants at one size; how many were wrong. */
static unsigned
run_size(const struct bench_args *args, size_t keys, struct past *past)
{
	double qsort_seconds = 0, cub_seconds = 0;
	unsigned wrong = 0;
	char text[24];

	runner_load(keys);
	for (unsigned r = 0; args->variants[r] != NULL; r++) {
		const struct variant *variant = args->variants[r];
		const struct run_args one = run_args_of(args, variant);
		struct run_result result;
		int error;

		if (skips(variant, keys, args, &past[r]))
			continue;
		error = run_variant(variant, &one, &result);
		if (error != 0) {
			printf("%-18s %9s skipped: %s\n", variant->name,
			       keys_text(keys, text, sizeof text), run_error(variant, error));
			continue;
		}
		past[r] = (struct past){ result.total.mean, keys };
		if (strcmp(variant->name, "qsort") == 0)
			qsort_seconds = result.total.mean;
		if (strcmp(variant->name, "cub_radix") == 0)
			cub_seconds = result.total.mean;
		report("ladder", variant, keys, &one, &result,
		          share(qsort_seconds, result.total.mean),
		          share(cub_seconds, result.total.mean));
		wrong += !result.right;
	}
	return wrong;
}

/* Run variants that cannot reach the least size asked for at their largest size. */
static unsigned
run_small(const struct bench_args *args)
{
	unsigned wrong = 0;

	for (unsigned r = 0; args->variants[r] != NULL; r++) {
		struct bench_args alone = *args;
		struct past past = { 0, 0 };
		const size_t most = args->variants[r]->most_keys;
		bool reaches = false;

		for (unsigned s = 0; s < args->sizes; s++)
			reaches = reaches || args->keys[s] <= most;
		alone.variants[0] = args->variants[r];
		alone.variants[1] = NULL;
		if (!reaches)
			wrong += run_size(&alone, most, &past);
	}
	return wrong;
}

/* ---- only checking ------------------------------------------------------- */

/* Around powers of two, and both orders: one run each; how many were wrong. */
static unsigned
check_size(const struct bench_args *args, size_t keys, unsigned *checked)
{
	unsigned wrong = 0;
	char why[128], text[24];

	runner_load(keys);
	for (unsigned r = 0; args->variants[r] != NULL; r++)
		for (int down = 0; down <= 1; down++) {
			const struct variant *variant = args->variants[r];
			struct run_args one = run_args_of(args, variant);
			struct run_result result;
			int error;

			one.descending = down;
			one.runs = 1;
			if ((variant->place == VARIANT_GPU && !runner_has_gpu()) ||
			    variant_refuses(variant, keys, down, why, sizeof why))
				continue;
			error = run_variant(variant, &one, &result);
			++*checked;
			if (error == 0 && result.right && (variant->predict == NULL ||
			    (result.predicted.launches == result.counted.launches &&
			     result.predicted.bytes == result.counted.bytes)))
				continue;
			printf("WRONG: %s, %s keys, %s%s%s\n", variant->name,
			       keys_text(keys, text, sizeof text),
			       down ? "descending" : "ascending",
			       error != 0 ? ": " : "", error != 0 ? run_error(variant, error) : "");
			wrong++;
		}
	return wrong;
}

static int
check_only(const struct bench_args *args)
{
	unsigned wrong = 0, checked = 0;

	for (unsigned s = 0; s < args->sizes; s++) {
		const size_t keys = args->keys[s];

		wrong += check_size(args, keys, &checked);
		if (keys > 3) {
			wrong += check_size(args, keys - 1, &checked);
			wrong += check_size(args, keys - keys / 3, &checked);
		}
	}
	if (checked == 0)
		printf("nothing was checked: no GPU, or no variant can do these sizes\n");
	else
		printf("%u sorts, %u wrong\n", checked, wrong);
	return wrong > 0 || checked == 0;
}

int
bench_ladder(int argc, char **argv)
{
	struct bench_args args = { .run = { .runs = 30, .seconds = 2, .patience = 10 } };
	struct past past[MOST_VARIANTS] = { { 0, 0 } };
	unsigned wrong = 0;
	int status;

	status = bench_args_parse(&args, argc, argv, "all", usage);
	if (status >= 0)
		return status;
	bench_args_open(&args);
	if (args.check_only) {
		status = check_only(&args);
		runner_close();
		return status;
	}
	record_open(args.json, args.csv);
	report_heading();
	wrong += run_small(&args);
	for (unsigned s = 0; s < args.sizes; s++)
		wrong += run_size(&args, args.keys[s], past);
	record_close();
	runner_close();
	return wrong > 0;
}

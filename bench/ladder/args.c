// SPDX-License-Identifier: BSD-2-Clause
/* args.c - the options of gsort-bench ladder and sweep */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ladder/args.h"
#include "bench/ladder/references.h"
#include "bench/usage.h"

/* Read numbers between commas to LIST; returns how many, or 0 if one is not a number. */
static unsigned
numbers(const char *text, size_t *list)
{
	char *copy = strdup(text), *rest = copy, *word;
	unsigned count = 0;

	while (copy != NULL && (word = strsep(&rest, ",")) != NULL)
		if (count == MOST_SIZES || (list[count++] = parse_number(word)) == 0) {
			count = 0;
			break;
		}
	free(copy);
	return count;
}

static unsigned
unsigneds(const char *text, unsigned *list)
{
	size_t wide[MOST_SIZES];
	const unsigned count = numbers(text, wide);

	for (unsigned i = 0; i < count; i++)
		list[i] = (unsigned)wide[i];
	return count;
}

static unsigned
reference_count(void)
{
	unsigned count = 0;

	while (references[count] != NULL)
		count++;
	return count;
}

/* References come first, because others are compared with them; NULL after the last variant. */
static const struct variant *
variant_at(unsigned at)
{
	const unsigned first = reference_count();

	return at < first ? references[at] : ladder[at - first];
}

static bool
names(const char *word, const struct variant *variant, bool reference)
{
	return strcmp(word, "all") == 0 || strcmp(word, variant->name) == 0 ||
	       strcmp(word, reference ? "references" : "reports") == 0 ||
	       strcmp(word, variant->place == VARIANT_CPU ? "cpu" : "gpu") == 0;
}

/* Add the variants that WORD names; returns how many. */
static unsigned
add_variants(struct bench_args *args, const char *word)
{
	unsigned count = 0, added = 0;

	while (args->variants[count] != NULL)
		count++;
	for (unsigned r = 0; variant_at(r) != NULL; r++)
		if (names(word, variant_at(r), r < reference_count()) && count < MOST_VARIANTS) {
			args->variants[count++] = variant_at(r);
			added++;
		}
	args->variants[count] = NULL;
	return added;
}

static int
choose_variants(struct bench_args *args, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	int status = -1;

	args->variants[0] = NULL;
	while (status < 0 && copy != NULL && (word = strsep(&rest, ",")) != NULL)
		if (add_variants(args, word) == 0)
			status = bad_usage("there is no variant or group", word);
	free(copy);
	return status;
}

static int
list_variants(void)
{
	for (unsigned r = 0; variant_at(r) != NULL; r++)
		printf("%-18s  %s  %-15s  %s\n", variant_at(r)->name,
		       variant_at(r)->place == VARIANT_CPU ? "cpu" : "gpu", variant_at(r)->report,
		       variant_at(r)->idea);
	return 0;
}

/* Sizes 2^FROM .. 2^TO. */
static int
from_to(struct bench_args *args, unsigned long from, unsigned long to)
{
	if (from < 1 || to > 32 || from > to)
		return bad_usage("--from and --to are powers, 1 <= from <= to <= 32, not", "these");
	args->sizes = 0;
	for (unsigned long log = from; log <= to; log++)
		args->keys[args->sizes++] = (size_t)1 << log;
	return -1;
}

/* -1 if GOOD; otherwise print that OPTION does not take TEXT, and return the exit status. */
static int
good_or(bool good, const char *option, const char *text)
{
	return good ? -1 : bad_usage(option, text);
}

/* One option; -1 to go on. */
static int
take(struct bench_args *args, int option, const char *text, const char *usage)
{
	switch (option) {
	case 'k':
		args->sizes = numbers(text, args->keys);
		return good_or(args->sizes > 0, "--keys takes numbers like 1000,2^20, not", text);
	case 'g':
		return choose_variants(args, text);
	case 'r':
		args->run.runs = (unsigned)parse_number(text);
		return good_or(args->run.runs > 0 && args->run.runs <= MOST_RUNS,
		               "--runs takes a number from 1 to 999, not", text);
	case 's':
		args->run.seconds = strtod(text, NULL);
		return good_or(args->run.seconds > 0, "--seconds takes a time, not", text);
	case 'p':
		args->run.patience = strtod(text, NULL);
		return good_or(args->run.patience > 0, "--patience takes a time, not", text);
	case 'T':
		args->thread_counts = unsigneds(text, args->threads);
		return good_or(args->thread_counts > 0, "--threads takes numbers, not", text);
	case 'B':
		args->block_counts = unsigneds(text, args->blocks);
		return good_or(args->block_counts > 0, "--blocks takes numbers, not", text);
	case 'd': args->run.descending = true; return -1;
	case 'c': args->check_only = true; return -1;
	case 'j': args->json = text; return -1;
	case 'v': args->csv = text; return -1;
	case 'l': return list_variants();
	case 'h': fputs(usage, stdout); return 0;
	default:  return 2;
	}
}

int
bench_args_parse(struct bench_args *args, int argc, char **argv, const char *variants, const char *usage)
{
	static const struct option options[] = {
		{ "keys", required_argument, NULL, 'k' }, { "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' }, { "variants", required_argument, NULL, 'g' },
		{ "runs", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "patience", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 'T' },
		{ "blocks", required_argument, NULL, 'B' },
		{ "descending", no_argument, NULL, 'd' },
		{ "check-only", no_argument, NULL, 'c' }, { "json", required_argument, NULL, 'j' },
		{ "csv", required_argument, NULL, 'v' }, { "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	unsigned long from = 16, to = 29;
	bool range = args->sizes == 0;
	int option, status = variants[0] != '\0' ? choose_variants(args, variants) : -1;

	while (status < 0 && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (option == 'f' || option == 't') {
			*(option == 'f' ? &from : &to) = strtoul(optarg, NULL, 10);
			range = true;
		} else {
			status = take(args, option, optarg, usage);
			range = range && option != 'k';
		}
	if (status < 0 && optind < argc)
		status = bad_usage("this takes options only, not", argv[optind]);
	return status < 0 && range ? from_to(args, from, to) : status;
}

void
bench_args_open(const struct bench_args *args)
{
	bool gpu = false, pinned = false;
	size_t most = 0;

	for (unsigned r = 0; args->variants[r] != NULL; r++) {
		gpu = gpu || args->variants[r]->place == VARIANT_GPU;
		pinned = pinned || (args->variants[r]->place == VARIANT_GPU && args->variants[r]->pinned);
	}
	for (unsigned s = 0; s < args->sizes; s++)
		most = args->keys[s] > most ? args->keys[s] : most;
	runner_open(most, gpu, pinned);
}

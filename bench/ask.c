// SPDX-License-Identifier: BSD-2-Clause
/* ask.c - the options of gsort-bench ladder and sweep */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/ladder.h"
#include "bench/references.h"

/* Numbers between commas to LIST; how many, 0 if one is none. */
static unsigned
numbers(const char *text, size_t *list)
{
	char *copy = strdup(text), *rest = copy, *word;
	unsigned count = 0;

	while (copy != NULL && (word = strsep(&rest, ",")) != NULL)
		if (count == MOST_SIZES || (list[count++] = number(word)) == 0) {
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

/* References first, for others are compared with them; NULL after the last rung. */
static const struct rung *
rung_at(unsigned at)
{
	const unsigned first = reference_count();

	return at < first ? references[at] : ladder[at - first];
}

static bool
names(const char *word, const struct rung *rung, bool reference)
{
	return strcmp(word, "all") == 0 || strcmp(word, rung->name) == 0 ||
	       strcmp(word, reference ? "references" : "reports") == 0 ||
	       strcmp(word, rung->place == RUNG_CPU ? "cpu" : "gpu") == 0;
}

/* Add what WORD names; how many were added. */
static unsigned
add_rungs(struct ask *ask, const char *word)
{
	unsigned count = 0, added = 0;

	while (ask->rungs[count] != NULL)
		count++;
	for (unsigned r = 0; rung_at(r) != NULL; r++)
		if (names(word, rung_at(r), r < reference_count()) && count < MOST_RUNGS) {
			ask->rungs[count++] = rung_at(r);
			added++;
		}
	ask->rungs[count] = NULL;
	return added;
}

static int
choose_rungs(struct ask *ask, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	int status = -1;

	ask->rungs[0] = NULL;
	while (status < 0 && copy != NULL && (word = strsep(&rest, ",")) != NULL)
		if (add_rungs(ask, word) == 0)
			status = bad_usage("there is no rung or group", word);
	free(copy);
	return status;
}

static int
list_rungs(void)
{
	for (unsigned r = 0; rung_at(r) != NULL; r++)
		printf("%-18s  %s  %-15s  %s\n", rung_at(r)->name,
		       rung_at(r)->place == RUNG_CPU ? "cpu" : "gpu", rung_at(r)->report,
		       rung_at(r)->idea);
	return 0;
}

/* Sizes 2^FROM .. 2^TO. */
static int
from_to(struct ask *ask, unsigned long from, unsigned long to)
{
	if (from < 1 || to > 32 || from > to)
		return bad_usage("--from and --to are powers, 1 <= from <= to <= 32, not", "these");
	ask->sizes = 0;
	for (unsigned long log = from; log <= to; log++)
		ask->keys[ask->sizes++] = (size_t)1 << log;
	return -1;
}

/* -1 if GOOD, or the exit status after saying that OPTION does not take TEXT. */
static int
good_or(bool good, const char *option, const char *text)
{
	return good ? -1 : bad_usage(option, text);
}

/* One option; -1 to go on. */
static int
take(struct ask *ask, int option, const char *text, const char *usage)
{
	switch (option) {
	case 'k':
		ask->sizes = numbers(text, ask->keys);
		return good_or(ask->sizes > 0, "--keys takes numbers like 1000,2^20, not", text);
	case 'g':
		return choose_rungs(ask, text);
	case 'r':
		ask->climb.runs = (unsigned)number(text);
		return good_or(ask->climb.runs > 0 && ask->climb.runs <= CLIMB_MOST_RUNS,
		               "--runs takes a number from 1 to 999, not", text);
	case 's':
		ask->climb.seconds = strtod(text, NULL);
		return good_or(ask->climb.seconds > 0, "--seconds takes a time, not", text);
	case 'p':
		ask->climb.patience = strtod(text, NULL);
		return good_or(ask->climb.patience > 0, "--patience takes a time, not", text);
	case 'T':
		ask->thread_counts = unsigneds(text, ask->threads);
		return good_or(ask->thread_counts > 0, "--threads takes numbers, not", text);
	case 'B':
		ask->block_counts = unsigneds(text, ask->blocks);
		return good_or(ask->block_counts > 0, "--blocks takes numbers, not", text);
	case 'd': ask->climb.descending = true; return -1;
	case 'c': ask->check_only = true; return -1;
	case 'j': ask->json = text; return -1;
	case 'v': ask->csv = text; return -1;
	case 'l': return list_rungs();
	case 'h': fputs(usage, stdout); return 0;
	default:  return 2;
	}
}

int
ask_parse(struct ask *ask, int argc, char **argv, const char *rungs, const char *usage)
{
	static const struct option options[] = {
		{ "keys", required_argument, NULL, 'k' }, { "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' }, { "rungs", required_argument, NULL, 'g' },
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
	bool range = ask->sizes == 0;
	int option, status = rungs[0] != '\0' ? choose_rungs(ask, rungs) : -1;

	while (status < 0 && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (option == 'f' || option == 't') {
			*(option == 'f' ? &from : &to) = strtoul(optarg, NULL, 10);
			range = true;
		} else {
			status = take(ask, option, optarg, usage);
			range = range && option != 'k';
		}
	if (status < 0 && optind < argc)
		status = bad_usage("this takes options only, not", argv[optind]);
	return status < 0 && range ? from_to(ask, from, to) : status;
}

void
ask_open(const struct ask *ask)
{
	bool gpu = false, pinned = false;
	size_t most = 0;

	for (unsigned r = 0; ask->rungs[r] != NULL; r++) {
		gpu = gpu || ask->rungs[r]->place == RUNG_GPU;
		pinned = pinned || (ask->rungs[r]->place == RUNG_GPU && ask->rungs[r]->pinned);
	}
	for (unsigned s = 0; s < ask->sizes; s++)
		most = ask->keys[s] > most ? ask->keys[s] : most;
	climb_open(most, gpu, pinned);
}

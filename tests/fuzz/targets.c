// SPDX-License-Identifier: BSD-2-Clause
/*
 * targets.c - one program for all targets: its first argument names one
 *
 * libFuzzer and main.c call these two functions.
 */
#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"

static const struct {
	const char  *name, *what;
	fuzz_target *run;
} targets[] = {
#define TARGET(name, what) { #name, what, fuzz_##name },
#include "targets.def"
#undef TARGET
};

enum { TARGETS = sizeof targets / sizeof targets[0] };

static fuzz_target *chosen;

/* Gone wrong before it began. */
static void
usage(const char *program)
{
	fprintf(stderr, "usage: %s TARGET [-runs=N] [-seed=N] [FILE|FOLDER]...\n", program);
	for (size_t t = 0; t < TARGETS; t++)
		fprintf(stderr, "  %-8s %s\n", targets[t].name, targets[t].what);
	exit(2);
}

/* Takes the target's name out of the arguments. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char **words = *argv;

	for (size_t t = 0; *argc > 1 && t < TARGETS; t++)
		if (strcmp(words[1], targets[t].name) == 0)
			chosen = targets[t].run;
	if (chosen == NULL)
		usage(words[0]);
	memmove(words + 1, words + 2, (size_t)(*argc - 1) * sizeof *words);
	--*argc;
	/* "-" is an input like any other: no target may wait for a terminal. */
	if (freopen("/dev/null", "r", stdin) == NULL)
		abort();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	chosen(data, bytes);
	return 0;
}

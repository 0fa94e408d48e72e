// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - stands in for libFuzzer on a system without clang
 *
 *     fuzzers TARGET [-runs=N] [-seed=N] [-artifact_prefix=PATH] [FILE|FOLDER]...
 *
 * Runs every file once; with -runs, then N inputs made from them by changes, the same ones for the
 * same seed.  It does not measure which lines of code an input reaches, so it finds less than
 * libFuzzer; but it can be built wherever gsort can.  An input that fails is written to PATH, and the
 * failure is printed.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_INPUTS = 4096, MOST_BYTES = 4096, SECONDS_EACH = 120 };

static struct fuzz_bytes inputs[MOST_INPUTS], now;
static size_t count;
static const char *prefix = "./";
static uint64_t state;

static size_t
below(size_t limit)
{
	return limit > 0 ? (size_t)(fuzz_random(&state) % limit) : 0;
}

/*
 * The target failed, crashed or hangs: leave the input that did it.  Nothing goes on after this,
 * so what may hang or crash once more loses nothing.
 * NOLINTBEGIN(bugprone-signal-handler,cert-sig30-c)
 */
static void
leave(int number)
{
	char name[4096];
	FILE *out;

	snprintf(name, sizeof name, "%scrash", prefix);
	if ((out = fopen(name, "w")) != NULL) {
		fwrite(now.data, 1, now.bytes, out);
		fclose(out);
	}
	fprintf(stderr, "signal %d; the input is in %s\n", number, name);
	_exit(77);
}
/* NOLINTEND(bugprone-signal-handler,cert-sig30-c) */

static void
run(const struct fuzz_bytes *input)
{
	char *exact = malloc(input->bytes + (input->bytes == 0));	/* ends where the input does */

	now.bytes = 0;
	fuzz_put(&now, input->data, input->bytes);
	memcpy(exact, now.data, now.bytes);
	alarm(SECONDS_EACH);
	(void)LLVMFuzzerTestOneInput((uint8_t *)exact, input->bytes);
	free(exact);
}

static void
load(const char *name)
{
	char part[4096];
	struct stat st;
	DIR *folder;
	FILE *in;
	size_t got;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode) && (folder = opendir(name)) != NULL) {
		for (struct dirent *entry; (entry = readdir(folder)) != NULL; )
			if (entry->d_name[0] != '.') {
				snprintf(part, sizeof part, "%s/%s", name, entry->d_name);
				load(part);
			}
		closedir(folder);
	} else if (count == MOST_INPUTS || (in = fopen(name, "r")) == NULL) {
		fprintf(stderr, "cannot read %s\n", name);
		exit(2);
	} else {
		while ((got = fread(part, 1, sizeof part, in)) > 0)
			fuzz_put(&inputs[count], part, got);
		fclose(in);
		count++;
	}
}

/* A folder has its names in any order. */
static int
compare(const void *a, const void *b)
{
	const struct fuzz_bytes *x = a, *y = b;
	const int order = memcmp(x->data, y->data, x->bytes < y->bytes ? x->bytes : y->bytes);

	return order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* BYTES in place of LENGTH at AT. */
static void
replace(struct fuzz_bytes *input, size_t at, size_t length, const void *data, size_t bytes)
{
	struct fuzz_bytes out = { .data = NULL };

	fuzz_put(&out, input->data, at);
	fuzz_put(&out, data, bytes);
	fuzz_put(&out, input->data + at + length, input->bytes - at - length);
	fuzz_free(input);
	*input = out;
}

static void
change(struct fuzz_bytes *input)
{
	static const unsigned char edges[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', '-', '9', '0', ' ' };
	const struct fuzz_bytes *other = &inputs[below(count)];
	const size_t at = below(input->bytes), left = input->bytes - at, from = below(other->bytes);
	const size_t length = below(left + 1), bytes = below(other->bytes - from + 1);
	uint64_t random = fuzz_random(&state);

	switch (input->bytes == 0 ? 3 : below(6)) {
	case 0: input->data[at] ^= (char)(1 << random % 8); break;
	case 1: input->data[at] = (char)random; break;
	case 2: input->data[at] = (char)edges[random % sizeof edges]; break;
	case 3: replace(input, at, 0, &random, random >> 61); break;
	case 4: replace(input, at, length, NULL, 0); break;
	case 5: replace(input, at, length, other->data + from, bytes); break;
	}
}

int
main(int argc, char **argv)
{
	static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM };
	unsigned long runs = 0;

	(void)LLVMFuzzerInitialize(&argc, &argv);
	for (int a = 1; a < argc; a++) {
		if (sscanf(argv[a], "-runs=%lu", &runs) == 1 ||
		    sscanf(argv[a], "-seed=%ju", (uintmax_t *)&state) == 1)
			continue;
		if (strncmp(argv[a], "-artifact_prefix=", 17) == 0)
			prefix = argv[a] + 17;
		else
			load(argv[a]);
	}
	for (size_t f = 0; f < sizeof fatal / sizeof fatal[0]; f++)
		signal(fatal[f], leave);
	qsort(inputs, count, sizeof *inputs, compare);
	count += count == 0;
	for (size_t i = 0; i < count; i++)
		run(&inputs[i]);
	for (unsigned long r = 0; r < runs; r++) {
		struct fuzz_bytes *input = &inputs[below(count)], made = { .data = NULL };

		fuzz_put(&made, input->data, input->bytes);
		for (size_t changes = 1 + below(6); changes > 0; changes--)
			change(&made);
		made.bytes = made.bytes < MOST_BYTES ? made.bytes : MOST_BYTES;
		run(&made);
		if (below(16) == 0 && count < MOST_INPUTS)	/* changes of changes go far */
			inputs[count++] = made;
		else
			fuzz_free(&made);
	}
	printf("%lu changes of what was given, none failed\n", runs);
	return 0;
}

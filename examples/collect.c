// SPDX-License-Identifier: BSD-2-Clause
/*
 * collect.c - sort numbers from a pipe or a socket into a file
 *
 *     cc -o collect collect.c $(pkg-config --cflags --libs gsort)
 *     producer | ./collect numbers.txt
 *
 * The job calls a function of the program for its input, which may wait for a socket as a server does.
 * The file is replaced only when everything has succeeded.
 */
#include <errno.h>
#include <gsort.h>
#include <stdio.h>
#include <unistd.h>

/* For gsort_options.warn, and for our own errors. */
static void
report(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "collect: %s\n", line);
}

/* For gsort_options.read, as read(2): the next bytes of the descriptor. */
static ptrdiff_t
read_from(void *context, void *into, size_t bytes)
{
	const int *fd = context;
	ssize_t got;

	do
		got = read(*fd, into, bytes);
	while (got < 0 && errno == EINTR);
	return got;
}

int
main(int argc, char **argv)
{
	int fd = STDIN_FILENO;
	struct gsort_options options = {
		.struct_size = sizeof options,
		.type = GSORT_TEXT,
		.unique = true,
		.invalid = GSORT_INVALID_WARN,	/* warn about a bad line, and leave it out */
		.warn = report,
		.read = read_from,
		.read_context = &fd,
	};
	bool done = false;
	gsort *job;

	if (argc != 2) {
		fprintf(stderr, "usage: collect FILE <PIPE\n");
		return 2;
	}
	options.output = argv[1];
	if (gsort_open(&job, &options) != GSORT_OK) {
		report(NULL, gsort_message());
		return 2;
	}
	if (gsort_run(job) == GSORT_OK) {
		const struct gsort_stats *stats = gsort_stats(job);

		printf("%llu numbers, %llu different\n", (unsigned long long)stats->keys,
		       (unsigned long long)stats->keys_out);
		done = true;
	} else {
		report(NULL, gsort_message());
	}
	gsort_close(job);	/* after an error the file is unchanged */
	return done ? 0 : 2;
}

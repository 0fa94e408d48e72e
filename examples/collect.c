// SPDX-License-Identifier: BSD-2-Clause
/*
 * collect.c - sort numbers from a pipe or a socket into a file
 *
 *     cc -o collect collect.c $(pkg-config --cflags --libs gsort)
 *     producer | ./collect numbers.txt
 *
 * The program reads the descriptor in a loop of its own, as a server does, and feeds the job.
 * The file is replaced only when everything has succeeded.
 */
#include <errno.h>
#include <gsort.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* For gsort_options.warn, and for our own errors. */
static void
report(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "collect: %s\n", line);
}

/* Feed all bytes of FD to JOB.  False after a message. */
static bool
feed_from(gsort *job, int fd)
{
	static char buffer[1 << 16];
	ssize_t got;

	do {
		got = read(fd, buffer, sizeof buffer);
		if (got < 0 && errno != EINTR) {
			report(NULL, strerror(errno));
			return false;
		}
		if (got > 0 && gsort_feed(job, buffer, (size_t)got) != GSORT_OK) {
			report(NULL, gsort_message());
			return false;
		}
	} while (got != 0);
	return true;
}

int
main(int argc, char **argv)
{
	struct gsort_options options = {
		.struct_size = sizeof options,
		.type = GSORT_TEXT,
		.unique = true,
		.invalid = GSORT_INVALID_WARN,	/* warn about a bad line, and leave it out */
		.warn = report,
		.fed = true,
	};
	bool fed, done = false;
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
	fed = feed_from(job, STDIN_FILENO);
	if (fed && gsort_feed_end(job) == GSORT_OK) {
		const struct gsort_stats *stats = gsort_stats(job);

		printf("%llu numbers, %llu different\n", (unsigned long long)stats->keys,
		       (unsigned long long)stats->keys_out);
		done = true;
	} else if (fed) {
		report(NULL, gsort_message());
	}
	gsort_close(job);	/* of a job that has not ended: the file stays unchanged */
	return done ? 0 : 2;
}

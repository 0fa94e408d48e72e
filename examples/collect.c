// SPDX-License-Identifier: BSD-2-Clause
/*
 * collect.c - gather numbers from a pipe or a socket, sorted, in a file
 *
 *     cc -o collect collect.c $(pkg-config --cflags --libs --static gsort)
 *     producer | ./collect numbers.txt
 *
 * The program keeps its own loop around the descriptor, as a server has one; gsort
 * works beside it.  The file changes only when all is well, and then as a whole.
 */
#include <errno.h>
#include <gsort.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void
say(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "collect: %s\n", line);
}

/* Feed what comes from FD until its end.  False: it has said why. */
static bool
feed_from(gsort *job, int fd)
{
	char buffer[1 << 16];
	ssize_t got;

	do {
		got = read(fd, buffer, sizeof buffer);
		if (got < 0 && errno != EINTR) {
			say(NULL, strerror(errno));
			return false;
		}
		if (got > 0 && gsort_feed(job, buffer, (size_t)got) != GSORT_OK) {
			say(NULL, gsort_message());
			return false;
		}
	} while (got != 0);
	return true;
}

int
main(int argc, char **argv)
{
	struct gsort_options options = {
		.type = GSORT_TEXT,
		.unique = true,
		.invalid = GSORT_INVALID_WARN,	/* a bad line is told, and left out */
		.warn = say,
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
		say(NULL, gsort_message());
		return 2;
	}
	fed = feed_from(job, STDIN_FILENO);
	if (fed && gsort_feed_end(job) == GSORT_OK) {
		const struct gsort_stats *stats = gsort_stats(job);

		printf("%llu numbers, %llu different\n", (unsigned long long)stats->keys,
		       (unsigned long long)stats->keys_out);
		done = true;
	} else if (fed) {
		say(NULL, gsort_message());
	}
	gsort_close(job);	/* before the end: gives the job up, the file is as it was */
	return done ? 0 : 2;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * measure.c - run a command; record its time, peak memory and processor time
 *
 *     measure FILE COMMAND [ARGUMENT...]
 *
 * Writes "SECONDS PEAK_KIB PROCESSOR_SECONDS" to FILE and exits with the command's
 * status (128 + the signal that killed it).  Peak is the largest resident set of the
 * command or of any of its waited-for children: what getrusage(2) calls ru_maxrss.
 * Processor seconds, user and system, are the sum over all of these.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int
main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t child;
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	if ((child = fork()) == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	if ((out = fopen(argv[1], "w")) == NULL) {
		perror(argv[1]);
		return 2;
	}
	fprintf(out, "%.4f %ld %.4f\n", (double)(end.tv_sec - start.tv_sec) +
	        (double)(end.tv_nsec - start.tv_nsec) * 1e-9, usage.ru_maxrss,
	        seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
	fclose(out);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * process.c - how the process begins, dies of a signal, and ends
 *
 * A fatal signal: as in sort(1), remove unfinished files, then let the signal do what it
 * would have done.  So the shell sees it (130, 143), and a loop of commands ends.  Only on
 * a file system without O_TMPFILE does an unfinished output have a name (io/replace.c).
 * SIGPIPE, too, leaves no half of a progress bar behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"

static bool ending;	/* gs_process_end() was called */

/* --- begin ----------------------------------------------------------------- */

static void
die(int signal)
{
	gsort_abandon();
	gs_progress_abandon();
	/* Kills: SA_RESETHAND has restored the default action.  raise() of musl takes a call that the
	 * sandbox denies. */
	if (raise(signal) != 0)
		(void)kill(getpid(), signal);
}

/* A library called exit(1), as libarchive does without memory.  1 would mean disorder. */
static void
exit_with_error(void)
{
	if (ending)
		return;
	gsort_abandon();
	_exit(GS_EXIT_ERROR);
}

void
gs_process_begin(void)
{
	static const int fatal[] = {
		SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPROF, SIGVTALRM, SIGXCPU,
		SIGUSR2, SIGPIPE,
#ifdef SIGPOLL
		SIGPOLL,
#endif
	};
	/* glibc's SA_RESETHAND is unsigned and has the highest bit of an int: hence the cast */
	struct sigaction action = { .sa_handler = die,
	                            .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	struct rlimit addresses;

	sigemptyset(&action.sa_mask);
	/* signals that the process was started to ignore stay ignored */
	for (size_t s = 0; s < sizeof fatal / sizeof fatal[0]; s++) {
		struct sigaction before;

		if (sigaction(fatal[s], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(fatal[s], &action, NULL);
	}
	(void)signal(SIGXFSZ, SIG_IGN);	/* write(2) fails then, and the message names the file */
	(void)signal(SIGCHLD, SIG_DFL);	/* if ignored, waitpid() could not see a child */
	(void)atexit(exit_with_error);
	/* If descriptor 0, 1 or 2 is closed, the next open() would get its number: that file would
	 * become standard input, or a message would overwrite it.  So open /dev/null there, in the
	 * direction that makes its use an error still. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
#if defined M_MMAP_THRESHOLD && defined M_TOP_PAD && defined M_ARENA_MAX
	/* Without this, glibc keeps as much as the largest block that was freed, up to 32 MiB, and -S does
	 * not count that: two .lz4 files took 18.2 MiB under -S 16M, and take 15.8.  And calloc(3) clears
	 * what lies in the 132 KiB that the heap begins with, which are clear: 12 pages that a small job
	 * never reads. */
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
	(void)mallopt(M_TOP_PAD, 4096);
	/* For a thread that calls malloc(3), glibc reserves 128 MiB of addresses, and keeps 64. */
	if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
		(void)mallopt(M_ARENA_MAX, 1);
	malloc_trim(0);
#endif
}

/* --- end ------------------------------------------------------------------- */

_Noreturn void
gs_process_end(int status)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && status != GS_EXIT_ERROR) {
		gs_report_error("write failed: standard output: %s", strerror(errno));
		status = GS_EXIT_ERROR;
	}
	ending = true;
	if (GS_TIDY)
		exit(status);
	/* not exit(): the destructors of the CUDA runtime take 80 ms */
	_exit(status);
}

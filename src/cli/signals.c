// SPDX-License-Identifier: BSD-2-Clause
/*
 * signals.c - dying without leaving anything behind
 *
 * As in sort(1): what is to be removed is removed, then the signal does what it would
 * have done, so that the shell sees it (130, 143) and a loop of commands ends.  There is
 * next to nothing to remove: only where a file system has no O_TMPFILE has an output
 * that is not complete a name (io/replace.c).
 *
 * SIGPIPE is not among them: if it kills, the output was no file.
 */
#include <signal.h>
#include <stddef.h>

#include "cli/signals.h"
#include "gsort.h"

static void
die(int signal)
{
	gsort_abandon();
	raise(signal);		/* its handler is the default again, and it is not blocked */
}

void
gs_signals_catch(void)
{
	static const int fatal[] = {
		SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPOLL, SIGPROF, SIGVTALRM, SIGXCPU,
		SIGXFSZ, SIGUSR2,
	};
	/* SA_RESETHAND is the highest bit of an int, and glibc says it unsigned */
	struct sigaction to = { .sa_handler = die, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	sigemptyset(&to.sa_mask);
	for (size_t s = 0; s < sizeof fatal / sizeof fatal[0]; s++) {
		struct sigaction before;

		if (sigaction(fatal[s], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(fatal[s], &to, NULL);
	}
	(void)signal(SIGCHLD, SIG_DFL);	/* if ignored, no child could be waited for */
}

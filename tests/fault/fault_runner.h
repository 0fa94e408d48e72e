// SPDX-License-Identifier: BSD-2-Clause
/* fault_runner.h - the interface between fault_runner.c and fault_trial.c, which runs the command */
#ifndef TESTS_FAULT_RUNNER_H
#define TESTS_FAULT_RUNNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

enum { HUNG = -1000 };

struct bytes {
	char  *data;
	size_t count;
};

/* What is to fail. */
struct what {
	char        calls[200];
	const char *error, *how;
	char        number[12];		/* of the error */
	bool        is_no_reason;	/* to fail */
	bool        is_place;		/* each TRY and THEN, by its name */
	int         signal;		/* that ends it, instead of a fault */
	/* The number of runs that ended in each way; all workers add to it. */
	_Atomic uint64_t next, harmless, clean, wrong;
	atomic_bool      over;
};

/* The command line, and what follows from it. */
struct walk {
	const char  *name, *self;	/* of the command's messages */
	char         shim[4096];	/* beside this program */
	char       **command;
	struct bytes right, before, fed;
	const char  *input, *spared;
	bool launches, foreign, all, has_before, touches, feeds, to_stdout, drains, verbose;
	int  status, trouble, jobs, every;
	uint64_t only;			/* this call; 0: all */
	int  files;			/* of the result; 0: it is out/file */
	struct fault_report *report;	/* this worker's */
	struct fault_report *places;	/* where calls come from; shared */
	struct what *whats;		/* shared */
	size_t what_count;
};

extern struct walk walk;

/* An error of the runner: prints it, and exits with 2. */
_Noreturn void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* All that a file holds. */
struct bytes load(const char *name);

/* The folder and the report of this worker. */
void settle(int worker);

/* Run the command.  Returns its exit status; less than 0: minus a signal; HUNG. */
int run(void);

/* Is the result right? */
bool is_right(void);

/* What is wrong with a run that ended with STATUS and printed TOLD; NULL: nothing. */
const char *trouble(const struct what *what, int status, const char *told);

#endif

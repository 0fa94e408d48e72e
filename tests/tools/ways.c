// SPDX-License-Identifier: BSD-2-Clause
/* ways.c - gsort-ways: gsort that appends the name of each fast way that it takes to the file $GSORT_WAYS */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/way.h"

enum { MOST = 100 };

static int file = -1;
static _Atomic(const char *) taken_ways[MOST];

/* Before gsort confines itself. */
static void __attribute__((constructor))
open_file(void)
{
	const char *name = getenv("GSORT_WAYS");

	if (name != NULL)
		file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/* A line for each name, when it is first taken: a job may end in many ways. */
bool
gs_way(const char *name, bool taken)
{
	const char *here = NULL;
	char line[100];
	unsigned w = 0;

	if (!taken || file < 0)
		return taken;
	while (w < MOST && !atomic_compare_exchange_strong(&taken_ways[w], &here, name)) {
		if (strcmp(here, name) == 0)
			return true;
		here = NULL;
		w++;
	}
	snprintf(line, sizeof line, "%s\n", name);
	if (w == MOST || write(file, line, strlen(line)) < 0)
		abort();
	return true;
}

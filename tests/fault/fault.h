// SPDX-License-Identifier: BSD-2-Clause
/*
 * fault.h - the report of a run in which calls fail
 *
 * The shim (fault.c) maps the file that FAULT_REPORT names, and writes the report there;
 * fault_runner.c reads it.
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { FAULT_SITES = 1 << 13, FAULT_NAME_BYTES = 64 };

/* A place in the source, not a function: FILE@LINE. */
#define FAULT_IS_PLACE(name)	(strncmp(name, "src/", 4) == 0)

/* The first call from a place, by a stack of callers. */
struct fault_site {
	char     call[FAULT_NAME_BYTES];
	uint64_t number;		/* among the calls of its name */
	uint64_t order;			/* among all */
};

struct fault_report {
	_Atomic uint64_t  hits;		/* calls that failed, or came out short */
	_Atomic uint64_t  calls;	/* of those that were looked for */
	_Atomic uint64_t  site_count;	/* may be larger than there is room for */
	struct fault_site sites[FAULT_SITES];
};

#endif

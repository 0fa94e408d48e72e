// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox.h - what this process may no longer do
 *
 * For the time when bytes of strangers are decompressed: everything that has to be opened
 * is open, so nothing else needs to be, and nothing to be started or called.  Landlock
 * (Linux 5.13) shuts the file system but for what was allowed; a seccomp filter refuses
 * sockets, programs, and other ways out.  Where the kernel has neither, nothing changes.
 *
 *     gs_sandbox_begin(&box);
 *     gs_sandbox_allow(&box, dir, GS_SANDBOX_MAKE);
 *     kinds = gs_sandbox_enter(&box);
 *
 * Files are shut for the calling thread and those it starts from then on, calls for all of
 * the process, until it ends; so it is for programs, not for a library's caller.
 */
#ifndef GS_SANDBOX_H
#define GS_SANDBOX_H

#include <stdbool.h>

enum gs_sandbox_access {
	GS_SANDBOX_READ,	/* open what is at or beneath it, to read */
	GS_SANDBOX_MAKE,	/* and make, write, rename and remove files in it */
};

/* What holds. */
enum { GS_SANDBOX_FILES = 1, GS_SANDBOX_CALLS = 2 };

struct gs_sandbox {
	int rules;	/* a Landlock ruleset; -1: this kernel has none */
	int version;	/* of Landlock */
};

void gs_sandbox_begin(struct gs_sandbox *box);

/** PATH, a folder or a file, stays open to ACCESS.  What does not exist needs no rule. */
void gs_sandbox_allow(struct gs_sandbox *box, const char *path, enum gs_sandbox_access access);

/** Shut: which of the GS_SANDBOX_ kinds hold now.  Calls that are refused fail with EACCES
 *  (files) or EPERM. */
unsigned gs_sandbox_enter(struct gs_sandbox *box);

#endif

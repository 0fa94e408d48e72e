// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox.h - take rights away from this process before it handles untrusted data
 *
 * A decompressor may have a bug that crafted input exploits.  So before compressed input is
 * decompressed, the process gives up the rights that it no longer needs.  Landlock (Linux
 * 5.13) denies access to all files but the ones allowed here; a seccomp filter denies all system
 * calls that such a job does not make.  On a kernel that has neither, nothing changes.
 *
 *     gs_sandbox_begin(&box);
 *     gs_sandbox_allow(&box, dir, GS_SANDBOX_MAKE);
 *     kinds = gs_sandbox_enter(&box);
 *
 * Landlock binds the calling thread and the threads that it starts from then on; the filter
 * binds the whole process.  Both hold until the process ends, so this is for a program, not
 * for a library inside somebody else's.
 */
#ifndef GS_SANDBOX_H
#define GS_SANDBOX_H

#include <stdbool.h>

enum gs_sandbox_access {
	GS_SANDBOX_READ,	/* open the file, or the files of the folder, for reading */
	GS_SANDBOX_MAKE,	/* also make, write, rename and remove files of the folder */
};

/* What the kernel enforces: Landlock's rules, the filter of system calls. */
enum { GS_SANDBOX_FILES = 1, GS_SANDBOX_CALLS = 2 };

struct gs_sandbox {
	int rules;	/* a Landlock ruleset; -1: this kernel has none */
	int version;	/* of Landlock */
};

void gs_sandbox_begin(struct gs_sandbox *box);

/** Allow ACCESS to PATH, a folder or a file.  A path that does not exist is ignored. */
void gs_sandbox_allow(struct gs_sandbox *box, const char *path, enum gs_sandbox_access access);

/** Enter the sandbox; returns which of GS_SANDBOX_FILES and _CALLS are enforced now.  From
 *  here on denied calls fail with EACCES (files), or EPERM or ENOSYS (calls). */
unsigned gs_sandbox_enter(struct gs_sandbox *box);

/** Is this process in a sandbox?  Then a message says how to do without it. */
bool gs_sandbox_holds(void);

#endif

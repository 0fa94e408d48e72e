// SPDX-License-Identifier: BSD-2-Clause
/*
 * limits.h - the memory, cores and files that this process may use
 *
 * Read once, before the plan is made: planning itself makes no system call.
 */
#ifndef GS_LIMITS_H
#define GS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_limits {
	unsigned cores;			/* this process may run on */
	uint64_t ram_bytes;		/* physical memory */
	uint64_t room_bytes;		/* of it, what control groups and rlimits allow */
	uint64_t host_bytes;		/* the part of it to use unless the user sets a limit */
	uint64_t address_bytes;		/* address space that may be reserved */
	size_t   files;			/* that may be open at once */
};

/**
 * Read the limits.  Never fails: a limit that cannot be read counts as none.
 *
 * @small  the job needs no more than a few pages: do not read control groups and free
 *         memory, which takes as long as sorting a thousand lines (100 us)
 */
void gs_limits_read(struct gs_limits *limits, bool small);

/** Bytes that an unprivileged process can still write to DIR's file system; UINT64_MAX if
 *  that is unknown. */
uint64_t gs_limits_disk_bytes(const char *dir);

/** The folder for temporary files if the user names none: $TMPDIR; /tmp if that is unset or
 *  empty. */
const char *gs_temp_dir(void);

#endif

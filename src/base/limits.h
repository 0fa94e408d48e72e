// SPDX-License-Identifier: BSD-2-Clause
/*
 * limits.h - what the machine lets this process have
 *
 * Asked once, before the plan is made; the plan itself asks nobody.
 */
#ifndef GS_LIMITS_H
#define GS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_limits {
	unsigned cores;			/* this process may run on */
	uint64_t ram_bytes;		/* physical memory */
	uint64_t room_bytes;		/* of it, what control groups and rlimits let us have */
	uint64_t host_bytes;		/* of that, what to use if nobody says otherwise */
	uint64_t address_bytes;		/* address space that may be reserved */
	size_t   files;			/* that may be open at once */
};

/**
 * Read the limits.  Never fails: what cannot be read does not limit.
 *
 * @small  the job needs no more than a few pages: neither control groups nor what is free
 *         are asked, which takes as long as sorting a thousand lines (100 us)
 */
void gs_limits_read(struct gs_limits *limits, bool small);

/** What an unprivileged process can still write to DIR's file system; UINT64_MAX: who knows. */
uint64_t gs_limits_disk_bytes(const char *dir);

/** The folder for temporary files if the user names none: $TMPDIR; /tmp if that is unset or
 *  empty. */
const char *gs_temp_dir(void);

/** Has the user set a folder in $TMPDIR?  An empty one does not count. */
bool gs_temp_dir_is_set(void);

#endif

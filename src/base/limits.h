// SPDX-License-Identifier: BSD-2-Clause
/*
 * limits.h - what the machine lets this process have
 *
 * Asked once, before the plan is made; the plan itself asks nobody.
 */
#ifndef GS_LIMITS_H
#define GS_LIMITS_H

#include <stdint.h>

struct gs_limits {
	unsigned cores;			/* this process may run on */
	uint64_t host_bytes;		/* memory to be had now: RAM, cgroups, rlimits */
	uint64_t address_bytes;		/* address space that may be reserved */
};

/** Read the limits.  Never fails: what cannot be read does not limit. */
void gs_limits_read(struct gs_limits *limits);

#endif

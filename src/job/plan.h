// SPDX-License-Identifier: BSD-2-Clause
/*
 * plan.h - every size of a job, decided once and in one place
 *
 * The planner is pure: no clock, no environment, no allocation; the same facts
 * give the same plan.  gsort --plan prints it.
 */
#ifndef GS_PLAN_H
#define GS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "sort/tile.h"

#define GS_NEVER	UINT64_MAX

/* What is known before anything is read. */
struct gs_facts {
	enum gsort_type   type;
	unsigned          key_bits;		/* 8 .. 64; 0: text */
	uint64_t          input_bytes;		/* or UINT64_MAX: nobody knows */
	enum gsort_device device;
	bool              gpu_built;		/* this build has a GPU backend */
	uint64_t          gpu_memory_bytes;	/* the user's limit; 0: none */
	bool              heads;		/* only the first HEAD_COUNT keys are wanted */
	uint64_t          head_count;
	unsigned          threads;		/* the user's wish; 0: none */
	unsigned          cores;
	uint64_t          host_bytes;		/* base/limits.h */
	uint64_t          address_bytes;
};

struct gs_plan {
	unsigned threads;
	bool     counts;		/* keys of 8 and 16 bits: a histogram, no tiles */
	unsigned stream_bits[GS_STREAMS];

	/* The GPU: opened once so many bytes of keys have landed (0: at once,
	 * GS_NEVER: not).  At the end of the input, GS_DEVICE_AUTO still waits for
	 * it if there are so many bytes of keys. */
	uint64_t gpu_from_bytes;
	uint64_t gpu_wait_bytes;

	size_t   tile_bytes;		/* a power of two */
	unsigned ring_tiles;		/* pinned buffers of that size */

	size_t   chunk_bytes;		/* of text, read ahead */
	size_t   print_keys;		/* encoded at a time */

	size_t   shelf_bytes;		/* address space of each stream's keys */
	uint64_t sort_bytes;		/* keys the CPU can sort: as many again are scratch */
	uint64_t head_keys;		/* once more than so many are held, all but the first that
					 * are wanted are forgotten; 0: none ever */
	uint64_t run_bytes;		/* keys of sorted batches that host memory can hold */
};

/**
 * Decide.
 *
 * @return  GS_OK; GS_EBUDGET: the input is known to be too large, or the limits
 *          too small for anything; GS_ENODEV: a GPU was demanded of a build
 *          without one
 */
MUST_CHECK gs_status gs_plan_make(struct gs_plan *plan, const struct gs_facts *facts);

/** Address space of the shelves together, scratch included. */
uint64_t gs_plan_shelves_bytes(const struct gs_plan *plan);

#endif

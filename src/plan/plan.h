// SPDX-License-Identifier: BSD-2-Clause
/*
 * plan.h - every size of a job and the device that sorts, decided before the first key
 *
 * The planner is pure: no clock, no environment, no allocation; the same input gives the same
 * plan.  gsort --plan prints it.
 */
#ifndef GS_PLAN_H
#define GS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "plan/input.h"
#include "sort/buckets/buckets.h"
#include "sort/span.h"

/* With --head, bytes that are read between two trims: enough to keep a team busy.  Not tuned. */
#define GS_HEAD_ROUND_BYTES	((size_t)4 << 20)

/* Most pieces that a GPU's staging buffer has room for. */
enum { GS_PIECES_MOST = 1024 };

struct gs_plan {
	unsigned threads;
	bool     by_counting;		/* keys of 8 and 16 bits: a histogram, nothing is sorted */
	unsigned class_bits[GS_CLASSES];

	/* The device. */
	enum gsort_device device;	/* GSORT_DEVICE_CPU or GSORT_DEVICE_GPU */
	const char *device_rule;	/* the rule that chose it, for people */
	uint64_t gpu_from_bytes;	/* see plan/device.h */
	uint64_t peek_bytes;		/* read this much of the input first, then plan again; 0:
					 * the plan is final */
	size_t   record_bytes;		/* of input that cannot be read again: kept in memory, so that
					 * the CPU can start over if the GPU fails */

	/* Memory: of the whole process; and what of it is left for keys. */
	uint64_t host_bytes;
	uint64_t pool_bytes;
	bool     huge_pages;

	size_t   staging_bytes;		/* of a GPU's staging buffer: a power of two */
	unsigned ring_buffers;		/* how many of them are pinned */

	size_t   piece_bytes;		/* of binary input, read by a thread at a time */
	struct gs_bucket_sizes buckets;
	size_t   part_print_bytes;	/* to encode buckets.part_bytes */

	size_t   chunk_bytes;		/* of text, read ahead */
	size_t   inflate_bytes;		/* for decompression in parallel; 0: none */
	uint64_t window_bytes;		/* limit of the memory that decompresses an input */
	size_t   print_keys;		/* encoded at a time */
	size_t   count_bytes;		/* of keys on their way to and from the histogram */

	size_t   batch_bytes;		/* of keys on the CPU, partly filled blocks included */
	uint64_t sort_bytes;		/* of it keys, at least */
	uint64_t head_keys;		/* a batch of more keys is trimmed to the first K; 0: never */
	uint64_t resident_bytes;	/* of host memory for keys that do not fit the GPU */

	/* Runs and sorted inputs. */
	bool     spills;		/* the input may be too large for memory */
	size_t   most_runs;		/* of each class */
	size_t   fan_in;		/* most that are merged at once */
	size_t   merge_bytes;		/* memory of merging them */
	size_t   source_bytes;		/* GSORT_MERGE: memory for each input of text that is
					 * being read (format/line_reader.h) */
	size_t   spill_bytes;		/* memory of writing runs to disk */
};

/**
 * Decide.
 *
 * @return  GS_OK; GS_EBUDGET: the limits are too small for any job; GS_ENODEV: the user wants a
 *          GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_make(struct gs_plan *plan, const struct gs_plan_input *input);

/** The most threads of a plan. */
unsigned gs_plan_threads_most(const struct gs_plan_input *input);

/** The number of key classes whose keys are stored, not counted. */
unsigned gs_plan_classes(const struct gs_plan *plan);

#endif

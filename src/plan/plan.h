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
#include "sort/span.h"

#define GS_NEVER	UINT64_MAX

/* What is known before anything is read. */
struct gs_plan_input {
	enum gsort_operation operation;
	enum gsort_type   type;
	unsigned          key_bits;		/* 8 .. 64; 0: text */
	bool              headers;		/* lines at the top of files that are kept */
	size_t            print_bytes;		/* memory to print a key; 0: it goes out where it lies */
	bool              packed;		/* an input is compressed */
	bool              large_window;		/* in a format whose windows may be large */
	uint64_t          input_bytes;		/* or UINT64_MAX: nobody knows */
	bool              guessed;		/* that is a hint, no promise */
	size_t            input_count;		/* of GSORT_MERGE: to be merged */
	enum gsort_device device;
	bool              gpu_built;		/* this build has a GPU backend */
	uint64_t          gpu_memory_bytes;	/* the user's limit; 0: none */
	bool              heads;		/* only the first HEAD_COUNT keys are wanted */
	uint64_t          head_count;
	unsigned          threads;		/* the user's wish; 0: none */
	unsigned          cores;
	uint64_t          memory_bytes;		/* the user's limit; 0: none */
	uint64_t          host_bytes;		/* the machine's: base/limits.h */
	uint64_t          address_bytes;
	size_t            files;		/* that may be open */
	unsigned          merge_files;		/* the user's limit of the fan-in; 0: none */
};

struct gs_plan {
	unsigned threads;
	bool     counts;		/* keys of 8 and 16 bits: a histogram, no tiles */
	unsigned class_bits[GS_CLASSES];

	/* The GPU: opened once so many bytes of keys have landed (0: at once,
	 * GS_NEVER: not).  At the end of the input, GS_DEVICE_AUTO still waits for
	 * it if there are so many bytes of keys. */
	uint64_t gpu_from_bytes;
	uint64_t gpu_wait_bytes;

	/* Memory: of the whole process; and what of it is left for keys. */
	uint64_t host_bytes;
	uint64_t pool_bytes;
	bool     huge_pages;

	size_t   tile_bytes;		/* of a GPU: a power of two */
	unsigned ring_tiles;		/* pinned buffers of that size */

	size_t   piece_bytes;		/* of binary input, read by a thread at a time */
	size_t   part_bytes;		/* of keys, sorted by a thread at a time */
	size_t   part_print_bytes;	/* to encode them */

	size_t   chunk_bytes;		/* of text, read ahead */
	size_t   unpack_bytes;		/* for decompression in parallel; 0: none */
	uint64_t window_bytes;		/* that decompressing an input may need in any case */
	size_t   print_keys;		/* encoded at a time */
	size_t   count_bytes;		/* of keys on their way to and from the histogram */

	size_t   batch_bytes;		/* of keys on the CPU, blocks that are half full included */
	uint64_t sort_bytes;		/* of it keys, at least */
	uint64_t head_keys;		/* once more than so many are held, all but the first that
					 * are wanted are forgotten; 0: none ever */
	uint64_t run_bytes;		/* keys of sorted batches of a GPU that host memory can hold */
	uint64_t spare_bytes;		/* the same together with a copy of the batch that it has, for
					 * it may fail; 0: none is kept */

	/* Runs and sorted inputs. */
	bool     spills;		/* the input may be too large for memory */
	size_t   most_runs;		/* that there are room for, of each key class */
	size_t   fan_in;		/* most that are merged at once */
	size_t   merge_bytes;		/* memory of merging them */
	size_t   source_bytes;		/* GSORT_MERGE: memory for each input of text that is
					 * being read (feed.h) */
	size_t   spill_bytes;		/* memory of writing runs to disk */
};

/* What will come of it, for people: as far as the size of the input is known. */
struct gs_estimate {
	uint64_t key_bytes;		/* of text: about */
	uint64_t runs;			/* the last batch included; 1: nothing goes to disk */
	unsigned passes;		/* of merging */
	uint64_t disk_bytes;		/* on disk at a time */
	uint64_t written_bytes;		/* to disk, in all */
};

/**
 * Decide.
 *
 * @return  GS_OK; GS_EBUDGET: the limits are too small for anything; GS_ENODEV: a
 *          GPU was demanded of a build without one
 */
MUST_CHECK gs_status gs_plan_make(struct gs_plan *plan, const struct gs_plan_input *facts);

/** Keys that will come, about, or UINT64_MAX. */
uint64_t gs_plan_expected(const struct gs_plan_input *facts);

/** Streams that have keys to hold. */
unsigned gs_plan_classes(const struct gs_plan *plan);

/** How many runs can be merged at once if so much memory is left for it; at least 2. */
size_t gs_plan_fan_in(const struct gs_plan *plan, const struct gs_plan_input *facts, uint64_t bytes);

/** What to expect of the CPU, if the size of the input is known. */
void gs_plan_estimate(const struct gs_plan *plan, const struct gs_plan_input *facts,
                      struct gs_estimate *forecast);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * store.h - every key of a sort, wherever it is: CPU buckets, a histogram, a GPU, runs
 *
 *     carve, open; as an engine (engine.h); close
 *
 * is the only legal order.  The plan says what holds the keys, the CPU or a GPU; that never changes.
 * A batch that is full becomes sorted runs.  A GPU that fails is not repaired: GS_EDEVICE goes up,
 * and the store is only good for closing.
 *
 * Classes are drained in the order of the output, each once.
 */
#ifndef GS_STAGES_STORE_H
#define GS_STAGES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "gpu/guard.h"
#include "gsort.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"
#include "sort/count.h"
#include "sort/span.h"
#include "stages/engine.h"
#include "stages/store_parts.h"

struct gs_store {
	const struct gs_plan       *plan;
	const struct gs_plan_input *plan_input;
	const struct gsort_options *options;
	struct gs_monitor          *monitor;
	char              device_name[320];

	struct gs_batch   batch;	/* of the CPU, with its memory: */
	char             *pool_memory;
	void             *block_table, *bucket_memory[GS_CLASSES];

	struct gs_count   histogram;	/* keys of 8 and 16 bits; small text integers */
	void             *count_memory;	/* plan.count_bytes: spans of it, ... */
	uint64_t         *count_times;	/* ... and how often keys occur */

	struct gs_guard   gpu;		/* open if the plan's device is a GPU, with: */
	struct gs_staging staging[GS_CLASSES];	/* buffers being filled; keys NULL: none */
	uint64_t          staging_sums[GS_CLASSES];
	uint64_t          gpu_keys[GS_CLASSES];	/* that it holds */
	struct gs_gpu_span pending;	/* drained, but of a later class */
	struct gs_fillings fillings;	/* of keys that are added, rather than staged */
	void             *resident;	/* plan.resident_bytes, for its sorted batches */

	struct gs_runs    runs;
	struct gs_head    head;
	struct gs_extremes extremes;
	unsigned          batches;	/* that became runs on disk */
};

/** Take buffers from ARENA, or from one that is not open: only their sum. */
void gs_store_carve(struct gs_store *store, const struct gsort_options *options,
                    const struct gs_plan_input *input, const struct gs_plan *plan,
                    struct gs_arena *arena);

/** Begin, with what was carved; everything is borrowed. */
void gs_store_open(struct gs_store *store, struct gs_monitor *monitor);

/** Open the plan's GPU; slow.  GS_ENODEV, GS_EDEVMEM, GS_EDEVICE: it cannot be used. */
MUST_CHECK gs_status gs_store_open_gpu(struct gs_store *store);

/** How it is filled and drained: by pieces, or on a GPU faster by staging buffers.  To reserve room may
 *  trim the head, or make runs of a batch that is full. */
struct gs_engine gs_store_engine(struct gs_store *store);

/** The least and the greatest key of KEY_CLASS, if OPTIONS want a histogram. */
struct gs_extreme gs_store_extreme(struct gs_store *store, unsigned key_class);

/** Close the GPU and the runs; the store is zeroed, which it may have been before. */
void gs_store_close(struct gs_store *store);

#endif

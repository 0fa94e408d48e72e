// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.h - what holds the elements of a sort, and hands them on in order: of keys (store.h) or of
 * items (item_store.h)
 *
 *     fill by the taker; finish; [count_out]; [limit]; drain each class, in the order of the output
 *
 * is the only legal order.  All calls but those of the taker come from one thread.
 */
#ifndef GS_STAGES_ENGINE_H
#define GS_STAGES_ENGINE_H

#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "sort/items/items.h"
#include "sort/span.h"
#include "stages/taker.h"

struct gs_engine {
	struct gs_taker taker;	/* how it is filled */

	/** No more elements.  GS_EIO, GS_EDEVICE, GS_EBUDGET. */
	gs_status (*finish)(void *context);

	/** Elements of KEY_CLASS that were added; of keys those that the CPU's batch or a GPU holds, 0
	 *  if they are elsewhere. */
	uint64_t (*count)(const void *context, unsigned key_class);

	/** How many items will leave.  Slow with groups: sorts everything, and drain() does so again.
	 *  NULL: all elements leave. */
	gs_status (*count_out)(void *context, uint64_t *count);

	/** With a head or tail: of items that would leave, only COUNT, which is not more than was asked
	 *  for. */
	void (*limit)(void *context, uint64_t count);

	/** Hand all elements of KEY_CLASS that are to leave to SINK, in order; once. */
	gs_status (*drain)(void *context, unsigned key_class, const struct gs_span_sink *sink);

	/** For verification: of all items that were drained, before any was selected.  NULL: a sink of
	 *  keys sees all. */
	const struct gs_item_digest *(*digest)(const void *context);

	/** Report device, batches, runs and the GPU's work. */
	void (*stats)(const void *context, struct gsort_stats *stats);

	void *context;
};

#endif

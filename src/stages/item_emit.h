// SPDX-License-Identifier: BSD-2-Clause
/* item_emit.h - sorted items to the output, or to the files of it */
#ifndef GS_STAGES_ITEM_EMIT_H
#define GS_STAGES_ITEM_EMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "gsort.h"
#include "io/outputs.h"
#include "sort/items/items.h"
#include "stages/item_store.h"
#include "stages/split.h"

struct gs_item_emit {
	const struct gs_item_order *order;
	struct gs_monitor *monitor;
	struct gs_split    split;
	size_t             item_bytes;	/* of what is written of each, without its count; 0: they differ */
	bool               counts;	/* each is followed by how often it came */
	enum gsort_endian  endian;	/* of the count */
	char              *buffer;	/* of items with counts */
	bool               has_places;	/* many threads write items, each to its place */
	_Atomic uint64_t   items, bytes;	/* written */

	/* If set: write COUNT items from DATA to END in another form, with gs_item_emit_bytes(). */
	gs_status        (*show)(void *context, const char *data, const char *end, size_t count,
	                         const uint64_t *times);
	void              *show_context;
};

/** Begin; OUTPUTS is borrowed.  WRITTEN_BYTES: what is written of an item; 0: all of it. */
MUST_CHECK gs_status gs_item_emit_open(struct gs_item_emit *emit, const struct gsort_options *options,
                                       const struct gs_item_order *order, size_t written_bytes,
                                       const struct gs_outputs *outputs,
                                       struct gs_monitor *monitor);

/** So many items will come: decides where files end. */
void gs_item_emit_expect(struct gs_item_emit *emit, uint64_t items);

/** Write the header, if there is one. */
MUST_CHECK gs_status gs_item_emit_header(struct gs_item_emit *emit, const char *header, size_t bytes);

/** After the header, if exactly as many items come as are expected, and they have a fixed length:
 *  they may be written in any order, if the outputs are several new files. */
void gs_item_emit_to_places(struct gs_item_emit *emit);

/** Write BYTES as they are. */
MUST_CHECK gs_status gs_item_emit_bytes(struct gs_item_emit *emit, const void *data, size_t bytes);

/** The same of *BYTES, which become 0. */
MUST_CHECK gs_status gs_item_emit_flush(struct gs_item_emit *emit, const void *data, size_t *bytes);

struct gs_span_sink gs_item_emit_sink(struct gs_item_emit *emit);

/** A zeroed struct is allowed. */
void gs_item_emit_close(struct gs_item_emit *emit);

#endif

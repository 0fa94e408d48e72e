// SPDX-License-Identifier: BSD-2-Clause
/*
 * delivered.h - the keys that were delivered before a GPU failed, so that they are not delivered twice
 *
 * Before: note spans that are about to be delivered, in order.  After gs_delivered_resume() the same
 * keys come again: skip them at the front of spans, and compare their checksum with that of the first
 * time.
 *
 * Complexity: linear in the keys noted or skipped; keys that come with a checksum, or that are not
 * noted, cost nothing.
 */
#ifndef GS_STAGES_DELIVERED_H
#define GS_STAGES_DELIVERED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/span.h"

/* Zeroed: nothing is noted or skipped. */
struct gs_delivered {
	unsigned threads;		/* that compute checksums */
	bool     resumable;		/* note what is delivered: the device may fail */
	bool     resuming;
	struct {
		uint64_t keys, sum;	/* whether or not they were selected */
	} before[GS_CLASSES], skipped[GS_CLASSES];	/* the latter since resume */
};

/** From now on, skip what was noted before. */
void gs_delivered_resume(struct gs_delivered *delivered);

/** These keys are about to be delivered. */
void gs_delivered_note(struct gs_delivered *delivered, const struct gs_sorted_span *sorted);

/** The number of keys of the class that are still to be skipped. */
uint64_t gs_delivered_left(const struct gs_delivered *delivered, unsigned key_class);

/** Skip what was delivered before at the front of SPAN; keys with times move to the front.  GS_EINPUT: the
 *  keys have changed. */
MUST_CHECK gs_status gs_delivered_skip(struct gs_delivered *delivered, struct gs_span *span);

#endif

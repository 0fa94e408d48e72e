// SPDX-License-Identifier: BSD-2-Clause
/* delivered.c - the keys that were delivered before a GPU failed, so that they are not delivered twice */
#include "base/round.h"
#include "output/emit.h"

uint64_t
gs_delivered_left(const struct gs_delivered *delivered, unsigned key_class)
{
	return delivered->resumable
	       ? 0 : delivered->before[key_class].keys - delivered->skipped[key_class].keys;
}

gs_status
gs_delivered_pass(struct gs_delivered *delivered, struct gs_sorted_span *sorted)
{
	struct gs_span *span = &sorted->span, front = *span;
	struct gs_delivered_keys *before = &delivered->before[span->key_class];
	struct gs_delivered_keys *skipped = &delivered->skipped[span->key_class];
	const uint64_t left = gs_delivered_left(delivered, span->key_class);
	struct gs_span_digest found = { .keys = span->count, .sum = sorted->sum };
	uint64_t keys = 0;

	if (delivered->resumable) {
		if (!sorted->summed)
			found = gs_span_digest(delivered->threads, span, false);
		before->keys += found.keys;
		before->sum += found.sum;
	}
	if (left == 0)
		return GS_OK;
	front.count = (size_t)gs_least(left, span->count);
	if (span->times != NULL)
		for (front.count = 0; front.count < span->count && keys < left; front.count++)
			keys += span->times[front.count];
	if (keys > left)	/* a part of the last group is not skipped */
		span->times[front.count - 1] -= keys - left;
	found = gs_span_digest(delivered->threads, &front, false);
	if (keys > left)
		span->times[--front.count] = keys - left;
	span->keys = (char *)span->keys + front.count * (span->key_bits / 8);
	span->times = span->times != NULL ? span->times + front.count : NULL;
	span->count -= front.count;
	skipped->keys += found.keys;
	skipped->sum += found.sum;
	if (skipped->keys == before->keys && skipped->sum != before->sum)
		return gs_fail(GS_EINPUT, "the input has changed since it was read for the GPU: "
		               "the output cannot be completed");
	return GS_OK;
}

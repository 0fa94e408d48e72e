// SPDX-License-Identifier: BSD-2-Clause
/* delivered.c - the keys that were delivered before a GPU failed, so that they are not delivered twice */
#include "base/round.h"
#include "output/emit.h"
#include "sort/checksum.h"

/* How many keys the first COUNT of SPAN are, and the sum of their hashes. */
static struct gs_delivered_keys
measure(const struct gs_delivered *delivered, const struct gs_span *span, size_t count)
{
	struct gs_delivered_keys found = { .keys = span->times == NULL ? count : 0 };

	if (span->times == NULL)
		found.sum = gs_checksum(delivered->threads, span->key_class, span->key_bits, span->keys,
		                        count, false).sum;
	for (size_t at = 0; span->times != NULL && at < count; at++) {
		found.keys += span->times[at];
		found.sum += span->times[at] *
		             gs_checksum_of(span->key_class, gs_key_at(span->keys, span->key_bits, at));
	}
	return found;
}

uint64_t
gs_delivered_left(const struct gs_delivered *delivered, unsigned key_class)
{
	return delivered->resumable
	       ? 0 : delivered->before[key_class].keys - delivered->skipped[key_class].keys;
}

gs_status
gs_delivered_pass(struct gs_delivered *delivered, struct gs_sorted_span *sorted)
{
	struct gs_span *span = &sorted->span;
	struct gs_delivered_keys *before = &delivered->before[span->key_class], found;
	struct gs_delivered_keys *skipped = &delivered->skipped[span->key_class];
	const uint64_t left = gs_delivered_left(delivered, span->key_class);
	uint64_t keys = 0;
	size_t here = 0;

	if (delivered->resumable) {
		found = sorted->summed ? (struct gs_delivered_keys){ span->count, sorted->sum }
		                       : measure(delivered, span, span->count);
		before->keys += found.keys;
		before->sum += found.sum;
	}
	if (left == 0)
		return GS_OK;
	if (span->times == NULL)
		here = (size_t)gs_least(left, span->count);
	else
		while (here < span->count && keys + span->times[here] <= left)
			keys += span->times[here++];
	found = measure(delivered, span, here);
	if (span->times != NULL && here < span->count) {	/* a part of the next group */
		const uint64_t key = gs_key_at(span->keys, span->key_bits, here), part = left - keys;

		span->times[here] -= part;
		found.keys += part;
		found.sum += part * gs_checksum_of(span->key_class, key);
	}
	span->keys = (char *)span->keys + here * (span->key_bits / 8);
	span->times = span->times != NULL ? span->times + here : NULL;
	span->count -= here;
	skipped->keys += found.keys;
	skipped->sum += found.sum;
	if (skipped->keys == before->keys && skipped->sum != before->sum)
		return gs_fail(GS_EINPUT, "the input has changed since it was read for the GPU: "
		               "the output cannot be completed");
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/* delivered.c - the keys that were delivered before a GPU failed, so that they are not delivered twice */
#include <string.h>

#include "output/emit.h"
#include "sort/checksum.h"

void
gs_delivered_resume(struct gs_delivered *delivered)
{
	delivered->resumable = false;
	delivered->resuming = true;
	memset(delivered->skipped, 0, sizeof delivered->skipped);
}

static uint64_t
sum_of(const struct gs_delivered *delivered, const struct gs_span *span, size_t count)
{
	return gs_checksum(delivered->threads, span->key_class, span->key_bits, span->keys, count,
	                   false).sum;
}

static void
note(struct gs_delivered *delivered, unsigned key_class, uint64_t keys, uint64_t sum)
{
	delivered->before[key_class].keys += keys;
	delivered->before[key_class].sum += sum;
}

void
gs_delivered_note(struct gs_delivered *delivered, const struct gs_sorted_span *sorted)
{
	const struct gs_span *span = &sorted->span;

	if (!delivered->resumable)
		return;
	for (size_t at = 0; span->times != NULL && at < span->count; at++)
		note(delivered, span->key_class, span->times[at],
		     span->times[at] * gs_checksum_of(span->key_class,
		                                      gs_key_at(span->keys, span->key_bits, at)));
	if (span->times == NULL)
		note(delivered, span->key_class, span->count,
		     sorted->summed ? sorted->sum : sum_of(delivered, span, span->count));
}

uint64_t
gs_delivered_left(const struct gs_delivered *delivered, unsigned key_class)
{
	return delivered->resuming
	       ? delivered->before[key_class].keys - delivered->skipped[key_class].keys : 0;
}

/* After the last skipped key: the checksum must be that of the first time. */
static gs_status
check_skipped(const struct gs_delivered *delivered, unsigned key_class)
{
	if (gs_delivered_left(delivered, key_class) > 0 ||
	    delivered->skipped[key_class].sum == delivered->before[key_class].sum)
		return GS_OK;
	return gs_fail(GS_EINPUT, "the input has changed since it was read for the GPU: "
	               "the output cannot be completed");
}

/* Keys of which number I occurs TIMES[I] times. */
static void
skip_groups(struct gs_delivered *delivered, struct gs_span *span)
{
	size_t kept = 0;

	for (size_t at = 0; at < span->count; at++) {
		const uint64_t key = gs_key_at(span->keys, span->key_bits, at);
		const uint64_t left = gs_delivered_left(delivered, span->key_class);
		const uint64_t here = left < span->times[at] ? left : span->times[at];

		delivered->skipped[span->key_class].keys += here;
		delivered->skipped[span->key_class].sum += here * gs_checksum_of(span->key_class, key);
		gs_key_put(span->keys, span->key_bits, kept, key);
		span->times[kept] = span->times[at] - here;
		kept += span->times[kept] > 0;
	}
	span->count = kept;
}

gs_status
gs_delivered_skip(struct gs_delivered *delivered, struct gs_span *span)
{
	const uint64_t left = gs_delivered_left(delivered, span->key_class);
	const size_t here = left < span->count ? (size_t)left : span->count;

	if (here == 0)
		return GS_OK;
	if (span->times != NULL) {
		skip_groups(delivered, span);
		return check_skipped(delivered, span->key_class);
	}
	delivered->skipped[span->key_class].keys += here;
	delivered->skipped[span->key_class].sum += sum_of(delivered, span, here);
	span->keys = (char *)span->keys + here * (span->key_bits / 8);
	span->count -= here;
	return check_skipped(delivered, span->key_class);
}

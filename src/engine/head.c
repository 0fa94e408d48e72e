// SPDX-License-Identifier: BSD-2-Clause
/*
 * head.c - keep only the first K keys of a long input, with memory in proportion to K
 *
 * In:   keys as they are read.
 * Out:  the same keys, except keys that cannot be among the first K.
 *
 * Keys go to the batch until it has several times K keys.  Then the first K are taken out in order, and
 * all others are dropped (a trim).  The last of these K is a bound: from then on, every key that is not
 * less than the bound is dropped when it is read.  Of N keys in random order, about K ln(N/K) pass the
 * bound, so nearly all time is spent on reading.  In the worst order, every 3 K keys cost one small sort.
 *
 * Keys of a histogram take no memory and are not counted here: the first K of the others are
 * enough, and the bound is hardly worse.
 *
 * Invariant: the first K of all keys read so far are in the batch or the histogram.
 */
#include <string.h>

#include "engine/store.h"
#include "output/select.h"

/* Keys that are compared with the bound at once; if none is below it, all are skipped. */
enum { BLOCK = 128 };	/* not tuned */

#define DEFINE_BELOW(type, bits) \
	static size_t \
	below##bits(type *keys, size_t count, type bound) \
	{ \
		size_t kept = 0; \
		for (size_t from = 0; from < count; from += BLOCK) { \
			const size_t to = count - from < BLOCK ? count : from + BLOCK; \
			type any = 0; \
			_Pragma("omp simd reduction(|:any)") \
			for (size_t at = from; at < to; at++) \
				any |= keys[at] < bound; \
			for (size_t at = from; any && at < to; at++) { \
				const type key = keys[at]; \
				keys[kept] = key; \
				kept += key < bound; \
			} \
		} \
		return kept; \
	}
DEFINE_BELOW(uint32_t, 32)
DEFINE_BELOW(uint64_t, 64)

size_t
gs_head_filter(const struct gs_head *head, unsigned key_class, void *keys, size_t count)
{
	if (head->limit == 0 || !head->bounded)
		return count;
	if (key_class != head->bound_class)
		return (key_class < head->bound_class) != head->descending_classes ? count : 0;
	if (head->batch->bits[key_class] == 32)
		return below32(keys, count, (uint32_t)head->bound);
	return below64(keys, count, head->bound);
}

void
gs_head_open(struct gs_head *head, const struct gsort_options *options,
             const struct gs_plan *plan, struct gs_batch *batch)
{
	head->keys = options->head_count;
	head->limit = plan->head_keys;
	head->descending_classes = options->reverse;
	head->unique = options->unique;
	head->batch = batch;
	head->bounded = false;
	atomic_store(&head->stored, 0);
	if (head->limit > 0 && head->keys == 0) {
		head->bounded = true;
		head->bound_class = options->reverse ? GS_CLASSES - 1 : 0;
		head->bound = 0;
	}
}

/* The first keys of a class, LEFT at most. */
struct keeper {
	struct gs_head  *head;
	struct gs_select select;
	uint64_t         left;
};

static gs_status
keep(void *context, struct gs_sorted_span *sorted)
{
	struct keeper *keeper = context;
	struct gs_head *head = keeper->head;
	struct gs_span *span = &sorted->span;
	const unsigned c = span->key_class;
	const size_t key_bytes = span->key_bits / 8;

	if (head->unique)
		gs_select_span(&keeper->select, span);
	if (span->count > keeper->left)
		span->count = (size_t)keeper->left;
	memcpy((char *)head->first[c] + head->first_keys[c] * key_bytes, span->keys,
	       span->count * key_bytes);
	head->first_keys[c] += span->count;
	keeper->left -= span->count;
	sorted->enough = keeper->left == 0;
	if (sorted->enough && span->count > 0) {	/* from now on keys that are not less are dropped */
		head->bounded = true;
		head->bound_class = c;
		head->bound = gs_key_at(span->keys, span->key_bits, span->count - 1);
	}
	return GS_OK;
}

gs_status
gs_head_trim(struct gs_head *head)
{
	struct gs_batch *batch = head->batch;
	struct keeper keeper = { .head = head, .left = head->keys };
	const struct gs_span_sink sink = { .take = keep, .context = &keeper };

	if (head->limit == 0 || atomic_load(&head->stored) <= head->limit)
		return GS_OK;
	gs_batch_seal(batch);
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		const unsigned c = gs_class_place(i, head->descending_classes);

		keeper.select = (struct gs_select){ .groups = true, .at_once = true };
		head->first_keys[c] = 0;
		if (batch->buckets[c] != NULL && keeper.left > 0)
			TRY(gs_batch_drain(batch, c, &sink));
	}
	gs_batch_reset(batch);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		if (head->first_keys[c] > 0)
			gs_batch_add(batch, 0, c, batch->sequences[c]++, head->first[c],
			             head->first_keys[c]);
	atomic_store(&head->stored, head->keys - keeper.left);
	return GS_OK;
}

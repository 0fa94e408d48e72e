// SPDX-License-Identifier: BSD-2-Clause
/*
 * head.c - of a long input only the first K keys, in memory in proportion to K
 *
 * In:   keys as they land.
 * Out:  the same without keys that cannot be among the first K.
 *
 * Keys land as ever, until there are some times K; then the first K are taken out in
 * order, all others forgotten, and the last of the K is a bound: from then on whatever is
 * not less is dropped as it lands.  Of N keys in random order about K ln(N/K) pass, so
 * nearly all time goes into reading.  Keys that arrive in the worst order cost one
 * small sort for each 3 K of them.
 *
 * This works on the batch and so with the CPU alone: where little is sorted a GPU is
 * of no use.  Keys of a histogram take no memory, so they are left out: the first K of
 * the others are enough, and the bound is hardly worse.
 *
 * Invariant: the first K of all that came are in the batch or the histogram.
 */
#include <string.h>

#include "job/job.h"

/* Keys are passed over by so many if none of them is below the bound. */
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

/* Do the keys of key class A go out before those of B? */
static bool
before(const struct gsort *job, unsigned a, unsigned b)
{
	return job->options->reverse ? a > b : a < b;
}

size_t
gs_head_filter(const struct gsort *job, unsigned key_class, void *keys, size_t count)
{
	const struct gs_head *head = &job->head;

	if (head->bounded && key_class != head->key_class)
		count = before(job, key_class, head->key_class) ? count : 0;
	else if (head->bounded && job->plan.class_bits[key_class] == 32)
		count = below32(keys, count, (uint32_t)head->key);
	else if (head->bounded)
		count = below64(keys, count, head->key);
	return count;
}

/* From the next key after this one on, keys are of no use. */
static void
set_bound(struct gs_head *head, unsigned key_class, uint64_t key)
{
	head->bounded = true;
	head->key_class = key_class;
	head->key = key;
}

void
gs_head_begin(struct gsort *job)
{
	if (job->options->head_count == 0)	/* of no use from the first key on */
		set_bound(&job->head, job->options->reverse ? GS_CLASSES - 1 : 0, 0);
}

/* Sorted keys of a key class that are to be kept, LEFT at most. */
struct keeping {
	struct gsort    *job;
	struct gs_select select;
	uint64_t         left;
};

static gs_status
keep(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct keeping *keeping = context;
	struct gs_head *head = &keeping->job->head;
	struct gs_span *span = &sorted->span;
	const unsigned s = span->key_class;
	const size_t key_bytes = span->key_bits / 8;

	if (keeping->job->options->unique)
		gs_select_span(&keeping->select, span);
	if (span->count > keeping->left)
		span->count = (size_t)keeping->left;
	memcpy((char *)head->kept[s] + head->kept_keys[s] * key_bytes, span->keys,
	       span->count * key_bytes);
	head->kept_keys[s] += span->count;
	keeping->left -= span->count;
	*enough = keeping->left == 0;
	if (*enough && span->count > 0)
		set_bound(head, s, span->key_bits == 32 ?
		          ((const uint32_t *)span->keys)[span->count - 1] :
		          ((const uint64_t *)span->keys)[span->count - 1]);
	return GS_OK;
}

/* Keep the first *LEFT keys of a key class. */
static gs_status
keep_first(struct gsort *job, unsigned key_class, uint64_t *left)
{
	struct keeping keeping = {
		.job = job, .select = { .groups = true, .at_once = true }, .left = *left,
	};
	const struct gs_span_sink sink = { .take = keep, .context = &keeping };
	gs_status status = GS_OK;

	job->head.kept_keys[key_class] = 0;
	if (*left > 0)
		status = gs_batch_drain(&job->batch, key_class, &sink);
	*left = keeping.left;
	return status;
}

gs_status
gs_head_poll(struct gsort *job)
{
	struct gs_batch *batch = &job->batch;
	uint64_t left = job->options->head_count;

	if (job->head.held <= job->plan.head_keys)
		return GS_OK;
	gs_batch_seal(batch);
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		const unsigned s = job->options->reverse ? GS_CLASSES - 1 - i : i;

		if (batch->buckets[s] != NULL)
			TRY(keep_first(job, s, &left));
	}
	gs_batch_reset(batch);
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (batch->buckets[s] != NULL && job->head.kept_keys[s] > 0)
			gs_batch_add(batch, 0, s, batch->sequences[s]++, job->head.kept[s],
			             job->head.kept_keys[s]);
	job->head.held = job->options->head_count - left;
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * head.c - of a long input only the first K keys, in memory in proportion to K
 *
 * In:   keys as they land in the store.
 * Out:  the same without keys that cannot be among the first K.
 *
 * Keys land as ever, until there are some times K; then they are sorted, the first K
 * stay, and the last of these is a bound: from then on whatever is not less is
 * dropped as it lands.  Of N keys in random order about K ln(N/K) pass, so
 * nearly all time goes into reading.  Keys that arrive in the worst order cost one
 * small sort for each 3 K of them.
 *
 * This works on the store and so with the CPU alone: where little is sorted a GPU is
 * of no use.  Keys of a histogram take no memory, so they are left out: the first K of
 * the others are enough, and the bound is hardly worse.
 *
 * Whatever remains of a tile is fed at once, so that the next one is read whole.
 *
 * Invariant: the first K of all that came are in the store or the histogram.
 */
#include <assert.h>

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

/* Do the keys of stream A go out before those of B? */
static bool
before(const struct gsort *job, unsigned a, unsigned b)
{
	return job->options->reverse ? a > b : a < b;
}

size_t
gs_head_filter(struct gsort *job, unsigned stream, void *keys, size_t count)
{
	struct gs_head *head = &job->head;

	if (head->bounded && stream != head->stream)
		count = before(job, stream, head->stream) ? count : 0;
	else if (head->bounded && job->store.shelf[stream].bits == 32)
		count = below32(keys, count, (uint32_t)head->key);
	else if (head->bounded)
		count = below64(keys, count, head->key);
	head->held += count;
	return count;
}

/* From the next key after this one on, keys are of no use. */
static void
set_bound(struct gs_head *head, unsigned stream, uint64_t key)
{
	*head = (struct gs_head){ .bounded = true, .stream = stream, .key = key };
}

void
gs_head_begin(struct gsort *job)
{
	if (job->options->head_count == 0)	/* of no use from the first key on */
		set_bound(&job->head, job->options->reverse ? GS_STREAMS - 1 : 0, 0);
}

/* Keep the first *LEFT keys of a sorted shelf. */
static void
cut_shelf(struct gsort *job, unsigned stream, uint64_t *left)
{
	struct gs_shelf *shelf = &job->store.shelf[stream];
	struct gs_span span = { shelf->keys, shelf->count, shelf->bits, stream };
	struct gs_select once = { .groups = true, .at_once = true };

	assert(shelf->gone == 0);
	if (job->options->unique)
		gs_select_span(&once, &span);
	if (*left > 0 && *left <= span.count)
		set_bound(&job->head, stream, shelf->bits == 32 ?
		          ((const uint32_t *)span.keys)[*left - 1] :
		          ((const uint64_t *)span.keys)[*left - 1]);
	shelf->count = span.count < *left ? span.count : (size_t)*left;
	*left -= shelf->count;
}

gs_status
gs_head_poll(struct gsort *job)
{
	uint64_t left = job->options->head_count;

	if (job->head.held <= job->plan.head_keys)
		return GS_OK;
	assert(job->backend == &gs_backend_cpu);
	TRY(gs_fill_flush(job));
	TRY(job->backend->finish(job->device));
	for (unsigned i = 0; i < GS_STREAMS; i++) {
		const unsigned s = job->options->reverse ? GS_STREAMS - 1 - i : i;

		if (job->store.shelf[s].bits > 0)
			cut_shelf(job, s, &left);
	}
	job->head.held = job->options->head_count - left;
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * pick.c - write keys by their position: the last K, or a random sample
 *
 * In:   how many keys there are; then spans, and the position of the first key of each.
 * Out:  the same spans with only the wanted keys.
 *
 * A random set of positions gives a uniform sample of the keys, in order, without replacement.  The
 * sample depends only on the keys and the seed, not on the order of the input, files or threads.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/round.h"
#include "base/splitmix.h"
#include "output/select.h"
#include "sort/cpu/keys.h"

/* So that their bytes do not overflow. */
#define MOST_RANKS	(UINT64_MAX / 64)

/* ---- random positions ---------------------------------------------------------------- */

/* A number below BELOW, each equally likely: D. Lemire, "Fast random integer generation in an
 * interval", 2019. */
static uint64_t
random_below(uint64_t *state, uint64_t below)
{
	const uint64_t unfair = -below % below;
	unsigned __int128 product;

	do
		product = (unsigned __int128)gs_splitmix_next(state) * below;
	while ((uint64_t)product < unfair);
	return (uint64_t)(product >> 64);
}

/*
 * COUNT different random numbers below BELOW, ascending; all sets of COUNT are equally likely.
 * The same SEED gives the same numbers on every machine.
 *
 * The first COUNT different values of a sequence of independent ones are such a set.  O(COUNT log
 * COUNT) expected, as COUNT is at most half of BELOW (assert).
 */
static void
choose_numbers(uint64_t *numbers, size_t count, uint64_t below, uint64_t seed)
{
	uint64_t state = seed;
	size_t different = 0;

	assert(count <= below / 2 + below % 2);
	while (different < count) {
		size_t kept = 0;

		for (size_t at = different; at < count; at++)
			numbers[at] = random_below(&state, below);
		qsort(numbers, count, sizeof *numbers, gs_compare_u64);
		for (size_t at = 0; at < count; at++)
			if (at == 0 || numbers[at] != numbers[at - 1])
				numbers[kept++] = numbers[at];
		different = kept;
	}
}

/* ---- keys -------------------------------------------------------------------------- */

uint64_t
gs_pick_bytes(const struct gsort_options *options, uint64_t keys)
{
	enum { COPIES = 3 };	/* positions left out, and what qsort(3) copies, are as many at most */

	return options->sample.wanted
	       ? COPIES * sizeof(uint64_t) * gs_least(gs_least(options->sample.count, keys), MOST_RANKS) : 0;
}

gs_status
gs_pick_open(struct gs_pick *pick, const struct gsort_options *options, uint64_t keys)
{
	uint64_t *left_out = NULL;
	size_t wanted, chosen, at = 0, kept = 0;
	bool most;

	gs_pick_close(pick);
	if (options->tail.wanted && options->tail.count < keys)
		*pick = (struct gs_pick){ .on = true, .from = keys - options->tail.count };
	if (!options->sample.wanted || options->sample.count >= keys)
		return GS_OK;
	wanted = (size_t)options->sample.count;
	*pick = (struct gs_pick){ .on = true, .from = UINT64_MAX, .position_count = wanted };
	/* if they are more than half of all, those left out are chosen */
	most = wanted > keys / 2;
	chosen = most ? (size_t)(keys - wanted) : wanted;
	if (wanted <= SIZE_MAX / sizeof *pick->positions)
		pick->positions = malloc((wanted + 1) * sizeof *pick->positions);
	if (pick->positions != NULL && most)
		left_out = malloc((chosen + 1) * sizeof *left_out);
	if (pick->positions == NULL || (most && left_out == NULL))
		return gs_fail(GS_EBUDGET, "no memory for a sample of %zu keys: 8 bytes each", wanted);
	choose_numbers(most ? left_out : pick->positions, chosen, keys, options->seed);
	for (uint64_t position = 0; most && position < keys; position++)
		if (at < chosen && left_out[at] == position)
			at++;
		else
			pick->positions[kept++] = position;
	free(left_out);
	/* where the largest comes first, the same keys have other positions */
	for (size_t low = 0, high = wanted; options->reverse && low < high; low++) {
		const uint64_t position = keys - 1 - pick->positions[low];

		pick->positions[low] = keys - 1 - pick->positions[--high];
		pick->positions[high] = position;
	}
	return GS_OK;
}

uint64_t
gs_pick_count(const struct gs_pick *pick, uint64_t at, uint64_t count, const uint64_t **positions)
{
	size_t first;

	*positions = NULL;
	if (!pick->on)
		return count;
	if (pick->positions == NULL)
		return at >= pick->from ? count : at + count <= pick->from ? 0 : at + count - pick->from;
	first = gs_keys_from(pick->positions, 64, 0, pick->position_count, at);
	*positions = pick->positions + first;
	return gs_keys_from(pick->positions, 64, first, pick->position_count, at + count) - first;
}

void
gs_pick_span(const struct gs_pick *pick, uint64_t at, struct gs_span *span)
{
	const uint64_t *positions, wanted = gs_pick_count(pick, at, span->count, &positions);

	if (!pick->on)
		return;
	if (positions != NULL) {
		for (size_t k = 0; k < wanted; k++)
			gs_key_put(span->keys, span->key_bits, k,
			           gs_key_at(span->keys, span->key_bits, (size_t)(positions[k] - at)));
	} else {
		span->keys = (char *)span->keys + (span->count - wanted) * (span->key_bits / 8);
	}
	span->count = (size_t)wanted;
}

void
gs_pick_close(struct gs_pick *pick)
{
	free(pick->positions);
	*pick = (struct gs_pick){ .on = false };
}

// SPDX-License-Identifier: BSD-2-Clause
/* bins.c - choose bounds by a sample, and find the bins of items */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/simd.h"
#include "sort/cpu/quicksort.h"
#include "sort/items/divide.h"

#define INLINE	static inline __attribute__((always_inline))

/* ---- choosing ------------------------------------------------------------------ */

/* Count the bounds before each cell, and the most that are in one. */
static void
set_bounds(struct gs_item_bins *bins, size_t count)
{
	const uint64_t first = bins->bounds[0], range = count > 0 ? bins->bounds[count - 1] - first : 0;
	size_t before = 0, most = 0, end;

	for (bins->cell_shift = 0; range >> bins->cell_shift >= GS_ITEM_CELLS; bins->cell_shift++)
		;
	bins->last_cell = range >> bins->cell_shift;
	for (size_t c = 0, at = 0; c <= bins->last_cell; c++, before = at) {
		while (at != count && (bins->bounds[at] - first) >> bins->cell_shift <= c)
			at++;
		bins->cells[c] = (uint32_t)before;
		most = at - before > most ? at - before : most;
	}
	if (most >= GS_ITEM_CELL_MOST) {
		bins->last_cell = 0;	/* one cell: search all bounds */
		most = count;
	}
	bins->bound_count = count;
	bins->bound_steps = 1;
	while (bins->bound_steps <= most)
		bins->bound_steps *= 2;
	end = (bins->last_cell > 0 ? count : 0) + bins->bound_steps;	/* of what a search looks at */
	for (size_t b = count; b < end; b++)
		bins->bounds[b] = UINT64_MAX;
	bins->count = (unsigned)count + 1 + (bins->level > bins->from ? 2 : 0);
	assert(end <= sizeof bins->bounds / sizeof bins->bounds[0]);
}

void
gs_item_bins_one(struct gs_item_bins *bins, unsigned from)
{
	bins->from = bins->level = from;
	bins->pivots.count = 0;
	set_bounds(bins, 0);
}

void
gs_item_bins_close(struct gs_item_bins *bins)
{
	gs_arena_close(&bins->pivots.arena);
}

gs_status
gs_item_bins_choose(struct gs_item_bins *bins, const struct gs_item_order *order, unsigned from,
                    const char *const *items, const uint32_t *bytes, size_t count, unsigned wanted)
{
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), 64);
	uint64_t *words = malloc(2 * count * sizeof *words), *sorted;
	uint64_t least = 0, greatest = 0;
	size_t found = 0;
	bool more = true;

	assert(count > 0 && count <= GS_ITEM_SAMPLE_MOST);
	gs_item_bins_one(bins, from);
	if (words == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	sorted = words + count;
	for (; more && least == greatest && bins->level - from < GS_ITEM_COMMON_MOST; bins->level++) {
		more = false;
		for (size_t at = 0; at < count; at += GS_ITEM_BATCH)
			more |= order->words(order->context, items + at, bytes == NULL ? NULL : bytes + at,
			                     gs_least(count - at, GS_ITEM_BATCH), 8 * bins->level,
			                     words + at);
		least = UINT64_MAX;
		greatest = 0;
		kernels->range(words, count, &least, &greatest);
		bins->common[bins->level - from] = least;
	}
	bins->level--;		/* of the words */
	if (least < greatest) {
		const size_t most = gs_within(2, wanted, GS_ITEM_BINS_MOST - 4);

		gs_quicksort(kernels, sorted, words, count, least, greatest);
		for (size_t q = 1; q < most; q++) {
			const uint64_t word = sorted[count * q / most];
			const bool again = found > 0 && bins->bounds[found - 1] >= word;

			if (!again)
				bins->bounds[found++] = word;
			else if (bins->bounds[found - 1] == word && word < UINT64_MAX)
				bins->bounds[found++] = word + 1;	/* it has a bin of its own */
		}
		set_bounds(bins, found);
	} else if (!more && gs_item_words_decide(order, 8 * bins->level + 8)) {
		/* All items of the sample are equal: one bin for them, with bounds around it. */
		bins->bounds[0] = least;
		bins->bounds[1] = least + 1;
		set_bounds(bins, least < UINT64_MAX ? 2 : 1);
	}
	free(words);
	if (least < greatest || bins->bound_count > 0)
		return GS_OK;
	/* No word that was looked at differs: bounds are items. */
	bins->level++;
	TRY(gs_item_pivots_choose(&bins->pivots, order, bins->level, items, bytes, count,
	                          gs_within(2, wanted, (GS_ITEM_BINS_MOST - 1) / 2)));
	bins->count = 2 * (unsigned)bins->pivots.count + 1;
	return GS_OK;
}

unsigned
gs_item_bins_level(const struct gs_item_bins *bins, unsigned bin)
{
	const bool outer = bins->level > bins->from;
	const size_t inner = bin - (outer ? 1 : 0);	/* bin 0 wraps around */

	if (bins->pivots.count > 0)	/* between two that share words, all do */
		return bin == 0 || bin == bins->count - 1 ? bins->from : bins->level;
	if (outer && (bin == 0 || bin == bins->count - 1))
		return bins->from;
	if (inner > 0 && bins->bounds[inner - 1] == UINT64_MAX)
		return bins->level + 1;
	return inner > 0 && inner < bins->bound_count &&
	       bins->bounds[inner] - bins->bounds[inner - 1] == 1 ? bins->level + 1 : bins->level;
}

unsigned
gs_item_bins_shared(const struct gs_item_bins *bins, unsigned bin)
{
	const unsigned level = gs_item_bins_level(bins, bin);
	const bool outer = bins->level > bins->from;
	const size_t inner = bin - (outer ? 1 : 0);
	uint64_t least, most;

	if (bins->pivots.count > 0 || level != bins->level)
		return 8 * level;
	least = inner > 0 ? bins->bounds[inner - 1] : 0;
	most = inner < bins->bound_count ? bins->bounds[inner] - 1 : UINT64_MAX;
	return 8 * level + (least == most ? 8 : (unsigned)__builtin_clzll(least ^ most) / 8);
}

bool
gs_item_bins_are_equal(const struct gs_item_bins *bins, const struct gs_item_order *order,
                       unsigned bin, bool words_left)
{
	if (bins->pivots.count > 0)
		return bin % 2 == 1;
	return gs_item_bins_level(bins, bin) > bins->level && !words_left &&
	       gs_item_words_decide(order, 8 * bins->level + 8);
}

/* ---- finding --------------------------------------------------------------------- */

/* A bin is the number of bounds up to the word: those before its cell, and some in it.  All items of a batch
 * take a step of the search together, so that one does not wait for the other's loads. */
INLINE void
search(const struct gs_item_bins *bins, const uint64_t *words, size_t count, uint16_t *found)
{
	const uint64_t *bounds = bins->bounds, first = bounds[0];
	const uint32_t *cells = bins->cells;
	const unsigned shift = bins->cell_shift;
	const uint64_t last = bins->last_cell;
	const size_t bound_count = bins->bound_count;
	uint64_t at[GS_ITEM_BATCH];

	#pragma omp simd
	for (size_t i = 0; i < count; i++) {
		const uint64_t cell = (words[i] > first ? words[i] - first : 0) >> shift;

		at[i] = cells[cell < last ? cell : last];
	}
	for (size_t step = bins->bound_steps / 2; step > 0; step /= 2) {
		#pragma omp simd
		for (size_t i = 0; i < count; i++)
			at[i] += bounds[at[i] + step - 1] <= words[i] ? step : 0;
	}
	for (size_t i = 0; i < count; i++)
		found[i] = (uint16_t)(at[i] < bound_count ? at[i] : bound_count);
}

#if defined __x86_64__
/* By default gcc gathers by a load for each lane: 3.3 and 5.2 ns an item of 247 bins (Emerald Rapids). */
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,tune=icelake-server"))) static void
search_avx512(const struct gs_item_bins *bins, const uint64_t *words, size_t count, uint16_t *found)
{
	search(bins, words, count, found);
}
#endif

bool
gs_item_bins_find(const struct gs_item_bins *bins, const struct gs_item_order *order,
                  const char *const *items, const uint32_t *bytes, size_t count, uint16_t *found)
{
	uint64_t words[GS_ITEM_BATCH];
	bool more, out[GS_ITEM_BATCH] = { false };

	assert(count <= GS_ITEM_BATCH);
	if (bins->pivots.count > 0) {
		gs_item_pivots_find(&bins->pivots, order, bins->from, items, bytes, count, found);
		return true;
	}
	more = order->words(order->context, items, bytes, count, 8 * bins->level, words);
#if defined __x86_64__
	if (gs_simd_best() == GS_SIMD_AVX512)
		search_avx512(bins, words, count, found);
	else
#endif
		search(bins, words, count, found);
	/* items whose words are not the common ones belong to the outer bins */
	for (size_t i = 0; bins->level > bins->from && i < count; i++)
		found[i]++;
	for (unsigned level = bins->from; level < bins->level; level++) {
		const uint64_t common = bins->common[level - bins->from];

		(void)order->words(order->context, items, bytes, count, 8 * level, words);
		for (size_t i = 0; i < count; i++)
			if (words[i] != common && !out[i]) {
				out[i] = true;
				found[i] = words[i] < common ? 0 : (uint16_t)(bins->count - 1);
			}
	}
	return more;
}

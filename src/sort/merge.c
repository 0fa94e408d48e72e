// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.c - merge sorted runs in memory
 *
 * In:   k runs in memory; each is read once, front to back.
 * Out:  spans of sorted keys, in the caller's buffer.
 *
 * Each span is cut into equal shares, one a thread: for the position at which a share begins, select
 * where in each run the keys before it end.  With all cuts known the shares are merged
 * independently, and all are of the same length, whatever the keys (Varman, Scheufler, Iyer,
 * Ricard, "Merging multiple lists on hierarchical-memory multiprocessors", J. Parallel Distrib.
 * Comput. 12, 1991).  funnel.inc merges a share.
 *
 * Invariant: the cuts of a position add up to it; no key before them is greater than one after.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "base/way.h"
#include "sort/cpu/keys.h"
#include "sort/merge.h"

/* The least share: merging it should cost more than selecting its cuts and waking its thread, which
 * takes 30 us with 40 runs.  Not tuned. */
enum { SHARE_KEYS = 16384 };

/*
 * What a thread writes begins on lines of its own, two of them, since lines are fetched in pairs.
 * H200 host, 16 threads, 4 runs of u32, trees of losers: 74 Mkeys/s with neighbours in one line,
 * no more than one thread alone.
 */
enum { LINES_BYTES = 128 };

/*
 * Constants of funnels.  Measured on a 2-core AMD EPYC 9005 VM (1 MiB of L2 a core, 32 MiB of L3):
 * AVX-512, one thread, 2^24 keys in spans of 4 MiB, medians, gcc 12 -O2, CPU time instead of wall
 * time, as the machine was shared.  In ns a key, each line
 *     u32 of 3, 41, 500 runs    u64 of 3, 41, 500 runs
 * with the others as they are here: .34 1.23 3.1   .60 2.2 6.0.  3 % is noise.  AVX2 takes 2.1 for
 * u32 and 8 for u64 of 41 runs; plain C on x86-64, which compares no 64 bits in vectors, 9 and 35.
 * A tree of losers, one comparison a level: 23 and 26.
 */

/*
 * Vectors in a block: more of them hide the latency of a network, and make the network longer.
 *     2    .50 1.68 4.0   .86 2.9 6.8
 *     8    .34 1.34 3.8   .61 2.3 6.9	the two of 500 with 256 KiB of cache
 */
enum { FUNNEL_ROWS = 4, FUNNEL_BLOCK_BYTES = 64 * FUNNEL_ROWS, FUNNEL_NODE_BYTES = 80 };

/*
 * All buffers of a funnel together: about half of a second-level cache.
 *     128 KiB  .34 1.25 4.3   .60 2.2 8.0
 *     256 KiB  .34 1.24 3.8   .60 2.2 6.7
 * And the most of one.  2 KiB and 16 KiB make no difference that shows.
 */
enum { FUNNEL_CACHE_BYTES = 512 << 10, FUNNEL_BUFFER_BYTES = 4096 };

/*
 * How far ahead of its next key each node prefetches, since the processor does not predict which
 * node is next.  2 and 41 runs of u64:
 *     no prefetch  1.25 3.3
 *     512          .74 2.8
 *     4096         .40 2.2	but with 500 runs 7.5, with 256 KiB of cache
 */
enum { FUNNEL_AHEAD_BYTES = 2048 };

struct gs_merge {
	const struct gs_run *runs;
	size_t   run_count;
	unsigned bits;
	unsigned threads;
	enum gs_simd simd;
	void    *buffer;
	size_t   buffer_keys;
	uint64_t left_keys;
	size_t  *starts;	/* [run_count], of this span */
	size_t  *rows;		/* [threads][ROWS][run_count], each thread's on lines of its own */
	struct gs_run *ranges;	/* [threads][run_count], of a share; likewise */
	char    *funnels;	/* [threads][funnel_bytes()]; likewise */
};

/* A thread's rows: where its share begins and ends in each run, and three to find that. */
enum { BEGINS, ENDS, BRACKETS, ROWS = BRACKETS + 3 };

static size_t
rows_bytes(size_t runs)
{
	return gs_round_up(ROWS * runs * sizeof(size_t), LINES_BYTES);
}

static size_t
ranges_bytes(size_t runs)
{
	return gs_round_up(runs * sizeof(struct gs_run), LINES_BYTES);
}

static size_t *
row_of(const struct gs_merge *merge, unsigned share, unsigned row)
{
	return (size_t *)(void *)((char *)merge->rows + share * rows_bytes(merge->run_count)) +
	       row * merge->run_count;
}

/* The buffer of an inner node, in a merge of RUNS. */
static size_t
funnel_buffer_bytes(size_t runs)
{
	const size_t share = FUNNEL_CACHE_BYTES / (runs + 1) / FUNNEL_BLOCK_BYTES * FUNNEL_BLOCK_BYTES;

	return gs_within(FUNNEL_BLOCK_BYTES, share, FUNNEL_BUFFER_BYTES);
}

static size_t
funnel_nodes_bytes(size_t runs)
{
	return gs_round_up(2 * runs * FUNNEL_NODE_BYTES, LINES_BYTES);
}

/* Nodes; largest keys; the block of each leaf; the block and the buffer of each inner node. */
static size_t
funnel_bytes(size_t runs)
{
	return gs_round_up(funnel_nodes_bytes(runs) + FUNNEL_BLOCK_BYTES +
	                   runs * (2 * FUNNEL_BLOCK_BYTES + funnel_buffer_bytes(runs)), LINES_BYTES);
}

/* --- one share ----------------------------------------------------------------- */

#define EACH_WIDTH	"sort/cpu/each_level.inc"
#define EACH_LEVEL	"sort/funnel.inc"
#include "sort/each_width.inc"

typedef void funnel(void *memory, size_t buffer_bytes, const struct gs_run *ranges, size_t count, void *into);

static funnel *
funnel_of(enum gs_simd simd, unsigned bits)
{
#if defined __x86_64__
	if (simd == GS_SIMD_AVX512)
		return bits == 32 ? funnel_avx512_32 : funnel_avx512_64;
	if (simd == GS_SIMD_AVX2)
		return bits == 32 ? funnel_avx2_32 : funnel_avx2_64;
#endif
	(void)simd;
	return bits == 32 ? funnel_none_32 : funnel_none_64;
}

/*
 * Select the POSITION least of the next COUNT keys: where they end in each run goes to CUTS.
 *
 * Bisects the value of the key of that position.  Each run has a bracket: the keys that may be
 * that key.  It is halved along with the values, so all searches of a run together take
 * log(count) + BITS steps.  Then only keys of equal value are left in the brackets; they are
 * taken from the first runs.
 *
 * Invariant: keys below LOW are fewer than POSITION, and are those before LOWS; keys up to HIGH are
 * POSITION or more, and are those before HIGHS.
 */
static inline __attribute__((always_inline)) void
select_width(const struct gs_merge *merge, unsigned share, size_t count, size_t position, size_t *cuts,
             unsigned bits)
{
	const size_t runs = merge->run_count, *begins = merge->starts;
	size_t *lows = row_of(merge, share, BRACKETS), *highs = lows + runs, *middles = highs + runs;
	uint64_t low = UINT64_MAX, high = 0;

	if (position == 0) {
		memcpy(cuts, begins, runs * sizeof *cuts);
		return;
	}
	for (size_t r = 0; r < runs; r++) {
		const void *keys = merge->runs[r].keys;
		const size_t left = merge->runs[r].count - begins[r];

		lows[r] = begins[r];
		highs[r] = begins[r] + (left < count ? left : count);
		if (left > 0) {
			const uint64_t first = gs_key_at(keys, bits, lows[r]);
			const uint64_t last = gs_key_at(keys, bits, highs[r] - 1);

			low = first < low ? first : low;
			high = last > high ? last : high;
		}
	}
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		size_t sum = 0, *swapped;

		for (size_t r = 0; r < runs; r++) {
			middles[r] = gs_keys_above(merge->runs[r].keys, bits, lows[r], highs[r], middle);
			sum += middles[r] - begins[r];
		}
		if (sum >= position) {
			high = middle;
			swapped = highs;
			highs = middles;
		} else {
			low = middle + 1;
			swapped = lows;
			lows = middles;
		}
		middles = swapped;
	}
	for (size_t r = 0; r < runs; r++)
		position -= lows[r] - begins[r];
	for (size_t r = 0; r < runs; r++) {
		const size_t equals = highs[r] - lows[r], taken = equals < position ? equals : position;

		cuts[r] = lows[r] + taken;
		position -= taken;
	}
	assert(position == 0);
}

static void
select_cuts(const struct gs_merge *merge, unsigned share, size_t count, size_t position, size_t *cuts)
{
	if (merge->bits == 32)
		select_width(merge, share, count, position, cuts, 32);
	else
		select_width(merge, share, count, position, cuts, 64);
}

/* The next span: COUNT keys in SHARES. */
struct round {
	const struct gs_merge *merge;
	unsigned               shares;
	size_t                 count;
};

static void
merge_share(void *context, size_t at)
{
	const struct round *round = context;
	const struct gs_merge *merge = round->merge;
	const unsigned share = (unsigned)at;
	const size_t runs = merge->run_count, count = round->count;
	const size_t begin = gs_team_begin(count, share, round->shares);
	const size_t end = gs_team_begin(count, share + 1, round->shares);
	struct gs_run *ranges = (void *)((char *)merge->ranges + share * ranges_bytes(runs));
	const size_t *begins = row_of(merge, share, BEGINS), *ends = row_of(merge, share, ENDS);
	char *into = (char *)merge->buffer + begin * (merge->bits / 8);
	size_t taken = 0;

	/* The thread of the share before selects the same place: that costs less than to wait
	 * for it. */
	select_cuts(merge, share, count, begin, row_of(merge, share, BEGINS));
	select_cuts(merge, share, count, end, row_of(merge, share, ENDS));
	for (size_t r = 0; r < runs; r++)	/* without ranges that are empty */
		if (begins[r] < ends[r])
			ranges[taken++] = (struct gs_run){
				.keys = (const char *)merge->runs[r].keys + begins[r] * (merge->bits / 8),
				.count = ends[r] - begins[r],
			};
	if (gs_way("one run alone", taken == 1))
		memcpy(into, ranges[0].keys, ranges[0].count * (merge->bits / 8));
	else if (gs_way("funnel", taken > 1))
		funnel_of(merge->simd, merge->bits)(merge->funnels + share * funnel_bytes(runs),
		                                    funnel_buffer_bytes(runs), ranges, taken, into);
}

/* --- all of them --------------------------------------------------------------- */

size_t
gs_merge_bytes(size_t run_count, unsigned threads)
{
	const size_t team = gs_within(1, threads, GS_TEAM_MAX);

	return LINES_BYTES + gs_round_up(sizeof(struct gs_merge), LINES_BYTES) +
	       team * (rows_bytes(run_count) + ranges_bytes(run_count) + funnel_bytes(run_count)) +
	       run_count * sizeof(size_t);
}

struct gs_merge *
gs_merge_init(void *memory, unsigned bits, const struct gs_run *runs, size_t run_count,
              unsigned threads, void *buffer, size_t buffer_bytes)
{
	struct gs_merge *merge = memory;
	const unsigned team = (unsigned)gs_within(1, threads, GS_TEAM_MAX);
	char *at = (char *)gs_round_up((uintptr_t)(merge + 1), LINES_BYTES);

	assert((uintptr_t)memory % sizeof(uint64_t) == 0);
	assert((bits == 32 || bits == 64) && buffer_bytes >= bits / 8);
	*merge = (struct gs_merge){
		.runs = runs, .run_count = run_count, .bits = bits, .threads = team,
		.simd = gs_simd_best(), .buffer = buffer, .buffer_keys = buffer_bytes / (bits / 8),
	};
	merge->rows = (size_t *)(void *)at;
	at += team * rows_bytes(run_count);
	merge->ranges = (struct gs_run *)(void *)at;
	at += team * ranges_bytes(run_count);
	merge->funnels = at;
	at += team * funnel_bytes(run_count);
	merge->starts = (size_t *)(void *)at;
	for (size_t r = 0; r < run_count; r++) {
		merge->starts[r] = 0;
		merge->left_keys += runs[r].count;
	}
	assert((char *)(merge->starts + run_count) <= (char *)memory + gs_merge_bytes(run_count, threads));
	return merge;
}

void
gs_merge_to(struct gs_merge *merge, void *buffer)
{
	merge->buffer = buffer;
}

void
gs_merge_next(struct gs_merge *merge, struct gs_span *span)
{
	const size_t count = merge->left_keys < merge->buffer_keys ? (size_t)merge->left_keys
	                                                           : merge->buffer_keys;
	const size_t useful = count / SHARE_KEYS + 1;
	const unsigned shares = useful < merge->threads ? (unsigned)useful : merge->threads;

	*span = (struct gs_span){ .keys = merge->buffer, .count = count, .key_bits = merge->bits };
	if (count == 0)
		return;
	gs_team_each(shares, shares, merge_share, &(struct round){ merge, shares, count });
	memcpy(merge->starts, row_of(merge, shares - 1, ENDS), merge->run_count * sizeof *merge->starts);
	merge->left_keys -= count;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.c - many sorted runs become one
 *
 * In:   k runs in memory; each is read once, front to back.
 * Out:  spans of sorted keys, in the caller's buffer.
 *
 * Each span is cut into as many equal pieces as there are threads: for the rank at
 * which a piece begins, select where in each run the keys before it end.  With all
 * cuts known the pieces are merged independently, and are exactly as long as they
 * should be, whatever the keys (Varman, Scheufler, Iyer, Ricard, "Merging multiple
 * lists on hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12,
 * 1991).
 *
 * Invariant: the cuts of a rank add up to it; no key before them is greater than
 * one behind.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/team.h"
#include "sort/merge.h"

/* A piece is at least so long that merging it should cost more than selecting its
 * cuts and waking its thread: 50 us with 8 runs, 77 Mkeys/s.  Not tuned. */
enum { PIECE_KEYS = 4096 };

struct gs_merge {
	const struct gs_run *runs;
	size_t   run_count;
	size_t   leaf_count;	/* of the loser tree: a power of two >= run_count */
	unsigned bits;
	unsigned threads;
	void    *buffer;
	size_t   buffer_keys;
	uint64_t left_keys;
	size_t  *cuts;		/* [threads + 1][run_count]; the first are where this span begins */
	size_t  *brackets;	/* [threads][3][run_count], for selecting */
	uint64_t *heads;	/* [threads][leaf_count], keys of the tree */
	size_t  *losers;	/* [threads][leaf_count], and their runs */
};

/* --- one piece --------------------------------------------------------------- */

#define PASTE(a, b)	a##_##b
#define NAME2(a, b)	PASTE(a, b)
#define NAME(what)	NAME2(what, BITS)

#define BITS 32
#define KEY uint32_t
#include "sort/merge.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#include "sort/merge.inc"
#undef BITS
#undef KEY

/* --- all of them ------------------------------------------------------------- */

static size_t
leaves(size_t run_count)
{
	size_t count = 2;

	while (count < run_count)
		count *= 2;
	return count;
}

static unsigned
useful_threads(unsigned threads)
{
	return threads < 1 ? 1 : threads > GS_TEAM_MAX ? GS_TEAM_MAX : threads;
}

size_t
gs_merge_bytes(size_t run_count, unsigned threads)
{
	const size_t team = useful_threads(threads);

	return sizeof(struct gs_merge) + (team + 1 + 3 * team) * run_count * sizeof(size_t) +
	       team * leaves(run_count) * (sizeof(uint64_t) + sizeof(size_t));
}

struct gs_merge *
gs_merge_init(void *memory, unsigned bits, const struct gs_run *runs, size_t run_count,
              unsigned threads, void *buffer, size_t buffer_bytes)
{
	struct gs_merge *merge = memory;

	assert((uintptr_t)memory % sizeof(uint64_t) == 0);
	assert((bits == 32 || bits == 64) && buffer_bytes >= bits / 8);
	*merge = (struct gs_merge){
		.runs = runs, .run_count = run_count, .leaf_count = leaves(run_count),
		.bits = bits, .threads = useful_threads(threads),
		.buffer = buffer, .buffer_keys = buffer_bytes / (bits / 8),
	};
	merge->heads = (uint64_t *)(merge + 1);
	merge->losers = (size_t *)(merge->heads + merge->threads * merge->leaf_count);
	merge->cuts = merge->losers + merge->threads * merge->leaf_count;
	merge->brackets = merge->cuts + (merge->threads + 1) * run_count;
	for (size_t r = 0; r < run_count; r++) {
		merge->cuts[r] = 0;
		merge->left_keys += runs[r].count;
	}
	assert((char *)(merge->brackets + 3 * merge->threads * run_count) ==
	       (char *)memory + gs_merge_bytes(run_count, threads));
	return merge;
}

/* Where piece PIECE of COUNT keys ends, into its row of cuts. */
static void
select_cuts(const struct gs_merge *merge, unsigned piece, unsigned pieces, size_t count)
{
	const size_t rank = gs_team_begin(count, piece + 1, pieces);

	if (merge->bits == 32)
		select_32(merge, piece, count, rank);
	else
		select_64(merge, piece, count, rank);
}

static void
merge_piece(const struct gs_merge *merge, unsigned piece, unsigned pieces, size_t count)
{
	const size_t begin = gs_team_begin(count, piece, pieces);
	const size_t end = gs_team_begin(count, piece + 1, pieces);

	if (merge->bits == 32)
		merge_32(merge, piece, (uint32_t *)merge->buffer + begin, end - begin);
	else
		merge_64(merge, piece, (uint64_t *)merge->buffer + begin, end - begin);
}

void
gs_merge_next(struct gs_merge *merge, struct gs_span *span)
{
	const size_t count = merge->left_keys < merge->buffer_keys ? (size_t)merge->left_keys
	                                                           : merge->buffer_keys;
	const size_t useful = count / PIECE_KEYS + 1;
	const unsigned pieces = useful < merge->threads ? (unsigned)useful : merge->threads;

	*span = (struct gs_span){ .keys = merge->buffer, .count = count, .key_bits = merge->bits };
	if (count == 0)
		return;
	#pragma omp parallel num_threads(pieces) if (pieces > 1)
	{
		#pragma omp for schedule(static)
		for (unsigned p = 0; p < pieces; p++)
			select_cuts(merge, p, pieces, count);
		#pragma omp for schedule(static)
		for (unsigned p = 0; p < pieces; p++)
			merge_piece(merge, p, pieces, count);
	}
	memcpy(merge->cuts, merge->cuts + pieces * merge->run_count,
	       merge->run_count * sizeof *merge->cuts);
	merge->left_keys -= count;
}

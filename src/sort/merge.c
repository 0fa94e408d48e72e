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
 * 1991).  merge.inc selects, funnel.inc merges.
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

#if defined __x86_64__
#include <immintrin.h>
#define HAVE_X86	1
#else
#define HAVE_X86	0
#endif

/* A piece is at least so long that merging it should cost more than selecting its
 * cuts and waking its thread: 30 us with 40 runs.  Not tuned. */
enum { PIECE_KEYS = 16384 };

/*
 * What a thread writes begins on lines of its own, two of them, for they are fetched in
 * pairs.  H200 host, 16 threads, 4 runs of u32, trees of losers: 74 Mkeys/s with
 * neighbours in one line, no more than one thread alone.
 */
enum { LINES_BYTES = 128 };

/*
 * Constants of funnels.  Measured on a 2-core AMD EPYC 9005 VM (1 MiB of L2 a core, 32 MiB
 * of L3): AVX-512, one thread, 2^24 keys in spans of 4 MiB, medians, gcc 12 -O2, CPU time
 * instead of wall time, as the machine was shared.  In ns a key, each line
 *     u32 of 3, 41, 500 runs    u64 of 3, 41, 500 runs
 * with the others as they are here: .34 1.23 3.1   .60 2.2 6.0.  3 % is noise.  AVX2 takes
 * 2.1 for u32 and 8 for u64 of 41 runs; plain C on x86-64, which compares no 64 bits in
 * vectors, 9 and 35.  A tree of losers, one comparison a level: 23 and 26.
 */

/*
 * Vectors in a block: more of them hide how long a network takes, and make it longer.
 *     2    .50 1.68 4.0   .86 2.9 6.8
 *     8    .34 1.34 3.8   .61 2.3 6.9	the two of 500 with 256 KiB of cache
 */
enum { FUNNEL_ROWS = 4, FUNNEL_BLOCK_BYTES = 64 * FUNNEL_ROWS, FUNNEL_STREAM_BYTES = 80 };

/*
 * All buffers of a funnel together: about half of a second-level cache.
 *     128 KiB  .34 1.25 4.3   .60 2.2 8.0
 *     256 KiB  .34 1.24 3.8   .60 2.2 6.7
 * And the most of one.  With 2 KiB or 16 KiB nothing changes that shows.
 */
enum { FUNNEL_CACHE_BYTES = 512 << 10, FUNNEL_BUFFER_BYTES = 4096 };

/*
 * So far ahead of where a key class is read it is fetched, as the processor does not foresee
 * which one is next.  2 and 41 runs of u64:
 *     not at all  1.25 3.3
 *     512         .74 2.8
 *     4096        .40 2.2	but at 500 runs 7.5, with 256 KiB of cache
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
	size_t  *rows;		/* [threads][5][run_count], each thread's on lines of its own */
	struct gs_run *ranges;	/* [threads][run_count], of a piece; likewise */
	char    *funnels;	/* [threads][funnel_bytes()]; likewise */
};

static size_t
whole_lines(size_t bytes)
{
	return (bytes + LINES_BYTES - 1) / LINES_BYTES * LINES_BYTES;
}

/* A thread's rows: where its piece begins and ends in each run, and three to find that. */
enum { BEGINS, ENDS, BRACKETS, ROWS = BRACKETS + 3 };

static size_t
rows_bytes(size_t runs)
{
	return whole_lines(ROWS * runs * sizeof(size_t));
}

static size_t *
row_of(const struct gs_merge *merge, unsigned piece, unsigned row)
{
	return (size_t *)(void *)((char *)merge->rows + piece * rows_bytes(merge->run_count)) +
	       row * merge->run_count;
}

/* Of one inner key class, in a merge of RUNS. */
static size_t
funnel_buffer_bytes(size_t runs)
{
	const size_t share = FUNNEL_CACHE_BYTES / (runs + 1) / FUNNEL_BLOCK_BYTES * FUNNEL_BLOCK_BYTES;

	return share < FUNNEL_BLOCK_BYTES ? FUNNEL_BLOCK_BYTES
	     : share > FUNNEL_BUFFER_BYTES ? FUNNEL_BUFFER_BYTES : share;
}

static size_t
funnel_streams_bytes(size_t runs)
{
	return whole_lines(2 * runs * FUNNEL_STREAM_BYTES);
}

/* Streams; largest keys; what a leaf has, and what an inner key class has. */
static size_t
funnel_bytes(size_t runs)
{
	return funnel_streams_bytes(runs) + FUNNEL_BLOCK_BYTES + runs * FUNNEL_BLOCK_BYTES +
	       runs * (FUNNEL_BLOCK_BYTES + funnel_buffer_bytes(runs));
}

/* --- one piece --------------------------------------------------------------- */

#define PASTE3(a, b, c)	a##_##b##_##c
#define PASTE2(a, b)	a##_##b
#define NAME3(a, b, c)	PASTE3(a, b, c)
#define NAME2(a, b)	PASTE2(a, b)

#define BITS 32
#define KEY uint32_t
#define NAME(what)	NAME2(what, BITS)
#include "sort/merge.inc"
#undef NAME
#define NAME(what)	NAME3(what, LEVEL, BITS)
#if HAVE_X86
#define LEVEL avx512
#include "sort/cpu/lanes_avx512.inc"
#include "sort/funnel.inc"
#include "sort/cpu/lanes_end.inc"
#define LEVEL avx2
#include "sort/cpu/lanes_avx2.inc"
#include "sort/funnel.inc"
#include "sort/cpu/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/cpu/lanes_none.inc"
#include "sort/funnel.inc"
#include "sort/cpu/lanes_end.inc"
#undef NAME
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#define NAME(what)	NAME2(what, BITS)
#include "sort/merge.inc"
#undef NAME
#define NAME(what)	NAME3(what, LEVEL, BITS)
#if HAVE_X86
#define LEVEL avx512
#include "sort/cpu/lanes_avx512.inc"
#include "sort/funnel.inc"
#include "sort/cpu/lanes_end.inc"
#define LEVEL avx2
#include "sort/cpu/lanes_avx2.inc"
#include "sort/funnel.inc"
#include "sort/cpu/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/cpu/lanes_none.inc"
#include "sort/funnel.inc"
#include "sort/cpu/lanes_end.inc"
#undef NAME
#undef BITS
#undef KEY

static const struct kind {
	void (*merge_32)(void *memory, size_t buffer_bytes, const struct gs_run *ranges, size_t count,
	                 uint32_t *to);
	void (*merge_64)(void *memory, size_t buffer_bytes, const struct gs_run *ranges, size_t count,
	                 uint64_t *to);
} kinds[] = {
	[GS_SIMD_NONE] = { funnel_none_32, funnel_none_64 },
#if HAVE_X86
	[GS_SIMD_AVX2] = { funnel_avx2_32, funnel_avx2_64 },
	[GS_SIMD_AVX512] = { funnel_avx512_32, funnel_avx512_64 },
#endif
};

/* --- all of them ------------------------------------------------------------- */

static unsigned
useful_threads(unsigned threads)
{
	return threads < 1 ? 1 : threads > GS_TEAM_MAX ? GS_TEAM_MAX : threads;
}

size_t
gs_merge_bytes(size_t run_count, unsigned threads)
{
	const size_t team = useful_threads(threads);

	return LINES_BYTES + whole_lines(sizeof(struct gs_merge)) +
	       team * (rows_bytes(run_count) + whole_lines(run_count * sizeof(struct gs_run)) +
	               whole_lines(funnel_bytes(run_count))) +
	       run_count * sizeof(size_t);
}

struct gs_merge *
gs_merge_init(void *memory, unsigned bits, const struct gs_run *runs, size_t run_count,
              unsigned threads, void *buffer, size_t buffer_bytes)
{
	struct gs_merge *merge = memory;
	const unsigned team = useful_threads(threads);
	char *lines = (char *)memory + whole_lines(sizeof *merge);

	lines += -(uintptr_t)lines % LINES_BYTES;
	assert((uintptr_t)memory % sizeof(uint64_t) == 0);
	assert((bits == 32 || bits == 64) && buffer_bytes >= bits / 8);
	*merge = (struct gs_merge){
		.runs = runs, .run_count = run_count, .bits = bits, .threads = team,
		.simd = gs_simd_best(), .buffer = buffer, .buffer_keys = buffer_bytes / (bits / 8),
	};
	merge->rows = (size_t *)(void *)lines;
	lines += team * rows_bytes(run_count);
	merge->ranges = (struct gs_run *)(void *)lines;
	lines += team * whole_lines(run_count * sizeof *merge->ranges);
	merge->funnels = lines;
	lines += team * whole_lines(funnel_bytes(run_count));
	merge->starts = (size_t *)(void *)lines;
	for (size_t r = 0; r < run_count; r++) {
		merge->starts[r] = 0;
		merge->left_keys += runs[r].count;
	}
	assert((char *)(merge->starts + run_count) <=
	       (char *)memory + gs_merge_bytes(run_count, threads));
	return merge;
}

void
gs_merge_with(struct gs_merge *merge, enum gs_simd simd)
{
	assert(simd <= gs_simd_best());
	merge->simd = simd;
}

/*
 * Where PIECE begins and ends.  The thread of the piece before it selects the same place:
 * that costs less than to wait for it.
 */
static void
select_cuts(const struct gs_merge *merge, unsigned piece, size_t count, size_t begin, size_t end)
{
	if (merge->bits == 32) {
		select_32(merge, piece, count, begin, row_of(merge, piece, BEGINS));
		select_32(merge, piece, count, end, row_of(merge, piece, ENDS));
	} else {
		select_64(merge, piece, count, begin, row_of(merge, piece, BEGINS));
		select_64(merge, piece, count, end, row_of(merge, piece, ENDS));
	}
}

/* The parts of runs that are PIECE, those without keys left out; how many. */
static size_t
take_ranges(const struct gs_merge *merge, unsigned piece, struct gs_run *ranges)
{
	const size_t *begins = row_of(merge, piece, BEGINS), *ends = row_of(merge, piece, ENDS);
	size_t count = 0;

	for (size_t r = 0; r < merge->run_count; r++)
		if (begins[r] < ends[r])
			ranges[count++] = (struct gs_run){
				.keys = (const char *)merge->runs[r].keys + begins[r] * (merge->bits / 8),
				.count = ends[r] - begins[r],
			};
	return count;
}

/* Keys to be merged next, in so many pieces. */
struct share {
	const struct gs_merge *merge;
	unsigned               pieces;
	size_t                 count;
};

static void
merge_piece(void *context, size_t at)
{
	const struct share *share = context;
	const struct gs_merge *merge = share->merge;
	const unsigned piece = (unsigned)at, pieces = share->pieces;
	const size_t count = share->count;
	const size_t runs = merge->run_count, begin = gs_team_begin(count, piece, pieces);
	const size_t end = gs_team_begin(count, piece + 1, pieces);
	char *row = (char *)merge->ranges + piece * whole_lines(runs * sizeof(struct gs_run));
	char *memory = merge->funnels + piece * whole_lines(funnel_bytes(runs));
	char *to = (char *)merge->buffer + begin * (merge->bits / 8);
	struct gs_run *ranges = (struct gs_run *)(void *)row;
	const size_t buffer_bytes = funnel_buffer_bytes(runs);
	size_t taken;

	select_cuts(merge, piece, count, begin, end);
	taken = take_ranges(merge, piece, ranges);
	if (taken == 1)
		memcpy(to, ranges[0].keys, ranges[0].count * (merge->bits / 8));
	else if (taken > 1 && merge->bits == 32)
		kinds[merge->simd].merge_32(memory, buffer_bytes, ranges, taken, (uint32_t *)(void *)to);
	else if (taken > 1)
		kinds[merge->simd].merge_64(memory, buffer_bytes, ranges, taken, (uint64_t *)(void *)to);
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
	gs_team_each(pieces, pieces, merge_piece, &(struct share){ merge, pieces, count });
	memcpy(merge->starts, row_of(merge, pieces - 1, ENDS),
	       merge->run_count * sizeof *merge->starts);
	merge->left_keys -= count;
}

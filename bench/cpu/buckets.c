// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.c - sort an array by the buckets that a job uses, for gsort-bench-cpu
 *
 * The same calls as in a job, without reading and writing: threads take pieces of the input in
 * turn and add them to buckets; then the buckets settle; then threads take parts in turn and
 * sort them to the output.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "bench/clock.h"
#include "bench/cpu/buckets.h"
#include "bench/huge.h"
#include "sort/buckets/buckets.h"

enum { PIECE_BYTES = 128 << 10 };

struct work {
	const char *keys;
	char  *out, *scratch;
	size_t count, width;
	struct gs_buckets *buckets;
	size_t parts;
	_Atomic size_t next;
};

static void
add_pieces(void *context, unsigned rank, unsigned size)
{
	struct work *work = context;
	const size_t piece = PIECE_BYTES / work->width;
	size_t place;

	(void)size;
	while ((place = work->next++) * piece < work->count) {
		const size_t at = place * piece, left = work->count - at;

		if (!gs_buckets_add(work->buckets, rank, place, work->keys + at * work->width,
		                    left < piece ? left : piece))
			abort();
	}
}

static void
sort_parts(void *context, unsigned rank, unsigned size)
{
	struct work *work = context;
	size_t p;

	(void)size;
	while ((p = work->next++) < work->parts)
		gs_buckets_sort_part(work->buckets, rank, p,
		                     work->out + gs_buckets_part(work->buckets, p).at * work->width,
		                     work->scratch + (size_t)rank * GS_PART_BYTES);
}

void
buckets_sort(unsigned bits, const char *keys, char *out, size_t count, unsigned threads,
              enum gs_simd simd, double spent[3])
{
	static char *pool_memory;	/* kept for the next call, so that its pages exist */
	const size_t pool_bytes = (count * bits / 64 * 9 + ((size_t)256 << 20)) >> 21 << 21;
	const size_t table_bytes = gs_buckets_bytes(bits, threads, pool_bytes, GS_PART_BYTES);
	char *memory = calloc(1, table_bytes + gs_pool_bytes(pool_bytes));
	struct work work = { .keys = keys, .out = out, .count = count, .width = bits / 8 };
	double start;

	if (pool_memory == NULL) {
		pool_memory = huge_allocate(pool_bytes);
		memset(pool_memory, 1, pool_bytes);
	}
	work.scratch = huge_allocate((size_t)threads * GS_PART_BYTES);
	work.buckets = gs_buckets_init(memory, gs_pool_init(memory + table_bytes, pool_memory,
	                                                    pool_bytes, 1), bits, threads,
	                                GS_PART_BYTES, count);
	gs_buckets_with(work.buckets, simd);
	start = now();
	gs_team_run(threads, add_pieces, &work);
	spent[0] = now() - start;
	work.parts = gs_buckets_seal(work.buckets, threads);
	spent[1] = now() - start - spent[0];
	work.next = 0;
	gs_team_run(threads, sort_parts, &work);
	spent[2] = now() - start - spent[0] - spent[1];
	free(work.scratch);
	free(memory);
}

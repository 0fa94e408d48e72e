// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows.c - sorts of rows and of segments beside CUB's segmented sorts
 *
 * All take turns: A B C A B C ...  Keys are restored by a copy that is not timed.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/device/compare.h"
#include "bench/device/rows.h"
#include "bench/device/segmented.h"
#include "bench/device/source.h"
#include "bench/must.h"
#include "bench/record.h"
#include "bench/shapes.h"
#include "bench/stats.h"
#include "gsort_cuda.h"

/* CUB's ways, and then gsort. */
enum { GSORT = SEGMENTED_WAYS, WAYS };

static const char *const names[WAYS] = {
	[SEGMENTED_SORT] = "segmented sort", [SEGMENTED_SORT_INTO] = "segmented sort, in/out",
	[SEGMENTED_RADIX] = "radix sort", [SEGMENTED_RADIX_INTO] = "radix sort, in/out", [GSORT] = "gsort",
};

/* What is sorted, beside the harness, which has the keys. */
static struct {
	uint64_t *at;			/* of the device */
	int32_t  *at_32;		/* the same, for CUB */
	size_t    many, length;
	bool      ragged;
	void     *scratch[WAYS];
	size_t    scratch_bytes[WAYS];
	int       way;
} cuts;

uint64_t *
rows_cuts(size_t count, size_t length, bool ragged, size_t *many)
{
	const size_t most = 2 * (count / length) + 64;
	uint64_t *at = must_malloc((most + 1) * sizeof *at);
	size_t piece = 0;

	for (at[0] = 0; piece < most && at[piece] < count; piece++) {
		const size_t keys = ragged ? random_at(length, piece) % (2 * length + 1) : length;

		if (keys > count - at[piece] && !ragged)
			break;
		at[piece + 1] = keys < count - at[piece] ? at[piece] + keys : count;
	}
	*many = piece;
	return at;
}

static enum gsort_error
call(unsigned bits, size_t count, void *keys, void *other, void *scratch)
{
	const enum gsort_type type = bits == 32 ? GSORT_U32 : GSORT_U64;
	size_t *const bytes = &cuts.scratch_bytes[GSORT];

	if (cuts.ragged)
		return gsort_cuda_sort_segments(keys, other, count, cuts.at, cuts.many, type, 0, scratch,
		                                bytes, harness.stream[0]);
	return gsort_cuda_sort_rows(keys, other, cuts.many, cuts.length, type, 0, scratch, bytes,
	                            harness.stream[0]);
}

/* By cuts.way. */
static char *
run_way(unsigned bits, size_t count, size_t tile_keys)
{
	void *keys = harness.work, *other = harness.other, *const scratch = cuts.scratch[cuts.way];

	(void)tile_keys;
	if (cuts.way < SEGMENTED_WAYS) {
		must(segmented_cub((enum segmented_way)cuts.way, &keys, &other, bits, count, cuts.at_32,
		                   cuts.many, scratch, &cuts.scratch_bytes[cuts.way], harness.stream[0]),
		     "CUB");
	} else if (call(bits, count, keys, other, scratch) != GSORT_ERROR_NONE) {
		fprintf(stderr, "gsort-bench: %s\n", gsort_cuda_message());
		exit(1);
	}
	return keys;
}

static void
cuts_open(unsigned bits, size_t count, size_t length, bool ragged)
{
	uint64_t *at = rows_cuts(count, length, ragged, &cuts.many);
	int32_t *at_32 = must_malloc((cuts.many + 1) * sizeof *at_32);

	for (size_t i = 0; i <= cuts.many; i++)
		at_32[i] = (int32_t)at[i];
	cuts.length = length;
	cuts.ragged = ragged;
	must(cudaMalloc((void **)&cuts.at, (cuts.many + 1) * sizeof *at), "cudaMalloc");
	must(cudaMalloc((void **)&cuts.at_32, (cuts.many + 1) * sizeof *at_32), "cudaMalloc");
	must(cudaMemcpy(cuts.at, at, (cuts.many + 1) * sizeof *at, cudaMemcpyHostToDevice), "copy");
	must(cudaMemcpy(cuts.at_32, at_32, (cuts.many + 1) * sizeof *at_32, cudaMemcpyHostToDevice), "copy");
	for (int way = 0; way < WAYS; way++) {
		void *none[2] = { NULL, NULL };

		cuts.scratch_bytes[way] = 0;
		if (way < SEGMENTED_WAYS)
			must(segmented_cub((enum segmented_way)way, &none[0], &none[1], bits, count,
			                   cuts.at_32, cuts.many, NULL, &cuts.scratch_bytes[way], NULL),
			     "CUB");
		else
			(void)call(bits, count, NULL, NULL, NULL);
		must(cudaMalloc(&cuts.scratch[way], cuts.scratch_bytes[way]), "cudaMalloc");
	}
	free(at);
	free(at_32);
}

static void
cuts_close(void)
{
	must(cudaFree(cuts.at), "cudaFree");
	must(cudaFree(cuts.at_32), "cudaFree");
	for (int way = 0; way < WAYS; way++)
		must(cudaFree(cuts.scratch[way]), "cudaFree");
}

/* KEYS ascend in their pieces, and are the keys of DIGEST; or the program ends. */
static void
check(const char *keys, unsigned bits, uint64_t digest)
{
	struct keys_verdict verdict;

	must(segmented_check(keys, bits, cuts.at, cuts.many, &verdict), "checking");
	if (verdict.falls == 0 && verdict.digest == digest)
		return;
	fprintf(stderr, "gsort-bench: %s: the result is wrong\n", names[cuts.way]);
	exit(1);
}

/* Medians of all ways to GIGA_KEYS, a second. */
static void
measure(const struct rows *rows, double *giga_keys)
{
	double seconds[WAYS][COMPARE_MOST_RUNS];
	struct keys_verdict before;

	must(segmented_check(harness.source, rows->bits, cuts.at, cuts.many, &before), "checking");
	for (unsigned run = 0; run <= rows->runs; run++)
		for (cuts.way = 0; cuts.way < WAYS; cuts.way++) {
			char *result;
			const double time = harness_time(names[cuts.way], run_way, rows->bits, rows->count, 0,
			                                 &result);

			if (run > 0)
				seconds[cuts.way][run - 1] = time;
			else			/* it also warms up */
				check(result, rows->bits, before.digest);
		}
	for (int way = 0; way < WAYS; way++)
		giga_keys[way] = (double)rows->count / 1e9 / stats_of(seconds[way], rows->runs).median;
}

static void
print(const struct rows *rows, const double *giga_keys)
{
	const char *const kind = cuts.ragged ? "ragged" : "rows";
	int best = 0;

	for (int way = 1; way < SEGMENTED_WAYS; way++)
		if (giga_keys[way] > giga_keys[best])
			best = way;
	printf("%-4s %-7s %7zu %8.2f %8.2f %8.2f %6.2f  %s\n", rows->type, kind, cuts.length,
	       giga_keys[GSORT],
	       giga_keys[giga_keys[SEGMENTED_SORT] < giga_keys[SEGMENTED_SORT_INTO]],
	       giga_keys[SEGMENTED_RADIX + (giga_keys[SEGMENTED_RADIX] < giga_keys[SEGMENTED_RADIX_INTO])],
	       giga_keys[GSORT] / giga_keys[best], names[best]);
	fflush(stdout);
	record_text("type", rows->type);
	record_text("kind", kind);
	record_number("length", (double)cuts.length);
	record_number("keys", (double)rows->count);
	record_number("runs", rows->runs);
	record_number("gsort_gkeys", giga_keys[GSORT]);
	record_number("cub_gkeys", giga_keys[best]);
	record_text("cub_call", names[best]);
	record_end();
}

void
rows_print(const struct rows *rows)
{
	static const size_t lengths[] = {
		1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1000, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 10000,
		1 << 14, 1 << 15, 1 << 16, 100000, 1 << 17,
	};

	(void)source_load(rows->bits, rows->count, rows->shape, rows->seed);
	printf("%-4s %-7s %7s %8s %8s %8s %6s\n", "", "Gkeys/s", "length", "gsort", "cub seg", "radix",
	       "times");
	for (int ragged = 0; ragged < 2; ragged++)
		for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
			double giga_keys[WAYS];

			if (lengths[l] > rows->count)
				continue;
			cuts_open(rows->bits, rows->count, lengths[l], ragged);
			measure(rows, giga_keys);
			print(rows, giga_keys);
			cuts_close();
		}
}

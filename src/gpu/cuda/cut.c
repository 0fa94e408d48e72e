// SPDX-License-Identifier: BSD-2-Clause
/*
 * cut.c - sorted runs of one class, cut at exact positions
 *
 * In:   sorted runs, with the first key and the checksum of each block.
 * Out:  for each position the place in each run, and the checksum of the keys before it.
 *
 * The cut at position t is found by bisection on the key: the largest key that at most t keys are less
 * than.  Most steps only look at first keys; the last few look into one block of each run, which is
 * copied to the host if the run is on a GPU.  Keys that are equal are dealt to the runs in
 * order, so a cut is exact however many there are (Varman et al., "Merging multiple lists on
 * hierarchical-memory multiprocessors", JPDC 1991, find exact splitters of sorted lists by other
 * steps).  Cuts do not depend on each other: several threads make them.
 *
 * Nothing that a GPU found is believed: a cut that does not add up to its position is an error.
 */
#include <stdlib.h>

#include "base/round.h"
#include "base/thread.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/runs.h"
#include "sort/checksum.h"
#include "sort/cpu/keys.h"

/* A cut takes some ten copies of 64 KiB, one after the other, if its runs are on the GPU.  Not tuned. */
enum { THREADS = 8, LEAST_CUTS = 16 };

/* A run, while it is being cut. */
struct cut_run {
	const struct gs_gpu_run *run;
	size_t   summed;		/* how many blocks are in: */
	uint64_t blocks_sum;
	char    *block;			/* of a run on a GPU: a copy of ... */
	size_t   number;		/* ... this block */
};

struct cutter {
	const struct gs_gpu_cuts *cuts;
	size_t          from, to;	/* of the positions */
	struct cut_run *cut_runs;
	size_t          count;
	unsigned        bits;
	uint64_t        key;		/* of the last cut */
	struct gs_thread thread;
};

/* ---- one run ----------------------------------------------------------------- */

static size_t
keys_of_block(const struct gs_gpu_run *run, size_t block)
{
	return gs_least(GS_BLOCK_KEYS, run->count - block * GS_BLOCK_KEYS);
}

/* Find the keys of a block. */
static gs_status
look_into(struct cut_run *cut_run, size_t block, const char **keys)
{
	const struct gs_gpu_run *run = cut_run->run;
	const size_t key_bytes = run->bits / 8;
	char *from = run->keys + block * GS_BLOCK_KEYS * key_bytes;

	*keys = from;
	if (run->device == NULL)
		return GS_OK;
	*keys = cut_run->block;
	if (cut_run->number == block)
		return GS_OK;
	TRY(gs_device_use(run->device));
	TRY_CUDA(cudaMemcpyAsync(cut_run->block, from, keys_of_block(run, block) * key_bytes,
	                         cudaMemcpyDeviceToHost, run->device->out),
	         "copying sorted keys from it");
	TRY_CUDA(cudaStreamSynchronize(run->device->out), "copying sorted keys from it");
	cut_run->number = block;
	return GS_OK;
}

/* Blocks whose first key is less. */
static size_t
blocks_less(const struct gs_gpu_run *run, uint64_t key)
{
	return gs_keys_from(run->firsts, 64, 0, gs_run_blocks(run->count), key);
}

/* How many keys of the run are less than KEY? */
static gs_status
keys_less(struct cut_run *cut_run, uint64_t key, size_t *count)
{
	const struct gs_gpu_run *run = cut_run->run;
	const size_t blocks = blocks_less(run, key);
	const char *keys;

	*count = 0;
	if (blocks == 0)
		return GS_OK;
	TRY(look_into(cut_run, blocks - 1, &keys));
	*count = (blocks - 1) * GS_BLOCK_KEYS +
	         gs_keys_from(keys, run->bits, 0, keys_of_block(run, blocks - 1), key);
	return GS_OK;
}

/* Add up all keys before AT.  What is not a whole block is looked at; it must be as the GPU that
 * sorted it found it. */
static gs_status
sum_up_to(struct cut_run *cut_run, size_t at, uint64_t *sum)
{
	const struct gs_gpu_run *run = cut_run->run;
	const size_t rest = at < run->count ? at % GS_BLOCK_KEYS : 0;
	const size_t blocks = at < run->count ? at / GS_BLOCK_KEYS : gs_run_blocks(at);
	uint64_t part = 0, whole = 0;
	const char *keys;

	for (; cut_run->summed < blocks; cut_run->summed++)
		cut_run->blocks_sum += run->sums[cut_run->summed];
	*sum = cut_run->blocks_sum;
	if (rest == 0)
		return GS_OK;
	TRY(look_into(cut_run, blocks, &keys));
	for (size_t i = 0; i < keys_of_block(run, blocks); i++) {
		if (i == rest)
			part = whole;
		whole += gs_checksum_of(run->key_class, gs_key_at(keys, run->bits, i));
	}
	if (whole != run->sums[blocks])
		return gs_gpu_wrong("sorted keys were damaged on their way back");
	*sum += part;
	return GS_OK;
}

/* ---- a cut --------------------------------------------------------------------- */

/* Are at most POSITION keys less than KEY? */
static gs_status
at_most(struct cutter *cutter, uint64_t key, uint64_t position, bool *yes)
{
	uint64_t low = 0, high = 0;

	for (size_t r = 0; r < cutter->count; r++) {
		const struct gs_gpu_run *run = cutter->cut_runs[r].run;
		const size_t blocks = blocks_less(run, key);

		low += blocks == 0 ? 0 : (blocks - 1) * GS_BLOCK_KEYS + 1;
		high += gs_least(blocks * GS_BLOCK_KEYS, run->count);
	}
	*yes = high <= position;
	if (high <= position || low > position)
		return GS_OK;
	low = 0;
	for (size_t r = 0; r < cutter->count; r++) {
		size_t count;

		TRY(keys_less(&cutter->cut_runs[r], key, &count));
		low += count;
	}
	*yes = low <= position;
	return GS_OK;
}

static uint64_t
last_key(unsigned bits)
{
	return UINT64_MAX >> (64 - bits);
}

/* Where each run is cut, so that POSITION keys are before. */
static gs_status
find_cut(struct cutter *cutter, uint64_t position, size_t *at)
{
	uint64_t left = position, high = last_key(cutter->bits);

	if (cutter->count == 1) {
		*at = (size_t)position;
		return GS_OK;
	}
	/* move the cutter to the key at POSITION, no less than its last one */
	while (cutter->key < high) {
		const uint64_t middle = cutter->key + (high - cutter->key) / 2 + 1;
		bool yes;

		TRY(at_most(cutter, middle, position, &yes));
		if (yes)
			cutter->key = middle;
		else
			high = middle - 1;
	}
	for (size_t r = 0; r < cutter->count; r++) {
		TRY(keys_less(&cutter->cut_runs[r], cutter->key, &at[r]));
		if (at[r] > left)
			return gs_gpu_wrong("it is out of order");
		left -= at[r];
	}
	for (size_t r = 0; r < cutter->count && left > 0; r++) {
		struct cut_run *cut_run = &cutter->cut_runs[r];
		size_t up_to = cut_run->run->count;

		if (cutter->key < last_key(cutter->bits))
			TRY(keys_less(cut_run, cutter->key + 1, &up_to));
		if (up_to < at[r])
			return gs_gpu_wrong("it is out of order");
		up_to -= at[r];
		at[r] += gs_least(up_to, left);
		left -= gs_least(up_to, left);
	}
	return left == 0 ? GS_OK : gs_gpu_wrong("it is out of order");
}

/* ---- several cuts ---------------------------------------------------------------- */

/* Runs on a GPU are looked at through copies of their blocks. */
static gs_status
open_cutter(struct cutter *cutter)
{
	const struct gs_gpu_cuts *cuts = cutter->cuts;

	TRY(GS_NEW(cutter->cut_runs, cuts->run_count, "runs"));
	for (; cutter->count < cuts->run_count; cutter->count++) {
		const struct gs_gpu_run *run = cuts->runs[cutter->count];
		struct cut_run *cut_run = &cutter->cut_runs[cutter->count];

		cutter->bits = run->bits;
		*cut_run = (struct cut_run){ .run = run, .number = SIZE_MAX };
		if (run->device != NULL)
			TRY(GS_NEW(cut_run->block, GS_BLOCK_KEYS * (run->bits / 8), "bytes of a block"));
	}
	return GS_OK;
}

static gs_status
cut_all(struct cutter *cutter)
{
	const struct gs_gpu_cuts *cuts = cutter->cuts;

	for (size_t c = cutter->from; c < cutter->to; c++) {
		size_t *at = cuts->at + c * cuts->run_count;
		uint64_t *sums = cuts->sums + c * cuts->run_count;

		if (cuts->positions[c] == cuts->keys)
			for (size_t r = 0; r < cuts->run_count; r++)
				at[r] = cuts->runs[r]->count;
		else
			TRY(find_cut(cutter, cuts->positions[c], at));
		for (size_t r = 0; r < cuts->run_count; r++)
			TRY(sum_up_to(&cutter->cut_runs[r], at[r], &sums[r]));
	}
	return GS_OK;
}

static gs_status
work(void *context)
{
	struct cutter *cutter = context;
	gs_status status = open_cutter(cutter);

	THEN(status, cut_all(cutter));
	for (size_t r = 0; r < cutter->count; r++)
		free(cutter->cut_runs[r].block);
	free(cutter->cut_runs);
	return status;
}

gs_status
gs_gpu_cut(const struct gs_gpu_cuts *cuts)
{
	const size_t threads = gs_least(THREADS, cuts->count / LEAST_CUTS + 1);
	struct cutter *cutters;
	gs_status status = GS_OK;

	TRY(GS_NEW(cutters, threads, "threads"));
	for (size_t t = 0; t < threads; t++) {
		cutters[t] = (struct cutter){
			.cuts = cuts, .from = cuts->count * t / threads,
			.to = cuts->count * (t + 1) / threads,
		};
		if (t + 1 == threads || gs_thread_start(&cutters[t].thread, work, &cutters[t]) != GS_OK)
			status = status == GS_OK ? work(&cutters[t]) : status;
	}
	for (size_t t = 0; t < threads; t++) {
		const gs_status of_thread = gs_thread_join(&cutters[t].thread);

		status = status == GS_OK ? of_thread : status;
	}
	free(cutters);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * slice.c - runs divided into slices of the output
 *
 * In:   sorted runs, with the first key and the checksum of each block.
 * Out:  for each slice its range of each run, and the checksum of all its keys.
 *
 * The cut at rank t is found by bisection on the key: the largest key that at most t keys are less
 * than.  Most steps only look at first keys; the last few look into one block of each run, which is
 * copied to the host if the run is on a GPU.  Keys that are equal are dealt to the runs in
 * order, so a cut is exact however many there are (Varman et al., "Merging multiple lists on
 * hierarchical-memory multiprocessors", JPDC 1991, find exact splitters of sorted lists by other
 * steps).
 *
 * Nothing that a GPU found is believed: cuts that go backwards, or do not add up to their
 * rank, are an error.  Whether a slice has the right keys shows when it is sorted.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda/device.h"
#include "gpu/cuda/slice.h"
#include "sort/checksum.h"

/* A run, while it is being cut. */
struct cutting {
	const struct gs_gpu_run *run;
	size_t   at;			/* the last cut */
	uint64_t sum;			/* of all keys before it ... */
	size_t   summed;		/* ... of which so many blocks are in: */
	uint64_t blocks_sum;
	char    *block;			/* of a run on a GPU: a copy of ... */
	size_t   number;		/* ... this block */
};

struct cutter {
	struct cutting *cuttings;
	size_t          count;
	unsigned        key_class, bits;
	uint64_t        key;		/* of the last cut */
};

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static gs_status
inconsistent(void)
{
	return gs_fail(GS_EDEVICE, "the GPU's result is wrong: it is out of order");
}

/* ---- one run ----------------------------------------------------------------- */

static size_t
keys_of_block(const struct gs_gpu_run *run, size_t block)
{
	return least(GS_BLOCK_KEYS, run->count - block * GS_BLOCK_KEYS);
}

/* Find the keys of a block. */
static gs_status
look_into(struct cutting *cutting, size_t block, const char **keys)
{
	const struct gs_gpu_run *run = cutting->run;
	const size_t key_bytes = run->bits / 8;
	char *from = run->keys + block * GS_BLOCK_KEYS * key_bytes;

	*keys = from;
	if (run->device == NULL)
		return GS_OK;
	*keys = cutting->block;
	if (cutting->number == block)
		return GS_OK;
	TRY(gs_device_use(run->device));
	TRY_CUDA(cudaMemcpyAsync(cutting->block, from, keys_of_block(run, block) * key_bytes,
	                         cudaMemcpyDeviceToHost, run->device->out),
	         "copying sorted keys from it");
	TRY_CUDA(cudaStreamSynchronize(run->device->out), "copying sorted keys from it");
	cutting->number = block;
	return GS_OK;
}

/* How many of COUNT sorted keys are less than KEY? */
static size_t
count_less(const char *keys, unsigned bits, size_t count, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (gs_key_at(keys, bits, middle) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Blocks whose first key is less. */
static size_t
blocks_less(const struct gs_gpu_run *run, uint64_t key)
{
	return count_less((const char *)run->firsts, 64, gs_run_blocks(run->count), key);
}

/* How many keys of the run are less than KEY? */
static gs_status
keys_less(struct cutting *cutting, uint64_t key, size_t *count)
{
	const struct gs_gpu_run *run = cutting->run;
	const size_t blocks = blocks_less(run, key);
	const char *keys;

	*count = 0;
	if (blocks == 0)
		return GS_OK;
	TRY(look_into(cutting, blocks - 1, &keys));
	*count = (blocks - 1) * GS_BLOCK_KEYS +
	         count_less(keys, run->bits, keys_of_block(run, blocks - 1), key);
	return GS_OK;
}

/* Add up all keys before AT.  What is not a whole block is looked at; it must be as the GPU that
 * sorted it found it. */
static gs_status
sum_up_to(struct cutting *cutting, size_t at, uint64_t *sum)
{
	const struct gs_gpu_run *run = cutting->run;
	const size_t blocks = at / GS_BLOCK_KEYS, rest = at % GS_BLOCK_KEYS;
	uint64_t part = 0, whole = 0;
	const char *keys;

	for (; cutting->summed < blocks; cutting->summed++)
		cutting->blocks_sum += run->sums[cutting->summed];
	if (rest > 0) {
		TRY(look_into(cutting, blocks, &keys));
		for (size_t i = 0; i < keys_of_block(run, blocks); i++) {
			if (i == rest)
				part = whole;
			whole += gs_checksum_of(run->key_class, gs_key_at(keys, run->bits, i));
		}
		if (rest == keys_of_block(run, blocks))		/* the end of the run */
			part = whole;
		if (whole != run->sums[blocks])
			return gs_fail(GS_EDEVICE, "the GPU's result is wrong: sorted keys were "
			               "damaged on their way back");
	}
	*sum = cutting->blocks_sum + part;
	return GS_OK;
}

/* ---- a cut --------------------------------------------------------------------- */

/* Are at most RANK keys less than KEY? */
static gs_status
at_most(struct cutter *cutter, uint64_t key, uint64_t rank, bool *yes)
{
	uint64_t low = 0, high = 0;

	for (size_t r = 0; r < cutter->count; r++) {
		const struct gs_gpu_run *run = cutter->cuttings[r].run;
		const size_t blocks = blocks_less(run, key);

		low += blocks == 0 ? 0 : (blocks - 1) * GS_BLOCK_KEYS + 1;
		high += least(blocks * GS_BLOCK_KEYS, run->count);
	}
	*yes = high <= rank;
	if (high <= rank || low > rank)
		return GS_OK;
	low = 0;
	for (size_t r = 0; r < cutter->count; r++) {
		size_t count;

		TRY(keys_less(&cutter->cuttings[r], key, &count));
		low += count;
	}
	*yes = low <= rank;
	return GS_OK;
}

static uint64_t
last_key(unsigned bits)
{
	return UINT64_MAX >> (64 - bits);
}

/* Move the cutter to the key at RANK, no less than its last one. */
static gs_status
find_key(struct cutter *cutter, uint64_t rank)
{
	uint64_t low = cutter->key, high = last_key(cutter->bits);

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2 + 1;
		bool yes;

		TRY(at_most(cutter, middle, rank, &yes));
		if (yes)
			low = middle;
		else
			high = middle - 1;
	}
	cutter->key = low;
	return GS_OK;
}

/* Where each run is cut, so that RANK keys are before. */
static gs_status
find_cut(struct cutter *cutter, uint64_t rank, size_t *at)
{
	uint64_t left = rank;

	TRY(find_key(cutter, rank));
	for (size_t r = 0; r < cutter->count; r++) {
		TRY(keys_less(&cutter->cuttings[r], cutter->key, &at[r]));
		if (at[r] > left)
			return inconsistent();
		left -= at[r];
	}
	for (size_t r = 0; r < cutter->count && left > 0; r++) {
		struct cutting *cutting = &cutter->cuttings[r];
		size_t up_to = cutting->run->count;

		if (cutter->key < last_key(cutter->bits))
			TRY(keys_less(cutting, cutter->key + 1, &up_to));
		if (up_to < at[r])
			return inconsistent();
		up_to -= at[r];
		at[r] += least(up_to, left);
		left -= least(up_to, left);
	}
	return left == 0 ? GS_OK : inconsistent();
}

/* ---- slices ---------------------------------------------------------------------- */

static gs_status
append(struct gs_gpu_slices *slices, struct gs_gpu_slice **slice)
{
	*slice = NULL;
	if (slices->count == slices->room) {
		struct gs_gpu_slice *list = gs_gpu_grown(slices->list, &slices->room, sizeof *list);

		if (list == NULL)
			return gs_fail(GS_EBUDGET, "out of memory");
		slices->list = list;
	}
	*slice = &slices->list[slices->count++];
	return GS_OK;
}

/* The keys between the last cuts and these are the next slice. */
static gs_status
cut_slice(struct gs_gpu_slices *slices, struct cutter *cutter, const size_t *at)
{
	struct gs_gpu_slice *slice;

	TRY(append(slices, &slice));
	*slice = (struct gs_gpu_slice){ .key_class = cutter->key_class, .bits = cutter->bits };
	slice->pieces = malloc(cutter->count * sizeof *slice->pieces);
	if (slice->pieces == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	for (size_t r = 0; r < cutter->count; r++) {
		struct cutting *cutting = &cutter->cuttings[r];
		uint64_t sum = 0;

		if (at[r] < cutting->at)
			return inconsistent();
		if (at[r] == cutting->at)
			continue;
		slice->pieces[slice->piece_count++] = (struct gs_gpu_piece){
			.run = cutting->run, .from = cutting->at, .count = at[r] - cutting->at,
		};
		slice->count += at[r] - cutting->at;
		TRY(sum_up_to(cutting, at[r], &sum));
		slice->sum += sum - cutting->sum;
		cutting->sum = sum;
		cutting->at = at[r];
	}
	return GS_OK;
}

static gs_status
cut(struct gs_gpu_slices *slices, struct cutter *cutter, size_t slice_keys, size_t *at)
{
	uint64_t count = 0;

	for (size_t r = 0; r < cutter->count; r++)
		count += cutter->cuttings[r].run->count;
	for (uint64_t rank = slice_keys; rank < count; rank += slice_keys) {
		TRY(find_cut(cutter, rank, at));
		TRY(cut_slice(slices, cutter, at));
	}
	for (size_t r = 0; r < cutter->count; r++)
		at[r] = cutter->cuttings[r].run->count;
	return cut_slice(slices, cutter, at);
}

/* Runs on a GPU are looked at through copies of their blocks. */
static gs_status
open_cutter(struct cutter *cutter, const struct gs_gpu_runs *runs, unsigned key_class)
{
	cutter->key_class = key_class;
	cutter->cuttings = calloc(runs->count, sizeof *cutter->cuttings);
	if (cutter->cuttings == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	for (size_t r = 0; r < runs->count; r++) {
		const struct gs_gpu_run *run = &runs->list[r];
		struct cutting *cutting = &cutter->cuttings[cutter->count];

		if (run->key_class != key_class)
			continue;
		cutter->count++;
		cutter->bits = run->bits;
		*cutting = (struct cutting){ .run = run, .number = SIZE_MAX };
		if (run->device == NULL)
			continue;
		cutting->block = malloc(GS_BLOCK_KEYS * (run->bits / 8));
		if (cutting->block == NULL)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	return GS_OK;
}

static void
close_cutter(struct cutter *cutter)
{
	for (size_t r = 0; r < cutter->count; r++)
		free(cutter->cuttings[r].block);
	free(cutter->cuttings);
}

/* A class that is one run on a GPU stays there. */
static gs_status
keep(struct gs_gpu_slices *slices, const struct gs_gpu_run *run)
{
	struct gs_gpu_slice *slice;

	TRY(append(slices, &slice));
	*slice = (struct gs_gpu_slice){
		.key_class = run->key_class, .bits = run->bits, .count = run->count, .sorted = run,
	};
	return GS_OK;
}

static gs_status
cut_class(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs, unsigned key_class,
          size_t slice_bytes)
{
	struct cutter cutter = { .count = 0 };
	size_t *at = NULL;
	gs_status status = open_cutter(&cutter, runs, key_class);

	if (status == GS_OK && (at = calloc(cutter.count + 1, sizeof *at)) == NULL)
		status = gs_fail(GS_EBUDGET, "out of memory");
	if (status == GS_OK && cutter.count == 1 && cutter.cuttings[0].run->device != NULL)
		status = keep(slices, cutter.cuttings[0].run);
	else if (status == GS_OK && cutter.count > 0)
		status = cut(slices, &cutter, slice_bytes / (cutter.bits / 8), at);
	close_cutter(&cutter);
	free(at);
	return status;
}

gs_status
gs_gpu_slices_cut(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs,
                  size_t slice_bytes, unsigned workers, bool descending_classes)
{
	if (runs->count == 0)
		return GS_OK;
	for (unsigned i = 0; i < GS_CLASSES; i++)
		TRY(cut_class(slices, runs, descending_classes ? GS_CLASSES - 1 - i : i,
		              slice_bytes));
	for (size_t s = 0; s < slices->count; s++) {
		struct gs_gpu_slice *slice = &slices->list[s];

		slice->worker = slice->sorted != NULL ? slice->sorted->device->number
		                                      : (unsigned)(s % workers);
	}
	return GS_OK;
}

void
gs_gpu_slices_reset(struct gs_gpu_slices *slices)
{
	for (size_t s = 0; s < slices->count; s++)
		free(slices->list[s].pieces);
	slices->count = 0;
}

void
gs_gpu_slices_close(struct gs_gpu_slices *slices)
{
	gs_gpu_slices_reset(slices);
	free(slices->list);
	slices->list = NULL;
	slices->room = 0;
}

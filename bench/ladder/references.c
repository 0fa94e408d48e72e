// SPDX-License-Identifier: BSD-2-Clause
/*
 * references.c - other sorts behind the interface of a variant, for comparison
 *
 * Those on the GPU send and receive in pinned memory, as report 003 did for CUB.
 * "gsort" is the sort that gsort uses; "gsort_network" is its network alone: tiles, then merges
 * by path.
 */
#include "config.h"

#include <stdlib.h>

#include "bench/cpu/buckets.h"
#include "bench/device/cub.h"
#include "bench/ladder/references.h"
#include "bench/ladder/std_sort.h"
#include "bench/must.h"
#include "kernels/kernels.h"
#include "kernels/paper/tile_merge.h"

enum { NETWORK_TILE_KEYS = 1 << 22, ALIGN = 256 };

static int
compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int
qsort_sort(struct variant_job *job)
{
	qsort(job->keys, job->count, sizeof *job->keys, compare);
	return 0;
}

static int
std_sort_sort(struct variant_job *job)
{
	std_sort(job->keys, job->count);
	return 0;
}

/* Room for the keys once more, and other scratch memory behind them. */
static size_t
twice(size_t count)
{
	return (count * sizeof(uint32_t) + ALIGN - 1) / ALIGN * ALIGN;
}

static int
gsort_cpu_sort(struct variant_job *job)
{
	bench_buckets(32, job->keys, job->keys, job->count, job->threads != 0 ? job->threads : 1,
	              gs_simd_best(), NULL);
	return 0;
}

/* CUB's own scratch memory.  Its size is asked for once per size of input, outside the measured time. */
static size_t
cub_bytes(enum cub_which which, size_t count)
{
	static struct { size_t count, bytes; } known[CUB_MERGE + 1];

	if (known[which].count != count) {
		must(cub_scratch_bytes(which, 32, KEYS_UNSIGNED, count, &known[which].bytes), "CUB");
		known[which].count = count;
	}
	return known[which].bytes;
}

static size_t
cub_radix_scratch(size_t count)
{
	return twice(count) + cub_bytes(CUB_BUFFER_32, count);
}

static size_t
cub_merge_scratch(size_t count)
{
	return cub_bytes(CUB_MERGE, count);
}

static int
cub_radix_sort(struct variant_job *job)
{
	char *scratch = job->scratch;
	void *keys = job->keys, *other = scratch;
	const cudaError_t error = cub_sort(CUB_BUFFER_32, &keys, &other, 32, KEYS_UNSIGNED, job->count,
	                                   scratch + twice(job->count),
	                                   cub_bytes(CUB_BUFFER_32, job->count), job->stream);

	job->keys = keys;
	return (int)error;
}

static int
cub_merge_sort(struct variant_job *job)
{
	void *keys = job->keys, *none = NULL;

	return (int)cub_sort(CUB_MERGE, &keys, &none, 32, KEYS_UNSIGNED, job->count, job->scratch,
	                     cub_bytes(CUB_MERGE, job->count), job->stream);
}

static size_t
gsort_scratch(size_t count)
{
	return twice(count) + gs_sort_scratch_bytes(32, count);
}

/* As gsort does, which opens a sorter once: opening takes 0.3 ms. */
static int
gsort_sort(struct variant_job *job)
{
	static struct gs_sorter sorter;

	if (sorter.processors == 0 && gs_sorter_open(&sorter) != cudaSuccess)
		return (int)cudaGetLastError();
	return (int)gs_sort(&sorter, job->keys, job->scratch, 32, (struct gs_key_map){ 0 }, job->count,
	                    (char *)job->scratch + twice(job->count), job->stream);
}

static size_t
network_room(size_t count)
{
	return (count + 3) / 4 * 4;	/* the next tile begins at a multiple of 16 bytes */
}

static size_t
network_scratch(size_t count)
{
	return twice(network_room(count)) + gs_tile_merge_scratch_bytes(32, count);
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Merge neighbours of RUN keys until there is one run. */
static int
network_merge(struct variant_job *job)
{
	uint32_t *other = job->scratch;
	void *scratch = (char *)job->scratch + twice(network_room(job->count));
	int error = 0;

	for (size_t run = NETWORK_TILE_KEYS; error == 0 && run < job->count; run *= 2) {
		uint32_t *from = job->keys;

		for (size_t at = 0; error == 0 && at < job->count; at += 2 * run) {
			const size_t a = least(job->count - at, run);
			const size_t b = least(job->count - at - a, run);

			error = (int)gs_tile_merge(other + at, from + at, a, from + at + a, b, 32,
			                           scratch, job->stream);
		}
		job->keys = other;
		other = from;
	}
	return error;
}

static int
network_sort(struct variant_job *job)
{
	int error = 0;

	for (size_t at = 0; error == 0 && at < job->count; at += NETWORK_TILE_KEYS)
		error = (int)gs_tile_sort(job->keys + at, 32, least(job->count - at, NETWORK_TILE_KEYS),
		                          job->stream);
	return error != 0 ? error : network_merge(job);
}

#define ANY_COUNT	.least_keys = 1, .most_keys = (size_t)1 << 32, .pads = true

static const struct variant variant_qsort = {
	.name = "qsort", .report = "reference", .idea = "the C library, one core",
	.place = VARIANT_CPU, ANY_COUNT, .sort = qsort_sort,
};

static const struct variant variant_std_sort = {
	.name = "std_sort", .report = "reference", .idea = "the C++ library, one core",
	.place = VARIANT_CPU, ANY_COUNT, .sort = std_sort_sort,
};

static const struct variant variant_gsort_cpu = {
	.name = "gsort_cpu", .report = "reference", .idea = "gsort without a GPU",
	.place = VARIANT_CPU, ANY_COUNT, .shapes = true,
	.sort = gsort_cpu_sort,
};

static const struct variant variant_cub_radix = {
	.name = "cub_radix", .report = "reference", .idea = "cub::DeviceRadixSort",
	.place = VARIANT_GPU, ANY_COUNT, .pinned = true,
	.scratch_bytes = cub_radix_scratch, .sort = cub_radix_sort,
};

static const struct variant variant_cub_merge = {
	.name = "cub_merge", .report = "reference", .idea = "cub::DeviceMergeSort",
	.place = VARIANT_GPU, ANY_COUNT, .pinned = true,
	.scratch_bytes = cub_merge_scratch, .sort = cub_merge_sort,
};

static const struct variant variant_gsort = {
	.name = "gsort", .report = "reference", .idea = "gsort's kernels: bins, then networks",
	.place = VARIANT_GPU, ANY_COUNT, .pinned = true,
	.scratch_bytes = gsort_scratch, .sort = gsort_sort,
};

static const struct variant variant_gsort_network = {
	.name = "gsort_network", .report = "reference", .idea = "gsort's network alone, in tiles, merged",
	.place = VARIANT_GPU, ANY_COUNT, .pinned = true, .room = network_room,
	.scratch_bytes = network_scratch, .sort = network_sort,
};

const struct variant *const references[] = {
	&variant_qsort, &variant_std_sort, &variant_gsort_cpu,
	&variant_cub_radix, &variant_cub_merge, &variant_gsort,
	&variant_gsort_network, NULL,
};

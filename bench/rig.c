// SPDX-License-Identifier: BSD-2-Clause
/* rig.c - set up the device, and time one contestant on it */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/cub.h"
#include "bench/rig.h"
#include "kernels/kernels.h"

struct rig rig;

void
must(cudaError_t error, const char *doing)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "gsort-bench: %s: %s\n", doing, cudaGetErrorString(error));
	exit(1);
}

void *
must_malloc(size_t bytes)
{
	void *memory = malloc(bytes);

	if (memory == NULL) {
		fprintf(stderr, "gsort-bench: no memory for %zu bytes; try fewer --keys\n", bytes);
		exit(1);
	}
	return memory;
}

void
rig_open(unsigned bits, size_t keys)
{
	const size_t bytes = keys * (bits / 8);
	size_t radix_bytes, merge_bytes, tuned_bytes = 0;

	must(cudaMalloc((void **)&rig.source, bytes), "cudaMalloc");
	must(cudaMemset(rig.source, 0, bytes), "cudaMemset");
	must(cudaMalloc((void **)&rig.work, bytes), "cudaMalloc");
	must(cudaMalloc((void **)&rig.other, bytes), "cudaMalloc");
	must(cub_scratch_bytes(CUB_RADIX, bits, rig.kind, keys, &radix_bytes), "CUB");
	must(cub_scratch_bytes(CUB_MERGE, bits, rig.kind, keys, &merge_bytes), "CUB");
	if (keys <= UINT32_MAX)
		must(cub_scratch_bytes(CUB_TUNED, bits, rig.kind, keys, &tuned_bytes), "CUB");
	rig.cub_scratch_bytes = radix_bytes > merge_bytes ? radix_bytes : merge_bytes;
	if (rig.cub_scratch_bytes < tuned_bytes)
		rig.cub_scratch_bytes = tuned_bytes;
	must(cudaMalloc(&rig.cub_scratch, rig.cub_scratch_bytes), "cudaMalloc");
	must(cudaMalloc(&rig.sort_scratch, gs_sort_scratch_bytes(bits, keys)), "cudaMalloc");
	for (unsigned s = 0; s < STREAMS; s++) {
		must(cudaMalloc(&rig.scratch[s], gs_tile_merge_scratch_bytes(bits, keys)),
		     "cudaMalloc");
		must(cudaStreamCreateWithFlags(&rig.stream[s], cudaStreamNonBlocking), "stream");
		must(cudaEventCreateWithFlags(&rig.joined[s], cudaEventDisableTiming), "event");
	}
	must(cudaEventCreateWithFlags(&rig.begin, cudaEventDefault), "event");
	must(cudaEventCreateWithFlags(&rig.end, cudaEventDefault), "event");
}

void
rig_close(void)
{
	must(cudaFree(rig.source), "cudaFree");
	must(cudaFree(rig.work), "cudaFree");
	must(cudaFree(rig.other), "cudaFree");
	must(cudaFree(rig.cub_scratch), "cudaFree");
	must(cudaFree(rig.sort_scratch), "cudaFree");
	for (unsigned s = 0; s < STREAMS; s++) {
		must(cudaFree(rig.scratch[s]), "cudaFree");
		must(cudaStreamDestroy(rig.stream[s]), "stream");
		must(cudaEventDestroy(rig.joined[s]), "event");
	}
	must(cudaEventDestroy(rig.begin), "event");
	must(cudaEventDestroy(rig.end), "event");
}

/* What comes next, on any stream, waits for all that came before on every stream. */
static void
rig_join(void)
{
	for (unsigned s = 1; s < STREAMS; s++) {
		must(cudaEventRecord(rig.joined[s], rig.stream[s]), "event");
		must(cudaStreamWaitEvent(rig.stream[0], rig.joined[s], 0), "event");
	}
	must(cudaEventRecord(rig.joined[0], rig.stream[0]), "event");
	for (unsigned s = 1; s < STREAMS; s++)
		must(cudaStreamWaitEvent(rig.stream[s], rig.joined[0], 0), "event");
}

double
rig_time(const struct contestant *one, unsigned bits, size_t count, size_t tile_keys, char **result)
{
	float milliseconds;

	must(cudaMemcpy(rig.work, rig.source, count * (bits / 8), cudaMemcpyDeviceToDevice),
	     "copy");
	must(cudaDeviceSynchronize(), "copy");
	must(cudaEventRecord(rig.begin, rig.stream[0]), "event");
	rig_join();
	*result = one->run(bits, count, tile_keys);
	rig_join();
	must(cudaEventRecord(rig.end, rig.stream[0]), "event");
	must(cudaEventSynchronize(rig.end), one->name);
	must(cudaEventElapsedTime(&milliseconds, rig.begin, rig.end), "event");
	return (double)milliseconds / 1e3;
}

/* ---- contestants --------------------------------------------------------- */

char *
run_copy(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	must(cudaMemcpyAsync(rig.other, rig.work, count * (bits / 8), cudaMemcpyDeviceToDevice,
	                     rig.stream[0]), "copy");
	return rig.other;
}

char *
run_tiles(unsigned bits, size_t count, size_t tile_keys)
{
	const size_t width = bits / 8;
	unsigned turn = 0;

	for (size_t at = 0; at < count; at += tile_keys) {
		size_t keys = count - at < tile_keys ? count - at : tile_keys;

		must(gs_tile_sort(rig.work + at * width, bits, keys, rig.stream[turn++ % STREAMS]),
		     "gs_tile_sort");
	}
	return rig.work;
}

/* Merge neighbours of RUN_KEYS until there is one run. */
static char *
merge_runs(unsigned bits, size_t count, size_t run_keys)
{
	const size_t width = bits / 8;
	char *from = rig.work, *to = rig.other;

	for (; run_keys < count; run_keys *= 2) {
		char *swap = from;
		unsigned turn = 0;

		rig_join();
		for (size_t at = 0; at < count; at += 2 * run_keys) {
			unsigned s = turn++ % STREAMS;
			size_t rest = count - at;
			size_t a = rest < run_keys ? rest : run_keys;
			size_t b = rest - a < run_keys ? rest - a : run_keys;

			must(gs_tile_merge(to + at * width, from + at * width, a,
			                   from + (at + a) * width, b, bits, rig.scratch[s],
			                   rig.stream[s]), "gs_tile_merge");
		}
		from = to;
		to = swap;
	}
	return from;
}

/* Ordered bits are what it sorts: other keys become that first, and are made back. */
char *
run_sort(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	must(device_keys_map(rig.work, bits, rig.kind, false, count, rig.stream[0]), "mapping");
	must(gs_sort(rig.work, rig.other, bits, count, rig.sort_scratch, rig.stream[0]), "gs_sort");
	must(device_keys_map(rig.work, bits, rig.kind, true, count, rig.stream[0]), "mapping");
	return rig.work;
}

char *
run_network(unsigned bits, size_t count, size_t tile_keys)
{
	run_tiles(bits, count, tile_keys);
	return merge_runs(bits, count, tile_keys);
}

char *
run_merge(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return merge_runs(bits, count, (count + 1) / 2);
}

static void
run_cub(enum cub_which which, unsigned bits, size_t count)
{
	must(cub_sort(which, rig.work, rig.other, bits, rig.kind, count, rig.cub_scratch,
	              rig.cub_scratch_bytes, rig.stream[0]), "CUB");
}

char *
run_radix(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	run_cub(CUB_RADIX, bits, count);
	return rig.other;
}

char *
run_tuned(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	run_cub(CUB_TUNED, bits, count);
	return rig.other;
}

char *
run_cub_merge(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	run_cub(CUB_MERGE, bits, count);
	return rig.work;
}

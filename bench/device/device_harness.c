// SPDX-License-Identifier: BSD-2-Clause
/* device_harness.c - the device, its memory, and what can be timed there */
#include "config.h"

#include "bench/device/cub.h"
#include "bench/device/device_harness.h"
#include "bench/must.h"

struct device_harness harness;

void
harness_open(unsigned bits, size_t keys)
{
	const size_t bytes = keys * (bits / 8);
	size_t cub_bytes;

	must(cudaMalloc((void **)&harness.source, bytes), "cudaMalloc");
	must(cudaMemset(harness.source, 0, bytes), "cudaMemset");
	must(cudaMalloc((void **)&harness.work, bytes), "cudaMalloc");
	must(cudaMalloc((void **)&harness.other, bytes), "cudaMalloc");
	harness.cub_scratch_bytes = 0;
	for (int which = 0; which <= CUB_MERGE; which++) {
		if (!cub_takes((enum cub_which)which, keys))
			continue;
		must(cub_scratch_bytes((enum cub_which)which, bits, harness.kind, keys, &cub_bytes), "CUB");
		if (harness.cub_scratch_bytes < cub_bytes)
			harness.cub_scratch_bytes = cub_bytes;
	}
	must(cudaMalloc(&harness.cub_scratch, harness.cub_scratch_bytes), "cudaMalloc");
	must(cudaMalloc(&harness.sort_scratch, gs_sort_scratch_bytes(bits, keys)), "cudaMalloc");
	must(harness.graphs ? gs_sorter_of_graph(&harness.sorter) : gs_sorter_open(&harness.sorter),
	     "gs_sorter_open");
	for (unsigned s = 0; s < HARNESS_STREAMS; s++) {
		must(cudaMalloc(&harness.scratch[s], gs_tile_merge_scratch_bytes(bits, keys)),
		     "cudaMalloc");
		must(cudaStreamCreateWithFlags(&harness.stream[s], cudaStreamNonBlocking), "stream");
		must(cudaEventCreateWithFlags(&harness.joined[s], cudaEventDisableTiming), "event");
	}
	must(cudaEventCreateWithFlags(&harness.begin, cudaEventDefault), "event");
	must(cudaEventCreateWithFlags(&harness.end, cudaEventDefault), "event");
}

void
harness_close(void)
{
	must(cudaFree(harness.source), "cudaFree");
	must(cudaFree(harness.work), "cudaFree");
	must(cudaFree(harness.other), "cudaFree");
	must(cudaFree(harness.cub_scratch), "cudaFree");
	must(cudaFree(harness.sort_scratch), "cudaFree");
	gs_sorter_close(&harness.sorter);
	for (unsigned s = 0; s < HARNESS_STREAMS; s++) {
		must(cudaFree(harness.scratch[s]), "cudaFree");
		must(cudaStreamDestroy(harness.stream[s]), "stream");
		must(cudaEventDestroy(harness.joined[s]), "event");
	}
	must(cudaEventDestroy(harness.begin), "event");
	must(cudaEventDestroy(harness.end), "event");
}

/* FUNCTION's work as a graph, ready to be launched. */
static cudaGraphExec_t
captured(harness_function *function, unsigned bits, size_t count, size_t tile_keys, char **result)
{
	cudaGraph_t graph;
	cudaGraphExec_t ready;

	must(cudaStreamBeginCapture(harness.stream[0], cudaStreamCaptureModeThreadLocal), "capturing");
	*result = function(bits, count, tile_keys);
	must(cudaStreamEndCapture(harness.stream[0], &graph), "capturing");
	must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
	must(cudaGraphUpload(ready, harness.stream[0]), "a graph");
	must(cudaGraphDestroy(graph), "a graph");
	must(cudaStreamSynchronize(harness.stream[0]), "a graph");
	return ready;
}

double
harness_time(const char *name, harness_function *function, unsigned bits, size_t count,
             size_t tile_keys, char **result)
{
	cudaGraphExec_t ready = NULL;
	float milliseconds;

	if (harness.graphs)
		ready = captured(function, bits, count, tile_keys, result);
	must(cudaMemcpy(harness.work, harness.source, count * (bits / 8), cudaMemcpyDeviceToDevice),
	     "copy");
	must(cudaDeviceSynchronize(), "copy");
	must(cudaEventRecord(harness.begin, harness.stream[0]), "event");
	if (ready != NULL)
		must(cudaGraphLaunch(ready, harness.stream[0]), name);
	else
		*result = function(bits, count, tile_keys);
	must(cudaEventRecord(harness.end, harness.stream[0]), "event");
	must(cudaEventSynchronize(harness.end), name);
	if (ready != NULL)
		must(cudaGraphExecDestroy(ready), "a graph");
	must(cudaEventElapsedTime(&milliseconds, harness.begin, harness.end), "event");
	return (double)milliseconds / 1e3;
}

/* ---- candidates --------------------------------------------------------- */

/* All streams wait for what is queued on any of them. */
static void
harness_join(void)
{
	for (unsigned s = 1; s < HARNESS_STREAMS; s++) {
		must(cudaEventRecord(harness.joined[s], harness.stream[s]), "event");
		must(cudaStreamWaitEvent(harness.stream[0], harness.joined[s], 0), "event");
	}
	must(cudaEventRecord(harness.joined[0], harness.stream[0]), "event");
	for (unsigned s = 1; s < HARNESS_STREAMS; s++)
		must(cudaStreamWaitEvent(harness.stream[s], harness.joined[0], 0), "event");
}

char *
run_copy(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	must(cudaMemcpyAsync(harness.other, harness.work, count * (bits / 8), cudaMemcpyDeviceToDevice,
	                     harness.stream[0]), "copy");
	return harness.other;
}

char *
run_tiles(unsigned bits, size_t count, size_t tile_keys)
{
	const size_t width = bits / 8;
	unsigned turn = 0;

	harness_join();
	for (size_t at = 0; at < count; at += tile_keys) {
		size_t keys = count - at < tile_keys ? count - at : tile_keys;

		must(gs_tile_sort(harness.work + at * width, bits, keys,
		                  harness.stream[turn++ % HARNESS_STREAMS]), "gs_tile_sort");
	}
	harness_join();
	return harness.work;
}

/* Merge neighbours of RUN_KEYS until there is one run. */
static char *
merge_runs(unsigned bits, size_t count, size_t run_keys)
{
	const size_t width = bits / 8;
	char *from = harness.work, *to = harness.other;

	for (; run_keys < count; run_keys *= 2) {
		char *swap = from;
		unsigned turn = 0;

		harness_join();
		for (size_t at = 0; at < count; at += 2 * run_keys) {
			unsigned s = turn++ % HARNESS_STREAMS;
			size_t rest = count - at;
			size_t a = rest < run_keys ? rest : run_keys;
			size_t b = rest - a < run_keys ? rest - a : run_keys;

			must(gs_tile_merge(to + at * width, from + at * width, a,
			                   from + (at + a) * width, b, bits, harness.scratch[s],
			                   harness.stream[s]), "gs_tile_merge");
		}
		from = to;
		to = swap;
	}
	harness_join();
	return from;
}

/* Keys are given as ordered bits: those of other kinds are mapped before the sort, and back after it. */
char *
run_sort(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	must(device_keys_map(harness.work, bits, harness.kind, false, count, harness.stream[0]), "mapping");
	must(gs_sort(&harness.sorter, harness.work, harness.other, bits, (struct gs_key_map){ 0 }, count,
	             harness.sort_scratch, harness.stream[0]), "gs_sort");
	must(device_keys_map(harness.work, bits, harness.kind, true, count, harness.stream[0]), "mapping");
	return harness.work;
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

static char *
run_cub(enum cub_which which, enum key_kind kind, unsigned bits, size_t count)
{
	void *keys = harness.work, *other = harness.other;

	must(cub_sort(which, &keys, &other, bits, kind, count, harness.cub_scratch,
	              harness.cub_scratch_bytes, harness.stream[0]), "CUB");
	return keys;
}

char *
run_cub_merge(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return run_cub(CUB_MERGE, harness.kind, bits, count);
}

/* ---- CUB's fastest call -------------------------------------------------- */

/* TWIN: unsigned keys are sorted as signed ones of the same bits, by other instances. */
static struct {
	enum cub_which which;
	bool           twin;
} fastest;

static const char *const cub_names[CUB_RADIXES][2] = {
	[CUB_BUFFER_32] = { "buffer, 32 bits", "buffer, 32 bits, signed" },
	[CUB_BUFFER_64] = { "buffer, 64 bits", "buffer, 64 bits, signed" },
	[CUB_INTO_32]   = { "in/out, 32 bits", "in/out, 32 bits, signed" },
	[CUB_INTO_64]   = { "in/out, 64 bits", "in/out, 64 bits, signed" },
	[CUB_TUNED]     = { "tuned",           "tuned, signed" },
};

/* With the sign bit inverted before and after, not timed, the order would be the one of unsigned keys. */
char *
run_radix(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return run_cub(fastest.which, fastest.twin ? KEYS_SIGNED : harness.kind, bits, count);
}

bool
radix_ascends(void)
{
	return !fastest.twin;
}

const char *
radix_choose(unsigned bits, size_t count)
{
	enum { RUNS = 3 };		/* after one that warms up */
	double least = 0;
	int best = 0;

	for (int way = 0; way < 2 * CUB_RADIXES; way++) {
		double time = 0;
		char *result;

		fastest.which = (enum cub_which)(way / 2);
		fastest.twin = way % 2 != 0;
		if (!cub_takes(fastest.which, count) || (fastest.twin && harness.kind != KEYS_UNSIGNED))
			continue;
		for (unsigned run = 0; run <= RUNS; run++) {
			const double once = harness_time("CUB", run_radix, bits, count, 0, &result);

			if (run == 1 || (run > 1 && once < time))
				time = once;
		}
		if (least == 0 || time < least) {
			least = time;
			best = way;
		}
	}
	fastest.which = (enum cub_which)(best / 2);
	fastest.twin = best % 2 != 0;
	return cub_names[fastest.which][fastest.twin];
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_variant.c - run one variant, with clocks, events and a check of every result
 *
 * The first two runs on a GPU are not timed.  The first warms up: it loads the kernels, which
 * takes fifty times as long as sorting 256 keys, and three times as long as 2^16.  The second is
 * watched: an event after each launch tells how long each kind of kernel took.  Timed runs have
 * no events, for each adds 1.5 us to its launch on an H200: a third of the time at 2^16, 3 % at
 * 2^24.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/keys.h"
#include "bench/ladder/run_variant.h"
#include "bench/must.h"

enum { MOST_EVENTS = 1024, LEAST_RUNS = 3 };

static struct {
	bool         gpu;
	char         device[256];
	double       copy_bandwidth;
	int          sm_threads;		/* that can be resident on an SM */
	uint32_t    *in, *out;			/* pageable */
	uint32_t    *pinned_in, *pinned_out;	/* NULL if no variant needs them */
	size_t       count;
	uint64_t     digest;
	cudaStream_t stream;
	cudaEvent_t  marks[4];			/* begin, sent, sorted, received */
	cudaEvent_t  events[MOST_EVENTS];
} runner;

/* note() writes here while a sort runs. */
static struct {
	bool              watch;
	struct variant_cost  cost;
	unsigned          launches;		/* with an event each */
	unsigned char     kind_of[MOST_EVENTS];
	struct kind_result kinds[VARIANT_KINDS];
} seen;

/* Of each kind; queried in the first run, so that the second does not wait for the answer. */
static double occupancy[VARIANT_KINDS];

/* ---- what is run on ---------------------------------------------------------- */

static double
copy_bandwidth(void)
{
	enum { RUNS = 9 };
	const size_t bytes = (size_t)1 << 30;
	void *from = NULL, *to = NULL;
	double seconds[RUNS];
	float milliseconds;

	if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) {
		cudaFree(from);
		(void)cudaGetLastError();
		return 0;
	}
	must(cudaMemset(from, 0x5a, bytes), "cudaMemset");
	for (int run = 0; run < RUNS; run++) {
		must(cudaEventRecord(runner.marks[0], runner.stream), "event");
		must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, runner.stream),
		     "copy");
		must(cudaEventRecord(runner.marks[1], runner.stream), "event");
		must(cudaStreamSynchronize(runner.stream), "copy");
		must(cudaEventElapsedTime(&milliseconds, runner.marks[0], runner.marks[1]),
		     "event");
		seconds[run] = (double)milliseconds / 1e3;
	}
	cudaFree(from);
	cudaFree(to);
	return 2 * (double)bytes / stats_of(seconds, RUNS).median;
}

static void
gpu_open(size_t most_keys, bool pinned)
{
	const size_t bytes = most_keys * sizeof(uint32_t);
	struct cudaDeviceProp properties;

	must(cudaSetDevice(0), "opening the GPU");
	must(cudaGetDeviceProperties(&properties, 0), "asking the GPU");
	snprintf(runner.device, sizeof runner.device, "%s", properties.name);
	must(cudaDeviceGetAttribute(&runner.sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0),
	     "asking the GPU");
	must(cudaStreamCreateWithFlags(&runner.stream, cudaStreamNonBlocking), "stream");
	for (int e = 0; e < 4; e++)
		must(cudaEventCreateWithFlags(&runner.marks[e], cudaEventDefault), "event");
	for (int e = 0; e < MOST_EVENTS; e++)
		must(cudaEventCreateWithFlags(&runner.events[e], cudaEventDefault), "event");
	if (pinned) {
		must(cudaMallocHost((void **)&runner.pinned_in, bytes), "pinning");
		must(cudaMallocHost((void **)&runner.pinned_out, bytes), "pinning");
	}
	runner.copy_bandwidth = copy_bandwidth();
}

void
runner_open(size_t most_keys, bool gpu, bool pinned)
{
	int devices = 0;

	runner.in = must_malloc(most_keys * sizeof(uint32_t));
	runner.out = must_malloc(most_keys * sizeof(uint32_t));
	memset(runner.out, 1, most_keys * sizeof(uint32_t));
	runner.gpu = gpu && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
	(void)cudaGetLastError();
	if (runner.gpu)
		gpu_open(most_keys, pinned);
}

void
runner_close(void)
{
	free(runner.in);
	free(runner.out);
	if (!runner.gpu)
		return;
	for (int e = 0; e < 4; e++)
		must(cudaEventDestroy(runner.marks[e]), "event");
	for (int e = 0; e < MOST_EVENTS; e++)
		must(cudaEventDestroy(runner.events[e]), "event");
	must(cudaStreamDestroy(runner.stream), "stream");
	must(cudaFreeHost(runner.pinned_in), "cudaFreeHost");
	must(cudaFreeHost(runner.pinned_out), "cudaFreeHost");
}

bool
runner_has_gpu(void)
{
	return runner.gpu;
}

const char *
runner_device(void)
{
	return runner.device;
}

double
runner_copy_bandwidth(void)
{
	return runner.copy_bandwidth;
}

void
runner_load(size_t count)
{
	runner.count = count;
	keys_fill(runner.in, 32, count, 0, count);
	runner.digest = keys_digest(runner.in, 32, count);
	if (runner.pinned_in != NULL)
		memcpy(runner.pinned_in, runner.in, count * sizeof *runner.in);
}

/* Are the keys sorted, and the same as before? OUT was written by this run. */
static bool
sorted(uint32_t *out, bool descending)
{
	const size_t count = runner.count;

	if (keys_digest(out, 32, count) != runner.digest)
		return false;
	if (descending) {
#pragma omp parallel for
		for (size_t i = 0; i < count; i++)
			out[i] = ~out[i];
	}
	return keys_ascend(out, 32, count);
}

/* ---- one run ------------------------------------------------------------- */

static int
note(struct variant_job *job, unsigned kind, const void *kernel, unsigned threads, double bytes)
{
	int blocks;

	seen.cost.launches++;
	seen.cost.bytes += bytes;
	seen.kinds[kind].launches++;
	if (!seen.watch || job->stream == NULL)
		return 0;
	if (kernel != NULL && occupancy[kind] == 0 &&
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads,
	                                                  0) == cudaSuccess)
		occupancy[kind] = (double)blocks * threads / runner.sm_threads;
	if (seen.launches + 1 >= MOST_EVENTS)
		return 0;
	seen.kind_of[seen.launches++] = (unsigned char)kind;
	return (int)cudaEventRecord(runner.events[seen.launches], job->stream);
}

static void
look(bool watch)
{
	memset(&seen, 0, sizeof seen);
	seen.watch = watch;
}

/* Add up the times between the events of a watched run. */
static void
add_up_kinds(void)
{
	float milliseconds;

	for (unsigned k = 0; k < VARIANT_KINDS; k++)
		seen.kinds[k].occupancy = occupancy[k];

	for (unsigned l = 0; l < seen.launches; l++) {
		must(cudaEventElapsedTime(&milliseconds, runner.events[l], runner.events[l + 1]),
		     "event");
		seen.kinds[seen.kind_of[l]].seconds += (double)milliseconds / 1e3;
	}
}

struct times {
	double total, kernels, sent, received;
};

static int
run_gpu(const struct variant *variant, struct variant_job *job, bool watch, struct times *times,
        bool *right)
{
	const bool pinned = variant->pinned && runner.pinned_in != NULL;
	uint32_t *in = pinned ? runner.pinned_in : runner.in;
	uint32_t *out = pinned ? runner.pinned_out : runner.out;
	const size_t bytes = job->count * sizeof *in;
	float between[3];
	int error;

	look(watch);
	must(cudaStreamSynchronize(job->stream), "waiting");
	times->total = now();
	must(cudaEventRecord(runner.marks[0], job->stream), "event");
	must(cudaMemcpyAsync(job->keys, in, bytes, cudaMemcpyHostToDevice, job->stream), "sending");
	must(cudaEventRecord(runner.marks[1], job->stream), "event");
	must(cudaEventRecord(runner.events[0], job->stream), "event");
	error = variant->sort(job);
	if (error != cudaSuccess)
		return error;
	must(cudaEventRecord(runner.marks[2], job->stream), "event");
	must(cudaMemcpyAsync(out, job->keys + job->first, bytes, cudaMemcpyDeviceToHost,
	                     job->stream), "receiving");
	must(cudaEventRecord(runner.marks[3], job->stream), "event");
	must(cudaStreamSynchronize(job->stream), variant->name);
	times->total = now() - times->total;
	for (int m = 0; m < 3; m++)
		must(cudaEventElapsedTime(&between[m], runner.marks[m], runner.marks[m + 1]),
		     "event");
	times->sent = (double)between[0] / 1e3;
	times->kernels = (double)between[1] / 1e3;
	times->received = (double)between[2] / 1e3;
	if (watch)
		add_up_kinds();
	*right = *right && sorted(out, job->descending);
	return 0;
}

static int
run_cpu(const struct variant *variant, struct variant_job *job, struct times *times, bool *right)
{
	int error;

	look(false);
	memcpy(job->keys, runner.in, job->count * sizeof *job->keys);
	times->total = now();
	error = variant->sort(job);
	times->total = now() - times->total;
	times->kernels = times->total;
	times->sent = times->received = 0;
	*right = *right && error == 0 && sorted(job->keys, job->descending);
	return error;
}

/* ---- many runs ----------------------------------------------------------- */

static double total_s[MOST_RUNS], kernels_s[MOST_RUNS];
static double sent_s[MOST_RUNS], received_s[MOST_RUNS];

static void
keep(unsigned run, const struct times *times)
{
	total_s[run] = times->total;
	kernels_s[run] = times->kernels;
	sent_s[run] = times->sent;
	received_s[run] = times->received;
}

/* Enough for ARGS?  SPENT seconds went into RUNS runs, LAST into the last one. */
static bool
enough(const struct run_args *args, unsigned runs, double spent, double last)
{
	if (runs >= args->runs || runs >= MOST_RUNS || last > args->patience)
		return true;
	return runs >= LEAST_RUNS && spent >= args->seconds;
}

/* Warm up and watch; or only watch, cold, if that alone tries the patience. */
static int
watch_gpu(const struct variant *variant, const struct run_args *args, const struct variant_job *job,
          struct times *times, bool *right)
{
	int error = 0;

	memset(occupancy, 0, sizeof occupancy);
	times->total = 0;
	for (int turn = 0; turn < 2 && error == 0 && times->total <= args->patience; turn++) {
		struct variant_job again = *job;

		error = run_gpu(variant, &again, true, times, right);
	}
	return error;
}

static int
run_with(const struct variant *variant, const struct run_args *args, struct variant_job job,
           struct run_result *result)
{
	struct times times = { .total = 0 };
	struct variant_job again = job;
	unsigned runs = 0;
	double spent;
	int error;

	result->right = true;
	if (variant->predict != NULL)
		result->predicted = variant->predict(&job);
	error = variant->place == VARIANT_GPU ? watch_gpu(variant, args, &job, &times, &result->right) :
	        run_cpu(variant, &again, &times, &result->right);
	if (error != 0)
		return error;
	result->counted = seen.cost;
	memcpy(result->kinds, seen.kinds, sizeof result->kinds);
	spent = times.total;
	/* such a slow run is not repeated */
	if (variant->place == VARIANT_CPU || spent > args->patience)
		keep(runs++, &times);
	else
		spent = 0;
	while (!enough(args, runs, spent, times.total)) {
		again = job;
		error = variant->place == VARIANT_GPU ?
		        run_gpu(variant, &again, false, &times, &result->right) :
		        run_cpu(variant, &again, &times, &result->right);
		if (error != 0)
			return error;
		spent += times.total;
		keep(runs++, &times);
	}
	result->total = stats_of(total_s, runs);
	result->kernels = stats_of(kernels_s, runs);
	result->sent = stats_of(sent_s, runs);
	result->received = stats_of(received_s, runs);
	return 0;
}

int
run_variant(const struct variant *variant, const struct run_args *args, struct run_result *result)
{
	const size_t bytes = variant_room(variant, runner.count) * sizeof(uint32_t);
	const size_t scratch_bytes =
		variant->scratch_bytes != NULL ? variant->scratch_bytes(runner.count) : 0;
	struct variant_job job = {
		.count = runner.count, .descending = args->descending, .threads = args->threads,
		.blocks = args->blocks, .note = note,
	};
	int error = 0;

	memset(result, 0, sizeof *result);
	if (variant->place == VARIANT_CPU) {
		job.keys = runner.out;
		job.scratch = scratch_bytes > 0 ? malloc(scratch_bytes) : NULL;
		error = scratch_bytes > 0 && job.scratch == NULL ? ENOMEM :
		        run_with(variant, args, job, result);
		free(job.scratch);
		return error;
	}
	job.stream = runner.stream;
	error = (int)cudaMalloc((void **)&job.keys, bytes);
	if (error == 0 && scratch_bytes > 0)
		error = (int)cudaMalloc(&job.scratch, scratch_bytes);
	if (error == 0)
		error = run_with(variant, args, job, result);
	(void)cudaGetLastError();
	cudaFree(job.scratch);
	cudaFree(job.keys);
	return error;
}

const char *
run_error(const struct variant *variant, int error)
{
	return variant->place == VARIANT_CPU ? strerror(error) : cudaGetErrorString((cudaError_t)error);
}

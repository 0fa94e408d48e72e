// SPDX-License-Identifier: BSD-2-Clause
/*
 * climb.c - run one rung, with clocks, events and a check of every result
 *
 * The first two runs on a GPU are not timed.  The first warms up: it loads the
 * kernels, which takes fifty times as long as sorting 256 keys, and three times as
 * long as 2^16.  The second is watched: an event after each launch tells how long each kind of kernel
 * took.  Events are kept out of the timed runs: each adds 1.5 us to its launch on
 * an H200, a third of the time at 2^16 and 3 % at 2^24.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/climb.h"

enum { MOST_EVENTS = 1024, LEAST_RUNS = 3 };

static struct {
	bool         gpu;
	char         device[256];
	double       copy_bandwidth;
	int          sm_threads;		/* that can be resident on an SM */
	uint32_t    *in, *out;			/* pageable */
	uint32_t    *pinned_in, *pinned_out;	/* NULL if no rung needs them */
	size_t       count;
	uint64_t     digest;
	cudaStream_t stream;
	cudaEvent_t  marks[4];			/* begin, sent, sorted, received */
	cudaEvent_t  events[MOST_EVENTS];
} ground;

/* What note() writes to while a sort runs. */
static struct {
	bool              watch;
	struct rung_cost  cost;
	unsigned          launches;		/* with an event each */
	unsigned char     kind_of[MOST_EVENTS];
	struct climb_kind kinds[RUNG_KINDS];
} seen;

/* Of each kind; asked for in the first run, so that the second does not wait for the answer. */
static double occupancy[RUNG_KINDS];

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- the ground ---------------------------------------------------------- */

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
		must(cudaEventRecord(ground.marks[0], ground.stream), "event");
		must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, ground.stream),
		     "copy");
		must(cudaEventRecord(ground.marks[1], ground.stream), "event");
		must(cudaStreamSynchronize(ground.stream), "copy");
		must(cudaEventElapsedTime(&milliseconds, ground.marks[0], ground.marks[1]),
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
	snprintf(ground.device, sizeof ground.device, "%s", properties.name);
	must(cudaDeviceGetAttribute(&ground.sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0),
	     "asking the GPU");
	must(cudaStreamCreateWithFlags(&ground.stream, cudaStreamNonBlocking), "stream");
	for (int e = 0; e < 4; e++)
		must(cudaEventCreateWithFlags(&ground.marks[e], cudaEventDefault), "event");
	for (int e = 0; e < MOST_EVENTS; e++)
		must(cudaEventCreateWithFlags(&ground.events[e], cudaEventDefault), "event");
	if (pinned) {
		must(cudaMallocHost((void **)&ground.pinned_in, bytes), "pinning");
		must(cudaMallocHost((void **)&ground.pinned_out, bytes), "pinning");
	}
	ground.copy_bandwidth = copy_bandwidth();
}

void
climb_open(size_t most_keys, bool gpu, bool pinned)
{
	int devices = 0;

	ground.in = must_malloc(most_keys * sizeof(uint32_t));
	ground.out = must_malloc(most_keys * sizeof(uint32_t));
	memset(ground.out, 1, most_keys * sizeof(uint32_t));
	ground.gpu = gpu && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
	(void)cudaGetLastError();
	if (ground.gpu)
		gpu_open(most_keys, pinned);
}

void
climb_close(void)
{
	free(ground.in);
	free(ground.out);
	if (!ground.gpu)
		return;
	for (int e = 0; e < 4; e++)
		must(cudaEventDestroy(ground.marks[e]), "event");
	for (int e = 0; e < MOST_EVENTS; e++)
		must(cudaEventDestroy(ground.events[e]), "event");
	must(cudaStreamDestroy(ground.stream), "stream");
	must(cudaFreeHost(ground.pinned_in), "cudaFreeHost");
	must(cudaFreeHost(ground.pinned_out), "cudaFreeHost");
}

bool
climb_has_gpu(void)
{
	return ground.gpu;
}

const char *
climb_device(void)
{
	return ground.device;
}

double
climb_copy_bandwidth(void)
{
	return ground.copy_bandwidth;
}

void
climb_load(size_t count)
{
	ground.count = count;
	keys_fill(ground.in, 32, count, 0, count);
	ground.digest = keys_digest(ground.in, 32, count);
	if (ground.pinned_in != NULL)
		memcpy(ground.pinned_in, ground.in, count * sizeof *ground.in);
}

/* Sorted, and the same keys?  OUT was written by this run: the device's memory, or the sort. */
static bool
sorted(uint32_t *out, bool descending)
{
	const size_t count = ground.count;

	if (keys_digest(out, 32, count) != ground.digest)
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
note(struct rung_job *job, unsigned kind, const void *kernel, unsigned threads, double bytes)
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
		occupancy[kind] = (double)blocks * threads / ground.sm_threads;
	if (seen.launches + 1 >= MOST_EVENTS)
		return 0;
	seen.kind_of[seen.launches++] = (unsigned char)kind;
	return (int)cudaEventRecord(ground.events[seen.launches], job->stream);
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

	for (unsigned k = 0; k < RUNG_KINDS; k++)
		seen.kinds[k].occupancy = occupancy[k];

	for (unsigned l = 0; l < seen.launches; l++) {
		must(cudaEventElapsedTime(&milliseconds, ground.events[l], ground.events[l + 1]),
		     "event");
		seen.kinds[seen.kind_of[l]].seconds += (double)milliseconds / 1e3;
	}
}

struct times {
	double total, kernels, sent, received;
};

static int
run_gpu(const struct rung *rung, struct rung_job *job, bool watch, struct times *times,
        bool *right)
{
	const bool pinned = rung->pinned && ground.pinned_in != NULL;
	uint32_t *in = pinned ? ground.pinned_in : ground.in;
	uint32_t *out = pinned ? ground.pinned_out : ground.out;
	const size_t bytes = job->count * sizeof *in;
	float between[3];
	int error;

	look(watch);
	must(cudaStreamSynchronize(job->stream), "waiting");
	times->total = now();
	must(cudaEventRecord(ground.marks[0], job->stream), "event");
	must(cudaMemcpyAsync(job->keys, in, bytes, cudaMemcpyHostToDevice, job->stream), "sending");
	must(cudaEventRecord(ground.marks[1], job->stream), "event");
	must(cudaEventRecord(ground.events[0], job->stream), "event");
	error = rung->sort(job);
	if (error != cudaSuccess)
		return error;
	must(cudaEventRecord(ground.marks[2], job->stream), "event");
	must(cudaMemcpyAsync(out, job->keys + job->first, bytes, cudaMemcpyDeviceToHost,
	                     job->stream), "receiving");
	must(cudaEventRecord(ground.marks[3], job->stream), "event");
	must(cudaStreamSynchronize(job->stream), rung->name);
	times->total = now() - times->total;
	for (int m = 0; m < 3; m++)
		must(cudaEventElapsedTime(&between[m], ground.marks[m], ground.marks[m + 1]),
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
run_cpu(const struct rung *rung, struct rung_job *job, struct times *times, bool *right)
{
	int error;

	look(false);
	memcpy(job->keys, ground.in, job->count * sizeof *job->keys);
	times->total = now();
	error = rung->sort(job);
	times->total = now() - times->total;
	times->kernels = times->total;
	times->sent = times->received = 0;
	*right = *right && error == 0 && sorted(job->keys, job->descending);
	return error;
}

/* ---- many runs ----------------------------------------------------------- */

static double total_s[CLIMB_MOST_RUNS], kernels_s[CLIMB_MOST_RUNS];
static double sent_s[CLIMB_MOST_RUNS], received_s[CLIMB_MOST_RUNS];

static void
keep(unsigned run, const struct times *times)
{
	total_s[run] = times->total;
	kernels_s[run] = times->kernels;
	sent_s[run] = times->sent;
	received_s[run] = times->received;
}

/* Enough for ASK?  SPENT seconds went into RUNS runs, LAST into the last one. */
static bool
enough(const struct climb_ask *ask, unsigned runs, double spent, double last)
{
	if (runs >= ask->runs || runs >= CLIMB_MOST_RUNS || last > ask->patience)
		return true;
	return runs >= LEAST_RUNS && spent >= ask->seconds;
}

/* Warm up and watch; or only watch, cold, if that alone tries the patience. */
static int
watch_gpu(const struct rung *rung, const struct climb_ask *ask, const struct rung_job *job,
          struct times *times, bool *right)
{
	int error = 0;

	memset(occupancy, 0, sizeof occupancy);
	times->total = 0;
	for (int turn = 0; turn < 2 && error == 0 && times->total <= ask->patience; turn++) {
		struct rung_job again = *job;

		error = run_gpu(rung, &again, true, times, right);
	}
	return error;
}

static int
climb_with(const struct rung *rung, const struct climb_ask *ask, struct rung_job job,
           struct climb *result)
{
	struct times times = { .total = 0 };
	struct rung_job again = job;
	unsigned runs = 0;
	double spent;
	int error;

	result->right = true;
	if (rung->predict != NULL)
		result->predicted = rung->predict(&job);
	error = rung->place == RUNG_GPU ? watch_gpu(rung, ask, &job, &times, &result->right) :
	        run_cpu(rung, &again, &times, &result->right);
	if (error != 0)
		return error;
	result->counted = seen.cost;
	memcpy(result->kinds, seen.kinds, sizeof result->kinds);
	spent = times.total;
	/* nobody wants to wait for a second look at something that slow */
	if (rung->place == RUNG_CPU || spent > ask->patience)
		keep(runs++, &times);
	else
		spent = 0;
	while (!enough(ask, runs, spent, times.total)) {
		again = job;
		error = rung->place == RUNG_GPU ?
		        run_gpu(rung, &again, false, &times, &result->right) :
		        run_cpu(rung, &again, &times, &result->right);
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
climb(const struct rung *rung, const struct climb_ask *ask, struct climb *result)
{
	const size_t bytes = rung_room(rung, ground.count) * sizeof(uint32_t);
	const size_t scratch_bytes =
		rung->scratch_bytes != NULL ? rung->scratch_bytes(ground.count) : 0;
	struct rung_job job = {
		.count = ground.count, .descending = ask->descending, .threads = ask->threads,
		.blocks = ask->blocks, .note = note,
	};
	int error = 0;

	memset(result, 0, sizeof *result);
	if (rung->place == RUNG_CPU) {
		job.keys = ground.out;
		job.scratch = scratch_bytes > 0 ? malloc(scratch_bytes) : NULL;
		error = scratch_bytes > 0 && job.scratch == NULL ? ENOMEM :
		        climb_with(rung, ask, job, result);
		free(job.scratch);
		return error;
	}
	job.stream = ground.stream;
	error = (int)cudaMalloc((void **)&job.keys, bytes);
	if (error == 0 && scratch_bytes > 0)
		error = (int)cudaMalloc(&job.scratch, scratch_bytes);
	if (error == 0)
		error = climb_with(rung, ask, job, result);
	(void)cudaGetLastError();
	cudaFree(job.scratch);
	cudaFree(job.keys);
	return error;
}

const char *
climb_why(const struct rung *rung, int error)
{
	return rung->place == RUNG_CPU ? strerror(error) : cudaGetErrorString((cudaError_t)error);
}

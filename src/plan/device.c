// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - the choice of the device: measured rules
 *
 * In:   sizes, threads, the kind of input.
 * Out:  CPU or GPU, once, before the first key.
 *
 * The CPU sorts at a rate in proportion to its threads, up to sixteen.  A GPU sorts faster than its bus
 * delivers, but must be opened first.  The size of a pipe is unknown: the job first reads so much
 * that a GPU would pay if as much again came, then decides.
 */
#include "base/round.h"
#include "plan/plan.h"

#define MIB	((uint64_t)1 << 20)

/*
 * When a GPU pays: milliseconds for a GiB of keys, of one CPU thread and of the GPU, less what both
 * take to write a file; and to open a GPU.  H200 host, seconds of whole processes, one run of each
 * cell (bench/results/h200-2026-11-22/crossover.json):
 *
 *                16 cores, to a file   4 cores          16 cores, to /dev/null   4 cores
 *                  cpu     gpu         cpu     gpu        cpu     gpu           cpu     gpu
 *      1 GiB u32   0.35    0.67        0.77    0.72       0.24    0.48          0.96    0.54
 *      2 GiB u64   0.70    1.00        1.64    1.29       0.47    0.61          1.57    0.67
 *      4 GiB u32   1.68    1.79        3.43    2.14       0.99    0.76          3.28    1.10
 *      8 GiB u64   5.10    2.59
 *     16 GiB u64   7.6     4.9
 *
 * Since then a GPU opens and closes in 0.1 s less (cli/cuda_environment.c), and the CPU writes files
 * faster: 0.33 s at 1 GiB and 1.33 at 4 GiB with 16 threads, the GPU 0.53 and 1.52.  With these rules
 * auto chose the better device in 21 of 22 cells, 2^28 and 2^30 keys on 16 and 4 cores, and took 1.04
 * times as long in the other (h200-2026-11-23/crossover.json); runs of the same program differ by 1.09.
 *
 * From pipe to pipe the CPU was the faster one in all six cells (1.4 against 1.7 s for 1 GiB on 4
 * cores, 4.4 against 4.7 s for 4 GiB on 16): it sorts as the bytes come.  With fewer threads it
 * falls behind; where exactly was not measured.
 */
struct rates {
	unsigned cpu_ms, gpu_ms;
};
static const struct rates to_file = { 1560, 31 }, elsewhere = { 2870, 47 };
#ifndef PIPE_THREADS
#define PIPE_THREADS	4	/* from so many on the CPU sorts pipes; tests/emu: never */
#endif
#ifndef OPEN_MS
#define OPEN_MS		270	/* tests/emu: 0, so that the emulated GPU always pays */
#endif
#ifndef CUDA_BYTES
#define CUDA_BYTES	(384 * MIB)	/* not tuned; tests/emu takes less */
#endif
/* Bytes of memory for each key of a head, with the keys beside it (set_head() in plan.c). */
enum { HEAD_SHARE = 32 };

#define OPENING_BYTES	((uint64_t)1 << 30)	/* that a pipe delivers while a GPU opens */

uint64_t
gs_plan_cuda_bytes(void)
{
	return CUDA_BYTES;
}

/* Bytes of keys from which a GPU pays. */
static uint64_t
crossover(const struct rates *rates, unsigned threads)
{
	const uint64_t useful = gs_least(threads, GS_USEFUL_THREADS);

	return ((uint64_t)1 << 30) * OPEN_MS * useful / (rates->cpu_ms - rates->gpu_ms * useful);
}

static gs_status
choose(struct gs_plan *plan, enum gsort_device device, const char *rule)
{
	plan->device = device;
	plan->device_rule = rule;
	return GS_OK;
}

/* The user lets gsort choose, and nothing rules a GPU out. */
static gs_status
choose_by_size(struct gs_plan *plan, const struct gs_plan_input *input)
{
	const unsigned threads = plan->threads;
	const bool one_file = input->to_file && input->split <= 1;	/* several are fast */
	const uint64_t from = crossover(one_file ? &to_file : &elsewhere, threads);
	const uint64_t pipe_from = from > 2 * OPENING_BYTES ? from - OPENING_BYTES : from / 4;
	/* A line of text is two to three times as long as its key. */
	const uint64_t shrink = input->key_bits == 0 ? 3 : 1;
	const bool known = input->input_bytes != UINT64_MAX;

	plan->gpu_from_bytes = from * shrink;
	if (!known && threads >= PIPE_THREADS)
		return choose(plan, GSORT_DEVICE_CPU,
		              "with so many threads the CPU sorts as fast as a pipe delivers");
	if (known && input->input_bytes / shrink < from)
		return choose(plan, GSORT_DEVICE_CPU, "the input is too small for a GPU to pay");
	if (known)
		return choose(plan, GSORT_DEVICE_GPU, "the input is large enough for a GPU to pay");
	if (input->peeked_bytes / shrink >= pipe_from)
		return choose(plan, GSORT_DEVICE_GPU,
		              "the part read so far is large enough for a GPU to pay");
	(void)choose(plan, GSORT_DEVICE_CPU,
	             "the part read so far is too small for a GPU to pay");
	plan->peek_bytes = pipe_from * shrink;
	return GS_OK;
}

gs_status
gs_plan_choose_device(struct gs_plan *plan, const struct gs_plan_input *input)
{
	if (input->cpu_rule != NULL)
		return choose(plan, GSORT_DEVICE_CPU, input->cpu_rule);
	if (input->device == GSORT_DEVICE_CPU)
		return choose(plan, GSORT_DEVICE_CPU, "as requested");
	if (input->operation != GSORT_SORT)
		return choose(plan, GSORT_DEVICE_CPU, "only sorting uses a GPU");
	if (input->key_bits == 8 || input->key_bits == 16)
		return choose(plan, GSORT_DEVICE_CPU, "keys of 8 and 16 bits are counted, not sorted");
	if (!input->gpu_possible && input->device == GSORT_DEVICE_GPU)
		return gs_fail(GS_ENODEV, "--device=gpu: the GPU module is not installed; install it, "
		               "or use --device=cpu");
	if (input->device == GSORT_DEVICE_GPU)
		return choose(plan, GSORT_DEVICE_GPU, "as requested");
	if (!input->gpu_possible)
		return choose(plan, GSORT_DEVICE_CPU, "the GPU module is not installed");
	if (!input->gpu_present)
		return choose(plan, GSORT_DEVICE_CPU, "this machine has no NVIDIA driver");
	if (input->heads && input->head_count <= plan->host_bytes / HEAD_SHARE)
		return choose(plan, GSORT_DEVICE_CPU, "only the first keys are wanted");
	if (input->compressed)
		return choose(plan, GSORT_DEVICE_CPU, "decompression takes longer than sorting");
	if (plan->host_bytes < 2 * CUDA_BYTES)
		return choose(plan, GSORT_DEVICE_CPU, "too little memory for a GPU beside the keys");
	return choose_by_size(plan, input);
}

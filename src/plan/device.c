// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - the choice of the device: measured rules
 *
 * In:   sizes, threads, the kind of input.
 * Out:  CPU or GPU, once, before the first key.
 *
 * The CPU sorts at a rate in proportion to its threads.  A GPU sorts faster than its bus
 * delivers, but must be opened first.  Of a pipe nobody knows how much will come: the job reads
 * so much of it first that a GPU would pay if as much again came, then decides.
 */
#include "plan/device.h"

#define MIB	((uint64_t)1 << 20)

/*
 * When a GPU pays: milliseconds of the whole process for a GiB of keys, and to open one.  16
 * cores of an H200 host, u32, file to new file, median of 3 (bench/crossover):
 *
 *                16 threads     4 threads      a GPU, either way
 *      512 MiB     0.185 s       0.274 s        0.442, 0.408 s
 *     2048 MiB     0.569 s                      0.851 s
 *
 * To /dev/null 1 GiB takes 4 threads 0.53 s, 8 threads 0.26 s, 16 threads 0.16 s.  u64 takes
 * the CPU the same time for the same bytes.
 */
enum { CPU_MS = 2200, GPU_MS = 370 };	/* CPU_MS: of one thread */
#ifndef OPEN_MS
#define OPEN_MS		310	/* tests/emu: 0, so that the emulated GPU always pays */
#endif
#ifndef CUDA_BYTES
#define CUDA_BYTES	(384 * MIB)	/* not tuned; tests/emu takes less */
#endif
/* A head of so many bytes of memory a key fits with the keys that are held beside it (plan.c). */
enum { HEAD_SHARE = 32 };

#define OPENING_BYTES	((uint64_t)1 << 30)	/* of a pipe that come while a GPU opens */

uint64_t
gs_plan_cuda_bytes(void)
{
	return CUDA_BYTES;
}

/* Bytes of keys from which a GPU pays, or UINT64_MAX. */
static uint64_t
crossover(unsigned threads)
{
	const uint64_t gpu_ms = (uint64_t)GPU_MS * threads;

	if (gpu_ms >= CPU_MS)
		return UINT64_MAX;
	return ((uint64_t)1 << 30) * OPEN_MS * threads / (CPU_MS - gpu_ms);
}

static gs_status
choose(struct gs_device_choice *choice, enum gsort_device device, const char *rule)
{
	*choice = (struct gs_device_choice){ .device = device, .rule = rule };
	return GS_OK;
}

/* The user lets gsort choose, and nothing rules a GPU out. */
static gs_status
choose_by_size(struct gs_device_choice *choice, const struct gs_plan_input *input,
               unsigned threads)
{
	const uint64_t from = crossover(threads);
	const uint64_t pipe_from = from > 2 * OPENING_BYTES ? from - OPENING_BYTES : from / 4;
	/* A line of text is two to three times as long as its key. */
	const uint64_t shrink = input->key_bits == 0 ? 3 : 1;
	const bool known = input->input_bytes != UINT64_MAX;

	if (from == UINT64_MAX)
		return choose(choice, GSORT_DEVICE_CPU, "so many threads sort as fast as files are written");
	if (known && input->input_bytes / shrink < from)
		return choose(choice, GSORT_DEVICE_CPU, "the input is too small for a GPU to pay");
	if (known)
		return choose(choice, GSORT_DEVICE_GPU, "the input is large enough for a GPU to pay");
	if (input->peeked_bytes / shrink >= pipe_from)
		return choose(choice, GSORT_DEVICE_GPU, "so much has come that a GPU pays");
	(void)choose(choice, GSORT_DEVICE_CPU, "unless more comes");
	choice->peek_bytes = pipe_from * shrink;
	return GS_OK;
}

gs_status
gs_plan_choose_device(struct gs_device_choice *choice, const struct gs_plan_input *input,
                      unsigned threads, uint64_t host_bytes)
{
	if (input->device == GSORT_DEVICE_CPU)
		return choose(choice, GSORT_DEVICE_CPU, "as requested");
	if (input->operation != GSORT_SORT)
		return choose(choice, GSORT_DEVICE_CPU, "only sorting uses a GPU");
	if (input->key_bits == 8 || input->key_bits == 16)
		return choose(choice, GSORT_DEVICE_CPU, "keys of 8 and 16 bits are counted, not sorted");
	if (!input->gpu_possible && input->device == GSORT_DEVICE_GPU)
		return gs_fail(GS_ENODEV, "--device=gpu: the GPU module is not installed; install it, "
		               "or use --device=cpu");
	if (input->device == GSORT_DEVICE_GPU)
		return choose(choice, GSORT_DEVICE_GPU, "as requested");
	if (!input->gpu_possible)
		return choose(choice, GSORT_DEVICE_CPU, "the GPU module is not installed");
	if (input->heads && input->head_count <= host_bytes / HEAD_SHARE)
		return choose(choice, GSORT_DEVICE_CPU, "only the first keys are wanted");
	if (input->compressed)
		return choose(choice, GSORT_DEVICE_CPU, "decompression takes longer than sorting");
	if (host_bytes < 2 * CUDA_BYTES)
		return choose(choice, GSORT_DEVICE_CPU, "too little memory for a GPU beside the keys");
	return choose_by_size(choice, input, threads);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - the choice of the device: measured rules
 *
 * In:   sizes, threads, the kind of input.
 * Out:  CPU or GPU, once, before the first key.
 *
 * The CPU sorts at a rate in proportion to its threads, up to ten.  A GPU sorts faster than its bus
 * delivers, but must be opened first.  The CPU sorts a pipe while its bytes come.
 */
#include "base/round.h"
#include "plan/plan.h"

#define MIB	((uint64_t)1 << 20)

/*
 * When a GPU pays: milliseconds that it saves one thread of the CPU for each GiB of keys, and those to open
 * it.  More threads share this saving, up to ten; beyond, memory is the limit.  H200 host, seconds of whole
 * processes, one run of each cell (bench/results/h200-2026-11-27/crossover.txt):
 *
 *                16 cores, file   8 cores        2 cores        16 cores, null   8 cores        2 cores
 *                  cpu    gpu       cpu    gpu     cpu    gpu      cpu    gpu       cpu    gpu     cpu    gpu
 *      1 GiB u32  0.42   0.82      0.46   0.84    1.41   1.03     0.21   0.35      0.31   0.42    0.94   0.69
 *      2 GiB u64  0.78   1.19      0.83   1.10    1.97   1.44     0.32   0.41      0.49   0.47    1.67   1.08
 *
 * By these figures the rules choose the better device, or one that takes at most 1.09 times as long, in 48 of
 * 50 cells.  The others are pipes on two cores, where the CPU takes 1.37 (1 GiB u32) and 1.22 times as
 * long (2 GiB u64); but if the GPU fails, a pipe cannot be read again.
 * With more cores the CPU sorts as the bytes come, and takes at most 1.04 times as long.
 */
static const unsigned to_file_ms = 650, elsewhere_ms = 1000;
enum { SHARING_THREADS = 10 };
#ifndef OPEN_MS
#define OPEN_MS		270	/* tests/emu: 0, so that the emulated GPU always pays */
#endif
#ifndef CUDA_BYTES
#define CUDA_BYTES	(384 * MIB)	/* not tuned; tests/emu takes less */
#endif
/* Bytes of memory for each key of a head, with the keys beside it (make_once() in plan.c). */
enum { HEAD_SHARE = 32 };

uint64_t
gs_plan_cuda_bytes(void)
{
	return CUDA_BYTES;
}

gs_status
gs_plan_choose_device(struct gs_plan *plan, const struct gs_plan_input *input)
{
	const unsigned threads = plan->threads;
	const bool one_file = input->to_file && input->split <= 1;	/* several are fast */
	const unsigned saved_ms = one_file ? to_file_ms : elsewhere_ms;
	/* bytes of keys from which a GPU pays */
	const uint64_t from = ((uint64_t)1 << 30) * OPEN_MS * gs_least(threads, SHARING_THREADS) / saved_ms;
	/* A line of text is two to three times as long as its key. */
	const uint64_t shrink = input->key_bits == 0 ? 3 : 1;
	const bool wanted = input->device == GSORT_DEVICE_GPU;

	plan->device = GSORT_DEVICE_CPU;
	plan->device_rule =
		input->cpu_rule != NULL ? input->cpu_rule :
		input->device == GSORT_DEVICE_CPU ? "as requested" :
		input->operation != GSORT_SORT ? "only sorting uses a GPU" :
		input->key_bits == 8 || input->key_bits == 16
			? "keys of 8 and 16 bits are counted, not sorted" :
		wanted ? NULL :
		!input->gpu_possible ? "the GPU module is not installed" :
		!input->gpu_present ? "this machine has no NVIDIA driver" :
		input->heads && input->head_count <= plan->host_bytes / HEAD_SHARE
			? "only the first keys are wanted" :
		input->compressed ? "decompression takes longer than sorting" :
		plan->host_bytes < 2 * CUDA_BYTES ? "too little memory for a GPU beside the keys" : NULL;
	if (plan->device_rule != NULL)
		return GS_OK;
	if (!input->gpu_possible)
		return gs_fail(GS_ENODEV, "--device=gpu: the GPU module is not installed; install it, "
		               "or use --device=cpu");
	/* unless it is wanted the user lets gsort choose, and nothing rules a GPU out */
	plan->gpu_from_bytes = wanted ? 0 : from * shrink;
	plan->device_rule =
		wanted ? NULL :
		/* if the GPU failed, a pipe could not be read again */
		input->input_bytes == UINT64_MAX || !input->seekable
			? "the CPU sorts as fast as a pipe delivers" :
		input->input_bytes / shrink < from ? "the input is too small for a GPU to pay" : NULL;
	if (plan->device_rule != NULL)
		return GS_OK;
	plan->device = GSORT_DEVICE_GPU;
	plan->device_rule = wanted ? "as requested" : "the input is large enough for a GPU to pay";
	return GS_OK;
}

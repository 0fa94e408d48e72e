// SPDX-License-Identifier: BSD-2-Clause
/* device.h - the choice of the device, a part of the plan */
#ifndef GS_PLAN_DEVICE_H
#define GS_PLAN_DEVICE_H

#include "base/status.h"
#include "plan/input.h"

struct gs_device_choice {
	enum gsort_device device;	/* GSORT_DEVICE_CPU or GSORT_DEVICE_GPU */
	const char *rule;		/* that chose it, for people */
	uint64_t    peek_bytes;		/* read so many bytes of the input first, then choose again; 0:
					 * the choice is final */
};

/** Memory of a process that has opened CUDA. */
uint64_t gs_plan_cuda_bytes(void);

/**
 * Choose, for a plan of so many THREADS and HOST_BYTES of memory.
 *
 * @return  GS_OK; GS_ENODEV: the user wants a GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_choose_device(struct gs_device_choice *choice,
                                           const struct gs_plan_input *input, unsigned threads,
                                           uint64_t host_bytes);

#endif

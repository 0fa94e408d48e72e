// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.h - the choice of the device, a part of the plan
 */
#ifndef GS_PLAN_DEVICE_H
#define GS_PLAN_DEVICE_H

#include "plan/plan.h"

/** Memory of a process that has opened CUDA. */
uint64_t gs_plan_cuda_bytes(void);

/**
 * Set PLAN's device, device_rule and peek_bytes.  Its threads, classes and host_bytes are set.
 *
 * @return  GS_OK; GS_ENODEV: the user wants a GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_choose_device(struct gs_plan *plan,
                                           const struct gs_plan_input *input);

#endif

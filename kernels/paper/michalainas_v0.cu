// SPDX-License-Identifier: BSD-2-Clause
/*
 * michalainas_v0.cu - every step of the network is a launch and a wait   [report 000, 2.1]
 *
 * n/2 threads, a comparison each (michalainas.cuh has the index map).  For n = 2^m:
 *
 *     launches = m (m + 1) / 2        bytes moved = 2 * 4n * launches
 *
 * At n = 2^28 that is 406 launches and 872 GB: at 4.3 TB/s of copy bandwidth
 * (H200) no schedule of this variant can beat 203 ms.  And after each launch the
 * host waits for the device, some 10 us at any size: at 2^16, where the data are
 * in the L2 cache, that is nearly all of the time.  V1 attacks launches and waits.
 */
#include "kernels/paper/michalainas.cuh"

extern "C" struct variant_cost
michalainas_v0_predict(const struct variant_job *job)
{
	const double steps = variant_steps(variant_bits(job->count));

	return { steps, steps * sweep_bytes(job->count) };
}

extern "C" int
michalainas_v0_sort(struct variant_job *job)
{
	int error = 0;

	for (size_t size = 2; size <= job->count; size *= 2)
		for (size_t stride = size / 2; error == 0 && stride > 0; stride /= 2)
			error = exchange_and_wait(job, (unsigned)size, (unsigned)stride);
	return error;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * fraidakis_v0.cu - every step of the network is a launch        [report 003, section 2]
 *
 * A thread a key, 1024 a block.  For n = 2^m:
 *
 *     launches = m (m + 1) / 2        bytes moved = 2 * 4n * launches
 *
 * 406 launches and 872 GB at 2^28: 203 ms at 4.3 TB/s (H200).  Launches follow
 * each other without a wait of the host, which is what michalainas_v0 pays more.
 * Of a warp's 32 threads 16 only carry an index, but the sweeps are bound by
 * memory, so it is the number of sweeps that V1 and V2 attack.
 */
#include "kernels/paper/fraidakis.cuh"

extern "C" struct variant_cost
fraidakis_v0_predict(const struct variant_job *job)
{
	const double steps = variant_steps(variant_bits(job->count));

	return { steps, steps * sweep_bytes(job->count) };
}

extern "C" int
fraidakis_v0_sort(struct variant_job *job)
{
	int error = 0;

	for (size_t size = 2; size <= job->count; size *= 2)
		for (size_t distance = size / 2; error == 0 && distance > 0; distance /= 2)
			error = compare_swap(job, size, distance);
	return error;
}

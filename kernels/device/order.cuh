// SPDX-License-Identifier: BSD-2-Clause
/*
 * order.cuh - many keys that are in order already, ascending or descending
 *
 * In:   keys whose sample rises or falls from end to end (sample.cuh).
 * Out:  whether all of them do; then they ascend.
 *
 *     order_kernel    each key and the next: a sweep that only reads, and stops at the first that is
 *                     out of order
 *     reverse_kernel  the first key takes the place of the last one, and so on
 *
 * A sample has 4096 or 8192 keys, so keys of which one in a thousand is out of place are seldom
 * taken for sorted; those that are only out of order where no sample is lose a sweep at most, 8 % of
 * a sort.
 */
#ifndef GS_ORDER_CUH
#define GS_ORDER_CUH

#include "kernels/device/leaf_launch.cuh"

enum { ORDER_THREADS = 512, ORDER_EACH = 8, ORDER_KEYS = ORDER_EACH * ORDER_THREADS, REVERSE_EACH = 4 };

/* Do COUNT keys, by MAP, rise, or if FALLS fall?  If not, set *BROKEN, which is 0 at first. */
template <class Key, class Map> static __global__ void
__launch_bounds__(ORDER_THREADS)
order_kernel(const Key *keys, size_t count, Map map, bool falls, uint32_t *broken)
{
	begin_in_turn();

	bool wrong = false;

	for (size_t at = blockIdx.x * (size_t)ORDER_KEYS; at + 1 < count && !wrong;
	     at += gridDim.x * (size_t)ORDER_KEYS) {
		const unsigned last = (unsigned)min(count - 1 - at, (size_t)ORDER_KEYS) - 1;
		Key a[ORDER_EACH], b[ORDER_EACH];

#pragma unroll
		for (unsigned r = 0; r < ORDER_EACH; r++) {
			const unsigned i = min(r * ORDER_THREADS + threadIdx.x, last);

			a[r] = keys[at + i];
			b[r] = keys[at + i + 1];
		}
#pragma unroll
		for (unsigned r = 0; r < ORDER_EACH; r++)
			wrong |= falls ? ordered(map, a[r]) < ordered(map, b[r]) :
			                 ordered(map, a[r]) > ordered(map, b[r]);
		if (wrong)
			*(volatile uint32_t *)broken = 1;
		wrong = wrong || *(volatile uint32_t *)broken != 0;
	}
}

/* Reverse COUNT rows. */
template <class Of> static __global__ void
__launch_bounds__(ORDER_THREADS)
reverse_kernel(typename Of::place rows, size_t count)
{
	begin_in_turn();

	enum { TILE = REVERSE_EACH * ORDER_THREADS };
	typename Of::row front[REVERSE_EACH], back[REVERSE_EACH];

	for (size_t at = blockIdx.x * (size_t)TILE; at < count / 2; at += gridDim.x * (size_t)TILE) {
#pragma unroll
		for (unsigned r = 0; r < REVERSE_EACH; r++) {
			const size_t i = min(at + r * ORDER_THREADS + threadIdx.x, count / 2 - 1);

			front[r] = row_at(rows, (int64_t)i);
			back[r] = row_at(rows, (int64_t)(count - 1 - i));
		}
#pragma unroll
		for (unsigned r = 0; r < REVERSE_EACH; r++) {
			const size_t i = at + r * ORDER_THREADS + threadIdx.x;

			if (i < count / 2) {
				row_put(rows, i, back[r]);
				row_put(rows, count - 1 - i, front[r]);
			}
		}
	}
}

/* If J's keys are in ORDER, or just the reverse, sort them that way; were they? */
template <class Of> static cudaError_t
sort_in_order(const job<Of> &j, enum order order, bool *were)
{
	typedef typename Of::key Key;
	bin_plan<Key> *const plan = (bin_plan<Key> *)j.s.plan;
	const size_t blocks = (size_t)j.sorter->processors * 4;
	uint32_t *const told = j.sorter->told;

	TRY_CUDA(launch(order_kernel<Key, typename Of::map>, blocks, ORDER_THREADS, j.stream,
	                keys_at(j.keys), j.count, j.map, order == FALLS, &plan->broken));
	TRY_CUDA(cudaMemcpyAsync(told, &plan->broken, sizeof *told, cudaMemcpyDeviceToHost, j.stream));
	TRY_CUDA(cudaStreamSynchronize(j.stream));
	*were = *told == 0;
	if (!*were || order == RISES)
		return cudaSuccess;
	return launch(reverse_kernel<Of>, blocks, ORDER_THREADS, j.stream, j.keys, j.count);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * order.cuh - many keys that are in order already, ascending or descending
 *
 * In:   keys whose sample rises or falls from end to end (sample.cuh).
 * Out:  whether all of them do; then they ascend.
 *
 *     order_kernel    do keys rise? A sweep that only reads
 *     each_kernel     do they fall where spans of two blocks meet?
 *     reverse_kernel  do they fall inside a span? The first key takes the place of the last one, and
 *                     so on, in the same sweep
 *     tell_sorted()   in a graph: tell later kernels that keys are sorted
 *
 * Each stops at the first key that is out of order.  What reverse_kernel has swapped until then is
 * sorted as it is: one order is as good as another.
 *
 * A sample has 4096 or 8192 keys, so keys with one in a thousand out of place are seldom taken for
 * sorted; keys that are only out of order where no sample is lose a sweep at most, 8 % of a sort, or
 * if they fall 25 %.
 */
#ifndef GS_ORDER_CUH
#define GS_ORDER_CUH

#include "kernels/device/each.cuh"
#include "kernels/device/leaf_launch.cuh"

enum { ORDER_THREADS = 512, ORDER_EACH = 8, ORDER_KEYS = ORDER_EACH * ORDER_THREADS, REVERSE_EACH = 4 };

/* Do COUNT keys, by MAP, rise?  If not, set *BROKEN; if that is set, do nothing. */
template <class Key, class Map> static __global__ void
__launch_bounds__(ORDER_THREADS)
order_kernel(const Key *keys, size_t count, Map map, uint32_t *broken)
{
	begin_in_turn();

	bool wrong = __ballot_sync(ALL_LANES, *(volatile uint32_t *)broken != 0) != 0;

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
		map_first<ORDER_EACH>(map, a);
		map_first<ORDER_EACH>(map, b);
#pragma unroll
		for (unsigned r = 0; r < ORDER_EACH; r++)
			wrong |= a[r] > b[r];
		/* one lane: many that write would be in each other's way */
		if (__ballot_sync(ALL_LANES, wrong) != 0 && threadIdx.x % 32 == 0)
			*(volatile uint32_t *)broken = 1;
		wrong = __ballot_sync(ALL_LANES, wrong || *(volatile uint32_t *)broken != 0) != 0;
	}
}

/* Reverse COUNT rows; if keys do not fall, by MAP, set *BROKEN and leave rows in any order. */
template <class Of> static __global__ void
__launch_bounds__(ORDER_THREADS)
reverse_kernel(typename Of::place rows, size_t count, typename Of::map map, size_t each,
               uint32_t *broken)
{
	begin_in_turn();

	enum { TILE = REVERSE_EACH * ORDER_THREADS };
	const typename Of::key *const keys = keys_at(rows);
	const size_t end = min((blockIdx.x + 1) * each, count / 2);
	typename Of::row front[REVERSE_EACH], back[REVERSE_EACH];

	for (size_t at = blockIdx.x * each; at < end; at += TILE) {
		bool wrong = threadIdx.x == 0 && *(volatile uint32_t *)broken != 0;

#pragma unroll
		for (unsigned r = 0; r < REVERSE_EACH; r++) {
			const size_t i = min(at + r * ORDER_THREADS + threadIdx.x, end - 1);
			const size_t next = min(i + 1, end - 1);

			front[r] = rows[(int64_t)i];
			back[r] = rows[(int64_t)(count - 1 - i)];
			wrong |= ordered(map, key_of(front[r])) < ordered(map, keys[next]) ||
			         ordered(map, keys[count - 1 - next]) < ordered(map, key_of(back[r]));
		}
		if (__syncthreads_or(wrong)) {	/* and neighbours have been read */
			*broken = 1;
			return;
		}
#pragma unroll
		for (unsigned r = 0; r < REVERSE_EACH; r++) {
			const size_t i = at + r * ORDER_THREADS + threadIdx.x;

			if (i < end) {
				row_put(rows, i, back[r]);
				row_put(rows, count - 1 - i, front[r]);
			}
		}
	}
}

/* In a graph: J's keys are sorted now, whatever the sample said. */
template <class Of> static cudaError_t
tell_sorted(const job<Of> &j)
{
	bin_plan<typename Of::key> *const plan = plan_of(j);

	if (Of::CARRIES || !j.sorter->of_graph)
		return cudaSuccess;
	return for_each<true>(1, j.stream, [=] __device__ (size_t) {
		plan->order = RISES;
		plan->broken = 0;
	});
}

/*
 * Look if J's keys rise, or if that is their sample's order fall, and then reverse them.  A block has a
 * span of the first half of all rows, and of the second half the rows that these change places with.
 */
template <class Of> static cudaError_t
look_at_order(const job<Of> &j, bool falls)
{
	typedef typename Of::key Key;
	bin_plan<Key> *const plan = plan_of(j);
	const size_t blocks = (size_t)j.sorter->processors * 4;
	const size_t count = j.count, each = (count / 2 / blocks / 32 + 1) * 32;	/* rows of a span */
	const Key *const keys = keys_at(j.keys);
	const typename Of::map map = j.map;

	if (!falls)
		return launch(order_kernel<Key, typename Of::map>, blocks, ORDER_THREADS, j.stream, keys,
		              count, map, &plan->broken);
	/* do keys fall where a span ends and the next one begins, the last one in the middle?  Before any
	 * row moves */
	TRY_CUDA(for_each<true>(blocks, j.stream, [=] __device__ (size_t span) {
		const size_t begin = span * each, end = min(begin + each, count / 2), back = count - end;

		if (begin < end && (ordered(map, keys[end - 1]) < ordered(map, keys[end]) ||
		                    ordered(map, keys[back - 1]) < ordered(map, keys[back])))
			plan->broken = 1;
	}));
	return launch(reverse_kernel<Of>, blocks, ORDER_THREADS, j.stream, j.keys, j.count, j.map, each,
	              &plan->broken);
}

#endif

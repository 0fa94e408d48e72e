// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort_short.cu - sort keys of 8 or 16 bits: count each value, then write it as often
 *
 * In:   COUNT keys.
 * Out:  the same keys, ascending, in the same place.
 *
 *     count_values_kernel   a block some of the keys, and a quarter of 2^16 values
 *     scan_kernel           one block: where each value begins
 *     write_values_kernel   a block some places: the values that belong there
 *
 * Counters are as in histogram.cuh, and a quarter of them needs no more shared memory than every
 * device has.  So keys of 16 bits are read four times, mostly out of the cache: H200, 2^28
 * of them are 0.5 GB, and a sweep that reads takes 0.13 ms.
 */
#include <algorithm>

#include "kernels/device/each.cuh"
#include "kernels/device/histogram.cuh"
#include "kernels/kernels.h"

enum { SHORT_BINS = 1 << 14, SHORT_BLOCKS = 264, WRITE_KEYS = 1 << 14 };

/* Count BIN in a quarter; ALIKE: all lanes have the same. */
static __device__ __forceinline__ void
count_value(uint32_t *counters, number *counts, uint32_t bin, bool alike)
{
	if (bin < SHORT_BINS && (!alike || threadIdx.x % 32 == 0))
		histogram_add(counters, counts, bin, alike ? 32 : 1);
}

/* A quarter of all values, in 16 bytes of keys of each thread at once. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
count_values_kernel(number *counts, const Key *keys, size_t count, key_map<Key> map,
                    uint32_t parts)
{
	__shared__ uint32_t counters[SHORT_BINS / 2];
	const uint32_t first = blockIdx.x % parts * SHORT_BINS;

	counts += first;
	histogram_of<1>(counters, counts, SHORT_BINS, keys, count, blockIdx.x / parts, gridDim.x / parts,
		[&](const pack<Key> *from) {
			const pack<Key> x = from[threadIdx.x];

#pragma unroll
			for (unsigned i = 0; i < 16 / sizeof(Key); i++) {
				const uint32_t bin = ordered(map, x.at[i]) - first;

				count_value(counters, counts, bin, warp_agrees(bin));
			}
		},
		[&](Key key) { count_value(counters, counts, ordered(map, key) - first, false); });
}

/* Each place has the last value that begins there or before. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
write_values_kernel(Key *keys, size_t count, const number *begins, uint32_t values,
                    key_map<Key> map)
{
	const size_t from = blockIdx.x * (size_t)WRITE_KEYS;
	const size_t end = min(from + WRITE_KEYS, count);
	const uint32_t first = last_upto(begins, 0, values, (number)from);
	const uint32_t last = last_upto(begins, first, values, (number)end - 1);

	for (size_t i = from + threadIdx.x; i < end; i += COUNT_THREADS)
		keys[i] = original(map, (Key)last_upto(begins, first, last + 1, (number)i));
}

extern "C" cudaError_t
gs_sort_short(void *memory, unsigned bits, struct gs_key_map any_map, size_t count, void *scratch,
              cudaStream_t stream)
{
	return by_width<uint8_t, uint16_t>(bits, [&](auto key) {
		typedef decltype(key) Key;
		Key *const keys = (Key *)memory;
		const key_map<Key> map = any_map;
		number *const counts = (number *)scratch;
		const uint32_t values = (uint32_t)1 << bits, parts = (values - 1) / SHORT_BINS + 1;
		const size_t loads = count / (COUNT_THREADS * 16 / sizeof(Key)) + 1;
		const size_t blocks = std::min<size_t>(loads, SHORT_BLOCKS) * parts;

		if (count < 2)
			return cudaSuccess;
		TRY_CUDA(cudaMemsetAsync(counts, 0, GS_SHORT_BYTES, stream));
		TRY_CUDA(launch<false>(count_values_kernel<Key>, blocks, COUNT_THREADS, stream, counts + 1,
		                       keys, count, map, parts));
		TRY_CUDA(launch<false>(scan_kernel<SUM>, 1, SCAN_THREADS, stream, counts, values, 0, NULL));
		return launch<false>(write_values_kernel<Key>, (count + WRITE_KEYS - 1) / WRITE_KEYS,
		                     COUNT_THREADS, stream, keys, count, counts, values, map);
	});
}

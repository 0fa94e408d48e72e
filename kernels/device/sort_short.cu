// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort_short.cu - sort keys of 8 or 16 bits: count each value, then write it as often
 *
 * In:   COUNT keys.
 * Out:  the same keys, ascending, in the same place.
 *
 *     count_values_kernel   a block some of the keys, and a quarter of 2^16 values
 *     begin_values_kernel   one block: where each value begins
 *     write_values_kernel   a block some places: the values that belong there
 *
 * Counters are as in histogram.cuh, and a quarter of them needs no more shared memory than every
 * device has.  So keys of 16 bits are read four times, mostly out of the cache: H200, 2^28
 * of them are 0.5 GB, and a sweep that reads takes 0.13 ms.
 */
#include <algorithm>

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
		[&](const load<Key> *from) {
			const load<Key> x = from[threadIdx.x];

#pragma unroll
			for (unsigned i = 0; i < 16 / sizeof(Key); i++) {
				const uint32_t bin = ordered(map, x.at[i]) - first;

				count_value(counters, counts, bin, warp_agrees(bin));
			}
		},
		[&](Key key) { count_value(counters, counts, ordered(map, key) - first, false); });
}

static __global__ void
__launch_bounds__(COUNT_THREADS)
begin_values_kernel(number *counts, uint32_t values)
{
	(void)block_scan<COUNT_THREADS, SUM>(counts, values);
}

/* The value of place AT: the last one that begins there or before, of VALUES. */
static __device__ __forceinline__ uint32_t
value_at(const number *begins, uint32_t values, uint64_t at)
{
	uint32_t value = 0;

	for (uint32_t half = values / 2; half > 0; half /= 2)
		value += begins[value + half] <= at ? half : 0;
	return value;
}

template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
write_values_kernel(Key *keys, size_t count, const number *begins, uint32_t values,
                    key_map<Key> map)
{
	const size_t from = blockIdx.x * (size_t)WRITE_KEYS;
	const uint32_t first = value_at(begins, values, from);
	const uint32_t last = value_at(begins, values, min(from + WRITE_KEYS, count) - 1);

	for (size_t i = from + threadIdx.x; i < min(from + WRITE_KEYS, count); i += COUNT_THREADS) {
		uint32_t low = first, high = last;	/* it is one of these */

		while (low < high) {
			const uint32_t middle = (low + high + 1) / 2;

			if (begins[middle] <= i)
				low = middle;
			else
				high = middle - 1;
		}
		keys[i] = original(map, (Key)low);
	}
}

template <class Key> static cudaError_t
sort_short(Key *keys, const key_map<Key> &map, size_t count, number *counts, cudaStream_t stream)
{
	const uint32_t values = (uint32_t)1 << sizeof(Key) * 8;
	const uint32_t parts = values < SHORT_BINS ? 1 : values / SHORT_BINS;
	const size_t blocks = count / (COUNT_THREADS * 16 / sizeof(Key)) + 1;

	if (count < 2)
		return cudaSuccess;
	TRY_CUDA(cudaMemsetAsync(counts, 0, gs_sort_short_scratch_bytes(16), stream));
	TRY_CUDA(launch<false>(count_values_kernel<Key>, std::min<size_t>(blocks, SHORT_BLOCKS) * parts,
	                       COUNT_THREADS, stream, counts + 1, keys, count, map, parts));
	TRY_CUDA(launch<false>(begin_values_kernel, 1, COUNT_THREADS, stream, counts, values));
	return launch<false>(write_values_kernel<Key>, (count + WRITE_KEYS - 1) / WRITE_KEYS, COUNT_THREADS,
	                     stream, keys, count, counts, values, map);
}

extern "C" size_t
gs_sort_short_scratch_bytes(unsigned)
{
	return ((1 << 16) + 1) * sizeof(number);
}

extern "C" cudaError_t
gs_sort_short(void *keys, unsigned bits, struct gs_key_map map, size_t count, void *scratch,
              cudaStream_t stream)
{
	return by_width<uint8_t, uint16_t>(bits, [&](auto key) {
		return sort_short<decltype(key)>((decltype(key) *)keys, map, count, (number *)scratch,
		                                 stream);
	});
}

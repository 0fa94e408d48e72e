// SPDX-License-Identifier: BSD-2-Clause
/* segmented.cu - keys in segments of device memory: sorted by CUB, checked */
#include <cstdint>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/device/segmented.h"
#include "bench/shapes.h"

enum { BLOCKS = 132 * 16, THREADS = 256 };

/* A block a segment. */
template <class Key> static __global__ void
check_segments(const Key *keys, const uint64_t *at, size_t many, keys_verdict *verdict)
{
	unsigned long long falls = 0, digest = 0;

	for (size_t s = blockIdx.x; s < many; s += BLOCKS)
		for (uint64_t i = at[s] + threadIdx.x; i < at[s + 1]; i += THREADS) {
			falls += i > at[s] && keys[i - 1] > keys[i];
			digest += random_at(keys[i], s);
		}
	atomicAdd(&verdict->falls, falls);
	atomicAdd(&verdict->digest, digest);
}

extern "C" cudaError_t
segmented_check(const void *keys, unsigned bits, const uint64_t *at, size_t many,
                struct keys_verdict *verdict)
{
	keys_verdict *there;
	cudaError_t error = cudaMalloc((void **)&there, sizeof *there);

	if (error != cudaSuccess)
		return error;
	(void)cudaMemset(there, 0, sizeof *there);
	if (bits == 8)
		check_segments<<<BLOCKS, THREADS>>>((const uint8_t *)keys, at, many, there);
	else if (bits == 32)
		check_segments<<<BLOCKS, THREADS>>>((const uint32_t *)keys, at, many, there);
	else
		check_segments<<<BLOCKS, THREADS>>>((const uint64_t *)keys, at, many, there);
	error = cudaMemcpy(verdict, there, sizeof *verdict, cudaMemcpyDeviceToHost);
	(void)cudaFree(there);
	return error;
}

template <class Key> static cudaError_t
sort(segmented_way way, void **keys, void **other, size_t count, const int32_t *at, size_t many,
     void *scratch, size_t *bytes, cudaStream_t stream)
{
	const Key *const from = (const Key *)*keys;
	Key *const to = (Key *)*other;
	const int bits = sizeof(Key) * 8;
	cub::DoubleBuffer<Key> buffer((Key *)*keys, (Key *)*other);
	cudaError_t error;

	switch (way) {
	case SEGMENTED_SORT:
		error = cub::DeviceSegmentedSort::SortKeys(scratch, *bytes, buffer, (int64_t)count,
		                                           (int64_t)many, at, at + 1, stream);
		break;
	case SEGMENTED_RADIX:
		error = cub::DeviceSegmentedRadixSort::SortKeys(scratch, *bytes, buffer, (int)count,
		                                                (int)many, at, at + 1, 0, bits, stream);
		break;
	case SEGMENTED_SORT_INTO:
		error = cub::DeviceSegmentedSort::SortKeys(scratch, *bytes, from, to, (int64_t)count,
		                                           (int64_t)many, at, at + 1, stream);
		buffer.selector = 1;
		break;
	default:
		error = cub::DeviceSegmentedRadixSort::SortKeys(scratch, *bytes, from, to, (int)count,
		                                                (int)many, at, at + 1, 0, bits, stream);
		buffer.selector = 1;
	}
	*keys = buffer.Current();
	*other = buffer.Alternate();
	return error;
}

extern "C" cudaError_t
segmented_cub(enum segmented_way way, void **keys, void **other, unsigned bits, size_t count,
              const int32_t *at, size_t many, void *scratch, size_t *bytes, cudaStream_t stream)
{
	return bits == 32 ? sort<uint32_t>(way, keys, other, count, at, many, scratch, bytes, stream) :
	                    sort<uint64_t>(way, keys, other, count, at, many, scratch, bytes, stream);
}

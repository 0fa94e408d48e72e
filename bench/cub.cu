// SPDX-License-Identifier: BSD-2-Clause
/* cub.cu - NVIDIA's sorts behind a C wall; part of gsort-bench only */
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "bench/cub.h"

struct less_than {
	template <class Key> __host__ __device__ bool
	operator()(const Key &a, const Key &b) const
	{
		return a < b;
	}
};

/* SCRATCH NULL: only say how many bytes. */
template <class Key> static cudaError_t
sort(cub_which which, Key *keys, Key *other, size_t count, void *scratch, size_t *bytes,
     cudaStream_t stream)
{
	if (which == CUB_RADIX)
		return cub::DeviceRadixSort::SortKeys(scratch, *bytes, (const Key *)keys, other, count,
		                                      0, (int)sizeof(Key) * 8, stream);
	return cub::DeviceMergeSort::SortKeys(scratch, *bytes, keys, count, less_than(), stream);
}

extern "C" cudaError_t
cub_scratch_bytes(enum cub_which which, unsigned bits, size_t count, size_t *bytes)
{
	*bytes = 0;
	if (bits == 32)
		return sort<uint32_t>(which, NULL, NULL, count, NULL, bytes, 0);
	return sort<uint64_t>(which, NULL, NULL, count, NULL, bytes, 0);
}

extern "C" cudaError_t
cub_sort(enum cub_which which, void *keys, void *other, unsigned bits, size_t count,
         void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
	if (bits == 32)
		return sort(which, (uint32_t *)keys, (uint32_t *)other, count, scratch, &scratch_bytes,
		            stream);
	return sort(which, (uint64_t *)keys, (uint64_t *)other, count, scratch, &scratch_bytes,
	            stream);
}

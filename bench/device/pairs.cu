// SPDX-License-Identifier: BSD-2-Clause
/* pairs.cu - keys with payloads in device memory: made, sorted by CUB, checked */
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>

#include "bench/device/pairs.h"
#include "bench/shapes.h"

enum { BLOCKS = 132 * 16, THREADS = 256 };

template <class Value> static __global__ void
fill_values(Value *values, size_t count)
{
	for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS)
		values[i] = (Value)i;
}

/* WRONG: falls, and keys that are from elsewhere.  DIGEST: 0 if all payloads are there. */
struct pairs_verdict {
	unsigned long long wrong, digest;
};

template <class Key, class Value> static __global__ void
check_pairs(const Key *keys, const Value *values, const Key *source, size_t count, bool stable,
            pairs_verdict *verdict)
{
	unsigned long long wrong = 0, digest = 0;

	for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS) {
		const size_t from = values[i];

		wrong += from >= count || source[from < count ? from : 0] != keys[i];
		wrong += i > 0 && (keys[i - 1] > keys[i] ||
		                   (stable && keys[i - 1] == keys[i] && values[i - 1] > values[i]));
		digest += random_at(from, 1) - random_at(i, 1);
	}
	atomicAdd(&verdict->wrong, wrong);
	atomicAdd(&verdict->digest, digest);
}

/* CUB picks 32 or 64 bits for offsets by the type of the count. */
template <class Count, class Key, class Value> static cudaError_t
radix_sort(bool into, cub::DoubleBuffer<Key> &k, cub::DoubleBuffer<Value> &v, size_t count,
           void *scratch, size_t *bytes, cudaStream_t stream)
{
	const int bits = sizeof(Key) * 8;

	if (!into)
		return cub::DeviceRadixSort::SortPairs(scratch, *bytes, k, v, (Count)count, 0, bits, stream);
	k.selector ^= 1;
	v.selector ^= 1;
	return cub::DeviceRadixSort::SortPairs(scratch, *bytes, (const Key *)k.Alternate(), k.Current(),
	                                       (const Value *)v.Alternate(), v.Current(), (Count)count,
	                                       0, bits, stream);
}

template <class Key, class Value> static cudaError_t
sort_pairs(cub_which which, void *keys[2], void *values[2], size_t count, void *scratch,
           size_t *bytes, cudaStream_t stream)
{
	const bool into = which == CUB_INTO_32 || which == CUB_INTO_64;
	cub::DoubleBuffer<Key> k((Key *)keys[0], (Key *)keys[1]);
	cub::DoubleBuffer<Value> v((Value *)values[0], (Value *)values[1]);
	cudaError_t error;

	if (!cub_takes(which, count) || which >= CUB_TUNED)
		return cudaErrorInvalidValue;
	error = which == CUB_BUFFER_32 || which == CUB_INTO_32 ?
		radix_sort<uint32_t>(into, k, v, count, scratch, bytes, stream) :
		radix_sort<size_t>(into, k, v, count, scratch, bytes, stream);
	keys[0] = k.Current();
	keys[1] = k.Alternate();
	values[0] = v.Current();
	values[1] = v.Alternate();
	return error;
}

extern "C" cudaError_t
pairs_fill(void *values, struct pairs_kind kind, size_t count)
{
	if (kind.value_bits == 32)
		fill_values<<<BLOCKS, THREADS>>>((uint32_t *)values, count);
	else
		fill_values<<<BLOCKS, THREADS>>>((uint64_t *)values, count);
	return cudaGetLastError();
}

extern "C" cudaError_t
pairs_check(const void *keys, const void *values, const void *source, struct pairs_kind kind,
            size_t count, bool *right)
{
	pairs_verdict *there, verdict;
	cudaError_t error = cudaMalloc((void **)&there, sizeof *there);

	if (error != cudaSuccess)
		return error;
	(void)cudaMemset(there, 0, sizeof *there);
	if (kind.bits == 32 && kind.value_bits == 32)
		check_pairs<<<BLOCKS, THREADS>>>((const uint32_t *)keys, (const uint32_t *)values,
		                                 (const uint32_t *)source, count, kind.stable, there);
	else if (kind.bits == 32)
		check_pairs<<<BLOCKS, THREADS>>>((const uint32_t *)keys, (const uint64_t *)values,
		                                 (const uint32_t *)source, count, kind.stable, there);
	else if (kind.value_bits == 32)
		check_pairs<<<BLOCKS, THREADS>>>((const uint64_t *)keys, (const uint32_t *)values,
		                                 (const uint64_t *)source, count, kind.stable, there);
	else
		check_pairs<<<BLOCKS, THREADS>>>((const uint64_t *)keys, (const uint64_t *)values,
		                                 (const uint64_t *)source, count, kind.stable, there);
	error = cudaMemcpy(&verdict, there, sizeof verdict, cudaMemcpyDeviceToHost);
	(void)cudaFree(there);
	*right = error == cudaSuccess && verdict.wrong == 0 && verdict.digest == 0;
	return error;
}

extern "C" cudaError_t
pairs_cub(enum cub_which which, void *keys[2], void *values[2], struct pairs_kind kind, size_t count,
          void *scratch, size_t *bytes, cudaStream_t stream)
{
	if (kind.bits == 32)
		return kind.value_bits == 32 ?
			sort_pairs<uint32_t, uint32_t>(which, keys, values, count, scratch, bytes, stream) :
			sort_pairs<uint32_t, uint64_t>(which, keys, values, count, scratch, bytes, stream);
	return kind.value_bits == 32 ?
		sort_pairs<uint64_t, uint32_t>(which, keys, values, count, scratch, bytes, stream) :
		sort_pairs<uint64_t, uint64_t>(which, keys, values, count, scratch, bytes, stream);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * samples.cu - small kernels, right and wrong, that show what the emulator does; and a kernel of gsort by
 * itself, for leaves whose keys are in an order that no sort brings them in
 */
#include <cuda_runtime.h>
#include <string.h>

#include "kernels/device/leaf_launch.cuh"
#include "tests/emu/samples.h"

/* Each warp adds up its threads' numbers, and one thread of each adds that to *sum. */
static __global__ void
sum_kernel(unsigned *sum, unsigned count)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, value = t < count ? t : 0;

	for (unsigned lanes = 16; lanes > 0; lanes /= 2)
		value += __shfl_down_sync(0xffffffffu, value, lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, value);
}

/* Reverse the block's keys through shared memory, with a barrier or without. */
static __global__ void
reverse_kernel(unsigned *keys, bool with_barrier)
{
	__shared__ unsigned shared[1024];

	shared[threadIdx.x] = keys[threadIdx.x];
	if (with_barrier)
		__syncthreads();
	keys[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

/* Only the first half of the block reaches the barrier. */
static __global__ void
half_barrier_kernel()
{
	if (threadIdx.x < blockDim.x / 2)
		__syncthreads();
}

/* Two barriers, half of the block at each. */
static __global__ void
other_barrier_kernel()
{
	if (threadIdx.x < blockDim.x / 2)
		__syncthreads();
	else
		__syncthreads();
}

/* The odd lanes wait for all lanes. */
static __global__ void
half_warp_kernel()
{
	if (threadIdx.x % 2 == 1)
		__syncwarp();
}

/* The even lanes read from the odd ones, which do not take part. */
static __global__ void
stranger_kernel(unsigned *sum)
{
	if (threadIdx.x % 2 == 0)
		*sum = __shfl_xor_sync(0x55555555u, threadIdx.x, 1);
}

extern "C" cudaError_t
sample_sum(unsigned *sum, unsigned count)
{
	return launch(sum_kernel, (count + 95) / 96, 96, 0, sum, count);
}

extern "C" cudaError_t
sample_reverse(unsigned *keys, unsigned count, int with_barrier)
{
	return launch(reverse_kernel, 1, count, 0, keys, with_barrier != 0);
}

extern "C" cudaError_t
sample_shared(size_t bytes, size_t most)
{
	return launch_shared(half_warp_kernel, 1, 1, shared_size(bytes, most), 0);
}

template <class Of> static cudaError_t
sort_long(typename Of::place to, typename Of::source from, const sample_leaf &leaf)
{
	const uint32_t parts = long_parts<Of>(leaf.count);
	leaf_item items[64] = {};

	for (uint32_t p = 0; p < parts; p++)
		items[p] = leaf_item{ 0, leaf.count, p, parts, 0 };
	static_assert(SAMPLE_CHUNK % long_leaf<Of>::BATCH == 0, "a batch is in one chunk");
	return launch_shared<false>(long_kernel<Of>, parts, long_leaf<Of>::THREADS, sizeof(long_leaf<Of>), 0,
	                            to, from, typename Of::map(gs_key_map{ 0, leaf.always, 0 }),
	                            leaf_chunks{ leaf.chunks, 0, false, false, NULL, NULL, items, &parts },
	                            SAMPLE_CHUNK,
	                            UINT32_MAX / SAMPLE_CHUNK + 1);
}

template <class Key> static cudaError_t
sort_long_keys(const sample_leaf &leaf)
{
	Key *const to = (Key *)leaf.to, *const from = (Key *)leaf.from;

	if constexpr (sizeof(Key) == 4)
		if (leaf.value_bits == 0)
			return sort_long<typed<Key>>(to, from, leaf);
	if (leaf.value_bits == 32)
		return sort_long<pairs<Key, uint32_t>>({ to, (uint32_t *)leaf.values_to },
		                                       { from, (uint32_t *)leaf.values }, leaf);
	return sort_long<pairs<Key, uint64_t>>({ to, (uint64_t *)leaf.values_to },
	                                       { from, (uint64_t *)leaf.values }, leaf);
}

template <class Of> static __global__ void
__launch_bounds__(long_leaf<Of>::THREADS)
take_kernel(typename Of::key *to, const typename Of::key *from, const uint64_t *chunks, uint32_t count)
{
	typedef typename Of::key key;
	__shared__ key sample[long_leaf<Of>::SAMPLE];
	const long_source<const key *> source = { from, chunks, SAMPLE_CHUNK, UINT32_MAX / SAMPLE_CHUNK + 1 };

	long_sample<Of>(sample, source, count);
	for (unsigned i = threadIdx.x; i < long_leaf<Of>::SAMPLE; i += long_leaf<Of>::THREADS)
		to[i] = sample[i];
}

template <class Of> static cudaError_t
take_sample(const sample_leaf &leaf)
{
	typedef typename Of::key key;

	return launch<false>(take_kernel<Of>, 1, long_leaf<Of>::THREADS, 0, (key *)leaf.to,
	                     (const key *)leaf.from, leaf.chunks, leaf.count);
}

extern "C" cudaError_t
sample_sample(const struct sample_leaf *leaf)
{
	return leaf->bits == 32 ? take_sample<typed<uint32_t>>(*leaf) :
	                          take_sample<pairs<uint64_t, uint32_t>>(*leaf);
}

extern "C" cudaError_t
sample_long(const struct sample_leaf *leaf)
{
	return leaf->bits == 32 ? sort_long_keys<uint32_t>(*leaf) : sort_long_keys<uint64_t>(*leaf);
}

extern "C" const char *
sample_way(const struct sample_says *says)
{
	static const char *const names[] = { "in slots", "in levels", "unevenly", "compared", "united",
	                                     "coded" };
	static const char *const orders[] = { "", "rises", "falls", "nearly" };
	const uint32_t v = says->values;
	bin_news news = { says->skewed, UNORDERED, says->range_bits, says->spread, { v, v, v, v }, 0 };
	ways may = { { 64, false }, slot_rule{ 20, 64, 16 }, true, true, 0 };

	for (uint32_t o = RISES; o <= NEARLY; o++)
		if (strcmp(orders[o], says->order) == 0)
			news.order = o;
	for (unsigned w = 0; w < sizeof names / sizeof names[0]; w++)
		may.tried |= strstr(says->tried, names[w]) != NULL ? 1u << w : 0;
	return names[way_of(news, may)];
}

extern "C" cudaError_t
sample_wrong(enum sample_wrong which, unsigned *sum)
{
	switch (which) {
	case SAMPLE_HALF_BARRIER:  return launch(half_barrier_kernel, 1, 64, 0);
	case SAMPLE_OTHER_BARRIER: return launch(other_barrier_kernel, 1, 64, 0);
	case SAMPLE_HALF_WARP:     return launch(half_warp_kernel, 1, 64, 0);
	case SAMPLE_STRANGER:      return launch(stranger_kernel, 1, 64, 0, sum);
	case SAMPLE_TOO_MANY:      return launch(half_barrier_kernel, 1, 2048, 0);
	}
	return cudaErrorInvalidValue;
}

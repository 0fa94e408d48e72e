// SPDX-License-Identifier: BSD-2-Clause
/*
 * device_keys.cu - keys of a benchmark, made and checked in device memory
 *
 * That takes milliseconds.  On the host and through the bus it would take seconds, and with six
 * types and all shapes most of the time of a run.
 */
#include "bench/device/device_keys.h"
#include "bench/shapes.h"

enum { BLOCKS = 132 * 16, THREADS = 256 };

template <class Key> static __global__ void
fill_keys(Key *keys, size_t count, unsigned shape, uint64_t seed)
{
	for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS)
		keys[i] = (Key)key_of(shape, sizeof(Key) * 8, i, count, seed);
}

template <class Key> static __global__ void
check_keys(const Key *keys, size_t count, size_t run_keys, keys_verdict *verdict)
{
	unsigned long long falls = 0, digest = 0;

	for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS) {
		falls += i % run_keys != 0 && keys[i - 1] > keys[i];
		digest += random_at(keys[i], 1);
	}
	atomicAdd(&verdict->falls, falls);
	atomicAdd(&verdict->digest, digest);
}

/* 16 bytes at a time: as fast as a copy. */
template <class Key> struct alignas(16) some_keys {
	Key at[16 / sizeof(Key)];
};

/*
 * Ordered bits: the sign bit inverted, and all others of a negative float, too.  The way back
 * makes 0 of -0, for CUB takes one for the other, and leaves no NaN a sign: these are first for CUB, and
 * last for gsort.
 */
template <class Key, bool FLOAT, bool BACK> static __device__ Key
mapped(Key key)
{
	const Key sign = (Key)1 << (sizeof(Key) * 8 - 1);
	const Key nans = (Key)((1ull << (sizeof(Key) == 4 ? 23 : 52)) - 1);
	const bool inverts = FLOAT && ((key & sign) != 0) != BACK;

	if (FLOAT && BACK && key == (Key)~sign)
		return 0;
	if (FLOAT && BACK && key < nans)
		return (Key)~key & ~sign;
	return inverts ? (Key)~key : key ^ sign;
}

template <class Key, bool FLOAT, bool BACK> static __global__ void
map_keys(Key *keys, size_t count)
{
	enum { EACH = 16 / sizeof(Key) };
	const size_t at = (blockIdx.x * (size_t)THREADS + threadIdx.x) * EACH;

	if (at + EACH <= count) {
		some_keys<Key> some = *(some_keys<Key> *)&keys[at];

		for (unsigned k = 0; k < EACH; k++)
			some.at[k] = mapped<Key, FLOAT, BACK>(some.at[k]);
		*(some_keys<Key> *)&keys[at] = some;
	} else {
		for (size_t i = at; i < count; i++)
			keys[i] = mapped<Key, FLOAT, BACK>(keys[i]);
	}
}

extern "C" cudaError_t
device_keys_fill(void *keys, unsigned bits, size_t count, unsigned shape, uint64_t seed)
{
	if (bits == 32)
		fill_keys<<<BLOCKS, THREADS>>>((uint32_t *)keys, count, shape, seed);
	else
		fill_keys<<<BLOCKS, THREADS>>>((uint64_t *)keys, count, shape, seed);
	return cudaGetLastError();
}

extern "C" cudaError_t
device_keys_check(const void *keys, unsigned bits, size_t count, size_t run_keys,
                  keys_verdict *verdict)
{
	keys_verdict *there;
	cudaError_t error = cudaMalloc((void **)&there, sizeof *there);

	if (error != cudaSuccess)
		return error;
	(void)cudaMemset(there, 0, sizeof *there);
	if (bits == 32)
		check_keys<<<BLOCKS, THREADS>>>((const uint32_t *)keys, count, run_keys, there);
	else
		check_keys<<<BLOCKS, THREADS>>>((const uint64_t *)keys, count, run_keys, there);
	error = cudaMemcpy(verdict, there, sizeof *verdict, cudaMemcpyDeviceToHost);
	(void)cudaFree(there);
	return error;
}

template <class Key> static void
map_all(Key *keys, bool floats, bool back, size_t count, cudaStream_t stream)
{
	void (*const kernels[2][2])(Key *, size_t) = {
		{ map_keys<Key, false, false>, map_keys<Key, false, true> },
		{ map_keys<Key, true, false>, map_keys<Key, true, true> },
	};

	kernels[floats][back]<<<(unsigned)(count * sizeof(Key) / (16 * THREADS) + 1), THREADS, 0, stream>>>
		(keys, count);
}

extern "C" cudaError_t
device_keys_map(void *keys, unsigned bits, enum key_kind kind, bool back, size_t count,
                cudaStream_t stream)
{
	if (kind == KEYS_UNSIGNED)
		return cudaSuccess;
	if (bits == 32)
		map_all((uint32_t *)keys, kind == KEYS_FLOAT, back, count, stream);
	else
		map_all((uint64_t *)keys, kind == KEYS_FLOAT, back, count, stream);
	return cudaGetLastError();
}

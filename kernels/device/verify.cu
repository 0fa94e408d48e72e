// SPDX-License-Identifier: BSD-2-Clause
/*
 * verify.cu - is the result of a sort in order, and is it what was given?
 *
 * In:   rows before a sort: keys, or keys with payloads; the same rows after it.
 * Out:  a verdict, in device memory, for whoever waits for it.
 *
 *     rows_kernel     before: add up all rows, and a hash of each; after: take both away, and compare keys
 *     verdict_kernel  what is left, of the sums?
 *
 * Sums do not depend on the order of rows, nor on what a sort does between the two sweeps.  So all ways to
 * sort are covered alike, and a stray write is seen, which a test in a kernel would miss.
 *
 * A hash is squared: sums of keys alone miss halves that two keys have exchanged.  Its factor and its fold
 * keep all bits of a row in the square modulo 2^64, which loses the highest bits of a row that is not hashed.
 *
 * Each sweep only reads.
 */
#include <algorithm>
#include <type_traits>

#include "kernels/block/scan.cuh"
#include "kernels/kernels.h"
#include "kernels/thread/rows.cuh"

enum {
	VERIFY_THREADS = 256, VERIFY_EACH = 16, VERIFY_TILE = VERIFY_THREADS * VERIFY_EACH,
	VERIFY_BLOCKS = 1056, VERIFY_SUMS = 64,
};

/* What a verdict comes from, zero at first. */
struct evidence {
	gs_verdict verdict;
	number     sums[VERIFY_SUMS][2];	/* several, so that blocks do not queue up */
	number     fall;		/* ~i: key i is less than the one before; the least such i */
};

static_assert(sizeof(evidence) <= GS_VERIFY_BYTES, "a caller has room for it");

/* All that a block or a thread has added up. */
struct row_sums {
	number rows = 0, hashes = 0;
};

static __device__ __forceinline__ void
add_row(row_sums *s, number row)
{
	number hash = (row + 0x94d049bb133111ebull) * 0x9e3779b97f4a7c15ull;

	hash ^= hash >> 32;
	s->rows += row;
	s->hashes += hash * hash;
}

/* Add row I to S.  AFTER a sort, and unless it is the LAST one: do keys, or places of equal keys, fall? */
template <bool AFTER, class Key, class Value, class Map> static __device__ __forceinline__ bool
look_at_row(row_sums *s, const Key *keys, const Value *values, size_t i, bool last, bool places,
            const Map &map)
{
	const Key key = keys[i], next = AFTER && !last ? keys[i + 1] : key;
	bool falls = ordered(map, key) > ordered(map, next);

	if constexpr (std::is_void<Value>::value) {
		add_row(s, key);
	} else {
		const Value value = AFTER || !places ? values[i] : (Value)i;
		const number mixed = value * 0xbf58476d1ce4e5b9ull;

		add_row(s, key + (mixed << 29 | mixed >> 35));
		if (AFTER && places && !last && key == next)
			falls = value >= values[i + 1];
	}
	return AFTER && falls;
}

template <bool AFTER, class Key, class Value, class Map> static __device__ __forceinline__ void
look_at_rows(evidence *e, row_sums *s, const Key *keys, const Value *values, size_t count, bool places,
             const Map &map)
{
	const size_t step = gridDim.x * (size_t)VERIFY_TILE;

	for (size_t at = blockIdx.x * (size_t)VERIFY_TILE; at < count; at += step) {
		const size_t first = at + threadIdx.x, end = min(at + VERIFY_TILE, count);
		const auto tell_falls = [&](row_sums *sums) {
			for (size_t i = first; i < end; i += VERIFY_THREADS)
				if (look_at_row<AFTER>(sums, keys, values, i, i + 1 == count, places, map))
					atomicMax(&e->fall, ~(number)(i + 1));
		};
		bool falls = false;

		if (count - at <= VERIFY_TILE) {
			tell_falls(s);
			return;
		}
#pragma unroll 8
		for (unsigned r = 0; r < VERIFY_EACH; r++)
			falls |= look_at_row<AFTER>(s, keys, values, first + r * VERIFY_THREADS, false,
			                            places, map);
		if (falls) {	/* where? */
			row_sums none;

			tell_falls(&none);
		}
	}
}

template <bool AFTER, class Key, class Value> static __global__ void
__launch_bounds__(VERIFY_THREADS, blocks_that_fit(VERIFY_THREADS, 4))
rows_kernel(evidence *e, const Key *keys, const Value *values, size_t count, key_map<Key> map, bool places)
{
	__shared__ number shared[2][VERIFY_THREADS / 32];
	row_sums mine, all;

	if constexpr (AFTER)
		with_map(map, [&](const auto &m) {
			look_at_rows<true>(e, &mine, keys, values, count, places, m);
		});
	else
		look_at_rows<false>(e, &mine, keys, values, count, places, no_map{});
	block_sum_before<VERIFY_THREADS>(mine.rows, shared[0], &all.rows);
	block_sum_before<VERIFY_THREADS>(mine.hashes, shared[1], &all.hashes);
	if (threadIdx.x == 0) {
		number *const sums = e->sums[blockIdx.x % VERIFY_SUMS];

		atomicAdd(&sums[0], AFTER ? 0 - all.rows : all.rows);
		atomicAdd(&sums[1], AFTER ? 0 - all.hashes : all.hashes);
	}
}

static __global__ void
verdict_kernel(evidence *e)
{
	number rows = 0, hashes = 0;

	for (unsigned i = 0; i < VERIFY_SUMS; i++) {
		rows += e->sums[i][0];
		hashes += e->sums[i][1];
	}
	e->verdict.place = ~e->fall;
	e->verdict.what = (e->fall != 0 ? GS_NOT_IN_ORDER : 0) | ((rows | hashes) != 0 ? GS_NOT_THE_SAME : 0);
	e->verdict.state = e->verdict.what == 0 ? GS_RIGHT : GS_WRONG;
}

template <bool AFTER, class Key, class Value> static cudaError_t
sum(const gs_stable *s, evidence *e, cudaStream_t stream)
{
	const size_t tiles = (s->count + VERIFY_TILE - 1) / VERIFY_TILE;

	if (s->count == 0)
		return cudaSuccess;
	return launch<false>(rows_kernel<AFTER, Key, Value>, std::min<size_t>(tiles, VERIFY_BLOCKS),
	                     VERIFY_THREADS, stream, e, (const Key *)s->keys, (const Value *)s->values,
	                     s->count, s->map, s->places);
}

template <bool AFTER> static cudaError_t
sum_rows(const gs_stable *s, evidence *e, cudaStream_t stream)
{
	return by_width<uint8_t, uint16_t, uint32_t, uint64_t>(s->bits, [&](auto key) {
		if (s->value_bits == 0)
			return sum<AFTER, decltype(key), void>(s, e, stream);
		return by_width<uint32_t, uint64_t>(s->value_bits, [&](auto value) {
			return sum<AFTER, decltype(key), decltype(value)>(s, e, stream);
		});
	});
}

extern "C" cudaError_t
gs_verify_begin(const struct gs_stable *s, void *memory, cudaStream_t stream)
{
	TRY_CUDA(cudaMemsetAsync(memory, 0, sizeof(evidence), stream));
	return sum_rows<false>(s, (evidence *)memory, stream);
}

extern "C" cudaError_t
gs_verify_end(const struct gs_stable *s, void *memory, cudaStream_t stream)
{
	TRY_CUDA(sum_rows<true>(s, (evidence *)memory, stream));
	return launch<false>(verdict_kernel, 1, 1, stream, (evidence *)memory);
}

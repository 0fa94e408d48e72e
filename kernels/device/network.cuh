// SPDX-License-Identifier: BSD-2-Clause
/*
 * network.cuh - sort by networks alone: few keys
 *
 * In:   keys, in the first room.
 * Out:  the same, ascending, there.
 *
 * Tiles are sorted, and merged pairwise.
 */
#ifndef GS_NETWORK_CUH
#define GS_NETWORK_CUH

#include "kernels/device/leaf_launch.cuh"

enum { SWEEP_THREADS = 256 };

template <class Key, class From, class To> static __global__ void
__launch_bounds__(SWEEP_THREADS)
map_kernel(Key *keys, size_t count, From from, To to)
{
	begin_in_turn();

	const size_t i = blockIdx.x * (size_t)SWEEP_THREADS + threadIdx.x;

	if (i < count)
		keys[i] = original(to, ordered(from, keys[i]));
}

/* Map COUNT keys from START on: in order of their bits, then back. */
template <class Of, class From, class To> static cudaError_t
map_keys(const job<Of> &j, size_t start, size_t count, const From &from, const To &to)
{
	if (maps_none(from) && maps_none(to))
		return cudaSuccess;
	return launch(map_kernel<typename Of::key, From, To>, (count - 1) / SWEEP_THREADS + 1,
	              SWEEP_THREADS, j.stream, keys_at(j.keys) + start, count, from, to);
}

/* Sort COUNT keys from START on: tiles, then merged pairwise. */
template <class Of> static cudaError_t
sort_ordered(const job<Of> &j, size_t start, size_t count)
{
	typedef typename Of::key Key;
	const size_t tile = std::min<size_t>(count, (size_t)1 << 20);
	const unsigned bits = sizeof(Key) * 8;
	Key *from = j.keys + start, *to = j.other + start;

	for (size_t at = 0; at < count; at += tile)
		TRY_CUDA(gs_tile_sort(from + at, bits, std::min(tile, count - at), j.stream));
	for (size_t run = tile; run < count; run *= 2, std::swap(from, to))
		for (size_t at = 0; at < count; at += 2 * run) {
			const size_t a = std::min(run, count - at), b = std::min(run, count - at - a);

			TRY_CUDA(gs_tile_merge(to + at, from + at, a, from + at + a, b, bits,
			                       j.s.counts, j.stream));
		}
	return from == j.keys + start ? cudaSuccess :
	       cudaMemcpyAsync(j.keys + start, from, count * sizeof(Key), cudaMemcpyDeviceToDevice,
	                       j.stream);
}

template <class Of> static cudaError_t
sort_by_network(const job<Of> &j)
{
	TRY_CUDA(map_keys(j, 0, j.count, j.map, no_map{}));
	TRY_CUDA(sort_ordered(j, 0, j.count));
	return map_keys(j, 0, j.count, no_map{}, j.map);
}

#endif

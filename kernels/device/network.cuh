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

#include "kernels/device/each.cuh"
#include "kernels/device/leaf_launch.cuh"

/* Map J's keys to the order of their bits, then back. */
template <class Of, class From, class To> static cudaError_t
map_keys(const job<Of> &j, const From &from, const To &to)
{
	typename Of::key *const keys = keys_at(j.keys);

	if (maps_none(from) && maps_none(to))
		return cudaSuccess;
	return for_each<true>(j.count, j.stream, [=] __device__ (size_t i) {
		keys[i] = original(to, ordered(from, keys[i]));
	});
}

template <class Of> static cudaError_t
sort_by_network(const job<Of> &j)
{
	typedef typename Of::key Key;
	const size_t tile = std::min<size_t>(j.count, (size_t)1 << 20);
	const unsigned bits = sizeof(Key) * 8;
	Key *from = j.keys, *to = j.other;

	TRY_CUDA(map_keys(j, j.map, no_map{}));
	for (size_t at = 0; at < j.count; at += tile)
		TRY_CUDA(gs_tile_sort(from + at, bits, std::min(tile, j.count - at), j.stream));
	for (size_t run = tile; run < j.count; run *= 2, std::swap(from, to))
		for (size_t at = 0; at < j.count; at += 2 * run) {
			const size_t a = std::min(run, j.count - at), b = std::min(run, j.count - at - a);

			TRY_CUDA(gs_tile_merge(to + at, from + at, a, from + at + a, b, bits, j.s.counts,
			                       j.stream));
		}
	if (from != j.keys)
		TRY_CUDA(cudaMemcpyAsync(j.keys, from, j.count * sizeof(Key), cudaMemcpyDeviceToDevice,
		                         j.stream));
	return map_keys(j, no_map{}, j.map);
}

#endif

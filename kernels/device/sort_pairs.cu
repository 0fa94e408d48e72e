// SPDX-License-Identifier: BSD-2-Clause
/* sort_pairs.cu - the sort of keys with payloads */
#include "kernels/device/sort.cuh"

extern "C" size_t
gs_sort_pairs_scratch_bytes(unsigned bits, unsigned value_bits, size_t count, bool in_order)
{
	if (bits == 32)
		return value_bits == 32 ? sort_scratch_bytes<pairs<uint32_t, uint32_t>>(count, in_order) :
		                          sort_scratch_bytes<pairs<uint32_t, uint64_t>>(count, in_order);
	return value_bits == 32 ? sort_scratch_bytes<pairs<uint64_t, uint32_t>>(count, in_order) :
	                          sort_scratch_bytes<pairs<uint64_t, uint64_t>>(count, in_order);
}

extern "C" cudaError_t
gs_sort_pairs(const struct gs_sorter *sorter, void *keys, void *values, unsigned bits,
              unsigned value_bits, struct gs_key_map map, size_t count, bool in_order, void *memory,
              cudaStream_t stream)
{
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return by_width<uint32_t, uint64_t>(value_bits, [&](auto value) {
			return sort(job<pairs<decltype(key), decltype(value)>>{
				sorter, { (decltype(key) *)keys, (decltype(value) *)values }, {}, map, count,
				{}, stream }, memory, in_order);
		});
	});
}

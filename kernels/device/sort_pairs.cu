// SPDX-License-Identifier: BSD-2-Clause
/* sort_pairs.cu - the sort of keys with payloads */
#include "kernels/device/sort.cuh"

template <class Key, class Value> static cudaError_t
sort_pairs(const gs_sorter *sorter, void *keys, void *values, gs_key_map map, size_t count,
           bool in_order, void *memory, cudaStream_t stream)
{
	return sort(job<pairs<Key, Value>>{ sorter, { (Key *)keys, (Value *)values }, {}, map, count, {},
	                                    stream }, memory, in_order);
}

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
	switch (bits << 8 | value_bits) {
	case 32 << 8 | 32:
		return sort_pairs<uint32_t, uint32_t>(sorter, keys, values, map, count, in_order, memory,
		                                      stream);
	case 32 << 8 | 64:
		return sort_pairs<uint32_t, uint64_t>(sorter, keys, values, map, count, in_order, memory,
		                                      stream);
	case 64 << 8 | 32:
		return sort_pairs<uint64_t, uint32_t>(sorter, keys, values, map, count, in_order, memory,
		                                      stream);
	case 64 << 8 | 64:
		return sort_pairs<uint64_t, uint64_t>(sorter, keys, values, map, count, in_order, memory,
		                                      stream);
	}
	return cudaErrorInvalidValue;
}

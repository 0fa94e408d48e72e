// SPDX-License-Identifier: BSD-2-Clause
/* sort_typed.cu - the sort of keys of other types, or descending */
#include "kernels/device/sort.cuh"

template <class Key> static cudaError_t
sort_typed(const gs_sorter *sorter, void *keys, void *other, gs_key_map map, size_t count,
           void *memory, cudaStream_t stream)
{
	return sort(job<typed<Key>>{ sorter, (Key *)keys, (Key *)other, map, count, {}, stream }, memory);
}

extern "C" cudaError_t
gs_sort_typed(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits,
              struct gs_key_map map, size_t count, void *memory, cudaStream_t stream)
{
	switch (bits) {
	case 32: return sort_typed<uint32_t>(sorter, keys, other, map, count, memory, stream);
	case 64: return sort_typed<uint64_t>(sorter, keys, other, map, count, memory, stream);
	}
	return cudaErrorInvalidValue;
}

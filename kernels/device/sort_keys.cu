// SPDX-License-Identifier: BSD-2-Clause
/* sort_keys.cu - the sort of keys, as one or in pieces, and what each sort needs of a device */
#include "kernels/device/pieces.cuh"

int gs_shared_most = INT_MAX;
size_t gs_slots_from = ((size_t)1 << (32 - NARROW_BITS)) * 25 / 24;

extern "C" size_t
gs_sort_scratch_bytes(unsigned bits, size_t count)
{
	return bits == 32 ? sort_scratch_bytes<typed<uint32_t>>(count) :
	                    sort_scratch_bytes<typed<uint64_t>>(count);
}

extern "C" cudaError_t
gs_sorter_of_graph(struct gs_sorter *sorter)
{
	struct cudaFuncAttributes code;
	int device;

	*sorter = gs_sorter{};
	sorter->of_graph = true;
	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&sorter->processors, cudaDevAttrMultiProcessorCount, device));
	TRY_CUDA(cudaDeviceGetAttribute(&sorter->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
	                                device));
	TRY_CUDA(cudaFuncGetAttributes(&code, (const void *)list_one_kernel<typed<uint32_t>>));
	sorter->shared_bytes = std::min({ sorter->shared_bytes, gs_shared_most,
	                                  shared_most(code.ptxVersion) });
	return cudaSuccess;
}

extern "C" cudaError_t
gs_sorter_open(struct gs_sorter *sorter)
{
	cudaError_t error = gs_sorter_of_graph(sorter);

	sorter->of_graph = false;
	for (cudaStream_t &aside : sorter->aside)
		if (error == cudaSuccess)
			error = cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
	if (error == cudaSuccess)
		error = cudaEventCreateWithFlags(&sorter->listed, cudaEventDisableTiming);
	if (error == cudaSuccess)
		error = cudaEventCreateWithFlags(&sorter->copied, cudaEventDisableTiming);
	if (error == cudaSuccess)
		error = cudaMallocHost((void **)&sorter->told, (KINDS + 1) * sizeof *sorter->told);
	if (error != cudaSuccess)
		gs_sorter_close(sorter);
	return error;
}

extern "C" void
gs_sorter_close(struct gs_sorter *sorter)
{
	(void)cudaFreeHost(sorter->told);
	if (sorter->copied != NULL)
		(void)cudaEventDestroy(sorter->copied);
	if (sorter->listed != NULL)
		(void)cudaEventDestroy(sorter->listed);
	for (cudaStream_t aside : sorter->aside)
		if (aside != NULL)
			(void)cudaStreamDestroy(aside);
	*sorter = gs_sorter{};
}

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

extern "C" cudaError_t
gs_sort_with(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits, size_t count,
             void *memory, cudaStream_t stream)
{
	return gs_sort_typed(sorter, keys, other, bits, gs_key_map{}, count, memory, stream);
}

extern "C" cudaError_t
gs_sort(void *keys, void *other, unsigned bits, size_t count, void *memory, cudaStream_t stream)
{
	struct gs_sorter sorter = {};
	cudaError_t error;

	if (count >= GS_BINS_FROM)
		TRY_CUDA(gs_sorter_open(&sorter));
	error = gs_sort_with(&sorter, keys, other, bits, count, memory, stream);
	gs_sorter_close(&sorter);
	return error;
}

/* ---- pieces ------------------------------------------------------------------ */

enum { WIDEN_THREADS = 256 };

/* Keys of 8 or 16 bits that are sorted as words of 32. */
template <class Stored> static __global__ void
__launch_bounds__(WIDEN_THREADS)
widen_kernel(uint32_t *words, const Stored *keys, size_t count, key_map<Stored> map)
{
	const size_t i = blockIdx.x * (size_t)WIDEN_THREADS + threadIdx.x;

	if (i < count)
		words[i] = ordered(map, keys[i]);
}

template <class Stored> static __global__ void
__launch_bounds__(WIDEN_THREADS)
shorten_kernel(Stored *keys, const uint32_t *words, size_t count, key_map<Stored> map)
{
	const size_t i = blockIdx.x * (size_t)WIDEN_THREADS + threadIdx.x;

	if (i < count)
		keys[i] = original(map, (Stored)words[i]);
}

/* Memory for BYTES of words, twice; then what a sort of them needs. */
static size_t
words_bytes(size_t count)
{
	return (count * sizeof(uint32_t) + 255) / 256 * 256;
}

template <class Key> static cudaError_t
sort_pieces_of(const gs_sorter *sorter, Key *keys, Key *other, gs_key_map map, const gs_cuts &g,
               size_t count, void *memory, bool *wrong, cudaStream_t stream)
{
	return sort_pieces(job<typed<Key>>{ sorter, keys, other, map, count, {}, stream }, g, memory, wrong);
}

template <class Stored> static cudaError_t
sort_pieces_widened(const gs_sorter *sorter, Stored *keys, gs_key_map map, const gs_cuts &g,
                    size_t count, char *memory, bool *wrong, cudaStream_t stream)
{
	const key_map<Stored> m = map;
	const size_t bytes = words_bytes(count), blocks = (count + WIDEN_THREADS - 1) / WIDEN_THREADS;
	uint32_t *const words = (uint32_t *)memory, *const other = (uint32_t *)(memory + bytes);

	if (count < 2 || g.count == 0)
		return cudaSuccess;
	if (pieces_are_short<uint32_t>(g))
		return sort_short_pieces<uint32_t>(keys, m, g, stream);
	TRY_CUDA(launch<false>(widen_kernel<Stored>, blocks, WIDEN_THREADS, stream, words, keys, count, m));
	TRY_CUDA(sort_pieces_of(sorter, words, other, gs_key_map{}, g, count, memory + 2 * bytes, wrong,
	                        stream));
	return launch<false>(shorten_kernel<Stored>, blocks, WIDEN_THREADS, stream, keys, words, count, m);
}

extern "C" size_t
gs_sort_pieces_scratch_bytes(unsigned bits, struct gs_cuts pieces, size_t count)
{
	if (bits == 64)
		return pieces_scratch_bytes<typed<uint64_t>>(pieces, count);
	if (bits < 32 && !pieces_are_short<uint32_t>(pieces))
		return 2 * words_bytes(count) + pieces_scratch_bytes<typed<uint32_t>>(pieces, count);
	return pieces_scratch_bytes<typed<uint32_t>>(pieces, count);
}

extern "C" cudaError_t
gs_sort_pieces(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits,
               struct gs_key_map map, struct gs_cuts pieces, size_t count, void *memory,
               bool *wrong, cudaStream_t stream)
{
	*wrong = false;
	switch (bits) {
	case 8:  return sort_pieces_widened(sorter, (uint8_t *)keys, map, pieces, count, (char *)memory,
		                           wrong, stream);
	case 16: return sort_pieces_widened(sorter, (uint16_t *)keys, map, pieces, count, (char *)memory,
		                            wrong, stream);
	case 32: return sort_pieces_of(sorter, (uint32_t *)keys, (uint32_t *)other, map, pieces, count,
		                       memory, wrong, stream);
	case 64: return sort_pieces_of(sorter, (uint64_t *)keys, (uint64_t *)other, map, pieces, count,
		                       memory, wrong, stream);
	}
	return cudaErrorInvalidValue;
}

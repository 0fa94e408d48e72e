// SPDX-License-Identifier: BSD-2-Clause
/* sort_keys.cu - the sort of keys, as one or in pieces, and what each sort needs of a device */
#include "kernels/device/each.cuh"
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
	TRY_CUDA(cudaFuncGetAttributes(&code, (const void *)scan_kernel<SUM>));
	sorter->shared_bytes = std::min({ sorter->shared_bytes, gs_shared_most,
	                                  shared_most(code.ptxVersion) });
	return cudaSuccess;
}

extern "C" cudaError_t
gs_sorter_open(struct gs_sorter *sorter)
{
	cudaError_t error = gs_sorter_of_graph(sorter);

	const auto open = [&] {
		for (cudaStream_t &aside : sorter->aside)	/* 1: for shorter leaves than likely ones */
			TRY_CUDA(cudaStreamCreateWithPriority(&aside, cudaStreamNonBlocking,
			                                      &aside == &sorter->aside[1] ? 0 : -1));
		TRY_CUDA(cudaEventCreateWithFlags(&sorter->listed, cudaEventDisableTiming));
		TRY_CUDA(cudaEventCreateWithFlags(&sorter->copied, cudaEventDisableTiming));
		return cudaMallocHost((void **)&sorter->told, (KINDS + 1) * sizeof *sorter->told);
	};

	sorter->of_graph = false;
	if (error != cudaSuccess || (error = open()) != cudaSuccess)
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

extern "C" cudaError_t
gs_sort(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits, struct gs_key_map map,
        size_t count, void *memory, cudaStream_t stream)
{
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return sort(job<typed<decltype(key)>>{ sorter, (decltype(key) *)keys, (decltype(key) *)other,
		                                       map, count, {}, stream }, memory);
	});
}

/* ---- pieces ------------------------------------------------------------------ */

/* Memory for BYTES of words, twice; then what a sort of them needs. */
static size_t
words_bytes(size_t count)
{
	return (count * sizeof(uint32_t) + 255) / 256 * 256;
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
	if (bits < 32)
		return by_width<uint8_t, uint16_t>(bits, [&](auto key) {
			decltype(key) *const stored = (decltype(key) *)keys;
			const key_map<decltype(key)> m = map;
			const size_t bytes = words_bytes(count);
			uint32_t *const words = (uint32_t *)memory;
			uint32_t *const words_other = (uint32_t *)((char *)memory + bytes);

			if (count < 2 || pieces.count == 0)
				return cudaSuccess;
			if (pieces_are_short<uint32_t>(pieces))
				return sort_short_pieces<uint32_t>(stored, m, pieces, stream);
			TRY_CUDA(widen(words, stored, m, count, stream));
			TRY_CUDA(sort_pieces(job<typed<uint32_t>>{ sorter, words, words_other, gs_key_map{},
			                                           count, {}, stream },
			                     pieces, (char *)memory + 2 * bytes, wrong));
			return shorten(stored, words, m, count, stream);
		});
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return sort_pieces(job<typed<decltype(key)>>{ sorter, (decltype(key) *)keys,
		                                              (decltype(key) *)other, map, count, {},
		                                              stream }, pieces, memory, wrong);
	});
}

// SPDX-License-Identifier: BSD-2-Clause
/* sort.cu - the sort of keys in order of their bits, and what each sort needs of a device */
#include "kernels/device/sort.cuh"

int gs_shared_most = INT_MAX;

extern "C" size_t
gs_sort_scratch_bytes(unsigned bits, size_t count)
{
	return bits == 32 ? sort_scratch_bytes<plain<uint32_t>>(count) :
	                    sort_scratch_bytes<plain<uint64_t>>(count);
}

extern "C" cudaError_t
gs_sorter_of_graph(struct gs_sorter *sorter)
{
	int device;

	*sorter = gs_sorter{};
	sorter->of_graph = true;
	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&sorter->processors, cudaDevAttrMultiProcessorCount, device));
	TRY_CUDA(cudaDeviceGetAttribute(&sorter->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
	                                device));
	sorter->shared_bytes = std::min(sorter->shared_bytes, gs_shared_most);
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

extern "C" cudaError_t
gs_sort_with(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits, size_t count,
             void *memory, cudaStream_t stream)
{
	switch (bits) {
	case 32: return sort(job<plain<uint32_t>>{ sorter, (uint32_t *)keys, (uint32_t *)other, {},
		                                       count, {}, stream }, memory);
	case 64: return sort(job<plain<uint64_t>>{ sorter, (uint64_t *)keys, (uint64_t *)other, {},
		                                       count, {}, stream }, memory);
	}
	return cudaErrorInvalidValue;
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

// SPDX-License-Identifier: BSD-2-Clause
/*
 * device_sort.cu - sort floats in the memory of a GPU, largest first
 *
 *     nvcc device_sort.cu $(pkg-config --cflags --libs gsort-cuda) && ./a.out
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include <gsort_cuda.h>

enum { COUNT = 1 << 20 };

__global__ void
fill(float *keys)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	keys[i] = (float)(i * 2654435761u) / 1e6f - 2000;
}

static int
fail(const char *message)
{
	fprintf(stderr, "device_sort: %s\n", message);
	return 1;
}

int
main(void)
{
	float *keys, *other, ends[2];
	void *scratch;
	size_t bytes;
	cudaStream_t stream;

	/* SCRATCH is NULL: how much does the call need? */
	if (gsort_cuda_sort(NULL, NULL, COUNT, GSORT_F32, GSORT_CUDA_DESCENDING, NULL, &bytes, NULL) !=
	    GSORT_ERROR_NONE)
		return fail(gsort_cuda_message());
	if (cudaMalloc((void **)&keys, COUNT * sizeof *keys) != cudaSuccess ||
	    cudaMalloc((void **)&other, COUNT * sizeof *other) != cudaSuccess ||
	    cudaMalloc(&scratch, bytes) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess)
		return fail(cudaGetErrorString(cudaGetLastError()));
	fill<<<COUNT / 256, 256, 0, stream>>>(keys);
	if (gsort_cuda_sort(keys, other, COUNT, GSORT_F32, GSORT_CUDA_DESCENDING, scratch, &bytes,
	                    stream) != GSORT_ERROR_NONE)
		return fail(gsort_cuda_message());
	cudaMemcpyAsync(&ends[0], keys, sizeof ends[0], cudaMemcpyDeviceToHost, stream);
	cudaMemcpyAsync(&ends[1], keys + COUNT - 1, sizeof ends[1], cudaMemcpyDeviceToHost, stream);
	if (cudaStreamSynchronize(stream) != cudaSuccess)
		return fail(cudaGetErrorString(cudaGetLastError()));
	printf("from %.1f down to %.1f\n", ends[0], ends[1]);
	return 0;
}

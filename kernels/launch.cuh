// SPDX-License-Identifier: BSD-2-Clause
/* launch.cuh - start a kernel as an ordinary, checked function call */
#ifndef GS_LAUNCH_CUH
#define GS_LAUNCH_CUH

#include <cuda_runtime.h>
#include <limits.h>
#include <stddef.h>

/* Shared memory whose size the launch decides, at a multiple of 16 bytes. */
#ifdef __CUDACC__
#define DYNAMIC_SHARED(name)	extern __shared__ __align__(16) unsigned char name[]
#else
#define DYNAMIC_SHARED(name)	unsigned char *const name = emu_dynamic_shared()
#endif

/* A parameter's type, kept out of template deduction: arguments convert to it. */
template <class Type> struct given {
	typedef Type type;
};

/**
 * Queue KERNEL on STREAM, with DYNAMIC_SHARED of SHARED_BYTES; arguments are
 * converted to its parameters' types.
 */
template <class... Param> static cudaError_t
launch_shared(void (*kernel)(Param...), size_t blocks, unsigned threads, size_t shared_bytes,
              cudaStream_t stream, typename given<Param>::type... args)
{
	void *list[] = { (void *)&args... };
	cudaError_t error = cudaSuccess;

	if (blocks > INT_MAX)
		return cudaErrorInvalidConfiguration;
	if (shared_bytes > 48 << 10)	/* more than this only for those who ask */
		error = cudaFuncSetAttribute((const void *)kernel,
		                             cudaFuncAttributeMaxDynamicSharedMemorySize,
		                             (int)shared_bytes);
	if (error == cudaSuccess)
		error = cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), list,
		                         shared_bytes, stream);
	return error;
}

template <class... Param> static cudaError_t
launch(void (*kernel)(Param...), size_t blocks, unsigned threads, cudaStream_t stream,
       typename given<Param>::type... args)
{
	return launch_shared(kernel, blocks, threads, 0, stream, args...);
}

#endif

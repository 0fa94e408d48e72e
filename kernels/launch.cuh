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

/* Threads of a multiprocessor; to take 1536 for 2048 costs a hint to the compiler. */
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
enum { PROCESSOR_THREADS = 2048 };
#elif __CUDA_ARCH__ == 750
enum { PROCESSOR_THREADS = 1024 };
#else
enum { PROCESSOR_THREADS = 1536 };
#endif

/** BLOCKS of THREADS, or as many as there is room for: for __launch_bounds__, of which
 *  nvcc warns where it asks for more. */
static inline constexpr unsigned
blocks_that_fit(unsigned threads, unsigned blocks)
{
	return threads * blocks <= PROCESSOR_THREADS ? blocks : PROCESSOR_THREADS / threads;
}

/* A parameter's type, kept out of template deduction: arguments convert to it. */
template <class Type> struct given {
	typedef Type type;
};

/*
 * The first thing that a kernel does: the next one may take what room there is left,
 * and wait here as well until all before it have ended.  So a start costs a
 * microsecond less (programmatic dependent launch).
 */
static __device__ __forceinline__ void
begin_in_turn(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
	cudaGridDependencySynchronize();
#endif
}

#ifdef __CUDACC__
template <bool EARLY, class... Param> static cudaError_t
launch_kernel(void (*kernel)(Param...), dim3 blocks, dim3 threads, void **list,
              size_t shared_bytes, cudaStream_t stream)
{
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};

	if (!EARLY)
		return cudaLaunchKernel(kernel, blocks, threads, list, shared_bytes, stream);
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = blocks;
	config.blockDim = threads;
	config.dynamicSmemBytes = shared_bytes;
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = 1;
	return cudaLaunchKernelExC(&config, (const void *)kernel, list);
}
#else
template <bool, class... Param> static cudaError_t
launch_kernel(void (*kernel)(Param...), dim3 blocks, dim3 threads, void **list,
              size_t shared_bytes, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, blocks, threads, list, shared_bytes, stream);
}
#endif

/**
 * Queue KERNEL on STREAM, with DYNAMIC_SHARED of SHARED_BYTES; arguments are
 * converted to its parameters' types.
 *
 * If it does not call begin_in_turn(), it must not be EARLY; gsort's own kernels do not.
 * Nor should it if it has few blocks and much to do: early ones crowd where there is
 * room, on few processors.
 */
template <bool EARLY = true, class... Param> static cudaError_t
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
		error = launch_kernel<EARLY>(kernel, dim3((unsigned)blocks), dim3(threads), list,
		                             shared_bytes, stream);
	return error;
}

template <bool EARLY = true, class... Param> static cudaError_t
launch(void (*kernel)(Param...), size_t blocks, unsigned threads, cudaStream_t stream,
       typename given<Param>::type... args)
{
	return launch_shared<EARLY>(kernel, blocks, threads, 0, stream, args...);
}

#endif

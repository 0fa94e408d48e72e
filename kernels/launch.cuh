// SPDX-License-Identifier: BSD-2-Clause
/* launch.cuh - launch a kernel as an ordinary, checked function call */
#ifndef GS_LAUNCH_CUH
#define GS_LAUNCH_CUH

#include <cuda_runtime.h>
#include <limits.h>
#include <stddef.h>

#include "kernels/kernels.h"

/* Shared memory whose size the launch decides, at a multiple of 16 bytes. */
#ifdef __CUDACC__
#define DYNAMIC_SHARED(name)	extern __shared__ __align__(16) unsigned char name[]
#else
#define DYNAMIC_SHARED(name)	unsigned char *const name = emu_dynamic_shared()
#endif

/* gsort-bench-parts looks at each launch. */
#ifndef GS_LAUNCHING
#define GS_LAUNCHING(kernel, stream)	((void)0)
#define GS_LAUNCHED(stream)		((void)0)
#endif

/* Threads of a multiprocessor.  If it has 2048 and 1536 is assumed, only a hint to the compiler is lost. */
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
enum { PROCESSOR_THREADS = 2048 };
#elif __CUDA_ARCH__ == 750
enum { PROCESSOR_THREADS = 1024 };
#else
enum { PROCESSOR_THREADS = 1536 };
#endif

/*
 * Shared memory that a block may have on the GPUs that code of a virtual architecture is for: 7.5; 8.0 to
 * 8.9 and 9.0 to 11, some of which have less; 12.  A kernel that needs more returns at once in such code,
 * which makes that of 7.5 and 12 half as large and half as long to compile.  The host asks which code a
 * device has loaded (gs_sorter_of_graph()), so it launches no such kernel.
 */
static inline __host__ __device__ constexpr int
shared_most(int architecture)
{
	return (architecture < 80 ? 64 : architecture < 90 ? 163 : architecture < 120 ? 227 : 99) << 10;
}

/* A graph may have parts that run only if a kernel says so. */
#ifdef __CUDACC__
static const bool GRAPHS_DECIDE = CUDART_VERSION >= 13000;
#else
static const bool GRAPHS_DECIDE = true;
#endif

/* With less, keys are divided as segments only: device/scratch.cuh. */
enum { SHARED_LARGE = 160 << 10 };

/* Does no GPU that this code is for have room for BYTES of shared memory? */
static __device__ __forceinline__ bool
has_no_room(size_t bytes)
{
#ifdef __CUDA_ARCH__
	return bytes > (size_t)shared_most(__CUDA_ARCH__ / 10);
#elif defined __CUDACC__
	return bytes == 0;	/* not for a device */
#else
	return bytes > emu_shared_bytes();
#endif
}

/** BLOCKS of THREADS, or as many as fit on a multiprocessor: for __launch_bounds__, where nvcc
 *  warns if more are asked for. */
static inline constexpr unsigned
blocks_that_fit(unsigned threads, unsigned blocks)
{
	return threads * blocks <= PROCESSOR_THREADS ? blocks : PROCESSOR_THREADS / threads;
}

/* A parameter's type, not deduced from the argument: arguments convert to it. */
template <class Type> struct given {
	typedef Type type;
};

/*
 * Programmatic dependent launch: each kernel calls this first.  Blocks of the next kernel may
 * start where there is room, and wait here until all kernels before theirs have ended.  That
 * saves about a microsecond a launch.
 */
static __device__ __forceinline__ void
begin_in_turn(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
	cudaGridDependencySynchronize();
#endif
}

/*
 * A pointer to device memory, of which the compiler shall forget how it was made.  Otherwise it
 * makes the addresses of all rows of a loop first, keeps two registers for each, and spills keys.
 */
template <class Key> static __device__ __forceinline__ Key *
forget(Key *key)
{
#ifdef __CUDA_ARCH__
	asm volatile("" : "+l"(key));
	__builtin_assume(__isGlobal(key));
#endif
	return key;
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
 * @EARLY  the kernel calls begin_in_turn(), and may start before the one before it has ended.
 *         Do not use it for few blocks with much work: early blocks crowd on the few
 *         multiprocessors that have room.
 */
template <bool EARLY = true, class... Param> static cudaError_t
launch_shared(void (*kernel)(Param...), size_t blocks, unsigned threads, size_t shared_bytes,
              cudaStream_t stream, typename given<Param>::type... args)
{
	void *list[] = { (void *)&args... };
	cudaError_t error = cudaSuccess;

	if (blocks > INT_MAX)
		return cudaErrorInvalidConfiguration;
	if (shared_bytes > 16 << 10)	/* above 48 KB, static ones among them, only for kernels that ask */
		error = cudaFuncSetAttribute((const void *)kernel,
		                             cudaFuncAttributeMaxDynamicSharedMemorySize,
		                             (int)shared_bytes);
	if (gs_shared_most < INT_MAX && error == cudaSuccess)	/* percent of 228 KB; 1 KB is CUDA's */
		error = cudaFuncSetAttribute((const void *)kernel,
		                             cudaFuncAttributePreferredSharedMemoryCarveout,
		                             (gs_shared_most + 1024) / (228 * 1024 / 100));
	if (error != cudaSuccess)
		return error;
	GS_LAUNCHING(kernel, stream);
	error = launch_kernel<EARLY>(kernel, dim3((unsigned)blocks), dim3(threads), list, shared_bytes,
	                             stream);
	GS_LAUNCHED(stream);
	return error;
}

template <bool EARLY = true, class... Param> static cudaError_t
launch(void (*kernel)(Param...), size_t blocks, unsigned threads, cudaStream_t stream,
       typename given<Param>::type... args)
{
	return launch_shared<EARLY>(kernel, blocks, threads, 0, stream, args...);
}

#endif

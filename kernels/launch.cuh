// SPDX-License-Identifier: BSD-2-Clause
/* launch.cuh - launch a kernel as an ordinary, checked function call */
#ifndef GS_LAUNCH_CUH
#define GS_LAUNCH_CUH

#include <cuda_runtime.h>
#include <limits.h>
#include <stddef.h>

#include <type_traits>

#include "kernels/kernels.h"

#define TRY_CUDA(call) \
	do { \
		cudaError_t try_error = (call); \
		if (try_error != cudaSuccess) \
			return try_error; \
	} while (0)

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

/** BLOCKS of THREADS, or as many as fit on a multiprocessor: for __launch_bounds__, where nvcc
 *  warns if more are asked for. */
static inline constexpr unsigned
blocks_that_fit(unsigned threads, unsigned blocks)
{
	return threads * blocks <= PROCESSOR_THREADS ? blocks : PROCESSOR_THREADS / threads;
}

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

/* Begin a kernel that needs BYTES of shared memory.  False: no GPU that this code is for has so many, so the
 * kernel returns at once. */
static __device__ __forceinline__ bool
begin_in_turn(size_t bytes)
{
	begin_in_turn();
#ifdef __CUDA_ARCH__
	return bytes <= (size_t)shared_most(__CUDA_ARCH__ / 10);
#elif defined __CUDACC__
	return bytes > 0;	/* not for a device */
#else
	return bytes <= emu_shared_bytes();
#endif
}

/*
 * A pointer to device memory; the compiler forgets how it was computed.  Otherwise it computes the
 * addresses of all rows of a loop first, keeps two registers for each, and spills keys.
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

/* BODY(key), of a key of the one of KEYS that has so many BITS. */
template <class... Keys, class Body> static cudaError_t
by_width(unsigned bits, const Body &body)
{
	cudaError_t error = cudaErrorInvalidValue;

	(void)((sizeof(Keys) * 8 == bits && (error = body(Keys()), true)) || ...);
	return error;
}

/* Call BODY with BITS, which is one of ALL, as a constant. */
template <unsigned... ALL, class Body> static cudaError_t
by_bits(unsigned bits, const Body &body)
{
	cudaError_t error = cudaErrorInvalidValue;

	(void)((ALL == bits && (error = body(std::integral_constant<unsigned, ALL>()), true)) || ...);
	return error;
}

/* DYNAMIC_SHARED of a launch, and the MOST of any launch of its kernel on this GPU.  CUDA has one limit for
 * all launches of a kernel: if that were BYTES, a thread that needs less would lower it for others. */
struct shared_size {
	size_t bytes, most;

	shared_size(size_t always) : bytes(always), most(always) {}
	shared_size(size_t now, size_t ever) : bytes(now), most(ever) {}
};

/**
 * Queue KERNEL on STREAM, with DYNAMIC_SHARED of SHARED.  Its parameters' types are not deduced from
 * the arguments, which convert to them.
 *
 * @EARLY  the kernel calls begin_in_turn(), and may start before the one before it has ended.
 *         Do not use it for few blocks with much work: early blocks crowd on the few
 *         multiprocessors that have room.
 */
template <bool EARLY = true, class... Param> static cudaError_t
launch_shared(void (*kernel)(Param...), size_t blocks, unsigned threads, shared_size shared,
              cudaStream_t stream, std::common_type_t<Param>... args)
{
	void *list[] = { (void *)&args... };
	cudaError_t error = cudaSuccess;

	if (blocks > INT_MAX)
		return cudaErrorInvalidConfiguration;
	if (shared.most > 16 << 10)	/* above 48 KB, static ones among them, only for kernels that ask */
		error = cudaFuncSetAttribute((const void *)kernel,
		                             cudaFuncAttributeMaxDynamicSharedMemorySize,
		                             (int)shared.most);
	if (gs_shared_most < INT_MAX && error == cudaSuccess)	/* percent of 228 KB; 1 KB is CUDA's */
		error = cudaFuncSetAttribute((const void *)kernel,
		                             cudaFuncAttributePreferredSharedMemoryCarveout,
		                             (gs_shared_most + 1024) / (228 * 1024 / 100));
	if (error != cudaSuccess)
		return error;
	GS_LAUNCHING(kernel, stream);
#ifdef __CUDACC__
	cudaLaunchAttribute early = {};
	const cudaLaunchConfig_t config = { dim3((unsigned)blocks), dim3(threads), shared.bytes, stream,
		                            &early, EARLY };

	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	error = cudaLaunchKernelExC(&config, (const void *)kernel, list);
#else
	error = cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), list, shared.bytes, stream);
#endif
	GS_LAUNCHED(stream);
	return error;
}

template <bool EARLY = true, class... Param> static cudaError_t
launch(void (*kernel)(Param...), size_t blocks, unsigned threads, cudaStream_t stream,
       std::common_type_t<Param>... args)
{
	return launch_shared<EARLY>(kernel, blocks, threads, 0, stream, args...);
}

/* ---- parts of a graph --------------------------------------------------------- */

/* PARTS of a graph: CHOICE() names, on the device, the one that runs; any other number runs none.
 * If they are one part that LOOPS, it ends with another choice, and may run again. */
template <class Choice> struct chosen {
	unsigned            parts;
	Choice              choice;
	bool                loops = false;
#if defined __CUDACC__ && CUDART_VERSION >= 13000
	cudaGraphNodeParams node = {};
#endif
};

#if defined __CUDACC__ && CUDART_VERSION >= 13000
template <class Choice> static __global__ void
choose_kernel(cudaGraphConditionalHandle handle, Choice choice, bool loops)
{
	begin_in_turn();

	const uint32_t part = choice();

	cudaGraphSetConditional(handle, loops ? part == 0 : part);
}

/* Have the device choose when all that STREAM has so far has ended. */
template <class Choice> static cudaError_t
choose(cudaStream_t stream, chosen<Choice> *c)
{
	enum cudaStreamCaptureStatus status;
	cudaGraph_t graph;

	if (c->node.type != cudaGraphNodeTypeConditional) {
		TRY_CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph));
		c->node.type = cudaGraphNodeTypeConditional;
		c->node.conditional.type = c->loops ? cudaGraphCondTypeWhile : cudaGraphCondTypeSwitch;
		c->node.conditional.size = c->parts;
		TRY_CUDA(cudaGraphConditionalHandleCreate(&c->node.conditional.handle, graph));
	}
	return launch(choose_kernel<Choice>, 1, 1, stream, c->node.conditional.handle, c->choice, c->loops);
}

/* BODY(part, stream) for each part of C, which STREAM waits for. */
template <class Choice, class Body> static cudaError_t
queue_chosen(cudaStream_t stream, chosen<Choice> *c, const Body &body)
{
	enum cudaStreamCaptureStatus status;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	const cudaGraphNode_t *before;
	const cudaGraphEdgeData *edges;
	size_t many;

	TRY_CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, &edges, &many));
	TRY_CUDA(cudaGraphAddNode(&node, graph, before, edges, many, &c->node));
	TRY_CUDA(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
	                                             cudaStreamSetCaptureDependencies));
	for (unsigned part = 0; part < c->parts; part++) {
		cudaStream_t inner;
		cudaError_t error, ended;

		graph = c->node.conditional.phGraph_out[part];
		TRY_CUDA(cudaStreamCreateWithFlags(&inner, cudaStreamNonBlocking));
		error = cudaStreamBeginCaptureToGraph(inner, graph, NULL, NULL, 0,
		                                      cudaStreamCaptureModeRelaxed);
		if (error == cudaSuccess) {
			error = body(part, inner);
			ended = cudaStreamEndCapture(inner, &graph);
			error = error != cudaSuccess ? error : ended;
		}
		ended = cudaStreamDestroy(inner);
		TRY_CUDA(error != cudaSuccess ? error : ended);
	}
	return cudaSuccess;
}

/* QUEUE(i) for MANY, each of which launches kernels one after another on STREAM, or none: side by side. */
template <class Queue> static cudaError_t
queue_beside(cudaStream_t stream, unsigned many, const Queue &queue)
{
	enum { MOST = 16 };
	enum cudaStreamCaptureStatus status;
	cudaGraphNode_t from[MOST], ends[MOST];
	cudaGraph_t graph;
	const cudaGraphNode_t *before;
	const cudaGraphEdgeData *edges;
	size_t begins, all = 0, ended;

	TRY_CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, &edges, &begins));
	if (begins + many > MOST)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < begins; i++)
		from[i] = before[i];
	for (unsigned i = 0; i < many; i++) {
		TRY_CUDA(cudaStreamUpdateCaptureDependencies(stream, from, NULL, begins,
		                                             cudaStreamSetCaptureDependencies));
		TRY_CUDA(queue(i));
		TRY_CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, &edges, &ended));
		if (ended == 1 && (begins != 1 || before[0] != from[0]))
			ends[all++] = before[0];
	}
	return cudaStreamUpdateCaptureDependencies(stream, ends, NULL, all, cudaStreamSetCaptureDependencies);
}
#else
/* The emulator has run all that was queued; before CUDA 13 the only part finds out if it has something to
 * do. */
template <class Choice> static cudaError_t
choose(cudaStream_t, chosen<Choice> *)
{
	return cudaSuccess;
}

template <class Choice, class Body> static cudaError_t
queue_chosen(cudaStream_t stream, chosen<Choice> *c, const Body &body)
{
	unsigned part;

	do {
		part = GRAPHS_DECIDE ? c->choice() : 0;
		if (part < c->parts)
			TRY_CUDA(body(part, stream));
	} while (GRAPHS_DECIDE && c->loops && part < c->parts);
	return cudaSuccess;
}

template <class Queue> static cudaError_t
queue_beside(cudaStream_t, unsigned many, const Queue &queue)
{
	for (unsigned i = 0; i < many; i++)
		TRY_CUDA(queue(i));
	return cudaSuccess;
}
#endif

#endif

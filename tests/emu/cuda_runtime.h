// SPDX-License-Identifier: BSD-2-Clause
/*
 * cuda_runtime.h - enough of CUDA C++ to run gsort's kernels on the host
 *
 * The .cu files of gsort are compiled as C++17 with -I tests/emu in front.  A thread is a fiber; one
 * thread of the host runs a block, so shared memory is thread-local; host threads share the blocks.
 * launch.cpp says when fibers change, and what it detects: deadlocks, barriers that only a part of a
 * block or warp reaches, shuffles from lanes that do not take part.
 *
 * Textures, cooperative groups and asm are missing.  launch.cuh's DYNAMIC_SHARED declares dynamic
 * shared memory.
 */
#ifndef GS_EMU_CUDA_RUNTIME_H
#define GS_EMU_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <utility>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__		inline
#define __noinline__		__attribute__((noinline))
#define __align__(bytes)	__attribute__((aligned(bytes)))
#define __shared__		static thread_local
#define __constant__		static
#define __restrict__		__restrict
#define __launch_bounds__(...)
#define __grid_constant__

struct uint2 { unsigned x, y; };
struct uint3 { unsigned x, y, z; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
struct __align__(16) ulonglong2 { unsigned long long x, y; };

struct dim3 {
	unsigned x, y, z;

	constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

/* Where the running fiber is. */
struct emu_place {
	uint3    thread_index, block_index;
	dim3     block_size, grid_size;
	unsigned lane;
};

/* __thread: of a thread_local, g++'s -fsanitize=null takes the address for NULL (wrapper). */
extern __thread emu_place *emu_here;

#define threadIdx	(emu_here->thread_index)
#define blockIdx	(emu_here->block_index)
#define blockDim	(emu_here->block_size)
#define gridDim		(emu_here->grid_size)
#define warpSize	32

/* ---- what threads do together ------------------------------------------- */

enum emu_operation {
	EMU_SYNC, EMU_SHUFFLE, EMU_BALLOT, EMU_MATCH, EMU_ADD, EMU_MIN, EMU_MAX,
	EMU_BARRIER, EMU_BARRIER_COUNT,
};

struct emu_site {
	emu_operation operation;
	const char   *file;
	int           line;
};

/** Wait for the lanes in MASK; what each lane gets depends on the operation. */
uint64_t emu_warp(const emu_site *site, unsigned mask, uint64_t value, int source);

/** Wait for the whole block; returns how many threads came with a value other than 0. */
int emu_block(const emu_site *site, int value);

/** Let the other threads of the block run. */
void emu_sleep(void);

static inline unsigned emu_lane(void) { return emu_here->lane; }

#define EMU_SITE(operation) \
	(__extension__({ static const emu_site emu_call = { operation, __FILE__, __LINE__ }; &emu_call; }))

#define __syncthreads()			((void)emu_block(EMU_SITE(EMU_BARRIER), 0))
#define __syncthreads_count(holds)	emu_block(EMU_SITE(EMU_BARRIER_COUNT), (holds) != 0)
#define __syncthreads_or(holds)		(__syncthreads_count(holds) != 0)
#define __syncthreads_and(holds)	(__syncthreads_count(!(holds)) == 0)
#define __syncwarp(...)			emu_syncwarp(EMU_SITE(EMU_SYNC) __VA_OPT__(,) __VA_ARGS__)
#define __shfl_sync(...)		emu_shfl(EMU_SITE(EMU_SHUFFLE), __VA_ARGS__)
#define __shfl_xor_sync(...)		emu_shfl_xor(EMU_SITE(EMU_SHUFFLE), __VA_ARGS__)
#define __shfl_up_sync(...)		emu_shfl_up(EMU_SITE(EMU_SHUFFLE), __VA_ARGS__)
#define __shfl_down_sync(...)		emu_shfl_down(EMU_SITE(EMU_SHUFFLE), __VA_ARGS__)
#define __ballot_sync(mask, holds) \
	((unsigned)emu_warp(EMU_SITE(EMU_BALLOT), mask, (holds) != 0, 0))
#define __any_sync(mask, holds)		(__ballot_sync(mask, holds) != 0)
#define __all_sync(mask, holds)		(__ballot_sync(mask, !(holds)) == 0)
#define __match_any_sync(mask, value) \
	((unsigned)emu_warp(EMU_SITE(EMU_MATCH), mask, (uint64_t)(value), 0))
#define __reduce_add_sync(mask, value)	((unsigned)emu_warp(EMU_SITE(EMU_ADD), mask, value, 0))
#define __reduce_min_sync(mask, value)	((unsigned)emu_warp(EMU_SITE(EMU_MIN), mask, value, 0))
#define __reduce_max_sync(mask, value)	((unsigned)emu_warp(EMU_SITE(EMU_MAX), mask, value, 0))

static inline void
emu_syncwarp(const emu_site *site, unsigned mask = 0xffffffffu)
{
	(void)emu_warp(site, mask, 0, 0);
}

template <class Value> static inline Value
emu_shuffle(const emu_site *site, unsigned mask, Value value, int source)
{
	uint64_t bits = 0;

	static_assert(sizeof value <= sizeof bits, "shuffles move at most 8 bytes");
	memcpy(&bits, &value, sizeof value);
	bits = emu_warp(site, mask, bits, source);
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A source outside of the WIDTH lanes that shuffle among themselves is the lane itself. */
template <class Value> static inline Value
emu_shfl(const emu_site *site, unsigned mask, Value value, int source, int width = 32)
{
	int lane = (int)emu_lane();

	return emu_shuffle(site, mask, value, (lane & ~(width - 1)) | (source & (width - 1)));
}

template <class Value> static inline Value
emu_shfl_xor(const emu_site *site, unsigned mask, Value value, int lanes, int width = 32)
{
	int lane = (int)emu_lane(), source = lane ^ lanes;

	return emu_shuffle(site, mask, value, source > (lane | (width - 1)) ? lane : source);
}

template <class Value> static inline Value
emu_shfl_up(const emu_site *site, unsigned mask, Value value, unsigned delta, int width = 32)
{
	int lane = (int)emu_lane(), source = lane - (int)delta;

	return emu_shuffle(site, mask, value, source < (lane & ~(width - 1)) ? lane : source);
}

template <class Value> static inline Value
emu_shfl_down(const emu_site *site, unsigned mask, Value value, unsigned delta, int width = 32)
{
	int lane = (int)emu_lane(), source = lane + (int)delta;

	return emu_shuffle(site, mask, value, source > (lane | (width - 1)) ? lane : source);
}

static inline void __nanosleep(unsigned) { emu_sleep(); }
static inline void __threadfence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* ---- atomics: blocks run on several threads of the host ------------------ */

template <class Value> static inline Value
atomicAdd(Value *at, Value value)
{
	return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

template <class Value> static inline Value
atomicSub(Value *at, Value value)
{
	return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}

template <class Value> static inline Value
atomicOr(Value *at, Value value)
{
	return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}

template <class Value> static inline Value
atomicAnd(Value *at, Value value)
{
	return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}

template <class Value> static inline Value
atomicExch(Value *at, Value value)
{
	return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

template <class Value> static inline Value
atomicCAS(Value *at, Value expected, Value value)
{
	__atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return expected;
}

template <class Value> static inline Value
atomicMin(Value *at, Value value)
{
	Value old = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (value < old && !__atomic_compare_exchange_n(at, &old, value, false,
	                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return old;
}

template <class Value> static inline Value
atomicMax(Value *at, Value value)
{
	Value old = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (old < value && !__atomic_compare_exchange_n(at, &old, value, false,
	                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return old;
}

/* ---- single instructions ------------------------------------------------- */

template <class Value> static inline Value __ldg(const Value *at) { return *at; }
template <class Value> static inline Value __ldcs(const Value *at) { return *at; }
template <class Value> static inline void __stcs(Value *at, Value value) { *at = value; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }

static inline unsigned long long
__umul64hi(unsigned long long a, unsigned long long b)
{
	__extension__ typedef unsigned __int128 wide;

	return (unsigned long long)((wide)a * b >> 64);
}

static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }

static inline unsigned
__funnelshift_rc(unsigned low, unsigned high, unsigned bits)
{
	return (unsigned)(((uint64_t)high << 32 | low) >> (bits < 32 ? bits : 32));
}

/* Two numbers of 16 bits each. */
static inline unsigned
__vminu2(unsigned a, unsigned b)
{
	unsigned low = (a & 0xffff) < (b & 0xffff) ? a & 0xffff : b & 0xffff;

	return low | (a >> 16 < b >> 16 ? a >> 16 : b >> 16) << 16;
}

static inline unsigned
__vmaxu2(unsigned a, unsigned b)
{
	return ~__vminu2(~a, ~b);
}

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
template <class Value> static inline Value min(Value a, Value b) { return b < a ? b : a; }
template <class Value> static inline Value max(Value a, Value b) { return a < b ? b : a; }

enum { EMU_SHARED_BYTES = 227 << 10 };

/* ---- launches ------------------------------------------------------------ */

/** The block's dynamic shared memory: room for as much as an H100 has. */
unsigned char *emu_dynamic_shared(void);

/** Run THREAD(CONTEXT) for every thread of the grid; returns when all have ended. */
cudaError_t emu_launch(dim3 grid, dim3 block, size_t shared_bytes, void (*thread)(void *context),
                       void *context);

template <class... Param> struct emu_kernel {
	void  (*kernel)(Param...);
	void  **args;

	template <size_t... I> void
	call(std::index_sequence<I...>)
	{
		kernel(*(Param *)args[I]...);
	}

	static void
	thread(void *context)
	{
		((emu_kernel *)context)->call(std::index_sequence_for<Param...>());
	}
};

template <class... Param> static inline cudaError_t
cudaLaunchKernel(void (*kernel)(Param...), dim3 grid, dim3 block, void **args,
                 size_t shared_bytes = 0, cudaStream_t = nullptr)
{
	emu_kernel<Param...> what = { kernel, args };

	if (!emu_shared_allowed((const void *)kernel, shared_bytes))
		return emu_note(cudaErrorInvalidValue);
	return emu_launch(grid, block, shared_bytes, emu_kernel<Param...>::thread, &what);
}

#endif

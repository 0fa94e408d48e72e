// SPDX-License-Identifier: BSD-2-Clause
/*
 * fraidakis_v3.cu - two keys a thread, the last strides in registers   [report 003, section 5]
 *
 * n/2 threads, so a block of 1024 holds 2048 keys.  The report says that strides
 * below a warp are exchanged in registers, not how; here it is so:
 *
 *     warp w of a block holds keys 64w .. 64w + 63,
 *     its lane l the keys a = 64w + l and b = 64w + 32 + l.
 *
 * Stride 32 compares a and b of the same lane.  Strides 16 .. 1 swap a, then b,
 * with lane l ^ stride: both lanes see both keys, one keeps the smaller, the other
 * the larger.  No barrier, no memory.  Strides of 64 and more go through shared
 * memory, one comparator a thread: t joins lo and lo + stride, where lo is t with
 * a 0 bit put in at log2(stride), so each index belongs to one thread.
 *
 * For n = 2^m, k = m - 11:
 *
 *     launches = 1 + k (k + 1) / 2 + k        171 at 2^28, V2: 190
 *     bytes moved = 2 * 4n * launches         367 GB at 2^28: 85 ms at 4.3 TB/s
 *     barriers of a merge                     6, V2: 11
 *
 * Host arrays are pinned, so they are copied at the speed of the bus.  What
 * remains, compareSwap, is 153 sweeps for 153 steps.  The production sort does
 * five steps a sweep, in registers (kernels/device/tile_sort.cu).
 */
#include "kernels/paper/variant.cuh"

enum {
	THREADS      = 1024,
	BLOCK_BITS   = 11,
	WARP_STRIDE  = 32,	/* the largest stride within a warp's 64 keys */
	LEAST_KEYS   = 64,
};

enum { COMPARE_SWAP, MERGE, SORT };	/* kinds */

/* Warp scope; strides below 32. */
static __device__ __forceinline__ uint32_t
warp_exchange(uint32_t mine, unsigned stride, bool ascending)
{
	const uint32_t theirs = __shfl_xor_sync(0xffffffffu, mine, (int)stride);
	const bool keep_low = ((threadIdx.x & stride) == 0) == ascending;

	return (mine < theirs) == keep_low ? mine : theirs;
}

/* Warp scope: the steps of phase SIZE >= 64 below stride 64; all 64 keys go the same way. */
static __device__ __forceinline__ void
warp_merge(uint32_t *a, uint32_t *b, bool ascending)
{
	order(a, b, ascending);
#pragma unroll
	for (unsigned stride = WARP_STRIDE / 2; stride > 0; stride /= 2) {
		*a = warp_exchange(*a, stride, ascending);
		*b = warp_exchange(*b, stride, ascending);
	}
}

/* Warp scope: sort 64 keys in registers.  AT is a's index in the array. */
static __device__ __forceinline__ void
warp_sort(uint32_t *a, uint32_t *b, unsigned at, bool descending)
{
	for (unsigned size = 2; size <= WARP_STRIDE; size *= 2)
		for (unsigned stride = size / 2; stride > 0; stride /= 2) {
			*a = warp_exchange(*a, stride, ((at & size) == 0) != descending);
			*b = warp_exchange(*b, stride, (((at + 32) & size) == 0) != descending);
		}
	warp_merge(a, b, ((at & (2 * WARP_STRIDE)) == 0) != descending);
}

/* Block scope: strides from STRIDE to 64, on shared memory; comparators of thread t. */
static __device__ __forceinline__ void
shared_steps(uint32_t *shared, unsigned from, unsigned size, unsigned stride, bool descending)
{
	const unsigned t = threadIdx.x;

	for (; stride > WARP_STRIDE; stride /= 2) {
		const unsigned low = lower_of(t, stride);

		order(&shared[low], &shared[low + stride],
		      (((from + low) & size) == 0) != descending);
		__syncthreads();
	}
}

/* Block scope: one phase, from keys in registers to keys in registers. */
static __device__ __forceinline__ void
block_phase(uint32_t *shared, uint32_t *a, uint32_t *b, unsigned from, unsigned mine,
            unsigned size, unsigned stride, bool descending)
{
	shared[mine] = *a;
	shared[mine + 32] = *b;
	__syncthreads();
	shared_steps(shared, from, size, stride, descending);
	*a = shared[mine];
	*b = shared[mine + 32];
	warp_merge(a, b, (((from + mine) & size) == 0) != descending);
}

/* A warp takes its own 64 slots again and puts them back: no barrier between two phases. */
static __global__ void
__launch_bounds__(THREADS)
intra_block_sort_kernel(uint32_t *keys, bool descending)
{
	__shared__ uint32_t shared[2 * THREADS];
	const unsigned block_keys = 2 * blockDim.x, from = blockIdx.x * block_keys;
	const unsigned mine = threadIdx.x / 32 * 64 + threadIdx.x % 32;
	uint32_t a = keys[from + mine], b = keys[from + mine + 32];

	warp_sort(&a, &b, from + mine, descending);
	for (unsigned size = 4 * WARP_STRIDE; size <= block_keys; size *= 2)
		block_phase(shared, &a, &b, from, mine, size, size / 2, descending);
	keys[from + mine] = a;
	keys[from + mine + 32] = b;
}

static __global__ void
__launch_bounds__(THREADS)
intra_block_merge_kernel(uint32_t *keys, unsigned size, bool descending)
{
	__shared__ uint32_t shared[2 * THREADS];
	const unsigned block_keys = 2 * blockDim.x, from = blockIdx.x * block_keys;
	const unsigned mine = threadIdx.x / 32 * 64 + threadIdx.x % 32;
	uint32_t a = keys[from + mine], b = keys[from + mine + 32];

	block_phase(shared, &a, &b, from, mine, size, block_keys / 2, descending);
	keys[from + mine] = a;
	keys[from + mine + 32] = b;
}

/* One step between blocks: a thread a comparator, so none is idle. */
static __global__ void
__launch_bounds__(THREADS)
compare_swap_kernel(uint32_t *keys, unsigned size, unsigned stride, bool descending)
{
	const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned low = lower_of(t, stride);

	order(&keys[low], &keys[low + stride], ((low & size) == 0) != descending);
}

extern "C" struct variant_cost
fraidakis_v3_predict(const struct variant_job *job)
{
	const double launches = variant_fused_launches(variant_bits(job->count), BLOCK_BITS);

	return { launches, launches * sweep_bytes(job->count) };
}

extern "C" int
fraidakis_v3_sort(struct variant_job *job)
{
	const size_t half = job->count / 2;
	const unsigned threads = half < THREADS ? (unsigned)half : (unsigned)THREADS;
	const size_t blocks = half / threads, block_keys = 2 * threads;
	const double bytes = sweep_bytes(job->count);
	int error;

	if (job->count < LEAST_KEYS)	/* a warp must be whole to shuffle */
		return cudaErrorInvalidValue;
	error = step(job, SORT, bytes, intra_block_sort_kernel, blocks, threads,
	             job->keys, job->descending);
	for (size_t size = 2 * block_keys; error == 0 && size <= job->count; size *= 2) {
		for (size_t stride = size / 2; error == 0 && stride >= block_keys; stride /= 2)
			error = step(job, COMPARE_SWAP, bytes, compare_swap_kernel, blocks, threads,
			             job->keys, (unsigned)size, (unsigned)stride, job->descending);
		if (error == 0)
			error = step(job, MERGE, bytes, intra_block_merge_kernel, blocks, threads,
			             job->keys, (unsigned)size, job->descending);
	}
	return error;
}

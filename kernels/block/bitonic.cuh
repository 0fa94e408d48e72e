// SPDX-License-Identifier: BSD-2-Clause
/*
 * bitonic.cuh - the network inside a block, 32 keys a thread
 *
 * Registers hold five bits of a key's index, so five stages can be done between
 * two visits to shared memory.  The view defines which bits (u32: 13 bits):
 *
 *     view     index of register r of thread t       stages of strides
 *     rows     32 t + r                              2^4 .. 2^0
 *     columns  1024 (t / 32) + 32 r + t % 32         2^9 .. 2^5
 *     far      THREADS r + t                         2^12 .. 2^10
 *
 * Rows and columns hold the same 1024 keys for a whole warp: between these two
 * no block barrier is needed.  Nor is one between get and put of the same view,
 * which touch the same slots.
 *
 * A row of 32 keys is followed by 16 bytes of pad.  Columns and far go along a
 * row, so 32 lanes meet 32 banks; eight lanes that move 16 bytes each of eight
 * rows start 4 banks apart.  Nothing collides.
 *
 * A flip compares index i with its mirror, whose low bits are all inverted.  In
 * columns and far these low bits are the thread's, so the registers of the upper
 * half are got from the mirrored thread's slots instead; then partners meet in
 * one thread, and put writes them back to where they came from.
 */
#ifndef GS_BLOCK_BITONIC_CUH
#define GS_BLOCK_BITONIC_CUH

#include "kernels/thread/bitonic.cuh"

template <class Key> static __device__ __forceinline__ unsigned
slot(unsigned at)
{
	return at + at / THREAD_KEYS * block<Key>::PACK;
}

template <class Key> static __device__ __forceinline__ void
rows_put(const Key *x, Key *shared)
{
	pack<Key> *row = (pack<Key> *)&shared[threadIdx.x * block<Key>::PITCH];

#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		row[r / block<Key>::PACK].at[r % block<Key>::PACK] = x[r];
}

template <class Key> static __device__ __forceinline__ void
rows_get(Key *x, const Key *shared)
{
	const pack<Key> *row = (const pack<Key> *)&shared[threadIdx.x * block<Key>::PITCH];

#pragma unroll
	for (unsigned j = 0; j < THREAD_KEYS / block<Key>::PACK; j++) {
		pack<Key> some = row[j];

#pragma unroll
		for (unsigned k = 0; k < block<Key>::PACK; k++)
			x[j * block<Key>::PACK + k] = some.at[k];
	}
}

/*
 * Columns and far are the same but for where register 0 is and how far apart
 * registers are; both are this view.  FLIP: registers of one flip, or 0.
 */
template <class Key> struct view {
	Key *plain, *mirrored;	/* register 0's slot: this thread's, and of its mirror */
};

template <class Key> static __device__ __forceinline__ view<Key>
columns(Key *shared)
{
	unsigned lane = threadIdx.x % 32, row = threadIdx.x - lane;
	Key *warp = &shared[row * block<Key>::PITCH];

	return view<Key>{ warp + lane, warp + (lane ^ 31) };
}

template <class Key> static __device__ __forceinline__ view<Key>
far(Key *shared)
{
	return view<Key>{
		&shared[slot<Key>(threadIdx.x)],
		&shared[slot<Key>(threadIdx.x ^ (block<Key>::THREADS - 1))],
	};
}

template <unsigned APART, unsigned FLIP, class Key> static __device__ __forceinline__ void
view_get(Key *x, view<Key> v)
{
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		x[r] = (r & (FLIP / 2) ? v.mirrored : v.plain)[r * APART];
}

template <unsigned APART, unsigned FLIP, class Key> static __device__ __forceinline__ void
view_put(const Key *x, view<Key> v)
{
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		(r & (FLIP / 2) ? v.mirrored : v.plain)[r * APART] = x[r];
}

/* Slots from one register to the next: a row; and as many rows as far skips. */
template <class Key> struct apart {
	enum {
		COLUMNS = block<Key>::PITCH,
		FAR     = block<Key>::THREADS / THREAD_KEYS * block<Key>::PITCH,
		/* registers whose stride is 2^10: where far hands over to columns */
		FAR_LAST = 2 * WARP_KEYS / block<Key>::THREADS,
	};
};

/* The stages of strides 2^9 .. 2^5 on slots of this warp; ends before rows_get. */
template <class Key> static __device__ __forceinline__ void
columns_halve(Key *x, Key *shared)
{
	view_get<apart<Key>::COLUMNS, 0>(x, columns(shared));
	thread_halve<THREAD_KEYS, THREAD_KEYS, 2>(x);
	view_put<apart<Key>::COLUMNS, 0>(x, columns(shared));
	__syncwarp();
}

/* Merge FLIP / 2 and FLIP / 2 rows: slots of this warp before rows_get. */
template <unsigned FLIP, class Key> static __device__ __forceinline__ void
columns_flip(Key *x, Key *shared)
{
	view_get<apart<Key>::COLUMNS, FLIP>(x, columns(shared));
	thread_flip<THREAD_KEYS, FLIP>(x);
	thread_halve<THREAD_KEYS, FLIP / 2, 2>(x);
	view_put<apart<Key>::COLUMNS, FLIP>(x, columns(shared));
	__syncwarp();
}

/* The same, from rows in registers. */
template <unsigned FLIP, class Key> static __device__ __forceinline__ void
columns_merge(Key *x, Key *shared)
{
	rows_put(x, shared);
	__syncwarp();
	columns_flip<FLIP>(x, shared);
}

/* The part of a phase that spans warps, if there is such a phase: merge two halves of FLIP registers of far,
 * from rows in registers to slots for columns. */
template <unsigned PHASE, class Key> static __device__ __forceinline__ void
far_merge(Key *x, Key *shared)
{
	if constexpr (PHASE <= block<Key>::BITS) {
		enum { FLIP = apart<Key>::FAR_LAST << (PHASE - WARP_BITS - 1) };

		rows_put(x, shared);
		__syncthreads();
		view_get<apart<Key>::FAR, FLIP>(x, far(shared));
		thread_flip<THREAD_KEYS, FLIP>(x);
		thread_halve<THREAD_KEYS, FLIP / 2, apart<Key>::FAR_LAST>(x);
		view_put<apart<Key>::FAR, FLIP>(x, far(shared));
		__syncthreads();
	}
}

/*
 * Sort the keys of a block: 32 in each thread, in any order, to rows.  With LAST
 * below all bits: only each 2^LAST of them, at least 16.
 *
 * Phase p makes sorted pieces of 2^p keys from pieces of half that.  All phases
 * end alike, in rows, so this is a loop: straight code for thirteen phases would
 * be twice as long, and for u64 longer than the instruction cache.
 */
template <class Key> static __device__ __forceinline__ void
block_sort(Key *x, Key *shared, unsigned last = block<Key>::BITS)
{
	thread_sort<THREAD_KEYS / 2>(x);
	thread_sort<THREAD_KEYS / 2>(x + THREAD_KEYS / 2);
	if (last >= THREAD_BITS)
		thread_merge<THREAD_KEYS, 1>(x);
#pragma unroll 1
	for (unsigned phase = THREAD_BITS + 1; phase <= last; phase++) {
		switch (phase) {
		case 6:  columns_merge<2>(x, shared); break;
		case 7:  columns_merge<4>(x, shared); break;
		case 8:  columns_merge<8>(x, shared); break;
		case 9:  columns_merge<16>(x, shared); break;
		case 10: columns_merge<32>(x, shared); break;
		case 11: far_merge<11>(x, shared); break;
		case 12: far_merge<12>(x, shared); break;
		case 13: far_merge<13>(x, shared); break;
		case 14: far_merge<14>(x, shared); break;
		default: far_merge<15>(x, shared);
		}
		if (phase > WARP_BITS)
			columns_halve(x, shared);
		rows_get(x, shared);
		thread_halve<THREAD_KEYS, THREAD_KEYS, 2>(x);
	}
}

/* Sort the bitonic keys of a block: from far, in registers, to rows. */
template <class Key> static __device__ __forceinline__ void
block_merge(Key *x, Key *shared)
{
	thread_halve<THREAD_KEYS, THREAD_KEYS, apart<Key>::FAR_LAST>(x);
	view_put<apart<Key>::FAR, 0>(x, far(shared));
	__syncthreads();
	columns_halve(x, shared);
	rows_get(x, shared);
	thread_halve<THREAD_KEYS, THREAD_KEYS, 2>(x);
}

/*
 * Write the COUNT keys of rows that exist to TO.  Through shared memory, so that
 * a warp writes 512 bytes in a row; key by key only at an odd address or at the
 * end of the keys.
 */
template <class Key> static __device__ __forceinline__ void
block_store(Key *to, size_t count, const Key *x, Key *shared)
{
	const unsigned lane = threadIdx.x % 32, row = threadIdx.x - lane;
	const unsigned from = row * THREAD_KEYS;	/* the first key of this warp */

	rows_put(x, shared);
	__syncwarp();
	if (count >= block<Key>::KEYS && (uintptr_t)to % 16 == 0) {
#pragma unroll
		for (unsigned j = 0; j < THREAD_KEYS / block<Key>::PACK; j++) {
			unsigned at = from + (j * 32 + lane) * block<Key>::PACK;

			*(pack<Key> *)&to[at] = *(const pack<Key> *)&shared[slot<Key>(at)];
		}
	} else {
#pragma unroll 1
		for (unsigned r = 0; r < THREAD_KEYS; r++) {
			unsigned at = from + r * 32 + lane;

			if (at < count)
				to[at] = shared[slot<Key>(at)];
		}
	}
}

#endif

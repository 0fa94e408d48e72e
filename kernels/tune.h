// SPDX-License-Identifier: BSD-2-Clause
/*
 * tune.h - launch constants, per key width
 *
 * A thread holds 32 keys: five stages of the network per visit to registers,
 * and with one padded row of shared memory per thread no access there collides.
 * A warp of 32 such threads holds 2^10 keys and needs no barrier of its block.
 */
#ifndef GS_TUNE_H
#define GS_TUNE_H

#include <stddef.h>
#include <stdint.h>

enum {
	THREAD_BITS = 5,	/* log2 of the keys that a thread holds */
	THREAD_KEYS = 1 << THREAD_BITS,
	WARP_BITS   = THREAD_BITS + 5,
	WARP_KEYS   = 1 << WARP_BITS,
};

/*
 * BLOCK_BITS: log2 of the keys of one block.  Each bit more saves one pass over
 * device memory per phase, but keys and pads must fit in the 48 KB of shared
 * memory that a kernel has without asking: 36 KB for 2^13 u32, 34 KB for 2^12 u64.
 *
 * BLOCKS: blocks that shall fit on a multiprocessor.  This caps registers at
 * 65536 / (threads x BLOCKS): 64 for u32, 128 for u64, where 32 keys take 64.
 * nvcc 13.0 needs 61 and 105 for the sort, and spills nothing.
 *
 * PASS_BLOCKS: the same for passes over device memory, 128 threads each: 128 and
 * 168 registers.  A pass needs loads in flight more than it needs warps.
 */
template <class Key> struct tune;

template <> struct tune<uint32_t> {
	enum { BLOCK_BITS = 13, BLOCKS = 4, PASS_BLOCKS = 4 };
};

template <> struct tune<uint64_t> {
	enum { BLOCK_BITS = 12, BLOCKS = 4, PASS_BLOCKS = 3 };
};

/*
 * Keys of a leaf (block/leaf_sort.cuh), in networks of 2^BITS words: one key in a word, or
 * two keys of 16 bits, which one instruction compares at the price of one.
 * As many blocks as 64 registers a thread allow.
 */
template <unsigned BITS> struct word { uint32_t bits; };
template <unsigned BITS> struct pair { uint32_t bits; };
template <unsigned BITS> struct wide { uint64_t bits; };	/* where words of 32 bits are not enough */

template <unsigned BITS> struct tune<word<BITS>> {
	enum { BLOCK_BITS = BITS, BLOCKS = 1 << (15 - BITS), PASS_BLOCKS = 4 };
};

template <unsigned BITS> struct tune<pair<BITS>> : tune<word<BITS>> {};
template <unsigned BITS> struct tune<wide<BITS>> : tune<word<BITS>> {};

/* 16 bytes of keys, which one instruction moves. */
template <class Key> struct alignas(16) pack {
	Key at[16 / sizeof(Key)];
};

/* What follows from the constants above. */
template <class Key> struct block {
	enum {
		BITS    = tune<Key>::BLOCK_BITS,
		KEYS    = 1 << BITS,
		THREADS = KEYS / THREAD_KEYS,
		BLOCKS  = tune<Key>::BLOCKS,
		PACK    = 16 / sizeof(Key),	/* keys in 16 bytes */
		PITCH   = THREAD_KEYS + PACK,	/* a row of shared memory and its pad */
		ROOM    = THREADS * PITCH,
	};
};

#endif

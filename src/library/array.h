// SPDX-License-Identifier: BSD-2-Clause
/*
 * array.h - the keys of an array of a caller: arguments, the calls on them, and the memory of a call
 *
 *     gs_array_args_read(), gs_array_check(); then any of the others
 */
#ifndef GS_ARRAY_ARRAY_H
#define GS_ARRAY_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "gsort.h"

/* How many bits NUMBER has: its highest one, from 1. */
static inline unsigned
gs_bits_of(uint64_t number)
{
	return number == 0 ? 0 : 64 - (unsigned)__builtin_clzll(number);
}

static inline uint64_t
gs_low_bits(unsigned bits)
{
	return bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
}

/* ---- arguments (args.c) ------------------------------------------------------------- */

/* How the keys of an array are ordered, and by how many threads. */
struct gs_array_args {
	enum gsort_type type;		/* binary */
	bool            reverse;
	bool            trust_order;
	unsigned        key_bits;
	size_t          key_bytes;
	unsigned        threads;	/* 1 at least */
	void           *scratch;	/* the caller's; or NULL */
	size_t          scratch_bytes;
};

/**
 * Read the type and the options, which may be NULL.
 *
 * @return  GS_OK; GS_EUSAGE: the type is text, or an option is unknown
 */
MUST_CHECK gs_status gs_array_args_read(struct gs_array_args *args, enum gsort_type type,
                                        const struct gsort_array_options *options);

/** Is ARRAY, called NAME, one of COUNT elements of BYTES each?  GS_EUSAGE: it is NULL, not aligned to
 *  its elements, or longer than the address space. */
MUST_CHECK gs_status gs_array_check(const char *name, const void *array, size_t count, size_t bytes);

/** Do two arrays have no byte in common?  GS_EUSAGE: they overlap. */
MUST_CHECK gs_status gs_array_check_apart(const char *one_name, const void *one, size_t one_bytes,
                                          const char *other_name, const void *other, size_t other_bytes);

/* Keys that are read at once, in the first-level cache. */
enum { GS_ARRAY_READ_KEYS = 512 };

/* Keys that a thread takes in a turn. */
enum { GS_ARRAY_TURN_KEYS = 1 << 15 };

/** The end of TURN, where threads take COUNT keys in turns. */
static inline size_t
gs_array_turn_end(size_t count, size_t turn)
{
	const size_t end = (turn + 1) * GS_ARRAY_TURN_KEYS;

	return end < count ? end : count;
}

/** Bits of a key of WIDTH bits that do not fit a word beside an index of INDEX_BITS. */
static inline unsigned
gs_array_bits_cut(unsigned width, unsigned index_bits)
{
	return width + index_bits > 64 ? width + index_bits - 64 : 0;
}

/** Store keys AT .. AT + COUNT, at most GS_ARRAY_READ_KEYS, as ordered bits of 64 bits. */
void gs_array_read(const struct gs_array_args *args, const void *keys, size_t at, size_t count,
                   uint64_t *into);

/** The arguments of ordered bits of 64 bits, ascending, for THREADS. */
struct gs_array_args gs_array_args_u64(unsigned threads);

/** Threads that pay for an array of BYTES. */
unsigned gs_array_threads(const struct gs_array_args *args, size_t bytes);

/* ---- memory of a call (memory.c) -------------------------------------------------- */

/*
 * The memory of one call at a time is kept for the next one, up to 64 MiB: a call on 2^22 u32 would spend a
 * fifth of its time on pages that the system clears.  Calls beside it map memory of their own.
 */

/* Zeroed before it is got. */
struct gs_array_memory {
	char *at;
	bool  zeroed;		/* all of it */

	/* private */
	void *taken;		/* from malloc() */
	bool  keeps;
	size_t bytes;		/* of the arena */
	struct gs_arena arena;
};

/** Get BYTES; GS_EBUDGET: there is not so much. */
MUST_CHECK gs_status gs_array_memory_get(struct gs_array_memory *memory, size_t bytes);

/** The same, or args->scratch if it has as much, aligned to ALIGN. */
MUST_CHECK gs_status gs_array_memory_borrow(struct gs_array_memory *memory, size_t bytes, size_t align,
                                            const struct gs_array_args *args);

/** Give it back; nothing if it was not got. */
void gs_array_memory_give(struct gs_array_memory *memory);

/* ---- sort an array in place (sort.c) ------------------------------------------- */

/** Bytes of args->scratch that gs_array_sort() needs, at any address; 0: none. */
size_t gs_array_sort_bytes(size_t count, const struct gs_array_args *args);

/**
 * Sort COUNT keys.  Equal keys are the same bits, so it does not matter whether the sort is stable.
 *
 * @return  GS_OK; GS_EBUDGET: no memory, and the keys are as they were; GS_EUSAGE: args->scratch is too
 *          small
 *
 * Memory: none up to 16 KiB of keys, else three times the keys, 2 MiB at most, for each thread; by buckets
 * 17/16 of the keys, and 28 MiB a thread, about half of it touched; 3 MiB a thread for keys of 8 and
 * 16 bits.
 * Time: O(n) for keys of 8 and 16 bits, else O(n log n) for most keys, O(n x key_bits) for any.
 */
MUST_CHECK gs_status gs_array_sort(void *keys, size_t count, const struct gs_array_args *args);

/** Get memory for COUNT *WORDS, unless they are many and have it; and, if they are many, for *ARGS the
 *  scratch memory to sort them: then that cannot fail. */
MUST_CHECK gs_status gs_array_words_get(struct gs_array_memory *memory, uint64_t **words, size_t count,
                                        struct gs_array_args *args, const struct gs_array_args *callers);

/* ---- the order of the keys of an array, as indices (order.c) ------------------- */

/**
 * Store in INDICES, of INDEX_BYTES (4 or 8) each, the indices of COUNT keys, in the order of the keys.
 * Stable: equal keys keep the order of their indices.
 *
 * @return  GS_OK; GS_EBUDGET: no memory, and INDICES are as they were
 *
 * Memory: as gs_array_sort() for COUNT keys of 64 bits, and 8 bytes a key if INDEX_BYTES are 4.
 * Time: as gs_array_sort().
 */
MUST_CHECK gs_status gs_array_order(void *indices, size_t index_bytes, const void *keys, size_t count,
                                    const struct gs_array_args *args);

/* ---- sort keys, and carry a payload along (pairs.c) ---------------------------- */

/**
 * Sort COUNT keys, and move element I of PAYLOAD with key I.  Not stable.
 *
 * @payload_bytes  4 or 8
 * @return  GS_OK; GS_EBUDGET: no memory, and both arrays are as they were
 *
 * Memory: 16 to 24 bytes a pair, 1.6 MiB a thread, and as gs_array_sort() for u64 whose leading bits are
 * mostly the same; with a payload of 4 bytes and keys of 32 bits at most, 8 bytes a pair and as
 * gs_array_sort() for u64.  Time: as gs_array_sort().
 */
MUST_CHECK gs_status gs_array_sort_pairs(void *keys, void *payload, size_t payload_bytes, size_t count,
                                         const struct gs_array_args *args);

/* ---- find the first key of an array that is out of order (disorder.c) ---------- */

/** The least index whose key should come before the key at the index before it; COUNT: the keys are in
 *  order.  O(n), with the threads of ARGS; reads no further than they have come when one is found. */
size_t gs_array_disorder(const void *keys, size_t count, const struct gs_array_args *args);

/* ---- merge sorted arrays (union.c) --------------------------------------------- */

/**
 * Merge COUNT arrays of COUNTS[] keys into INTO, which has room for all of them and overlaps none.
 *
 * @return  GS_OK; GS_EINPUT: an array is not sorted (unless args->trust_order); GS_EBUDGET: no memory;
 *          nothing is written after an error
 *
 * Time: O(n log k).  Memory: O(k) a thread for unsigned keys of 32 and 64 bits in ascending order, else
 * as much as the keys; 1 MiB a thread for keys of 8 and 16 bits, which are counted.
 */
MUST_CHECK gs_status gs_array_union(void *into, const void *const arrays[], const size_t counts[],
                                    size_t count, const struct gs_array_args *args);

#endif

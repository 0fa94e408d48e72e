// SPDX-License-Identifier: BSD-2-Clause
/*
 * set_merge.h - two sorted arrays become their union, intersection or difference
 *
 * Rules of multisets, as of std::set_union() and its like in C++: a key that occurs M times in A and
 * N times in B occurs max(M, N) times in the union, min(M, N) in the intersection, max(M - N, 0) in
 * the difference, and |M - N| in the symmetric difference.
 *
 * A merge passes keys in ascending order: two equal keys of A and B at once, else the lesser one.  It
 * stops where one array is at its end, unless no keys come behind it.  So it can be cut exactly: the
 * pieces between two cuts are merged independently of each other.
 */
#ifndef GS_SET_MERGE_H
#define GS_SET_MERGE_H

#include <stdbool.h>
#include <stddef.h>

/* What is kept of the keys that pass: */
enum gs_set_keep {
	GS_KEEP_A = 1,			/* the key of A, if it is less */
	GS_KEEP_BOTH = 2,		/* one of two equal keys */
	GS_KEEP_B = 4,			/* the key of B, if it is less */

	GS_KEEP_UNION = GS_KEEP_A | GS_KEEP_BOTH | GS_KEEP_B,
	GS_KEEP_INTERSECTION = GS_KEEP_BOTH,
	GS_KEEP_DIFFERENCE = GS_KEEP_A,
	GS_KEEP_SYMMETRIC = GS_KEEP_A | GS_KEEP_B,
};

/* Keys in order, 8 to 64 bits wide. */
struct gs_set_side {
	const void *keys;
	size_t      count;
	bool        ended;		/* no keys come behind them */
};

/* So many keys of each side have passed. */
struct gs_set_cut {
	size_t a, b;
};

/* What lies between two cuts. */
struct gs_set_piece {
	const void *a, *b;
	size_t      a_count, b_count;
	void       *into;		/* room for all of them, and it overlaps nothing */
	size_t      kept;		/* set by the merge */
};

/* Pieces that a thread merges at once. */
enum { GS_SET_LANES = 2 };

/** How many keys of both sides pass before the merge stops.  O(log keys) */
size_t gs_set_passing(unsigned key_bits, const struct gs_set_side *a, const struct gs_set_side *b);

/** Where the merge is after PASSED keys of gs_set_passing(), or one less: equal keys pass as a pair.
 *  O(log keys) */
struct gs_set_cut gs_set_cut(unsigned key_bits, const struct gs_set_side *a,
                             const struct gs_set_side *b, size_t passed);

/**
 * Merge PIECES, each by itself.
 *
 * @keep  one of the last four
 *
 * O(keys), with no branch on keys.
 */
void gs_set_merge(enum gs_set_keep keep, unsigned key_bits, struct gs_set_piece pieces[GS_SET_LANES]);

#endif

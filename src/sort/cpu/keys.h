// SPDX-License-Identifier: BSD-2-Clause
/* keys.h - loops over an array of keys, which are 8, 16, 32 or 64 bits wide */
#ifndef GS_KEYS_H
#define GS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/span.h"

enum gs_key_order { GS_ASCENDING, GS_STRICTLY_ASCENDING, GS_DESCENDING };

/** Is each key from index BEGIN, 1 at least, to before END in ORDER after the key before it? */
bool gs_keys_in_order(const void *keys, unsigned key_bits, size_t begin, size_t end, enum gs_key_order order);

/** Set COUNT keys to KEY. */
void gs_keys_fill(void *keys, unsigned key_bits, uint64_t key, size_t count);

/** The first index from LOW to HIGH whose key is at least KEY; keys ascend.
 *  O(log(HIGH - LOW)). */
static inline size_t
gs_keys_from(const void *keys, unsigned key_bits, size_t low, size_t high, uint64_t key)
{
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (gs_key_at(keys, key_bits, middle) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** The first index from LOW to HIGH whose key is greater than LIMIT; keys ascend. */
static inline size_t
gs_keys_above(const void *keys, unsigned key_bits, size_t low, size_t high, uint64_t limit)
{
	return limit >= UINT64_MAX >> (64 - key_bits) ? high
	       : gs_keys_from(keys, key_bits, low, high, limit + 1);
}

/* ---- groups of equal keys in a sorted span, and sums of keys ------------- */

/*
 * All functions are pure.  KEYS are COUNT sorted keys of KEY_BITS, 8 to 64; COUNT is at most 2^32.
 */

/** How many different keys there are.  O(COUNT), vectorized. */
uint64_t gs_scan_groups(const void *keys, unsigned key_bits, size_t count);

/** The end of the group that begins at FROM.  O(log of its length). */
size_t gs_scan_group_end(const void *keys, unsigned key_bits, size_t from, size_t count);

/**
 * The first group of more than TIMES keys that begins at FROM or after it; COUNT: no such group.
 * A group begins at FROM.  O(COUNT), vectorized.
 */
size_t gs_scan_repeated(const void *keys, unsigned key_bits, size_t from, size_t count, uint64_t times);

/** The sum of all keys, each less LEAST modulo 2^KEY_BITS.  O(COUNT), vectorized. */
unsigned __int128 gs_scan_sum(const void *keys, unsigned key_bits, uint64_t least, size_t count);

#endif

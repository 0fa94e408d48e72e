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
bool gs_keys_in_order(const void *keys, unsigned key_bits, size_t begin, size_t end,
                      enum gs_key_order order);

/** Set COUNT keys to KEY. */
void gs_keys_fill(void *keys, unsigned key_bits, uint64_t key, size_t count);

/** The first index from LOW to HIGH, of keys that ascend, whose key is at least KEY.
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

/** The first index from LOW to HIGH, of keys that ascend, whose key is greater than LIMIT. */
static inline size_t
gs_keys_above(const void *keys, unsigned key_bits, size_t low, size_t high, uint64_t limit)
{
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (gs_key_at(keys, key_bits, middle) <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif

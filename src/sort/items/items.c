// SPDX-License-Identifier: BSD-2-Clause
/* items.c - compare two items */
#include "sort/items/items.h"

int
gs_item_compare(const struct gs_item_order *order, unsigned level, const char *one,
                size_t one_bytes, const char *other, size_t other_bytes)
{
	const char *const items[2] = { one, other };
	const uint32_t bytes[2] = { (uint32_t)one_bytes, (uint32_t)other_bytes };
	bool more = true;

	for (uint64_t words[2]; more; level++) {
		more = order->words(order->context, items, order->item_bytes > 0 ? NULL : bytes, 2, level,
		                    words);
		if (words[0] != words[1])
			return words[0] < words[1] ? -1 : 1;
	}
	return order->compare == NULL ? 0
	       : order->compare(order->context, one, one_bytes, other, other_bytes);
}

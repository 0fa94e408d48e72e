// SPDX-License-Identifier: BSD-2-Clause
/* encode_raw.c - ordered bits to binary keys: decode_raw.c the other way */
#include <assert.h>
#include <stdbool.h>

#include "format/encode.h"
#include "format/key.h"

#define KEY(name, type, bits, map, unmap) \
	static void \
	unorder_##name(void *from, size_t count, uint64_t flip, bool swap) \
	{ \
		type *keys = from; \
		if (swap) { \
			_Pragma("omp simd") \
			for (size_t i = 0; i < count; i++) \
				keys[i] = (type)GS_SWAP##bits(gs_unorder_##name( \
					(type)(keys[i] ^ (type)flip))); \
			return; \
		} \
		_Pragma("omp simd") \
		for (size_t i = 0; i < count; i++) \
			keys[i] = gs_unorder_##name((type)(keys[i] ^ (type)flip)); \
	}
#include "format/keytype.def"
#undef KEY

static gs_key_map *const unorders[] = {
	NULL,
#define KEY(name, type, bits, map, unmap) unorder_##name,
#include "format/keytype.def"
#undef KEY
};

void
gs_ordered_to_raw(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                  size_t count, unsigned threads)
{
	const bool swap = gs_key_bits(type) > 8 && gs_endian_swaps(endian);

	assert(gs_key_bits(type) > 0);
	if (reverse || swap || !gs_key_orders_itself(type))
		gs_key_map_all(unorders[type], gs_key_bits(type), reverse ? UINT64_MAX : 0, swap, keys,
		               count, threads);
}

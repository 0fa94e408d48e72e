// SPDX-License-Identifier: BSD-2-Clause
/*
 * decode_raw.c - binary keys to ordered bits
 *
 * Every map is one or two XORs, so a loop over it is a few vector instructions and
 * runs at the speed of memory; with reverse one NOT more.  Unsigned keys ascending
 * are ordered bits already, and are not even looked at.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>

#include "format/decode.h"
#include "format/key.h"

/* The loops, one a type: into ordered bits, XORed with FLIP, all ones or none.
 * simd: GCC 12 at -O2 does not make vectors of a loop unless it is told to. */
#define KEY(name, type, bits, map, unmap) \
	static void \
	order_##name(void *into, size_t count, uint64_t flip, bool swap) \
	{ \
		type *keys = into; \
		if (swap) { \
			_Pragma("omp simd") \
			for (size_t i = 0; i < count; i++) \
				keys[i] = (type)(gs_order_##name((type)GS_SWAP##bits(keys[i])) ^ \
				                 (type)flip); \
			return; \
		} \
		_Pragma("omp simd") \
		for (size_t i = 0; i < count; i++) \
			keys[i] = (type)(gs_order_##name(keys[i]) ^ (type)flip); \
	}
#include "format/keytype.def"
#undef KEY

/* By enum gsort_type, as key.c asserts. */
static gs_key_map *const orders[] = {
	NULL,
#define KEY(name, type, bits, map, unmap) order_##name,
#include "format/keytype.def"
#undef KEY
};

void
gs_raw_to_ordered(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                  size_t count, unsigned threads)
{
	const bool swap = gs_key_bits(type) > 8 && gs_endian_swaps(endian);

	assert(gs_key_bits(type) > 0);
	if (reverse || swap || !gs_key_orders_itself(type))
		gs_key_map_all(orders[type], gs_key_bits(type), reverse ? UINT64_MAX : 0, swap, keys,
		               count, threads);
}

gs_status
gs_raw_partial(enum gsort_type type, const char *name, uint64_t bytes)
{
	const unsigned key_bytes = gs_key_bits(type) / 8;
	const unsigned trailing = (unsigned)(bytes % key_bytes);

	assert(trailing > 0);
	return gs_fail(GS_EINPUT, "%s: %" PRIu64 " byte%s is not a multiple of %u "
	               "(%u trailing byte%s): not a file of %s", name, bytes,
	               bytes == 1 ? "" : "s", key_bytes, trailing,
	               trailing == 1 ? "" : "s", gs_key_name(type));
}

// SPDX-License-Identifier: BSD-2-Clause
/* keys.c - loops over an array of keys, compiled for each width and, where it pays, for vectors */
#include <assert.h>

#include "base/simd.h"
#include "sort/keys.h"

#define INLINE	static inline __attribute__((always_inline))

#define EACH_WIDTH	"sort/keys.inc"
#define NARROW_KEYS
#include "sort/each_width.inc"

INLINE bool
in_order(const void *keys, unsigned key_bits, size_t begin, size_t end, enum gs_key_order order)
{
	switch (key_bits) {
	case 8:  return in_order_8(keys, begin, end, order);
	case 16: return in_order_16(keys, begin, end, order);
	case 32: return in_order_32(keys, begin, end, order);
	default: return in_order_64(keys, begin, end, order);
	}
}

#if defined __x86_64__
__attribute__((target("avx512bw"))) static bool
in_order_avx512(const void *keys, unsigned key_bits, size_t begin, size_t end,
                enum gs_key_order order)
{
	return in_order(keys, key_bits, begin, end, order);
}

__attribute__((target("avx2"))) static bool
in_order_avx2(const void *keys, unsigned key_bits, size_t begin, size_t end,
              enum gs_key_order order)
{
	return in_order(keys, key_bits, begin, end, order);
}
#endif

bool
gs_keys_in_order(const void *keys, unsigned key_bits, size_t begin, size_t end,
                 enum gs_key_order order)
{
	assert(begin > 0);
#if defined __x86_64__
	if (gs_simd_best() == GS_SIMD_AVX512)
		return in_order_avx512(keys, key_bits, begin, end, order);
	if (gs_simd_best() == GS_SIMD_AVX2)
		return in_order_avx2(keys, key_bits, begin, end, order);
#endif
	return in_order(keys, key_bits, begin, end, order);
}

void
gs_keys_fill(void *keys, unsigned key_bits, uint64_t key, size_t count)
{
	switch (key_bits) {
	case 8:  fill_8(keys, (uint8_t)key, count); break;
	case 16: fill_16(keys, (uint16_t)key, count); break;
	case 32: fill_32(keys, (uint32_t)key, count); break;
	default: fill_64(keys, key, count); break;
	}
}

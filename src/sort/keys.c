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

/* --- groups of equal keys, and sums ------------------------------------------------ */

/*
 * In sorted keys, a group that begins at I has more than T keys if and only if the keys at I and
 * I + T are equal.  So long groups are found by comparing the keys with themselves, T further on.
 */

enum { BLOCK = 255 };	/* keys that are compared at once, whose number fits in any key; not tuned */

#define DEFINE_SCANS(type, bits) \
	static uint64_t \
	changes##bits(const type *keys, size_t count) \
	{ \
		uint64_t all = 0; \
		for (size_t from = 1; from < count; from += BLOCK) { \
			const size_t to = count - from < BLOCK ? count : from + BLOCK; \
			type some = 0; \
			_Pragma("omp simd reduction(+:some)") \
			for (size_t at = from; at < to; at++) \
				some = (type)(some + (keys[at] != keys[at - 1])); \
			all += some; \
		} \
		return all; \
	} \
	static size_t \
	repeated##bits(const type *keys, size_t from, size_t last, size_t times) \
	{ \
		for (; from < last; from += BLOCK) { \
			const size_t to = last - from < BLOCK ? last : from + BLOCK; \
			type any = 0; \
			_Pragma("omp simd reduction(|:any)") \
			for (size_t at = from; at < to; at++) \
				any |= keys[at] == keys[at + times]; \
			for (size_t at = from; any && at < to; at++) \
				if (keys[at] == keys[at + times]) \
					return at; \
		} \
		return last; \
	} \
	static unsigned __int128 \
	sum##bits(const type *keys, type least, size_t count) \
	{ \
		uint64_t low = 0, high = 0; \
		_Pragma("omp simd reduction(+:low,high)") \
		for (size_t at = 0; at < count; at++) { \
			const uint64_t above = (type)(keys[at] - least); \
			low += (uint32_t)above; \
			high += above >> 32; \
		} \
		return ((unsigned __int128)high << 32) + low; \
	}
DEFINE_SCANS(uint8_t, 8)
DEFINE_SCANS(uint16_t, 16)
DEFINE_SCANS(uint32_t, 32)
DEFINE_SCANS(uint64_t, 64)

uint64_t
gs_scan_groups(const void *keys, unsigned key_bits, size_t count)
{
	if (count == 0)
		return 0;
	switch (key_bits) {
	case 8:  return 1 + changes8(keys, count);
	case 16: return 1 + changes16(keys, count);
	case 32: return 1 + changes32(keys, count);
	default: return 1 + changes64(keys, count);
	}
}

size_t
gs_scan_group_end(const void *keys, unsigned key_bits, size_t from, size_t count)
{
	const uint64_t key = gs_key_at(keys, key_bits, from);
	size_t step = 1, low = from, high;

	while (count - from > step && gs_key_at(keys, key_bits, from + step) == key) {
		low = from + step;
		step *= 2;
	}
	high = count - from > step ? from + step : count;
	while (high - low > 1) {	/* at LOW is the key, at HIGH another */
		const size_t middle = low + (high - low) / 2;

		if (gs_key_at(keys, key_bits, middle) == key)
			low = middle;
		else
			high = middle;
	}
	return high;
}

size_t
gs_scan_last_group(const void *keys, unsigned key_bits, size_t count)
{
	return gs_keys_from(keys, key_bits, 0, count, gs_key_at(keys, key_bits, count - 1));
}

size_t
gs_scan_repeated(const void *keys, unsigned key_bits, size_t from, size_t count, uint64_t times)
{
	size_t last, found;

	if (count - from <= times)
		return count;
	last = count - (size_t)times;
	switch (key_bits) {
	case 8:  found = repeated8(keys, from, last, (size_t)times); break;
	case 16: found = repeated16(keys, from, last, (size_t)times); break;
	case 32: found = repeated32(keys, from, last, (size_t)times); break;
	default: found = repeated64(keys, from, last, (size_t)times); break;
	}
	return found < last ? found : count;
}

unsigned __int128
gs_scan_sum(const void *keys, unsigned key_bits, uint64_t least, size_t count)
{
	assert(count <= UINT32_MAX);
	switch (key_bits) {
	case 8:  return sum8(keys, (uint8_t)least, count);
	case 16: return sum16(keys, (uint16_t)least, count);
	case 32: return sum32(keys, (uint32_t)least, count);
	default: return sum64(keys, least, count);
	}
}

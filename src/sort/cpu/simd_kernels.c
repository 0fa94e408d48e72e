// SPDX-License-Identifier: BSD-2-Clause
/*
 * simd_kernels.c - the loops of the CPU's sort that are written for vectors, put together
 *
 * Each is written once (bins.inc, bitonic.inc, leaf.inc, vector_partition.inc) over the vectors of
 * lanes_*.inc, and compiled for each width of keys and each kind of vectors.
 */
#include <assert.h>
#include <string.h>

#include "sort/cpu/simd_kernels.h"

/* Variables are vectors in registers, which are not worth a fifth of gcc's time to track for debuggers. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize "no-var-tracking-assignments"
#endif

/*
 * A leaf fits the first-level cache beside its source.  In Mkeys/s of u32 2^22, 2^24, 2^26 and
 * u64 2^25, one thread, uniform keys, AVX-512, gcc 12 -O2, one core of an AMD EPYC 9005 VM:
 *     8 KiB   336 255 252 145
 *     16 KiB  350 262 259 149
 *     32 KiB  352 265 264 151	within the noise
 * Arrays of 32 KiB are one leaf then: Xeon, ns a key, 2^13 u32 2.78 and 2.27, 2^12 f64 4.77 and 4.34.
 * The network alone sorts 2^8, 2^10, 2^12 keys of 32 bits at 2600, 1760, 1230 Mkeys/s with
 * AVX-512, and at 1240, 850, 600 with AVX2.
 */
enum { LEAF_BYTES = 32768 };
#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

/* The largest key; of floats infinity. */
#define LAST	FILL(FLOATS ? INT64_C(0x7ff) << 52 : -1)

typedef float number_32;
typedef double number_64;

#if defined __x86_64__
/* For each mask of 8 lanes the numbers of the lanes, a byte each: first the mask's, then the rest. */
#define BELOW_IN(m, l)	__builtin_popcount((m) & ((1u << (l)) - 1))
#define PLACE(m, l) \
	((m) >> (l) & 1 ? BELOW_IN(m, l) : __builtin_popcount(m) + (l) - BELOW_IN(m, l))
#define LANE(m, l)	((uint64_t)(l) << 8 * PLACE(m, l))
#define ROW(m)		(LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | \
                         LANE(m, 6) | LANE(m, 7))
#define ROWS4(m)	ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS16(m)	ROWS4(m), ROWS4((m) + 4), ROWS4((m) + 8), ROWS4((m) + 12)
#define ROWS64(m)	ROWS16(m), ROWS16((m) + 16), ROWS16((m) + 32), ROWS16((m) + 48)
static const uint64_t pack_lanes[256] = {
	ROWS64(0u), ROWS64(64u), ROWS64(128u), ROWS64(192u)
};
/* The same for each mask of 4 lanes of 64 bits, which are two lanes of 32 each. */
#define PAIRS(m)	ROW(((m) & 1) * 3 | ((m) & 2) * 6 | ((m) & 4) * 12 | ((m) & 8) * 24)
#define PAIRS4(m)	PAIRS(m), PAIRS((m) + 1), PAIRS((m) + 2), PAIRS((m) + 3)
static const uint64_t pack_pairs[16] = { PAIRS4(0u), PAIRS4(4u), PAIRS4(8u), PAIRS4(12u) };
#endif

#define EACH_WIDTH	"sort/cpu/each_level.inc"
#define EACH_LEVEL	"sort/cpu/simd_kernels.inc"
#include "sort/each_width.inc"

const struct gs_simd_kernels *
gs_simd_kernels(enum gs_simd simd, unsigned key_bits)
{
	assert(simd <= gs_simd_best() && (key_bits == 32 || key_bits == 64));
#if defined __x86_64__
	if (simd == GS_SIMD_AVX512)
		return key_bits == 32 ? &kernels_avx512_32 : &kernels_avx512_64;
	if (simd == GS_SIMD_AVX2)
		return key_bits == 32 ? &kernels_avx2_32 : &kernels_avx2_64;
#endif
	return key_bits == 32 ? &kernels_none_32 : &kernels_none_64;
}

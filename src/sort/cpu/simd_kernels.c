// SPDX-License-Identifier: BSD-2-Clause
/*
 * simd_kernels.c - all that has vectors: sort a leaf, halve, find the range, find bins
 *
 * bitonic.inc and halve.inc are written once for two widths of keys and three kinds of
 * vectors.  This file puts them together.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sort/cpu/simd_kernels.h"

#if defined __x86_64__
#include <immintrin.h>
#define HAVE_X86	1
#else
#define HAVE_X86	0
#endif

#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

#define PASTE3(a, b, c)	a##_##b##_##c
#define NAME3(a, b, c)	PASTE3(a, b, c)
#define NAME(what)	NAME3(what, LEVEL, BITS)

#if HAVE_X86
/* For each mask of 8 lanes, a byte each: the lanes that are in it, then the others. */
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
/* For each mask of 4 lanes of 64 bits, which are two of 32. */
#define PAIRS(m)	ROW(((m) & 1) * 3 | ((m) & 2) * 6 | ((m) & 4) * 12 | ((m) & 8) * 24)
#define PAIRS4(m)	PAIRS(m), PAIRS((m) + 1), PAIRS((m) + 2), PAIRS((m) + 3)
static const uint64_t pack_pairs[16] = { PAIRS4(0u), PAIRS4(4u), PAIRS4(8u), PAIRS4(12u) };
#endif

#define BITS 32
#define KEY uint32_t
#if HAVE_X86
#define LEVEL avx512
#include "sort/cpu/lanes_avx512.inc"
#include "sort/cpu/bitonic.inc"
#include "sort/cpu/bins.inc"
#include "sort/cpu/vector_partition.inc"
#include "sort/cpu/lanes_end.inc"
#define LEVEL avx2
#include "sort/cpu/lanes_avx2.inc"
#include "sort/cpu/bitonic.inc"
#include "sort/cpu/vector_partition.inc"
#include "sort/cpu/bins.inc"
#include "sort/cpu/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/cpu/lanes_none.inc"
#include "sort/cpu/bitonic.inc"
#include "sort/cpu/bins.inc"
#include "sort/cpu/lanes_end.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#if HAVE_X86
#define LEVEL avx512
#include "sort/cpu/lanes_avx512.inc"
#include "sort/cpu/bitonic.inc"
#include "sort/cpu/bins.inc"
#include "sort/cpu/vector_partition.inc"
#include "sort/cpu/lanes_end.inc"
#define LEVEL avx2
#include "sort/cpu/lanes_avx2.inc"
#include "sort/cpu/bitonic.inc"
#include "sort/cpu/vector_partition.inc"
#include "sort/cpu/bins.inc"
#include "sort/cpu/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/cpu/lanes_none.inc"
#include "sort/cpu/bitonic.inc"
#include "sort/cpu/bins.inc"
#include "sort/cpu/lanes_end.inc"
#undef BITS
#undef KEY

#undef NAME

const struct gs_simd_kernels gs_simd_kernel_sets[] = {
	[GS_SIMD_NONE] = { leaf_none_32, leaf_none_64, NULL, NULL,
	                   range_none_32, range_none_64, bins_none_32, bins_none_64 },
#if HAVE_X86
	[GS_SIMD_AVX2] = { leaf_avx2_32, leaf_avx2_64, halve_avx2_32, halve_avx2_64,
	                   range_avx2_32, range_avx2_64, bins_avx2_32, bins_avx2_64 },
	[GS_SIMD_AVX512] = { leaf_avx512_32, leaf_avx512_64, halve_avx512_32,
	                     halve_avx512_64, range_avx512_32, range_avx512_64,
	                     bins_avx512_32, bins_avx512_64 },
#endif
};

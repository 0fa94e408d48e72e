// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf.c - all that has vectors: sort, halve, least and largest; and which vectors there are
 *
 * bitonic.inc and halve.inc are written once for two widths of keys and three kinds of
 * vectors.  This file puts them together.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sort/leaf.h"

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#define HAVE_X86	1
#else
#define HAVE_X86	0
#endif

#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

#define PASTE3(a, b, c)	a##_##b##_##c
#define NAME3(a, b, c)	PASTE3(a, b, c)
#define NAME(what)	NAME3(what, LEVEL, BITS)

#define BITS 32
#define KEY uint32_t
#if HAVE_X86
#define LEVEL avx512
#include "sort/lanes_avx512.inc"
#include "sort/bitonic.inc"
#include "sort/bins.inc"
#include "sort/halve.inc"
#include "sort/lanes_end.inc"
#define LEVEL avx2
#include "sort/lanes_avx2.inc"
#include "sort/bitonic.inc"
#include "sort/bins.inc"
#include "sort/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/lanes_none.inc"
#include "sort/bitonic.inc"
#include "sort/bins.inc"
#include "sort/lanes_end.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#if HAVE_X86
#define LEVEL avx512
#include "sort/lanes_avx512.inc"
#include "sort/bitonic.inc"
#include "sort/bins.inc"
#include "sort/halve.inc"
#include "sort/lanes_end.inc"
#define LEVEL avx2
#include "sort/lanes_avx2.inc"
#include "sort/bitonic.inc"
#include "sort/bins.inc"
#include "sort/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/lanes_none.inc"
#include "sort/bitonic.inc"
#include "sort/bins.inc"
#include "sort/lanes_end.inc"
#undef BITS
#undef KEY

#undef NAME

const struct gs_leaf gs_leaves[] = {
	[GS_SIMD_NONE] = { "portable", leaf_none_32, leaf_none_64, NULL, NULL,
	                   range_none_32, range_none_64, bins_none_32, bins_none_64 },
#if HAVE_X86
	[GS_SIMD_AVX2] = { "avx2", leaf_avx2_32, leaf_avx2_64, NULL, NULL,
	                   range_avx2_32, range_avx2_64, bins_avx2_32, bins_avx2_64 },
	[GS_SIMD_AVX512] = { "avx512", leaf_avx512_32, leaf_avx512_64, halve_avx512_32,
	                     halve_avx512_64, range_avx512_32, range_avx512_64,
	                     bins_avx512_32, bins_avx512_64 },
#endif
};

#if HAVE_X86
/*
 * What processor and kernel offer (Intel, Software Developer's Manual, vol. 1, 13.2 and
 * 14.5 ff.).  __builtin_cpu_supports() asks twenty questions before main(), and each
 * costs 4 us on a virtual machine.  Xeon Phi, with AVX512F alone, counts as AVX2.
 */
static enum gs_simd
ask_processor(void)
{
	enum { OSXSAVE = 1 << 27, AVX2 = 1 << 5, AVX512 = 1 << 16 | 1 << 17 | 1 << 30, /* F DQ BW */
	       YMM_KEPT = 0x06, ZMM_KEPT = 0xe6 };	/* by the kernel, at a task switch */
	unsigned a, b, c, d, kept, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || (c & OSXSAVE) == 0 ||
	    !__get_cpuid_count(7, 0, &a, &b, &c, &d))
		return GS_SIMD_NONE;
	__asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
	(void)high;
	if ((b & AVX512) == AVX512 && (kept & ZMM_KEPT) == ZMM_KEPT)
		return GS_SIMD_AVX512;
	return (b & AVX2) != 0 && (kept & YMM_KEPT) == YMM_KEPT ? GS_SIMD_AVX2 : GS_SIMD_NONE;
}
#endif

enum gs_simd
gs_simd_best(void)
{
#if HAVE_X86
	static _Atomic int known = -1;

	if (known < 0)
		known = (int)ask_processor();
	return (enum gs_simd)known;
#else
	return GS_SIMD_NONE;
#endif
}

const char *
gs_simd_name(enum gs_simd simd)
{
	return gs_leaves[simd].name;
}

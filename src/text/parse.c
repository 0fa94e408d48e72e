// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse.c - usual lines of integers, many at once, with vectors
 *
 * In:   text, and where its lines end.
 * Out:  keys by class (text.h); small values counted.
 *
 * The 16 bytes before the end of a line hold its last digits, right-justified; bytes before its
 * beginning are cleared.  Neighbours are joined, two digits to a pair, two pairs to a four and
 * two fours to an eight, in all bytes at once: the reverse of W. Mula, "SSE: conversion integers
 * to decimal representation", 2011.  Up to six bytes more, of numbers of 17 digits or more and
 * of signs, are read the same way.
 *
 * Invariant: of the lines that are read side by side either all are added, or none.
 */
#include <string.h>

#include "text/text_decoder.h"

enum { TEN8 = 100000000, TOP_MOST = 1844 /* 2^64 / 10^16 */ };
#define TEN16	UINT64_C(10000000000000000)

#if defined __x86_64__
#include <immintrin.h>

#include "text/parse_avx2.inc"
#include "text/parse_avx512.inc"

#endif

const struct gs_parser *
gs_parser_of(enum gs_simd simd)
{
#if defined __x86_64__
	static const struct gs_parser avx2 = { find_avx2, read_avx2 };
	static const struct gs_parser avx512 = { find_avx2, read_avx512 };
	static const struct gs_parser vbmi2 = { find_vbmi2, read_avx512 };

	if (simd == GS_SIMD_AVX512)
		return gs_simd_has_vbmi2() ? &vbmi2 : &avx512;
	if (simd == GS_SIMD_AVX2)
		return &avx2;
#endif
	(void)simd;
	return NULL;
}

// SPDX-License-Identifier: BSD-2-Clause
/* simd.h - which vector instructions this processor has, and how it likes keys to be scattered */
#ifndef GS_SIMD_H
#define GS_SIMD_H

#include <stdbool.h>

enum gs_simd { GS_SIMD_NONE, GS_SIMD_AVX2, GS_SIMD_AVX512 };

/** The widest vectors that processor and kernel support; found out once. */
enum gs_simd gs_simd_best(void);
/** For tests: from now on gs_simd_best() returns no more than MOST. */
void gs_simd_at_most(enum gs_simd most);
const char *gs_simd_name(enum gs_simd simd);

/** With GS_SIMD_AVX512: does the processor have AVX512_VBMI2, too? */
bool gs_simd_has_vbmi2(void);

/*
 * Define NAME_best(), which does what the inline function NAME() does, compiled for the vectors of this
 * processor.  PARAMETERS and ARGUMENTS stand in parentheses.
 */
#if defined __x86_64__
#define GS_SIMD_BEST(type, name, parameters, arguments) \
	__attribute__((target("avx512bw,avx512dq"))) static type \
	name##_avx512 parameters \
	{ \
		return name arguments; \
	} \
	\
	__attribute__((target("avx2"))) static type \
	name##_avx2 parameters \
	{ \
		return name arguments; \
	} \
	\
	static type \
	name##_best parameters \
	{ \
		const enum gs_simd simd = gs_simd_best(); \
	\
		return simd == GS_SIMD_AVX512 ? name##_avx512 arguments \
		       : simd == GS_SIMD_AVX2 ? name##_avx2 arguments : name arguments; \
	}
#else
#define GS_SIMD_BEST(type, name, parameters, arguments) \
	static type \
	name##_best parameters \
	{ \
		return name arguments; \
	}
#endif

/** CALL(8), CALL(16), CALL(32) or CALL(64), by the width of keys: CALL is a macro with a loop for each. */
#define GS_BY_WIDTH(bits, call) \
	((bits) == 8 ? call(8) : (bits) == 16 ? call(16) : (bits) == 32 ? call(32) : call(64))

/**
 * Shall a line of cache be fetched before a key is scattered to it?  Intel's processors write to one line
 * after the other, if these are not in the first-level cache; AMD's to several at once.  gsort_sort() of u32
 * 2^27, one thread, Xeon of the H200 host: 1092 ms without, 787 with it, and buckets of 512 KiB; on an EPYC
 * 9004 a partition takes 10 to 20 % longer with it.
 */
bool gs_simd_fetches_first(void);
/** For tests: from now on gs_simd_fetches_first() is FETCHES. */
void gs_simd_set_fetches_first(bool fetches);

#endif

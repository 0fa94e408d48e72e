// SPDX-License-Identifier: BSD-2-Clause
/*
 * simd.c - CPUID and XGETBV
 *
 * Intel, Software Developer's Manual, vol. 1, 13.2 and 14.5 ff.  __builtin_cpu_supports()
 * executes CPUID twenty times before main(), at 4 to 15 us each on a virtual machine, and __get_cpuid()
 * twice.  glibc's loader has asked already, and tells.  Xeon Phi, which has AVX512F alone, counts as AVX2.
 */
#include <stdlib.h>	/* __GLIBC_PREREQ */

#include "base/simd.h"

#if defined __x86_64__
#include <cpuid.h>
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
#include <sys/platform/x86.h>
#endif
#endif

#if defined CPU_FEATURE_ACTIVE && !defined GS_TIDY	/* it shifts an int by 31, which sanitizers mind */
static enum gs_simd
ask_processor(void)
{
	if (CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512BW) &&
	    CPU_FEATURE_ACTIVE(AVX512VL) && CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2))
		return GS_SIMD_AVX512;
	return CPU_FEATURE_ACTIVE(AVX2) ? GS_SIMD_AVX2 : GS_SIMD_NONE;
}

bool
gs_simd_has_vbmi2(void)
{
	return CPU_FEATURE_ACTIVE(AVX512_VBMI2);
}
#else
static enum gs_simd
ask_processor(void)
{
	enum { OSXSAVE = 1 << 27, AVX = 1 << 28, AVX2 = 1 << 5,
	       YMM_SAVED = 0x06, ZMM_SAVED = 0xe6 };	/* by the kernel, at a task switch */
	const unsigned avx512 = 0x108 | 3u << 16 | 3u << 30;	/* BMI1 and BMI2, F and DQ, BW and VL */
	unsigned a, b, c, d, saved, high;

	__cpuid(1, a, b, c, d);		/* any has this leaf; and one that saves AVX has leaves up to 13 */
	if ((c & OSXSAVE) == 0 || (c & AVX) == 0)
		return GS_SIMD_NONE;
	__cpuid_count(7, 0, a, b, c, d);
	__asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
	(void)high;
	if ((b & avx512) == avx512 && (saved & ZMM_SAVED) == ZMM_SAVED)
		return GS_SIMD_AVX512;
	return (b & AVX2) != 0 && (saved & YMM_SAVED) == YMM_SAVED ? GS_SIMD_AVX2 : GS_SIMD_NONE;
}

bool
gs_simd_has_vbmi2(void)
{
	static _Atomic int known = -1;
	unsigned a, b, c, d;

	if (known < 0)
		known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 6 & 1) != 0;
	return known;
}
#endif
#endif

static _Atomic int limit = GS_SIMD_AVX512;

enum gs_simd
gs_simd_best(void)
{
#if defined __x86_64__
	static _Atomic int known = -1;

	if (known < 0)
		known = (int)ask_processor();
	return (enum gs_simd)(known < limit ? known : limit);
#else
	return GS_SIMD_NONE;
#endif
}

void
gs_simd_at_most(enum gs_simd most)
{
	limit = (int)most;
}

static _Atomic int fetches_first = -1;

bool
gs_simd_fetches_first(void)
{
#if defined __x86_64__
	unsigned a, b, c, d;

	if (fetches_first < 0)
		fetches_first = __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx;
#endif
	return fetches_first > 0;
}

void
gs_simd_set_fetches_first(bool fetches)
{
	fetches_first = fetches;
}

const char *
gs_simd_name(enum gs_simd simd)
{
	static const char *const names[] = { "portable", "avx2", "avx512" };

	return names[simd];
}

// SPDX-License-Identifier: BSD-2-Clause
/* simd.h - which vector instructions this processor has */
#ifndef GS_SIMD_H
#define GS_SIMD_H

enum gs_simd { GS_SIMD_NONE, GS_SIMD_AVX2, GS_SIMD_AVX512 };

/** The widest vectors that processor and kernel support; found out once. */
enum gs_simd gs_simd_best(void);
/** For tests: from now on gs_simd_best() returns no more than MOST. */
void gs_simd_at_most(enum gs_simd most);
const char *gs_simd_name(enum gs_simd simd);

#endif

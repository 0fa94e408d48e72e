// SPDX-License-Identifier: BSD-2-Clause
/* std_sort.h - the C++ library's sort, callable from C */
#ifndef GS_BENCH_STD_SORT_H
#define GS_BENCH_STD_SORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
void std_sort(uint32_t *keys, size_t count);

#endif

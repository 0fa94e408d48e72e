// SPDX-License-Identifier: BSD-2-Clause
/* references.h - what rungs are compared with, in a rung's clothes */
#ifndef GS_BENCH_REFERENCES_H
#define GS_BENCH_REFERENCES_H

#include "kernels/paper/ladder.h"

/* qsort, std_sort, gsort_cpu, cub_radix, cub_merge, gsort; ends with a NULL. */
extern const struct rung *const references[];

#ifdef __cplusplus
extern "C"
#endif
void std_sort(uint32_t *keys, size_t count);	/* std_sort.cpp */

#endif

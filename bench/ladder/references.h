// SPDX-License-Identifier: BSD-2-Clause
/* references.h - other sorts behind the interface of a variant, for comparison */
#ifndef GS_BENCH_REFERENCES_H
#define GS_BENCH_REFERENCES_H

#include "kernels/paper/ladder.h"

/* qsort, std_sort, gsort_cpu, cub_radix, cub_merge, gsort, gsort_network; ends with a NULL. */
extern const struct variant *const references[];

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* cpu.h - what the files of gsort-bench-cpu share */
#ifndef BENCH_CPU_H
#define BENCH_CPU_H

#include <stddef.h>

#include "sort/cpu/cpu_sort.h"

/** Huge pages, as the arena of a job has. */
void *bench_allocate(size_t bytes);
double bench_seconds(void);

/** Sort KEYS to OUT by buckets; seconds for adding, settling, and sorting parts. */
void bench_buckets(unsigned bits, const char *keys, char *out, size_t count, unsigned threads,
                   enum gs_simd simd, double spent[3]);

#endif

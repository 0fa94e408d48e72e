// SPDX-License-Identifier: BSD-2-Clause
/* sort.h - sort an array in place */
#ifndef GS_ARRAY_SORT_H
#define GS_ARRAY_SORT_H

#include <stddef.h>

#include "array/args.h"
#include "base/status.h"

/** Bytes of args->scratch that gs_array_sort() needs, at any address; 0: none. */
size_t gs_array_sort_bytes(size_t count, const struct gs_array_args *args);

/**
 * Sort COUNT keys.  Equal keys are the same bits, so it does not matter whether the sort is stable.
 *
 * @return  GS_OK; GS_EBUDGET: no memory, and the keys are as they were; GS_EUSAGE: args->scratch is too
 *          small
 *
 * Memory: none up to 16 KiB of keys, else as much as the keys; by buckets 1/7 more, 50 MiB, and 10 MiB a
 * thread, of which about a third is touched; 1 MiB a thread for keys of 8 and 16 bits.
 * Time: O(n) for keys of 8 and 16 bits, else O(n log n) for most keys, O(n x key_bits) for any.
 */
MUST_CHECK gs_status gs_array_sort(void *keys, size_t count, const struct gs_array_args *args);

#endif

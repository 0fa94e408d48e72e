// SPDX-License-Identifier: BSD-2-Clause
/* union.h - merge sorted arrays */
#ifndef GS_ARRAY_UNION_H
#define GS_ARRAY_UNION_H

#include <stddef.h>

#include "array/args.h"
#include "base/status.h"

/**
 * Merge COUNT arrays of COUNTS[] keys into INTO, which has room for all of them and overlaps none.
 *
 * @return  GS_OK; GS_EINPUT: an array is not sorted (unless args->trust_order), nothing is written;
 *          GS_EBUDGET: no memory
 *
 * Time: O(n log k).  Memory: O(k) a thread for unsigned keys of 32 and 64 bits in ascending order, else
 * as much as the keys; 1 MiB a thread for keys of 8 and 16 bits, which are counted.
 */
MUST_CHECK gs_status gs_array_union(void *into, const void *const arrays[], const size_t counts[],
                                    size_t count, const struct gs_array_args *args);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* order.h - the order of the keys of an array, as indices */
#ifndef GS_ARRAY_ORDER_H
#define GS_ARRAY_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "array/args.h"
#include "base/status.h"

/**
 * Store in ORDER the indices of COUNT keys, in the order of the keys.  Stable: of equal keys the one
 * that comes first has the smaller index.
 *
 * @return  GS_OK; GS_EBUDGET: no memory
 *
 * Memory: that of gs_array_sort() for COUNT keys of 64 bits, and 16 bytes for each key whose leading
 * bits are those of more than 32 keys.  Time: as gs_array_sort().
 */
MUST_CHECK gs_status gs_array_order(uint64_t *order, const void *keys, size_t count,
                                    const struct gs_array_args *args);

#endif

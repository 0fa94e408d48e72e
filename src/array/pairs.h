// SPDX-License-Identifier: BSD-2-Clause
/* pairs.h - sort keys, and carry a payload along */
#ifndef GS_ARRAY_PAIRS_H
#define GS_ARRAY_PAIRS_H

#include <stddef.h>

#include "array/args.h"
#include "base/status.h"

/**
 * Sort COUNT keys, and move element I of PAYLOAD with key I.  Not stable.
 *
 * @payload_bytes  4 or 8
 * @return  GS_OK; GS_EBUDGET: no memory, and both arrays are as they were
 *
 * Memory: 8 bytes a key and that of gs_array_sort() for u64; with a payload of 4 bytes and keys of 32
 * bits at most, all of it.  Else at most 16 bytes a key later.  Time: as gs_array_sort(), and a random
 * access for each key and payload.
 */
MUST_CHECK gs_status gs_array_sort_pairs(void *keys, void *payload, size_t payload_bytes, size_t count,
                                         const struct gs_array_args *args);

#endif

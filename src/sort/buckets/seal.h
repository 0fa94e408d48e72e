// SPDX-License-Identifier: BSD-2-Clause
/* seal.h - after the last key: make every bucket small enough, and list all as parts */
#ifndef GS_BUCKETS_SEAL_H
#define GS_BUCKETS_SEAL_H

#include <stddef.h>

struct gs_buckets;

/**
 * No more keys: list the parts.  Divides buckets that are too large with a team of THREADS, no more
 * than gs_buckets_init() was told.
 *
 * @return  how many parts there are
 */
size_t gs_buckets_seal(struct gs_buckets *buckets, unsigned threads);

#endif

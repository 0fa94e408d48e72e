// SPDX-License-Identifier: BSD-2-Clause
/* sample.h - some keys of a chain of blocks */
#ifndef GS_BUCKETS_SAMPLE_H
#define GS_BUCKETS_SAMPLE_H

#include <stddef.h>

struct gs_buckets;
struct gs_chain;

/** Copy keys of CHAIN, evenly spaced, to SAMPLE, which has ROOM.  Returns how many: one at
 *  least, if the chain has keys. */
size_t gs_chain_sample(const struct gs_buckets *buckets, const struct gs_chain *chain,
                       void *sample, size_t room);

#endif

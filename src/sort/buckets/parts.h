// SPDX-License-Identifier: BSD-2-Clause
/* parts.h - the parts of a sealed set of buckets; each is sorted on its way out */
#ifndef GS_BUCKETS_PARTS_H
#define GS_BUCKETS_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct gs_buckets;

/* A part: keys AT .. AT + COUNT of all keys in order, at most PART_BYTES of them. */
struct gs_part {
	uint64_t at;
	size_t   count;
};

/** Part number PART, from 0. */
struct gs_part gs_buckets_part(const struct gs_buckets *buckets, size_t part);

/**
 * Sort part number PART into INTO; its blocks go back to the pool.  Any threads at once, each with
 * a RANK of its own, each part once.
 *
 * @into     room for its keys
 * @scratch  as large as INTO
 */
void gs_buckets_sort_part(struct gs_buckets *buckets, unsigned rank, size_t part, void *into,
                          void *scratch);

#endif

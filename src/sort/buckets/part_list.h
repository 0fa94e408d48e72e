// SPDX-License-Identifier: BSD-2-Clause
/*
 * part_list.h - lists of parts, made while a set of buckets is sealed
 *
 * Each list belongs to one thread at a time; any number of threads may append to lists of their
 * own.
 */
#ifndef GS_BUCKETS_PART_LIST_H
#define GS_BUCKETS_PART_LIST_H

#include <stdbool.h>

#include "sort/buckets/state.h"

/** Append a part of all keys of CHAIN, which is empty then, to LIST. */
void gs_parts_add(struct gs_buckets *buckets, struct gs_part_list *list, enum gs_part_kind kind,
                  uint64_t key, struct gs_chain *chain, size_t keys);

/**
 * Append a bucket that is small enough: as a part, or to the last part.
 *
 * @compact  fill blocks that are not full at once, since the bucket comes from another bucket
 */
void gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_part_list *list,
                         struct gs_bucket *bucket, bool compact);

/** Append a bucket whose keys are all KEY: parts without blocks. */
void gs_parts_add_equal(struct gs_buckets *buckets, struct gs_part_list *list,
                        struct gs_bucket *bucket, uint64_t key);

/** Append COUNT buckets in order, some of them divided, to LIST. */
void gs_parts_add_row(struct gs_buckets *buckets, struct gs_part_list *list,
                      struct gs_bucket *bucket, unsigned count, bool compact);

/** Number the parts in their order.  Returns how many keys are in them. */
uint64_t gs_parts_number(struct gs_buckets *buckets, const struct gs_part_list *list);

#endif

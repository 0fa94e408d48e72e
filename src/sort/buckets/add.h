// SPDX-License-Identifier: BSD-2-Clause
/*
 * add.h - while keys come: buffer them as they are, or scatter them to bins
 *
 * The first two functions are for everybody, the gs_adder_*() for buckets.c and seal.c.
 */
#ifndef GS_BUCKETS_ADD_H
#define GS_BUCKETS_ADD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_adder;
struct gs_binner;
struct gs_buckets;
struct gs_chain;

/**
 * Add COUNT keys; they are copied.  Any number of threads at once, each with a RANK of its own.
 *
 * @sequence  from 0, consecutive for keys that follow each other in the input; only shows that all
 *            input is in order already
 * @return    false: the pool is full, and none of the keys was added; callers avoid it by
 *            gs_buckets_fit()
 */
bool gs_buckets_add(struct gs_buckets *buckets, unsigned rank, uint64_t sequence, const void *keys,
                    size_t count);

/**
 * Bytes of keys that can surely be added before the pool is full: by all threads together, to
 * whichever key class of the pool.
 */
size_t gs_buckets_fit(const struct gs_buckets *buckets);

/** End the open fragment of a thread.  The caller holds the lock, or no other thread adds. */
void gs_adder_close_fragment(struct gs_buckets *buckets, struct gs_adder *thread);

/** Make the binner from what was buffered, and scatter from now on.  The lock: as above. */
void gs_adder_begin_scatter(struct gs_buckets *buckets);

/** Scatter all of CHAIN, which is empty then; its blocks are the thread's. */
void gs_adder_scatter(struct gs_buckets *buckets, struct gs_adder *thread,
                      const struct gs_binner *binner, struct gs_chain *chain);

/** Scatter one of the fragments; false: there is none. */
bool gs_adder_scatter_fragment(struct gs_buckets *buckets, struct gs_adder *thread);

/** Write the lines of a thread's BINS to blocks. */
void gs_adder_flush(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bins);

#endif

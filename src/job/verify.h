// SPDX-License-Identifier: BSD-2-Clause
/*
 * verify.h - proof that the output is the input, in order
 *
 * Keys are hashed as they arrive and as they leave; sums of hashes do not depend on
 * the order.  What leaves must ascend, and count and sum must agree.  The idea is
 * valsort's (sortbenchmark.org).
 */
#ifndef GS_VERIFY_H
#define GS_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/tile.h"

struct gs_verify {
	bool     on;
	uint64_t keys_in, keys_out;
	uint64_t sum_in, sum_out;
	bool     any;			/* a key has left */
	unsigned stream;		/* the last one that left */
	uint64_t last;
	bool     disorder;
};

/** Note COUNT keys of STREAM that have arrived, in any order, with all threads. */
void gs_verify_in(struct gs_verify *verify, unsigned stream, unsigned key_bits,
                  const void *keys, size_t count);

/** Note that each of the keys FIRST, FIRST + 1 ... came BINS[i] times. */
void gs_verify_in_counts(struct gs_verify *verify, unsigned stream, uint64_t first,
                         const uint64_t *bins, size_t bin_count);

/** Note a sorted span that leaves, before anything is selected from it. */
void gs_verify_out(struct gs_verify *verify, const struct gs_span *span);

/** All has left: GS_OK, or GS_EDEVICE: "the result is wrong: ..." */
MUST_CHECK gs_status gs_verify_end(const struct gs_verify *verify);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * verify.h - is the output the input, in order?
 *
 * Keys and items are hashed when they arrive and when they leave; sums of hashes do not depend on the
 * order (sort/checksum.h).  Keys that leave must ascend, unless any_order, and number and sum must agree.
 */
#ifndef GS_OUTPUT_VERIFY_H
#define GS_OUTPUT_VERIFY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine.h"
#include "gsort.h"
#include "sort/count.h"
#include "sort/items/items.h"
#include "sort/span.h"

/* The number, the sum and the ends of the sorted keys in a span, or in adjacent spans. */
struct gs_span_digest {
	uint64_t keys, sum, first, last;
	unsigned first_class, last_class;
	bool     falls;
};

struct gs_verify {
	bool     on;
	bool     order_alone;		/* only the order is checked: some keys do not leave */
	bool     any_order;		/* the order is not checked: a merge trusts its inputs */
	bool     descending_classes;
	unsigned threads;

	const struct gs_item_order *order;	/* how items compare; NULL: keys */
	struct gs_item_digest items;	/* the items that have left */
	struct gs_taker taker;		/* its look() is called after ours */

	_Atomic uint64_t keys_in, sum_in;	/* all that has arrived; items are not counted */
	struct gs_span_digest out;	/* all that has left, noted by one thread; items are not counted */
};

/** Begin; OPTIONS say what is verified.  ORDER compares items, and is borrowed; NULL: there are keys. */
void gs_verify_open(struct gs_verify *verify, const struct gsort_options *options,
                    const struct gs_item_order *order, unsigned threads);

/* The functions that follow do nothing unless verification is on, but for gs_span_digest(). */

/** Note a piece that has arrived; any thread, in any order. */
void gs_verify_in(struct gs_verify *verify, const struct gs_piece *piece);

/** Note every piece that TAKER takes from now on. */
void gs_verify_watch(struct gs_verify *verify, struct gs_taker *taker);

/** Note the keys that COUNT has counted; a key leaves as its bin XOR FLIP. */
void gs_verify_in_counts(struct gs_verify *verify, const struct gs_count *count, uint64_t flip);

/** Note a sorted span that is about to leave, before keys are selected from it. */
void gs_verify_out(struct gs_verify *verify, const struct gs_span *span);

/** The digest of SPAN, whether or not keys are verified.  ORDERED: check the order, too, and set FALLS. */
struct gs_span_digest gs_span_digest(unsigned threads, const struct gs_span *span, bool ordered);

/* gs_verify_out() in two steps: any thread computes the digest of a span, with THREADS ... */
void gs_verify_digest(const struct gs_verify *verify, unsigned threads, const struct gs_span *span,
                      struct gs_span_digest *digest);

/** ... and one thread at a time, in order, adds it to ALL: verify.out, or the digest of the spans before it,
 *  which may be empty. */
void gs_verify_join(const struct gs_verify *verify, struct gs_span_digest *all,
                    const struct gs_span_digest *next);

/** All items have left; the items that DIGEST points to are borrowed. */
void gs_verify_out_items(struct gs_verify *verify, const struct gs_item_digest *digest);

/** All elements have left.  Returns GS_OK; GS_EDEVICE: "the result is wrong: ..." */
MUST_CHECK gs_status gs_verify_end(const struct gs_verify *verify);

#endif

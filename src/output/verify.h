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

/* The sorted keys of a span, or of adjacent spans. */
struct gs_span_digest {
	uint64_t keys, sum, first, last;
	unsigned first_class, last_class;
	bool     falls;
};

struct gs_verify {
	bool     on;
	bool     order_alone;		/* not all keys that came will leave */
	bool     any_order;		/* a merge whose inputs may be unsorted */
	bool     descending_classes;
	unsigned threads;

	const struct gs_item_order *order;	/* of items; NULL: keys */
	struct gs_item_digest items;	/* that have left; of keys nothing */
	struct gs_taker taker;		/* whose look() comes after ours */

	_Atomic uint64_t keys_in, sum_in;	/* keys: of items only the sum */
	struct gs_span_digest out;	/* all that has left, noted by one thread; of items no number */
};

/** Begin; OPTIONS say how much is verified.  Items are of ORDER, which is borrowed; NULL: there are keys. */
void gs_verify_open(struct gs_verify *verify, const struct gsort_options *options,
                    const struct gs_item_order *order, unsigned threads);

/* The functions that follow do nothing unless verification is on, but for gs_span_digest(). */

/** Note a piece that has arrived; any thread, in any order. */
void gs_verify_in(struct gs_verify *verify, const struct gs_piece *piece);

/** The same of all pieces that TAKER takes from now on. */
void gs_verify_watch(struct gs_verify *verify, struct gs_taker *taker);

/** Note all that is in COUNT, whose bins are the keys' that leave after XOR with FLIP. */
void gs_verify_in_counts(struct gs_verify *verify, const struct gs_count *count, uint64_t flip);

/** Note a sorted span of keys that leaves, before anything is selected from it. */
void gs_verify_out(struct gs_verify *verify, const struct gs_span *span);

/** What SPAN has, whether or not keys are verified.  ORDERED: see whether they fall; else FALLS is false. */
struct gs_span_digest gs_span_digest(unsigned threads, const struct gs_span *span, bool ordered);

/* gs_verify_out() in two steps: any thread computes the digest of a span, with THREADS ... */
void gs_verify_digest(const struct gs_verify *verify, unsigned threads, const struct gs_span *span,
                      struct gs_span_digest *digest);

/** ... and one at a time, in order, adds it to verify.out, or to the digest of adjacent spans: ALL, whose
 *  keys may be 0. */
void gs_verify_join(const struct gs_verify *verify, struct gs_span_digest *all,
                    const struct gs_span_digest *next);

/** All items have left; DIGEST's are borrowed. */
void gs_verify_out_items(struct gs_verify *verify, const struct gs_item_digest *digest);

/** All has left: GS_OK, or GS_EDEVICE: "the result is wrong: ..." */
MUST_CHECK gs_status gs_verify_end(const struct gs_verify *verify);

#endif

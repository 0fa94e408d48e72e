// SPDX-License-Identifier: BSD-2-Clause
/*
 * order.h - is an input in order, and if not, where?
 *
 * For checking and merging.  Keys are ordered bits, so order is ascending whatever the options
 * say.
 */
#ifndef GS_STAGES_ORDER_H
#define GS_STAGES_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/encode.h"
#include "gsort.h"

/* What follows the message about disorder in a merge. */
#define GS_ADVICE_UNSORTED	": merging needs sorted inputs; sort it, or use --nocheck-order"

/* The keys of one input that have been compared. */
struct gs_order {
	const char *name;	/* of the input */
	unsigned    key_bits;	/* 8 .. 64; 0: text */
	bool        strict;	/* equal keys are out of order, too */
	bool        counts_breaks;	/* count keys that are out of order, do not stop */
	unsigned    threads;	/* that compare binary keys; 0: the caller's */
	uint64_t    keys;	/* so far */
	uint64_t    last;	/* of them */
	unsigned    last_class;	/* text: its class */
	uint64_t    breaks;	/* keys less than the one before */
	uint64_t    duplicates;	/* and equal to it */
};

/**
 * Compare the next COUNT keys of a binary input, with all threads if there are many.
 *
 * @return  the index of the first key out of order; COUNT: there is none, or breaks are counted
 */
size_t gs_order_follow(struct gs_order *order, const void *keys, size_t count);

/** The same for text, whose keys compare by (class, key). */
size_t gs_order_follow_text(struct gs_order *order, const uint8_t *classes, const uint64_t *keys,
                            size_t count);

/**
 * The error for a binary key that is out of order: "f.bin:3: disorder: 2 (byte 8)", and TAIL.
 *
 * @number      of the key in its input, from 1
 * @key         its ordered bits; ENCODING says how to print it
 * @skip_bytes  before the first key
 * @return      GS_EINPUT
 */
gs_status gs_order_fail(const struct gs_order *order, const struct gs_encoding *encoding,
                        uint64_t number, const void *key, uint64_t skip_bytes, const char *tail);

/** The same for text: "f:3: disorder: LINE".  LINE begins BYTES before the end of what was read. */
gs_status gs_order_fail_text(const struct gs_order *order, uint64_t number, const char *line,
                             size_t bytes, char terminator, const char *tail);

/** The error for a binary input that has BYTES after options.skip_bytes, which are no whole keys. */
gs_status gs_order_partial(const struct gsort_options *options, const char *name, uint64_t bytes);

#endif

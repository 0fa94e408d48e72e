// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitters.h - which of several owners a key belongs to
 *
 * Owners have adjacent ranges of the order, of about equal weight in a sample.  A key that is a
 * large part of all keys would make its owner's share too large; but equal keys are
 * interchangeable.  So a key that ends one owner's range and begins another's is shared out among
 * them, in proportion to the part of the sample that each would get.  If equal keys must stay
 * together, all of them go to the first of these owners.
 *
 * Imbalance of the largest share, from a random sample of S keys and P owners: a share has S / P
 * keys of the sample, so its size is off by sqrt(P / S), one standard deviation; with S / P =
 * 16384 it is above 1.05 once in 10^6 jobs (Chernoff).  A stratified sample, one key from each of S
 * equal pieces of the input, is not worse, and exact for sorted input.
 */
#ifndef GS_SPLITTERS_H
#define GS_SPLITTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/span.h"

/* A key of a sample. */
struct gs_sampled {
	uint64_t key;
	uint64_t weight : 56;	/* how often it occurs */
	uint64_t place : 8;	/* of its key class in the output, from 0 */
};

#define GS_SAMPLED_MOST	((UINT64_C(1) << 56) - 1)	/* weight */

/* A key at which an owner's range ends. */
struct gs_splitter {
	uint64_t key;
	unsigned place;
	uint64_t from, to;		/* the positions in the sample of keys that are equal to it */
	_Atomic uint64_t turn;		/* how many of them have been shared out */
};

struct gs_splitters {
	unsigned owners;
	uint64_t total;			/* weight of the sample */
	bool     together;		/* equal keys have one owner */
	bool     descending_classes;
	unsigned count;			/* less than OWNERS */
	struct gs_splitter *list;	/* in order */
	unsigned *between;		/* the owner of keys before splitter I, and of those after all */
	unsigned first[GS_CLASSES + 1];	/* of the splitters, by place */
	uint64_t *keys;			/* of the list: searched for each key */
};

/**
 * Choose splitters for OWNERS.
 *
 * @sample  COUNT keys, in order of (place, key); equal ones may be repeated
 * @seed    of the order in which equal keys are shared out: the rank of the caller
 * @return  GS_OK; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status
gs_splitters_make(struct gs_splitters *splitters, const struct gs_sampled *sample, size_t count,
                  unsigned owners, unsigned seed, bool together, bool descending_classes);

/** What gs_splitters_divide() works in: for a piece of at most PIECE_BYTES. */
size_t gs_splitters_scratch_bytes(unsigned owners, size_t piece_bytes);

/**
 * Divide COUNT keys by owner; any thread, each with a SCRATCH of its own, aligned to 64 bytes.
 *
 * @keys    of KEY_BITS, 32 or 64; lost
 * @ends    OWNERS entries: the keys of owner O are from number ENDS[O - 1] (0 for owner 0) to
 *          before ENDS[O]
 * @return  the keys, divided: at KEYS, or in SCRATCH
 *
 * O(COUNT * log(OWNERS)).
 */
void *gs_splitters_divide(struct gs_splitters *splitters, unsigned key_class, unsigned key_bits,
                          void *keys, size_t count, void *scratch, size_t *ends);

/** The first and last owner of keys equal to KEY. */
void gs_splitters_owners(const struct gs_splitters *splitters, unsigned key_class, uint64_t key,
                         unsigned *first, unsigned *last);

/** How many of TIMES keys equal to KEY OWNER gets, if all of them are shared out at once. */
uint64_t gs_splitters_share(const struct gs_splitters *splitters, unsigned key_class, uint64_t key,
                            uint64_t times, unsigned owner);

/** A zeroed struct is allowed. */
void gs_splitters_close(struct gs_splitters *splitters);

#endif

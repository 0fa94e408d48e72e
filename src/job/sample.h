// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample.h - a sample of the keys of all ranks, and from it the splitters
 *
 * A rank divides its parts of the inputs into as many pieces as it takes keys, and takes a random
 * one from each piece (a stratified sample).  So sorted input is sampled as well as any other.
 */
#ifndef GS_SAMPLE_KEYS_H
#define GS_SAMPLE_KEYS_H

#include <stddef.h>

#include "base/status.h"
#include "format/line_order.h"
#include "gsort.h"
#include "job/parts.h"
#include "net/ranks.h"
#include "sort/count.h"
#include "sort/splitters.h"

/* Some keys of this rank; zeroed at first. */
struct gs_sample {
	struct gs_sampled *keys;
	size_t             count, room;
};

/** How many keys each of RANKS takes: 16384, so that no share is larger than 1.05 of the mean, but
 *  for one job in 10^6; less if there are more than 256 ranks (at 4096, 1024 keys and 1.2). */
size_t gs_sample_wanted(unsigned ranks);

/** Add a key of a place (see splitters.h) that occurs WEIGHT times.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_sample_add(struct gs_sample *sample, unsigned place, uint64_t key, uint64_t weight);

/** Add the binary key of OPTIONS that is at KEY, as it is in a file. */
MUST_CHECK gs_status gs_sample_add_raw(struct gs_sample *sample, const struct gsort_options *options,
                                       const char *key);

/** Take COUNT keys of the parts that have ranges; keys are as the ingest stage makes them. */
MUST_CHECK gs_status
gs_sample_parts(struct gs_sample *sample, const struct gs_parts *parts,
                const struct gsort_options *options, bool merge_zeros, size_t count);

/**
 * Take COUNT items of the parts that have ranges.
 *
 * @items       set to them, one after the other, to be freed: BYTES; may be NULL
 * @item_bytes  of a record; 0: lines, which end as ORDER says
 * @room        for each, at least ITEM_BYTES; longer lines are left out
 */
MUST_CHECK gs_status
gs_sample_items(char **items, size_t *bytes, const struct gs_parts *parts,
                const struct gsort_options *options, size_t item_bytes,
                const struct gs_line_order *order, size_t room, size_t count);

/** Add all bins of a histogram; FLIP: see gs_verify_in_counts(). */
MUST_CHECK gs_status
gs_sample_histogram(struct gs_sample *sample, const struct gs_count *histogram, uint64_t flip,
                    bool descending_classes);

/** Collect the samples of all ranks, and make the same splitters on each; collective. */
MUST_CHECK gs_status
gs_sample_split(struct gs_sample *sample, struct gs_ranks *ranks, bool together,
                bool descending_classes, struct gs_splitters *splitters);

/** The same without the samples of others, since this is all of them. */
MUST_CHECK gs_status
gs_sample_split_alone(struct gs_sample *sample, const struct gs_ranks *ranks, bool together,
                      bool descending_classes, struct gs_splitters *splitters);

void gs_sample_close(struct gs_sample *sample);

#endif

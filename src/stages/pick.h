// SPDX-License-Identifier: BSD-2-Clause
/*
 * pick.h - write keys by their rank: the last K, or a random sample
 *
 * The rank of a key is how many keys are written before it if all are.  Which ranks are wanted is
 * known before the first key is drained, so spans without any need not even be sorted.
 */
#ifndef GS_STAGES_PICK_H
#define GS_STAGES_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "sort/span.h"

struct gs_pick {
	bool      on;		/* some keys are left out */
	uint64_t  from;		/* the tail: ranks from here on; else: */
	uint64_t *ranks;	/* the sample: ascending; NULL: none */
	size_t    rank_count;
};

/** Memory for the ranks of a sample of at most KEYS keys. */
uint64_t gs_pick_bytes(const struct gsort_options *options, uint64_t keys);

/** Begin: KEYS come in all.  GS_EBUDGET: no memory for the ranks of a sample. */
MUST_CHECK gs_status
gs_pick_open(struct gs_pick *pick, const struct gsort_options *options, uint64_t keys);

/** How many of the ranks AT .. AT + COUNT are wanted; any thread.  O(log ranks). */
uint64_t gs_pick_count(const struct gs_pick *pick, uint64_t at, uint64_t count);

/** Keep the wanted keys of SPAN, in place; its first key has rank AT.  Any thread. */
void gs_pick_span(const struct gs_pick *pick, uint64_t at, struct gs_span *span);

/** A zeroed struct is allowed. */
void gs_pick_close(struct gs_pick *pick);

#endif

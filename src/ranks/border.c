// SPDX-License-Identifier: BSD-2-Clause
/*
 * border.c - is the output of all ranks their input, and that of each behind that of the rank before it?
 *
 * In:   what each rank has read and written; the first and the last key or item of each.
 * Out:  the answer.
 */
#include <stdlib.h>

#include "ranks/ranked.h"

/* ---- items ------------------------------------------------------------------------------ */

gs_status
gs_border_check_items(struct gs_ranks *ranks, const struct gs_item_order *order,
                      const struct gs_item_digest *ends)
{
	const bool any = ends->first != NULL;
	struct gs_collected before;
	gs_status status = gs_ranks_collect(ranks, GS_OK, ends->last, any ? ends->last_bytes : 0,
	                                    GS_COLLECT_BEFORE, &before);

	if (status == GS_OK && any && before.bytes > 0 &&
	    gs_item_compare(order, 0, before.data, before.bytes, ends->first, ends->first_bytes) > 0)
		status = gs_fail(GS_EDEVICE, "the result is wrong: it is not in order where rank %u begins",
		                 ranks->rank);
	gs_collected_close(&before);
	return gs_ranks_agree(ranks, status);
}

/* ---- keys ------------------------------------------------------------------------------- */

/* The first and the last key of a rank. */
struct ends {
	uint64_t any, first_class, first, last_class, last;
};

static bool
follows(const struct gs_verify *verify, const struct ends *before, const struct ends *after)
{
	if (before->last_class == after->first_class)
		return before->last <= after->first;
	return (before->last_class < after->first_class) != verify->descending_classes;
}

/* Are the keys of each rank behind those of the ranks before it?  *FALLS: how often they are not. */
static gs_status
check_keys(const struct gs_verify *verify, struct gs_ranks *ranks, uint64_t *falls)
{
	const struct ends mine = {
		verify->any, verify->first_class, verify->first, verify->key_class, verify->last,
	};
	struct ends *all;
	gs_status status = gs_ranks_gather_new(ranks, &mine, sizeof mine, &all);

	for (unsigned r = 1, last = 0; status == GS_OK && r < ranks->size; r++) {
		if (!all[r].any)
			continue;
		if (all[last].any && !follows(verify, &all[last], &all[r]))
			++*falls;
		last = r;
	}
	free(all);
	return status;
}

/* ---- either ------------------------------------------------------------------------------ */

gs_status
gs_border_verify(struct gs_ranks *ranks, struct gs_verify *verify)
{
	uint64_t sums[] = {
		verify->keys_in, verify->sum_in, verify->keys_out, verify->sum_out, verify->disorder,
	};

	if (!verify->on)
		return GS_OK;
	TRY(check_keys(verify, ranks, &sums[4]));
	TRY(gs_border_check_items(ranks, verify->order, &verify->items));
	TRY(gs_ranks_sum(ranks, sums, sizeof sums / sizeof sums[0]));
	verify->keys_in = sums[0];
	verify->sum_in = sums[1];
	verify->keys_out = sums[2];
	verify->sum_out = sums[3];
	verify->disorder = sums[4] > 0;
	return gs_ranks_agree(ranks, gs_verify_end(verify));
}

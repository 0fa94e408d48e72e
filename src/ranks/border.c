// SPDX-License-Identifier: BSD-2-Clause
/*
 * border.c - is the output of all ranks their input, and does each output follow the one of the rank before?
 *
 * In:   what each rank has read and written; the first and the last key or item of each.
 * Out:  the answer.
 */
#include <stdlib.h>

#include "ranks/rank_job.h"

gs_status
gs_border_verify(struct gs_ranks *ranks, struct gs_verify *verify)
{
	const struct gs_item_digest *items = &verify->items;
	struct part {
		struct gs_span_digest out;
		uint64_t last_bytes;	/* of items, its last one; or 0 */
	} mine = { verify->out, items->first != NULL ? items->last_bytes : 0 }, *parts;
	struct gs_span_digest joined = { .keys = 0 };
	struct gs_collected before;
	unsigned to = ranks->rank;
	gs_status status;
	uint64_t sums[] = {
		verify->keys_in, verify->sum_in, verify->out.keys, verify->out.sum, verify->out.falls,
	};

	if (!verify->on)
		return GS_OK;
	/* do the keys of each rank follow the keys of the ranks before it? */
	TRY(gs_ranks_gather_new(ranks, &mine, sizeof mine, &parts));
	for (unsigned r = 0; r < ranks->size; r++)
		gs_verify_join(verify, &joined, &parts[r].out);
	sums[4] += joined.falls;
	/* is the first item of each rank behind the last one before it, whatever rank has that? */
	while (to > 0 && parts[to - 1].last_bytes == 0)
		to--;
	free(parts);
	status = gs_ranks_collect(ranks, GS_OK, items->last, mine.last_bytes, to - (to > 0), to, &before);
	if (status == GS_OK && items->first != NULL && before.bytes > 0 &&
	    gs_item_compare(verify->order, 0, before.data, before.bytes, items->first,
	                    items->first_bytes) > 0)
		status = gs_fail(GS_EDEVICE, "the result is wrong: it is not in order where rank %u begins",
		                 ranks->rank);
	gs_collected_close(&before);
	TRY(gs_ranks_agree(ranks, status));
	TRY(gs_ranks_sum(ranks, sums, sizeof sums / sizeof sums[0]));
	verify->keys_in = sums[0];
	verify->sum_in = sums[1];
	verify->out.keys = sums[2];
	verify->out.sum = sums[3];
	verify->out.falls = sums[4] > 0;
	return gs_ranks_agree(ranks, gs_verify_end(verify));
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * border.c - is the output of all ranks their input, and that of each behind that of the rank before it?
 *
 * In:   what each rank has read and written; the first and the last key or item of each.
 * Out:  the answer.
 *
 * Last items go to all ranks, a piece of each at a time: most have one piece, and a large one takes no
 * more memory on all ranks than it has bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "job/ranked.h"

/* ---- items ------------------------------------------------------------------------------ */

enum { PIECE_BYTES = 4096 };

/* The last item before this rank. */
struct before {
	unsigned rank;		/* that has it */
	uint64_t bytes;		/* 0: there is none */
	char    *item;
	char    *pieces;	/* of all ranks */
};

/* Whose is it?  *MOST: the bytes of the largest one of all. */
static gs_status
find(struct gs_ranks *ranks, const struct gs_item_digest *ends, struct before *before, uint64_t *most)
{
	const uint64_t mine = ends->first != NULL ? ends->last_bytes : 0;
	uint64_t *bytes;
	gs_status status = gs_ranks_gather_new(ranks, &mine, sizeof mine, &bytes);

	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++) {
		*most = bytes[r] > *most ? bytes[r] : *most;
		if (r < ranks->rank && bytes[r] > 0) {
			before->rank = r;
			before->bytes = bytes[r];
		}
	}
	free(bytes);
	return status;
}

/* Collect it. */
static gs_status
collect(struct gs_ranks *ranks, const struct gs_item_digest *ends, struct before *before,
        uint64_t most)
{
	char piece[PIECE_BYTES] = { 0 };

	for (uint64_t at = 0; at < most; at += PIECE_BYTES) {
		const uint64_t own = ends->first != NULL && at < ends->last_bytes
		                     ? ends->last_bytes - at : 0;
		const uint64_t left = at < before->bytes ? before->bytes - at : 0;

		if (own > 0)
			memcpy(piece, ends->last + at, own < PIECE_BYTES ? own : PIECE_BYTES);
		TRY(gs_ranks_gather(ranks, piece, PIECE_BYTES, before->pieces));
		if (left > 0)
			memcpy(before->item + at, before->pieces + before->rank * (size_t)PIECE_BYTES,
			       left < PIECE_BYTES ? left : PIECE_BYTES);
	}
	return GS_OK;
}

gs_status
gs_border_check_items(struct gs_ranks *ranks, const struct gs_item_order *order,
                      const struct gs_item_digest *ends)
{
	struct before before = { .bytes = 0 };
	uint64_t most = 0;
	gs_status status;

	TRY(find(ranks, ends, &before, &most));
	status = gs_allocate(&before.item, before.bytes, 1, "bytes of an item");
	if (status == GS_OK)
		status = gs_allocate(&before.pieces, ranks->size, PIECE_BYTES, "ranks");
	status = gs_ranks_agree(ranks, status);
	if (status == GS_OK)
		status = collect(ranks, ends, &before, most);
	if (status == GS_OK && ends->first != NULL && before.bytes > 0 &&
	    gs_item_compare(order, 0, before.item, before.bytes, ends->first, ends->first_bytes) > 0)
		status = gs_fail(GS_EDEVICE, "the result is wrong: it is not in order where rank %u begins",
		                 ranks->rank);
	free(before.item);
	free(before.pieces);
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
	TRY(verify->order == NULL ? check_keys(verify, ranks, &sums[4])
	    : gs_border_check_items(ranks, verify->order, verify->items));
	TRY(gs_ranks_sum(ranks, sums, sizeof sums / sizeof sums[0]));
	verify->keys_in = sums[0];
	verify->sum_in = sums[1];
	verify->keys_out = sums[2];
	verify->sum_out = sums[3];
	verify->disorder = sums[4] > 0;
	return gs_ranks_agree(ranks, gs_verify_end(verify));
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_border.c - are the items of each rank behind those of the rank before it?
 *
 * In:   the first and the last item of each rank.
 * Out:  the answer.
 *
 * Last items go to all ranks, a piece of each at a time: most have one piece, and a large one takes no
 * more memory on all ranks than it has bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "job/item_border.h"

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
find(struct gs_ranks *ranks, const struct gs_item_ends *ends, struct before *before, uint64_t *most)
{
	const uint64_t mine = ends->first != NULL ? ends->last_bytes : 0;
	uint64_t *bytes = calloc(ranks->size, sizeof *bytes);
	gs_status status = bytes != NULL ? GS_OK
	                   : gs_fail(GS_EBUDGET, "no memory for %u ranks", ranks->size);

	if (status == GS_OK)
		status = gs_ranks_gather(ranks, &mine, sizeof mine, bytes);
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
collect(struct gs_ranks *ranks, const struct gs_item_ends *ends, struct before *before,
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
gs_item_border_check(struct gs_ranks *ranks, const struct gs_item_order *order,
                     const struct gs_item_ends *ends)
{
	struct before before = { .bytes = 0 };
	uint64_t most = 0;
	gs_status status;

	TRY(find(ranks, ends, &before, &most));
	before.item = malloc(before.bytes + 1);
	before.pieces = malloc((size_t)ranks->size * PIECE_BYTES);
	status = gs_ranks_agree(ranks, before.item != NULL && before.pieces != NULL ? GS_OK
	                        : gs_fail(GS_EBUDGET, "no memory for the items of %u ranks",
	                                  ranks->size));
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

// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows.c - where rows of CSV begin in the share of a rank
 *
 * In:   files, and where they are cut.
 * Out:  behind each cut the first row that begins there.
 *
 * Only bytes before a cut tell whether it is between quotes.  So each rank reads the bytes behind its cut
 * three times at once, once for each place of a row that the cut may be in, until they are one; then ranks
 * tell each other in which place each reading ends, and each follows the one that is right from the first
 * cut on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/round.h"
#include "ranks/rank_job.h"

enum { PLACES = 3, CHUNK_BYTES = 64 << 10 };

static const struct gs_line_place place_of[PLACES] = {
	{ true, false }, { false, true }, { false, false },
};

/* What one rank has found, by the place of its cut. */
struct found {
	uint64_t first[PLACES];		/* row that begins behind it, before the next cut; 0: none */
	uint64_t ends[PLACES];		/* the place of the next cut */
};

/* All readings of some bytes. */
struct scan {
	const struct gs_line_order *order;
	struct gs_line_place place[PLACES];
	unsigned as[PLACES];		/* from here on it is the same as this one, or itself */
	uint64_t first[PLACES], last;	/* rows; the last one of any reading */
	uint64_t count;			/* of ends found: rows, where one reads */
};

/* Read DATA .. END, which is at AT of the file. */
static void
scan_bytes(struct scan *scan, const char *data, const char *end, uint64_t at)
{
	bool whole;

	for (unsigned p = 0; p < PLACES; p++) {
		if (scan->as[p] != p)
			continue;
		for (const char *byte = data; byte < end;) {
			byte = gs_line_end_within(scan->order, byte, end, &scan->place[p], &whole);
			if (!whole)
				break;
			scan->count++;
			scan->last = at + (uint64_t)(byte - data);
			if (scan->first[p] == 0)
				scan->first[p] = scan->last;
		}
		for (unsigned o = 0; o < p && scan->as[p] == p; o++) {
			const struct gs_line_place *one = &scan->place[o], *other = &scan->place[p];

			if (scan->as[o] == o && one->quoted == other->quoted &&
			    (one->quoted || one->opens == other->opens) &&
			    (scan->first[o] > 0) == (scan->first[p] > 0))
				scan->as[p] = o;
		}
	}
	for (unsigned p = 1; p < PLACES; p++) {		/* a reading that another became may become a third */
		scan->as[p] = scan->as[scan->as[p]];
		if (scan->first[p] == 0)
			scan->first[p] = scan->first[scan->as[p]];
	}
}

/* Read FROM .. TO of a file; SEEKS: only until all have found a row. */
static gs_status
scan_file(struct scan *scan, const char *name, uint64_t from, uint64_t to, bool seeks)
{
	size_t got = 1;
	char *chunk;
	int fd = -1;
	gs_status status = gs_allocate(&chunk, CHUNK_BYTES, 1, "bytes");

	THEN(status, gs_open_to_read(name, &fd));
	for (uint64_t at = from; status == GS_OK && got > 0 && at < to; at += got) {
		if (seeks && scan->first[scan->as[0]] > 0 && scan->first[scan->as[1]] > 0 &&
		    scan->first[scan->as[2]] > 0)
			break;
		status = gs_read_file(name, fd, chunk, (size_t)gs_least(to - at, CHUNK_BYTES), at, &got);
		if (status == GS_OK) {
			const size_t mark = at == 0 && scan->order->fields.csv ? gs_line_mark(chunk, got) : 0;

			scan_bytes(scan, chunk + mark, chunk + got, at + mark);
		}
	}
	if (fd >= 0)
		close(fd);
	free(chunk);
	return status;
}

static void
open_scan(struct scan *scan, const struct gs_line_order *order)
{
	*scan = (struct scan){ .order = order };
	for (unsigned p = 0; p < PLACES; p++) {
		scan->place[p] = place_of[p];
		scan->as[p] = p;
	}
}

static void
note_ends(const struct scan *scan, struct found *found)
{
	for (unsigned p = 0; p < PLACES; p++) {
		const struct gs_line_place *place = &scan->place[scan->as[p]];

		found->ends[p] = place->quoted ? 0 : place->opens ? 1 : 2;
	}
}

/* What a rank finds between the cut where its share begins and the NEXT one. */
static gs_status
find(const struct gs_line_order *order, const struct gs_cut *cut, const struct gs_cut *next,
     struct found *found)
{
	const bool together = cut->file != NULL && cut->file == next->file;
	struct scan scan;
	gs_status status;
	char byte = 0;
	size_t got;
	int fd;

	*found = (struct found){ .ends = { 1, 1, 1 } };
	if (cut->file != NULL) {
		open_scan(&scan, order);
		TRY(gs_open_to_read(cut->file->name, &fd));
		status = gs_read_file(cut->file->name, fd, &byte, 1, cut->at - 1, &got);
		close(fd);
		TRY(status);
		if (got == 1 && byte == order->terminator)	/* of a row, if it is not between quotes */
			scan.first[1] = scan.first[2] = cut->at;
		TRY(scan_file(&scan, cut->file->name, cut->at, together ? next->at : cut->file->bytes,
		              !together));
		note_ends(&scan, found);
		memcpy(found->first, scan.first, sizeof found->first);
	}
	if (next->file == NULL || together)
		return GS_OK;
	open_scan(&scan, order);
	TRY(scan_file(&scan, next->file->name, next->file->header, next->at, false));
	note_ends(&scan, found);
	found->ends[0] = found->ends[2] = found->ends[1];	/* a row begins behind the header */
	return GS_OK;
}

gs_status
gs_rows_find(struct gs_ranks *ranks, const struct gs_line_order *order, const struct gs_cut *cuts,
             uint64_t *begins)
{
	struct found *all, mine = { .first = { 0 } };
	gs_status status = GS_NEW(all, ranks->size, "ranks");
	uint64_t place = 1;

	THEN(status, find(order, &cuts[ranks->rank], &cuts[ranks->rank + 1], &mine));
	status = gs_ranks_agree(ranks, status);
	THEN(status, gs_ranks_gather(ranks, &mine, sizeof mine, all));
	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++) {
		begins[r] = cuts[r].file == NULL ? cuts[r].at : all[r].first[place];
		place = all[r].ends[place];
	}
	free(all);
	begins[ranks->size] = cuts[ranks->size].at;
	for (unsigned r = ranks->size; r-- > 0;)	/* a row may be longer than a share */
		if (begins[r] == 0 && cuts[r].file != NULL)
			begins[r] = cuts[r + 1].file == cuts[r].file ? begins[r + 1] : cuts[r].file->bytes;
	return status;
}

gs_status
gs_rows_scan(const struct gs_line_order *order, const char *name, uint64_t from, uint64_t to, bool first,
             struct gs_rows *rows)
{
	struct scan scan;

	open_scan(&scan, order);
	scan.as[0] = scan.as[2] = 1;
	TRY(scan_file(&scan, name, from, to, first));
	rows->first = scan.first[1] > 0 ? scan.first[1] : to;
	rows->last = scan.last > 0 ? scan.last : from;
	rows->count = scan.count + (rows->last < to);
	return GS_OK;
}

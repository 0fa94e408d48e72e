// SPDX-License-Identifier: BSD-2-Clause
/*
 * slice.c - runs divided into slices of the output
 *
 * In:   sorted runs.
 * Out:  for each slice its range of each run, and the checksum of all its keys.
 *
 * Nothing that a GPU found is believed: cuts that go backwards are an error.  Whether a slice has
 * the right keys shows when it is sorted.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/round.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/runs.h"

/* A class that is being divided. */
struct slicer {
	const struct gs_gpu_division *division;
	unsigned                  key_class;
	const struct gs_gpu_run **runs;
	struct gs_gpu_cuts        cuts;
	uint64_t                 *positions;	/* where slices end, ... */
	size_t                   *strands;	/* ... and the strand of each */
	size_t                    room;
};

/* ---- where slices end -------------------------------------------------------------- */

/* For a class that is one run on a GPU. */
static bool
is_sorted(const struct slicer *slicer)
{
	return slicer->cuts.run_count == 1 && slicer->runs[0]->device != NULL;
}

/* The number of the first key behind STRAND. */
static uint64_t
end_of(const struct slicer *slicer, size_t strand)
{
	const struct gs_gpu_division *division = slicer->division;

	return strand + 1 < division->strands ? gs_least(division->strand_at[strand + 1],
	                                                 slicer->cuts.keys) : slicer->cuts.keys;
}

/* Positions in ascending order: strand by strand. */
static gs_status
set_ranks(struct slicer *slicer)
{
	const size_t strands = slicer->division->strands;
	const uint64_t step = is_sorted(slicer) && !slicer->division->by_strands ? slicer->cuts.keys
	                      : slicer->division->slice_bytes / (slicer->runs[0]->bits / 8);
	struct gs_gpu_cuts *cuts = &slicer->cuts;

	slicer->room = (size_t)(cuts->keys / step) + strands + 1;
	TRY(GS_NEW(slicer->positions, slicer->room, "positions"));
	TRY(GS_NEW(slicer->strands, slicer->room, "positions"));
	for (size_t strand = 0; strand < strands; strand++)
		for (uint64_t at = slicer->division->strand_at[strand]; at < end_of(slicer, strand);
		     at += step) {
			assert(cuts->count < slicer->room);
			slicer->strands[cuts->count] = strand;
			slicer->positions[cuts->count++] = gs_least(at + step, end_of(slicer, strand));
		}
	cuts->positions = slicer->positions;
	return GS_OK;
}

/* ---- slices ---------------------------------------------------------------------- */

/* The keys between cut number C - 1, or the beginning, and cut number C. */
static gs_status
add_slice(struct gs_gpu_slices *slices, const struct slicer *slicer, size_t c)
{
	const struct gs_gpu_cuts *cuts = &slicer->cuts;
	const size_t to = c * cuts->run_count;
	struct gs_gpu_slice *slice;

	TRY(GS_GROW(slices->list, &slices->room, slices->count + 1, "slices"));
	slice = &slices->list[slices->count++];
	*slice = (struct gs_gpu_slice){
		.key_class = slicer->key_class, .bits = slicer->runs[0]->bits,
		.at = c > 0 ? cuts->positions[c - 1] : 0, .strand = slicer->strands[c],
		.sorted = is_sorted(slicer),
	};
	TRY(GS_NEW(slice->pieces, cuts->run_count, "pieces of a slice"));
	for (size_t r = 0; r < cuts->run_count; r++) {
		const size_t from = c > 0 ? cuts->at[to - cuts->run_count + r] : 0;

		if (cuts->at[to + r] < from)
			return gs_gpu_wrong("it is out of order");
		if (cuts->at[to + r] == from)
			continue;
		slice->pieces[slice->piece_count++] = (struct gs_gpu_piece){
			.run = slicer->runs[r], .from = from, .count = cuts->at[to + r] - from,
		};
		slice->count += cuts->at[to + r] - from;
		slice->sum += cuts->sums[to + r] - (c > 0 ? cuts->sums[to - cuts->run_count + r] : 0);
	}
	return GS_OK;
}

/* Slices in the order in which they are sent. */
static gs_status
add_slices(struct gs_gpu_slices *slices, const struct slicer *slicer)
{
	const size_t strands = slicer->division->strands, added = slices->count;
	const struct gs_gpu_cuts *cuts = &slicer->cuts;
	size_t *next;	/* slice of each strand */
	gs_status status = GS_NEW(next, strands, "strands");

	for (size_t c = cuts->count; status == GS_OK && c > 0; c--)
		next[slicer->strands[c - 1]] = c - 1;
	while (status == GS_OK && slices->count - added < cuts->count)
		for (size_t strand = 0; status == GS_OK && strand < strands; strand++) {
			const size_t c = next[strand];

			if (c >= cuts->count || slicer->strands[c] != strand)
				continue;
			next[strand]++;
			status = add_slice(slices, slicer, c);
		}
	free(next);
	return status;
}

static gs_status
divide_class(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs, unsigned key_class,
             const struct gs_gpu_division *division)
{
	struct slicer slicer = { .division = division, .key_class = key_class };
	struct gs_gpu_cuts *cuts = &slicer.cuts;
	gs_status status = GS_NEW(slicer.runs, runs->count, "runs");

	for (size_t r = 0; status == GS_OK && r < runs->count; r++)
		if (runs->list[r].key_class == key_class) {
			slicer.runs[cuts->run_count++] = &runs->list[r];
			cuts->keys += runs->list[r].count;
		}
	cuts->runs = slicer.runs;
	if (cuts->run_count > 0) {
		THEN(status, set_ranks(&slicer));
		THEN(status, GS_NEW(cuts->at, cuts->count * cuts->run_count, "cuts"));
		THEN(status, GS_NEW(cuts->sums, cuts->count * cuts->run_count, "cuts"));
		THEN(status, gs_gpu_cut(cuts));
		THEN(status, add_slices(slices, &slicer));
	}
	free(slicer.runs);
	free(slicer.positions);
	free(slicer.strands);
	free(cuts->at);
	free(cuts->sums);
	return status;
}

gs_status
gs_gpu_slices_cut(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs,
                  const struct gs_gpu_division *division)
{
	if (runs->count == 0)
		return GS_OK;
	for (unsigned i = 0; i < GS_CLASSES; i++)
		TRY(divide_class(slices, runs, division->descending_classes ? GS_CLASSES - 1 - i : i,
		                 division));
	return GS_OK;
}

void
gs_gpu_slice_drop(const struct gs_gpu_slice *slice, struct gs_resident *resident)
{
	for (size_t p = 0; p < slice->piece_count; p++) {
		const struct gs_gpu_piece *piece = &slice->pieces[p];
		const size_t key_bytes = piece->run->bits / 8;

		if (piece->run->device == NULL)
			gs_resident_need(resident, piece->run->keys + piece->from * key_bytes,
			                 piece->count * key_bytes, false);
	}
}

void
gs_gpu_slices_reset(struct gs_gpu_slices *slices)
{
	for (size_t s = 0; s < slices->count; s++)
		free(slices->list[s].pieces);
	free(slices->list);
	*slices = (struct gs_gpu_slices){ .list = NULL };
}

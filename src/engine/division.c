// SPDX-License-Identifier: BSD-2-Clause
/*
 * division.c - items divided by one set of bounds
 *
 * In:   pieces of items.
 * Out:  rows in memory, or extents of temporary files.
 *
 * Rows and their tables of bins are allocated one after the other from one memory, so the only overhead
 * is the tables: 4 bytes for each row and bin.  If memory allows, each thread has its own range of
 * addresses, because threads that touch the same new huge page at the same time all clear it.
 *
 * With --head=K, items are dropped as they arrive if the bins before theirs already have K items.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "engine/item_store.h"
#include "sort/items/items.h"

/* Rows begin at a line of cache. */
enum { ROW_ALIGN = 64 };

static size_t
row_bytes(const struct gs_division *division)
{
	return sizeof(struct gs_item_row) + (division->bins->count + 1) * sizeof(uint32_t) +
	       2 * ROW_ALIGN;
}

/* ---- memory -------------------------------------------------------------------- */

/* What a thread fills.  Not tuned. */
#define STRIPE_LEAST_BYTES	((size_t)4 << 20)

gs_status
gs_division_map(struct gs_division *division, size_t bytes, unsigned stripes)
{
	const size_t stripe = gs_arena_round(bytes);
	const size_t rows_most = bytes / 512 + 1024;	/* rows of less have tables that need as much */
	const size_t rows = rows_most * sizeof(struct gs_item_row *);

	assert(division->row_count == 0);
	gs_arena_close(&division->arena);
	division->memory_bytes = division->limit_bytes = bytes;
	division->rows_most = rows_most;
	TRY(gs_arena_open(&division->arena, stripes * stripe + gs_arena_round(rows), true));
	division->memory = gs_arena_take(&division->arena, (stripes - 1) * stripe + bytes);
	division->rows = gs_arena_take_sparse(&division->arena, rows);
	division->stripe_bytes = stripes > 1 ? stripe : 0;
	return GS_OK;
}

gs_status
gs_division_open(struct gs_division **made, struct gs_division_shared *shared, size_t bytes)
{
	const bool striped = shared->striped && bytes / shared->threads >= STRIPE_LEAST_BYTES;
	struct gs_division *division;

	TRY(GS_NEW(division, 1, "division of items"));
	division->shared = shared;
	division->items = calloc((size_t)shared->threads * GS_ITEM_BINS_MOST,
	                         sizeof *division->items);
	division->bytes = calloc((size_t)shared->threads * GS_ITEM_BINS_MOST,
	                         sizeof *division->bytes);
	division->bins = calloc(1, sizeof *division->bins);
	division->taken = calloc(shared->threads, sizeof *division->taken);
	if (division->items == NULL || division->bytes == NULL || division->bins == NULL ||
	    division->taken == NULL ||
	    ((!striped || gs_division_map(division, bytes, shared->threads) != GS_OK) &&
	     gs_division_map(division, bytes, 1) != GS_OK)) {
		gs_division_close(division);
		return gs_fail(GS_EBUDGET, "cannot reserve %zu MiB of memory", bytes >> 20);
	}
	*made = division;
	return GS_OK;
}

size_t
gs_division_room(const struct gs_division *division, size_t small)
{
	const size_t piece_bytes = division->shared->piece_bytes, row = row_bytes(division);
	const size_t rows_left = division->rows_most - division->row_count;
	const size_t used = atomic_load(&division->used);
	size_t left = division->limit_bytes > used ? division->limit_bytes - used : 0;

	if (rows_left < small || left < small * row)
		return 0;
	left -= small * row;
	left = left / (piece_bytes + 2 * row) * piece_bytes;	/* some are half as large */
	if (left / piece_bytes > (rows_left - small) / 2)
		left = (rows_left - small) / 2 * piece_bytes;
	return left;
}

void
gs_division_drop_extents(struct gs_division *division, unsigned bin)
{
	free(division->extents[bin].list);
	division->extents[bin] = (struct gs_item_extents){ .list = NULL };
}

void
gs_division_drop_bins(struct gs_division *division)
{
	if (division->bins != NULL)
		gs_item_bins_close(division->bins);
	free(division->bins);
	free(division->items);
	free(division->bytes);
	division->bins = NULL;
	division->items = division->bytes = NULL;
}

void
gs_division_close(struct gs_division *division)
{
	if (division == NULL)
		return;
	for (unsigned b = 0; division->extents != NULL && b < division->bin_count; b++)
		gs_division_drop_extents(division, b);
	free(division->extents);
	free(division->spares);
	free(division->taken);
	gs_division_drop_bins(division);
	gs_arena_close(&division->arena);
	free(division);
}

static void
forget(const struct gs_item_slice *slice)
{
	enum { PAGE = 4096 };
	const uintptr_t from = ((uintptr_t)slice->data + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	const uintptr_t to = ((uintptr_t)slice->data + slice->bytes) & ~(uintptr_t)(PAGE - 1);

	if (from < to)
		gs_arena_forget((void *)from, to - from);
}

void
gs_division_spare(struct gs_division *division, unsigned worker, const struct gs_item_slice *slice)
{
	struct gs_item_slice *spare = division->spares != NULL ? &division->spares[worker] : NULL;

	if (spare == NULL || spare->bytes >= slice->bytes) {
		forget(slice);
		return;
	}
	forget(spare);
	*spare = *slice;
}

void
gs_division_drop_spares(struct gs_division *division)
{
	for (unsigned t = 0; division->spares != NULL && t < division->shared->threads; t++)
		forget(&division->spares[t]);
	free(division->spares);
	division->spares = NULL;
}

/* ---- adding ---------------------------------------------------------------------- */

/* Take memory for a row of BYTES. */
static struct gs_item_row *
take_row(struct gs_division *division, unsigned worker, size_t bytes)
{
	struct gs_item_slice *spare = division->spares != NULL ? &division->spares[worker] : NULL;
	const bool reuses = spare != NULL && bytes <= spare->bytes;
	const size_t tables = row_bytes(division), fresh = tables + (reuses ? 0 : bytes);
	const size_t taken = (fresh + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
	const size_t used = atomic_fetch_add(&division->used, taken);
	char *at = division->memory + (division->stripe_bytes == 0 ? used : worker * division->stripe_bytes +
	                                                                    division->taken[worker]);
	struct gs_item_row *row = (struct gs_item_row *)(void *)at;

	assert(used + taken <= division->memory_bytes);
	division->taken[worker] += taken;
	row->data = reuses ? (char *)(uintptr_t)spare->data : at + tables / ROW_ALIGN * ROW_ALIGN;
	row->origin = 0;
	if (reuses)
		spare->bytes = 0;
	return row;
}

void
gs_division_add(struct gs_division *division, unsigned worker, uint64_t sequence,
                const struct gs_item_slice *slices, size_t count)
{
	struct gs_division_shared *shared = division->shared;
	const struct gs_item_bins *bins = division->bins;
	struct gs_item_divider divider = shared->dividers[worker];
	uint64_t *const bytes_of = division->bytes + (size_t)worker * GS_ITEM_BINS_MOST;
	const unsigned keep = atomic_load_explicit(&division->keep, memory_order_relaxed);
	const unsigned some_bins = keep > 0 ? keep : bins->count;
	uint32_t offsets[GS_ITEM_BINS_MOST + 1];
	struct gs_item_row *row;
	uint64_t items = 0, leaving = 0;
	size_t bytes = 0;

	assert(sequence < division->rows_most);
	for (size_t s = 0; s < count; s++)
		bytes += slices[s].bytes;
	divider.items = division->items + (size_t)worker * GS_ITEM_BINS_MOST;
	divider.more = false;
	divider.dropped = 0;
	divider.keep = bytes > shared->piece_bytes ? 0 : keep;
	for (unsigned b = 0; b < bins->count; b++)
		items -= divider.items[b];
	if (divider.keep > 0) {		/* how much room the row needs is known only when it is made */
		char *kept = shared->kept + worker * shared->piece_bytes;

		gs_items_divide(shared->order, bins, slices, count, &divider, offsets, kept);
		row = take_row(division, worker, offsets[bins->count]);
		memcpy(row->offsets, offsets, (bins->count + 1) * sizeof *offsets);
		memcpy(row->data, kept, offsets[bins->count]);
	} else {
		row = take_row(division, worker, bytes);
		gs_items_divide(shared->order, bins, slices, count, &divider, row->offsets, row->data);
	}
	for (unsigned b = 0; b < bins->count; b++) {
		items += divider.items[b];
		bytes_of[b] += row->offsets[b + 1] - row->offsets[b];
	}
	if (divider.more)
		atomic_store_explicit(&division->more, true, memory_order_relaxed);
	atomic_fetch_add(&shared->items, items + divider.dropped);
	/* If the first bins have all that will leave, drop what comes for others.  A thread counts only
	 * what it has added itself; if another one has found less, the next piece does, too. */
	for (unsigned b = 0; shared->head > 0 && b + 1 < some_bins && leaving < shared->head; b++)
		if ((leaving += divider.items[b]) >= shared->head)
			atomic_store_explicit(&division->keep, b + 1, memory_order_relaxed);
	division->rows[sequence] = row;
}

/* ---- origins --------------------------------------------------------------------- */

size_t
gs_division_rows(const struct gs_division *division, unsigned bin)
{
	return division->extents != NULL ? division->extents[bin].count : division->row_count;
}

unsigned
gs_division_origin(const struct gs_division *division, unsigned bin, size_t row)
{
	return division->extents != NULL ? division->extents[bin].list[row].origin
	                                 : division->rows[row]->origin;
}

static int
compare_rows(const void *one, const void *other)
{
	const struct gs_item_row *const *a = one, *const *b = other;

	if ((*a)->origin != (*b)->origin)
		return (*a)->origin < (*b)->origin ? -1 : 1;
	return (*a)->place < (*b)->place ? -1 : (*a)->place > (*b)->place;
}

/* All extents of a bin are in one file. */
static int
compare_extents(const void *one, const void *other)
{
	const struct gs_item_extent *a = one, *b = other;

	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void
gs_division_order(struct gs_division *division)
{
	assert(division->row_count <= UINT32_MAX);
	for (size_t r = 0; r < division->row_count; r++)
		division->rows[r]->place = (uint32_t)r;
	qsort(division->rows, division->row_count, sizeof(struct gs_item_row *), compare_rows);
	for (unsigned b = 0; division->extents != NULL && b < division->bin_count; b++)
		if (division->extents[b].count > 1)
			qsort(division->extents[b].list, division->extents[b].count,
			      sizeof *division->extents[b].list, compare_extents);
}

/* ---- bins -------------------------------------------------------------------------- */

uint64_t
gs_division_sum(const struct gs_division *division, const uint64_t *of_bins, unsigned bin)
{
	uint64_t all = 0;

	for (unsigned t = 0; t < division->shared->threads; t++)
		all += of_bins[(size_t)t * GS_ITEM_BINS_MOST + bin];
	return all;
}

size_t
gs_division_slices(const struct gs_division *division, unsigned bin, size_t from, size_t to,
                   struct gs_item_slice *slices)
{
	enum { AHEAD = 16 };	/* rows whose tables are loaded meanwhile; not tuned */
	size_t count = 0;

	for (size_t r = from; r < to; r++) {
		const uint32_t *offsets = &division->rows[r]->offsets[bin];

		if (r + AHEAD < division->row_count)
			__builtin_prefetch(&division->rows[r + AHEAD]->offsets[bin]);
		slices[count].data = division->rows[r]->data + offsets[0];
		slices[count].bytes = offsets[1] - offsets[0];
		count += slices[count].bytes > 0;
	}
	return count;
}

/* ---- temporary files ----------------------------------------------------------------- */

struct flusher {
	struct gs_division   *division;
	struct gs_first_error error;
	atomic_uint           next;	/* file */
};

/* What one thread collects before it writes. */
struct collected {
	char    *buffer;
	size_t   bytes;
	unsigned origin;
	unsigned file;
	struct gs_item_extents *extents;
};

static gs_status
write_extent(struct gs_division_shared *shared, struct collected *collected, const char *data,
             size_t bytes)
{
	struct gs_item_extents *extents = collected->extents;

	if (bytes == 0)
		return GS_OK;
	TRY(GS_GROW(extents->list, &extents->room, extents->count + 1, "extents"));
	extents->list[extents->count] = (struct gs_item_extent){
		.bytes = (uint32_t)bytes, .file = collected->file, .origin = collected->origin,
	};
	return gs_item_extent_write(shared, &extents->list[extents->count++], data);
}

static gs_status
flush_bin(struct gs_division *division, struct collected *collected, unsigned bin)
{
	struct gs_division_shared *shared = division->shared;
	struct gs_item_slice slice;

	collected->extents = &division->extents[bin];
	collected->bytes = 0;
	for (size_t r = 0; r < division->row_count; r++) {
		if (gs_division_slices(division, bin, r, r + 1, &slice) == 0)
			continue;
		if (collected->bytes + slice.bytes > shared->piece_bytes ||
		    collected->origin != division->rows[r]->origin) {
			TRY(write_extent(shared, collected, collected->buffer, collected->bytes));
			collected->bytes = 0;
			collected->origin = division->rows[r]->origin;
		}
		if (slice.bytes > shared->piece_bytes) {
			TRY(write_extent(shared, collected, slice.data, slice.bytes));
			continue;
		}
		memcpy(collected->buffer + collected->bytes, slice.data, slice.bytes);
		collected->bytes += slice.bytes;
	}
	return write_extent(shared, collected, collected->buffer, collected->bytes);
}

/* Each thread takes the next file, and writes the bins that go there. */
static void
flush_files(void *context, unsigned worker, unsigned size)
{
	struct flusher *flusher = context;
	struct gs_division *division = flusher->division;
	struct gs_division_shared *shared = division->shared;
	struct collected collected = { .buffer = shared->buffers + worker * shared->piece_bytes };
	uint64_t since = gs_clock_now();
	gs_status status = GS_OK;

	(void)size;
	while (status == GS_OK && (collected.file = atomic_fetch_add(&flusher->next, 1)) <
	                                  shared->file_count) {
		for (unsigned b = collected.file; status == GS_OK && b < division->bins->count;
		     b += shared->file_count)
			status = flush_bin(division, &collected, b);
		(void)gs_first_error_note(&flusher->error, status);
	}
	gs_clock_lap(&shared->monitor->clock, GS_STAGE_SPILL, &since);
}

gs_status
gs_division_flush(struct gs_division *division)
{
	struct gs_division_shared *shared = division->shared;
	struct flusher flusher = { .division = division };
	/* a file for each thread, as writes to one inode wait for each other; and for each folder */
	const size_t threads = shared->threads, dirs = shared->temp_dir_count;
	const size_t files = gs_least(threads > dirs ? threads : dirs, GS_DIVISION_FILES);
	const size_t stripe = division->stripe_bytes;
	uint64_t before = 0;

	for (; shared->file_count < files; shared->file_count++)
		TRY(gs_spill_file_make(&shared->files[shared->file_count], shared->temp_dirs, dirs,
		                       shared->file_count));
	if (division->extents == NULL) {
		division->bin_count = division->bins->count;
		TRY(GS_NEW(division->extents, division->bin_count, "bins"));
	}
	for (unsigned f = 0; f < shared->file_count; f++)
		before += shared->files[f].end;
	gs_first_error_open(&flusher.error);
	gs_team_run(shared->threads, flush_files, &flusher);
	for (unsigned f = 0; f < shared->file_count; f++)
		shared->spilled_bytes += shared->files[f].end;
	shared->spilled_bytes -= before;
	division->row_count = 0;
	if (stripe == 0)
		gs_arena_forget(division->memory, gs_round_up(atomic_load(&division->used), 4096));
	for (unsigned t = 0; t < threads; t++) {
		if (stripe > 0)
			gs_arena_forget(division->memory + t * stripe, gs_round_up(division->taken[t], 4096));
		division->taken[t] = 0;
	}
	atomic_store(&division->used, 0);
	return gs_first_error_close(&flusher.error);
}

gs_status
gs_division_store(struct gs_division *division)
{
	TRY(gs_division_flush(division));
	gs_arena_close(&division->arena);
	division->rows_most = 0;
	return GS_OK;
}

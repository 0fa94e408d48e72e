// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.c - the sizes of a sort, check, merge and exchange of items
 *
 * In:   a plan, and facts about the items.
 * Out:  how its pool is divided: for reading, for sorting, and all the rest for items.
 */
#include "base/round.h"
#include "plan/items.h"
#include "sort/items/part.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

static struct gs_item_tables
tables_of(size_t piece, size_t item_bytes)
{
	return (struct gs_item_tables){
		.piece_bytes = piece, .found_room = item_bytes > 0 ? piece / item_bytes : piece,
		.lengths_room = item_bytes > 0 ? 0 : piece / GS_SHORT_ITEM,
	};
}

size_t
gs_item_tables_bytes(const struct gs_item_tables *tables)
{
	return tables->found_room * sizeof(uint16_t) + tables->lengths_room * sizeof(uint32_t);
}

/* ---- exchange ------------------------------------------------------------------- */

#define LEAST_SPREAD_BYTES	(16 * KIB)
#define MOST_SPREAD_BYTES	(1 * MIB)

/* Of all ranks together; and of a line. */
#define SAMPLE_BYTES		(64 * MIB)
#define SAMPLE_LINE_BYTES	(4 * KIB)

/* A line, or a large record, may leave most of a block empty, but not of two in a row; and it may begin a
 * block that has just begun. */
size_t
gs_item_window_slots_room(const struct gs_item_window *window, size_t item_bytes, size_t slots)
{
	const size_t block = window->block_room, lost = window->ranks + 2;
	const size_t used = item_bytes > 0 && item_bytes <= block ? block / item_bytes * item_bytes
	                                                          : block / 3;

	return slots <= lost ? 0 : (slots - lost) * used;
}

size_t
gs_item_window_room(const struct gs_item_window *window, size_t item_bytes)
{
	const size_t slots = window->bytes / window->block_bytes;

	return gs_item_window_slots_room(window, item_bytes, slots - slots / 4 - window->ranks);
}

/* Each thread has a piece in every round. */
struct gs_item_tables
gs_item_window_tables(const struct gs_item_window *window, size_t item_bytes, unsigned threads)
{
	const size_t piece = gs_item_window_room(window, item_bytes) / 4 / threads;
	const size_t fit = gs_within(LEAST_SPREAD_BYTES, piece, MOST_SPREAD_BYTES);

	return tables_of(fit < item_bytes ? item_bytes : fit, item_bytes);
}

size_t
gs_item_window_thread_bytes(const struct gs_item_tables *tables)
{
	return gs_round_up(tables->piece_bytes + gs_item_tables_bytes(tables), 64) + 64;
}

size_t
gs_item_sample_room(size_t item_bytes)
{
	return item_bytes > 0 ? item_bytes : SAMPLE_LINE_BYTES;
}

/* An eighth of a user's limit here, and as much for all ranks' windows. */
size_t
gs_item_sample_most(uint64_t memory_bytes, unsigned ranks, size_t item_bytes)
{
	const uint64_t limit = memory_bytes / 8 / ranks, most = SAMPLE_BYTES / ranks;

	return (size_t)(limit > 0 ? gs_least(limit, most) : most) / gs_item_sample_room(item_bytes) + 1;
}

/* ---- a sort or check ------------------------------------------------------------------ */

/* Each thread has buffers of a record at least: what it reads, divides, loads and sorts. */
enum { RECORDS_OF_THREAD = 6 };

/*
 * Of a chunk that is read ahead.  All threads read a chunk, and then divide it while it is in their caches:
 * two threads take 0.168 to 0.186 s of processors for 100 MB of CSV, and 0.175 to 0.228 with a least of 4 MiB
 * (a busy Emerald Rapids).
 */
#define LEAST_CHUNK_BYTES	(64 * KIB)
#define GOOD_CHUNK_BYTES	(1 * MIB)
#define THREAD_BYTES		(1 * MIB)	/* of a chunk for each thread, of large inputs */

/* Bytes of a chunk of lines, of MEMORY for all of them. */
static size_t
chunk_bytes(const struct gs_plan *plan, const struct gs_plan_input *input,
            const struct gs_item_facts *facts, uint64_t memory)
{
	const uint64_t chunk = memory / input->ahead_chunks;
	const uint64_t most = gs_least(plan->threads * THREAD_BYTES, input->input_bytes / 8);
	size_t bytes = LEAST_CHUNK_BYTES;

	if (chunk >= LEAST_CHUNK_BYTES)
		bytes = (size_t)gs_least(chunk, most < GOOD_CHUNK_BYTES ? GOOD_CHUNK_BYTES : most) /
		        4096 * 4096;
	return facts->window.ranks == 0 ? bytes
	       : gs_least(bytes, gs_item_window_room(&facts->window, facts->item_bytes));
}

void
gs_plan_items(struct gs_item_sizes *sizes, const struct gs_plan *plan,
              const struct gs_plan_input *input, const struct gs_item_facts *facts)
{
	const uint64_t memory = plan->pool_bytes, bytes = input->input_bytes;
	const bool lines = facts->record_bytes == 0, ranked = facts->window.ranks > 0;
	const bool known = bytes < UINT64_MAX && (!input->guessed || ranked);
	const unsigned threads = (unsigned)gs_within(1, memory / RECORDS_OF_THREAD /
	                                                (facts->record_bytes + 1), plan->threads);
	/* of all that is read at a time, and of a round */
	uint64_t reading = gs_within(threads * facts->record_bytes, memory / 16, UINT64_MAX);

	*sizes = (struct gs_item_sizes){
		.store.threads = threads,
		.store.item_bytes = facts->item_bytes,
		.store.input_bytes = UINT64_MAX,
		.store.guessed = ranked || (lines && facts->numbered),
	};
	if (known && !lines)
		sizes->store.input_bytes = bytes / facts->record_bytes * facts->item_bytes;
	else if (known && !facts->numbered)	/* each may lack a last newline */
		sizes->store.input_bytes = bytes + input->input_count + 1;
	else if (known && bytes < UINT64_MAX / 4)	/* a guess: numbers go with lines */
		sizes->store.input_bytes = 2 * bytes;
	if (lines) {
		sizes->chunk_bytes = chunk_bytes(plan, input, facts, memory / 16);
		sizes->header_most = (size_t)(memory / GS_HEADER_SHARE);
		reading = input->ahead_chunks * sizes->chunk_bytes +
		          (facts->numbered ? memory / 32 : 0) +		/* the most of all pieces */
		          (input->headers ? 2 * sizes->header_most : 0);
	}
	if (ranked) {
		const struct gs_item_tables tables =
			gs_item_window_tables(&facts->window, facts->item_bytes, threads);

		reading += threads * gs_item_window_thread_bytes(&tables);
	}
	sizes->line_most = input->memory_grows ? SIZE_MAX : (size_t)(memory - reading) / 2;
	sizes->store.memory_bytes = memory > reading ? memory - reading : 1;
}

/*
 * A chunk of binary keys is compared while it is in the cache.  1 GiB of cached u32,
 * 2 cores, AMD EPYC VM, median of 15, milliseconds of the whole process:
 *
 *     cat    128 KiB  256 KiB  512 KiB  1 MiB  2 MiB  4 MiB  8 MiB
 *     43.6   94.6     53.4     46.5     45.0   45.6   44.7   57.3
 *
 * From 4 MiB on, several threads read a file, if there are more cores.
 */
#define CHECK_BYTES		(4 * MIB)

size_t
gs_plan_check_bytes(const struct gs_plan *plan, const struct gs_plan_input *input, size_t unit)
{
	const size_t most = (size_t)(plan->pool_bytes / (input->ahead_chunks + 1));
	const size_t bytes = gs_least(CHECK_BYTES + unit - 1, most);

	return bytes / unit * unit;
}

/* ---- a merge ---------------------------------------------------------------------------- */

/* Merging two inputs of lines of 8 and 26 bytes takes 1.2 and 1.1 times as long with 256 KiB, as threads wait
 * for each other more often, and 1.0 and 1.3 times with 1 MiB.  Many threads share what is there; 16 of them
 * read a buffer together (GS_TEAM_BYTES). */
#define MOST_BUFFER_BYTES	(512 * KIB)
#define LEAST_BUFFER_BYTES	(8 * KIB)
enum { MOST_FAN_IN = 1024 };

/* Beside the buffers in which an input is read, so many are for its part of a round: items, their places, and
 * copies in order. */
enum { ROUND_BUFFERS = 9 };

void
gs_plan_item_merge(struct gs_item_merge_sizes *sizes, const struct gs_plan *plan,
                   const struct gs_plan_input *input, const struct gs_item_facts *facts, size_t count)
{
	const uint64_t memory = plan->pool_bytes;
	const size_t bytes = facts->item_bytes;
	const size_t share = (size_t)(memory / 2 / (count + 2)) / (GS_MERGE_BATCHES + ROUND_BUFFERS);
	const size_t good = MOST_BUFFER_BYTES * ((plan->threads + 1) / 2);
	size_t most = input->memory_grows ? count : MOST_FAN_IN;

	if (input->merge_files > 0)
		most = gs_least(most, input->merge_files);
	most = gs_plan_fan_in_of_files(input, most);
	sizes->most = input->memory_grows ? most : gs_least(most, memory / 24 / LEAST_BUFFER_BYTES);
	sizes->room = gs_within(LEAST_BUFFER_BYTES, share, gs_within(24 * KIB, 2 * good / count, good));
	if (bytes > 0)
		sizes->room = (sizes->room / bytes + 1) * bytes;
	sizes->spare = input->memory_grows ? SIZE_MAX
	               : (size_t)memory / 2 + GS_MERGE_BATCHES * count * sizes->room;
	sizes->header_most = (size_t)(memory / GS_HEADER_SHARE);
}

/* ---- the store ---------------------------------------------------------------------------- */

/*
 * A piece is read, divided and copied while it is in the second-level cache; a slice of it should
 * have some KiB.  A part is sorted in a cache: to /dev/null, user seconds, two cores of an EPYC 9004, least
 * of 9 and 5, with bins of 1 MiB, 512 and 256 KiB: 10^7 lines of 13 bytes 0.44, 0.37, 0.37; 10^7 of 52 bytes
 * 0.83, 0.82, 0.82; 1.25 * 10^7 records of 16 bytes 0.26, 0.24, 0.23; of 100 bytes no difference.
 */
#define MOST_PIECE_BYTES	(1 * MIB)
#define LEAST_PIECE_BYTES	(32 * KIB)
#define GOOD_BIN_BYTES		(512 * KIB)
#define MOST_PART_BYTES		(16 * MIB)
#define MOST_FILE_PART_BYTES	(64 * MIB)
#define MOST_SAMPLE_BYTES	(16 * MIB)

/* The share of memory for lists of extents.  Not tuned. */
enum { EXTENTS_SHARE = 3 };

/* An item so large that memory holds few. */
enum { LARGE_ITEM = 128 << 10 };

/* A part is in memory as it leaves, and so is the part before; in files, as it was read, too.  The largest
 * item can be so, too, in a part of its own, and once more to be compared with the part before. */
void
gs_plan_item_limits(struct gs_item_store_sizes *sizes, const struct gs_item_store_facts *facts,
                    size_t largest)
{
	const size_t item = gs_item_least_bytes(facts->item_bytes);
	const uint64_t arrays = GS_ITEM_PART_BYTES * 16 / item;	/* bytes of them for 16 of items */
	const uint64_t memory = facts->memory_bytes - gs_least(facts->memory_bytes, 3 * (uint64_t)largest);
	uint64_t part = facts->memory_bytes / 8 / facts->threads * 16 / (32 + arrays);
	uint64_t file_part = memory / facts->threads * 16 / (48 + arrays) / 5 * 4;

	part = gs_within(sizes->tables.piece_bytes + item, part, MOST_PART_BYTES);
	file_part = gs_within(part, file_part, MOST_FILE_PART_BYTES);
	sizes->limits = (struct gs_item_limits){
		.bytes = part,
		.items = part / item + 1,
		.bin_bytes = gs_within(1, part / 3, GOOD_BIN_BYTES),
		.memory_bytes = sizes->data_bytes - gs_least(sizes->data_bytes / 2, 2 * (uint64_t)largest),
	};
	sizes->file_limits = (struct gs_item_limits){
		.bytes = file_part,
		.items = file_part / item + 1,
		.bin_bytes = file_part / 3 + 1,
		.memory_bytes = sizes->limits.memory_bytes,
		.extents = facts->memory_bytes / EXTENTS_SHARE /
		           (GS_ITEM_EXTENT_BYTES * 3 / 2) + 1,	/* lists double */
	};
}

uint64_t
gs_item_division_bytes(uint64_t bytes, size_t piece_bytes, unsigned threads, unsigned spare,
                       unsigned spare_rows)
{
	return bytes + (2 * (bytes / piece_bytes) + 4 * (uint64_t)threads + spare_rows) * GS_ITEM_ROW_BYTES +
	       (uint64_t)spare * piece_bytes;
}

/* The share of memory for packers, unless that is less than one needs.  Not tuned. */
enum { PACKERS_SHARE = 8 };

void
gs_plan_item_store(struct gs_item_store_sizes *sizes, const struct gs_item_store_facts *facts)
{
	const uint64_t memory = facts->memory_bytes, input = facts->input_bytes;
	const unsigned threads = facts->threads;
	const size_t item = gs_item_least_bytes(facts->item_bytes);
	const size_t fit = gs_within(LEAST_PIECE_BYTES, memory / threads / 32, MOST_PIECE_BYTES);
	const size_t piece = fit < item ? item : fit - fit % item;
	const size_t packer = GS_ITEM_PACKER_BYTES + 2 * piece + 256;
	size_t sorting, tables, least;

	*sizes = (struct gs_item_store_sizes){ .tables = tables_of(piece, facts->item_bytes) };
	gs_plan_item_limits(sizes, facts, 0);
	sorting = threads * (2 * sizes->limits.bytes + sizes->limits.items * GS_ITEM_PART_BYTES);
	if (facts->packs)
		sizes->packers = (unsigned)gs_within(1, memory / PACKERS_SHARE / packer,
		                                     gs_least(threads, GS_ITEM_PACKERS_MOST));
	tables = sizes->packers * packer +
	         threads * ((facts->keeps ? 2 : 1) * piece + gs_item_tables_bytes(&sizes->tables));
	sizes->data_bytes = memory - gs_least(memory, sorting + tables);
	/* Readers need room for two pieces each, and tables. */
	least = piece < LARGE_ITEM ? 8 * threads * piece : 2 * threads * piece + piece;
	if (sizes->data_bytes < least)
		sizes->data_bytes = least;
	gs_plan_item_limits(sizes, facts, 0);
	sizes->sample_bytes = gs_within(threads * piece, sizes->data_bytes / 8, MOST_SAMPLE_BYTES);
	sizes->expected_bytes = input < UINT64_MAX ? input : GS_PLAN_UNKNOWN_BYTES;
	sizes->first_bytes = sizes->data_bytes;
	if (input < UINT64_MAX / 4 && !facts->guessed)
		sizes->first_bytes = gs_least(sizes->data_bytes, gs_item_division_bytes(
			input, piece, threads, 2 * threads + 4, 128));
}

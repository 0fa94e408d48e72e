// SPDX-License-Identifier: BSD-2-Clause
/* plan_items.c - the sizes of items as tables: the input, and the plan that must follow */
#include "base/round.h"
#include "plan/items.h"
#include "sort/items/part.h"
#include "tests/unit/units.h"

void unit_plan_items(void);

#define KiB	<< 10
#define MiB	<< 20
#define GiB	<< 30
#define UNKNOWN	UINT64_MAX

/* Ranks with so large a window, in blocks of 256 KiB with headers of 32 bytes. */
#define WINDOW(size, window)	{ .ranks = (size), .bytes = (window), .block_bytes = 256 KiB, \
				  .block_room = (256 KiB) - 32 }

/* ---- jobs ------------------------------------------------------------------------- */

static const struct {
	const char *sentence;
	uint64_t    pool_bytes;
	unsigned    threads;
	uint64_t    input_bytes;
	bool        headers, guessed;
	struct gs_item_facts facts;

	unsigned    threads_wanted;
	size_t      chunk_bytes;
	uint64_t    store_bytes, item_bytes;
} jobs[] = {
	{ "records leave a sixteenth for reading",
	  1ull GiB, 4, 1000000, false, false, { 100, 100, false, { 0 } },
	  4, 0, 1006632960, 1000000 },
	{ "large records take as many buffers as threads",
	  64ull MiB, 4, 1000000, false, false, { 2 MiB, 2 MiB, false, { 0 } },
	  4, 0, 58720256, 0 },
	{ "and so few threads as have memory for six of them",
	  16ull MiB, 16, 1000000, false, false, { 1 MiB, 1 MiB, false, { 0 } },
	  2, 0, 14680064, 0 },
	{ "one thread, if none has",
	  16ull MiB, 16, UNKNOWN, false, false, { 64 MiB, 64 MiB, false, { 0 } },
	  1, 0, 1, UNKNOWN },
	{ "numbers of records are items of keys and a number",
	  1ull GiB, 4, 1000000, false, false, { 100, 16, true, { 0 } },
	  4, 0, 1006632960, 160000 },
	{ "lines are read in chunks",
	  1ull GiB, 4, 1ull GiB, false, false, { 0, 0, false, { 0 } },
	  4, 4194304, 1061158912, 1073741826 },
	{ "larger ones for many threads and much input",
	  8ull GiB, 16, 8ull GiB, false, false, { 0, 0, false, { 0 } },
	  16, 16777216, 8539602944, 8589934594 },
	{ "and small ones of little memory",
	  10ull MiB, 2, 1ull GiB, false, false, { 0, 0, false, { 0 } },
	  2, 217088, 9834496, 1073741826 },
	{ "but none below the least",
	  1ull MiB, 1, 10, false, false, { 0, 0, false, { 0 } },
	  1, 65536, 851968, 12 },
	{ "headers take twice their share",
	  1ull GiB, 4, 1ull GiB, true, false, { 0, 0, false, { 0 } },
	  4, 4194304, 994050048, 1073741826 },
	{ "numbers of lines take a 32nd, and nobody knows how many there will be",
	  1ull GiB, 4, 1ull GiB, false, false, { 0, 0, true, { 0 } },
	  4, 4194304, 1027604480, 2147483648 },
	{ "a hint is no promise",
	  1ull GiB, 4, 1ull GiB, false, true, { 0, 0, false, { 0 } },
	  4, 4194304, 1061158912, UNKNOWN },
	{ "but good enough for ranks, whose chunks fit their window",
	  1ull GiB, 4, 1ull GiB, false, true, { 0, 0, false, WINDOW(2, 8 MiB) },
	  4, 1572660, 1067745636, 1073741826 },
	{ "ranks have pieces in a round, of records, too",
	  1ull GiB, 4, 1000000, false, true, { 100, 100, false, WINDOW(2, 32 MiB) },
	  4, 0, 1002354432, 1000000 },
};

static void
check_jobs(void)
{
	for (size_t r = 0; r < sizeof jobs / sizeof jobs[0]; r++) {
		const char *sentence = jobs[r].sentence;
		const struct gs_plan plan = {
			.pool_bytes = jobs[r].pool_bytes, .threads = jobs[r].threads,
		};
		const struct gs_plan_input input = {
			.input_bytes = jobs[r].input_bytes, .guessed = jobs[r].guessed, .input_count = 1,
			.headers = jobs[r].headers, .ahead_chunks = 3,
		};
		struct gs_item_sizes sizes;
		const struct gs_item_store_facts *store = &sizes.store;

		gs_plan_items(&sizes, &plan, &input, &jobs[r].facts);
		CHECK(store->threads == jobs[r].threads_wanted, "%s: %u threads", sentence, store->threads);
		CHECK(sizes.chunk_bytes == jobs[r].chunk_bytes, "%s: chunks of %zu", sentence,
		      sizes.chunk_bytes);
		CHECK(store->memory_bytes == jobs[r].store_bytes, "%s: %llu bytes for the store", sentence,
		      (unsigned long long)store->memory_bytes);
		CHECK(store->input_bytes == jobs[r].item_bytes, "%s: %llu bytes of items", sentence,
		      (unsigned long long)store->input_bytes);
		CHECK(store->guessed == (jobs[r].facts.window.ranks > 0 ||
		                        (jobs[r].facts.numbered && jobs[r].facts.record_bytes == 0)),
		      "%s: guessed", sentence);
		CHECK(jobs[r].facts.record_bytes > 0 ||
		      sizes.header_most == plan.pool_bytes / GS_HEADER_SHARE, "%s: a header of %zu bytes",
		      sentence, sizes.header_most);
		CHECK(store->memory_bytes == 1 || jobs[r].facts.window.ranks > 0 ||
		      sizes.line_most == store->memory_bytes / 2, "%s: a line is in memory twice", sentence);
	}
}

/* ---- stores ----------------------------------------------------------------------- */

static const struct {
	const char *sentence;
	struct gs_item_store_facts facts;
	size_t      largest;

	size_t      piece_bytes, data_bytes, first_bytes, sample_bytes, part_bytes, file_part_bytes;
	uint64_t    bin_bytes;
} stores[] = {
	{ "much memory: pieces, parts and bins as large as is good",
	  { 8ull GiB, 4, 100, false, UNKNOWN, false, false }, 0,
	  1048500, 8421239844, 8421239844, 16777216, 16777216, 67108864, 524288 },
	{ "a small input needs few addresses",
	  { 8ull GiB, 4, 100, false, 1000000, false, false }, 0,
	  1048500, 8421239844, 14208688, 16777216, 16777216, 67108864, 524288 },
	{ "unless it may grow",
	  { 8ull GiB, 4, 100, false, 1000000, true, false }, 0,
	  1048500, 8421239844, 8421239844, 16777216, 16777216, 67108864, 524288 },
	{ "lines have tables of lengths",
	  { 1ull GiB, 4, 0, false, UNKNOWN, false, false }, 0,
	  1048576, 925892584, 925892584, 16777216, 6972349, 36945952, 524288 },
	{ "a head has a second piece of each thread",
	  { 1ull GiB, 4, 0, true, UNKNOWN, false, false }, 0,
	  1048576, 921698280, 921698280, 16777216, 6972349, 36945952, 524288 },
	{ "little memory, little pieces",
	  { 10ull MiB, 2, 16, false, UNKNOWN, false, false }, 0,
	  163840, 8539916, 8539916, 1067489, 163856, 721600, 54618 },
	{ "one packer of its pieces, or more where there is memory",
	  { 10ull MiB, 2, 16, false, UNKNOWN, false, true }, 0,
	  163840, 7425548, 7425548, 928193, 163856, 721600, 54618 },
	{ "less than the least",
	  { 1, 2, 0, false, UNKNOWN, false, false }, 0,
	  32768, 524288, 524288, 65536, 32784, 32784, 10928 },
	{ "an item that is larger than a piece is one",
	  { 64ull MiB, 2, 3 MiB, false, UNKNOWN, false, false }, 0,
	  3145728, 35651310, 35651310, 6291456, 6291456, 8947848, 524288 },
	{ "a line of 10 MiB leaves less for parts of files",
	  { 64ull MiB, 2, 0, false, UNKNOWN, false, false }, 10 MiB,
	  1048576, 50200332, 50200332, 6275041, 1048592, 2453440, 349530 },
	{ "and one of all memory nothing",
	  { 64ull MiB, 2, 0, false, UNKNOWN, false, false }, 64 MiB,
	  1048576, 50200332, 50200332, 6275041, 1048592, 1048592, 349530 },
};

static void
check_stores(void)
{
	for (size_t r = 0; r < sizeof stores / sizeof stores[0]; r++) {
		const char *sentence = stores[r].sentence;
		const struct gs_item_store_facts *facts = &stores[r].facts;
		struct gs_item_store_sizes sizes;

		gs_plan_item_store(&sizes, facts);
		gs_plan_item_limits(&sizes, facts, stores[r].largest);
		CHECK(sizes.tables.piece_bytes == stores[r].piece_bytes, "%s: pieces of %zu", sentence,
		      sizes.tables.piece_bytes);
		CHECK(sizes.data_bytes == stores[r].data_bytes, "%s: %zu for items", sentence,
		      sizes.data_bytes);
		CHECK(sizes.first_bytes == stores[r].first_bytes, "%s: %zu of them at first", sentence,
		      sizes.first_bytes);
		CHECK(sizes.sample_bytes == stores[r].sample_bytes, "%s: a sample of %zu", sentence,
		      sizes.sample_bytes);
		CHECK(sizes.limits.bytes == stores[r].part_bytes &&
		      sizes.file_limits.bytes == stores[r].file_part_bytes,
		      "%s: parts of %zu, of files %zu", sentence, sizes.limits.bytes,
		      sizes.file_limits.bytes);
		CHECK(sizes.limits.bin_bytes == stores[r].bin_bytes, "%s: bins of %llu",
		      sentence, (unsigned long long)sizes.limits.bin_bytes);
	}
}

/* All that is used at once is within the memory, if that is not too little for any items; whatever they
 * are. */
static void
check_shares(void)
{
	static const size_t lengths[] = { 0, 1, 16, 100, 4096, 1000003 };

	for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
		for (uint64_t memory = 4 MiB; memory < 64ull GiB; memory += memory / 5)
			for (unsigned threads = 1; threads <= 64; threads *= 2) {
				const struct gs_item_store_facts facts = {
					memory, threads, lengths[l], false, UNKNOWN, false, false,
				};
				struct gs_item_store_sizes sizes;
				size_t piece, parts, pieces;

				gs_plan_item_store(&sizes, &facts);
				piece = sizes.tables.piece_bytes;
				parts = 2 * sizes.limits.bytes + sizes.limits.items * GS_ITEM_PART_BYTES;
				pieces = piece + gs_item_tables_bytes(&sizes.tables);
				CHECK(sizes.data_bytes + threads * (parts + pieces) <= memory ||
				      sizes.data_bytes == (piece < (128 KiB) ? 8 * threads * piece
				                                              : 2 * threads * piece + piece),
				      "%llu for %u: %zu for items", (unsigned long long)memory, threads,
				      sizes.data_bytes);
				CHECK(piece >= lengths[l] && sizes.limits.bytes >= piece &&
				      sizes.limits.bytes <= sizes.file_limits.bytes,
				      "%llu for %u: an item fits a piece, a piece a part",
				      (unsigned long long)memory, threads);
				CHECK(sizes.sample_bytes >= gs_least(threads * piece, 16 MiB),
				      "%llu for %u: a sample of %zu", (unsigned long long)memory, threads,
				      sizes.sample_bytes);
			}
}

/* ---- merges and checks -------------------------------------------------------------- */

static const struct {
	const char *sentence;
	uint64_t    pool_bytes;
	size_t      files;
	unsigned    merge_files;
	size_t      record_bytes;	/* 0: lines */
	size_t      count;

	size_t      most, room, spare;
	bool        grows;
} merges[] = {
	{ "two inputs have large buffers", 1ull GiB, 0, 0, 100, 2, 1024, 524300, 540016712, false },
	{ "lines have smaller ones", 10ull MiB, 0, 0, 0, 2, 53, 109226, 5898236, false },
	{ "many have small ones", 10ull MiB, 0, 0, 16, 1000, 53, 8208, 29866880, false },
	{ "of a large record there is room for one", 10ull MiB, 0, 0, 1000003, 2, 53, 1000003, 11242898,
	  false },
	{ "more have smaller ones, and the user may want fewer", 1ull GiB, 1024, 7, 16, 8, 7, 131088,
	  540017024, false },
	{ "and so may the system", 1ull GiB, 64, 0, 16, 8, 40, 131088, 540017024, false },
	{ "two at least", 1ull GiB, 10, 0, 16, 8, 2, 131088, 540017024, false },
	{ "a limit that is a wish has room for all, and for any line", 10ull MiB, 0, 0, 0, 2000, 2000, 8192,
	  SIZE_MAX, true },
	{ "but the system has not", 10ull MiB, 64, 0, 0, 2000, 40, 8192, SIZE_MAX, true },
};

static const struct {
	const char *sentence;
	uint64_t    pool_bytes;
	size_t      unit;
	size_t      bytes;
} checks[] = {
	{ "keys are compared in the cache", 1ull GiB, 8, 4194304 },
	{ "so are records, which are whole", 1ull GiB, 100, 4194400 },
	{ "little memory is divided by four", 10ull MiB, 100, 2621400 },
	{ "a quarter of it has room for a record", 10ull MiB, (10 MiB) / 4, 2621440 },
	{ "or it is not enough", 10ull MiB, (10 MiB) / 4 + 1, 0 },
};

static void
check_merges(void)
{
	for (size_t r = 0; r < sizeof merges / sizeof merges[0]; r++) {
		const struct gs_plan plan = { .pool_bytes = merges[r].pool_bytes, .threads = 1 };
		const struct gs_plan_input input = {
			.files = merges[r].files, .merge_files = merges[r].merge_files,
			.memory_grows = merges[r].grows,
		};
		const struct gs_item_facts facts = {
			.record_bytes = merges[r].record_bytes, .item_bytes = merges[r].record_bytes,
		};
		struct gs_item_merge_sizes sizes;

		gs_plan_item_merge(&sizes, &plan, &input, &facts, merges[r].count);
		CHECK(sizes.most == merges[r].most && sizes.room == merges[r].room &&
		      sizes.spare == merges[r].spare, "%s: at most %zu, each in %zu, %zu spare",
		      merges[r].sentence, sizes.most, sizes.room, sizes.spare);
	}
	for (size_t r = 0; r < sizeof checks / sizeof checks[0]; r++) {
		const struct gs_plan plan = { .pool_bytes = checks[r].pool_bytes };
		const struct gs_plan_input input = { .ahead_chunks = 3 };
		const size_t bytes = gs_plan_check_bytes(&plan, &input, checks[r].unit);

		CHECK(bytes == checks[r].bytes, "%s: chunks of %zu", checks[r].sentence, bytes);
	}
}

/* ---- exchange ----------------------------------------------------------------------- */

static const struct {
	const char *sentence;
	struct gs_item_window window;
	size_t      item_bytes;
	unsigned    threads;

	size_t      room, piece_bytes, of_sample;
} windows[] = {
	{ "blocks are full of small records", WINDOW(2, 32 MiB), 16, 4, 23590080, 1048576, 2097153 },
	{ "lines may leave most of them empty", WINDOW(2, 32 MiB), 0, 4, 7863300, 491456, 8193 },
	{ "so may records that are larger", WINDOW(2, 32 MiB), 300 KiB, 4, 7863300, 491456, 110 },
	{ "many threads have small pieces", WINDOW(2, 32 MiB), 16, 200, 23590080, 29487, 2097153 },
	{ "a window of few blocks has no room", WINDOW(4, 2 MiB), 16, 1, 0, 16384, 1048577 },
};

static void
check_windows(void)
{
	for (size_t r = 0; r < sizeof windows / sizeof windows[0]; r++) {
		const char *sentence = windows[r].sentence;
		const struct gs_item_window *window = &windows[r].window;
		const size_t item = windows[r].item_bytes, room = gs_item_window_room(window, item);
		const struct gs_item_tables tables = gs_item_window_tables(window, item, windows[r].threads);
		const size_t sample = gs_item_sample_most(1ull GiB, window->ranks, item);

		CHECK(room == windows[r].room, "%s: %zu bytes in a round", sentence, room);
		CHECK(tables.piece_bytes == windows[r].piece_bytes, "%s: pieces of %zu", sentence,
		      tables.piece_bytes);
		CHECK(gs_item_window_thread_bytes(&tables) % 64 == 0 &&
		      gs_item_window_thread_bytes(&tables) >=
		      tables.piece_bytes + gs_item_tables_bytes(&tables),
		      "%s: %zu a thread", sentence, gs_item_window_thread_bytes(&tables));
		CHECK(sample == windows[r].of_sample, "%s: %zu of a sample", sentence, sample);
		CHECK(gs_item_window_slots_room(window, item, window->ranks + 2) == 0 &&
		      gs_item_window_slots_room(window, item, window->ranks + 3) > 0,
		      "%s: each owner may have begun a block", sentence);
	}
	CHECK(gs_item_sample_most(64 MiB, 4, 16) == (2 MiB) / 16 + 1, "an eighth of the user's limit");
	CHECK(gs_item_sample_most(0, 4, 16) == (16 MiB) / 16 + 1, "or 64 MiB of all ranks");
}

void
unit_plan_items(void)
{
	check_jobs();
	check_stores();
	check_shares();
	check_merges();
	check_windows();
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * division.c - rows for src/engine/division.c: bins have all items, in input order
 *
 * An item is 16 bytes: a word, big endian, and its number.  The model is what bins promise: read one
 * after the other they have every number once, no item is greater than one of a
 * later bin, and the numbers within a bin ascend.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/item_store.h"
#include "tests/unit/units.h"

void unit_division(void);

enum { ITEM = 16, ITEMS = 3000, THREADS = 3, ORIGINS = 3, PIECE_MOST = 1 << 12 };

struct item {
	uint8_t  word[8];
	uint64_t number;
};

static bool
words_of(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	(void)context, (void)bytes;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		for (size_t b = 0; b < 8 && at == 0; b++)
			words[i] = words[i] << 8 | (uint8_t)items[i][b];
	}
	return false;
}

static const struct gs_item_order order = { .item_bytes = ITEM, .words = words_of };

enum keeping { IN_MEMORY, FLUSHED_ONCE, STORED };

struct row {
	const char  *about;
	size_t       piece_bytes;
	unsigned     values, bins;	/* ITEMS values: they ascend, and one thread adds them */
	unsigned     origins;
	enum keeping keeping;
	uint64_t     head;	/* 0: all are kept */
};

enum { LARGER = 6 };

static const struct row rows[] = {
	{ "in memory", 1024, 1000, 16, 1, IN_MEMORY, 0 },
	{ "one bin", 1024, 1000, 1, 1, IN_MEMORY, 0 },
	{ "equal items", 1024, 1, 16, 1, IN_MEMORY, 0 },
	{ "few values", 4096, 3, 16, 1, FLUSHED_ONCE, 0 },
	{ "items in files and in memory", 1024, 1000, 16, 1, FLUSHED_ONCE, 0 },
	{ "items in files", 1024, 1000, 64, 1, STORED, 0 },
	[LARGER] = { "items larger than a piece", 8, 1000, 16, 1, STORED, 0 },
	{ "items of several origins", 1024, 1000, 16, ORIGINS, IN_MEMORY, 0 },
	{ "items of several origins, in files", 1024, 1000, 16, ORIGINS, STORED, 0 },
	{ "a head", 1024, 1000, 16, 1, IN_MEMORY, 40 },
	{ "a head in files", 1024, 1000, 16, 1, STORED, 40 },
	{ "a head that ends in the second bin", 1024, ITEMS, 16, 1, IN_MEMORY, 200 },
	{ "a head of all", 1024, 1000, 16, 1, FLUSHED_ONCE, ITEMS },
};

static struct item items[ITEMS];
static uint16_t found[THREADS][ITEMS];
static char buffers[THREADS * PIECE_MOST], kept[THREADS * PIECE_MOST];
static const char *temp_dirs[2];

static void
make_items(unsigned values)
{
	for (size_t i = 0; i < ITEMS; i++) {
		uint64_t word = values == ITEMS ? i : units_mix(units_mix(i) % values);

		for (size_t b = 8; b-- > 0; word >>= 8)
			items[i].word[b] = (uint8_t)word;
		items[i].number = i;
	}
}

/* Add the items of all origins, a piece of each in turn, by one thread after the other. */
static gs_status
add_all(struct gs_division *division, const struct row *row)
{
	const size_t most = row->piece_bytes > ITEM ? row->piece_bytes / ITEM : 1;
	const size_t each = ITEMS / row->origins;
	const unsigned threads = row->values == ITEMS ? 1 : THREADS;
	bool flushed = false;
	uint64_t pieces = 0;

	for (size_t at = 0; at < each; at += most)
		for (unsigned o = 0; o < row->origins; o++) {
			const size_t count = each - at < most ? each - at : most, first = count / 3;
			const char *data = (const char *)&items[o * each + at];
			const struct gs_item_slice slices[] = {
				{ data, first * ITEM }, { data + first * ITEM, (count - first) * ITEM },
			};

			if (row->keeping == FLUSHED_ONCE && !flushed && at > each / 2) {
				TRY(gs_division_flush(division));
				flushed = true;
			}
			gs_division_add(division, (unsigned)(pieces++ % threads), division->row_count,
			                slices, 2);
			division->rows[division->row_count++]->origin = o;
		}
	TRY(row->keeping == STORED ? gs_division_store(division) : GS_OK);
	if (row->origins > 1)
		gs_division_order(division);
	return GS_OK;
}

/* Copy the items of BIN; returns how many. */
static gs_status
read_bin(const struct gs_division *division, unsigned bin, struct item *into, size_t *count)
{
	static struct gs_item_slice slices[ITEMS];
	char *to = (char *)into;

	if (division->extents != NULL)
		for (size_t e = 0; e < division->extents[bin].count; e++) {
			const struct gs_item_extent *extent = &division->extents[bin].list[e];

			TRY(gs_division_read(division->shared, extent, to, true));
			to += extent->bytes;
		}
	for (size_t s = 0, n = gs_division_slices(division, bin, 0, division->row_count, slices);
	     s < n; s++) {
		memcpy(to, slices[s].data, slices[s].bytes);
		to += slices[s].bytes;
	}
	*count = (size_t)(to - (char *)into) / ITEM;
	return GS_OK;
}

static void
check_bins(const struct gs_division *division, const struct row *row)
{
	static struct item got[ITEMS];
	static bool seen[ITEMS];
	const struct item *greatest = NULL;	/* of earlier bins */
	unsigned wrong = 0, used = 0;
	size_t total = 0;

	memset(seen, 0, sizeof seen);
	for (unsigned b = 0; b < division->bins->count; b++) {
		struct item *const bin = got + total, *before = total > 0 ? got : NULL;
		size_t count = 0;

		CHECK(read_bin(division, b, bin, &count) == GS_OK, "%s: bin %u is read: %s", row->about, b,
		      gs_message());
		wrong += gs_division_sum(division, division->items, b) != count ||
		         gs_division_sum(division, division->bytes, b) != count * ITEM;
		used += count > 0;
		for (size_t i = 0; i < count; i++) {
			const bool known = bin[i].number < ITEMS;

			wrong += !known || seen[bin[i].number] ||
			         memcmp(&bin[i], &items[bin[i].number], ITEM) != 0 ||
			         (i > 0 && bin[i].number < bin[i - 1].number) ||
			         (before != NULL && memcmp(&bin[i], greatest, 8) < 0);
			if (known)
				seen[bin[i].number] = true;
		}
		for (size_t i = 0; i < count; i++)
			if (greatest == NULL || memcmp(&bin[i], greatest, 8) > 0)
				greatest = &bin[i];
		total += count;
	}
	CHECK(wrong == 0, "%s: %u items or bins are wrong", row->about, wrong);
	CHECK(used > 1 || row->bins == 1 || row->values == 1, "%s: %u bins are used", row->about, used);
	CHECK(row->head > 0 ? total >= row->head : total == ITEMS, "%s: %zu of %d items", row->about,
	      total, ITEMS);
	CHECK(row->head == 0 || row->head == ITEMS || total < ITEMS, "%s: some are dropped", row->about);
	for (size_t i = 0; i < ITEMS; i++) {
		size_t less = 0;	/* items before this one, if it was dropped */

		for (size_t j = 0; j < ITEMS && !seen[i]; j++)
			less += memcmp(&items[j], &items[i], 8) < (j < i);
		wrong += !seen[i] && less < row->head;
	}
	CHECK(wrong == 0, "%s: %u items of the head were dropped", row->about, wrong);
	CHECK(division->shared->items == ITEMS, "%s: all are counted", row->about);
}

/* Open a division of the row's shape; STRIPED: each thread has memory of its own. */
static gs_status
open_division(const struct row *row, bool striped, struct gs_division_shared *shared,
              struct gs_division **division)
{
	static struct gs_item_divider dividers[THREADS];
	static struct gs_monitor monitor;
	static const char *sample[ITEMS];

	for (unsigned t = 0; t < THREADS; t++)
		dividers[t] = (struct gs_item_divider){ .found = found[t] };
	for (size_t i = 0; i < ITEMS; i++)
		sample[i] = (const char *)&items[i];
	*shared = (struct gs_division_shared){
		.order = &order, .monitor = &monitor, .threads = THREADS, .piece_bytes = row->piece_bytes,
		.dividers = dividers, .buffers = buffers, .kept = kept,
		.temp_dirs = temp_dirs, .temp_dir_count = 2, .head = row->head, .striped = striped,
	};
	TRY(gs_division_open(division, shared, 16 << 20));
	if (row->bins > 1)
		return gs_item_bins_choose((*division)->bins, &order, 0, sample, NULL, ITEMS, row->bins);
	gs_item_bins_one((*division)->bins, 0);
	return GS_OK;
}

static void
close_division(struct gs_division_shared *shared, struct gs_division *division)
{
	gs_division_close(division);
	for (unsigned f = 0; f < shared->file_count; f++)
		gs_spill_file_close(&shared->files[f]);
}

static void
check_row(const struct row *row, bool striped)
{
	struct gs_division_shared shared;
	struct gs_division *division = NULL;
	uint64_t spilled = 0;

	make_items(row->values);
	CHECK(open_division(row, striped, &shared, &division) == GS_OK &&
	      (division->stripe_bytes > 0) == striped && gs_division_room(division, 0) >= ITEMS * ITEM &&
	      gs_division_room(division, division->rows_most) == 0, "%s: there is room", row->about);
	division->row_count = division->rows_most - 9;
	CHECK(gs_division_room(division, 1) == 4 * row->piece_bytes,
	      "%s: 8 rows have room for as many pieces that are half as large", row->about);
	division->row_count = 0;
	CHECK(add_all(division, row) == GS_OK, "%s: all are added: %s", row->about, gs_message());
	check_bins(division, row);
	if (row->keeping != STORED)
		CHECK(gs_division_flush(division) == GS_OK && division->memory[0] == 0 &&
		      division->memory[division->stripe_bytes] == 0 &&
		      division->memory[2 * division->stripe_bytes] == 0,
		      "%s: memory is given back", row->about);
	for (unsigned f = 0; f < shared.file_count; f++)
		spilled += shared.files[f].end;
	CHECK(spilled > 0 && shared.spilled_bytes == spilled, "%s: %llu bytes in files", row->about,
	      (unsigned long long)shared.spilled_bytes);
	close_division(&shared, division);
}

/* Is there room for PIECES of items, each in two rows, as some are half as large, and for SMALL rows? */
static bool
fits(const struct gs_division *division, size_t pieces, size_t small)
{
	const size_t left = division->rows_most - division->row_count;
	const size_t row = sizeof(struct gs_item_row) + (division->bins->count + 1) * sizeof(uint32_t) + 128;

	return small + 2 * pieces <= left && division->used + small * row +
	       pieces * (division->shared->piece_bytes + 2 * row) <= division->limit_bytes;
}

/* There is room for as many pieces as fit, and for no more. */
static void
check_room(void)
{
	static const size_t limits[] = { 0, 999, 1000, 1001, 1500, 2900, 3000, 5000, 50000, 600000, 1 << 20 };
	static const size_t rows_left[] = { 0, 1, 2, 3, 5, 6, 9, 1000 };
	static const struct row row = { "room", 1024, 1000, 16, 1, IN_MEMORY, 0 };
	struct gs_division_shared shared;
	struct gs_division *division = NULL;
	size_t wrong = 0;

	make_items(row.values);
	CHECK(open_division(&row, false, &shared, &division) == GS_OK, "a division");
	CHECK(division->rows_most >= division->memory_bytes / 512 && division->memory_bytes == 16 << 20 &&
	      division->limit_bytes == division->memory_bytes, "has as many rows as small pieces");
	division->used = 1000;
	for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
		for (size_t left = 0; left < sizeof rows_left / sizeof rows_left[0]; left++)
			for (size_t small = 0; small < 8; small++) {
				size_t pieces;

				division->limit_bytes = limits[l];
				division->row_count = division->rows_most - rows_left[left];
				pieces = gs_division_room(division, small) / row.piece_bytes;
				wrong += (pieces > 0 && !fits(division, pieces, small)) ||
				         fits(division, pieces + 1, small) ||
				         gs_division_room(division, small) % row.piece_bytes != 0;
			}
	CHECK(wrong == 0, "%zu times it is not as many pieces as fit", wrong);
	division->row_count = 0;
	division->used = 0;
	close_division(&shared, division);
}

/* The items of files are divided again where there is memory for some of them only. */
static void
check_moved(void)
{
	static const struct row row = { "moved", 1024, 1000, 1, 1, STORED, 0 };
	struct gs_division_shared shared;
	struct gs_division *old = NULL, *division = NULL;
	static const char *sample[ITEMS];
	struct rlimit limit;

	make_items(row.values);
	for (size_t i = 0; i < ITEMS; i++)
		sample[i] = (const char *)&items[i];
	CHECK(open_division(&row, false, &shared, &old) == GS_OK && add_all(old, &row) == GS_OK &&
	      gs_division_open(&division, &shared, 16 << 10) == GS_OK &&
	      gs_item_bins_choose(division->bins, &order, 0, sample, NULL, ITEMS, 16) == GS_OK &&
	      gs_item_buckets_move(old, 0, division) == GS_OK && division->extents != NULL &&
	      gs_division_store(division) == GS_OK, "items move to a division that holds few: %s",
	      gs_message());
	check_bins(division, &(struct row){ .about = "moved", .values = row.values, .bins = 16 });
	gs_division_close(division);
	close_division(&shared, old);

	CHECK(open_division(&row, false, &shared, &old) == GS_OK && add_all(old, &row) == GS_OK &&
	      gs_division_open(&division, &shared, 512) == GS_OK &&
	      (gs_item_bins_one(division->bins, 0), gs_item_buckets_move(old, 0, division)) == GS_EBUDGET,
	      "a division that holds none: %s", gs_message());
	gs_division_close(division);
	close_division(&shared, old);

	/* what is left in memory does not fit the disk: items in pieces, or larger than a piece */
	getrlimit(RLIMIT_FSIZE, &limit);
	for (unsigned larger = 0; larger < 2; larger++) {
		const struct row full = larger ? rows[LARGER] : row;

		CHECK(open_division(&full, false, &shared, &old) == GS_OK && add_all(old, &full) == GS_OK &&
		      gs_division_open(&division, &shared, 64 << 10) == GS_OK &&
		      (gs_item_bins_one(division->bins, 0),
		       gs_item_buckets_move(old, 0, division)) == GS_OK &&
		      setrlimit(RLIMIT_FSIZE, &(struct rlimit){ .rlim_max = limit.rlim_max }) == 0 &&
		      gs_division_store(division) == GS_EIO, "a full disk: %s", gs_message());
		setrlimit(RLIMIT_FSIZE, &limit);
		gs_division_close(division);
		close_division(&shared, old);
	}
}

/* ---- packers -------------------------------------------------------------------------- */

struct reader {
	pthread_t thread;
	const struct gs_division *division;
	unsigned  packed, wrong;
};

/* All extents, many times. */
static void *
read_extents(void *argument)
{
	struct reader *reader = argument;
	struct item piece[PIECE_MOST / ITEM];

	for (unsigned turn = 0; turn < 40; turn++)
		for (unsigned b = 0; b < reader->division->bins->count; b++)
			for (size_t e = 0; e < reader->division->extents[b].count; e++) {
				const struct gs_item_extent *extent = &reader->division->extents[b].list[e];

				reader->packed += extent->stored < extent->bytes;
				if (gs_division_read(reader->division->shared, extent, (char *)piece,
				                     false) != GS_OK)
					reader->wrong++;
				for (size_t i = 0; i < extent->bytes / ITEM; i++)
					reader->wrong += piece[i].number >= ITEMS ||
					                 memcmp(&piece[i], &items[piece[i].number],
					                        ITEM) != 0;
			}
	return NULL;
}

/* Threads take turns with COUNT packers. */
static void
check_packers(unsigned count)
{
	static const struct row row = { "packers", PIECE_MOST, 1000, 4, 1, STORED, 0 };
	char *memory = malloc(gs_item_packers_bytes(count, PIECE_MOST));
	struct reader readers[THREADS] = { { .wrong = 0 } };
	struct gs_item_packers packers;
	struct gs_division_shared shared;
	struct gs_division *division = NULL;
	unsigned packed = 0, wrong = 0;

	make_items(row.values);
	CHECK(open_division(&row, false, &shared, &division) == GS_OK, "a division");
	shared.packers = &packers;
	gs_item_packers_open(&packers, "zstd", count, PIECE_MOST, memory);
	CHECK(add_all(division, &row) == GS_OK, "it is stored: %s", gs_message());
	for (unsigned t = 0; t < THREADS; t++) {
		readers[t].division = division;
		pthread_create(&readers[t].thread, NULL, read_extents, &readers[t]);
	}
	for (unsigned t = 0; t < THREADS; t++) {
		pthread_join(readers[t].thread, NULL);
		packed += readers[t].packed;
		wrong += readers[t].wrong;
	}
	CHECK(wrong == 0 && packed > 0 && packers.idle == (1u << count) - 1,
	      "%u threads read %u packed extents, %u items are wrong", (unsigned)THREADS, packed, wrong);
	close_division(&shared, division);
	gs_item_packers_close(&packers);
	free(memory);
}

/* ---- errors --------------------------------------------------------------------------- */

static void
check_errors(void)
{
	static const struct row row = { "errors", 1024, 1000, 16, 1, IN_MEMORY, 0 };
	struct gs_division_shared shared;
	struct gs_division *division = NULL, *none = NULL;
	struct gs_item_extent *extent;
	struct rlimit before, limit;
	char piece[PIECE_MOST];
	gs_status status;

	make_items(row.values);
	CHECK(open_division(&row, false, &shared, &division) == GS_OK && add_all(division, &row) == GS_OK,
	      "a division");
	CHECK(gs_division_open(&none, &shared, SIZE_MAX / 8) == GS_EBUDGET && none == NULL,
	      "too much memory is refused");
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 100;
	setrlimit(RLIMIT_FSIZE, &limit);
	status = gs_division_flush(division);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK(status == GS_EIO, "files may not grow: %d, %s", (int)status, gs_message());
	close_division(&shared, division);

	CHECK(open_division(&row, false, &shared, &division) == GS_OK && add_all(division, &row) == GS_OK &&
	      gs_division_store(division) == GS_OK, "another division, in files");
	extent = division->extents[1].count > 0 ? division->extents[1].list : division->extents[0].list;
	CHECK(gs_division_read(&shared, extent, piece, false) == GS_OK &&
	      pwrite(shared.files[extent->file].fd, "\xff", 1, (off_t)extent->at + 3) == 1 &&
	      gs_division_read(&shared, extent, piece, false) == GS_EINPUT, "a byte has changed: %s",
	      gs_message());
	extent->at += UINT64_C(1) << 40;
	CHECK(gs_division_read(&shared, extent, piece, false) == GS_EINPUT, "a file is shorter: %s",
	      gs_message());
	close_division(&shared, division);

	temp_dirs[1] = "/does/not/exist";
	CHECK(open_division(&row, false, &shared, &division) == GS_OK && add_all(division, &row) == GS_OK &&
	      gs_division_flush(division) == GS_EIO && strstr(gs_message(), temp_dirs[1]) != NULL,
	      "no such folder: %s", gs_message());
	close_division(&shared, division);
}

/* ---- spares -------------------------------------------------------------------------- */

enum { PAGE = 4096, PAGES = 12 };

/* The first and the last page that was given back to the system, and reads as zeros; then fill all. */
static void
given_back(char *memory, size_t *first, size_t *last)
{
	*first = *last = 0;
	for (size_t p = 0; p < PAGES; p++) {
		size_t zeros = 0;

		for (size_t b = 0; b < PAGE; b++)
			zeros += memory[p * PAGE + b] == 0;
		CHECK(zeros == 0 || zeros == PAGE, "page %zu: a part of it is gone", p);
		if (zeros > 0)
			*last = p;
		if (zeros > 0 && *first == 0)
			*first = p;
	}
	memset(memory, 1, PAGES * PAGE);
}

/* The largest slice of a thread is kept; whole pages of the others are given back. */
static void
check_spares(void)
{
	char *memory = aligned_alloc(PAGE, PAGES * PAGE);
	const struct gs_item_slice part = { memory + PAGE + 1, PAGE - 2 };
	const struct gs_item_slice small = { memory + 100, 3 * PAGE };
	const struct gs_item_slice large = { memory + 5 * PAGE - 1, 4 * PAGE + 1 };
	struct gs_division_shared shared = { .threads = 1 };
	struct gs_division division = { .shared = &shared };
	size_t first, last;

	memset(memory, 1, PAGES * PAGE);
	gs_division_spare(&division, 0, &part);
	given_back(memory, &first, &last);
	CHECK(last == 0, "no whole page: %zu to %zu", first, last);
	gs_division_spare(&division, 0, &small);
	given_back(memory, &first, &last);
	CHECK(first == 1 && last == 2, "without spares: %zu to %zu", first, last);
	division.spares = calloc(1, sizeof *division.spares);
	gs_division_spare(&division, 0, &small);
	given_back(memory, &first, &last);
	CHECK(last == 0 && division.spares->data == small.data, "the first is kept");
	gs_division_spare(&division, 0, &large);
	given_back(memory, &first, &last);
	CHECK(first == 1 && last == 2 && division.spares->bytes == large.bytes, "a larger one: %zu to %zu",
	      first, last);
	gs_division_spare(&division, 0, &large);
	given_back(memory, &first, &last);
	CHECK(first == 5 && last == 8, "as large a one: %zu to %zu", first, last);
	gs_division_drop_spares(&division);
	given_back(memory, &first, &last);
	CHECK(first == 5 && last == 8 && division.spares == NULL, "the last: %zu to %zu", first, last);
	gs_division_drop_spares(&division);
	free(memory);
}

void
unit_division(void)
{
	temp_dirs[0] = temp_dirs[1] = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r], r % 2 == 1);
	check_room();
	check_moved();
	check_packers(1);
	check_packers(2);
	check_errors();
	check_spares();
}

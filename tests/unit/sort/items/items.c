// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.c - rows for src/sort/items/: bounds, division, and the sort of a part
 *
 * Items are lines of any length, by the bytes before the newline or before a ';'.  Their words
 * cannot tell "a" from "a\\0", so COMPARE() decides some of them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "sort/items/divide.h"
#include "sort/items/part.h"
#include "tests/unit/units.h"

void unit_items(void);

enum { MOST_ITEMS = 3000, MOST_BYTES = 1 << 20 };

/* ---- lines as items --------------------------------------------------------------- */

static size_t
key_bytes(const char *item, size_t bytes)
{
	const char *end = memchr(item, ';', bytes);

	return end != NULL ? (size_t)(end - item) : bytes - 1;
}

static bool
words_of(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	bool more = false;

	(void)context;
	for (size_t i = 0; i < count; i++) {
		const size_t length = key_bytes(items[i], bytes[i]);

		words[i] = 0;
		for (size_t b = 0; b < 8 && at + b < length; b++)
			words[i] |= (uint64_t)(uint8_t)items[i][at + b] << (56 - 8 * b);
		more |= length > at + 8;
	}
	return more;
}

static int
compare(const void *context, const char *one, size_t one_bytes, const char *other,
        size_t other_bytes)
{
	const size_t a = key_bytes(one, one_bytes), b = key_bytes(other, other_bytes);
	const int compared = memcmp(one, other, a < b ? a : b);

	(void)context;
	return compared != 0 ? compared : a < b ? -1 : a > b;
}

/* With the bytes of words from anywhere on, and without. */
static const struct gs_item_order orders[2] = {
	{ .end = units_line_end, .words = words_of, .compare = compare },
	{ .end = units_line_end, .words = words_of, .any_at = true, .compare = compare },
};

/* ---- what is right ------------------------------------------------------------------ */

static char text[MOST_BYTES], sorted[MOST_BYTES], divided[MOST_BYTES];
static char out_of_place[100];
static const char *found[MOST_ITEMS];

/* Equal keys: by place. */
static int
compare_pointers(const void *one, const void *other)
{
	const char *a = *(const char *const *)one, *b = *(const char *const *)other;
	const int compared = compare(NULL, a, (size_t)(units_line_end(NULL, a, text + MOST_BYTES) - a), b,
	                             (size_t)(units_line_end(NULL, b, text + MOST_BYTES) - b));

	return compared != 0 ? compared : a < b ? -1 : a > b;
}

/* The lines of TEXT in order, in SORTED. */
static void
sort_right(size_t count)
{
	const char *at = text;
	char *to = sorted;

	for (size_t i = 0; i < count; i++) {
		found[i] = at;
		at = units_line_end(NULL, at, text + MOST_BYTES);
	}
	qsort(found, count, sizeof found[0], compare_pointers);
	for (size_t i = 0; i < count; i++) {
		const size_t bytes = (size_t)(units_line_end(NULL, found[i], text + MOST_BYTES) - found[i]);

		memcpy(to, found[i], bytes);
		to += bytes;
	}
}

/* ---- rows --------------------------------------------------------------------------- */

static uint64_t state;

static unsigned
draw(unsigned below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(state >> 33) % below;
}

static const struct row {
	const char *name;
	size_t      count;
	size_t      prefix;	/* bytes that all have in common */
	unsigned    length;	/* of a key, at most */
	unsigned    letters;
	unsigned    wanted;	/* bins */
	unsigned    far;	/* one of so many begins with a byte that is less or greater; 0: none */
} rows[] = {
	{ "no line", 0, 0, 4, 4, 4, 0 },
	{ "one line", 1, 0, 4, 4, 4, 0 },
	{ "few different lines", 3000, 0, 1, 3, 16, 0 },
	{ "all lines empty", 500, 0, 0, 1, 4, 0 },
	{ "all keys equal", 3000, 20, 0, 1, 16, 0 },
	{ "keys that words cannot tell apart", 3000, 24, 6, 1, 16, 0 },
	{ "NULs behind keys", 2000, 0, 12, 1, 8, 0 },
	{ "short keys", 3000, 0, 5, 250, 64, 0 },
	{ "a long common prefix", 1000, 300, 9, 4, 32, 0 },
	{ "a prefix that ends within a word", 2000, 13, 20, 2, 100, 0 },
	{ "bounds that share bytes", 3000, 3, 9, 2, 200, 0 },
	{ "ties behind a part of a word", 3000, 0, 30, 2, 1, 0 },
	{ "more bins than items", 20, 0, 9, 200, 1000, 0 },
	{ "many bounds in a cell", 3000, 6, 9, 200, 1000, 20 },
	{ "two lines in three are equal", 3000, 8, 0, 1, 16, 3 },
};

/* Letters from 0 on, without ';' and newline. */
static size_t
make_lines(const struct row *row)
{
	char *to = text;

	for (size_t i = 0; i < row->count; i++) {
		const unsigned length = row->length > 0 ? draw(row->length + 1) : 0;

		memset(to, 'p', row->prefix);
		if (row->far > 0 && draw(row->far) == 0)
			*to = draw(2) > 0 ? '!' : '~';
		to += row->prefix;
		for (unsigned b = 0; b < length; b++) {
			const unsigned letter = draw(row->letters);

			*to++ = (char)(letter >= '\n' ? letter + (letter + 1 >= ';') + 1 : letter);
		}
		to += sprintf(to, ";%zu\n", i);
	}
	return (size_t)(to - text);
}

static void
sort_part(struct gs_item_part *part, const struct gs_item_slice *slices, size_t count,
          unsigned shared)
{
	part->mark_equal = true;
	gs_item_part_collect(part, slices, count);
	gs_item_part_sort(part, shared);
}

/* Sort once more: the words that are kept are those of the items, by place. */
static bool
keeps_words(struct gs_item_part *part, const struct gs_item_slice *slice, unsigned shared)
{
	bool kept = true;

	part->mark_equal = false;
	part->keeps_words = true;
	gs_item_part_collect(part, slice, 1);
	gs_item_part_sort(part, shared);
	part->keeps_words = false;
	for (size_t i = 0; part->count > 1 && i < part->count; i++) {
		size_t bytes;
		const char *item = gs_item_part_at(part, i, &bytes);
		const uint32_t length = (uint32_t)bytes;
		uint64_t word;

		(void)part->order->words(part->order->context, &item, &length, 1, part->kept_from, &word);
		kept &= word == part->weights[part->places[i]];
	}
	return kept;
}

/* Divide all lines, with room for the lengths of MEASURED of them, sort each bin, and compare. */
static void
check_row(const struct row *row, const struct gs_item_order *order, size_t measured)
{
	enum { COPIED_AT_ONCE = 64 };
	static uint16_t bins_found[MOST_ITEMS];
	static uint64_t bin_items[GS_ITEM_BINS_MOST], memory[MOST_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	static uint32_t offsets[GS_ITEM_BINS_MOST + 1], lengths[MOST_ITEMS], room[MOST_ITEMS];
	static char out[MOST_BYTES];
	const size_t bytes = make_lines(row);
	const struct gs_item_slice halves[2] = { { text, bytes }, { text + bytes, 0 } };
	struct gs_item_divider divider = {
		.found = bins_found, .bytes = room, .lengths = measured, .items = bin_items,
	};
	struct gs_item_bins bins;
	struct gs_item_part part;
	size_t at = 0, groups = 0, right_groups = 0;

	sort_right(row->count);		/* FOUND is the lines, too */
	for (size_t i = 0; i < row->count; i++) {
		lengths[i] = (uint32_t)(units_line_end(NULL, found[i], text + bytes) - found[i]);
		right_groups += i == 0 || compare(NULL, found[i - 1], lengths[i - 1], found[i],
		                                  lengths[i]) != 0;
	}
	gs_item_bins_one(&bins, 0);
	bins.pivots = (struct gs_item_pivots){ .count = 0 };
	CHECK(row->count == 0 || gs_item_bins_choose(&bins, order, 0, found, lengths, row->count,
	                                             row->wanted) == GS_OK, "%s: no memory", row->name);
	CHECK(bins.count <= GS_ITEM_BINS_MOST, "%s: %u bins", row->name, bins.count);
	memset(bin_items, 0, sizeof bin_items);
	memset(room, 0xee, sizeof room);
	gs_items_divide(order, &bins, halves, 2, &divider, offsets, divided);
	for (size_t i = measured; i < MOST_ITEMS; i++)
		CHECK(room[i] == 0xeeeeeeee, "%s: %zu lengths are stored, not %zu", row->name, i + 1,
		      measured);
	gs_item_part_init(&part, order, memory, MOST_ITEMS);
	for (unsigned b = 0; b < bins.count; b++) {
		const struct gs_item_slice slice = { divided + offsets[b], offsets[b + 1] - offsets[b] };

		sort_part(&part, &slice, 1, gs_item_bins_shared(&bins, b));
		CHECK(part.count == bin_items[b], "%s: bin %u has %zu items", row->name, b, part.count);
		gs_item_part_gather(&part, 0, 0, out + at);
		gs_item_part_select(&part, 1, UINT64_MAX);
		groups += part.count;
		CHECK(!gs_item_bins_are_equal(&bins, order, b, true) || part.count <= 1,
		      "%s: bin %u has items that are not equal", row->name, b);
		CHECK(keeps_words(&part, &slice, gs_item_bins_shared(&bins, b)), "%s: bin %u keeps words",
		      row->name, b);
		at += gs_item_part_gather(&part, 0, 0, out + at);
	}
	CHECK(at == bytes && memcmp(out, sorted, bytes) == 0, "%s: sorted and stable", row->name);
	CHECK(groups == right_groups, "%s: %zu groups, not %zu", row->name, groups, right_groups);
	/* once more, without the bins behind the first half: their items are counted and not copied */
	divider.keep = bins.count / 2;
	if (divider.keep > 0) {
		const uint32_t kept = offsets[divider.keep];
		uint64_t others = 0;
		size_t written = 0;

		for (unsigned b = divider.keep; b < bins.count; b++)
			others += bin_items[b];
		memset(bin_items, 0, sizeof bin_items);
		memset(out, '#', bytes);	/* which no line has */
		gs_items_divide(order, &bins, halves, 2, &divider, offsets, out);
		for (size_t b = (size_t)kept + COPIED_AT_ONCE; b < bytes; b++)
			written += out[b] != '#';
		CHECK(written == 0, "%s: %zu bytes of other bins are written", row->name, written);
		CHECK(offsets[bins.count] == kept && memcmp(out, divided, kept) == 0, "%s: half of the bins",
		      row->name);
		CHECK(divider.dropped == others, "%s: %llu items are dropped, not %llu", row->name,
		      (unsigned long long)divider.dropped, (unsigned long long)others);
	}
	gs_item_bins_close(&bins);
}

/* ---- what the items of a bin share ---------------------------------------------------- */

static const struct {
	const char *says;
	uint64_t bounds[2];
	size_t   bound_count;
	unsigned bin, shared;
} shares[] = {
	{ "words below the first bound", { 8 }, 1, 0, 7 },
	{ "one word below it", { 1 }, 1, 0, 8 },
	{ "words of all bytes", { UINT64_MAX }, 1, 0, 0 },
	{ "words from the last bound on", { 8 }, 1, 1, 0 },
	{ "the greatest words", { UINT64_MAX - 255 }, 1, 1, 7 },
	{ "words between two bounds", { 0x100, 0x200 }, 2, 1, 7 },
	{ "up to the one before the bound", { 0x100, 0x201 }, 2, 1, 6 },
	{ "from the bound on", { 0xff, 0x200 }, 2, 1, 6 },
	{ "one word between two bounds", { 5, 6 }, 2, 1, 8 },
	{ "the greatest word alone", { UINT64_MAX }, 1, 1, 8 },
};

static void
check_shares(void)
{
	for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
		struct gs_item_bins bins;
		unsigned shared;

		gs_item_bins_one(&bins, 0);
		bins.pivots = (struct gs_item_pivots){ .count = 0 };
		bins.count = (unsigned)shares[s].bound_count + 1;
		bins.bound_count = shares[s].bound_count;
		bins.bound_steps = (size_t)shares[s].bounds[0] - 1;	/* it does not matter */
		memcpy(bins.bounds, shares[s].bounds, sizeof shares[s].bounds);
		shared = gs_item_bins_shared(&bins, shares[s].bin);
		CHECK(shared == shares[s].shared, "%s share %u bytes, not %u", shares[s].says, shared,
		      shares[s].shared);
	}
}

/* ---- which bounds are chosen, and what lies between ------------------------------------ */

/* A sample of COUNT items.  The words before COMMON are 7; the next one has VALUES values, evenly spaced by
 * STEP from LOW on, but in the last GREATEST items the greatest.  More words are 0; with COMPARE(), items
 * differ by their numbers, or not.  No bounds: pivots. */
struct bounds_row {
	const char *says;
	size_t   count, values, greatest;
	uint64_t low, step;
	unsigned wanted, from, common, word_bytes;
	int      (*compare)(const void *, const char *, size_t, const char *, size_t);
	size_t   bound_count;
	uint64_t bounds[6];
};

static uint64_t probed[16];	/* the words of the first items, if PROBES */
static bool probes;
static size_t wrong_lengths;

static uint32_t
number_of(const char *item)
{
	uint32_t number;

	memcpy(&number, item, sizeof number);
	return number;
}

static bool
words_between(const void *context, const char *const *items, const uint32_t *bytes, size_t count, unsigned at,
              uint64_t *words)
{
	const struct bounds_row *row = context;

	for (size_t i = 0; i < count; i++) {
		const uint32_t number = number_of(items[i]);

		wrong_lengths += bytes[i] != 4 + number % 5;
		words[i] = at / 8 < row->common ? 7 : at / 8 > row->common ? 0 : probes ? probed[number]
		           : number >= row->count - row->greatest ? UINT64_MAX
		           : row->low + number * row->values / row->count * row->step;
	}
	return at / 8 < row->common;
}

static int
compare_numbers(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	const uint32_t a = number_of(one), b = number_of(other);

	(void)context, (void)one_bytes, (void)other_bytes;
	return (a > b) - (a < b);
}

static int
compare_equal(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	(void)context, (void)one, (void)one_bytes, (void)other, (void)other_bytes;
	return 0;
}

static const struct bounds_row bounds_rows[] = {
	{ "even words", 100, 100, 0, 0, 10, 4, 0, 0, 0, NULL, 3, { 250, 500, 750 } },
	{ "two bins at least", 100, 100, 0, 0, 10, 1, 0, 0, 0, NULL, 1, { 500 } },
	{ "words of many batches", 2000, 2000, 0, 3, 1, 4, 0, 0, 0, NULL, 3, { 503, 1003, 1503 } },
	{ "three words", 100, 3, 0, 0, 10, 8, 0, 0, 0, NULL, 6, { 0, 1, 10, 11, 20, 21 } },
	{ "the greatest word", 100, 1, 50, 5, 1, 4, 0, 0, 0, NULL, 2, { 5, UINT64_MAX } },
	{ "equal words", 100, 1, 0, 9, 1, 4, 0, 0, 0, NULL, 2, { 9, 10 } },
	{ "equal words, the greatest", 100, 1, 0, UINT64_MAX, 1, 4, 0, 0, 0, NULL, 1, { UINT64_MAX } },
	{ "words behind one", 100, 100, 0, 5, 10, 4, 0, 1, 0, NULL, 3, { 255, 505, 755 } },
	{ "words behind many", 100, 3, 0, 0, 10, 8, 300, 400, 0, NULL, 6, { 0, 1, 10, 11, 20, 21 } },
	{ "equal words behind others", 100, 1, 0, 9, 1, 4, 2, 5, 0, NULL, 2, { 9, 10 } },
	{ "equal words that decide", 100, 1, 0, 9, 1, 4, 0, 0, 9, compare_numbers, 2, { 9, 10 } },
	{ "equal words that do not", 100, 1, 0, 9, 1, 4, 0, 0, 8, compare_numbers, 0, { 0 } },
	{ "behind two, that do not", 100, 1, 0, 9, 1, 4, 0, 2, 24, compare_numbers, 0, { 0 } },
	{ "words that do not decide", 100, 3, 0, 0, 10, 8, 0, 0, 8, compare_numbers, 6,
	  { 0, 1, 10, 11, 20, 21 } },
	{ "equal items", 100, 1, 0, 9, 1, 4, 0, 0, 0, compare_equal, 0, { 0 } },
	{ "equal items behind others", 100, 1, 0, 9, 1, 4, 1, 3, 0, compare_equal, 0, { 0 } },
	{ "many pivots", 3000, 1, 0, 9, 1, 100000, 0, 0, 0, compare_numbers, 0, { 0 } },
};

static void
check_between(const struct bounds_row *row)
{
	const struct gs_item_order order = {
		.end = units_line_end, .words = words_between, .compare = row->compare,
		.word_bytes = row->word_bytes, .context = row,
	};
	static struct gs_item_bins bins;
	static uint32_t lengths[MOST_ITEMS];
	const bool outer = row->common > row->from, pivots = row->bound_count == 0;
	const bool decide = row->compare == NULL || 8 * row->common + 8 < row->word_bytes;
	uint16_t of_probes[16];
	size_t wrong = 0, probe_count = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		memcpy(text + 16 * i, &i, sizeof i);
		found[i] = text + 16 * i;
		lengths[i] = 4 + i % 5;
	}
	probes = false;
	wrong_lengths = 0;
	bins.pivots.count = 9;		/* of other items */
	CHECK(gs_item_bins_choose(&bins, &order, row->from, found, lengths, row->count,
	                          row->wanted) == GS_OK && wrong_lengths == 0, "%s: %s", row->says,
	      gs_message());
	CHECK(pivots ? bins.pivots.count > 0 && bins.count == 2 * bins.pivots.count + 1 &&
	               bins.count <= GS_ITEM_BINS_MOST && bins.level == row->common + 1
	             : bins.pivots.count == 0 && bins.bound_count == row->bound_count &&
	               bins.count == row->bound_count + 1 + 2 * outer && bins.level == row->common &&
	               memcmp(bins.bounds, row->bounds, row->bound_count * sizeof *row->bounds) == 0,
	      "%s: %zu bounds, from %llu on, %zu pivots, %u bins, level %u", row->says, bins.bound_count,
	      (unsigned long long)bins.bounds[0], bins.pivots.count, bins.count, bins.level);
	for (unsigned b = 0; b < bins.count; b++) {
		const bool ends = b == 0 || b == bins.count - 1;
		const size_t inner = b - outer;
		const uint64_t *above = row->bounds + inner;
		const bool one = !pivots && !(outer && ends) && inner > 0 &&
		                 (above[-1] == UINT64_MAX ||
		                  (inner < row->bound_count && above[0] - above[-1] == 1));
		const unsigned level = ends && (outer || pivots) ? row->from : row->common + (pivots || one);

		wrong += gs_item_bins_level(&bins, b) != level ||
		         gs_item_bins_are_equal(&bins, &order, b, true) != (pivots && b % 2 == 1) ||
		         gs_item_bins_are_equal(&bins, &order, b, false) !=
		         (pivots ? b % 2 == 1 : one && decide);
	}
	CHECK(wrong == 0, "%s: %zu of %u bins are wrong", row->says, wrong, bins.count);
	probed[probe_count++] = 0;
	for (size_t b = 0; b < row->bound_count; b++)
		for (uint64_t word = row->bounds[b] - (b % 2 == 0 && row->bounds[b] > 0);
		     probe_count < 15 && word <= row->bounds[b] && word < UINT64_MAX; word++)
			probed[probe_count++] = word;
	probed[probe_count++] = UINT64_MAX;
	probes = true;
	for (size_t i = 0; i < probe_count && !pivots; i++) {
		size_t bin = outer;

		for (size_t b = 0; b < row->bound_count; b++)
			bin += row->bounds[b] <= probed[i];
		(void)gs_item_bins_find(&bins, &order, found + i, lengths + i, 1, of_probes);
		CHECK(of_probes[0] == bin, "%s: %llu is in bin %u, not %zu", row->says,
		      (unsigned long long)probed[i], of_probes[0], bin);
	}
	gs_item_bins_close(&bins);
	CHECK(bins.pivots.arena.base == NULL, "%s: memory of pivots is given back", row->says);
}

/* ---- ties ----------------------------------------------------------------------------- */

static int
differ(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	(void)context, (void)one, (void)one_bytes, (void)other, (void)other_bytes;
	return 1;
}

/* COMPARE() is called only if words that tie and end do not decide. */
static void
check_ties(void)
{
	for (unsigned word_bytes = 0; word_bytes <= 16; word_bytes += 8) {
		const struct gs_item_order order = {
			.end = units_line_end, .words = words_of, .compare = differ,
			.word_bytes = word_bytes,
		};
		const char *items[] = { "a;1\n", "a;2\n" };
		uint32_t bytes[] = { 4, 4 };
		uint64_t words[2], nexts[2];
		struct gs_item_batch batch = {
			.items = items, .bytes = bytes, .words = words, .nexts = nexts, .count = 2,
		};

		gs_item_batch_words(&order, &batch);
		CHECK(gs_item_batch_compare(&order, &batch, 0, &batch, 1) == (word_bytes < 16),
		      "words of at most %u bytes", word_bytes);
	}
}

/* ---- records of every width, and keys that differ at one level ------------------------ */

static bool
words_of_record(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
                unsigned at, uint64_t *words)
{
	const size_t key = *(const size_t *)context;

	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		for (size_t b = at; b < at + 8 && b < key; b++)
			words[i] |= (uint64_t)(uint8_t)items[i][b] << (56 - 8 * (b % 8));
	}
	return key > at + 8;
}

static size_t record_key;

static int
compare_records(const void *one, const void *other)
{
	const char *a = *(const char *const *)one, *b = *(const char *const *)other;
	const int compared = memcmp(a, b, record_key);

	return compared != 0 ? compared : a < b ? -1 : a > b;
}

/*
 * Divide records of so many BYTES by their first KEY ones, and sort each bin.  The first COMMON bytes are the
 * same in all records but a few, in which a byte of word LEVEL differs by 1, and without which the bins are
 * chosen.  Behind the key are places, if there is room.  All bits of the key are set in all records but one
 * of OTHERS; 0: in none.
 */
static void
check_records(size_t bytes, size_t key, size_t common, unsigned level, size_t others)
{
	enum { COUNT = 1200 };
	static uint16_t bins_found[COUNT];
	static uint64_t bin_items[GS_ITEM_BINS_MOST], memory[COUNT * GS_ITEM_PART_BYTES / 8 + 8];
	static uint32_t offsets[GS_ITEM_BINS_MOST + 1];
	static char out[MOST_BYTES];
	const struct gs_item_order order = {
		.item_bytes = bytes, .words = words_of_record, .context = &record_key,
	};
	const size_t count = COUNT * bytes <= MOST_BYTES ? COUNT : MOST_BYTES / bytes;
	const struct gs_item_slice halves[2] = {
		{ text, count / 3 * bytes }, { text + count / 3 * bytes, (count - count / 3) * bytes }
	};
	struct gs_item_divider divider = { .found = bins_found, .items = bin_items };
	struct gs_item_bins bins;
	struct gs_item_part part;
	size_t sampled = 0, at = 0;

	record_key = key;
	for (size_t i = 0; i < count; i++) {
		char *record = text + i * bytes;

		for (size_t b = 0; b < bytes; b++)
			record[b] = (char)(b < common ? 'a' + b % 19 : b < key ? draw(256)
			                   : i >> (8 * (b - key)));
		if (others > 0 && i % others < others - 1)
			memset(record, 0xff, key);
		if (common > 0 && draw(8) == 0)
			record[8 * level + draw(8)] += (char)(draw(2) == 0 ? -1 : 1);
		else
			found[sampled++] = record;
	}
	gs_item_bins_one(&bins, 0);
	bins.pivots = (struct gs_item_pivots){ .count = 0 };
	CHECK(gs_item_bins_choose(&bins, &order, 0, found, NULL, sampled, 20) == GS_OK && bins.count > 1,
	      "records of %zu bytes: %u bins", bytes, bins.count);
	memset(bin_items, 0, sizeof bin_items);
	gs_items_divide(&order, &bins, halves, 2, &divider, offsets, divided);
	CHECK(common == 0 || bins.pivots.count > 0 ||
	      bin_items[0] + bin_items[bins.count - 1] == count - sampled,
	      "other words at level %u: only they are in the outer bins", level);
	gs_item_part_init(&part, &order, memory, COUNT);
	for (unsigned b = 0; b < bins.count; b++) {
		const struct gs_item_slice slice = { divided + offsets[b], offsets[b + 1] - offsets[b] };

		sort_part(&part, &slice, 1, gs_item_bins_shared(&bins, b));
		at += gs_item_part_gather(&part, 0, 0, out + at);
	}
	for (size_t i = 0; i < count; i++)
		found[i] = text + i * bytes;
	qsort(found, count, sizeof found[0], compare_records);
	for (size_t i = 0; i < count && at == count * bytes; i++)
		at -= memcmp(out + i * bytes, found[i], bytes) != 0;
	CHECK(at == count * bytes, "records of %zu bytes, a key of %zu, others at level %u: in order", bytes,
	      key, level);
	/* once more, without the last bin */
	at = offsets[bins.count - 1];
	divider.keep = bins.count - 1;
	gs_items_divide(&order, &bins, halves, 2, &divider, offsets, out);
	CHECK(offsets[bins.count] == at && memcmp(out, divided, at) == 0,
	      "records of %zu bytes: all bins but one", bytes);
	gs_item_bins_close(&bins);
	/* all in one bin, as they are */
	gs_item_bins_one(&bins, 0);
	divider.keep = 0;
	divider.more = false;
	bin_items[0] = 5;
	gs_items_divide(&order, &bins, halves, 2, &divider, offsets, out);
	CHECK(bin_items[0] == 5 + count && offsets[0] == 0 && offsets[1] == count * bytes && divider.more &&
	      memcmp(out, text, count * bytes) == 0, "records of %zu bytes: one bin", bytes);
}

/* All pairs of 27 items whose first words tie, by two more words; some of these are made. */
static void
check_batches(size_t nexts_from, size_t ties, bool two)
{
	enum { COUNT = 27 };
	static const size_t key = 24;
	const struct gs_item_order order = { .item_bytes = 24, .words = words_of_record, .context = &key };
	const char *items[COUNT];
	size_t wrong = 0;

	memset(text, 0, COUNT * key);
	for (size_t i = 0; i < COUNT; i++) {
		items[i] = text + i * key;
		text[i * key + 7] = (char)(i % 3);
		text[i * key + 15] = (char)(i / 3 % 3);
		text[i * key + 23] = (char)(i / 9);
	}
	for (size_t a = 0; a < COUNT; a++)
		for (size_t b = a % 3; b < COUNT; b += 3) {
			uint64_t words[2][COUNT], nexts[2][COUNT];
			struct gs_item_batch batch[2];
			int compared, right = memcmp(items[a], items[b], key);

			for (unsigned t = 0; t < 2; t++) {
				batch[t] = (struct gs_item_batch){
					.items = items, .words = words[t], .nexts = nexts[t], .count = COUNT,
				};
				gs_item_batch_words(&order, &batch[t]);
				(void)order.words(order.context, items, NULL, COUNT, 8, nexts[t]);
				for (size_t i = 0; i < nexts_from; i++)
					nexts[t][i] = units_mix(i + t);
				batch[t].nexts_from = nexts_from;
				batch[t].ties = ties;
			}
			compared = gs_item_batch_compare(&order, &batch[0], a, &batch[two], b);
			wrong += (compared > 0) != (right > 0) || (compared < 0) != (right < 0);
		}
	CHECK(wrong == 0, "second words from %zu on, %zu ties, %d batches: %zu are wrong", nexts_from, ties,
	      two + 1, wrong);
}

/* ---- pivots ------------------------------------------------------------------------- */

/* Items of so many BYTES, in order: eight of 'k', a number, more of 'p'.  The number is that of the group. */
static const struct pivot_row {
	const char *says;
	size_t bytes, count, wanted;
	size_t group, repeated;		/* items of a group; of the first one */
	size_t pivots, of[5];		/* and their groups */
} pivot_rows[] = {
	{ "a sample of some", 11, 800, 4, 1, 0, 4, { 100, 300, 500, 700 } },
	{ "of all", 11, 10, 4, 1, 0, 4, { 1, 3, 6, 8 } },
	{ "one", 11, 9, 1, 1, 0, 1, { 4 } },
	{ "of a single item", 11, 1, 5, 1, 0, 1, { 0 } },
	{ "groups of many", 11, 3000, 3, 250, 0, 3, { 2, 6, 10 } },
	{ "equal ones are one", 11, 800, 4, 1, 600, 2, { 0, 100 } },
	{ "groups of equal ones", 11, 800, 4, 400, 0, 2, { 0, 1 } },
	{ "as many as have room", 128 << 10, 32, 4, 1, 0, 2, { 4, 12 } },
	{ "one that has none", (256 << 10) + 1, 32, 4, 1, 0, 1, { 4 } },
};

static void
check_pivots(const struct pivot_row *row)
{
	const struct gs_item_order by = {
		.item_bytes = row->bytes, .words = words_of_record, .context = &record_key,
	};
	char *of_all = malloc(row->count * row->bytes);
	struct gs_item_pivots pivots = { .count = 0 };
	size_t right = 0;

	record_key = 11;
	for (size_t i = 0; i < row->count; i++) {
		const size_t group = i < row->repeated ? 0 : (i - row->repeated) / row->group;

		memset(of_all + i * row->bytes, 'p', row->bytes);
		memset(of_all + i * row->bytes, 'k', 8);
		of_all[i * row->bytes + 8] = (char)(group / 256);
		of_all[i * row->bytes + 9] = (char)(group % 256);
		/* a sample of all is put in order */
		found[row->count <= 8 * row->wanted ? row->count - 1 - i : i] = of_all + i * row->bytes;
	}
	CHECK(gs_item_pivots_choose(&pivots, &by, 1, found, NULL, row->count, row->wanted) == GS_OK,
	      "pivots: %s", row->says);
	CHECK(pivots.count == row->pivots, "pivots: %s: %zu", row->says, pivots.count);
	for (size_t p = 0; p < pivots.count && pivots.count == row->pivots; p++) {
		const size_t group = (uint8_t)pivots.items[p][8] * 256U + (uint8_t)pivots.items[p][9];
		uint16_t bin = 0;
		const char *item = pivots.items[p];

		CHECK(group == row->of[p] && pivots.bytes[p] == row->bytes &&
		      pivots.items[p][row->bytes - 1] == 'p', "pivots: %s: %zu is of %zu", row->says, p,
		      group);
		gs_item_pivots_find(&pivots, &by, 1, &item, NULL, 1, &bin);
		right += bin == 2 * p + 1;
	}
	CHECK(right == pivots.count, "pivots: %s: each is found", row->says);
	gs_arena_close(&pivots.arena);
	free(of_all);
}

/* ---- ties that a text decides ------------------------------------------------------- */

/* A line is a letter, which is its first word, a text in which case does not matter, and after ';' a number
 * of five digits, which is the word from byte 16 on.  A line has one of TEXTS texts,
 * and one of NUMBERS numbers. */
static const struct text_row {
	unsigned count, letters, texts, numbers;
} text_rows[] = {
	{ 9, 1, 1, 90000 }, { 9, 1, 2, 90000 }, { 200, 1, 3, 90000 }, { 200, 3, 5, 90000 }, { 200, 1, 5, 3 },
	{ 9, 1, 6, 90000 }, { 2000, 9, 31, 90000 }, { 2000, 2, 32, 4 }, { 2000, 1, 32, 90000 },
	{ 2000, 1, 33, 90000 }, { 2000, 20, 60, 2 },
};

static size_t compared, texts_at;

static size_t
folded_text(const char *item, size_t bytes, char *into)
{
	const size_t length = key_bytes(item, bytes) - 1;

	for (size_t i = 0; i < length; i++)
		into[i] = (char)(item[1 + i] | 0x20);
	return length;
}

static bool
words_around_text(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
                  unsigned at, uint64_t *words)
{
	(void)context;
	for (size_t i = 0; i < count; i++) {
		words[i] = at == 0 ? (uint64_t)(uint8_t)items[i][0] << 56 : 0;
		for (size_t b = 0; at == 16 && b < 5; b++)
			words[i] = words[i] << 8 | (uint8_t)items[i][bytes[i] - 6 + b];
	}
	return false;
}

static unsigned
text_of(const void *context, unsigned at, const char *item, size_t bytes, const char **of_item,
        size_t *length)
{
	(void)context;
	*of_item = item + 1;
	*length = key_bytes(item, bytes) - 1;
	return at < 16 ? 16 : 0;
}

static int
compare_text_of(const void *context, unsigned at, const char *one, size_t one_bytes, const char *other,
                size_t other_bytes)
{
	char a[16], b[16];
	const size_t a_length = folded_text(one, one_bytes, a), b_length = folded_text(other, other_bytes, b);
	const int result = memcmp(a, b, a_length < b_length ? a_length : b_length);

	(void)context;
	texts_at += at >= 16;
	return result != 0 ? result : (a_length > b_length) - (a_length < b_length);
}

static int
compare_with_text(const void *context, const char *one, size_t one_bytes, const char *other,
                  size_t other_bytes)
{
	const int texts = compare_text_of(context, 0, one, one_bytes, other, other_bytes);

	compared++;
	return *one != *other ? *one - *other : texts != 0 ? texts
	       : memcmp(one + one_bytes - 6, other + other_bytes - 6, 5);
}

static size_t
line_bytes(const char *line)
{
	return (size_t)(units_line_end(NULL, line, text + MOST_BYTES) - line);
}

static int
compare_lines_with_text(const void *one, const void *other)
{
	const char *a = *(const char *const *)one, *b = *(const char *const *)other;
	const size_t a_bytes = line_bytes(a), b_bytes = line_bytes(b);
	const int result = compare_with_text(NULL, a, a_bytes, b, b_bytes);

	return result != 0 ? result : a < b ? -1 : a > b;
}

/* Few texts are ordered once, and then no two lines are compared; equal lines are reported. */
static void
check_texts(const struct text_row *row, bool marks)
{
	static uint64_t memory[MOST_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	const struct gs_item_order order = {
		.end = units_line_end, .words = words_around_text, .any_at = true,
		.compare = compare_with_text, .text = text_of, .compare_text = compare_text_of,
	};
	struct gs_item_slice slice = { text, 0 };
	struct gs_item_part part;
	size_t wrong = 0;

	for (unsigned i = 0; i < row->count; i++) {
		const unsigned t = draw(row->texts);
		const unsigned number = row->numbers > row->count ? (row->count - i) * 7919 % row->numbers
		                                                  : draw(row->numbers);

		found[i] = text + slice.bytes;
		/* two neighbours differ by case only */
		slice.bytes += (size_t)sprintf(text + slice.bytes, "%c%c%.*s;%05u\n",
		                               'a' + (int)draw(row->letters),
		                               (t % 2 == 0 ? 'a' : 'A') + (int)(t / 2 * 7 % 26),
		                               (int)(t / 32), "bb", number);
	}
	gs_item_part_init(&part, &order, memory, MOST_ITEMS);
	part.mark_equal = marks;
	gs_item_part_collect(&part, &slice, 1);
	compared = texts_at = 0;
	gs_item_part_sort(&part, 0);
	CHECK(texts_at == 0, "%u texts: they are behind the first word", row->texts);
	CHECK(marks || row->numbers < row->count || (compared == 0) == (row->texts <= 32),
	      "%u texts: %zu lines are compared", row->texts, compared);
	qsort(found, row->count, sizeof found[0], compare_lines_with_text);
	for (size_t i = 0; i < row->count; i++) {
		size_t bytes;

		wrong += gs_item_part_at(&part, i, &bytes) != found[i];
		if (marks && i > 0)
			wrong += part.equal[i] != (compare_with_text(NULL, found[i - 1],
				line_bytes(found[i - 1]), found[i], line_bytes(found[i])) == 0);
	}
	CHECK(wrong == 0, "%u lines of %u texts, %u letters: %zu are wrong", row->count, row->texts,
	      row->letters, wrong);
}

/* ---- words of any width ------------------------------------------------------------- */

/* A record is a word, eight bytes that differ in the last one at most, and its number. */
enum { WORD_RECORD = 24, WORD_KEY = 16 };

static size_t uneven;	/* calls for bytes of words that the order does not have */

static bool
words_of_key(const void *context, const char *const *items, const uint32_t *bytes, size_t count, unsigned at,
             uint64_t *words)
{
	static const size_t key = WORD_KEY;
	const struct gs_item_order *order = context;

	uneven += at % 8 > 0 && !order->any_at;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		for (size_t b = 0; b < 8 && at + b < key; b++)
			words[i] |= (uint64_t)(uint8_t)items[i][at + b] << (56 - 8 * b);
	}
	(void)bytes;
	return key > at + 8;
}

/* BITS differ: in any byte, in the last one only, or only behind the word. */
static void
check_words(size_t count, unsigned bits, bool any_at)
{
	static uint64_t memory[MOST_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	struct gs_item_order order = { .item_bytes = WORD_RECORD, .words = words_of_key, .any_at = any_at };
	const struct gs_item_slice slice = { text, count * WORD_RECORD };
	struct gs_item_part part;
	uint64_t word = 0;
	size_t wrong = 0;

	order.context = &order;
	for (size_t i = 0; i < count; i++) {
		char *record = text + i * WORD_RECORD;

		word = i % 4 == 0 ? units_mix(i) >> (64 - bits) | 1 : i % 4 == 2 ? word ^ 1 : word;
		for (unsigned b = 0; b < 8; b++)
			record[b] = (char)(word >> (56 - 8 * b));
		memset(record + 8, 'p', 7);
		record[15] = (char)('a' - i % 2);
		memcpy(record + WORD_KEY, &i, sizeof i);
		found[i] = record;
	}
	uneven = 0;
	record_key = WORD_KEY;
	qsort(found, count, sizeof found[0], compare_records);
	for (unsigned marks = 0; marks < 2; marks++) {
		gs_item_part_init(&part, &order, memory, MOST_ITEMS);
		part.mark_equal = marks > 0;
		gs_item_part_collect(&part, &slice, 1);
		gs_item_part_sort(&part, 0);
		for (size_t i = 0; i < count; i++) {
			size_t bytes;

			wrong += gs_item_part_at(&part, i, &bytes) != found[i];
			wrong += marks > 0 && i > 0 &&
			         part.equal[i] != (memcmp(found[i - 1], found[i], WORD_KEY) == 0);
		}
	}
	CHECK(wrong == 0 && uneven == 0, "%zu words of %u bits%s: %zu are wrong, %zu uneven", count, bits,
	      any_at ? ", any bytes" : "", wrong, uneven);
}

/* Item I has I words of 0 before it differs: each word tells one item from all others. */
static bool
words_of_stairs(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
                unsigned at, uint64_t *words)
{
	(void)context, (void)bytes;
	for (size_t i = 0; i < count; i++)
		words[i] = (size_t)(items[i] - text) / sizeof(uint32_t) == at / 8;
	return at / 8 < MOST_ITEMS;
}

static void *
sort_stairs(void *context)
{
	gs_item_part_sort(context, 0);
	return NULL;
}

/* A large group within a group needs no deep recursion, so a small stack is enough. */
static void
check_stairs(void)
{
	static const struct gs_item_order stairs = {
		.item_bytes = sizeof(uint32_t), .words = words_of_stairs,
	};
	static uint64_t memory[MOST_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	const struct gs_item_slice slice = { text, MOST_ITEMS * sizeof(uint32_t) };
	struct gs_item_part part;
	pthread_attr_t attributes;
	pthread_t thread;
	size_t wrong = 0;
	bool started;

	for (uint32_t i = 0; i < MOST_ITEMS; i++)
		memcpy(text + i * sizeof i, &i, sizeof i);
	gs_item_part_init(&part, &stairs, memory, MOST_ITEMS);
	gs_item_part_collect(&part, &slice, 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	started = pthread_create(&thread, &attributes, sort_stairs, &part) == 0;
	CHECK(started, "a thread with a small stack");
	if (started)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	for (size_t i = 0; i < MOST_ITEMS; i++)
		wrong += part.places[i] != MOST_ITEMS - 1 - i;
	CHECK(wrong == 0, "stairs: %zu are wrong", wrong);
}

/* A part of each record. */
static void
check_gather(size_t bytes)
{
	static uint64_t memory[100 * GS_ITEM_PART_BYTES / 8 + 8];
	const struct gs_item_order order = {
		.item_bytes = bytes, .words = words_of_record, .context = &record_key,
	};
	const struct gs_item_slice slice = { text, 50 * bytes };
	struct gs_item_part part;
	char out[64 * 32];

	record_key = bytes;
	for (size_t b = 0; b < slice.bytes; b++)
		text[b] = (char)draw(256);
	gs_item_part_init(&part, &order, memory, 100);
	gs_item_part_collect(&part, &slice, 1);
	gs_item_part_sort(&part, 0);
	for (size_t at = 0; at < bytes; at++)
		for (size_t cut = 0; cut <= bytes - at; cut++) {
			const size_t each = cut > 0 ? cut : bytes - at;
			size_t wrong = gs_item_part_gather(&part, at, cut, out) != 50 * each;

			for (size_t i = 0; i < 50; i++)
				wrong += memcmp(out + i * each, part.items[part.places[i]] + at, each) != 0;
			CHECK(wrong == 0, "%zu of %zu bytes, from %zu on: %zu are wrong", cut, bytes, at,
			      wrong);
		}
}

/* ---- sets --------------------------------------------------------------------------- */

/* Each group has 0 .. 3 items of each operand, and there is a group of each kind. */
enum { SET_MOST = 3, SET_SIZES = 4, SET_ITEMS = 64 * 9 };

/* The items kept from a group whose operands have SIZES items, from FIRSTS on: their places go to TO. */
static size_t
keep_right(const struct gs_item_set *set, const uint32_t *sizes, const uint32_t *firsts, uint32_t *to)
{
	size_t kept = 0;

	for (unsigned o = 0; o < set->operands; o++) {
		const size_t size = set->distinct && sizes[o] > 0 ? 1 : sizes[o];
		uint32_t places[SET_ITEMS] = { 0 };
		size_t count = 0;

		for (uint32_t i = 0; i < kept || i < size; i++) {
			const bool a = i < kept, b = i < size;
			const unsigned passes = a && b ? GS_KEEP_BOTH : a ? GS_KEEP_A : GS_KEEP_B;

			if (o == 0 || (passes & set->keep) != 0)
				places[count++] = a ? to[i] : firsts[o] + i;
		}
		memcpy(to, places, count * sizeof *to);
		kept = count;
	}
	return kept;
}

static void
check_set(const struct gs_item_set *set, bool groups, uint64_t least, uint64_t most)
{
	static uint64_t memory[SET_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	uint32_t ends[SET_MOST], next[SET_MOST], right[SET_ITEMS] = { 0 }, sizes[SET_MOST];
	unsigned combinations = 1, each = 0;
	uint64_t times[SET_ITEMS] = { 0 };
	struct gs_item_part part;
	size_t count = 0;

	for (unsigned o = 0; o < set->operands; o++)
		combinations *= SET_SIZES;
	each = combinations / SET_SIZES * 6;		/* 0 + 1 + 2 + 3 items of an operand */
	gs_item_part_init(&part, &orders[0], memory, SET_ITEMS);
	part.mark_equal = true;
	part.ends = ends;
	for (unsigned o = 0; o < set->operands; o++) {
		next[o] = o * each;
		ends[o] = next[o] + each;
	}
	for (unsigned c = 0; c < combinations; c++) {
		const size_t begin = part.count;
		uint32_t firsts[SET_MOST];
		size_t kept;

		for (unsigned o = 0, left = c; o < set->operands; o++, left /= SET_SIZES) {
			sizes[o] = left % SET_SIZES;
			firsts[o] = next[o];
			for (unsigned i = 0; i < sizes[o]; i++) {
				part.equal[part.count] = part.count > begin;
				part.places[part.count++] = next[o]++;
			}
		}
		kept = keep_right(set, sizes, firsts, right + count);
		times[count] = kept;
		count += groups ? kept > 0 && kept >= least && kept <= most : kept;
	}
	gs_item_part_combine(&part, set, groups, least, most);
	CHECK(part.count == count && memcmp(part.places, right, count * sizeof *right) == 0 &&
	      (!groups || memcmp(part.times, times, count * sizeof *times) == 0),
	      "set %d of %u operands, %s, groups of %llu to %llu: %zu items, not %zu", (int)set->keep,
	      set->operands, set->distinct ? "distinct" : "all", (unsigned long long)least,
	      (unsigned long long)most, part.count, count);
}

static void
check_sets(void)
{
	for (unsigned keep = 0; keep < 8; keep++)
		for (unsigned operands = 1; operands <= SET_MOST; operands++)
			for (unsigned distinct = 0; distinct < 2; distinct++) {
				const struct gs_item_set set = {
					(enum gs_set_keep)keep, operands, distinct > 0
				};

				check_set(&set, false, 0, 0);
				check_set(&set, true, 1, UINT64_MAX);
				check_set(&set, true, 2, 2);
			}
}

/* ---- items with the same bytes ------------------------------------------------------ */

static const struct fold_row {
	unsigned count, keys, payloads;
	uint64_t least, most;
	unsigned left;		/* items after a fold, at most; 0: nearly all */
	unsigned same;		/* one item in SAME is the same, the others differ; 0: KEYS are drawn */
} fold_rows[] = {
	{ 2900, 10, 3, 1, UINT64_MAX, 30, 0 },
	{ 2900, 200, 2, 14, 16, 400, 0 },
	{ 2900, 1, 1, 2900, 2900, 1, 0 },
	{ 2900, 300, 1, 1, UINT64_MAX, 300, 0 },
	{ 2900, 1000, 4, 2, UINT64_MAX, 2900, 0 },
	{ 2900, 1000000, 1, 1, 1, 0, 0 },
	{ 2900, 0, 1, 1, UINT64_MAX, 2700, 5 },	/* more keys than the table has room for */
	{ 7, 2, 1, 1, UINT64_MAX, 7, 0 },
	{ 0, 1, 1, 1, UINT64_MAX, 1, 0 },
};

/* Groups are the same with and without a fold: first items, in their order, and numbers. */
static void
check_fold(const struct fold_row *row)
{
	static uint64_t memory[2][MOST_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	static char out[2][MOST_BYTES];
	struct gs_item_part parts[2];
	size_t bytes = 0, written[2], left;

	for (unsigned i = 0; i < row->count; i++) {
		const unsigned key = row->same == 0 ? draw(row->keys) : i % row->same == 0 ? 0 : i;

		bytes += (size_t)sprintf(text + bytes, "%u%s;%u\n", key, key % 2 ? "a longer key" : "",
		                         draw(row->payloads));
	}
	for (int folds = 0; folds < 2; folds++) {
		const struct gs_item_slice slices[2] = { { text, bytes }, { text + bytes, 0 } };
		struct gs_item_part *part = &parts[folds];

		gs_item_part_init(part, &orders[1], memory[folds], MOST_ITEMS);
		part->mark_equal = true;
		gs_item_part_collect(part, slices, 2);
		if (folds)
			gs_item_part_fold(part);
		left = part->count;
		gs_item_part_sort(part, 0);
		gs_item_part_select(part, row->least, row->most);
		written[folds] = gs_item_part_gather(part, 0, 0, out[folds]);
	}
	CHECK(row->left > 0 ? left <= row->left : left > row->count / 10 * 9,
	      "fold of %u keys: %zu items are left", row->keys, left);
	CHECK(parts[0].count == parts[1].count && written[0] == written[1] &&
	      memcmp(out[0], out[1], written[0]) == 0 &&
	      memcmp(parts[0].times, parts[1].times, parts[0].count * sizeof *parts[0].times) == 0,
	      "fold of %u keys: other groups", row->keys);
}

static int
compare_hashes(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Two items with the same place in the table and the same bits of the hash may differ. */
static void
check_fold_collision(void)
{
	enum { TRIED = 200000, COUNT = 300, PLACES = 255, NUMBERS = 511 };
	static uint64_t hashes[TRIED][2], memory[MOST_ITEMS * GS_ITEM_PART_BYTES / 8 + 8];
	struct gs_item_slice slice = { text, 0 };
	struct gs_item_part part;
	char item[16];
	size_t pair = 0;

	for (uint64_t i = 0; i < TRIED; i++) {
		const uint64_t hash = gs_item_hash(item, (size_t)sprintf(item, "%06u\n", (unsigned)i));

		hashes[i][0] = (hash >> 32 & PLACES) << 32 | (uint32_t)(hash & ~(uint64_t)NUMBERS);
		hashes[i][1] = i;
	}
	qsort(hashes, TRIED, sizeof hashes[0], compare_hashes);
	while (pair + 2 < TRIED && hashes[pair][0] != hashes[pair + 1][0])
		pair++;
	for (unsigned i = 0; i < COUNT; i++)
		slice.bytes += (size_t)sprintf(text + slice.bytes, "%06u\n",
		                               (unsigned)hashes[pair + i % 2][1]);
	gs_item_part_init(&part, &orders[1], memory, MOST_ITEMS);
	part.mark_equal = true;
	gs_item_part_collect(&part, &slice, 1);
	gs_item_part_fold(&part);
	CHECK(hashes[pair][0] == hashes[pair + 1][0] && part.count == 2 && part.weights[0] == COUNT / 2,
	      "two lines with one hash: %zu are left", part.count);
}

/* The sums of two items differ if one bit does, or one is longer. */
static void
check_hashes(void)
{
	char item[80];

	for (size_t bytes = 0; bytes < sizeof item; bytes++) {
		uint64_t sum, longer;

		for (size_t b = 0; b < sizeof item; b++)
			item[b] = (char)(b * 31);
		sum = gs_item_hash(item, bytes);
		item[bytes] = '\0';
		longer = gs_item_hash(item, bytes + 1);
		CHECK(longer != sum, "%zu bytes, and a zero", bytes);
		for (size_t bit = 0; bit < 8 * bytes; bit++) {
			item[bit / 8] ^= (char)(1 << bit % 8);
			CHECK(gs_item_hash(item, bytes) != sum, "bit %zu of %zu bytes", bit, bytes);
			item[bit / 8] ^= (char)(1 << bit % 8);
		}
	}
}

/* The sum of bytes differs if one bit does, two words change places, or a zero follows. */
static void
check_bytes_sums(void)
{
	for (size_t bytes = 0; bytes < 300; bytes = bytes < 20 ? bytes + 1 : bytes + 13) {
		size_t wrong = 0;
		uint64_t sum;

		for (size_t b = 0; b < 300; b++)
			text[b] = (char)(units_mix(b) >> 7);
		sum = gs_bytes_sum(text, bytes);
		for (size_t bit = 0; bit < 8 * bytes; bit++) {
			text[bit / 8] ^= (char)(1 << bit % 8);
			wrong += gs_bytes_sum(text, bytes) == sum;
			text[bit / 8] ^= (char)(1 << bit % 8);
		}
		CHECK(wrong == 0 && gs_bytes_sum(text, bytes) == sum,
		      "%zu bytes: %zu bits make no difference", bytes, wrong);
		for (size_t one = 0; one < bytes / 8; one++)
			for (size_t other = 0; other < one; other++) {
				memcpy(divided, text, bytes);
				memcpy(divided + 8 * one, text + 8 * other, 8);
				memcpy(divided + 8 * other, text + 8 * one, 8);
				wrong += gs_bytes_sum(divided, bytes) == sum;
			}
		CHECK(wrong == 0, "%zu bytes: %zu words may change places", bytes, wrong);
		text[bytes] = 0;
		CHECK(gs_bytes_sum(text, bytes + 1) != sum, "%zu bytes, and a zero", bytes);
	}
}

/* The sum of items is one of their hashes, and these are of their own bytes alone. */
static void
check_items_sums(void)
{
	static const struct gs_item_order by_line = { .end = units_line_end, .words = words_of };
	const struct gs_item_order by_record = { .item_bytes = 7, .words = words_of_record };
	const size_t bytes = make_lines(&rows[7]) / 7 * 7;
	const struct gs_item_slice line_slice = { text, bytes };
	uint64_t lines_sum = 0, records_sum = 0;
	size_t wrong = 0;

	text[bytes - 1] = '\n';
	for (const char *at = text, *end; at < text + bytes; at = end) {
		end = units_line_end(NULL, at, text + bytes);
		lines_sum += gs_item_hash(at, (size_t)(end - at));
	}
	for (size_t at = 0; at < bytes; at += 7)
		records_sum += gs_item_hash(text + at, 7);
	CHECK(gs_items_sum(&by_line, &line_slice) == lines_sum, "the sum of lines");
	CHECK(gs_items_sum(&by_record, &line_slice) == records_sum, "the sum of records");
	for (size_t length = 0; length < 40; length++) {
		memset(divided, 'a', 100);
		memset(out_of_place, 'b', 100);
		memcpy(divided + 50, text, length);
		memcpy(out_of_place + 50, text, length);
		wrong += gs_item_hash(divided + 50, length) != gs_item_hash(out_of_place + 50, length) ||
		         gs_bytes_sum(divided + 50, length) != gs_bytes_sum(out_of_place + 50, length);
	}
	CHECK(wrong == 0, "%zu lengths: sums of bytes around an item", wrong);
}

void
unit_items(void)
{
	check_hashes();
	check_bytes_sums();
	check_items_sums();
	for (size_t r = 0; r < sizeof fold_rows / sizeof fold_rows[0]; r++)
		check_fold(&fold_rows[r]);
	check_fold_collision();
	check_shares();
	for (size_t r = 0; r < sizeof bounds_rows / sizeof bounds_rows[0]; r++)
		check_between(&bounds_rows[r]);
	check_ties();
	for (size_t from = 0; from <= 27; from += 9)
		for (size_t ties = 0; ties < 40; ties += 39)
			for (int two = 0; two < 2; two++)
				check_batches(from, ties, two > 0);
	check_sets();
	for (unsigned bits = 56; bits <= 64; bits++)
		for (size_t count = 9; count <= MOST_ITEMS; count = 2 * count - 1)
			for (int any_at = 0; any_at < 2; any_at++)
				check_words(count, bits, any_at > 0);
	check_stairs();
	for (size_t bytes = 1; bytes <= 33; bytes += 8)
		check_gather(bytes);
	for (int simd = GS_SIMD_NONE; simd <= GS_SIMD_AVX512; simd += GS_SIMD_AVX512 - GS_SIMD_NONE) {
		gs_simd_at_most((enum gs_simd)simd);
		for (size_t r = 0; r < 2 * (sizeof text_rows / sizeof text_rows[0]); r++)
			check_texts(&text_rows[r / 2], r % 2 > 0);
		for (unsigned bits = 56; bits <= 64; bits += 2)
			check_words(MOST_ITEMS, bits, bits % 4 == 0);
	}
	for (size_t r = 0; r < sizeof pivot_rows / sizeof pivot_rows[0]; r++)
		check_pivots(&pivot_rows[r]);
	for (size_t bytes = 1; bytes <= 33; bytes++) {
		check_records(bytes, bytes > 3 ? bytes - 2 : 1, 0, 0, 0);
		check_records(bytes, bytes, 0, 0, 0);
	}
	for (unsigned level = 0; level < 8; level++)
		check_records(76, 74, 65, level, 0);
	/* so many bytes are the same that items are the bounds */
	for (unsigned level = 0; level < GS_ITEM_COMMON_MOST; level += GS_ITEM_COMMON_MOST - 1)
		check_records(4104, 4102, 4097, level, 0);
	for (size_t bytes = 9; bytes <= 20; bytes++) {
		check_records(bytes, bytes - 2, 0, 0, 3);
		check_records(bytes, bytes - 2, 0, 0, SIZE_MAX);
	}
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		check_row(&rows[r], &orders[0], MOST_ITEMS);
		check_row(&rows[r], &orders[1], MOST_ITEMS);
		check_row(&rows[r], &orders[1], rows[r].count / 2);
	}
}

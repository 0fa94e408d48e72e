// SPDX-License-Identifier: BSD-2-Clause
/* item_merger.c - rows for src/engine/item_store.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/item_store.h"
#include "tests/unit/units.h"

void unit_item_merger(void);

enum { MOST_SOURCES = 3, ROOM = 16, THREADS = 3 };

/* Lines that are equal if their first bytes are; the second one names the source. */
static const struct row {
	const char *sources[MOST_SOURCES];	/* NULL: there are no more; "|": where a buffer ends */
	const char *all;		/* as text: each item without its newline */
	const char *unique, *counted, *head;	/* with -u; --count; --head=2 */
} rows[] = {
	{ { "" }, "", "", "", "" },
	{ { "aA\nbA\n" }, "aA bA ", "aA bA ", "aA1 bA1 ", "aA bA " },
	{ { "aA\nbA\n", "aB\ncB\n" }, "aA aB bA cB ", "aA bA cB ", "aA2 bA1 cB1 ", "aA aB " },
	{ { "bA\n", "aB\n|aC\nbB\n" }, "aB aC bA bB ", "aB bA ", "aB2 bA2 ", "aB aC " },
	{ { "", "aB\n|", "aC\n" }, "aB aC ", "aB ", "aB2 ", "aB aC " },
	{ { "aA\n|aA\n|aA\n", "aB\n", "0C\n|zC\n" }, "0C aA aA aA aB zC ", "0C aA zC ", "0C1 aA4 zC1 ",
	  "0C aA " },
	/* an item that is larger than the output buffer */
	{ { "aA______________________\nbA\n", "aB\n" }, "aA______________________ aB bA ",
	  "aA______________________ bA ", "aA______________________2 bA1 ",
	  "aA______________________ aB " },
};

static size_t fill_fails_at, take_fails_at;	/* the call that fails, from now on; 0: none */

/* What is left of a source. */
static gs_status
fill(void *context, struct gs_item_slice *items)
{
	const char **at = context;
	const size_t bytes = strcspn(*at, "|");

	if (fill_fails_at > 0 && --fill_fails_at == 0)
		return GS_EIO;
	*items = (struct gs_item_slice){ *at, bytes };
	*at += bytes + ((*at)[bytes] == '|');
	return GS_OK;
}

struct taken {
	char   text[256];
	size_t bytes;
	bool   shows_times;
};

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct taken *taken = context;
	const struct gs_span *span = &sorted->span;
	const char *item = span->items, *end = item + span->bytes;

	if (take_fails_at > 0 && --take_fails_at == 0)
		return GS_EIO;
	for (size_t i = 0; i < span->count; i++) {
		const char *next = units_line_end(NULL, item, end);

		taken->bytes += (size_t)snprintf(taken->text + taken->bytes,
		                                 sizeof taken->text - taken->bytes, "%.*s",
		                                 (int)(next - item - 1), item);
		if (taken->shows_times)
			taken->bytes += (size_t)snprintf(taken->text + taken->bytes,
			                                 sizeof taken->text - taken->bytes, "%llu",
			                                 (unsigned long long)span->times[i]);
		taken->text[taken->bytes++] = ' ';
		item = next;
	}
	CHECK(item == end, "whole items");
	return GS_OK;
}

static const struct gs_item_order order = { .end = units_line_end, .words = units_first_byte };

/* Begin to merge SOURCES, before anything is read. */
static void
open_merger(struct gs_item_merger *merger, const struct gsort_options *options,
            const char *const sources[MOST_SOURCES], const char *left[MOST_SOURCES], size_t room)
{
	size_t count = 0;

	while (count < MOST_SOURCES && sources[count] != NULL)
		count++;
	CHECK(gs_item_merger_open(merger, &order, options, count, room, THREADS) == GS_OK, "memory");
	for (size_t s = 0; s < count; s++) {
		left[s] = sources[s];
		merger->sources[s] = (struct gs_merge_source){ .fill = fill, .context = &left[s] };
	}
}

/* Each call fails in turn by FAILS_AT, until there are fewer calls; each failure is an error. */
static void
check_fails(const struct row *row, const struct gsort_options *options, size_t *fails_at)
{
	for (size_t call = 1; *fails_at == 0; call++) {
		const char *left[MOST_SOURCES];
		struct taken taken = { .shows_times = options->counts };
		const struct gs_span_sink sink = { .take = take, .context = &taken };
		struct gs_item_merger merger;
		gs_status status;

		open_merger(&merger, options, row->sources, left, ROOM);
		*fails_at = call;
		status = gs_item_merger_begin(&merger, 2);
		THEN(status, gs_item_merger_drain(&merger, &sink));
		gs_item_merger_close(&merger);
		CHECK(*fails_at > 0 ? status == GS_OK : status == GS_EIO, "%s: call %zu fails: status %d",
		      row->sources[0], call, (int)status);
	}
	*fails_at = 0;
}

static void
check(const struct row *row, const struct gsort_options *options, const char *expected)
{
	const char *left[MOST_SOURCES];
	struct taken taken = { .shows_times = options->counts };
	const struct gs_span_sink sink = { .take = take, .context = &taken };
	struct gs_item_merger merger;

	open_merger(&merger, options, row->sources, left, ROOM);
	CHECK(gs_item_merger_begin(&merger, 2) == GS_OK && gs_item_merger_drain(&merger, &sink) == GS_OK,
	      "%s", row->sources[0]);
	taken.text[taken.bytes] = '\0';
	CHECK(strcmp(taken.text, expected) == 0, "%s: '%s', not '%s'", row->sources[0], taken.text, expected);
	for (size_t s = 0; s < merger.count; s++)
		CHECK(*left[s] == '\0', "%s: source %zu is read to its end", row->sources[0], s);
	gs_item_merger_close(&merger);
	check_fails(row, options, &fill_fails_at);
	check_fails(row, options, &take_fails_at);
}

/* ---- ties of several words, in shares of several threads --------------------------- */

enum { LONG_SOURCES = 10, LONG_ITEMS = 16 * GS_ITEM_BATCH + 77, LONG_FILL = 500 };

/* An item: three words, then its source, which no word has. */
static char long_sources[LONG_SOURCES][4 * LONG_ITEMS];
static size_t long_left[LONG_SOURCES], long_taken;
static char long_last[4];

/* What was filled before the last calls is overwritten. */
static gs_status
fill_long(void *context, struct gs_item_slice *items)
{
	static char filled[LONG_SOURCES][GS_MERGE_BATCHES][4 * LONG_FILL];
	size_t *left = context;
	const size_t source = (size_t)(left - long_left), count = *left < LONG_FILL ? *left : LONG_FILL;
	char *into = filled[source][*left / LONG_FILL % GS_MERGE_BATCHES];

	memcpy(into, long_sources[source] + 4 * (LONG_ITEMS - *left), 4 * count);
	*items = (struct gs_item_slice){ into, 4 * count };
	*left -= count;
	return GS_OK;
}

static gs_status
take_long(void *context, struct gs_sorted_span *sorted)
{
	(void)context;
	for (const char *item = sorted->span.items, *end = item + sorted->span.bytes; item < end; item += 4) {
		CHECK(memcmp(long_last, item, 4) <= 0, "item %zu: %.4s behind %.4s", long_taken, item,
		      long_last);
		memcpy(long_last, item, 4);
		long_taken++;
	}
	return GS_OK;
}

/* Of FIRST, SECOND and THIRD values of the three words; runs of many sources are sorted. */
static void
check_values(size_t count, int first, int second, int third)
{
	static const struct gs_item_order of_three = { .item_bytes = 4, .words = units_three_bytes };
	const struct gsort_options options = { .verify = count == 1 };
	const struct gs_span_sink sink = { .take = take_long };
	struct gs_follow follow[LONG_SOURCES] = { { .order = NULL } };
	struct gs_item_merger merger;

	memset(long_last, 0, sizeof long_last);
	long_taken = 0;
	CHECK(gs_item_merger_open(&merger, &of_three, &options, count, 1 << 18, THREADS) == GS_OK,
	      "memory");
	for (size_t s = 0; s < count; s++) {
		for (int i = 0; i < LONG_ITEMS; i++) {
			/* I scaled to the values of all words, and its digits */
			const int value = (int)((long)i * first * second * third / LONG_ITEMS);
			char *item = long_sources[s] + 4 * i;

			item[0] = (char)('a' + value / third / second);
			item[1] = (char)('a' + value / third % second);
			item[2] = (char)('a' + value % third);
			item[3] = (char)('0' + s);
		}
		long_left[s] = LONG_ITEMS;
		follow[s].order = &of_three;
		merger.sources[s] = (struct gs_merge_source){
			.fill = fill_long, .context = &long_left[s], .follow = count > 2 ? &follow[s] : NULL,
		};
	}
	CHECK(gs_item_merger_begin(&merger, first > 1 ? 2 : 0) == GS_OK &&
	      gs_item_merger_drain(&merger, &sink) == GS_OK && long_taken == count * LONG_ITEMS,
	      "%zu sources, %d, %d and %d values: %zu items", count, first, second, third, long_taken);
	gs_item_merger_close(&merger);
	for (size_t s = 0; s < count; s++)
		gs_follow_close(&follow[s]);
}

static void
check_long(int first, int second, int third)
{
	for (size_t count = 1; count <= LONG_SOURCES; count += 3)
		check_values(count, first, second, third);
}

/* ---- one source behind the other, in any order ---------------------------------------- */

enum { RANGES = 20, RANGE_ITEMS = 500 };

static char ranges[RANGES][4 * RANGE_ITEMS];
static size_t words_made;

static gs_status
fill_range(void *context, struct gs_item_slice *items)
{
	const char **left = context;

	*items = (struct gs_item_slice){ *left, *left == NULL ? 0 : sizeof ranges[0] };
	*left = NULL;
	return GS_OK;
}

static bool
count_words(const void *context, const char *const *items, const uint32_t *bytes, size_t count, unsigned at,
            uint64_t *words)
{
	words_made += count;
	return units_three_bytes(context, items, bytes, count, at, words);
}

/* What does not leave in a round is hardly looked at in it. */
static void
check_ranges(void)
{
	static const struct gs_item_order counting = { .item_bytes = 4, .words = count_words };
	const struct gsort_options plain = { .verify = false };
	const struct gs_span_sink sink = { .take = take_long };
	const char *left[RANGES];
	struct gs_item_merger merger;

	long_taken = words_made = 0;
	memset(long_last, 0, sizeof long_last);
	CHECK(gs_item_merger_open(&merger, &counting, &plain, RANGES, 50 * GS_MERGE_ITEM_BYTES, 1) == GS_OK,
	      "memory");
	for (int s = 0; s < RANGES; s++) {
		for (int i = 0; i < RANGE_ITEMS; i++) {
			const int value = s * RANGE_ITEMS + i;
			const char item[] = { (char)('a' + value / 676), (char)('a' + value / 26 % 26),
			                      (char)('a' + value % 26), '0' };

			memcpy(ranges[s] + 4 * i, item, sizeof item);
		}
		left[s] = ranges[s];
		merger.sources[s] = (struct gs_merge_source){ .fill = fill_range, .context = &left[s] };
	}
	CHECK(gs_item_merger_begin(&merger, 0) == GS_OK && gs_item_merger_drain(&merger, &sink) == GS_OK &&
	      long_taken == RANGES * RANGE_ITEMS, "%zu items", long_taken);
	CHECK(words_made < 6 * long_taken, "%zu words of %zu items", words_made, long_taken);
	gs_item_merger_close(&merger);
}

void
unit_item_merger(void)
{
	const struct gsort_options plain = { .verify = true }, unique = { .unique = true },
		counted = { .counts = true }, head = { .head = true, .head_count = 2 };

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		check(&rows[r], &plain, rows[r].all);
		check(&rows[r], &unique, rows[r].unique);
		check(&rows[r], &counted, rows[r].counted);
		check(&rows[r], &head, rows[r].head);
	}
	check_long(1, 1, 1);
	check_long(26, 1, 1);
	check_long(1, 26, 1);
	check_long(1, 1, 26);
	check_long(3, 4, 5);
	check_long(9, 9, 9);
	check_ranges();
}

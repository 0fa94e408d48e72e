// SPDX-License-Identifier: BSD-2-Clause
/* top.c - the most frequent values and items, compared with a simple sort; copies within memory */
#include <stdlib.h>
#include <string.h>

#include "output/top.h"
#include "sort/cpu/keys.h"
#include "tests/unit/units.h"

void unit_top(void);

enum { GROUPS = 300, MOST = 320 };

/* ---- a simple sort ------------------------------------------------------------------- */

static bool descending;		/* classes of keys */

/* The most frequent first; equally frequent ones as they are written. */
static int
compare(const void *one, const void *other)
{
	const struct gs_group *a = one, *b = other;

	if (a->times != b->times)
		return a->times > b->times ? -1 : 1;
	if (a->value.key_class != b->value.key_class)
		return (a->value.key_class < b->value.key_class) != descending ? -1 : 1;
	return (a->value.key > b->value.key) - (a->value.key < b->value.key);
}

static bool
same(const struct gs_top *top, struct gs_group *groups, size_t count)
{
	bool same = top->count == (count < top->most ? count : top->most);

	qsort(groups, count, sizeof *groups, compare);
	for (size_t g = 0; same && g < top->count; g++)
		same = compare(&top->groups[g], &groups[g]) == 0;
	return same;
}

/* Groups in any order, each value once; the floor is what a later group has to pass. */
static void
check_groups(size_t most, size_t count, uint64_t most_times)
{
	static struct gs_group groups[GROUPS], heap[MOST];
	struct gs_top top = { .groups = heap, .most = most, .descending_classes = descending };
	uint64_t state = most + count;
	bool floors = true;

	for (size_t g = 0; g < count; g++) {
		const unsigned key_class = (unsigned)(units_mix(++state) % 3);

		groups[g] = (struct gs_group){
			.value = { .key = units_mix(g), .key_class = key_class },
			.times = 1 + units_mix(++state) % most_times,
		};
		gs_top_add(&top, &groups[g]);
		qsort(groups, g + 1, sizeof *groups, compare);
		floors &= top.floor == (most > 0 && g + 1 >= most ? groups[most - 1].times : 0);
	}
	gs_top_end(&top);
	CHECK(floors && same(&top, groups, count), "%zu of %zu groups, of up to %llu", most, count,
	      (unsigned long long)most_times);
}

/* ---- groups that keys make -------------------------------------------------------------- */

/* Keys from FIRST on, in adjacent spans; each group is within a span. */
static void
check_keys(unsigned bits, size_t most)
{
	enum { SPAN_KEYS = 1000, SPANS = 5, FIRST = 7 };
	static struct gs_group groups[SPANS * SPAN_KEYS], heap[MOST];
	static uint64_t keys[FIRST + SPAN_KEYS + 1];
	struct gs_top top = { .groups = heap, .most = most };
	uint64_t state = bits, key = 0;
	size_t count = 0;

	for (unsigned s = 0; s < SPANS; s++) {
		const struct gs_span span = { .keys = keys, .key_bits = bits, .key_class = s / 2,
		                              .count = SPAN_KEYS };
		size_t at = FIRST;

		memset(keys, 0, sizeof keys);		/* those before the first are not asked for */
		while (at < FIRST + SPAN_KEYS) {
			const uint64_t drawn = units_mix(++state);
			size_t times = drawn % 4 > 0 ? 1 : drawn / 4 % 4 > 0 ? 2 : 3 + drawn / 16 % 40;

			times = times < FIRST + SPAN_KEYS - at ? times : FIRST + SPAN_KEYS - at;
			key++;
			groups[count++] = (struct gs_group){ .value = { .key = key, .key_class = s / 2 },
			                                     .times = times };
			for (; times > 0; times--)
				gs_key_put(keys, bits, at++, key);
		}
		gs_key_put(keys, bits, at, key);	/* nor are those behind the last */
		gs_top_collect(&top, &span, FIRST, at);
	}
	gs_top_end(&top);
	CHECK(same(&top, groups, count), "%zu of keys of %u bits", most, bits);
}

/* ---- items --------------------------------------------------------------------------- */

static const char *
end_of_line(const void *context, const char *item, const char *limit)
{
	(void)context;
	return (const char *)memchr(item, '\n', (size_t)(limit - item)) + 1;
}

static struct given {
	char     text[MOST][12];
	uint64_t times[MOST];
	size_t   count;
} given;

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct given *to = context;
	const struct gs_span *span = &sorted->span;

	CHECK(span->count == 1 && to->count < MOST, "one item after the other");
	to->times[to->count] = span->times[0];
	snprintf(to->text[to->count++], sizeof to->text[0], "%.*s", (int)span->bytes,
	         (const char *)span->items);
	return GS_OK;
}

/* Lines "I\n", or records of four bytes, so often as drawn, in spans of up to 50. */
static void
check_items(size_t most, bool lines, uint64_t state)
{
	const struct gs_item_order order = { .item_bytes = lines ? 0 : 4, .end = end_of_line };
	static struct gs_group groups[GROUPS];
	struct gs_item_top top = { .on = true, .wanted = most };
	uint64_t times[50];
	bool right;

	CHECK(gs_item_top_open(&top, &order, GROUPS, 1 << 20) == GS_OK, "%s", gs_message());
	for (size_t g = 0; g < GROUPS; ) {
		char text[50 * 12];
		struct gs_span span = { .items = text, .times = times };
		const size_t count = 1 + units_mix(++state) % 50;

		for (; span.count < count && g < GROUPS; g++) {
			groups[g] = (struct gs_group){ .value.key = g, .times = 1 + units_mix(++state) % 9 };
			times[span.count++] = groups[g].times;
			span.bytes += (size_t)sprintf(text + span.bytes, lines ? "%zu\n" : "%04zu", g);
		}
		CHECK(gs_item_top_take(&top, &span) == GS_OK, "%s", gs_message());
	}
	given.count = 0;
	CHECK(gs_item_top_end(&top, &(struct gs_span_sink){ .take = take, .context = &given }) == GS_OK, "%s",
	      gs_message());
	right = same(&top.heap, groups, GROUPS) && given.count == top.heap.count;
	for (size_t g = 0; right && g < given.count; g++)
		right = strtoull(given.text[g], NULL, 10) == groups[g].value.key &&
		        given.times[g] == groups[g].times;
	CHECK(right, "%zu of items, lines: %d", most, lines);
	gs_item_top_close(&top);
}

/* The room of copies counts, not their contents; one copy may take all of it. */
static void
check_copies(void)
{
	static char text[1 << 21];
	struct gs_item_copies copies;

	memset(text, 'x', sizeof text);
	CHECK(gs_item_copies_open(&copies, 3, 64 << 20) == GS_OK && copies.most == 4 << 20, "a sixteenth");
	for (size_t bytes = 1; bytes < sizeof text; bytes *= 2) {
		text[0] = (char)('a' + bytes % 23);
		CHECK(gs_item_copies_put(&copies, 1, text, bytes) == GS_OK && copies.used == bytes &&
		      copies.slots[1].bytes == bytes && memcmp(copies.slots[1].data, text, bytes) == 0,
		      "a copy of %zu bytes: %s", bytes, gs_message());
	}
	CHECK(gs_item_copies_put(&copies, 1, text, 7) == GS_OK && copies.slots[1].bytes == 7 &&
	      copies.used == 1 << 20, "a smaller one");
	CHECK(gs_item_copies_put(&copies, 0, text, sizeof text) == GS_OK, "%s", gs_message());
	CHECK(gs_item_copies_put(&copies, 2, text, 1 << 20) == GS_OK && copies.used == copies.most,
	      "all memory: %s", gs_message());
	CHECK(gs_item_copies_put(&copies, 2, text, (1 << 20) + 1) == GS_EBUDGET &&
	      strcmp(gs_message(), "3 lines or records are too large for memory: they need "
	             "'--buffer-size=79M' (-S) at least") == 0, "%s", gs_message());
	gs_item_copies_close(&copies);
	CHECK(gs_item_copies_open(&copies, 100, 0) == GS_OK && copies.most == (1 << 20) + 3200,
	      "a MiB at least, and what the blocks need");
	gs_item_copies_close(&copies);
	gs_item_copies_close(&(struct gs_item_copies){ .count = 3 });
}

void
unit_top(void)
{
	static const size_t mosts[] = { 0, 1, 2, 3, 7, 50, GROUPS, MOST };

	for (size_t m = 0; m < sizeof mosts / sizeof mosts[0]; m++) {
		for (uint64_t times = 1; times <= 1000; times *= 10) {
			descending = !descending;
			check_groups(mosts[m], GROUPS, times);
			check_groups(mosts[m], mosts[m] / 2, times);
		}
		descending = false;
		for (unsigned bits = 16; bits <= 64; bits *= 2)
			check_keys(bits, mosts[m]);
	}
	for (unsigned turn = 0; turn < 200; turn++)
		check_items(turn % 2 > 0 ? mosts[turn / 2 % 8] : turn, turn % 3 > 0, 1000 * turn);
	check_copies();
}

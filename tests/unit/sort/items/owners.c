// SPDX-License-Identifier: BSD-2-Clause
/*
 * owners.c - rows for src/sort/items/divide.h: owners are in the order of items and origins, and have
 * about the same weight
 *
 * Items are 16 bytes: two words, big endian.
 */
#include <string.h>

#include "sort/items/divide.h"
#include "tests/unit/units.h"

void unit_owners(void);

enum { ITEMS = 4000, ORIGINS = 5 };

static bool
words_of(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	(void)context;
	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		for (size_t b = 0; b < 8 && at < 16; b++)
			words[i] = words[i] << 8 | (uint8_t)items[i][at + b];
	}
	return at < 8;
}

/* The same of 80 bytes. */
static bool
words_of_long(const void *context, const char *const *long_items, const uint32_t *bytes, size_t count,
              unsigned at, uint64_t *words)
{
	(void)context;
	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		for (size_t b = 0; b < 8 && at < 80; b++)
			words[i] = words[i] << 8 | (uint8_t)long_items[i][at + b];
	}
	return at < 72;
}

static const struct gs_item_order order = { .item_bytes = 16, .words = words_of };

/* Words are not all that tells items apart: no origin parts items of equal words. */
static int
compare_whole(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	(void)context;
	(void)one_bytes;
	(void)other_bytes;
	return memcmp(one, other, 16);
}

static const struct gs_item_order compared_order = {
	.item_bytes = 16, .words = words_of, .compare = compare_whole,
};

static char items[ITEMS][16];

/* Items of each origin, one origin after the other, of VALUES in the last byte of each word. */
static void
make_items(unsigned values, struct gs_item_slice *slices)
{
	memset(items, 0, sizeof items);
	for (size_t i = 0; i < ITEMS; i++) {
		items[i][7] = (char)(uint8_t)(units_mix(2 * i + values) % values / 16);
		items[i][15] = (char)(uint8_t)(units_mix(2 * i + 1) % values);
	}
	for (unsigned o = 0; o < ORIGINS; o++)
		slices[o] = (struct gs_item_slice){ items[ITEMS / ORIGINS * o], ITEMS / ORIGINS * 16 };
}

static void
check(const struct gs_item_order *by, unsigned values, unsigned wanted, bool wants_together)
{
	const bool together = wants_together || by->compare != NULL;
	struct gs_item_slice slices[ORIGINS];
	struct gs_item_owners owners;
	static uint16_t found[ITEMS];
	unsigned weight[64] = { 0 }, most = 0;

	make_items(values, slices);
	CHECK(gs_item_owners_make(&owners, by, slices, ORIGINS, wanted, wants_together) == GS_OK,
	      "splitters for %u owners", wanted);
	for (size_t i = 0; i < ITEMS; i++) {
		const char *item = items[i];

		gs_item_owners_find(&owners, (unsigned)(i / (ITEMS / ORIGINS)), &item, NULL, 1, &found[i]);
		CHECK(found[i] < wanted, "owner %u of %u", found[i], wanted);
		weight[found[i]]++;
	}
	for (size_t i = 0; i < ITEMS; i += 41)
		for (size_t j = i + 1; j < ITEMS; j += 7) {
			const int compared = memcmp(items[i], items[j], 16);

			/* Items of earlier origins are before equal ones of later origins. */
			CHECK(compared < 0 ? found[i] <= found[j] : compared > 0 ? found[i] >= found[j]
			      : together ? found[i] == found[j] : found[i] <= found[j],
			      "items %zu and %zu of %u values have owners %u and %u of %u", i, j, values,
			      found[i], found[j], wanted);
		}
	for (unsigned o = 0; o < wanted; o++)
		most = weight[o] > most ? weight[o] : most;
	if (!together)	/* equal items of one origin are not parted */
		CHECK(most <= ITEMS / wanted + ITEMS / ORIGINS, "an owner of %u has %u of %d items",
		      wanted, most, ITEMS);
	gs_item_owners_close(&owners);
}

/* Items of one origin, in no order: the first COMMON bytes are the same, and the next four differ. */
static void
check_even(size_t common, unsigned wanted, unsigned levels)
{
	enum { BYTES = 80, COUNT = 1000 };
	static char all[COUNT][BYTES];
	static const struct gs_item_order long_order = { .item_bytes = BYTES, .words = words_of_long };
	const struct gs_item_slice slice = { all[0], sizeof all };
	struct gs_item_owners owners;
	uint16_t found[GS_ITEM_BATCH];
	const char *batch[GS_ITEM_BATCH];
	unsigned wrong = 0;

	memset(all, 'c', sizeof all);
	for (unsigned i = 0; i < COUNT; i++) {
		const uint32_t number = __builtin_bswap32(i * 7 % COUNT << 7);

		memcpy(all[i] + common, &number, 4);
	}
	CHECK(gs_item_owners_make(&owners, &long_order, &slice, 1, wanted, false) == GS_OK,
	      "splitters of long items");
	CHECK(owners.count == wanted - 1 && owners.levels == levels, "%u splitters of %u levels",
	      owners.count, owners.levels);
	for (unsigned i = 0; i < COUNT; i++) {
		batch[i % GS_ITEM_BATCH] = all[i];
		if (i % GS_ITEM_BATCH != GS_ITEM_BATCH - 1 && i + 1 < COUNT)
			continue;
		gs_item_owners_find(&owners, 0, batch, NULL, i % GS_ITEM_BATCH + 1, found);
		for (unsigned b = i / GS_ITEM_BATCH * GS_ITEM_BATCH; b <= i; b++) {
			const unsigned number = b * 7 % COUNT;
			unsigned owner = 0;

			while (owner + 1 < wanted && number >= COUNT * (owner + 1) / wanted)
				owner++;
			wrong += found[b % GS_ITEM_BATCH] != owner;
		}
	}
	CHECK(wrong == 0, "%u owners, the first %zu bytes are common: %u of %d items have others", wanted,
	      common, wrong, COUNT);
	gs_item_owners_close(&owners);
}

/* Word K is byte K of an item that is longer than 8 K bytes, and else 0. */
static bool
words_of_depth(const void *context, const char *const *deep, const uint32_t *bytes, size_t count, unsigned at,
               uint64_t *words)
{
	bool more = false;

	(void)context;
	for (size_t i = 0; i < count; i++) {
		words[i] = at < bytes[i] - 1 ? (uint64_t)(uint8_t)deep[i][at / 8] : 0;
		more |= at + 8 < bytes[i] - 1;
	}
	return more;
}

/* Words that the items of an origin lack are 0 in their splitters, whatever other origins have. */
static void
check_depths(void)
{
	static const struct gs_item_order by_depth = { .end = units_line_end, .words = words_of_depth };
	const char *short_items = "b\nb\nb\n", *long_items = "ab_______________\nbb_______________\n";
	const struct gs_item_slice slices[] = { { long_items, 36 }, { short_items, 6 } };
	const size_t before = units_memory();
	struct gs_item_owners owners;
	uint16_t found[2] = { 9, 9 };

	CHECK(gs_item_owners_make(&owners, &by_depth, slices, 2, 2, true) == GS_OK && owners.count == 1 &&
	      owners.words[0] == 'b' && owners.words[1] == 0, "the splitter is a short item");
	gs_item_owners_find(&owners, 0, (const char *const[]){ short_items, long_items + 18 },
	                    (const uint32_t[]){ 2, 18 }, 2, found);
	CHECK(found[0] == 1 && found[1] == 1, "items from it on have owners %u and %u", found[0], found[1]);
	gs_item_owners_close(&owners);
	CHECK(units_memory() == before, "memory is given back");
}

void
unit_owners(void)
{
	struct gs_item_owners none;
	const char *item = items[0];
	uint16_t found = 9;

	for (unsigned owners = 2; owners <= 7; owners++)
		for (unsigned values = 1; values <= 256; values *= 4) {
			check(&order, values, owners, false);
			check(&order, values, owners, true);
			check(&compared_order, values, owners, false);
		}
	for (size_t common = 0; common <= 60; common += common == 16 ? 44 : 4)
		for (unsigned wanted = 2; wanted <= 9; wanted += 7)
			check_even(common, wanted, 8);
	check_depths();
	CHECK(gs_item_owners_make(&none, &order, NULL, 0, 4, false) == GS_OK, "splitters of nothing");
	gs_item_owners_find(&none, 0, &item, NULL, 1, &found);
	CHECK(found == 0, "without a sample the owner is %u", found);
	gs_item_owners_close(&none);
}

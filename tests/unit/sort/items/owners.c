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
         unsigned level, uint64_t *words)
{
	(void)context;
	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		for (size_t b = 0; b < 8 && level < 2; b++)
			words[i] = words[i] << 8 | (uint8_t)items[i][8 * level + b];
	}
	return level < 1;
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
	CHECK(gs_item_owners_make(&none, &order, NULL, 0, 4, false) == GS_OK, "splitters of nothing");
	gs_item_owners_find(&none, 0, &item, NULL, 1, &found);
	CHECK(found == 0, "without a sample the owner is %u", found);
	gs_item_owners_close(&none);
}

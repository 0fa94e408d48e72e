// SPDX-License-Identifier: BSD-2-Clause
/* items.c - compare two items; sums over items that do not depend on their order */
#include "sort/checksum.h"
#include "sort/items/items.h"

int
gs_item_compare(const struct gs_item_order *order, unsigned level, const char *one,
                size_t one_bytes, const char *other, size_t other_bytes)
{
	const char *const items[2] = { one, other };
	const uint32_t bytes[2] = { (uint32_t)one_bytes, (uint32_t)other_bytes };
	bool more = true;

	for (uint64_t words[2]; more; level++) {
		more = order->words(order->context, items, bytes, 2, 8 * level, words);
		if (words[0] != words[1])
			return words[0] < words[1] ? -1 : 1;
	}
	return order->compare == NULL ? 0
	       : order->compare(order->context, one, one_bytes, other, other_bytes);
}

/* The second word of item AT; those of items from there on are made. */
static inline __attribute__((always_inline)) uint64_t
next_word(const struct gs_item_order *order, struct gs_item_batch *batch, size_t at)
{
	if (at < batch->nexts_from) {
		(void)order->words(order->context, batch->items + at, batch->bytes + at,
		                   batch->nexts_from - at, 8, batch->nexts + at);
		batch->nexts_from = at;
	}
	return batch->nexts[at];
}

int
gs_item_batch_compare(const struct gs_item_order *order, struct gs_item_batch *one, size_t one_at,
                      struct gs_item_batch *other, size_t other_at)
{
	const char *one_item = one->items[one_at], *other_item = other->items[other_at];
	const size_t one_bytes = gs_item_batch_bytes(order, one, one_at);
	const size_t other_bytes = gs_item_batch_bytes(order, other, other_at);

	if (one_at >= one->nexts_from && other_at >= other->nexts_from &&
	    one->nexts[one_at] != other->nexts[other_at])
		return one->nexts[one_at] < other->nexts[other_at] ? -1 : 1;
	if ((!one->more && !other->more && gs_item_words_decide(order, 8)) ||
	    gs_item_same(one_item, one_bytes, other_item, other_bytes))
		return 0;
	if (one->more && other->more && ++one->ties > one->count / GS_ITEMS_A_TIE &&
	    (other == one || ++other->ties > other->count / GS_ITEMS_A_TIE)) {
		const uint64_t one_next = next_word(order, one, one_at);
		const uint64_t other_next = next_word(order, other, other_at);

		if (one_next != other_next)
			return one_next < other_next ? -1 : 1;
	}
	return gs_item_compare_whole(order, 1, one_item, one_bytes, other_item, other_bytes);
}

/* ---- sums ------------------------------------------------------------------------ */

/* A bijection of the word for a given state, so one changed word always changes the sum. */
static uint64_t
mix(uint64_t state, uint64_t word)
{
	state = (state ^ word) * GS_GOLDEN;
	return state ^ state >> 32;
}

/* The bytes behind whole words, and then 0.  memcpy(3) of a number that varies takes longer. */
static uint64_t
last_word(const char *data, size_t bytes)
{
	const size_t rest = bytes % sizeof(uint64_t);
	uint64_t word = 0;
	uint32_t first, last;

	if (rest == 0)
		return 0;
	if (bytes >= sizeof word) {
		memcpy(&word, data + bytes - sizeof word, sizeof word);
		return word >> 8 * (sizeof word - rest);
	}
	if (bytes >= sizeof first) {
		memcpy(&first, data, sizeof first);
		memcpy(&last, data + bytes - sizeof last, sizeof last);
		return first | (uint64_t)last << 8 * (bytes - sizeof last);
	}
	for (size_t at = 0; at < bytes; at++)
		word |= (uint64_t)(unsigned char)data[at] << 8 * at;
	return word;
}

/* Each word is added by a step of its own, so that none waits for the one before it. */
uint64_t
gs_item_hash(const char *item, size_t bytes)
{
	uint64_t sum = bytes, salt = GS_GOLDEN, word;
	size_t at = 0;

	for (; at + sizeof word <= bytes; at += sizeof word, salt += GS_GOLDEN) {
		memcpy(&word, item + at, sizeof word);
		sum += mix(salt, word);
	}
	return gs_checksum_of(0, at < bytes ? sum + mix(salt, last_word(item, bytes)) : sum);
}

/*
 * In lanes, sums of words, and of all that these have been: the latter have each word as often as it and
 * later ones are in its lane, which tells its place.  So each word is there times an odd number of its own,
 * and costs two additions.  The last ones are added as bijections.
 */
uint64_t
gs_bytes_sum(const char *data, size_t bytes)
{
	enum { LANES = 8 };
	typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));
	lanes sums = { 0 }, all = { 0 }, words;
	uint64_t sum = bytes, word;
	size_t at = 0;

	for (; at + sizeof words <= bytes; at += sizeof words) {
		memcpy(&words, data + at, sizeof words);
		sums += words;
		all += sums;
	}
	for (unsigned l = 0; l < LANES; l++)
		sum += sums[l] * (2 * l * GS_GOLDEN * GS_GOLDEN + 1) + all[l] * (2 * GS_GOLDEN);
	for (; at + sizeof word <= bytes; at += sizeof word) {
		memcpy(&word, data + at, sizeof word);
		sum += mix(at, word);
	}
	return sum + mix(at, last_word(data, bytes));
}

uint64_t
gs_items_sum(const struct gs_item_order *order, const struct gs_item_slice *slice)
{
	struct gs_item_walk walk = gs_item_walk_begin(order, slice, 1);
	const char *items[GS_ITEM_BATCH];
	uint32_t bytes[GS_ITEM_BATCH];
	const size_t fixed = order->item_bytes;
	uint64_t sum = 0;
	size_t count;

	while ((count = gs_item_walk_next(&walk, items, bytes, GS_ITEM_BATCH)) > 0)
		for (size_t i = 0; i < count; i++)
			sum += gs_item_hash(items[i], fixed > 0 ? fixed : bytes[i]);
	return sum;
}

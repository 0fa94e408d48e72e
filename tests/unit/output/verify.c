// SPDX-License-Identifier: BSD-2-Clause
/* verify.c - rows for src/output/verify.c: right output passes, each corruption is found */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "output/verify.h"
#include "sort/checksum.h"
#include "sort/items/items.h"
#include "tests/unit/units.h"

void unit_verify(void);

enum harm { NONE, BIT, SWAP, LOST, TWICE, DOUBLED, OTHER_CLASS, LATE };

static const struct row {
	const char *name;
	enum harm   harm;
	size_t      at;		/* of KEYS */
	const char *says;	/* NULL: all is well */
} rows[] = {
	{ "nothing is wrong", NONE, 0, NULL },
	{ "the first key has another bit", BIT, 0, "other keys than the input" },
	{ "the last key has another bit", BIT, 99999, "other keys than the input" },
	{ "a key in between has another bit", BIT, 70001, "other keys than the input" },
	{ "two keys are swapped", SWAP, 12345,
	  "the result is wrong: it is out of order; please report this, and use --device=cpu meanwhile" },
	{ "two keys are swapped where a thread's piece ends", SWAP, (1 << 14) - 1, "out of order" },
	{ "two keys are swapped where a span ends", SWAP, 49999, "out of order" },
	{ "a key is lost", LOST, 5000,
	  "the result is wrong: 100000 keys in, 99999 out; please report this, and use --device=cpu "
	  "meanwhile" },
	{ "a key comes twice", TWICE, 5000, "100000 keys in, 100001 out" },
	{ "one key is lost and its neighbour comes twice", DOUBLED, 777, "other keys than the input" },
	{ "keys are of another key_class", OTHER_CLASS, 60000, "other keys than the input" },
	{ "an earlier key_class comes late", LATE, 60000, "out of order" },
};

enum { KEYS = 100000, SPAN_KEYS = 50000 };

/* Ascending; keys of 8 and 16 bits come many times, each of the others once. */
static uint64_t
key_of(unsigned bits, size_t at)
{
	return bits < 32 ? at * ((uint64_t)1 << bits) / KEYS : at * 2 * (bits == 64 ? 99999999999 : 9999);
}

/* Do to the sorted KEYS, COUNT of them, what the row says. */
static void
harm(const struct row *row, unsigned bits, char *keys, size_t *count)
{
	const size_t bytes = bits / 8;
	char *at = keys + row->at * bytes;
	char key[8];

	switch (row->harm) {
	case BIT:	/* the least: the order may stay */
		gs_key_put(keys, bits, row->at, key_of(bits, row->at) ^ 1);
		break;
	case SWAP:
		memcpy(key, at, bytes);
		memcpy(at, at + bytes, bytes);
		memcpy(at + bytes, key, bytes);
		break;
	case LOST:
		memmove(at, at + bytes, (*count - row->at - 1) * bytes);
		--*count;
		break;
	case TWICE:
		memmove(at + bytes, at, (*count - row->at) * bytes);
		++*count;
		break;
	case DOUBLED:
		memcpy(at, at + bytes, bytes);
		break;
	default:
		break;
	}
}

static bool
ends(const struct gs_verify *verify, const char *says)
{
	const gs_status status = gs_verify_end(verify);

	return says == NULL ? status == GS_OK :
	       status == GS_EDEVICE && strstr(gs_message(), says) != NULL;
}

static void
count_piece(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	size_t *added = context;

	(void)worker, (void)sequence, (void)piece;
	++*added;
}

static void
count_look(void *context, unsigned worker, const struct gs_piece *piece)
{
	count_piece(context, worker, 0, piece);
}

static void
check_row(const struct row *row, unsigned bits, bool descending)
{
	const struct gsort_options options = { .verify = true, .reverse = descending };
	const unsigned first = descending ? 4 : 0, second = 2;
	const size_t parts[] = { 1, 7, 30000, KEYS };
	char *keys = malloc((KEYS + 1) * sizeof(uint64_t));
	size_t count = KEYS, added = 0;
	struct gs_taker taker = { .add = count_piece, .context = &added };
	struct gs_verify verify;

	gs_verify_open(&verify, &options, NULL, 3);
	for (size_t i = 0; i < KEYS; i++)	/* backwards: the order of arrival is no matter */
		gs_key_put(keys, bits, i, key_of(bits, KEYS - 1 - i));
	gs_verify_watch(&verify, &taker);
	for (size_t p = 0, at = 0; p < sizeof parts / sizeof parts[0]; at = parts[p++]) {
		struct gs_piece piece = {
			.keys = keys + at * (bits / 8), .count = parts[p] - at, .key_class = first,
			.key_bits = bits,
		};

		if (p % 2 == 0)
			gs_verify_in(&verify, &piece);
		else
			gs_taker_add(&taker, 0, 0, &piece);
	}
	CHECK(added == 2, "%zu of 2 pieces reach their taker", added);
	for (size_t i = 0; i < KEYS; i++)
		gs_key_put(keys, bits, i, key_of(bits, i));
	harm(row, bits, keys, &count);
	for (size_t at = 0; at < count; at += SPAN_KEYS) {
		const bool other = row->harm >= OTHER_CLASS && at == SPAN_KEYS;
		struct gs_span span = {
			.keys = keys + at * (bits / 8), .key_bits = bits,
			.count = count - at < SPAN_KEYS ? count - at : SPAN_KEYS,
			.key_class = other != (row->harm == LATE) ? first == second ? 1 : second : first,
		};

		gs_verify_out(&verify, &span);
	}
	CHECK(ends(&verify, row->says), "%s, %u bits%s: %s", row->name, bits,
	      descending ? ", descending" : "", gs_message());
	free(keys);
}

/* What a histogram says, expanded and in pairs, with the keys complemented. */
static void
check_counts(void)
{
	const struct gsort_options options = { .verify = true };
	uint64_t bins[] = { 2, 0, 1, 3 }, times[] = { 3, 1, 2 };
	uint32_t keys[] = { ~3u, ~3u, ~3u, ~2u, ~0u, ~0u }, once[] = { ~3u, ~2u, ~0u };
	struct gs_span span = { .keys = keys, .count = 6, .key_bits = 32, .key_class = 2 };
	struct gs_span pairs = { .keys = once, .count = 3, .key_bits = 32, .key_class = 2 };
	struct gs_count count;
	struct gs_verify verify;

	gs_count_open(&count, bins, 4, 32, 2, 0);
	gs_verify_open(&verify, &options, NULL, 1);
	gs_verify_in_counts(&verify, &count, UINT32_MAX);
	gs_verify_out(&verify, &span);
	CHECK(ends(&verify, NULL), "keys of a histogram, expanded");
	gs_verify_open(&verify, &options, NULL, 1);
	gs_verify_in_counts(&verify, &count, UINT32_MAX);
	pairs.times = times;
	gs_verify_out(&verify, &pairs);
	CHECK(ends(&verify, NULL), "keys of a histogram, in pairs");
	times[0] = 2, times[2] = 3;
	gs_verify_open(&verify, &options, NULL, 1);
	gs_verify_in_counts(&verify, &count, UINT32_MAX);
	gs_verify_out(&verify, &pairs);
	CHECK(ends(&verify, "other keys than the input"), "counts of two keys changed");
}

/* Items of two bytes, in two slices, and their digest; an earlier observer still sees them. */
static void
check_items(void)
{
	static const struct { struct gsort_options options; const char *left; bool falls; const char *says; }
	table[] = {
		{ { .verify = true }, "aabbcc", false, NULL },
		{ { .verify = true }, "aabbcc", true, "out of order" },
		{ { .verify = true }, "aabbcd", false,
		  "the result is wrong: the output has other items than the input; please report this" },
		{ { .verify = true }, "aabb", false, "other items than the input" },
		{ { .verify = true }, "aabbcccc", false, "other items than the input" },
		{ { .verify = true, .head = true }, "aabb", false, NULL },
		{ { .verify = true, .head = true }, "aabb", true, "out of order" },
		{ { .verify = true, .tail.wanted = true }, "bbcc", false, NULL },
		{ { .verify = false }, "", false, NULL },
	};
	static const struct gs_item_slice slices[] = { { "ccaa", 4 }, { "bb", 2 } };
	const struct gs_item_order order = { .item_bytes = 2 };
	const struct gs_piece piece = { .slices = slices, .count = 2 };

	for (size_t r = 0; r < sizeof table / sizeof table[0]; r++) {
		const struct gs_item_slice left = { table[r].left, strlen(table[r].left) };
		const struct gs_item_digest digest = {
			.sum = gs_items_sum(&order, &left), .falls = table[r].falls,
		};
		size_t added = 0, looked = 0;
		struct gs_taker taker = { .add = count_piece, .context = &added,
		                          .look = count_look, .look_context = &looked };
		struct gs_verify verify;

		gs_verify_open(&verify, &table[r].options, &order, 1);
		gs_verify_watch(&verify, &taker);
		gs_taker_add(&taker, 0, 0, &piece);
		if (verify.on)
			gs_verify_out_items(&verify, &digest);
		CHECK(ends(&verify, table[r].says), "items, row %zu: %s", r, gs_message());
		CHECK(added == 1 && looked == 1, "items, row %zu: added, and seen", r);
	}
}

static void
check_options(void)
{
	static const struct gsort_options off = { .verify = false };
	static const struct gsort_options head = { .verify = true, .head = true };
	uint32_t keys[] = { 1, 2, 3 }, fall[] = { 2, 1 };
	struct gs_span span = { .keys = keys, .count = 2, .key_bits = 32 };
	struct gs_span falling = { .keys = fall, .count = 2, .key_bits = 32 };
	const struct gs_piece piece = { .keys = keys, .count = 3, .key_bits = 32 };
	struct gs_verify verify;

	gs_verify_open(&verify, &off, NULL, 1);
	gs_verify_in(&verify, &piece);
	gs_verify_out(&verify, &falling);
	CHECK(ends(&verify, NULL), "nobody asks");
	gs_verify_open(&verify, &head, NULL, 1);
	gs_verify_in(&verify, &piece);
	gs_verify_out(&verify, &span);
	CHECK(ends(&verify, NULL), "of a head, not all keys leave");
	gs_verify_out(&verify, &falling);
	CHECK(ends(&verify, "out of order"), "but in order");
}

void
unit_verify(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 8; bits <= 64; bits *= 2) {
			/* Some damage to keys that repeat changes nothing. */
			if (bits < 32 && rows[r].harm != NONE && rows[r].harm != LOST &&
			    rows[r].harm != TWICE)
				continue;
			for (int simd = GS_SIMD_NONE; simd <= GS_SIMD_AVX512; simd++) {
				gs_simd_at_most((enum gs_simd)simd);
				check_row(&rows[r], bits, false);
				check_row(&rows[r], bits, true);
			}
		}
	check_counts();
	check_items();
	check_options();
}

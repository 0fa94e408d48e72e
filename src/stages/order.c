// SPDX-License-Identifier: BSD-2-Clause
/*
 * order.c - is an input in order, and if not, where?
 *
 * In:   ordered bits, a stretch at a time.
 * Out:  the first key that is less than the one before it, or how many such keys there are.
 *
 * A block of keys is compared with the same block one key further on, by vector instructions.
 * Only a block with a key out of order is searched key by key.
 *
 * Invariant: LAST is the key before the next stretch, if there is one.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "format/raw.h"
#include "stages/order.h"
#include "sort/keys.h"
#include "sort/span.h"

enum {
	BLOCK_KEYS = 4096,	/* stays in the first-level cache for a second look; not tuned */
	TEAM_KEYS  = 1 << 16,	/* as in format/raw.c */
	LINE_MOST  = 100,	/* bytes of a line that a message quotes; a number has at most 20 */
};

/* ---- blocks ------------------------------------------------------------- */

/* Is one of the keys from BEGIN to END out of order? */
static bool
any(const void *keys, unsigned bits, size_t begin, size_t end, bool strict)
{
	return !gs_keys_in_order(keys, bits, begin, end,
	                         strict ? GS_STRICTLY_ASCENDING : GS_ASCENDING);
}

/* The first key from BEGIN to END that is out of order; END: none. */
static size_t
first_of(const void *keys, unsigned bits, size_t begin, size_t end, bool strict)
{
	for (; begin < end; begin++) {
		const uint64_t before = gs_key_at(keys, bits, begin - 1);
		const uint64_t key = gs_key_at(keys, bits, begin);

		if (key < before || (strict && key == before))
			break;
	}
	return begin;
}

/* ---- stretches ---------------------------------------------------------- */

/* Keys that one team looks at. */
struct stretch {
	const struct gs_order *order;
	const void            *keys;
	size_t                 count;
	atomic_size_t          first;
	_Atomic uint64_t       breaks, duplicates;
};

/* Block B of a stretch, without its very first key; returns where it ends. */
static size_t
block_of(const struct stretch *stretch, size_t b, size_t *begin)
{
	*begin = b > 0 ? b * BLOCK_KEYS : 1;
	return stretch->count - b * BLOCK_KEYS < BLOCK_KEYS ? stretch->count : (b + 1) * BLOCK_KEYS;
}

static void
find_first(void *context, size_t b)
{
	struct stretch *stretch = context;
	const struct gs_order *order = stretch->order;
	size_t begin, end = block_of(stretch, b, &begin);

	if (begin < atomic_load(&stretch->first) &&
	    any(stretch->keys, order->key_bits, begin, end, order->strict))
		gs_team_least(&stretch->first, first_of(stretch->keys, order->key_bits, begin, end,
		                                     order->strict));
}

static void
count_breaks(void *context, size_t b)
{
	struct stretch *stretch = context;
	const unsigned bits = stretch->order->key_bits;
	size_t begin, end = block_of(stretch, b, &begin);
	uint64_t breaks = 0, duplicates = 0;

	if (!any(stretch->keys, bits, begin, end, true))
		return;
	for (size_t i = begin; i < end; i++) {
		breaks += gs_key_at(stretch->keys, bits, i) < gs_key_at(stretch->keys, bits, i - 1);
		duplicates += gs_key_at(stretch->keys, bits, i) == gs_key_at(stretch->keys, bits, i - 1);
	}
	atomic_fetch_add(&stretch->breaks, breaks);
	atomic_fetch_add(&stretch->duplicates, duplicates);
}

/* The first of COUNT keys, but not of them all, that is out of order; or COUNT: none is, or
 * they are only counted. */
static size_t
search(struct gs_order *order, const void *keys, size_t count)
{
	struct stretch stretch = { .order = order, .keys = keys, .count = count, .first = count };

	gs_team_each(count >= TEAM_KEYS ? order->threads : 1,
	             (count + BLOCK_KEYS - 1) / BLOCK_KEYS, order->counts_breaks ? count_breaks : find_first,
	             &stretch);
	order->breaks += stretch.breaks;
	order->duplicates += stretch.duplicates;
	return stretch.first;
}

/* Is KEY, the next one, in order?  Yes, if breaks are only counted. */
static bool
follows(struct gs_order *order, unsigned class, uint64_t key)
{
	const bool less = class != order->last_class ? class < order->last_class : key < order->last;
	const bool equal = class == order->last_class && key == order->last;

	if (order->keys == 0)
		return true;
	order->breaks += less;
	order->duplicates += equal;
	return order->counts_breaks || !(less || (order->strict && equal));
}

size_t
gs_order_follow(struct gs_order *order, const void *keys, size_t count)
{
	size_t first;

	assert(order->key_bits > 0);
	if (count == 0)
		return 0;
	if (!follows(order, 0, gs_key_at(keys, order->key_bits, 0)))
		return 0;
	first = search(order, keys, count);
	order->keys += count;
	order->last = gs_key_at(keys, order->key_bits, count - 1);
	return first;
}

size_t
gs_order_follow_text(struct gs_order *order, const uint8_t *classes, const uint64_t *keys,
                     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!follows(order, classes[i], keys[i]))
			return i;
		order->keys++;
		order->last_class = classes[i];
		order->last = keys[i];
	}
	return count;
}

/* ---- messages ----------------------------------------------------------- */

gs_status
gs_order_fail(const struct gs_order *order, const struct gs_encoding *encoding, uint64_t number,
              const void *key, uint64_t skip_bytes, const char *tail)
{
	const struct gs_encoding as_text = {
		.from = encoding->from, .to = GSORT_TEXT, .reverse = encoding->reverse,
		.endian = encoding->endian, .terminator = '\0',
	};
	const unsigned bits = order->key_bits;
	char text[1024];	/* encoders may write some bytes beyond what they return */
	size_t bytes;

	TRY(gs_encode(&as_text, 0, bits, key, NULL, 1, text, &bytes));
	assert(bytes > 0 && bytes < sizeof text && text[bytes - 1] == '\0');
	return gs_fail(GS_EINPUT, "%s:%llu: disorder: %s (byte %llu)%s", order->name,
	               (unsigned long long)number, text,
	               (unsigned long long)(skip_bytes + (number - 1) * (bits / 8)), tail);
}

gs_status
gs_order_fail_text(const struct gs_order *order, uint64_t number, const char *line, size_t bytes,
                   char terminator, const char *tail)
{
	const char *end = memchr(line, terminator, bytes);
	const size_t length = end != NULL ? (size_t)(end - line) : bytes;
	const bool cut = length > LINE_MOST;

	return gs_fail(GS_EINPUT, "%s:%llu: disorder: %.*s%s%s", order->name,
	               (unsigned long long)number, (int)(cut ? LINE_MOST : length), line,
	               cut ? "..." : "", tail);
}

gs_status
gs_order_partial(const struct gsort_options *options, const char *name, uint64_t bytes)
{
	char name_and_offset[1024];

	if (options->skip_bytes == 0)
		return gs_raw_partial(options->type, name, bytes);
	snprintf(name_and_offset, sizeof name_and_offset, "%s: after %llu skipped bytes", name,
	         (unsigned long long)options->skip_bytes);
	return gs_raw_partial(options->type, name_and_offset, bytes);
}

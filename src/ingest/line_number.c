// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_number.c - lines as items; for --argsort, each after its number in the input
 *
 * In:   whole lines.
 * Out:  items, and their order, which is the order of their lines.
 *
 * The number comes first, so that it can be found without the end of the line.
 */
#include <string.h>

#include "ingest/line_ingest.h"
#include "key/key.h"
#include "linekey/line_order.h"
#include "sort/items/items.h"

enum { BATCH_LINES = 256, NUMBER_BYTES = GS_LINE_NUMBER_BYTES };

/* ---- the order ------------------------------------------------------------------- */

static const char *
end_of_item(const void *context, const char *item, const char *limit)
{
	const struct gs_line_items *items = context;

	return gs_line_end(items->order, item + items->front, limit);
}

static size_t
split(const void *context, const char **at, const char *limit, const char **lines, uint32_t *bytes,
      size_t room)
{
	const struct gs_line_items *items = context;

	return gs_line_split(items->order, at, limit, lines, bytes, room);
}

static bool
words_of_items(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
               unsigned first, uint64_t *words)
{
	const struct gs_line_items *of = context;
	const char *lines[BATCH_LINES];
	uint32_t line_bytes[BATCH_LINES];
	bool more = false;

	if (of->front == 0)
		return gs_line_words(of->order, items, bytes, count, first, words);
	for (size_t at = 0, batch; at < count; at += batch) {
		batch = count - at < BATCH_LINES ? count - at : BATCH_LINES;
		for (size_t i = 0; i < batch; i++) {
			lines[i] = items[at + i] + of->front;
			line_bytes[i] = bytes[at + i] - (uint32_t)of->front;
		}
		more |= gs_line_words(of->order, lines, line_bytes, batch, first, words + at);
	}
	return more;
}

static int
compare_items(const void *context, const char *one, size_t one_bytes, const char *other,
              size_t other_bytes)
{
	const struct gs_line_items *of = context;

	return gs_line_compare(of->order, one + of->front, one_bytes - of->front, other + of->front,
	                       other_bytes - of->front);
}

static unsigned
text_of_item(const void *context, unsigned at, const char *item, size_t item_bytes, const char **text,
             size_t *bytes)
{
	const struct gs_line_items *of = context;

	return gs_line_stop(of->order, at, item + of->front, item_bytes - of->front, text, bytes);
}

static int
compare_texts(const void *context, unsigned at, const char *one, size_t one_bytes, const char *other,
              size_t other_bytes)
{
	const struct gs_line_items *of = context;

	return gs_line_compare_stop(of->order, at, one + of->front, one_bytes - of->front,
	                            other + of->front, other_bytes - of->front);
}

void
gs_line_items_order(struct gs_item_order *items, struct gs_line_items *context,
                    const struct gs_line_order *order, size_t front)
{
	*context = (struct gs_line_items){ order, front };
	*items = (struct gs_item_order){
		.end = end_of_item, .split = front == 0 ? split : NULL, .words = words_of_items,
		.any_at = true, .compare = compare_items, .text = text_of_item,
		.compare_text = compare_texts, .word_bytes = gs_line_order_word_bytes(order),
		.context = context,
	};
}

/* ---- items --------------------------------------------------------------------------- */

uint64_t
gs_line_number_count(const struct gs_line_order *order, const char *data, const char *end)
{
	const char *lines[BATCH_LINES];
	uint32_t bytes[BATCH_LINES];
	uint64_t count = 0;
	size_t batch;

	while ((batch = gs_line_split(order, &data, end, lines, bytes, BATCH_LINES)) > 0)
		count += batch;
	return count;
}

uint64_t
gs_line_number_bits(struct gs_line_number number, uint64_t value)
{
	const uint32_t narrow = number.swaps ? GS_SWAP32((uint32_t)value) : (uint32_t)value;
	uint64_t bits = number.swaps ? GS_SWAP64(value) : value;

	if (number.bits == 32)
		memcpy(&bits, &narrow, sizeof narrow);	/* the rest stays unseen */
	return bits;
}

size_t
gs_line_number_put(const struct gs_line_order *order, struct gs_line_number number,
                   const char *data, const char *end, uint64_t first, char *into)
{
	const char *lines[BATCH_LINES], *begin = into;
	uint32_t bytes[BATCH_LINES];
	size_t batch;

	while ((batch = gs_line_split(order, &data, end, lines, bytes, BATCH_LINES)) > 0)
		for (size_t i = 0; i < batch; i++) {
			const uint64_t bits = gs_line_number_bits(number, first++);

			memcpy(into, &bits, NUMBER_BYTES);
			gs_item_copy(into + NUMBER_BYTES, lines[i], bytes[i]);
			into += NUMBER_BYTES + bytes[i];
		}
	return (size_t)(into - begin);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_firsts.c - the first of equal items, in the order of the input: -u --keep-order
 *
 * In:   items with their numbers in the input, in a store that sorts them by key.
 * Out:  the first item of each group, without its number, from a second store, which sorts by number.
 *
 * Each store has half of the memory.  Numbers are in the byte order of this machine.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/item_store.h"

struct gs_item_firsts {
	const struct gs_item_order *order;	/* by key */
	size_t                number_at;	/* in an item */
	struct gs_item_order  by_number;
	struct gs_item_store *keyed, *numbered;
	struct gs_engine      by_key, in_order;	/* of the two stores */
	bool                  verify, all_leave;
	bool                  shown;		/* the second store has had a sample */
	uint64_t              sum;		/* of the items that the second store got */
	struct gs_item_digest digest;		/* of both */
};

static const char *
end_of_item(const void *context, const char *item, const char *limit)
{
	const struct gs_item_firsts *firsts = context;

	return firsts->order->end(firsts->order->context, item, limit);
}

/* No two items have the same number. */
static bool
words_of_numbers(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
                 unsigned at, uint64_t *words)
{
	const struct gs_item_firsts *firsts = context;

	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		words[i] = 0;
		if (at == 0)
			memcpy(&words[i], items[i] + firsts->number_at, sizeof words[i]);
	}
	return false;
}

gs_status
gs_item_firsts_open(struct gs_item_firsts **opened, const struct gs_item_store_options *options,
                    size_t number_at, struct gs_monitor *monitor)
{
	struct gs_item_store_options keyed = *options, numbered = *options;
	struct gs_item_firsts *firsts;

	TRY(GS_NEW(*opened, 1, "pair of stores"));
	firsts = *opened;
	firsts->order = options->order;
	firsts->number_at = number_at;
	firsts->by_number = (struct gs_item_order){
		.item_bytes = options->order->item_bytes, .words = words_of_numbers, .context = firsts,
		.end = options->order->item_bytes == 0 ? end_of_item : NULL,
	};
	firsts->verify = options->verify;
	firsts->all_leave = !options->head && !options->tail;
	keyed.facts.memory_bytes = numbered.facts.memory_bytes = options->facts.memory_bytes / 2;
	keyed.shares = numbered.shares = 2 * (options->shares > 0 ? options->shares : 1);
	keyed.head = keyed.tail = false;
	keyed.cut.at = keyed.cut.bytes = 0;
	numbered.order = &firsts->by_number;
	numbered.facts.guessed = true;
	numbered.groups = numbered.origins = false;
	TRY(gs_item_store_open(&firsts->keyed, &keyed, monitor));
	TRY(gs_item_store_open(&firsts->numbered, &numbered, monitor));
	firsts->by_key = gs_item_store_engine(firsts->keyed);
	firsts->in_order = gs_item_store_engine(firsts->numbered);
	firsts->in_order.taker.end_round = NULL;	/* it has counted what was read */
	return GS_OK;
}

void
gs_item_firsts_close(struct gs_item_firsts *firsts)
{
	if (firsts == NULL)
		return;
	gs_item_store_close(firsts->keyed);
	gs_item_store_close(firsts->numbered);
	free(firsts);
}

/* ---- from one store to the other ------------------------------------------------- */

/* Numbers come in any order, but the range of this process's numbers is known.  Show the second store copies
 * of an item with numbers from all over the range. */
static gs_status
show_numbers(struct gs_item_firsts *firsts, const char *item, size_t bytes)
{
	enum { NUMBERS = 4096, MOST_BYTES = 1 << 20 };
	const size_t count = MOST_BYTES / bytes < NUMBERS ? MOST_BYTES / bytes : NUMBERS;
	const uint64_t all = firsts->by_key.count(firsts->keyed, 0), step = all / NUMBERS + 1;
	gs_status status = GS_OK;
	char *items;

	firsts->shown = true;
	if (all <= NUMBERS)
		return GS_OK;
	items = malloc(count * bytes + 1);
	if (items == NULL)
		return GS_OK;
	for (size_t i = 0; i < count; i++) {
		const uint64_t number = i * NUMBERS / count * step;

		memcpy(items + i * bytes, item, bytes);
		memcpy(items + i * bytes + firsts->number_at, &number, sizeof number);
	}
	if (count > NUMBERS / 4)
		status = firsts->in_order.taker.sample(firsts->numbered, items, count * bytes);
	free(items);
	return status;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct gs_item_firsts *firsts = context;
	const struct gs_taker *taker = &firsts->in_order.taker;
	const struct gs_item_slice slice = { sorted->span.items, sorted->span.bytes };
	const char *at = slice.data, *end = at + slice.bytes;

	if (firsts->verify)
		firsts->sum += gs_items_sum(firsts->order, &slice);
	for (const char *from = at; from < end; from = at) {
		size_t bytes = gs_item_length(firsts->order, at, end), room;

		if (!firsts->shown)
			TRY(show_numbers(firsts, from, bytes));
		do {
			at += bytes;
			bytes = at < end ? gs_item_length(firsts->order, at, end) : 0;
		} while (bytes > 0 && (size_t)(at - from) + bytes <= taker->piece_bytes);
		TRY(taker->reserve(taker->context, (size_t)(at - from), 1, &room));
		gs_taker_add_items(taker, 0, gs_taker_next_sequence(taker, 0, 1), from, (size_t)(at - from));
	}
	return GS_OK;
}

static gs_status
finish(void *context)
{
	struct gs_item_firsts *firsts = context;
	const struct gs_span_sink sink = { .take = take, .groups = true, .context = firsts };

	TRY(firsts->by_key.finish(firsts->keyed));
	TRY(firsts->by_key.drain(firsts->keyed, 0, &sink));
	return firsts->in_order.finish(firsts->numbered);
}

/* ---- an engine ----------------------------------------------------------------------- */

static uint64_t
count(const void *context, unsigned key_class)
{
	const struct gs_item_firsts *firsts = context;

	return firsts->by_key.count(firsts->keyed, key_class);
}

static gs_status
count_out(void *context, uint64_t *leaving)
{
	struct gs_item_firsts *firsts = context;

	return firsts->in_order.count_out(firsts->numbered, leaving);
}

static gs_status
drain(void *context, unsigned key_class, const struct gs_span_sink *sink)
{
	struct gs_item_firsts *firsts = context;
	const struct gs_item_digest *second = firsts->in_order.digest(firsts->numbered);

	TRY(firsts->in_order.drain(firsts->numbered, key_class, sink));
	/* The first store had all items; the second one must have what it was given. */
	if (firsts->verify) {
		firsts->digest = *firsts->by_key.digest(firsts->keyed);
		firsts->digest.falls |= second->falls;
		if (firsts->all_leave)
			firsts->digest.sum += second->sum - firsts->sum;
	}
	return GS_OK;
}

static const struct gs_item_digest *
digest(const void *context)
{
	const struct gs_item_firsts *firsts = context;

	return &firsts->digest;
}

static void
report(const void *context, struct gsort_stats *stats)
{
	const struct gs_item_firsts *firsts = context;
	struct gsort_stats second = *stats;

	firsts->by_key.stats(firsts->keyed, stats);
	firsts->in_order.stats(firsts->numbered, &second);
	stats->runs += second.runs;
	stats->spilled_bytes += second.spilled_bytes;
}

struct gs_engine
gs_item_firsts_engine(struct gs_item_firsts *firsts)
{
	return (struct gs_engine){
		.taker = firsts->by_key.taker, .finish = finish, .count = count, .count_out = count_out,
		.drain = drain, .digest = digest, .stats = report, .context = firsts,
	};
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * pairs.c - sort keys, and carry a payload along
 *
 * A key of 32 bits and a payload of 32 bits are one word of 64: sorting words sorts pairs.  Of others,
 * order.c finds the order, and each array is gathered by it, from a copy.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "array/array.h"
#include "base/team.h"
#include "format/key.h"
#include "sort/span.h"

enum { TURN_KEYS = 1 << 15, COPY_KEYS = 1024 };

struct pairs {
	const struct gs_array_args *args;
	char      *keys, *payload;
	size_t     count;
	uint64_t  *words;
	void      *to;			/* of a gather */
	const void *from;
	size_t     bytes;		/* of an element */
};

static size_t
turn_end(const struct pairs *pairs, size_t turn)
{
	const size_t end = (turn + 1) * TURN_KEYS;

	return end < pairs->count ? end : pairs->count;
}

/* ---- one word a pair ------------------------------------------------------------------ */

static void
join_turn(void *context, size_t turn)
{
	const struct pairs *pairs = context;
	const struct gs_array_args *args = pairs->args;
	const uint32_t *payload = (const void *)pairs->payload;
	const size_t end = turn_end(pairs, turn);
	_Alignas(64) uint32_t copy[COPY_KEYS];

	for (size_t at = turn * TURN_KEYS, now; at < end; at += now) {
		now = end - at < COPY_KEYS ? end - at : COPY_KEYS;
		memcpy(copy, pairs->keys + at * args->key_bytes, now * args->key_bytes);
		gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, copy, now, 1);
		for (size_t i = 0; i < now; i++)
			pairs->words[at + i] = gs_key_at(copy, args->key_bits, i) << 32 | payload[at + i];
	}
}

static void
divide_turn(void *context, size_t turn)
{
	const struct pairs *pairs = context;
	const struct gs_array_args *args = pairs->args;
	uint32_t *payload = (void *)pairs->payload;
	const size_t begin = turn * TURN_KEYS, end = turn_end(pairs, turn);

	for (size_t at = begin; at < end; at++) {
		gs_key_put(pairs->keys, args->key_bits, at, pairs->words[at] >> 32);
		payload[at] = (uint32_t)pairs->words[at];
	}
	gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse,
	                  pairs->keys + begin * args->key_bytes, end - begin, 1);
}

static gs_status
sort_words(struct pairs *pairs, unsigned threads, size_t turns)
{
	const struct gs_array_args args = gs_array_args_u64(threads);

	gs_team_each(threads, turns, join_turn, pairs);
	TRY(gs_array_sort(pairs->words, pairs->count, &args));
	gs_team_each(threads, turns, divide_turn, pairs);
	return GS_OK;
}

/* ---- by indices ------------------------------------------------------------------------- */

/* Far enough for a fetch from memory to arrive.  Not tuned. */
enum { AHEAD = 16 };

#define GATHER(type) do { \
		const type *from = pairs->from; \
		type *to = pairs->to; \
		for (size_t at = begin; at < end; at++) { \
			__builtin_prefetch(&from[words[at + AHEAD < end ? at + AHEAD : at]]); \
			to[at] = from[words[at]]; \
		} \
	} while (0)

static void
gather_turn(void *context, size_t turn)
{
	const struct pairs *pairs = context;
	const uint64_t *words = pairs->words;
	const size_t begin = turn * TURN_KEYS, end = turn_end(pairs, turn);

	switch (pairs->bytes) {
	case 1:  GATHER(uint8_t); break;
	case 2:  GATHER(uint16_t); break;
	case 4:  GATHER(uint32_t); break;
	default: GATHER(uint64_t); break;
	}
}

static void
gather(struct pairs *pairs, void *array, void *copy, size_t bytes, unsigned threads, size_t turns)
{
	gs_team_copy(threads, copy, array, pairs->count * bytes);
	pairs->to = array;
	pairs->from = copy;
	pairs->bytes = bytes;
	gs_team_each(threads, turns, gather_turn, pairs);
}

static gs_status
sort_by_order(struct pairs *pairs, size_t payload_bytes, unsigned threads, size_t turns)
{
	const size_t key_bytes = pairs->args->key_bytes;
	const size_t copy_bytes = pairs->count * (key_bytes > payload_bytes ? key_bytes : payload_bytes);
	struct gs_array_memory copy;

	TRY(gs_array_order(pairs->words, pairs->keys, pairs->count, pairs->args));
	TRY(gs_array_memory_get(&copy, copy_bytes));
	gather(pairs, pairs->keys, copy.at, key_bytes, threads, turns);
	gather(pairs, pairs->payload, copy.at, payload_bytes, threads, turns);
	gs_array_memory_give(&copy);
	return GS_OK;
}

gs_status
gs_array_sort_pairs(void *keys, void *payload, size_t payload_bytes, size_t count,
                    const struct gs_array_args *args)
{
	const unsigned threads = gs_array_threads(args, count * sizeof(uint64_t));
	const size_t turns = (count + TURN_KEYS - 1) / TURN_KEYS, bytes = count * sizeof(uint64_t);
	struct pairs pairs = { .args = args, .keys = keys, .payload = payload, .count = count };
	struct gs_array_memory memory;
	gs_status status;

	assert(payload_bytes == 4 || payload_bytes == 8);
	if (count < 2)
		return GS_OK;
	TRY(gs_array_memory_get(&memory, bytes));
	pairs.words = (uint64_t *)(void *)memory.at;
	status = args->key_bits <= 32 && payload_bytes == 4
	         ? sort_words(&pairs, threads, turns)
	         : sort_by_order(&pairs, payload_bytes, threads, turns);
	gs_array_memory_give(&memory);
	return status;
}

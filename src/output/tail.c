// SPDX-License-Identifier: BSD-2-Clause
/*
 * tail.c - the last K of a stream of sorted keys, with memory in proportion to K
 *
 * In:   spans, after selection.
 * Out:  the last K keys, in the order of the output.
 */
#include <assert.h>

#include "base/round.h"
#include "output/select.h"

/* Is the tail that OPTIONS want kept here?  False: none is wanted, or it is taken by position (pick.c). */
static bool
is_kept(const struct gsort_options *options)
{
	return options->tail.wanted && options->tail.count <= GS_TAIL_MOST &&
	       (options->operation != GSORT_SORT || gs_select_wants_groups(options) || options->head);
}

uint64_t
gs_tail_bytes(const struct gsort_options *options, uint64_t keys)
{
	const struct gs_tail *tail = NULL;
	const size_t key_bytes = sizeof *tail->keys + sizeof *tail->times + sizeof *tail->classes +
	                         sizeof *tail->bits;

	return is_kept(options) ? gs_least(options->tail.count, keys) * key_bytes : 0;
}

void
gs_tail_carve(struct gs_tail *tail, const struct gsort_options *options, struct gs_arena *arena)
{
	const size_t room = (size_t)options->tail.count;

	*tail = (struct gs_tail){ .on = false };
	if (!is_kept(options))
		return;
	tail->on = true;
	tail->backward = options->head;
	tail->room = room;
	tail->keys = gs_arena_take(arena, room * sizeof *tail->keys);
	tail->times = options->counts ? gs_arena_take(arena, room * sizeof *tail->times) : NULL;
	tail->classes = gs_arena_take(arena, room);
	tail->bits = gs_arena_take(arena, room);
}

void
gs_tail_keep(struct gs_tail *tail, const struct gs_span *span)
{
	size_t at = 0;

	if (span->count > tail->room) {		/* those before it would be overwritten */
		at = span->count - tail->room;
		tail->kept += at;
	}
	for (; at < span->count; at++, tail->kept++) {
		const size_t slot = (size_t)(tail->kept % tail->room);

		tail->keys[slot] = gs_key_at(span->keys, span->key_bits, at);
		tail->classes[slot] = (uint8_t)span->key_class;
		tail->bits[slot] = (uint8_t)span->key_bits;
		if (tail->times != NULL)
			tail->times[slot] = span->times[at];
	}
	tail->left = gs_least(tail->kept, tail->room);
}

void
gs_tail_next(struct gs_tail *tail, size_t room, void *keys, uint64_t *times, struct gs_span *span)
{
	const uint64_t first = tail->kept - gs_least(tail->kept, tail->room);

	*span = (struct gs_span){ .keys = keys, .key_bits = 32, .times = times };
	for (; tail->left > 0 && span->count < room; tail->left--, span->count++) {
		const size_t slot = (size_t)((tail->backward ? first + tail->left - 1
		                                             : tail->kept - tail->left) % tail->room);

		if (span->count == 0) {
			span->key_class = tail->classes[slot];
			span->key_bits = tail->bits[slot];
		} else if (span->key_class != tail->classes[slot]) {
			return;
		}
		assert(span->key_bits == tail->bits[slot]);
		gs_key_put(keys, span->key_bits, span->count, tail->keys[slot]);
		if (tail->times != NULL)
			times[span->count] = tail->times[slot];
	}
}

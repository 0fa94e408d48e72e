// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.c - of equal keys only one
 *
 * Every key is written to where the next kept one belongs, and that place moves on
 * if the key differs from the one before: no branch depends on a key, so random
 * runs of equals cost no more than none.
 *
 * Invariant: the kept keys are in front, and never more than have been read.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "job/select.h"

static inline uint64_t
get(const void *keys, unsigned bits, size_t at)
{
	switch (bits) {
	case 8:  return ((const uint8_t *)keys)[at];
	case 16: return ((const uint16_t *)keys)[at];
	case 32: return ((const uint32_t *)keys)[at];
	default: return ((const uint64_t *)keys)[at];
	}
}

static inline void
put(void *keys, unsigned bits, size_t at, uint64_t key)
{
	switch (bits) {
	case 8:  ((uint8_t *)keys)[at] = (uint8_t)key; break;
	case 16: ((uint16_t *)keys)[at] = (uint16_t)key; break;
	case 32: ((uint32_t *)keys)[at] = (uint32_t)key; break;
	default: ((uint64_t *)keys)[at] = key; break;
	}
}

/* Keep of COUNT keys the first, and those that differ from the one before; how
 * many.  Inlined with constant BITS, so each width is a loop of its own. */
static inline __attribute__((always_inline)) size_t
keep(void *keys, unsigned bits, size_t count)
{
	uint64_t last = get(keys, bits, 0);
	size_t at = 1, kept;

	/* Often nothing is equal: then nothing has to be moved. */
	for (; at < count && get(keys, bits, at) != last; at++)
		last = get(keys, bits, at);
	for (kept = at; at < count; at++) {
		const uint64_t key = get(keys, bits, at);

		put(keys, bits, kept, key);
		kept += key != last;
		last = key;
	}
	return kept;
}

void
gs_select_open(struct gs_select *select, const struct gsort_options *options, uint64_t *times)
{
	*select = (struct gs_select){ .unique = options->unique, .times = times };
}

bool
gs_select_takes_all(const struct gs_select *select)
{
	return !select->unique;
}

bool
gs_select_ends(const struct gs_select *select)
{
	return select->head && select->left == 0;
}

void
gs_select_end(struct gs_select *select, struct gs_span *span)
{
	(void)select;
	*span = (struct gs_span){ .count = 0 };
}

void
gs_select_span(struct gs_select *select, struct gs_span *span)
{
	bool again;

	if (span->count == 0)
		return;
	again = select->any && select->stream == span->stream &&
	        select->last == get(span->keys, span->key_bits, 0);
	select->any = true;
	select->stream = span->stream;
	select->last = get(span->keys, span->key_bits, span->count - 1);
	switch (span->key_bits) {
	case 8:  span->count = keep(span->keys, 8, span->count); break;
	case 16: span->count = keep(span->keys, 16, span->count); break;
	case 32: span->count = keep(span->keys, 32, span->count); break;
	case 64: span->count = keep(span->keys, 64, span->count); break;
	default: assert(false && "a width");
	}
	/* The first key went out with the span before: the borrower may move the
	 * pointer, too. */
	if (again) {
		span->keys = (char *)span->keys + span->key_bits / 8;
		span->count--;
	}
}

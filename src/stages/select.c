// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.c - of equal keys one or none, with its count; or the first K keys
 *
 * In:   sorted spans, key class by key class.
 * Out:  the same spans with fewer keys.
 *
 * A group that is counted is written when it has ended, with the first key of the next group: a
 * span ends at most as many groups as it has keys, so there is room in place.  Each step writes a
 * key to the next free place, which advances only if the key is wanted: no branch depends on a
 * key, so random groups cost no more than none.
 *
 * Invariant: the selected keys are in front, and never more than have been read.
 */
#include <assert.h>
#include <stddef.h>

#include "stages/select.h"

bool
gs_select_wants_groups(const struct gsort_options *options)
{
	return options->unique || options->counts || options->repeated || options->singletons;
}

void
gs_select_open(struct gs_select *select, const struct gsort_options *options, uint64_t *times)
{
	*select = (struct gs_select){
		.groups = gs_select_wants_groups(options),
		.least = options->repeated ? 2 : 1,
		.most = options->singletons ? 1 : UINT64_MAX,
		.counts = options->counts,
		.times = times,
		.head = options->head,
		.left = options->head_count,
	};
	select->at_once = select->groups && !select->counts && select->least == 1 &&
	                  select->most == UINT64_MAX;
	assert(select->least <= select->most);
}

bool
gs_select_takes_all(const struct gs_select *select)
{
	return !select->groups && !select->head;
}

bool
gs_select_ends(const struct gs_select *select)
{
	return select->head && select->left == 0;
}

static void
cut(struct gs_select *select, struct gs_span *span)
{
	if (!select->head)
		return;
	if (span->count > select->left)
		span->count = (size_t)select->left;
	select->left -= span->count;
}

/* In one comparison: LEAST <= TIMES <= MOST. */
static inline bool
fits(const struct gs_select *select, uint64_t times)
{
	return times - select->least <= select->most - select->least;
}

/*
 * Of SPAN the keys that differ from the one before; how many.  Inlined with constant
 * BITS, so each width is a loop of its own.  0.24 ns a key while all differ and 0.39
 * from then on, where groups() below takes 0.7 to 1.0 (AMD EPYC, 2 MiB spans).
 */
static inline __attribute__((always_inline)) size_t
differing(struct gs_select *select, const struct gs_span *span, unsigned bits)
{
	uint64_t last = select->last;
	size_t at = 0, kept;

	/* Often nothing is equal: then nothing has to be moved. */
	for (; at < span->count && gs_key_at(span->keys, bits, at) != last; at++)
		last = gs_key_at(span->keys, bits, at);
	for (kept = at; at < span->count; at++) {
		const uint64_t key = gs_key_at(span->keys, bits, at);

		gs_key_put(span->keys, bits, kept, key);
		kept += key != last;
		last = key;
	}
	select->last = last;
	return kept;
}

/*
 * Groups that end within SPAN, of those that are wanted; how many.  One that began in
 * an earlier span began at a negative index, modulo 2^64.
 */
static inline __attribute__((always_inline)) size_t
groups(struct gs_select *select, const struct gs_span *span, unsigned bits, uint64_t *times)
{
	const struct gs_select wanted = *select;
	uint64_t last = select->last, begin = -select->last_times;
	size_t kept = 0;

	for (size_t at = 0; at < span->count; at++) {
		const uint64_t key = gs_key_at(span->keys, bits, at);
		const bool ends = key != last;

		gs_key_put(span->keys, bits, kept, last);
		if (times != NULL)
			times[kept] = at - begin;
		kept += ends & fits(&wanted, at - begin);
		begin = ends ? at : begin;
		last = key;
	}
	select->last = last;
	select->last_times = span->count - begin;
	return kept;
}

static inline __attribute__((always_inline)) size_t
chosen(struct gs_select *select, const struct gs_span *span, unsigned bits)
{
	return select->at_once ? differing(select, span, bits) :
	       select->counts ? groups(select, span, bits, select->times) :
	       groups(select, span, bits, NULL);
}

static void
begin_group(struct gs_select *select, const struct gs_span *span)
{
	const uint64_t key = gs_key_at(span->keys, span->key_bits, 0);

	select->any = true;
	select->key_class = span->key_class;
	select->key_bits = span->key_bits;
	select->last = select->at_once ? ~key : key;	/* the first one differs */
	select->last_times = 0;
}

void
gs_select_span(struct gs_select *select, struct gs_span *span)
{
	if (select->groups && span->count > 0) {
		if (!select->any)
			begin_group(select, span);
		assert(select->key_class == span->key_class && select->key_bits == span->key_bits);
		switch (span->key_bits) {
		case 8:  span->count = chosen(select, span, 8); break;
		case 16: span->count = chosen(select, span, 16); break;
		case 32: span->count = chosen(select, span, 32); break;
		case 64: span->count = chosen(select, span, 64); break;
		default: assert(false && "a width");
		}
	}
	cut(select, span);
}

void
gs_select_pairs(struct gs_select *select, struct gs_span *span, uint64_t *times)
{
	size_t kept = 0;

	assert(select->groups && !select->any);
	for (size_t at = 0; at < span->count; at++) {
		gs_key_put(span->keys, span->key_bits, kept, gs_key_at(span->keys, span->key_bits, at));
		times[kept] = times[at];
		kept += fits(select, times[kept]);
	}
	span->count = kept;
	cut(select, span);
}

void
gs_select_end(struct gs_select *select, struct gs_span *span)
{
	*span = (struct gs_span){
		.keys = &select->ended, .key_bits = select->key_bits, .key_class = select->key_class,
	};
	if (select->any && !select->at_once && fits(select, select->last_times)) {
		gs_key_put(&select->ended, select->key_bits, 0, select->last);
		if (select->counts)
			select->times[0] = select->last_times;
		span->count = 1;
	}
	select->any = false;
	cut(select, span);
}

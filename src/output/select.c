// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.c - write one of equal keys, or none, with its count; or the first K keys
 *
 * In:   sorted spans, key class by key class.
 * Out:  the same spans with fewer keys.
 *
 * A counted group is written when the next group begins.  At most as many groups end in a span as it has
 * keys, so the selected keys fit in place.  Each step writes a key to the next free place, which advances
 * only if the key is selected: no branch depends on a key, so random groups cost no more than no groups.
 *
 * Invariant: the selected keys are at the front, and are never more than the keys that have been read.
 */
#include <assert.h>
#include <stddef.h>

#include "base/simd.h"
#include "output/select.h"

bool
gs_select_wants_groups(const struct gsort_options *options)
{
	return options->unique || options->counts || options->repeated || options->singletons;
}

bool
gs_select_merges_zeros(const struct gsort_options *options)
{
	return gs_select_wants_groups(options) || options->summary || options->top.wanted;
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

size_t
gs_select_head(struct gs_select *select, size_t count)
{
	if (!select->head)
		return count;
	if (count > select->left)
		count = (size_t)select->left;
	select->left -= count;
	return count;
}

/* LEAST <= TIMES <= MOST, in one comparison. */
static inline bool
fits(const struct gs_select *select, uint64_t times)
{
	return times - select->least <= select->most - select->least;
}

/*
 * Keep the first key of each group if AT_ONCE, else write the selected groups that end within SPAN; returns
 * how many.  A group that began in an earlier span began at a negative index, modulo 2^64.
 *
 * Inlined with constant BITS, so each width has loops of its own.  The first key of each takes 0.24 ns a key
 * while all differ and 0.39 from then on, groups take 0.7 to 1.0 (AMD EPYC, 2 MiB spans).
 */
static inline __attribute__((always_inline)) size_t
choose(struct gs_select *select, const struct gs_span *span, unsigned bits)
{
	const struct gs_select wanted = *select;
	uint64_t last = select->last, begin = -select->last_times;
	size_t at = 0, kept = 0;

	if (select->at_once) {
		/* Often no keys are equal; then none has to be moved. */
		for (; at < span->count && gs_key_at(span->keys, bits, at) != last; at++)
			last = gs_key_at(span->keys, bits, at);
		for (kept = at; at < span->count; at++) {
			const uint64_t key = gs_key_at(span->keys, bits, at);

			gs_key_put(span->keys, bits, kept, key);
			kept += key != last;
			last = key;
		}
	}
	for (; at < span->count; at++) {
		const uint64_t key = gs_key_at(span->keys, bits, at);
		const bool ends = key != last;

		gs_key_put(span->keys, bits, kept, last);
		if (wanted.counts)
			wanted.times[kept] = at - begin;
		kept += ends & fits(&wanted, at - begin);
		begin = ends ? at : begin;
		last = key;
	}
	select->last = last;
	select->last_times = span->count - begin;
	return kept;
}

void
gs_select_span(struct gs_select *select, struct gs_span *span)
{
	if (span->times != NULL) {	/* groups that are complete */
		size_t kept = 0;

		assert(select->groups && !select->any);
		for (size_t at = 0; at < span->count; at++)
			if (fits(select, span->times[at])) {
				gs_key_put(span->keys, span->key_bits, kept,
				           gs_key_at(span->keys, span->key_bits, at));
				span->times[kept++] = span->times[at];
			}
		span->count = kept;
	} else if (select->groups && span->count > 0) {
		if (!select->any) {
			const uint64_t key = gs_key_at(span->keys, span->key_bits, 0);

			select->any = true;
			select->key_class = span->key_class;
			select->key_bits = span->key_bits;
			select->last = select->at_once ? ~key : key;	/* the first one differs */
			select->last_times = 0;
		}
		assert(select->key_class == span->key_class && select->key_bits == span->key_bits);
#define CHOOSE(width)	choose(select, span, width)
		span->count = GS_BY_WIDTH(span->key_bits, CHOOSE);
		if (select->counts)
			span->times = select->times;
	}
	span->count = gs_select_head(select, span->count);
}

/* ---- side by side ------------------------------------------------------------ */

void
gs_select_alone(const struct gs_select *select, struct gs_span *span, uint64_t *times, struct gs_seam *seam)
{
	const uint64_t first = gs_key_at(span->keys, span->key_bits, 0);
	size_t end = 1;

	while (end < span->count && gs_key_at(span->keys, span->key_bits, end) == first)
		end++;
	*seam = (struct gs_seam){
		.first = first, .first_times = end,
		.alone = {
			.groups = select->groups, .least = select->least, .most = select->most,
			.at_once = select->at_once, .counts = select->counts, .times = times,
		},
	};
	span->keys = (char *)span->keys + end * (span->key_bits / 8);
	span->count -= end;
}

/* The group of SELECT has ended: write it, if it is wanted and was not written when it began. */
static size_t
end_group(const struct gs_select *select, void *keys, uint64_t *times, size_t count)
{
	if (select->at_once || !fits(select, select->last_times))
		return count;
	gs_key_put(keys, select->key_bits, count, select->last);
	times[count] = select->last_times;
	return count + 1;
}

size_t
gs_select_join(struct gs_select *select, unsigned key_class, unsigned key_bits,
               const struct gs_seam *seam, void *keys, uint64_t *times)
{
	size_t count = 0;

	if (select->any && select->last == seam->first) {
		select->last_times += seam->first_times;
	} else {
		if (select->any)
			count = end_group(select, keys, times, count);
		select->key_class = key_class;
		select->key_bits = key_bits;
		if (select->at_once)
			gs_key_put(keys, key_bits, count++, seam->first);
		select->any = true;
		select->last = seam->first;
		select->last_times = seam->first_times;
	}
	assert(select->key_class == key_class && select->key_bits == key_bits);
	if (seam->alone.any) {
		count = end_group(select, keys, times, count);
		select->last = seam->alone.last;
		select->last_times = seam->alone.last_times;
	}
	assert(count <= GS_SEAM_KEYS);
	return count;
}

void
gs_select_end(struct gs_select *select, struct gs_span *span)
{
	*span = (struct gs_span){
		.keys = &select->ended, .key_bits = select->key_bits, .key_class = select->key_class,
	};
	if (select->any && !select->at_once && fits(select, select->last_times)) {
		gs_key_put(&select->ended, select->key_bits, 0, select->last);
		if (select->counts) {
			span->times = select->times;
			span->times[0] = select->last_times;
		}
		span->count = 1;
	}
	select->any = false;
	span->count = gs_select_head(select, span->count);
}

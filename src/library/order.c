// SPDX-License-Identifier: BSD-2-Clause
/*
 * order.c - the order of the keys of an array, as indices
 *
 * In:   keys of any binary type.
 * Out:  their indices, in order; equal keys by index.
 *
 * A word of 64 bits holds the leading bits of a key, less those that all keys share, and the index of
 * the key below them.  So sorting words sorts indices, at the speed of sorting u64, and the sort is
 * stable.  Keys of 32 bits fit beside 2^32 indices.  Wider keys lose some bits: then keys with equal
 * leading bits, which are neighbours now, are put in order by the bits that are left, in the same way.
 *
 * Invariant: nothing fails once words are in INDICES, an array of the caller.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "key/key.h"
#include "library/array.h"
#include "sort/cpu/quicksort.h"

enum { FEW = 32 };	/* words that are sorted by insertion */

struct ordering {
	const struct gs_array_args *args;
	const char *keys;
	size_t      count;
	uint64_t    least;	/* of the keys, as ordered bits */
	unsigned    index_bits;	/* of a word */
	unsigned    shift;	/* bits of a key that are cut off */
	void       *indices;
	size_t      index_bytes;
	uint64_t   *words;	/* INDICES, or of their own */
	void       *scratch;	/* as much as the words have, 2 MiB at most; NULL: words of their own */
	pthread_mutex_t lock;	/* of it */
	atomic_size_t found_least, found_most;	/* of the keys; the most complemented */
	size_t      starts[];	/* of each turn: its first word that begins a run; TURN's end: none */
};

/* ---- runs of equal leading bits ---------------------------------------------------- */

/* Sort COUNT words.  INDICES hold words by now, so this must not fail: without memory many are sorted by one
 * thread at a time in the memory of the first sort, and few by insertion. */
static void
sort_run(struct ordering *ordering, uint64_t *words, size_t count)
{
	const struct gs_array_args args = gs_array_args_u64(1);

	if (count > FEW && gs_array_sort(words, count, &args) == GS_OK)
		return;
	if (count > FEW && ordering->scratch != NULL) {
		pthread_mutex_lock(&ordering->lock);
		gs_quicksort_in_place(gs_simd_kernels(gs_simd_best(), 64), words, count, ordering->scratch,
		                      count * sizeof *words, NULL, 1);
		pthread_mutex_unlock(&ordering->lock);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		const uint64_t word = words[i];
		size_t at = i;

		for (; at > 0 && words[at - 1] > word; at--)
			words[at] = words[at - 1];
		words[at] = word;
	}
}

/* Sort words from BEGIN to before END, by the lowest WIDTH bits of their keys where the bits of a key in them
 * are equal.  In one step up to 2^32 words, since no more bits of a key were cut off than an index has. */
static void
refine(struct ordering *ordering, size_t begin, size_t end, unsigned width)
{
	const unsigned bits = ordering->index_bits, cut = gs_array_bits_cut(width, bits);
	uint64_t *words = ordering->words;

	for (size_t i = begin, to; i < end; i = to) {
		for (to = i + 1; to < end && (words[to] ^ words[i]) >> bits == 0; to++)
			;
		if (to - i < 2)
			continue;
		for (size_t at = i; at < to; at++) {
			const uint64_t index = words[at] & gs_low_bits(bits);
			uint64_t key;

			gs_array_read(ordering->args, ordering->keys, (size_t)index, 1, &key);
			words[at] = ((key - ordering->least) & gs_low_bits(width)) >> cut << bits | index;
		}
		sort_run(ordering, words + i, to - i);
		if (cut > 0)
			refine(ordering, i, to, cut);
	}
}

static void
find_start(void *context, size_t turn)
{
	struct ordering *ordering = context;
	const size_t end = gs_array_turn_end(ordering->count, turn);
	size_t at = turn * GS_ARRAY_TURN_KEYS;

	for (; at > 0 && at < end; at++)
		if ((ordering->words[at] ^ ordering->words[at - 1]) >> ordering->index_bits != 0)
			break;
	ordering->starts[turn] = at;
}

/* The runs that begin in a turn, to the first that begins in a later one. */
static void
refine_turn(void *context, size_t turn)
{
	struct ordering *ordering = context;
	const size_t turns = (ordering->count + GS_ARRAY_TURN_KEYS - 1) / GS_ARRAY_TURN_KEYS;
	const size_t begin = ordering->starts[turn];
	size_t next = turn + 1, end;

	if (begin == gs_array_turn_end(ordering->count, turn))
		return;
	while (next < turns && ordering->starts[next] == gs_array_turn_end(ordering->count, next))
		next++;
	end = next < turns ? ordering->starts[next] : ordering->count;
	refine(ordering, begin, end, ordering->shift);
}

/* ---- words --------------------------------------------------------------------------- */

static void
find_range(void *context, unsigned worker, unsigned size)
{
	struct ordering *ordering = context;
	const size_t end = gs_team_begin(ordering->count, worker + 1, size);
	uint64_t least = UINT64_MAX, most = 0, keys[GS_ARRAY_READ_KEYS];

	for (size_t at = gs_team_begin(ordering->count, worker, size), now; at < end; at += now) {
		now = end - at < GS_ARRAY_READ_KEYS ? end - at : GS_ARRAY_READ_KEYS;
		gs_array_read(ordering->args, ordering->keys, at, now, keys);
		for (size_t i = 0; i < now; i++) {
			least = keys[i] < least ? keys[i] : least;
			most = keys[i] > most ? keys[i] : most;
		}
	}
	gs_team_least(&ordering->found_least, least);
	gs_team_least(&ordering->found_most, ~most);
}

static void
make_words(void *context, size_t turn)
{
	struct ordering *ordering = context;
	const size_t end = gs_array_turn_end(ordering->count, turn);
	uint64_t keys[GS_ARRAY_READ_KEYS];

	for (size_t at = turn * GS_ARRAY_TURN_KEYS, now; at < end; at += now) {
		now = end - at < GS_ARRAY_READ_KEYS ? end - at : GS_ARRAY_READ_KEYS;
		gs_array_read(ordering->args, ordering->keys, at, now, keys);
		for (size_t i = 0; i < now; i++)
			ordering->words[at + i] = (keys[i] - ordering->least) >> ordering->shift
			                          << ordering->index_bits | (at + i);
	}
}

static void
drop_keys(void *context, size_t turn)
{
	struct ordering *ordering = context;
	const size_t end = gs_array_turn_end(ordering->count, turn);
	const uint64_t mask = gs_low_bits(ordering->index_bits);
	uint64_t *longs = ordering->indices;
	uint32_t *shorts = ordering->indices;

	if (ordering->index_bytes == sizeof *longs)
		for (size_t at = turn * GS_ARRAY_TURN_KEYS; at < end; at++)
			longs[at] = ordering->words[at] & mask;
	else
		for (size_t at = turn * GS_ARRAY_TURN_KEYS; at < end; at++)
			shorts[at] = (uint32_t)(ordering->words[at] & mask);
}

gs_status
gs_array_order(void *indices, size_t index_bytes, const void *keys, size_t count,
               const struct gs_array_args *args)
{
	const size_t turns = (count + GS_ARRAY_TURN_KEYS - 1) / GS_ARRAY_TURN_KEYS;
	struct gs_array_args words = gs_array_args_u64(gs_array_threads(args, count * 8));
	struct gs_array_memory memory = { .at = NULL };
	unsigned width = args->key_bits;
	struct ordering *ordering;
	gs_status status;

	if (count == 1)		/* without keys INDICES may be NULL */
		memset(indices, 0, index_bytes);
	if (count < 2)
		return GS_OK;
	ordering = calloc(1, sizeof *ordering + turns * sizeof *ordering->starts);
	if (ordering == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	ordering->args = args;
	ordering->keys = keys;
	ordering->count = count;
	ordering->indices = indices;
	ordering->index_bytes = index_bytes;
	ordering->words = index_bytes == sizeof *ordering->words ? indices : NULL;
	pthread_mutex_init(&ordering->lock, NULL);
	status = gs_array_words_get(&memory, &ordering->words, count, &words, args);
	if (status == GS_OK) {
		ordering->scratch = words.scratch;
		/* Choose how many bits of the keys a word has. */
		ordering->index_bits = gs_bits_of(count - 1);
		if (width + ordering->index_bits > 64) {
			ordering->found_least = ordering->found_most = UINT64_MAX;
			gs_team_run(words.threads, find_range, ordering);
			ordering->least = ordering->found_least;
			width = gs_bits_of(~ordering->found_most - ordering->least);
		}
		ordering->shift = gs_array_bits_cut(width, ordering->index_bits);
		gs_team_each(words.threads, turns, make_words, ordering);
		status = gs_array_sort(ordering->words, count, &words);
	}
	if (status == GS_OK && ordering->shift > 0) {
		gs_team_each(words.threads, turns, find_start, ordering);
		gs_team_each(words.threads, turns, refine_turn, ordering);
	}
	if (status == GS_OK)
		gs_team_each(words.threads, turns, drop_keys, ordering);
	gs_array_memory_give(&memory);
	pthread_mutex_destroy(&ordering->lock);
	free(ordering);
	return status;
}

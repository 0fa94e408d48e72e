// SPDX-License-Identifier: BSD-2-Clause
/*
 * order.c - the order of the keys of an array, as indices
 *
 * In:   keys of any binary type.
 * Out:  their indices, in order; equal keys by index.
 *
 * A word of 64 bits holds the leading bits of a key, less those that all keys share, and the index of
 * the key below them.  So sorting words sorts indices, at the speed of sorting u64, and the sort is
 * stable.  Keys of 32 bits fit beside 2^32 indices.  Of wider keys some bits are cut off: then the keys
 * of equal leading bits, which are neighbours now, are put in order by the bits that are left, in the
 * same way.
 *
 * Invariant: when refine() begins, the words of its run have equal leading bits, and ascend by index.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/team.h"
#include "format/key.h"

enum { FEW = 32 };	/* so many words are sorted by insertion */

struct ordering {
	const struct gs_array_args *args;
	const char *keys;
	size_t      count;
	uint64_t    least;	/* of the keys, as ordered bits */
	unsigned    index_bits;	/* of a word */
	unsigned    shift;	/* bits of a key that are cut off */
	uint64_t   *words;	/* of the caller, or of their own: */
	void       *indices;
	size_t     *starts;	/* of each turn: its first word that begins a run; TURN's end: none */
	struct gs_first_error error;
	uint64_t    turn_least[GS_TEAM_MAX], turn_most[GS_TEAM_MAX];	/* by worker */
};

/* The lowest WIDTH bits of key number INDEX, counted from the least key. */
static uint64_t
rest_of(const struct ordering *ordering, uint64_t index, unsigned width)
{
	uint64_t key[1];

	gs_array_read(ordering->args, ordering->keys, (size_t)index, 1, key);
	return (key[0] - ordering->least) & gs_low_bits(width);
}

/* ---- runs of equal leading bits ---------------------------------------------------- */

static void
insert_few(const struct ordering *ordering, uint64_t *words, size_t count, unsigned width)
{
	uint64_t rests[FEW];

	for (size_t i = 0; i < count; i++) {
		const uint64_t word = words[i];
		const uint64_t rest = rest_of(ordering, word & gs_low_bits(ordering->index_bits), width);
		size_t at = i;

		for (; at > 0 && rests[at - 1] > rest; at--) {
			rests[at] = rests[at - 1];
			words[at] = words[at - 1];
		}
		rests[at] = rest;
		words[at] = word;
	}
}

static gs_status refine(const struct ordering *ordering, uint64_t *words, size_t count,
                        unsigned width);

/* Refine each run of WORDS, whose order is that of SORTED, less its INDEX_BITS. */
static gs_status
refine_runs(const struct ordering *ordering, uint64_t *words, const uint64_t *sorted, size_t count,
            unsigned index_bits, unsigned width)
{
	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1; end < count &&
		     sorted[end] >> index_bits == sorted[begin] >> index_bits; end++)
			;
		if (end - begin > 1)
			TRY(refine(ordering, words + begin, end - begin, width));
	}
	return GS_OK;
}

/* Put words whose keys differ in the lowest WIDTH bits alone in order.  In two steps at most up to 2^32
 * keys: the first leaves at most 32 bits. */
static gs_status
refine(const struct ordering *ordering, uint64_t *words, size_t count, unsigned width)
{
	const unsigned index_bits = gs_bits_of(count - 1);
	const unsigned prefix_bits = width < 64 - index_bits ? width : 64 - index_bits;
	const struct gs_array_args args = gs_array_args_u64(1);
	uint64_t *before, *sorted;
	gs_status status;

	if (count <= FEW) {
		insert_few(ordering, words, count, width);
		return GS_OK;
	}
	before = malloc(2 * count * sizeof *before);
	if (before == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	sorted = before + count;
	memcpy(before, words, count * sizeof *before);
	for (size_t i = 0; i < count; i++) {
		const uint64_t rest = rest_of(ordering, words[i] & gs_low_bits(ordering->index_bits), width);

		sorted[i] = rest >> (width - prefix_bits) << index_bits | i;
	}
	status = gs_array_sort(sorted, count, &args);
	for (size_t i = 0; i < count; i++)
		words[i] = before[sorted[i] & gs_low_bits(index_bits)];
	if (status == GS_OK && prefix_bits < width)
		status = refine_runs(ordering, words, sorted, count, index_bits, width - prefix_bits);
	free(before);
	return status;
}

static bool
begins_run(const struct ordering *ordering, size_t at)
{
	return at == 0 || ordering->words[at] >> ordering->index_bits !=
	                  ordering->words[at - 1] >> ordering->index_bits;
}

static void
find_start(void *context, size_t turn)
{
	struct ordering *ordering = context;
	const size_t end = gs_array_turn_end(ordering->count, turn);
	size_t at = turn * GS_ARRAY_TURN_KEYS;

	while (at < end && !begins_run(ordering, at))
		at++;
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
	gs_first_error_note(&ordering->error,
	                    refine_runs(ordering, ordering->words + begin, ordering->words + begin,
	                                end - begin, ordering->index_bits, ordering->shift));
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
	ordering->turn_least[worker] = least;
	ordering->turn_most[worker] = most;
}

/* Choose how many bits of the keys a word has. */
static void
choose_bits(struct ordering *ordering, unsigned threads)
{
	unsigned width = ordering->args->key_bits;
	uint64_t least = UINT64_MAX, most = 0;

	ordering->index_bits = gs_bits_of(ordering->count - 1);
	if (width + ordering->index_bits > 64) {
		for (unsigned t = 0; t < threads; t++)
			ordering->turn_least[t] = UINT64_MAX;
		gs_team_run(threads, find_range, ordering);
		for (unsigned t = 0; t < threads; t++) {
			least = ordering->turn_least[t] < least ? ordering->turn_least[t] : least;
			most = ordering->turn_most[t] > most ? ordering->turn_most[t] : most;
		}
		ordering->least = least;
		width = gs_bits_of(most - least);
	}
	ordering->shift = gs_array_bits_cut(width, ordering->index_bits);
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
	uint32_t *shorts = ordering->indices;

	if (ordering->indices == ordering->words)
		for (size_t at = turn * GS_ARRAY_TURN_KEYS; at < end; at++)
			ordering->words[at] &= mask;
	else
		for (size_t at = turn * GS_ARRAY_TURN_KEYS; at < end; at++)
			shorts[at] = (uint32_t)(ordering->words[at] & mask);
}

/* Sort words, and what their cut-off bits leave open. */
static gs_status
sort_words(struct ordering *ordering, const struct gs_array_args *args, size_t turns)
{
	TRY(gs_array_sort(ordering->words, ordering->count, args));
	if (ordering->shift == 0)
		return GS_OK;
	ordering->starts = malloc(turns * sizeof *ordering->starts);
	if (ordering->starts == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	gs_first_error_open(&ordering->error);
	gs_team_each(args->threads, turns, find_start, ordering);
	gs_team_each(args->threads, turns, refine_turn, ordering);
	free(ordering->starts);
	return gs_first_error_close(&ordering->error);
}

static gs_status
order(struct ordering *ordering)
{
	const size_t turns = (ordering->count + GS_ARRAY_TURN_KEYS - 1) / GS_ARRAY_TURN_KEYS;
	struct gs_array_args args = gs_array_args_u64(gs_array_threads(ordering->args, ordering->count * 8));
	struct gs_array_memory memory = { .at = NULL };
	gs_status status;

	if (ordering->words == NULL) {
		TRY(gs_array_words_get(&memory, &ordering->words, ordering->count, &args, ordering->args));
	} else if (gs_array_sort_bytes(ordering->count, &args) <= ordering->args->scratch_bytes) {
		args.scratch = ordering->args->scratch;
		args.scratch_bytes = ordering->args->scratch_bytes;
	}
	choose_bits(ordering, args.threads);
	gs_team_each(args.threads, turns, make_words, ordering);
	status = sort_words(ordering, &args, turns);
	if (status == GS_OK)
		gs_team_each(args.threads, turns, drop_keys, ordering);
	gs_array_memory_give(&memory);
	return status;
}

gs_status
gs_array_order(void *indices, size_t index_bytes, const void *keys, size_t count,
               const struct gs_array_args *args)
{
	struct ordering *ordering;
	gs_status status;

	if (count < 2) {
		memset(indices, 0, count * index_bytes);
		return GS_OK;
	}
	ordering = calloc(1, sizeof *ordering);
	if (ordering == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	ordering->args = args;
	ordering->keys = keys;
	ordering->count = count;
	ordering->indices = indices;
	ordering->words = index_bytes == sizeof *ordering->words ? indices : NULL;
	status = order(ordering);
	free(ordering);
	return status;
}

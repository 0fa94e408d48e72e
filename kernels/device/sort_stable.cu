// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort_stable.cu - pairs whose equal keys keep their order, and the places of sorted keys
 *
 * In:   keys, in pieces or as one, and a payload of each.
 * Out:  keys ascend in each piece, payloads have moved with them; or instead of these, where keys were.
 *
 * Keys as one, with payloads or of 64 bits with their places, are sorted by divisions that keep the order of
 * rows (block/partition.cuh).  Other keys are made distinct by their places:
 *
 *     to 32 bits   words of a key and its place are sorted as keys of 64 bits; in rows those of keys of 8 and
 *                  16 bits as keys of 32
 *     64 bits      words of lower halves and places, then of upper halves and the places in the first order
 *
 * Payloads that are not sorted with their keys move once, at the end, to where the order of places says.
 *
 * Invariant: a place is a number in its row, or of segments in the whole array, and less than 2^32.
 */
#include <algorithm>

#include "kernels/device/each.cuh"
#include "kernels/device/leaf_launch.cuh"
#include "kernels/kernels.h"

/* The first place of the row that element I is in; all are one row if LENGTH is 0. */
static __device__ __forceinline__ uint32_t
row_begin(size_t i, uint32_t length)
{
	return length > 0 ? (uint32_t)i / length * length : 0;
}

/* ---- the three ways ---------------------------------------------------------------- */

/* A sort under way, and its memory. */
struct stable_job {
	const gs_sorter *sorter;
	gs_stable        s;
	cudaStream_t     stream;
	uint32_t         length;	/* of rows; 0: of segments, or all */
	void            *words, *other;	/* OTHER: also room for what follows */
	uint32_t        *order, *before;
	void            *sort;		/* scratch of the sorts that do the work */
	size_t           bytes;
};

static bool
is_one_piece(const gs_cuts &pieces)
{
	return pieces.at == NULL && pieces.count == 1 && pieces.length > block<uint64_t>::KEYS;
}

/* Bits of a word: half of them hold the places in a row of short keys. */
static unsigned
word_bits(const gs_stable &s)
{
	return s.bits <= 16 && s.pieces.at == NULL && s.pieces.length <= 1 << 16 ? 32 : 64;
}

/* Could pairs be sorted in order: of payloads, or of places? */
static bool
wants_pairs(const gs_stable &s)
{
	return is_one_piece(s.pieces) && word_bits(s) == 64 && (s.bits == 64 || !s.places);
}

/* PAIRS: by a sort of these. */
static stable_job
stable_job_of(const gs_stable &s, bool pairs, void *memory)
{
	char *const base = (char *)memory;
	const unsigned bits = word_bits(s);
	stable_job j = {};

	j.s = s;
	j.length = s.pieces.at == NULL && s.pieces.count > 1 ? (uint32_t)s.pieces.length : 0;
	if (pairs) {
		carve((uint32_t **)&j.words, base, &j.bytes, s.bits < 32 ? s.count : 0);
		j.sort = base + j.bytes;
		j.bytes += gs_sort_pairs_scratch_bytes(std::max(s.bits, 32u), s.value_bits, s.count, true);
		return j;
	}
	carve(&j.order, base, &j.bytes, s.bits == 64 ? s.count : 0);
	carve(&j.before, base, &j.bytes, s.bits == 64 ? s.count : 0);
	carve((uint64_t **)&j.words, base, &j.bytes, s.count);
	carve((uint64_t **)&j.other, base, &j.bytes, s.count);
	j.sort = base + j.bytes;
	j.bytes += is_one_piece(s.pieces) ? gs_sort_scratch_bytes(bits, s.count) :
	                                    gs_sort_pieces_scratch_bytes(bits, s.pieces, s.count);
	return j;
}

static cudaError_t
sort_words(const stable_job &j, bool *wrong)
{
	const unsigned bits = word_bits(j.s);

	if (is_one_piece(j.s.pieces))
		return gs_sort(j.sorter, j.words, j.other, bits, gs_key_map{}, j.s.count, j.sort, j.stream);
	return gs_sort_pieces(j.sorter, j.words, j.other, bits, gs_key_map{}, j.s.pieces, j.s.count, j.sort,
	                      wrong, j.stream);
}

/* The elements at TO in the ORDER of a sort: places, under the MASK, in their rows. */
template <class Value, class Word> static cudaError_t
follow(const stable_job &j, Value *to, const Word *order, uint32_t mask)
{
	const Value *const from = (const Value *)j.other;
	const uint32_t length = j.length;

	TRY_CUDA(cudaMemcpyAsync(j.other, to, j.s.count * sizeof(Value), cudaMemcpyDeviceToDevice, j.stream));
	return for_each(j.s.count, j.stream, [=] __device__ (size_t i) {
		to[i] = from[((uint32_t)order[i] & mask) + row_begin(i, length)];
	});
}

/* WORDS of KEYS and places, each in half of a word; of keys as long as a word their lower halves. */
template <class Word, class Key> static cudaError_t
pack_words(const stable_job &j, Word *words, const Key *keys, const key_map<Key> &map)
{
	const uint32_t length = j.length;

	return for_each(j.s.count, j.stream, [=] __device__ (size_t i) {
		words[i] = (Word)ordered(map, keys[i]) << sizeof(Word) * 4 |
		           ((uint32_t)i - row_begin(i, length));
	});
}

template <class Word, class Key, class Value> static cudaError_t
sort_packed(const stable_job &j, bool *wrong)
{
	Word *const words = (Word *)j.words;
	Key *const keys = (Key *)j.s.keys;
	Value *const values = (Value *)j.s.values, *const places = j.s.places ? values : NULL;
	const key_map<Key> map = j.s.map;
	const uint32_t mask = (uint32_t)((Word)~(Word)0 >> sizeof(Word) * 4);	/* of a place */

	TRY_CUDA(pack_words(j, words, keys, map));
	TRY_CUDA(sort_words(j, wrong));
	if (*wrong)
		return cudaSuccess;
	TRY_CUDA(for_each(j.s.count, j.stream, [=] __device__ (size_t i) {
		keys[i] = original(map, (Key)(words[i] >> sizeof(Word) * 4));
		if (places != NULL)
			places[i] = (uint32_t)words[i] & mask;
	}));
	return j.s.places ? cudaSuccess : follow(j, values, words, mask);
}

/* Keys of 8 and 16 bits as words of 32. */
template <class Key, class Value> static cudaError_t
sort_in_order(const stable_job &j)
{
	const size_t count = j.s.count;
	const bool is_short = sizeof(Key) < sizeof(uint32_t);
	Key *const keys = (Key *)j.s.keys;
	Value *const values = (Value *)j.s.values;
	uint32_t *const words = (uint32_t *)j.words;

	if (j.s.places)
		TRY_CUDA(for_each(count, j.stream, [=] __device__ (size_t i) { values[i] = (Value)i; }));
	if constexpr (is_short)
		TRY_CUDA(widen<Key>(words, keys, j.s.map, count, j.stream));
	TRY_CUDA(gs_sort_pairs(j.sorter, is_short ? words : j.s.keys, values,
	                       is_short ? 32 : sizeof(Key) * 8, sizeof(Value) * 8,
	                       is_short ? gs_key_map{} : j.s.map, count, true, j.sort, j.stream));
	if constexpr (is_short)
		return shorten<Key>(keys, words, j.s.map, count, j.stream);
	return cudaSuccess;
}

template <class Value> static cudaError_t
sort_halves(const stable_job &j, bool *wrong)
{
	const size_t count = j.s.count;
	const uint32_t length = j.length;
	uint64_t *const keys = (uint64_t *)j.s.keys, *const words = (uint64_t *)j.words;
	Value *const values = (Value *)j.s.values;
	uint32_t *const order = j.order, *const before = j.before;
	const key_map<uint64_t> map = j.s.map;

	TRY_CUDA(pack_words(j, words, keys, map));
	TRY_CUDA(sort_words(j, wrong));
	if (*wrong)
		return cudaSuccess;
	/* the order of lower halves; then words of the upper halves in that order */
	TRY_CUDA(for_each(count, j.stream, [=] __device__ (size_t i) {
		const uint32_t begin = row_begin(i, length);

		before[i] = (uint32_t)words[i];
		words[i] = ordered(map, keys[before[i] + begin]) >> 32 << 32 | ((uint32_t)i - begin);
	}));
	TRY_CUDA(sort_words(j, wrong));
	TRY_CUDA(for_each(count, j.stream, [=] __device__ (size_t i) {
		order[i] = before[(uint32_t)words[i] + row_begin(i, length)];
	}));
	TRY_CUDA(follow(j, keys, order, UINT32_MAX));
	if (j.s.places)
		return for_each(count, j.stream, [=] __device__ (size_t i) { values[i] = order[i]; });
	return follow(j, values, order, UINT32_MAX);
}

extern "C" size_t
gs_sort_stable_scratch_bytes(const struct gs_stable *s)
{
	const size_t bytes = stable_job_of(*s, false, NULL).bytes;

	return wants_pairs(*s) ? std::max(bytes, stable_job_of(*s, true, NULL).bytes) : bytes;
}

extern "C" cudaError_t
gs_sort_stable(const struct gs_sorter *sorter, const struct gs_stable *s, void *memory, bool *wrong,
               cudaStream_t stream)
{
	const bool pairs = wants_pairs(*s) && (GRAPHS_DECIDE || !sorter->of_graph);
	stable_job j = stable_job_of(*s, pairs, memory);

	j.sorter = sorter;
	j.stream = stream;
	*wrong = false;
	if (s->count == 0)
		return cudaSuccess;
	return by_width<uint32_t, uint64_t>(s->value_bits, [&](auto value) {
		typedef decltype(value) Value;

		if (s->bits == 64)
			return pairs ? sort_in_order<uint64_t, Value>(j) : sort_halves<Value>(j, wrong);
		return by_width<uint8_t, uint16_t, uint32_t>(s->bits, [&](auto key) {
			typedef decltype(key) Key;

			if (pairs)
				return sort_in_order<Key, Value>(j);
			if constexpr (sizeof(Key) < 4)
				if (word_bits(*s) == 32)
					return sort_packed<uint32_t, Key, Value>(j, wrong);
			return sort_packed<uint64_t, Key, Value>(j, wrong);
		});
	});
}

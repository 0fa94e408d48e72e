// SPDX-License-Identifier: BSD-2-Clause
/*
 * pairs.c - sort keys, and carry a payload along
 *
 * A key of 32 bits and a payload of 32 bits are one word of 64: sorting words sorts pairs.  Others are copied
 * to buckets by the value of the key, which a cache holds if a sample can make them even.  In each a word of
 * 64 bits has the leading bits of a key, without the prefix that all keys of the bucket share, and its index;
 * sorting words finds the order, and the pairs are gathered by it, to their places.  Keys of equal leading
 * bits, which are neighbours now, are sorted by the bits that are left, in the same way.  A thread has words
 * of its own for a bucket, which stay in its cache.  Large buckets are sorted by all threads.
 *
 * Invariant: nothing fails once pairs are copied, since the arrays of the caller are written then.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#if defined __x86_64__
#include <emmintrin.h>
#endif

#include "base/round.h"
#include "base/team.h"
#include "key/key.h"
#include "library/array.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"

enum { COPY_KEYS = 1024 };

/* A key as ordered bits, and its payload: side by side, so that a pair lies in one line of cache. */
struct pair {
	uint64_t key, payload;
};

enum { LINE_PAIRS = 4 };

struct line {
	_Alignas(64) struct pair pairs[LINE_PAIRS];
};

struct pairs {
	const struct gs_array_args *args;
	char      *keys, *payload;
	size_t     count;
	uint64_t  *words;

	/* of pairs that are divided */
	const struct gs_simd_kernels *kernels, *bin_kernels;	/* of words; of keys */
	struct gs_binner binner;
	size_t     payload_bytes;
	size_t    *next;		/* for each turn, one a thread, and bin: where the next pair goes */
	size_t    *first;		/* and where the first went */
	struct line *lines;		/* and the line of the next, which is not in COPY yet */
	struct pair *copy;
	uint64_t  *scratch;
	size_t     fresh_bytes;		/* of COPY, which no thread has touched */
	size_t     large;		/* a bucket of more pairs is sorted by all threads */
	unsigned   threads;
	uint64_t  *local;		/* of each thread: words and scratch memory of LOCAL_PAIRS */
	size_t     local_pairs;		/* 0: there are few, whose lines go to a cache, not to memory */
	atomic_size_t bucket;		/* the next that is sorted by one thread */
};

/* ---- one word a pair ------------------------------------------------------------------ */

static void
join_turn(void *context, size_t turn)
{
	const struct pairs *pairs = context;
	const struct gs_array_args *args = pairs->args;
	const uint32_t *payload = (const void *)pairs->payload;
	const size_t end = gs_array_turn_end(pairs->count, turn);
	_Alignas(64) uint32_t copy[COPY_KEYS];

	for (size_t at = turn * GS_ARRAY_TURN_KEYS, now; at < end; at += now) {
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
	const size_t begin = turn * GS_ARRAY_TURN_KEYS, end = gs_array_turn_end(pairs->count, turn);

	for (size_t at = begin; at < end; at++) {
		gs_key_put(pairs->keys, args->key_bits, at, pairs->words[at] >> 32);
		payload[at] = (uint32_t)pairs->words[at];
	}
	gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse,
	                  pairs->keys + begin * args->key_bytes, end - begin, 1);
}

static gs_status
sort_as_words(struct pairs *pairs)
{
	struct gs_array_args args = gs_array_args_u64(pairs->threads);
	const size_t turns = (pairs->count + GS_ARRAY_TURN_KEYS - 1) / GS_ARRAY_TURN_KEYS;
	struct gs_array_memory memory;
	gs_status status;

	TRY(gs_array_words_get(&memory, &pairs->words, pairs->count, &args, pairs->args));
	gs_team_each(pairs->threads, turns, join_turn, pairs);
	status = gs_array_sort(pairs->words, pairs->count, &args);
	if (status == GS_OK)
		gs_team_each(pairs->threads, turns, divide_turn, pairs);
	gs_array_memory_give(&memory);
	return status;
}

/* ---- to buckets ----------------------------------------------------------------------- */

/* Pairs of a bucket, about: with words and scratch 512 KiB at most. */
enum { BUCKET_PAIRS = 1 << 14 };

/* Pairs whose words and scratch memory a thread has: as many as a bucket of 2^28 has, and more.  Other words
 * lie where the keys go, and are read to the cache and written to memory.  2^27 u64 with u64, 16 threads of a
 * Xeon, H200 host: 414 M/s, and 443 with words of the threads and pairs that are written past the cache; 418
 * with words of the threads alone. */
enum { LOCAL_PAIRS = 80 << 10 };

/* Many pairs have at least these bins: fewer are never logarithmic. */
enum { MANY_PAIRS = 1 << 17, BINS_LEAST = 256 };

/* Copies of this many pairs are not in a second-level cache when they are sorted. */
enum { STREAMED_PAIRS = 1 << 19 };

/* Far enough for a line to arrive.  Not tuned. */
enum { AHEAD = 16 };

static_assert((int)GS_BINNER_SAMPLE_KEYS <= (int)GS_ARRAY_READ_KEYS, "they are read at once");

static void
choose_bins(struct pairs *pairs)
{
	const struct gs_array_args *args = pairs->args;
	const unsigned bins = (unsigned)gs_within(pairs->count < MANY_PAIRS ? 1 : BINS_LEAST,
	                                          pairs->count / BUCKET_PAIRS, GS_BINS_MOST);
	const size_t step = pairs->count / GS_BINNER_SAMPLE_KEYS;
	uint64_t raw[GS_BINNER_SAMPLE_KEYS], sample[GS_BINNER_SAMPLE_KEYS], least, most;

	pairs->binner = gs_binner_linear(0, UINT64_MAX, 1);
	if (bins == 1)
		return;
	for (size_t s = 0; s < GS_BINNER_SAMPLE_KEYS; s++)
		gs_key_put(raw, args->key_bits, s, gs_key_at(pairs->keys, args->key_bits, s * step));
	gs_array_read(args, raw, 0, GS_BINNER_SAMPLE_KEYS, sample);
	pairs->kernels->sort_leaf(sample, sample, GS_BINNER_SAMPLE_KEYS);
	least = sample[0];
	most = sample[GS_BINNER_SAMPLE_KEYS - 1];
	for (size_t s = 0; s < GS_BINNER_SAMPLE_KEYS; s++)
		gs_key_put(sample, pairs->bin_kernels->key_bits, s, sample[s]);
	if (least < most)
		pairs->binner = gs_binner_choose(least, most, bins, pairs->bin_kernels, sample,
		                                 GS_BINNER_SAMPLE_KEYS);
}

/* Read HERE keys from AT on, and find the bin of each. */
static void
read_bins(const struct pairs *pairs, size_t at, size_t here, uint64_t *keys, uint16_t *bins)
{
	uint32_t narrow[GS_ARRAY_READ_KEYS];

	gs_array_read(pairs->args, pairs->keys, at, here, keys);
	if (pairs->bin_kernels->key_bits == 32)
		for (size_t i = 0; i < here; i++)
			narrow[i] = (uint32_t)keys[i];
	pairs->bin_kernels->bins(&pairs->binner, pairs->bin_kernels->key_bits == 32 ? (void *)narrow : keys,
	                         here, bins);
}

/* Where TURN begins; the one behind the last begins at the end. */
static size_t
turn_begin(const struct pairs *pairs, size_t turn)
{
	return pairs->count * turn / pairs->threads;
}

static void
count_turn(void *context, size_t turn)
{
	enum { PAGE = 4096 };
	const struct pairs *pairs = context;
	const size_t end = turn_begin(pairs, turn + 1), pages = pairs->fresh_bytes / PAGE;
	volatile char *copies = (char *)pairs->copy;
	size_t *next = pairs->next + turn * pairs->binner.bins;
	uint64_t keys[GS_ARRAY_READ_KEYS];
	uint16_t bins[GS_ARRAY_READ_KEYS];

	/* Threads that touch a huge page first at the same time all clear it: each touches its own. */
	for (size_t p = pages * turn / pairs->threads; p < pages * (turn + 1) / pairs->threads; p++)
		copies[p * PAGE] = 0;
	for (size_t at = turn_begin(pairs, turn), here; at < end; at += here) {
		here = end - at < GS_ARRAY_READ_KEYS ? end - at : GS_ARRAY_READ_KEYS;
		if (pairs->binner.bins == 1) {
			*next += here;
			continue;
		}
		read_bins(pairs, at, here, keys, bins);
		for (size_t i = 0; i < here; i++)
			next[bins[i]]++;
	}
}

/* Copy whole lines, to an address that is one of a line. */
static inline __attribute__((always_inline)) void
put_lines(const struct pairs *pairs, void *into, const void *of, size_t bytes)
{
#if defined __x86_64__
	const __m128i *from = of;
	__m128i *to = into;

	if (pairs->local_pairs > 0) {
		_Pragma("GCC unroll 4") for (size_t i = 0; i < bytes / sizeof *to; i++)
			_mm_stream_si128(to + i, _mm_loadu_si128(from + i));
		return;
	}
#endif
	memcpy(into, of, bytes);
}

/* Order these stores before others, that another thread may wait for. */
static void
fence(void)
{
#if defined __x86_64__
	_mm_sfence();
#endif
}

static inline __attribute__((always_inline)) void
scatter(const struct pairs *pairs, size_t turn, size_t at, size_t here, const uint64_t *keys,
        const uint16_t *bins, unsigned payload_bits)
{
	size_t *next = pairs->next + turn * pairs->binner.bins;
	const size_t *first = pairs->first + turn * pairs->binner.bins;
	struct line *lines = pairs->lines + turn * pairs->binner.bins;

	for (size_t i = 0; i < here; i++) {
		const unsigned bin = bins[i];
		const size_t to = next[bin]++;

		__builtin_prefetch(lines + bins[i + AHEAD < here ? i + AHEAD : i], 1, 3);
		lines[bin].pairs[to % LINE_PAIRS] = (struct pair){
			keys[i], gs_key_at(pairs->payload, payload_bits, at + i)
		};
		if (to % LINE_PAIRS != LINE_PAIRS - 1)
			continue;
		/* Put a line that is full to its place, but for the pairs of another turn or bin. */
		if (to + 1 - first[bin] < LINE_PAIRS)
			memcpy(pairs->copy + first[bin], lines[bin].pairs + first[bin] % LINE_PAIRS,
			       (to + 1 - first[bin]) * sizeof *pairs->copy);
		else
			put_lines(pairs, pairs->copy + (to + 1 - LINE_PAIRS), lines + bin, sizeof *lines);
	}
}

static void
scatter_turn(void *context, size_t turn)
{
	const struct pairs *pairs = context;
	const size_t end = turn_begin(pairs, turn + 1), all = pairs->binner.bins;
	const unsigned payload_bits = 8 * (unsigned)pairs->payload_bytes;
	uint64_t keys[GS_ARRAY_READ_KEYS];
	uint16_t bins[GS_ARRAY_READ_KEYS];

	for (size_t at = turn_begin(pairs, turn), here; at < end; at += here) {
		here = end - at < GS_ARRAY_READ_KEYS ? end - at : GS_ARRAY_READ_KEYS;
		if (all == 1) {
			gs_array_read(pairs->args, pairs->keys, at, here, keys);
			for (size_t i = 0; i < here; i++)
				pairs->copy[at + i] = (struct pair){
					keys[i], gs_key_at(pairs->payload, payload_bits, at + i)
				};
			pairs->next[turn] += here;
			continue;
		}
		read_bins(pairs, at, here, keys, bins);
		if (payload_bits == 64)
			scatter(pairs, turn, at, here, keys, bins, 64);
		else
			scatter(pairs, turn, at, here, keys, bins, 32);
	}
	if (all == 1)
		return;
	/* the lines that are not full */
	for (size_t b = turn * all; b < (turn + 1) * all; b++) {
		const size_t to = pairs->next[b], line = to - to % LINE_PAIRS;
		const size_t from = line > pairs->first[b] ? line : pairs->first[b];

		memcpy(pairs->copy + from, pairs->lines[b].pairs + from % LINE_PAIRS,
		       (to - from) * sizeof *pairs->copy);
	}
	fence();
}

/* ---- a bucket, to its place ------------------------------------------------------------ */

struct bucket {
	const struct pairs *pairs;
	uint64_t *words, *scratch;	/* of the thread; or else the words of 8 bytes lie where keys go, */
	size_t   begin, count;		/* and scratch memory where payloads go */
	uint64_t least;
	unsigned index_bits, shift;	/* of a word: the index; of a key: bits that are cut off */
};

static void
make_words(void *context, size_t turn)
{
	const struct bucket *bucket = context;
	const struct pair *pairs = bucket->pairs->copy + bucket->begin;
	uint64_t *words = bucket->words;
	const size_t begin = turn * GS_ARRAY_TURN_KEYS;
	const size_t end = gs_array_turn_end(bucket->count, turn);

	for (size_t i = begin; i < end; i++)
		words[i] = (pairs[i].key - bucket->least) >> bucket->shift << bucket->index_bits | i;
}

static void
put_bytes(const struct pairs *pairs, char *to, const void *of, size_t bytes)
{
	const char *from = of;
	const size_t room = -(uintptr_t)to % sizeof(struct line), first = room < bytes ? room : bytes;
	const size_t last = (bytes - first) % sizeof(struct line);

	memcpy(to, from, first);
	put_lines(pairs, to + first, from + first, bytes - last - first);
	memcpy(to + bytes - last, from + bytes - last, last);
}

/* Gather the pairs of COUNT words from AT on. */
static inline __attribute__((always_inline)) void
gather(const struct bucket *bucket, size_t at, size_t count, unsigned key_bits, uint64_t *keys,
       unsigned payload_bits, uint64_t *payload)
{
	const struct pair *copy = bucket->pairs->copy + bucket->begin;
	const uint64_t mask = gs_low_bits(bucket->index_bits);

	for (size_t i = 0; i < count; i++) {
		const struct pair pair = copy[bucket->words[at + i] & mask];

		gs_key_put(keys, key_bits, i, pair.key);
		gs_key_put(payload, payload_bits, i, pair.payload);
	}
}

static void
gather_turn(void *context, size_t turn)
{
	const struct bucket *bucket = context;
	const struct pairs *pairs = bucket->pairs;
	const struct gs_array_args *args = pairs->args;
	const unsigned payload_bits = 8 * (unsigned)pairs->payload_bytes;
	const size_t end = gs_array_turn_end(bucket->count, turn);
	_Alignas(64) uint64_t keys[GS_ARRAY_READ_KEYS], payload[GS_ARRAY_READ_KEYS];

	for (size_t at = turn * GS_ARRAY_TURN_KEYS, here; at < end; at += here) {
		const size_t to = bucket->begin + at;

		here = end - at < GS_ARRAY_READ_KEYS ? end - at : GS_ARRAY_READ_KEYS;
		if (args->key_bits == 64 && payload_bits == 64)
			gather(bucket, at, here, 64, keys, 64, payload);
		else
			gather(bucket, at, here, args->key_bits, keys, payload_bits, payload);
		gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse, keys, here, 1);
		put_bytes(pairs, pairs->keys + to * args->key_bytes, keys, here * args->key_bytes);
		put_bytes(pairs, pairs->payload + to * pairs->payload_bytes, payload,
		          here * pairs->payload_bytes);
	}
	fence();
}

/* Sort COUNT words from AT on, if they are many and there is memory by all threads.  What that says of too
 * little memory nobody reads. */
static void
sort_from(const struct bucket *bucket, size_t at, size_t count)
{
	const struct pairs *pairs = bucket->pairs;
	const struct gs_array_args args = gs_array_args_u64(pairs->threads);

	if (count <= pairs->large || gs_array_sort(bucket->words + at, count, &args) != GS_OK)
		gs_quicksort_in_place(pairs->kernels, bucket->words + at, count, bucket->scratch,
		                      count * sizeof *bucket->words, NULL, 1);
}

/* Sort words from BEGIN to END whose bits of a key are equal by the lowest WIDTH bits of their keys.  In one
 * step up to 2^32 words, since no more bits of a key were cut off than an index has. */
static void
sort_ties(const struct bucket *bucket, size_t begin, size_t end, unsigned width)
{
	const unsigned bits = bucket->index_bits, cut = gs_array_bits_cut(width, bits);
	const struct pair *copy = bucket->pairs->copy + bucket->begin;
	uint64_t *words = bucket->words;

	for (size_t i = begin, to; i + 1 < end; i = to) {
		to = i + 1;
		if ((words[to] ^ words[i]) >> bits != 0)
			continue;
		while (to < end && (words[to] ^ words[i]) >> bits == 0)
			to++;
		for (size_t at = i; at < to; at++) {
			const uint64_t index = words[at] & gs_low_bits(bits);
			const uint64_t rest = (copy[index].key - bucket->least) & gs_low_bits(width);

			words[at] = rest >> cut << bits | index;
		}
		sort_from(bucket, i, to - i);
		if (cut > 0)
			sort_ties(bucket, i, to, cut);
	}
}

/* Find the least key of COUNT pairs, one at least; returns how many bits their keys differ in. */
static inline __attribute__((always_inline)) unsigned
find_range(const struct pair *pairs, size_t count, uint64_t *least)
{
	uint64_t low = UINT64_MAX, high = 0;

	#pragma omp simd reduction(min: low) reduction(max: high)
	for (size_t i = 0; i < count; i++) {
		low = pairs[i].key < low ? pairs[i].key : low;
		high = pairs[i].key > high ? pairs[i].key : high;
	}
	*least = low;
	return gs_bits_of(high - low);
}

GS_SIMD_BEST(unsigned, find_range, (const struct pair *pairs, size_t count, uint64_t *least),
             (pairs, count, least))

/* LOCAL is memory of the thread; NULL: a large one, by all threads. */
static void
sort_bucket(const struct pairs *pairs, size_t bin, uint64_t *local)
{
	const size_t *ends = pairs->next + (pairs->threads - 1) * pairs->binner.bins;
	struct bucket bucket = { .pairs = pairs, .begin = bin == 0 ? 0 : ends[bin - 1] };
	unsigned width, threads = local == NULL ? pairs->threads : 1;
	size_t turns;

	bucket.count = ends[bin] - bucket.begin;
	if (bucket.count == 0 || (bucket.count > pairs->large) != (local == NULL))
		return;
	bucket.words = pairs->words + bucket.begin;
	bucket.scratch = pairs->scratch + bucket.begin;
	if (local != NULL && bucket.count <= pairs->local_pairs) {
		bucket.words = local;
		bucket.scratch = local + pairs->local_pairs;
	}
	turns = (bucket.count + GS_ARRAY_TURN_KEYS - 1) / GS_ARRAY_TURN_KEYS;
	width = find_range_best(pairs->copy + bucket.begin, bucket.count, &bucket.least);
	bucket.index_bits = gs_bits_of(bucket.count - 1);
	bucket.shift = gs_array_bits_cut(width, bucket.index_bits);
	gs_team_each(threads, turns, make_words, &bucket);
	sort_from(&bucket, 0, bucket.count);
	if (bucket.shift > 0)
		sort_ties(&bucket, 0, bucket.count, bucket.shift);
	gs_team_each(threads, turns, gather_turn, &bucket);
}

static void
sort_buckets(void *context, unsigned worker, unsigned size)
{
	struct pairs *pairs = context;
	size_t bin;

	(void)size;
	while ((bin = atomic_fetch_add(&pairs->bucket, 1)) < pairs->binner.bins)
		sort_bucket(pairs, bin, pairs->local + worker * 2 * pairs->local_pairs);
}

static gs_status
sort_by_buckets(struct pairs *pairs)
{
	const size_t count = pairs->count, words = pairs->args->key_bytes < 8 ? count : 0;
	const size_t scratch = pairs->payload_bytes < 8 ? count : 0;
	const size_t copy_bytes = gs_round_up(count * sizeof *pairs->copy, sizeof *pairs->lines);
	struct gs_array_memory memory;
	size_t bins, next_bytes, bytes, local, at = 0;

	pairs->kernels = gs_simd_kernels(gs_simd_best(), 64);
	pairs->bin_kernels = gs_simd_kernels(gs_simd_best(), pairs->args->key_bits == 64 ? 64 : 32);
	choose_bins(pairs);
	pairs->large = gs_within(4 * BUCKET_PAIRS, count / (4 * pairs->threads), SIZE_MAX);
	bins = pairs->threads * pairs->binner.bins;
	next_bytes = bins * sizeof *pairs->next;
	bytes = copy_bytes + bins * sizeof *pairs->lines + 2 * next_bytes;
	pairs->local_pairs = count >= STREAMED_PAIRS ? LOCAL_PAIRS : 0;
	local = pairs->threads * 2 * pairs->local_pairs;
	TRY(gs_array_memory_borrow(&memory, bytes + (words + scratch + local) * sizeof *pairs->words,
	                           64, pairs->args));
	pairs->fresh_bytes = memory.zeroed ? copy_bytes : 0;
	pairs->copy = (struct pair *)(void *)memory.at;
	pairs->lines = (struct line *)(void *)(memory.at + copy_bytes);
	pairs->next = (size_t *)(void *)(pairs->lines + bins);
	pairs->first = pairs->next + bins;
	pairs->local = (uint64_t *)(void *)(memory.at + bytes);
	pairs->words = words > 0 ? pairs->local : (void *)pairs->keys;
	pairs->local += words;
	pairs->scratch = scratch > 0 ? pairs->local : (void *)pairs->payload;
	pairs->local += scratch;
	memset(pairs->next, 0, next_bytes);
	gs_team_each(pairs->threads, pairs->threads, count_turn, pairs);
	for (unsigned b = 0; b < pairs->binner.bins; b++)
		for (size_t t = b; t < bins; t += pairs->binner.bins) {
			const size_t here = pairs->next[t];

			pairs->next[t] = pairs->first[t] = at;
			at += here;
		}
	gs_team_each(pairs->threads, pairs->threads, scatter_turn, pairs);
	for (unsigned b = 0; b < pairs->binner.bins; b++)
		sort_bucket(pairs, b, NULL);
	gs_team_run(pairs->threads, sort_buckets, pairs);
	gs_array_memory_give(&memory);
	return GS_OK;
}

gs_status
gs_array_sort_pairs(void *keys, void *payload, size_t payload_bytes, size_t count,
                    const struct gs_array_args *args)
{
	struct pairs pairs = {
		.args = args, .keys = keys, .payload = payload, .count = count,
		.payload_bytes = payload_bytes, .threads = gs_array_threads(args, count * sizeof(uint64_t)),
	};

	assert(payload_bytes == 4 || payload_bytes == 8);
	if (count < 2)
		return GS_OK;
	return args->key_bits <= 32 && payload_bytes == 4 ? sort_as_words(&pairs) : sort_by_buckets(&pairs);
}

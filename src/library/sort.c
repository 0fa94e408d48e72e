// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - sort an array in place
 *
 * In:   keys of any binary type.
 * Out:  the same keys, in order, in the same place.
 *
 *     in order, or reversed  found out, and turned round              sort_ordered()
 *     8 and 16 bits          counted                                  sort/count.h
 *     few values             counted                                  sort/cpu/quicksort.h
 *     up to QUICK_BYTES      quicksort by a team, with little scratch memory  sort/cpu/quicksort.h
 *     more                   buckets by value, by a team; then each   sort/buckets/buckets.h
 *                            part is sorted to its place
 *
 * Both map keys to ordered bits and back piece by piece, while a piece is in a cache.
 */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "key/key.h"
#include "library/array.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/pool.h"
#include "sort/count.h"
#include "sort/cpu/keys.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"

/*
 * What one thread sorts without buckets, and where it partitions keys slower, without AVX-512; N threads a
 * part of 16 MiB, but QUICK_LEAST_BYTES at least.  Xeon of the H200 host, ns a key by quicksort and buckets:
 * 16 MiB of u32 6.9 and 7.1, u64 7.5 and 7.5; 32 MiB 8.5 and 6.8, 8.8 and 7.8.  Two threads of a busy Xeon
 * of two cores, medians: 4 MiB of u32 2.57 and 3.57, 8 MiB 3.17 and 3.57, 16 MiB 4.00 and 4.40; u64 5.3 and
 * 5.6, 4.6 and 5.0, 5.3 and 5.4.  More than two were not measured.
 */
enum { QUICK_BYTES = 16 << 20, QUICK_NARROW_BYTES = 8 << 20 };
enum { QUICK_SHARED_BYTES = 16 << 20, QUICK_LEAST_BYTES = 1 << 20 };

/* What a thread maps, and then copies or adds to buckets, at a time: it stays in the second-level cache. */
enum { SHARE_BYTES = 128 << 10 };

enum { HUGE_PAGE = 2 << 20 };

static void
to_ordered(const void *of, void *keys, size_t count)
{
	const struct gs_array_args *args = of;

	gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, keys, count, 1);
}

static void
to_raw(const void *of, void *keys, size_t count)
{
	const struct gs_array_args *args = of;

	gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse, keys, count, 1);
}

/* The alignment of the part of the caller's scratch that is used. */
enum { ALIGNMENT = HUGE_PAGE };

/* ---- 8 and 16 bits -------------------------------------------------------------- */

/* Up to this many keys of 16 bits are sorted as 32 bits: 65,536 bins take longer. */
enum { WIDENED_KEYS = 2048 };

static void
sort_widened(uint16_t *keys, size_t count)
{
	uint32_t wide[WIDENED_KEYS];
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), 32);

	assert(count <= kernels->leaf_keys);
	for (size_t i = 0; i < count; i++)
		wide[i] = keys[i];
	kernels->sort_leaf(wide, wide, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint16_t)wide[i];
}

struct counter {
	const struct gs_array_args *args;
	struct gs_count count;
	char  *keys;
	size_t begin, end;	/* of a round */
};

/* A thread counts this many keys before its counts are summed: they have 32 bits. */
#define ROUND_KEYS	((size_t)1 << 31)

static void
count_share(void *context, unsigned worker, unsigned size)
{
	struct counter *counter = context;
	const size_t keys = counter->end - counter->begin, key_bytes = counter->args->key_bytes;
	const size_t end = counter->begin + gs_team_begin(keys, worker + 1, size);
	size_t at = counter->begin + gs_team_begin(keys, worker, size);

	for (size_t now; at < end; at += now) {
		char *share = counter->keys + at * key_bytes;

		now = end - at < SHARE_BYTES ? end - at : SHARE_BYTES;
		to_ordered(counter->args, share, now);
		gs_count_add(&counter->count, worker, share, now);
	}
}

/* The array itself is the buffer of the histogram: its keys have been counted. */
static gs_status
sort_by_counting(void *keys, size_t count, const struct gs_array_args *args)
{
	const size_t bins = (size_t)1 << args->key_bits;
	const unsigned threads = gs_array_threads(args, count * args->key_bytes);
	struct counter counter = { .args = args, .keys = keys };
	struct gs_array_memory memory;
	struct gs_span span;

	TRY(gs_array_memory_borrow(&memory, gs_count_bytes(bins, threads), ALIGNMENT, args));
	memset(memory.at, 0, gs_count_bytes(bins, threads));
	gs_count_open(&counter.count, memory.at, bins, args->key_bits, 0, threads);
	for (; counter.begin < count; counter.begin = counter.end) {
		counter.end = count - counter.begin < ROUND_KEYS ? count : counter.begin + ROUND_KEYS;
		gs_team_run(threads, count_share, &counter);
		gs_count_sum(&counter.count);
	}
	gs_count_next(&counter.count, false, keys, count * args->key_bytes, NULL, &span);
	assert(span.count == count);
	to_raw(args, keys, count);
	gs_array_memory_give(&memory);
	return GS_OK;
}

/* ---- few values --------------------------------------------------------------------- */

/* It takes longer to find that fewer keys are in order, or have few values, than to sort them. */
enum { ORDERED_KEYS = 256, COUNTED_KEYS = 2048, FIRST = 16 };

enum { STRETCH_KEYS = 1 << 16 };

/* How many times as fast keys are counted and filled as sorted. */
enum { TALLY_FASTER = 8 };

struct tally {
	const struct gs_simd_kernels *kernels;
	char    *keys;
	size_t   count, value_count;
	uint64_t values[GS_TALLY_VALUES];	/* as the keys are stored, in their order */
	atomic_size_t counts[GS_TALLY_VALUES];
	atomic_bool   fails;
};

static void
tally_stretch(void *context, size_t stretch)
{
	struct tally *tally = context;
	const size_t at = stretch * STRETCH_KEYS, left = tally->count - at;
	size_t counts[GS_TALLY_VALUES];

	if (atomic_load_explicit(&tally->fails, memory_order_relaxed))
		return;
	if (!tally->kernels->tally(tally->keys + at * (tally->kernels->key_bits / 8),
	                           left < STRETCH_KEYS ? left : STRETCH_KEYS, tally->values,
	                           tally->value_count, counts)) {
		atomic_store(&tally->fails, true);
		return;
	}
	for (size_t v = 0; v < tally->value_count; v++)
		atomic_fetch_add(&tally->counts[v], counts[v]);
}

static void
fill_stretch(void *context, size_t stretch)
{
	struct tally *tally = context;
	const unsigned bits = tally->kernels->key_bits;
	const size_t begin = stretch * STRETCH_KEYS, left = tally->count - begin;
	const size_t end = begin + (left < STRETCH_KEYS ? left : STRETCH_KEYS);
	size_t first = 0;

	for (size_t v = 0; v < tally->value_count; v++) {
		const size_t last = first + tally->counts[v];
		const size_t from = first > begin ? first : begin, to = last < end ? last : end;

		if (from < to)
			gs_keys_fill(tally->keys + from * (bits / 8), bits,
			             gs_key_at(tally->values, bits, v), to - from);
		first = last;
	}
}

/* Of 16 values that are as frequent a sample lacks one once in a million times; one of 64 keys in four. */
enum { SAMPLE_KEYS = 256 };

/* Draw SAMPLE_KEYS keys, as ordered bits, and sort them. */
static void
draw(const void *keys, size_t count, const struct gs_array_args *args, uint64_t sample[SAMPLE_KEYS])
{
	for (unsigned s = 0; s < SAMPLE_KEYS; s++)
		gs_key_put(sample, args->key_bits, s,
		           gs_key_at(keys, args->key_bits, s * (count / SAMPLE_KEYS)));
	to_ordered(args, sample, SAMPLE_KEYS);
	gs_simd_kernels(gs_simd_best(), args->key_bits)->sort_leaf(sample, sample, SAMPLE_KEYS);
}

/* Have all KEYS the values of a sample, few ones?  They are counted as they are stored. */
static bool
sort_few(void *keys, size_t count, const struct gs_array_args *args)
{
	const unsigned threads = gs_array_threads(args, count * args->key_bytes / TALLY_FASTER);
	const size_t stretches = (count + STRETCH_KEYS - 1) / STRETCH_KEYS;
	const size_t step = count / FIRST;
	struct tally tally = { .keys = keys, .count = count };
	uint64_t sample[SAMPLE_KEYS];
	bool repeats = false;

	/* Of 16 values two of the first 16 keys are equal, but for once in a million times. */
	for (size_t a = 1; a < FIRST; a++)
		for (size_t b = 0; b < a; b++)
			repeats |= gs_key_at(keys, args->key_bits, a * step) ==
			           gs_key_at(keys, args->key_bits, b * step);
	if (!repeats)
		return false;
	tally.kernels = gs_simd_kernels(gs_simd_best(), args->key_bits);
	draw(keys, count, args, sample);
	tally.value_count = gs_sample_values(sample, args->key_bits, SAMPLE_KEYS, tally.values,
	                                     GS_TALLY_VALUES);
	if (tally.value_count > GS_TALLY_VALUES)
		return false;
	to_raw(args, tally.values, tally.value_count);
	gs_team_each(threads, stretches, tally_stretch, &tally);
	if (tally.fails)
		return false;
	gs_team_each(threads, stretches, fill_stretch, &tally);
	return true;
}

/* ---- without buckets ------------------------------------------------------------- */

/* What has its scratch memory on the stack. */
enum { FEW_BYTES = 16 << 10 };

struct reversal {
	char  *keys;
	size_t count, key_bytes;
};

static void
reverse_stretch(void *context, size_t stretch)
{
	const struct reversal *reversal = context;
	const size_t last = reversal->count - 1, half = reversal->count / 2;
	const unsigned bits = 8 * (unsigned)reversal->key_bytes;
	size_t at = stretch * STRETCH_KEYS, end = half - at < STRETCH_KEYS ? half : at + STRETCH_KEYS;

	for (; at < end; at++) {
		const uint64_t key = gs_key_at(reversal->keys, bits, at);

		gs_key_put(reversal->keys, bits, at, gs_key_at(reversal->keys, bits, last - at));
		gs_key_put(reversal->keys, bits, last - at, key);
	}
}

/* Keys in order stay, keys in the opposite order are reversed; false: they are neither, and few of them were
 * read.  No branch depends on the first keys, and they are mapped once: arrays of 256 keys, Xeon, ns, f32 328
 * and 266, f64 556 and 500. */
static bool
sort_ordered(void *keys, size_t count, const struct gs_array_args *args)
{
	const unsigned bits = args->key_bits;
	struct gs_array_args order = *args;
	struct reversal reversal = { keys, count, args->key_bytes };
	uint64_t first[FIRST];
	bool rises = false, falls = false;

	memcpy(first, keys, FIRST * args->key_bytes);
	to_ordered(args, first, FIRST);
	for (size_t i = 1; i < FIRST; i++) {
		rises |= gs_key_at(first, bits, i - 1) < gs_key_at(first, bits, i);
		falls |= gs_key_at(first, bits, i - 1) > gs_key_at(first, bits, i);
	}
	order.reverse ^= falls;
	if ((rises && falls) || gs_array_disorder(keys, count, &order) < count)
		return false;
	if (falls)
		gs_team_each(gs_array_threads(args, count * args->key_bytes), count / 2 / STRETCH_KEYS + 1,
		             reverse_stretch, &reversal);
	return true;
}

/* Threads of a quicksort, whose first partition is of one.  One that waits for a busy processor costs more
 * than it saves of less than a millisecond: ns a key of u32 2^17 and 2^18, medians, 11 processes on two
 * cores, 5 and 5 by one thread, 5 to 13 and 6 to 30 by two; without them 2.5 and 3.4, and 1.8 and 2.2. */
static unsigned
quick_threads(size_t bytes, const struct gs_array_args *args)
{
	return gs_array_threads(args, bytes / 4);
}

/* A frame of its own: what sorts more keys has large ones, too. */
static __attribute__((noinline)) void
sort_on_stack(void *keys, size_t count, const struct gs_quicksort_maps *maps, unsigned key_bits)
{
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), key_bits);
	_Alignas(64) char scratch[FEW_BYTES];

	if (count > gs_quicksort_few(kernels)) {
		gs_quicksort_in_place(kernels, keys, count, scratch, FEW_BYTES, maps, 1);
		return;
	}
	to_ordered(maps->context, keys, count);
	kernels->sort_last(keys, keys, count, &maps->raw);
}

static gs_status
sort_by_quicksort(void *keys, size_t count, const struct gs_array_args *args)
{
	const unsigned fraction_bits = gs_key_fraction_bits(args->type);
	const struct gs_quicksort_maps maps = {
		to_ordered, args, {	/* what to_raw() does */
			.flip = args->reverse ? UINT64_MAX : 0,
			.nans = fraction_bits > 0 ? GS_NANS(fraction_bits) : 0,
			.floats = fraction_bits > 0 ? UINT64_MAX : 0,
			.sign = gs_key_orders_itself(args->type) ? 0 : UINT64_C(1) << (args->key_bits - 1),
		},
	};
	const size_t bytes = count * args->key_bytes, scratch_bytes = gs_quicksort_scratch_bytes(bytes);
	const unsigned threads = quick_threads(bytes, args);
	struct gs_array_memory memory;

	if (bytes <= FEW_BYTES) {
		sort_on_stack(keys, count, &maps, args->key_bits);
		return GS_OK;
	}
	TRY(gs_array_memory_borrow(&memory, threads * scratch_bytes, ALIGNMENT, args));
	gs_quicksort_in_place(gs_simd_kernels(gs_simd_best(), args->key_bits), keys, count, memory.at,
	                      scratch_bytes, &maps, threads);
	gs_array_memory_give(&memory);
	return GS_OK;
}

/* ---- more than that ------------------------------------------------------------------ */

struct work {
	const struct gs_array_args *args;
	char   *keys;
	size_t  count;
	struct gs_buckets *buckets;
	char   *scratch;		/* a part for each thread */
	size_t  part_bytes, parts;
	atomic_size_t next;		/* share, then part */
};

static void
add_shares(void *context, unsigned worker, unsigned size)
{
	struct work *work = context;
	const size_t key_bytes = work->args->key_bytes, most = SHARE_BYTES / key_bytes;
	size_t share;

	(void)size;
	while ((share = atomic_fetch_add(&work->next, 1)) * most < work->count) {
		const size_t at = share * most, left = work->count - at, keys = left < most ? left : most;
		bool added;

		to_ordered(work->args, work->keys + at * key_bytes, keys);
		added = gs_buckets_add(work->buckets, worker, share, work->keys + at * key_bytes, keys);
		(void)added;
		assert(added && "there was room");
	}
}

static void
sort_parts(void *context, unsigned worker, unsigned size)
{
	struct work *work = context;
	size_t p;

	(void)size;
	while ((p = atomic_fetch_add(&work->next, 1)) < work->parts) {
		const struct gs_part part = gs_buckets_part(work->buckets, p);
		char *into = work->keys + part.at * work->args->key_bytes;

		gs_buckets_sort_part(work->buckets, worker, p, into,
		                     work->scratch + worker * work->part_bytes);
		to_raw(work->args, into, part.count);
	}
}

/* A job has 16 MiB.  2^22 u32 where value k is as frequent as 1/k, 16 threads, Xeon of the H200 host: 551
 * Mkeys/s, and 177 with 16 MiB. */
enum { TOGETHER_BYTES = 2 << 20 };

/*
 * The memory of buckets, in this order.  A job has small blocks if it has many threads, as its memory is
 * limited; an array has large ones: sorting the parts of 2^26 u32, 16 threads, takes 235 ms of processor
 * time with blocks of 4 KiB, and 340 with a job's, 1 KiB (medians, busy EPYC).
 */
struct layout {
	struct gs_bucket_sizes sizes;
	unsigned threads;
	size_t   pool_bytes, scratch_bytes, table_bytes, lists_bytes, bytes;	/* of each, and all */
};

static struct layout
lay_out(size_t count, const struct gs_array_args *args)
{
	const size_t bytes = count * args->key_bytes;
	struct layout layout = { .threads = gs_array_threads(args, bytes) };
	size_t pool_bytes = bytes;

	layout.sizes = gs_buckets_choose(layout.threads, 1, UINT64_MAX, bytes, GS_PART_MOST_BYTES);
	layout.sizes.block_bytes = GS_BLOCK_MOST_BYTES;
	layout.sizes.together_bytes = TOGETHER_BYTES;
	do {	/* a larger pool needs more beyond its keys, about a twentieth */
		layout.pool_bytes = pool_bytes;
		pool_bytes = gs_round_up(bytes + gs_buckets_reserve(&layout.sizes, pool_bytes) +
		                         gs_buckets_reserve_once(&layout.sizes, pool_bytes), HUGE_PAGE);
	} while (pool_bytes > layout.pool_bytes);
	layout.scratch_bytes = layout.threads * layout.sizes.part_bytes;
	layout.table_bytes = gs_round_up(gs_pool_bytes(layout.pool_bytes, layout.sizes.block_bytes), 64);
	layout.lists_bytes = gs_buckets_bytes(&layout.sizes, layout.pool_bytes);
	layout.bytes = layout.pool_bytes + layout.scratch_bytes + layout.table_bytes + layout.lists_bytes;
	return layout;
}

/*
 * Do a sixteenth of a sample's keys repeat others, or are most in a dense range?  A quicksort leaves fewer of
 * such keys with each level: 2^22, u32 and u64, EPYC 9004, one thread, of 1000 values 0.6 and 0.8 ns a key,
 * with buckets 1.9 and 4.5.  One thread of the Xeon of the H200 host sorts 2^21 u32 where value k is as
 * frequent as 1/k at 292 Mkeys/s; 2, 4 and 16 sort them by buckets at 164, 243 and 351.  So each of N threads
 * sorts more than REPEATED_BYTES / N.
 */
enum { REPEATED_BYTES = 96 << 20 };

static bool
most_repeat(const void *keys, size_t count, const struct gs_array_args *args)
{
	const unsigned threads = gs_array_threads(args, count * args->key_bytes);
	uint64_t sample[SAMPLE_KEYS];
	unsigned repeated = 0;

	if (threads > 1 && count * args->key_bytes >= REPEATED_BYTES / threads)
		return false;
	draw(keys, count, args, sample);
	for (unsigned s = 1; s < SAMPLE_KEYS; s++)
		repeated += gs_key_at(sample, args->key_bits, s) == gs_key_at(sample, args->key_bits, s - 1);
	return repeated >= SAMPLE_KEYS / 16 || gs_sample_dense(sample, args->key_bits, SAMPLE_KEYS, count);
}

static gs_status
sort_by_buckets(void *keys, size_t count, const struct gs_array_args *args)
{
	const struct layout layout = lay_out(count, args);
	struct work work = { .args = args, .keys = keys, .count = count,
	                     .part_bytes = layout.sizes.part_bytes };
	struct gs_array_memory memory;
	struct gs_pool *pool;
	char *table;

	TRY(gs_array_memory_borrow(&memory, layout.bytes, ALIGNMENT, args));
	work.scratch = memory.at + layout.pool_bytes;
	table = work.scratch + layout.scratch_bytes;
	if (!memory.zeroed)
		memset(table, 0, layout.table_bytes + layout.lists_bytes);
	pool = gs_pool_init(table, memory.at, layout.pool_bytes, layout.sizes.block_bytes);
	gs_pool_spread(pool, layout.threads, 0);
	work.buckets = gs_buckets_init(table + layout.table_bytes, pool, args->key_bits, &layout.sizes);
	assert(gs_buckets_fit(work.buckets) >= count * args->key_bytes);
	gs_team_run(layout.threads, add_shares, &work);
	work.parts = gs_buckets_seal(work.buckets, layout.threads);
	atomic_store(&work.next, 0);
	gs_team_run(layout.threads, sort_parts, &work);
	gs_array_memory_give(&memory);
	return GS_OK;
}

/* ---- the choice ------------------------------------------------------------------------ */

static enum method { NOTHING, WIDENED, COUNTED, QUICKSORT, BUCKETS }
choose(size_t count, const struct gs_array_args *args)
{
	uint64_t quick_bytes;

	if (count < 2)
		return NOTHING;
	if (args->key_bits <= 16)
		return args->key_bits == 16 && count <= WIDENED_KEYS ? WIDENED : COUNTED;
	quick_bytes = args->threads > 1
	              ? gs_within(QUICK_LEAST_BYTES, QUICK_SHARED_BYTES / args->threads, QUICK_SHARED_BYTES)
	              : gs_simd_best() == GS_SIMD_AVX512 ? QUICK_BYTES : QUICK_NARROW_BYTES;
	return count * args->key_bytes <= quick_bytes ? QUICKSORT : BUCKETS;
}

size_t
gs_array_sort_bytes(size_t count, const struct gs_array_args *args)
{
	const size_t bytes = count * args->key_bytes;

	switch (choose(count, args)) {
	case COUNTED:
		return ALIGNMENT + gs_count_bytes((size_t)1 << args->key_bits, gs_array_threads(args, bytes));
	case QUICKSORT:
		return bytes > FEW_BYTES
		       ? ALIGNMENT + quick_threads(bytes, args) * gs_quicksort_scratch_bytes(bytes) : 0;
	case BUCKETS:
		return ALIGNMENT + lay_out(count, args).bytes;
	default:
		return 0;
	}
}

gs_status
gs_array_sort(void *keys, size_t count, const struct gs_array_args *args)
{
	const enum method method = choose(count, args);
	const size_t wanted = args->scratch != NULL ? gs_array_sort_bytes(count, args) : 0;
	const size_t before = -(uintptr_t)args->scratch % ALIGNMENT;

	if (wanted > 0 && before + (wanted - ALIGNMENT) > args->scratch_bytes)
		return gs_fail(GS_EUSAGE, "scratch has %zu bytes, but gsort_scratch_bytes() are %zu",
		               args->scratch_bytes, wanted);
	switch (method) {
	case NOTHING: return GS_OK;
	case COUNTED: return sort_by_counting(keys, count, args);
	case WIDENED:
		to_ordered(args, keys, count);
		sort_widened(keys, count);
		to_raw(args, keys, count);
		return GS_OK;
	default:
		if ((count >= ORDERED_KEYS && sort_ordered(keys, count, args)) ||
		    (count >= COUNTED_KEYS && sort_few(keys, count, args)))
			return GS_OK;
		return method == QUICKSORT || most_repeat(keys, count, args)
		       ? sort_by_quicksort(keys, count, args) : sort_by_buckets(keys, count, args);
	}
}

gs_status
gs_array_words_get(struct gs_array_memory *memory, uint64_t **words, size_t count, struct gs_array_args *args,
                   const struct gs_array_args *callers)
{
	enum { SMALL_BYTES = 64 << 10 };	/* malloc() has so much, twice */
	const size_t bytes = gs_round_up(count * sizeof **words, 64);
	const bool small = bytes <= SMALL_BYTES;
	const size_t own = small || *words == NULL ? bytes : 0;

	args->scratch_bytes = small ? 0 : gs_array_sort_bytes(count, args);
	TRY(gs_array_memory_borrow(memory, own + args->scratch_bytes, 64, callers));
	args->scratch = small ? NULL : memory->at + own;
	if (own > 0)
		*words = (uint64_t *)(void *)memory->at;
	return GS_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * martoccia_cpu_v2.c - buckets that fit a cache, each a SIMD bitonic sort   [report 001, 2.3]
 *
 * Keys are dealt to 256 buckets by their first byte: each thread to buckets of its
 * own, which are then appended to the common ones, one thread at a time.  Buckets
 * are in order, so each is sorted alone, by whichever thread is free; then they are
 * collected, front to back or back to front.
 *
 * A bucket of n keys is padded to 2^m.  Steps of stride 16 and more are a minimum
 * and a maximum of whole vectors.  The last four of each phase, 8 4 2 1, stay
 * within 16 keys, so they are one sweep: lane i meets lane i ^ stride by a shuffle.
 *
 *     sweeps of a bucket = 1 + (m - 4)(m - 3) / 2 + m - 4      m - 4 phases past 16 keys
 *
 * For 64 Mi uniform keys buckets hold 2^18 of them on average, half of them a few
 * more and so 2^19 with padding: 2 MB and 136 sweeps, against 351 of 256 MB in V1.
 * All keys with one first byte make one bucket, one thread and no gain; the
 * production sort (src/sort/buckets/) divides keys by the range that they really have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/paper/ladder.h"

enum {
	BUCKETS = 256,
	LANES   = 16,
	/* Keys below which dealing does not pay, and a core sorts them alone. */
	BUCKET_THRESHOLD = 1 << 15,
	FIRST_ROOM = 64,
};

#define INLINE	static inline __attribute__((always_inline))

typedef uint32_t vec __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* Lane i of the result is lane i ^ STRIDE, a constant, of V. */
#define MEET(v, s)	SHUFFLE(v, 0^s, 1^s, 2^s, 3^s, 4^s, 5^s, 6^s, 7^s, \
			        8^s, 9^s, 10^s, 11^s, 12^s, 13^s, 14^s, 15^s)
#ifdef __clang__
#define SHUFFLE(v, ...)	__builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define SHUFFLE(v, ...)	__builtin_shuffle(v, (vec){ __VA_ARGS__ })
#endif

/* Lanes whose index has the bit BIT: all ones; the others: zero. */
#define HAVE_BIT(bit)	((vec)(((vec){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } \
			        & (bit)) != 0))

/* One step within 16 keys; DOWN: all ones in lanes whose piece is sorted downwards. */
#define LANE_STEP(v, stride, down) \
	do { \
		const vec mine = *(v), theirs = MEET(mine, stride); \
		const vec swap = (vec)(mine > theirs) ^ HAVE_BIT(stride) ^ (down); \
		*(v) = (mine & ~swap) | (theirs & swap); \
	} while (0)

/* Steps 8 4 2 1 of a phase of more than 16 keys, which goes one way within these. */
INLINE void
merge_lanes(vec *v, bool downwards)
{
	const vec down = (vec){ 0 } - (uint32_t)downwards;

	LANE_STEP(v, 8, down);
	LANE_STEP(v, 4, down);
	LANE_STEP(v, 2, down);
	LANE_STEP(v, 1, down);
}

/* The phases 2 4 8, which go up or down as the lane says, and 16. */
INLINE void
sort_lanes(vec *v, bool downwards)
{
	LANE_STEP(v, 1, HAVE_BIT(2));
	LANE_STEP(v, 2, HAVE_BIT(4));
	LANE_STEP(v, 1, HAVE_BIT(4));
	LANE_STEP(v, 4, HAVE_BIT(8));
	LANE_STEP(v, 2, HAVE_BIT(8));
	LANE_STEP(v, 1, HAVE_BIT(8));
	merge_lanes(v, downwards);
}

/* One step of a stride of whole vectors: SIZE > STRIDE >= 16, so a group goes one way. */
INLINE void
wide_step(uint32_t *keys, size_t count, size_t size, size_t stride)
{
	for (size_t group = 0; group < count; group += 2 * stride) {
		uint32_t *low = keys + group + (group & size ? stride : 0);
		uint32_t *high = keys + group + (group & size ? 0 : stride);

#pragma omp simd
		for (size_t i = 0; i < stride; i++) {
			const uint32_t a = low[i], b = high[i];

			low[i] = a < b ? a : b;
			high[i] = a < b ? b : a;
		}
	}
}

/* The last steps of phase SIZE, or (SIZE 16) the first phases, 16 keys after 16. */
INLINE void
lane_steps(uint32_t *keys, size_t count, size_t size)
{
	for (size_t i = 0; i < count; i += LANES) {
		const bool downwards = (i & size) != 0;
		vec v;

		memcpy(&v, keys + i, sizeof v);
		if (size == LANES)
			sort_lanes(&v, downwards);
		else
			merge_lanes(&v, downwards);
		memcpy(keys + i, &v, sizeof v);
	}
}

/* COUNT is a power of two, at least 16. */
INLINE void
bitonic_sort(uint32_t *keys, size_t count)
{
	for (size_t size = LANES; size <= count; size *= 2) {
		for (size_t stride = size / 2; stride >= LANES; stride /= 2)
			wide_step(keys, count, size, stride);
		lane_steps(keys, count, size);
	}
}

static void
bitonic_sort_plain(uint32_t *keys, size_t count)
{
	bitonic_sort(keys, count);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void
bitonic_sort_avx2(uint32_t *keys, size_t count)
{
	bitonic_sort(keys, count);
}

__attribute__((target("avx512f"))) static void
bitonic_sort_avx512(uint32_t *keys, size_t count)
{
	bitonic_sort(keys, count);
}
#endif

static void
(*sort_with(void))(uint32_t *, size_t)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f"))
		return bitonic_sort_avx512;
	if (__builtin_cpu_supports("avx2"))
		return bitonic_sort_avx2;
#endif
	return bitonic_sort_plain;
}

/* A list that grows; its room is a power of two, so padding needs no other. */
struct bucket {
	uint32_t *keys;
	size_t    count, room;
};

static int
bucket_grow(struct bucket *bucket, size_t count)
{
	size_t room = bucket->room != 0 ? bucket->room : FIRST_ROOM;
	uint32_t *keys;

	while (room < count)
		room *= 2;
	if (room == bucket->room)
		return 0;
	keys = realloc(bucket->keys, room * sizeof *keys);
	if (keys == NULL)
		return ENOMEM;
	bucket->keys = keys;
	bucket->room = room;
	return 0;
}

static void
buckets_free(struct bucket *buckets)
{
	for (int b = 0; b < BUCKETS; b++)
		free(buckets[b].keys);
}

static int
append(struct bucket *to, const struct bucket *from)
{
	if (from->count == 0)
		return 0;
	if (bucket_grow(to, to->count + from->count) != 0)
		return ENOMEM;
	memcpy(to->keys + to->count, from->keys, from->count * sizeof *to->keys);
	to->count += from->count;
	return 0;
}

/* Deal the keys to the common BUCKETS, by way of each thread's own. */
static int
deal(struct bucket *buckets, const uint32_t *keys, size_t count, unsigned threads)
{
	int failed = 0;

#pragma omp parallel num_threads(threads) reduction(|:failed)
	{
		struct bucket own[BUCKETS] = { { NULL, 0, 0 } };

#pragma omp for nowait
		for (size_t i = 0; i < count; i++) {
			struct bucket *bucket = &own[keys[i] >> 24];

			if (bucket->count == bucket->room && bucket_grow(bucket, bucket->count + 1))
				failed = ENOMEM;
			else
				bucket->keys[bucket->count++] = keys[i];
		}
#pragma omp critical
		for (int b = 0; b < BUCKETS; b++)
			failed |= append(&buckets[b], &own[b]);
		buckets_free(own);
	}
	return failed != 0 ? ENOMEM : 0;
}

static void
sort_bucket(struct bucket *bucket, void (*sort)(uint32_t *, size_t))
{
	size_t padded = LANES;

	while (padded < bucket->count)
		padded *= 2;
	if (bucket->count < 2)
		return;
	memset(bucket->keys + bucket->count, 0xff, (padded - bucket->count) * sizeof *bucket->keys);
	sort(bucket->keys, padded);
}

/* Copy a sorted bucket to where it belongs in the result. */
static void
collect(struct variant_job *job, const struct bucket *bucket, size_t before)
{
	if (!job->descending && bucket->count > 0)
		memcpy(job->keys + before, bucket->keys, bucket->count * sizeof *job->keys);
	for (size_t i = 0; job->descending && i < bucket->count; i++)
		job->keys[job->count - 1 - before - i] = bucket->keys[i];
}

int
martoccia_cpu_v2_sort(struct variant_job *job)
{
	const unsigned threads = job->threads != 0 ? job->threads : 1;
	void (*const sort)(uint32_t *, size_t) = sort_with();
	struct bucket buckets[BUCKETS] = { { NULL, 0, 0 } };
	size_t before[BUCKETS];
	int error;

	if (job->count < BUCKET_THRESHOLD) {
		struct bucket whole = { job->keys, job->count, job->count };

		error = append(&buckets[0], &whole);
	} else {
		error = deal(buckets, job->keys, job->count, threads);
	}
	before[0] = 0;
	for (int b = 1; b < BUCKETS; b++)
		before[b] = before[b - 1] + buckets[b - 1].count;
	if (error == 0) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
		for (int b = 0; b < BUCKETS; b++) {
			sort_bucket(&buckets[b], sort);
			collect(job, &buckets[b], before[b]);
		}
	}
	buckets_free(buckets);
	return error;
}

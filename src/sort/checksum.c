// SPDX-License-Identifier: BSD-2-Clause
/*
 * checksum.c - a sum over many keys, by vectors and a team
 *
 * In:   keys.
 * Out:  the sum of their hashes; whether they ascend.
 *
 * A key takes 0.12 ns with AVX-512DQ, which multiplies 64 bits, 0.5 ns with AVX2, 0.7 to 1.0 ns
 * without (32 bits wide, one core of an AMD EPYC 9005 VM).
 */
#include <stdatomic.h>

#include "base/simd.h"
#include "base/team.h"
#include "sort/checksum.h"
#include "sort/cpu/keys.h"

#define INLINE	static inline __attribute__((always_inline))

enum {
	SHARE_KEYS = 1 << 14,	/* one thread's at a time: the second pass finds it in the cache */
	TEAM_KEYS  = 1 << 18,	/* fewer are summed before a team is awake; neither is tuned */
};

/* ---- one share --------------------------------------------------------------- */

INLINE uint64_t
sum_width(unsigned key_class, unsigned bits, const void *keys, size_t from, size_t to)
{
	uint64_t sum = 0;

	#pragma omp simd reduction(+: sum)
	for (size_t at = from; at < to; at++)
		sum += gs_checksum_of(key_class, gs_key_at(keys, bits, at));
	return sum;
}

INLINE uint64_t
sum_any(unsigned key_class, unsigned bits, const void *keys, size_t from, size_t to)
{
#define SUM(width)	sum_width(key_class, width, keys, from, to)
	return GS_BY_WIDTH(bits, SUM);
}

GS_SIMD_BEST(uint64_t, sum_any, (unsigned key_class, unsigned bits, const void *keys, size_t from, size_t to),
             (key_class, bits, keys, from, to))

/* ---- all keys ---------------------------------------------------------------- */

struct work {
	const void      *keys;
	size_t           count;
	unsigned         key_class, bits;
	bool             ordered;
	_Atomic uint64_t sum;
	atomic_bool      falls;
};

static void
sum_share(void *context, size_t share)
{
	struct work *work = context;
	const size_t from = share * SHARE_KEYS, left = work->count - from;
	const size_t to = left < SHARE_KEYS ? work->count : from + SHARE_KEYS;

	atomic_fetch_add(&work->sum, sum_any_best(work->key_class, work->bits, work->keys, from, to));
	/* From the last key of the share before it on. */
	if (work->ordered && !gs_keys_in_order(work->keys, work->bits, from > 0 ? from : 1, to, GS_ASCENDING))
		atomic_store(&work->falls, true);
}

struct gs_checksum
gs_checksum(unsigned threads, unsigned key_class, unsigned key_bits, const void *keys, size_t count,
            bool ordered)
{
	struct work work = {
		.keys = keys, .count = count, .key_class = key_class, .bits = key_bits,
		.ordered = ordered,
	};

	gs_team_each(count >= TEAM_KEYS ? threads : 1, (count + SHARE_KEYS - 1) / SHARE_KEYS,
	             sum_share, &work);
	return (struct gs_checksum){ work.sum, work.falls };
}

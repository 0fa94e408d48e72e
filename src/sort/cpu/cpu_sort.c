// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpu_sort.c - sort in memory: partition to leaves that fit the cache, sort those
 *
 * partition.inc is written once for two widths of keys; this file puts them together, and
 * leaf.c what has vectors.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/team.h"
#include "sort/cpu/cpu_sort.h"
#include "sort/cpu/simd_kernels.h"
#include "sort/cpu/nontemporal.h"

/*
 * Constants.  Measured with gsort-bench-cpu on a 2-core AMD EPYC 9005 VM (1 MiB of L2
 * a core, 32 MiB of L3): AVX-512, one thread, uniform keys, median of 5, gcc 12 -O2,
 * CPU time instead of wall time, as the machine was shared.  In Mkeys/s, each line
 *     u32 2^22   u32 2^24   u32 2^26   u64 2^25
 * with the others as they are here: 350 262 259 149.  2 % is noise.
 */

/*
 * Bins of a partition; their lines take 64 KiB, of the second-level cache.  The least
 * number is what bounds the levels.
 *     256   361 263 245 142
 *     512   364 263 254 145
 */
enum { BINS_LEAST = 256, BINS = 1024 };

/*
 * What a partition should leave is half of this, and that much is split by one thread
 * without lines: it fits the second-level cache twice.
 *     1 MiB  354 258 248 142
 */
#define NEAR_BYTES	((size_t)512 << 10)

/*
 * From here down one thread halves rather than partitions, where it has vectors for it.
 *     4 MiB   283 261 262 152
 *     64 MiB  358 301 264 150	2^24 keys are 64 MiB
 * A level of halves moves all keys once, so the slower memory is, the less pays; until
 * that is measured elsewhere, about a third-level cache.
 */
#define HALVE_BYTES	((size_t)32 << 20)

/* Fewer keys are sorted by one thread, in about 0.1 ms.  Not tuned for many threads. */
#define TEAM_KEYS	((size_t)64 << 10)

#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

#define PASTE2(a, b)	a##_##b
#define NAME2(a, b)	PASTE2(a, b)

/* --- partition ---------------------------------------------------------- */

struct copy {
	char       *to;
	const char *from;
	size_t      bytes;
};

static void
copy_part(void *context, unsigned rank, unsigned size)
{
	const struct copy *copy = context;
	const size_t begin = gs_team_begin(copy->bytes, rank, size);

	memcpy(copy->to + begin, copy->from + begin,
	       gs_team_begin(copy->bytes, rank + 1, size) - begin);
}

static void
copy_bytes(void *to, const void *from, size_t bytes, unsigned threads)
{
	gs_team_run(threads, copy_part, &(struct copy){ to, from, bytes });
}

#define NAME(what)	NAME2(what, BITS)

#define BITS 32
#define KEY uint32_t
#include "sort/cpu/binner.inc"
#include "sort/cpu/quicksort.inc"
#include "sort/cpu/msd_radix.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#include "sort/cpu/binner.inc"
#include "sort/cpu/quicksort.inc"
#include "sort/cpu/msd_radix.inc"
#undef BITS
#undef KEY

void
gs_cpu_sort_with(enum gs_simd simd, void *keys, void *scratch, unsigned bits, size_t count,
                 unsigned threads)
{
	assert(bits == 32 || bits == 64);
	threads = threads < 1 ? 1 : threads > GS_TEAM_MAX ? GS_TEAM_MAX : threads;
	if (bits == 32)
		sort_keys_32(keys, scratch, count, &gs_simd_kernel_sets[simd], threads);
	else
		sort_keys_64(keys, scratch, count, &gs_simd_kernel_sets[simd], threads);
}

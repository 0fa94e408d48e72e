// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpu_sort.c - sort in memory: partition to leaves that fit the cache, sort those
 *
 * partition.inc is written once for two widths of keys, bitonic.inc once for two
 * widths and three kinds of vectors.  This file puts them together.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/team.h"
#include "sort/cpu_sort.h"
#include "sort/stream.h"

#if defined __x86_64__
#include <immintrin.h>
#define HAVE_X86	1
#else
#define HAVE_X86	0
#endif

/*
 * Constants.  Measured with gsort-bench-cpu on a 2-core AMD EPYC 9005 VM (1 MiB of L2
 * a core, 32 MiB of L3): AVX-512, one thread, uniform keys, median of 5, gcc 12 -O2,
 * CPU time instead of wall time, as the machine was shared.  In Mkeys/s, each line
 *     u32 2^22   u32 2^24   u32 2^26   u64 2^25
 * with the others as they are here: 350 262 259 149.  2 % is noise.
 */

/*
 * A leaf fits the first-level cache beside its source.  The network alone does 2^8,
 * 2^10, 2^12 keys of 32 bits at 2600, 1760, 1230 with AVX-512, 1240, 850, 600 with
 * AVX2.
 *     8 KiB   336 255 252 145
 *     32 KiB  352 265 264 151	no gain that shows, and more of the stack
 */
#define LEAF_BYTES	16384
#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

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

/* Levels of halves about a sampled pivot, and how many keys are sampled.  Uniform
 * keys need 11 levels from HALVE_BYTES to a leaf; a median of 64 misses the middle by
 * 6 % (one standard deviation). */
enum { PATIENCE = 24, SAMPLES = 64 };

/* Fewer keys are sorted by one thread, in about 0.1 ms.  Not tuned for many threads. */
#define TEAM_KEYS	((size_t)64 << 10)

#define PASTE3(a, b, c)	a##_##b##_##c
#define PASTE2(a, b)	a##_##b
#define NAME3(a, b, c)	PASTE3(a, b, c)
#define NAME2(a, b)	PASTE2(a, b)

/* --- leaves ------------------------------------------------------------- */

#define NAME(what)	NAME3(what, LEVEL, BITS)

#define BITS 32
#define KEY uint32_t
#if HAVE_X86
#define LEVEL avx512
#include "sort/lanes_avx512.inc"
#include "sort/bitonic.inc"
#include "sort/halve.inc"
#include "sort/lanes_end.inc"
#define LEVEL avx2
#include "sort/lanes_avx2.inc"
#include "sort/bitonic.inc"
#include "sort/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/lanes_none.inc"
#include "sort/bitonic.inc"
#include "sort/lanes_end.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#if HAVE_X86
#define LEVEL avx512
#include "sort/lanes_avx512.inc"
#include "sort/bitonic.inc"
#include "sort/halve.inc"
#include "sort/lanes_end.inc"
#define LEVEL avx2
#include "sort/lanes_avx2.inc"
#include "sort/bitonic.inc"
#include "sort/lanes_end.inc"
#endif
#define LEVEL none
#include "sort/lanes_none.inc"
#include "sort/bitonic.inc"
#include "sort/lanes_end.inc"
#undef BITS
#undef KEY

#undef NAME

/* What partition.inc calls for the processor at hand. */
struct leaf {
	void (*sort_32)(uint32_t *to, const uint32_t *from, size_t count);
	void (*sort_64)(uint64_t *to, const uint64_t *from, size_t count);
	size_t (*halve_32)(uint32_t *to, const uint32_t *from, size_t count, uint32_t pivot);
	size_t (*halve_64)(uint64_t *to, const uint64_t *from, size_t count, uint64_t pivot);
	void (*range_32)(const uint32_t *keys, size_t count, uint32_t *least, uint32_t *most);
	void (*range_64)(const uint64_t *keys, size_t count, uint64_t *least, uint64_t *most);
};

static const struct leaf leaves[] = {
	[GS_SIMD_NONE] = { leaf_none_32, leaf_none_64, NULL, NULL,
	                   range_none_32, range_none_64 },
#if HAVE_X86
	[GS_SIMD_AVX2] = { leaf_avx2_32, leaf_avx2_64, NULL, NULL,
	                   range_avx2_32, range_avx2_64 },
	[GS_SIMD_AVX512] = { leaf_avx512_32, leaf_avx512_64, halve_avx512_32,
	                     halve_avx512_64, range_avx512_32, range_avx512_64 },
#endif
};

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
#include "sort/digits.inc"
#include "sort/partition.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#include "sort/digits.inc"
#include "sort/partition.inc"
#undef BITS
#undef KEY

void
gs_cpu_sort_with(enum gs_simd simd, void *keys, void *scratch, unsigned bits, size_t count,
                 unsigned threads)
{
	assert(bits == 32 || bits == 64);
	threads = threads < 1 ? 1 : threads > GS_TEAM_MAX ? GS_TEAM_MAX : threads;
	if (bits == 32)
		sort_keys_32(keys, scratch, count, &leaves[simd], threads);
	else
		sort_keys_64(keys, scratch, count, &leaves[simd], threads);
}

void
gs_cpu_sort(void *keys, void *scratch, unsigned bits, size_t count, unsigned threads)
{
	gs_cpu_sort_with(gs_simd_best(), keys, scratch, bits, count, threads);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * raw.c - binary keys as they are in files, to ordered bits and back
 *
 * A map is one or two XORs, one NOT more if keys are reversed, and perhaps a byte swap.  So a loop
 * over it is a few instructions, for each kind of vectors, and runs at the speed of memory.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/simd.h"
#include "base/team.h"
#include "key/key.h"

/* Fewer keys than this are converted by the calling thread: that takes about 10 us, the order of
 * what waking others takes.  Estimated, not tuned. */
enum { TEAM_KEYS = 1 << 16 };

/* A loop over COUNT keys; FLIP is all ones, or 0. */
typedef void key_loop(void *keys, size_t count, uint64_t flip, bool swap);

/* Two loops for each type and each kind of vectors: order_TYPE_LEVEL() and unorder_TYPE_LEVEL().
 * omp simd: GCC 12 at -O2 does not vectorize a loop without it. */
#define LOOP(name, target, type, in_order, swapped) \
	target static void \
	name(void *from, size_t count, uint64_t flip, bool swap) \
	{ \
		type *keys = from; \
		if (swap) { \
			_Pragma("omp simd") \
			for (size_t i = 0; i < count; i++) \
				keys[i] = (type)(swapped); \
			return; \
		} \
		_Pragma("omp simd") \
		for (size_t i = 0; i < count; i++) \
			keys[i] = (type)(in_order); \
	}
#define LOOPS(name, level, target, type, bits) \
	LOOP(order_##name##_##level, target, type, gs_order_##name(keys[i]) ^ (type)flip, \
	     gs_order_##name((type)GS_SWAP##bits(keys[i])) ^ (type)flip) \
	LOOP(unorder_##name##_##level, target, type, gs_unorder_##name((type)(keys[i] ^ (type)flip)), \
	     GS_SWAP##bits(gs_unorder_##name((type)(keys[i] ^ (type)flip))))
#if defined __x86_64__
#define KEY(name, type, bits, map, unmap) \
	LOOPS(name, none, , type, bits) \
	LOOPS(name, avx2, __attribute__((target("avx2"))), type, bits) \
	LOOPS(name, avx512, __attribute__((target("avx512bw"))), type, bits)
#define EACH_LEVEL(name)	{ name##_none, name##_avx2, name##_avx512 }
#else
#define KEY(name, type, bits, map, unmap)	LOOPS(name, none, , type, bits)
#define EACH_LEVEL(name)	{ name##_none }
#endif
#include "key/keytype.def"
#undef KEY

/* By enum gsort_type, as key.c asserts, and enum gs_simd. */
static const struct {
	key_loop *order[GS_SIMD_AVX512 + 1], *unorder[GS_SIMD_AVX512 + 1];
} loops[] = {
	{ { NULL }, { NULL } },
#define KEY(name, type, bits, map, unmap) { EACH_LEVEL(order_##name), EACH_LEVEL(unorder_##name) },
#include "key/keytype.def"
#undef KEY
};

struct keys {
	key_loop *loop;
	char     *keys;
	size_t    count, key_bytes;
	uint64_t  flip;
	bool      swap;
};

static void
convert_share(void *context, unsigned worker, unsigned size)
{
	const struct keys *all = context;
	const size_t begin = gs_team_begin(all->count, worker, size);
	const size_t end = gs_team_begin(all->count, worker + 1, size);

	all->loop(all->keys + begin * all->key_bytes, end - begin, all->flip, all->swap);
}

static void
convert(key_loop *loop, enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
        size_t count, unsigned threads)
{
	const unsigned bits = gs_key_bits(type);
	struct keys all = {
		.loop = loop, .keys = keys, .count = count, .key_bytes = bits / 8,
		.flip = reverse ? UINT64_MAX : 0, .swap = bits > 8 && gs_endian_swaps(endian),
	};

	assert(bits > 0);
	if (!reverse && !all.swap && gs_key_orders_itself(type))
		return;
	if (threads > 1 && count >= TEAM_KEYS)
		gs_team_run(threads, convert_share, &all);
	else		/* a team of one takes as long as 200 keys */
		convert_share(&all, 0, 1);
}

void
gs_raw_to_ordered(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                  size_t count, unsigned threads)
{
	convert(loops[type].order[gs_simd_best()], type, endian, reverse, keys, count, threads);
}

void
gs_ordered_to_raw(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                  size_t count, unsigned threads)
{
	convert(loops[type].unorder[gs_simd_best()], type, endian, reverse, keys, count, threads);
}

gs_status
gs_raw_partial(enum gsort_type type, const char *name, uint64_t bytes)
{
	const unsigned key_bytes = gs_key_bits(type) / 8;
	const unsigned trailing = (unsigned)(bytes % key_bytes);

	assert(trailing > 0);
	return gs_fail(GS_EINPUT, "%s: %" PRIu64 " byte%s is not a multiple of %u "
	               "(%u trailing byte%s): not a file of %s", name, bytes,
	               bytes == 1 ? "" : "s", key_bytes, trailing,
	               trailing == 1 ? "" : "s", gs_key_name(type));
}

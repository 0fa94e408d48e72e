// SPDX-License-Identifier: BSD-2-Clause
/*
 * checksum.c - keys looked at by vectors and teams
 *
 * In:   keys.
 * Out:  the sum of their hashes; whether they ascend.
 *
 * A key takes 0.12 ns with AVX-512DQ, which multiplies 64 bits, 0.5 ns with AVX2, 0.7
 * to 1.0 without (32 bits wide, one core of an AMD EPYC VM).
 */
#include <stdatomic.h>

#include "base/simd.h"
#include "base/team.h"
#include "sort/checksum.h"
#include "sort/span.h"

#if defined __x86_64__
#define HAVE_X86	1
#else
#define HAVE_X86	0
#endif

#define INLINE	static inline __attribute__((always_inline))

enum {
	PIECE_KEYS = 1 << 14,	/* what a thread takes: the second pass finds it in the cache */
	TEAM_KEYS  = 1 << 18,	/* fewer are looked at before a team is awake; neither is tuned */
};

/* ---- one thread's piece ---------------------------------------------------- */

struct piece {
	const void *keys;
	size_t      from, to;
	unsigned    key_class;
	bool        ordered;	/* must ascend, from the key before FROM on */
};

struct found { uint64_t sum, falls; };

INLINE struct found
look(const struct piece *piece, unsigned bits)
{
	const void *keys = piece->keys;
	const unsigned key_class = piece->key_class;
	uint64_t sum = 0, falls = 0;

	#pragma omp simd reduction(+:sum)
	for (size_t at = piece->from; at < piece->to; at++)
		sum += gs_checksum_of(key_class, gs_key_at(keys, bits, at));
	if (piece->ordered) {
		#pragma omp simd reduction(|:falls)
		for (size_t at = piece->from + (piece->from == 0); at < piece->to; at++)
			falls |= gs_key_at(keys, bits, at) < gs_key_at(keys, bits, at - 1);
	}
	return (struct found){ sum, falls };
}

INLINE struct found
look_any(const struct piece *piece, unsigned bits)
{
	switch (bits) {
	case 8:  return look(piece, 8);
	case 16: return look(piece, 16);
	case 32: return look(piece, 32);
	default: return look(piece, 64);
	}
}

#if HAVE_X86
__attribute__((target("avx512f,avx512dq"))) static struct found
look_avx512(const struct piece *piece, unsigned bits)
{
	return look_any(piece, bits);
}

__attribute__((target("avx2"))) static struct found
look_avx2(const struct piece *piece, unsigned bits)
{
	return look_any(piece, bits);
}
#endif

static struct found
look_plain(const struct piece *piece, unsigned bits)
{
	return look_any(piece, bits);
}

static struct found
(*look_best(void))(const struct piece *, unsigned)
{
#if HAVE_X86
	if (gs_simd_best() == GS_SIMD_AVX512)
		return look_avx512;
	if (gs_simd_best() == GS_SIMD_AVX2)
		return look_avx2;
#endif
	return look_plain;
}

/* ---- all keys -------------------------------------------------------------- */

struct tile {
	struct piece all;
	unsigned     bits;
	_Atomic uint64_t sum, falls;
};

static void
look_at_piece(void *context, size_t p)
{
	struct tile *tile = context;
	const size_t from = p * PIECE_KEYS, count = tile->all.to;
	struct piece piece = tile->all;
	struct found found;

	piece.from = from;
	piece.to = count - from < PIECE_KEYS ? count : from + PIECE_KEYS;
	found = look_best()(&piece, tile->bits);
	atomic_fetch_add(&tile->sum, found.sum);
	atomic_fetch_or(&tile->falls, found.falls);
}

struct gs_checksum
gs_checksum(unsigned threads, unsigned key_class, unsigned key_bits, const void *keys, size_t count,
            bool ordered)
{
	struct tile tile = { .all = { keys, 0, count, key_class, ordered }, .bits = key_bits };

	gs_team_each(count >= TEAM_KEYS ? threads : 1,
	             (count + PIECE_KEYS - 1) / PIECE_KEYS, look_at_piece, &tile);
	return (struct gs_checksum){ tile.sum, tile.falls != 0 };
}

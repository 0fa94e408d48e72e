// SPDX-License-Identifier: BSD-2-Clause
/*
 * count.c - sorting by counting
 *
 * In:   keys of 8 or 16 bits, or counts that someone else has made.
 * Out:  each key as often as it came, in order, in the caller's buffer.
 *
 * Each thread counts its part into tables of its own, on its stack, and adds them
 * up in the end.  Two tables or more in turn: adding to a sum that was stored the
 * moment before waits for that store, so one table would count equal keys
 * several times slower.  Few keys go straight into the bins: clearing tables would cost more.
 *
 * Invariant: the bins are the multiset of all keys added and not yet drained.
 */
#include <assert.h>
#include <string.h>

#include "base/team.h"
#include "sort/count.h"

enum {
	/* From here on it should pay to wake other threads and clear their tables, two
	 * of 256 KiB for 16 bits: more keys than there are sums.  Not tuned. */
	TEAM_KEYS = 1 << 18,
	TABLES8 = 8, TABLES16 = 2,
};

size_t
gs_count_bytes(size_t bin_count)
{
	return bin_count * sizeof(uint64_t);
}

void
gs_count_open(struct gs_count *count, uint64_t *bins, size_t bin_count, unsigned key_bits,
              unsigned stream)
{
	assert(key_bits == 8 || key_bits == 16 || key_bits == 32);
	assert(bin_count - 1 <= UINT32_MAX >> (32 - key_bits));
	*count = (struct gs_count){
		.bins = bins, .bin_count = bin_count, .key_bits = key_bits, .stream = stream,
	};
}

/* At most UINT32_MAX keys, so that no sum can overflow. */
static void
count_part8(uint64_t *bins, const uint8_t *keys, size_t key_count)
{
	uint32_t sums[TABLES8][256];
	size_t at = 0;

	memset(sums, 0, sizeof sums);
	for (; at + TABLES8 <= key_count; at += TABLES8)
		for (unsigned t = 0; t < TABLES8; t++)
			sums[t][keys[at + t]]++;
	for (; at < key_count; at++)
		sums[0][keys[at]]++;
	#pragma omp critical (gs_count)
	for (unsigned b = 0; b < 256; b++)
		for (unsigned t = 0; t < TABLES8; t++)
			bins[b] += sums[t][b];
}

static void
count_part16(uint64_t *bins, const uint16_t *keys, size_t key_count)
{
	uint32_t sums[TABLES16][1 << 16];
	size_t at = 0;

	memset(sums, 0, sizeof sums);
	for (; at + TABLES16 <= key_count; at += TABLES16)
		for (unsigned t = 0; t < TABLES16; t++)
			sums[t][keys[at + t]]++;
	for (; at < key_count; at++)
		sums[0][keys[at]]++;
	#pragma omp critical (gs_count)
	for (unsigned b = 0; b < 1 << 16; b++)
		for (unsigned t = 0; t < TABLES16; t++)
			bins[b] += sums[t][b];
}

static void
count_few(struct gs_count *count, const void *keys, size_t key_count)
{
	for (size_t at = 0; at < key_count; at++)
		count->bins[count->key_bits == 8 ? ((const uint8_t *)keys)[at]
		                                 : ((const uint16_t *)keys)[at]]++;
}

void
gs_count_add(struct gs_count *count, const void *keys, size_t key_count)
{
	const size_t most_keys = (size_t)1 << 31;

	assert(count->key_bits < 32 && count->bin_count == (size_t)1 << count->key_bits);
	if (key_count < TEAM_KEYS) {
		count_few(count, keys, key_count);
		return;
	}
	#pragma omp parallel
	{
		const unsigned rank = gs_team_rank(), size = gs_team_size();
		const size_t end = gs_team_begin(key_count, rank + 1, size);

		for (size_t at = gs_team_begin(key_count, rank, size); at < end; at += most_keys) {
			const size_t part = end - at < most_keys ? end - at : most_keys;

			if (count->key_bits == 8)
				count_part8(count->bins, (const uint8_t *)keys + at, part);
			else
				count_part16(count->bins, (const uint16_t *)keys + at, part);
		}
	}
}

void
gs_count_unique(struct gs_count *count)
{
	for (size_t b = 0; b < count->bin_count; b++)
		count->bins[b] = count->bins[b] > 0;
}

/* COUNT times KEY to KEYS, from index AT on. */
static void
fill(void *keys, unsigned key_bits, size_t at, size_t key, size_t count)
{
	if (key_bits == 8) {
		memset((uint8_t *)keys + at, (int)key, count);
	} else if (key_bits == 16) {
		uint16_t *to = (uint16_t *)keys + at;

		#pragma omp simd
		for (size_t i = 0; i < count; i++)
			to[i] = (uint16_t)key;
	} else {
		uint32_t *to = (uint32_t *)keys + at;

		#pragma omp simd
		for (size_t i = 0; i < count; i++)
			to[i] = (uint32_t)key;
	}
}

void
gs_count_drain(struct gs_count *count, bool descending, void *buffer, size_t buffer_bytes,
               struct gs_span *span)
{
	const size_t room = buffer_bytes / (count->key_bits / 8);
	size_t filled = 0;

	assert(room > 0);
	while (filled < room && count->at < count->bin_count) {
		const size_t key = descending ? count->bin_count - 1 - count->at : count->at;
		const uint64_t left = count->bins[key];
		const size_t now = left < room - filled ? (size_t)left : room - filled;

		fill(buffer, count->key_bits, filled, key, now);
		count->bins[key] -= now;
		filled += now;
		if (count->bins[key] == 0)
			count->at++;
	}
	*span = (struct gs_span){
		.keys = buffer, .count = filled, .key_bits = count->key_bits, .stream = count->stream,
	};
}

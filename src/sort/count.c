// SPDX-License-Identifier: BSD-2-Clause
/*
 * count.c - sorting by counting
 *
 * In:   keys of 8 or 16 bits, or counts that someone else has made.
 * Out:  each key as often as it came, in order, in the caller's buffer.
 *
 * Each thread counts into tables of its own, behind the bins, that are added up when all
 * is counted.  Two tables or more in turn: adding to a sum that was stored the
 * moment before waits for that store, so one table would count equal keys
 * several times slower.  Few keys go straight into the bins: clearing tables would cost more.
 *
 * Invariant: bins and tables together are the multiset of all keys added and not yet drained.
 */
#include <assert.h>
#include <string.h>

#include "sort/count.h"

enum {
	/* From here on tables pay, which must be added up: more keys than there are sums, of 8
	 * bits.  Not tuned. */
	FEW_KEYS = 1 << 12,
	TABLES8 = 8, TABLES16 = 2,
};

/* Sums of one thread's tables; 0: such keys are not counted here. */
static size_t
table_sums(size_t bin_count)
{
	return bin_count == 256 ? TABLES8 * bin_count : bin_count == 1 << 16 ? TABLES16 * bin_count : 0;
}

size_t
gs_count_bytes(size_t bin_count, unsigned threads)
{
	return bin_count * sizeof(uint64_t) + threads * table_sums(bin_count) * sizeof(uint32_t);
}

void
gs_count_open(struct gs_count *count, void *memory, size_t bin_count, unsigned key_bits,
              unsigned key_class, unsigned threads)
{
	assert(key_bits == 8 || key_bits == 16 || key_bits == 32);
	assert(bin_count - 1 <= UINT32_MAX >> (32 - key_bits));
	*count = (struct gs_count){
		.bins = memory, .bin_count = bin_count, .key_bits = key_bits, .key_class = key_class,
		.threads = threads, .parts = UINT64_MAX,
	};
}

static uint32_t *
tables_of(const struct gs_count *count, unsigned rank)
{
	return (uint32_t *)(count->bins + count->bin_count) + rank * table_sums(count->bin_count);
}

/* At most UINT32_MAX keys, so that no sum can overflow. */
static void
count_part8(uint32_t *tables, const uint8_t *keys, size_t key_count)
{
	size_t at = 0;

	for (; at + TABLES8 <= key_count; at += TABLES8)
		for (unsigned t = 0; t < TABLES8; t++)
			tables[t * 256 + keys[at + t]]++;
	for (; at < key_count; at++)
		tables[keys[at]]++;
}

static void
count_part16(uint32_t *tables, const uint16_t *keys, size_t key_count)
{
	size_t at = 0;

	for (; at + TABLES16 <= key_count; at += TABLES16)
		for (unsigned t = 0; t < TABLES16; t++)
			tables[((size_t)t << 16) + keys[at + t]]++;
	for (; at < key_count; at++)
		tables[keys[at]]++;
}

static void
count_few(struct gs_count *count, const void *keys, size_t key_count)
{
	for (size_t at = 0; at < key_count; at++)
		count->bins[count->key_bits == 8 ? ((const uint8_t *)keys)[at]
		                                 : ((const uint16_t *)keys)[at]]++;
}

void
gs_count_add(struct gs_count *count, unsigned rank, const void *keys, size_t key_count)
{
	assert(count->key_bits < 32 && count->bin_count == (size_t)1 << count->key_bits);
	assert(rank < count->threads);
	if (rank == 0 && key_count < FEW_KEYS) {
		count_few(count, keys, key_count);
		return;
	}
	count->counted[rank] = true;
	if (count->key_bits == 8)
		count_part8(tables_of(count, rank), keys, key_count);
	else
		count_part16(tables_of(count, rank), keys, key_count);
}

void
gs_count_sum(struct gs_count *count)
{
	const size_t sums = table_sums(count->bin_count);

	for (unsigned rank = 0; rank < count->threads; rank++) {
		uint32_t *tables = tables_of(count, rank);

		if (!count->counted[rank])
			continue;
		for (size_t at = 0; at < sums; at += count->bin_count)
			for (size_t b = 0; b < count->bin_count; b++)
				count->bins[b] += tables[at + b];
		memset(tables, 0, sums * sizeof *tables);
		count->counted[rank] = false;
	}
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

/* The next bin to look at; bin_count: none is left.  Where nothing was counted it does not
 * even look: few keys touch few pages. */
static size_t
next_bin(struct gs_count *count, bool descending)
{
	const size_t part = count->bin_count / 64;

	while (count->at < count->bin_count) {
		const size_t bin = descending ? count->bin_count - 1 - count->at : count->at;

		if (count->at % part > 0 || count->parts >> bin / part & 1)
			return bin;
		count->at += part;
	}
	return count->bin_count;
}

void
gs_count_drain(struct gs_count *count, bool descending, void *buffer, size_t buffer_bytes,
               struct gs_span *span)
{
	const size_t room = buffer_bytes / (count->key_bits / 8);
	size_t filled = 0, key;

	assert(room > 0);
	while (filled < room && (key = next_bin(count, descending)) < count->bin_count) {
		const uint64_t left = count->bins[key];
		const size_t now = left < room - filled ? (size_t)left : room - filled;

		fill(buffer, count->key_bits, filled, key, now);
		count->bins[key] -= now;
		filled += now;
		if (count->bins[key] == 0)
			count->at++;
	}
	*span = (struct gs_span){
		.keys = buffer, .count = filled, .key_bits = count->key_bits, .key_class = count->key_class,
	};
}

void
gs_count_drain_pairs(struct gs_count *count, bool descending, void *buffer, uint64_t *times,
                     size_t room, struct gs_span *span)
{
	size_t filled = 0, key;

	assert(room > 0);
	for (; filled < room && (key = next_bin(count, descending)) < count->bin_count; count->at++) {
		times[filled] = count->bins[key];
		fill(buffer, count->key_bits, filled, key, 1);
		filled += times[filled] > 0;
	}
	*span = (struct gs_span){
		.keys = buffer, .count = filled, .key_bits = count->key_bits, .key_class = count->key_class,
	};
}

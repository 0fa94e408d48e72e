// SPDX-License-Identifier: BSD-2-Clause
/*
 * count.c - a histogram: keys of few different values are counted, not stored
 *
 * In:   keys of 8 or 16 bits, or bins that the caller has filled.
 * Out:  each key as often as it came, in order, in the caller's buffer.
 *
 * Each thread counts into tables of its own, after the bins; gs_count_sum() adds them up.  A
 * thread has two tables or more and uses them in turn: an addition to a sum that was stored just
 * before waits for that store, so with one table equal keys would take several times as long.
 * Few keys go straight into the bins, since clearing the tables would cost more.
 *
 * Invariant: bins and tables together are the multiset of all keys added and not yet drained.
 */
#include <assert.h>
#include <string.h>

#include "base/round.h"
#include "sort/count.h"
#include "sort/cpu/keys.h"

enum {
	/* From here on the tables pay for adding them up: more keys than sums, for 8 bits.  Not
	 * tuned. */
	FEW_KEYS = 1 << 12,
	TABLES8 = 8, TABLES16 = 2,
};

/* Sums in one thread's tables; 0: the caller fills the bins. */
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
		.threads = threads, .touched = UINT64_MAX,
	};
}

static uint32_t *
tables_of(const struct gs_count *count, unsigned worker)
{
	return (uint32_t *)(count->bins + count->bin_count) + worker * table_sums(count->bin_count);
}

/* At most UINT32_MAX keys, so that no sum can overflow. */
static inline __attribute__((always_inline)) void
count_in_tables(uint32_t *tables, unsigned table_count, const void *keys, unsigned key_bits, size_t key_count)
{
	size_t at = 0;

	for (; at + table_count <= key_count; at += table_count)
		for (unsigned t = 0; t < table_count; t++)
			tables[((size_t)t << key_bits) + gs_key_at(keys, key_bits, at + t)]++;
	for (; at < key_count; at++)
		tables[gs_key_at(keys, key_bits, at)]++;
}

void
gs_count_add(struct gs_count *count, unsigned worker, const void *keys, size_t key_count)
{
	assert(count->key_bits < 32 && count->bin_count == (size_t)1 << count->key_bits);
	assert(worker < count->threads);
	if (worker == 0 && key_count < FEW_KEYS) {
		for (size_t at = 0; at < key_count; at++)
			count->bins[gs_key_at(keys, count->key_bits, at)]++;
		return;
	}
	count->counted[worker] = true;
	if (count->key_bits == 8)
		count_in_tables(tables_of(count, worker), TABLES8, keys, 8, key_count);
	else
		count_in_tables(tables_of(count, worker), TABLES16, keys, 16, key_count);
}

void
gs_count_sum(struct gs_count *count)
{
	const size_t sums = table_sums(count->bin_count);

	for (unsigned worker = 0; worker < count->threads; worker++) {
		uint32_t *tables = tables_of(count, worker);

		if (!count->counted[worker])
			continue;
		for (size_t at = 0; at < sums; at += count->bin_count)
			for (size_t b = 0; b < count->bin_count; b++)
				count->bins[b] += tables[at + b];
		memset(tables, 0, sums * sizeof *tables);
		count->counted[worker] = false;
	}
}

/* The next bin that counts anything; bin_count: none is left.  Bins that nobody touched are not
 * read, so that few keys touch few pages. */
static size_t
next_bin(struct gs_count *count, bool reversed)
{
	const size_t bins = count->bin_count, stretch = bins / 64;
	const uint64_t *first = reversed ? count->bins + bins - 1 : count->bins;
	const ptrdiff_t step = reversed ? -1 : 1;
	size_t at = count->at;

	while (at < bins) {
		const size_t end = (at / stretch + 1) * stretch;
		const size_t bin = reversed ? bins - 1 - at : at;

		if (count->touched >> bin / stretch & 1)
			while (at < end && first[step * (ptrdiff_t)at] == 0)
				at++;
		else
			at = end;
		if (at < end) {
			count->at = at;
			return reversed ? bins - 1 - at : at;
		}
	}
	count->at = bins;
	return bins;
}

void
gs_count_next(struct gs_count *count, bool reversed, void *buffer, size_t buffer_bytes,
              uint64_t *times, struct gs_span *span)
{
	const size_t key_bytes = count->key_bits / 8, room = buffer_bytes / key_bytes;
	size_t filled = 0, bin;

	assert(room > 0);
	while (filled < room && (bin = next_bin(count, reversed)) < count->bin_count) {
		uint64_t *left = &count->bins[bin];
		const size_t now = times != NULL ? 1 : (size_t)gs_least(*left, room - filled);

		gs_keys_fill((char *)buffer + filled * key_bytes, count->key_bits,
		             reversed ? ~(uint64_t)bin : bin, now);
		if (times != NULL)
			times[filled] = *left;
		else
			*left -= now;
		filled += now;
		count->at += times != NULL || *left == 0;
	}
	*span = (struct gs_span){
		.keys = buffer, .count = filled, .key_bits = count->key_bits,
		.key_class = count->key_class, .times = times,
	};
}

gs_status
gs_count_drain(struct gs_count *count, bool reversed, void *buffer, size_t buffer_bytes,
               uint64_t *times, struct gs_clock *clock, const struct gs_span_sink *sink)
{
	const bool once = sink->groups;
	const size_t pairs_bytes = GS_COUNT_PAIRS * (count->key_bits / 8);
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT };

	assert(!once || pairs_bytes <= buffer_bytes);
	for (; !sorted.enough; sorted.number++) {
		uint64_t since = gs_clock_now();

		gs_count_next(count, reversed, buffer, once ? pairs_bytes : buffer_bytes,
		              once ? times : NULL, &sorted.span);
		gs_clock_lap(clock, GS_STAGE_SORT, &since);
		if (sorted.span.count == 0)
			return GS_OK;
		TRY(sink->take(sink->context, &sorted));
	}
	return GS_OK;
}

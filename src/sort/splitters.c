// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitters.c - which of several owners a key belongs to
 *
 * In:   a sorted sample; then pieces of keys.
 * Out:  each piece divided by owner.
 *
 * A key has bin 2 i if it is between splitters i - 1 and i, and 2 i + 1 if it is equal to splitter
 * i.  A piece is partitioned at the middle splitter, then each half at the middle of its own, as a
 * quicksort would; vectors do that (simd_kernels.h).  The owners of an equal bin get their numbers
 * of keys in turn, as on a wheel that has a segment for each of them, of the size of its part of
 * the sample; it does not matter which of the keys they are.
 *
 * Invariant: owners ascend with bins, so the keys of an owner are adjacent.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "sort/cpu/keys.h"
#include "sort/cpu/simd_kernels.h"
#include "sort/splitters.h"

/* ---- choosing ----------------------------------------------------------------- */

/* The owner of position AT of the sample. */
static unsigned
owner_of(const struct gs_splitters *s, uint64_t at)
{
	return (unsigned)((unsigned __int128)at * s->owners / s->total);
}

/* The first position of OWNER. */
static uint64_t
start_of(const struct gs_splitters *s, unsigned owner)
{
	return (uint64_t)(((unsigned __int128)owner * s->total + s->owners - 1) / s->owners);
}

gs_status
gs_splitters_make(struct gs_splitters *s, const struct gs_sampled *sample, size_t count,
                  unsigned owners, unsigned seed, bool together, bool descending_classes)
{
	uint64_t from = 0, to;

	*s = (struct gs_splitters){
		.owners = owners, .together = together, .descending_classes = descending_classes,
	};
	TRY(GS_NEW(s->list, owners, "ranges of keys"));
	TRY(GS_NEW(s->between, owners, "ranges of keys"));
	TRY(GS_NEW(s->keys, owners, "ranges of keys"));
	for (size_t i = 0; i < count; i++)
		s->total += sample[i].weight;
	for (size_t i = 0, next; i < count; i = next, from = to) {
		for (next = i, to = from; next < count && sample[next].key == sample[i].key &&
		     sample[next].place == sample[i].place; next++)
			to += sample[next].weight;
		if (to == from || owner_of(s, to - 1) == (from > 0 ? owner_of(s, from - 1) : 0))
			continue;		/* no other owner's range begins here */
		s->list[s->count] = (struct gs_splitter){
			.key = sample[i].key, .place = (unsigned)sample[i].place, .from = from, .to = to,
		};
		/* Ranks that divide keys begin at different places of the wheel. */
		atomic_init(&s->list[s->count].turn, (to - from) / owners * (seed % owners) +
		                                     (to - from) % owners * (seed % owners) / owners);
		s->keys[s->count++] = sample[i].key;
	}
	for (unsigned p = 0, i = 0; p <= GS_CLASSES; p++) {
		while (i < s->count && s->list[i].place < p)
			i++;
		s->first[p] = i;
	}
	for (unsigned i = 1; i <= s->count; i++)
		s->between[i] = s->list[i - 1].to < s->total ? owner_of(s, s->list[i - 1].to) : owners - 1;
	return GS_OK;
}

void
gs_splitters_close(struct gs_splitters *s)
{
	free(s->list);
	free(s->between);
	free(s->keys);
	*s = (struct gs_splitters){ .count = 0 };
}

/* ---- equal keys ------------------------------------------------------------------ */

/* The next keys equal to SPLITTER that one owner gets, TURN of them being shared out: at most
 * COUNT. */
static uint64_t
next_share(const struct gs_splitters *s, const struct gs_splitter *splitter, uint64_t turn,
           uint64_t count, unsigned *owner)
{
	const uint64_t at = splitter->from + turn % (splitter->to - splitter->from);
	uint64_t end;

	*owner = owner_of(s, at);
	end = *owner + 1 < s->owners ? start_of(s, *owner + 1) : splitter->to;
	if (end > splitter->to)
		end = splitter->to;
	return count < end - at ? count : end - at;
}

/* COUNT keys equal to splitter number I have come: add each owner's to SHARES. */
static void
share_out(struct gs_splitters *s, unsigned i, size_t count, size_t *shares)
{
	struct gs_splitter *splitter = &s->list[i];
	const uint64_t wheel = splitter->to - splitter->from;
	uint64_t turn, left = count % wheel;
	unsigned owner;

	if (s->together) {
		shares[owner_of(s, splitter->from)] += count;
		return;
	}
	turn = atomic_fetch_add(&splitter->turn, count);
	for (uint64_t at = splitter->from, whole = count / wheel, some; whole > 0 && at < splitter->to;
	     at += some) {
		some = next_share(s, splitter, at - splitter->from, UINT64_MAX, &owner);
		shares[owner] += whole * some;
	}
	for (uint64_t some; left > 0; left -= some, turn += some) {
		some = next_share(s, splitter, turn, left, &owner);
		shares[owner] += some;
	}
}

void
gs_splitters_owners(const struct gs_splitters *s, unsigned key_class, uint64_t key, unsigned *first,
                    unsigned *last)
{
	const unsigned place = gs_class_place(key_class, s->descending_classes);
	/* the first splitter of the class that is not less than KEY; or the first of the next class */
	const size_t i = gs_keys_from(s->keys, 64, s->first[place], s->first[place + 1], key);

	if (i == s->first[place + 1] || s->keys[i] != key) {
		*first = *last = s->between[i];
		return;
	}
	*first = owner_of(s, s->list[i].from);
	*last = s->together ? *first : owner_of(s, s->list[i].to - 1);
}

uint64_t
gs_splitters_share(const struct gs_splitters *s, unsigned key_class, uint64_t key, uint64_t times,
                   unsigned owner)
{
	const unsigned place = gs_class_place(key_class, s->descending_classes);
	const size_t i = gs_keys_from(s->keys, 64, s->first[place], s->first[place + 1], key);
	const struct gs_splitter *splitter = &s->list[i];
	unsigned first, last;
	uint64_t begin, end, wheel;

	gs_splitters_owners(s, key_class, key, &first, &last);
	if (owner < first || owner > last)
		return 0;
	if (first == last)
		return times;
	wheel = splitter->to - splitter->from;
	begin = owner == first ? 0 : start_of(s, owner) - splitter->from;
	end = owner == last ? wheel : start_of(s, owner + 1) - splitter->from;
	return (uint64_t)((unsigned __int128)times * end / wheel - (unsigned __int128)times * begin / wheel);
}

/* ---- dividing --------------------------------------------------------------------- */

enum { ALIGN_BYTES = 64 };

/* A piece that is being divided, in two buffers in turn. */
struct division {
	const struct gs_simd_kernels *kernels;
	const uint64_t *splitters;	/* of the class */
	unsigned        count;		/* of them */
	unsigned        home;		/* the buffer in which keys are in the end */
	char           *buffers[2];
	size_t         *bins;		/* keys of each */
};

size_t
gs_splitters_scratch_bytes(unsigned owners, size_t piece_bytes)
{
	return gs_round_up(2 * (size_t)owners * sizeof(size_t), ALIGN_BYTES) +
	       gs_round_up(owners * sizeof(size_t), ALIGN_BYTES) + gs_round_up(piece_bytes, ALIGN_BYTES);
}

static char *
keys_at(const struct division *d, unsigned buffer, size_t at)
{
	return d->buffers[buffer] + at * (d->kernels->key_bits / 8);
}

/* Move keys up to PIVOT to the front, into the other buffer; returns how many they are. */
static size_t
partition(const struct division *d, unsigned buffer, size_t from, size_t to, uint64_t pivot)
{
	size_t low = 0, high = to - from;

	d->kernels->partition(keys_at(d, !buffer, from), &low, &high, keys_at(d, buffer, from),
	                      to - from, pivot);
	return low;
}

/* Keys FROM .. TO of a buffer are after splitter LOW - 1, and not after splitter HIGH. */
static void
divide(const struct division *d, unsigned buffer, size_t from, size_t to, unsigned low, unsigned high)
{
	const unsigned middle = low + (high - low) / 2;
	const uint64_t key = middle < d->count ? d->splitters[middle] : 0;
	const uint64_t *wide = (const uint64_t *)(void *)keys_at(d, buffer, 0);
	const uint32_t *narrow = (const uint32_t *)(const void *)wide;
	size_t front, equal = 0;

	if (low == high) {
		if (low < d->count && d->kernels->key_bits == 64)
			for (size_t k = from; k < to; k++)
				equal += wide[k] == key;
		else if (low < d->count)
			for (size_t k = from; k < to; k++)
				equal += narrow[k] == (uint32_t)key;
		d->bins[2 * low] = to - from - equal;
		if (low < d->count)
			d->bins[2 * low + 1] = equal;
		if (equal > 0 && equal < to - from) {	/* so KEY is not 0 */
			(void)partition(d, buffer, from, to, key - 1);
			buffer = !buffer;
		}
		if (buffer != d->home && to > from)
			memcpy(keys_at(d, d->home, from), keys_at(d, buffer, from),
			       (to - from) * (d->kernels->key_bits / 8));
		return;
	}
	front = from == to ? 0 : partition(d, buffer, from, to, key);
	divide(d, !buffer, from, from + front, low, middle);
	divide(d, !buffer, from + front, to, middle + 1, high);
}

void *
gs_splitters_divide(struct gs_splitters *s, unsigned key_class, unsigned key_bits, void *keys,
                    size_t count, void *scratch, size_t *ends)
{
	const unsigned place = gs_class_place(key_class, s->descending_classes), first = s->first[place];
	size_t *const shares = scratch;
	struct division d = {
		.kernels = gs_simd_kernels(gs_simd_best(), key_bits),
		.splitters = s->keys + first, .count = s->first[place + 1] - first,
	};

	d.bins = (size_t *)(void *)((char *)scratch + gs_round_up(s->owners * sizeof *shares, ALIGN_BYTES));
	d.buffers[0] = keys;
	d.buffers[1] = (char *)d.bins + gs_round_up(2 * (size_t)s->owners * sizeof *d.bins, ALIGN_BYTES);
	for (unsigned left = d.count; left > 0; left /= 2)	/* the depth of most bins */
		d.home ^= 1;
	divide(&d, 0, 0, count, 0, d.count);
	/* from the keys in each bin to the ends of owners */
	memset(shares, 0, s->owners * sizeof *shares);
	for (unsigned i = 0; i <= d.count; i++) {
		shares[s->between[first + i]] += d.bins[2 * i];
		if (i < d.count && d.bins[2 * i + 1] > 0)
			share_out(s, first + i, d.bins[2 * i + 1], shares);
	}
	for (size_t o = 0, end = 0; o < s->owners; o++)
		ends[o] = end += shares[o];
	assert(ends[s->owners - 1] == count);
	return d.buffers[d.home];
}

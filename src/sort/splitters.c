// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitters.c - which of several owners a key belongs to
 *
 * In:   a sorted sample; then pieces of keys.
 * Out:  each piece divided by owner.
 *
 * A key has bin 2 i if it is between splitters i - 1 and i, and 2 i + 1 if it is equal to splitter
 * i.  A piece is divided by counting its keys in each bin, then moving them.  The owners of an
 * equal bin get their numbers of keys in turn, as on a wheel that has a segment for each of them,
 * of the size of its part of the sample; it does not matter which of the keys they are.
 *
 * Invariant: owners ascend with bins, so the keys of an owner are adjacent.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sort/splitters.h"

/* ---- choosing ----------------------------------------------------------------- */

/* The owner of position AT of the sample. */
static unsigned
owner_of(const struct gs_splitters *s, uint64_t at)
{
	const uint64_t owner = (uint64_t)((unsigned __int128)at * s->owners / s->total);

	return owner < s->owners ? (unsigned)owner : s->owners - 1;
}

/* The first position of OWNER. */
static uint64_t
start_of(const struct gs_splitters *s, unsigned owner)
{
	return (uint64_t)(((unsigned __int128)owner * s->total + s->owners - 1) / s->owners);
}

static gs_status
allocate(struct gs_splitters *s)
{
	s->list = calloc(s->owners, sizeof *s->list);
	s->between = calloc(s->owners, sizeof *s->between);
	s->keys = calloc(s->owners, sizeof *s->keys);
	return s->list != NULL && s->between != NULL && s->keys != NULL ? GS_OK
	       : gs_fail(GS_EBUDGET, "no memory for %u ranges of keys", s->owners);
}

static void
append(struct gs_splitters *s, const struct gs_sampled *sampled, uint64_t from, uint64_t to,
       unsigned seed)
{
	struct gs_splitter *splitter = &s->list[s->count];

	splitter->key = sampled->key;
	splitter->place = (unsigned)sampled->place;
	splitter->from = from;
	splitter->to = to;
	/* Those who divide keys begin at different places of the wheel. */
	atomic_init(&splitter->turn, (to - from) / s->owners * (seed % s->owners) +
	                             (to - from) % s->owners * (seed % s->owners) / s->owners);
	s->keys[s->count++] = sampled->key;
}

gs_status
gs_splitters_make(struct gs_splitters *s, const struct gs_sampled *sample, size_t count,
                  unsigned owners, unsigned seed, bool together, bool descending_classes)
{
	uint64_t from = 0, to;

	*s = (struct gs_splitters){
		.owners = owners, .together = together, .descending_classes = descending_classes,
	};
	TRY(allocate(s));
	for (size_t i = 0; i < count; i++)
		s->total += sample[i].weight;
	for (size_t i = 0, next; i < count; i = next, from = to) {
		for (next = i, to = from; next < count && sample[next].key == sample[i].key &&
		     sample[next].place == sample[i].place; next++)
			to += sample[next].weight;
		/* Does another owner's range begin here? */
		if (to > from && from > 0 ? owner_of(s, to - 1) > owner_of(s, from - 1)
		                          : to > from && owner_of(s, to - 1) > 0)
			append(s, &sample[i], from, to, seed);
	}
	for (unsigned p = 0, i = 0; p <= GS_CLASSES; p++) {
		while (i < s->count && s->list[i].place < p)
			i++;
		s->first[p] = i;
	}
	for (unsigned i = 1; i <= s->count; i++)
		s->between[i] = s->list[i - 1].to < s->total ? owner_of(s, s->list[i - 1].to)
		                                             : owners - 1;
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

static unsigned
place_of(const struct gs_splitters *s, unsigned key_class)
{
	return s->descending_classes ? GS_CLASSES - 1 - key_class : key_class;
}

/* The first splitter of the class that is not less than KEY; or the first of the next class. */
static unsigned
splitter_from(const struct gs_splitters *s, unsigned place, uint64_t key)
{
	unsigned low = s->first[place], high = s->first[place + 1];

	while (low < high) {
		const unsigned middle = low + (high - low) / 2;

		if (s->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
gs_splitters_owners(const struct gs_splitters *s, unsigned key_class, uint64_t key, unsigned *first,
                    unsigned *last)
{
	const unsigned place = place_of(s, key_class), i = splitter_from(s, place, key);

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
	const unsigned place = place_of(s, key_class), i = splitter_from(s, place, key);
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
	return (uint64_t)((unsigned __int128)times * end / wheel -
	                  (unsigned __int128)times * begin / wheel);
}

/* ---- dividing --------------------------------------------------------------------- */

/* Bins of keys, and where each bin begins: 2 splitters + 1 of them. */
struct scratch {
	size_t   *starts;
	size_t   *shares;	/* by owner */
	uint32_t *bins;		/* of each key */
	void     *keys;
};

static size_t
round_up(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

size_t
gs_splitters_scratch_bytes(const struct gs_splitters *s, size_t piece_keys)
{
	return round_up((2 * (size_t)s->owners + 2) * sizeof(size_t)) +
	       round_up(s->owners * sizeof(size_t)) + round_up(piece_keys * sizeof(uint32_t)) +
	       round_up(piece_keys * sizeof(uint64_t));
}

static struct scratch
lay_out(const struct gs_splitters *s, void *memory, size_t count)
{
	struct scratch scratch;
	char *at = memory;

	scratch.starts = memory;
	at += round_up((2 * (size_t)s->owners + 2) * sizeof(size_t));
	scratch.shares = (size_t *)(void *)at;
	at += round_up(s->owners * sizeof(size_t));
	scratch.bins = (uint32_t *)(void *)at;
	scratch.keys = at + round_up(count * sizeof(uint32_t));
	return scratch;
}

/* Keys that are searched side by side: the searches do not wait for each other. */
enum { SIDE_BY_SIDE = 8 };

#define BITS 32
#include "sort/splitters.inc"
#define BITS 64
#include "sort/splitters.inc"

/* From the counts of bins to the ends of owners. */
static void
find_ends(struct gs_splitters *s, unsigned place, const struct scratch *scratch, size_t *ends)
{
	const unsigned from = s->first[place], splitters = s->first[place + 1] - from;
	size_t *shares = scratch->shares;

	memset(shares, 0, s->owners * sizeof *shares);
	for (unsigned i = 0; i <= splitters; i++) {
		const size_t *counts = scratch->starts + 2 * i;

		shares[s->between[from + i]] += counts[0];
		if (i < splitters && counts[1] > 0)
			share_out(s, from + i, counts[1], shares);
	}
	for (size_t o = 0, end = 0; o < s->owners; o++)
		ends[o] = end += shares[o];
}

void
gs_splitters_divide(struct gs_splitters *s, unsigned key_class, unsigned key_bits, void *keys,
                    size_t count, void *memory, size_t *ends)
{
	const unsigned place = place_of(s, key_class);
	const struct scratch scratch = lay_out(s, memory, count);
	const unsigned bins = 2 * (s->first[place + 1] - s->first[place]) + 1;

	if (bins == 1) {		/* all of the class has one owner */
		const unsigned owner = s->between[s->first[place]];

		for (unsigned o = 0; o < s->owners; o++)
			ends[o] = o < owner ? 0 : count;
		return;
	}
	memset(scratch.starts, 0, (bins + 1) * sizeof *scratch.starts);
	if (key_bits == 64)
		bin_keys64(s->keys + s->first[place], bins / 2, keys, count, &scratch);
	else
		bin_keys32(s->keys + s->first[place], bins / 2, keys, count, &scratch);
	find_ends(s, place, &scratch, ends);
	assert(ends[s->owners - 1] == count);
	if (key_bits == 64)
		move_keys64(bins, keys, count, &scratch);
	else
		move_keys32(bins, keys, count, &scratch);
}

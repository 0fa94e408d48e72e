// SPDX-License-Identifier: BSD-2-Clause
/*
 * part.c - sort the items of one part
 *
 * In:   items, by their places in the input.
 * Out:  their places in the order of the items.
 *
 * A group of items becomes words of 64 bits: the upper bits of (word of the key - least one of
 * the group), and below them the place in the group.  The SIMD sort of keys sorts them.  All words
 * differ, so the sort is stable.  Items that still tie are a smaller group, and take the bytes of their
 * keys that follow.
 *
 * Invariant: a group is contiguous in PLACES, and uses the same range of WORDS and OTHER.
 */
#include <assert.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#include "base/simd.h"
#include "base/way.h"
#include "sort/cpu/quicksort.h"
#include "sort/items/part.h"

/* So few items are compared with each other. */
enum { FEW_ITEMS = 8 };

/* ---- memory -------------------------------------------------------------------- */

void
gs_item_part_init(struct gs_item_part *part, const struct gs_item_order *order, void *memory,
                  size_t room)
{
	uint64_t *eights = memory;
	uint32_t *fours = (uint32_t *)(eights + 4 * room);

	*part = (struct gs_item_part){
		.order = order,
		.room = room,
		.items = (const char **)eights,
		.words = eights + room,
		.other = eights + 2 * room,
		.weights = eights + 3 * room,
		.times = eights + room,
		.lengths = fours,
		.places = fours + room,
		.spare = fours + 2 * room,
		.equal = (uint8_t *)(fours + 3 * room),
	};
}

void
gs_item_part_begin(struct gs_item_part *part, size_t from)
{
	for (size_t i = from; i < part->count; i++)
		part->places[i] = (uint32_t)i;
	if (!part->mark_equal)
		return;
	memset(part->equal + from, 0, part->count - from);
	for (size_t i = from; i < part->count; i++)
		part->weights[i] = 1;
}

void
gs_item_part_add(struct gs_item_part *part, const struct gs_item_slice *slices, size_t count)
{
	struct gs_item_walk walk = gs_item_walk_begin(part->order, slices, count);
	const size_t before = part->count;

	part->count += gs_item_walk_next(&walk, part->items + before, part->lengths + before,
	                                 part->room - before);
	assert(walk.slice_count == 0 && walk.at == walk.end);
	gs_item_part_begin(part, before);
}

void
gs_item_part_collect(struct gs_item_part *part, const struct gs_item_slice *slices, size_t count)
{
	part->count = 0;
	part->in_place = true;
	gs_item_part_add(part, slices, count);
}

/* ---- ties ------------------------------------------------------------------------ */

/* Compare sorted items number ONE and OTHER, which share AT bytes of their words. */
static int
compare_places(const struct gs_item_part *part, unsigned at, uint32_t one, uint32_t other)
{
	const size_t bytes = gs_item_part_length(part, one), other_bytes = gs_item_part_length(part, other);

	/* equal bytes are equal items, and words take longer to make */
	if (gs_item_same(part->items[one], bytes, part->items[other], other_bytes))
		return 0;
	return gs_item_compare(part->order, at / 8, part->items[one], bytes, part->items[other], other_bytes);
}

/* Their words are all equal. */
static int
compare_ties(const struct gs_item_part *part, uint32_t one, uint32_t other)
{
	const struct gs_item_order *order = part->order;

	return order->compare(order->context, part->items[one], gs_item_part_length(part, one),
	                      part->items[other], gs_item_part_length(part, other));
}

/* Merge sort, by COMPARE() alone; neighbours in order cost one comparison. */
static void
merge_ties(struct gs_item_part *part, size_t from, size_t to)
{
	const size_t middle = from + (to - from) / 2;
	uint32_t *places = part->places, *left = part->spare + from;
	size_t l = 0, lefts = middle - from, r = middle;

	if (to - from < 2)
		return;
	merge_ties(part, from, middle);
	merge_ties(part, middle, to);
	if (compare_ties(part, places[middle - 1], places[middle]) <= 0)
		return;
	memcpy(left, places + from, lefts * sizeof *left);
	for (size_t at = from; l < lefts; at++)
		if (r < to && compare_ties(part, left[l], places[r]) > 0)
			places[at] = places[r++];
		else
			places[at] = left[l++];
}

/* ---- ties that a text in the items decides ------------------------------------------ */

static void sort_group(struct gs_item_part *part, unsigned shared, size_t from, size_t to);

/* Most texts that are told apart in a group: it has one, or a few that differ by case.  Not tuned. */
enum { MOST_TEXTS = 32 };

/* The texts of a group. */
struct texts {
	const struct gs_item_part *part;
	unsigned at;			/* the words from there on tie */
	unsigned next;			/* the words of what decides after the texts */
	unsigned count;
	struct text {
		const char *data;
		size_t   bytes;
		uint32_t place;		/* of an item that has it */
		unsigned number;	/* its place among the others in their order; equal ones have one */
		size_t   items;
	} list[MOST_TEXTS];
};

/* The number in the list of the text of the item at PLACE, most likely LAST; MOST_TEXTS: no number. */
static unsigned
find_text(struct texts *texts, uint32_t place, unsigned last)
{
	const struct gs_item_order *order = texts->part->order;
	struct text *text = texts->list + last;
	const char *data;
	unsigned t = 0;
	size_t bytes;

	texts->next = order->text(order->context, texts->at, texts->part->items[place],
	                          gs_item_part_length(texts->part, place), &data, &bytes);
	if (texts->next == 0)
		return MOST_TEXTS;
	if (last < texts->count && gs_item_same(text->data, text->bytes, data, bytes))
		return last;
	while (t < texts->count && !gs_item_same(texts->list[t].data, texts->list[t].bytes, data, bytes))
		t++;
	if (t == texts->count && t < MOST_TEXTS)
		texts->list[texts->count++] = (struct text){ data, bytes, place, 0, 0 };
	return t;
}

static int
compare_texts(const struct texts *texts, unsigned one, unsigned other)
{
	const struct gs_item_part *part = texts->part;
	const uint32_t a = texts->list[one].place, b = texts->list[other].place;

	return part->order->compare_text(part->order->context, texts->at,
	                                 part->items[a], gs_item_part_length(part, a),
	                                 part->items[b], gs_item_part_length(part, b));
}

/* Sort items whose words from AT on tie by a text in them, and what is behind; false: nothing was done. */
static bool
settle_by_text(struct gs_item_part *part, unsigned at, size_t from, size_t to)
{
	struct texts texts = { .part = part, .at = at };
	size_t ends[MOST_TEXTS] = { 0 }, begin = from;
	unsigned order[MOST_TEXTS], last = 0;

	if (part->order->text == NULL)
		return false;
	for (size_t i = from; i < to; i++) {
		last = find_text(&texts, part->places[i], last);
		if (last == MOST_TEXTS)
			return false;
		texts.list[last].items++;
		part->words[i] = last;
	}
	/* number all texts in their order */
	for (unsigned t = 0, to_be; t < texts.count; t++) {
		for (to_be = t; to_be > 0 && compare_texts(&texts, order[to_be - 1], t) > 0; to_be--)
			order[to_be] = order[to_be - 1];
		order[to_be] = t;
	}
	for (unsigned t = 1; t < texts.count; t++)
		texts.list[order[t]].number = texts.list[order[t - 1]].number +
		                              (compare_texts(&texts, order[t - 1], order[t]) < 0);
	/* put items in the order of the texts, and sort those that have equal ones by what is behind */
	for (unsigned t = 0; t < texts.count; t++)
		ends[texts.list[t].number] += texts.list[t].items;
	for (unsigned t = 0; t < texts.count; t++) {
		begin += ends[t];
		ends[t] = begin - ends[t];	/* so far: where it begins */
	}
	for (size_t i = from; i < to; i++)
		part->spare[ends[texts.list[part->words[i]].number]++] = part->places[i];
	memcpy(part->places + from, part->spare + from, (to - from) * sizeof *part->places);
	part->in_place = false;
	begin = from;
	for (unsigned t = 0; t < texts.count && begin < to; begin = ends[t++])
		if (ends[t] > begin + 1)
			sort_group(part, texts.next, begin, ends[t]);
	return true;
}

/* ---- groups of ties --------------------------------------------------------------------- */

/* The words of these items are all equal; they end within the eight bytes from AT on. */
static void
settle(struct gs_item_part *part, unsigned at, size_t from, size_t to)
{
	const bool equal = gs_item_words_decide(part->order, at + 8);

	if (!equal && gs_way("ties by text", settle_by_text(part, at, from, to)))
		return;
	if (!equal)
		merge_ties(part, from, to);
	if (!part->mark_equal)
		return;
	for (size_t i = from + 1; i < to; i++)
		part->equal[i] = equal ||
		                 compare_ties(part, part->places[i - 1], part->places[i]) == 0;
}

/* ---- groups ------------------------------------------------------------------------ */

/* Load the eight bytes behind AT of the words of sorted items FROM .. TO; false: all later ones are
 * 0. */
static bool
load_words(struct gs_item_part *part, unsigned at, size_t from, size_t to)
{
	const struct gs_item_order *order = part->order;
	const char *items[GS_ITEM_BATCH];
	uint32_t lengths[GS_ITEM_BATCH];
	const bool measured = order->item_bytes == 0;
	bool more = false;

	if (part->in_place) {
		more = order->words(order->context, part->items + from,
		                    measured ? part->lengths + from : NULL, to - from, at,
		                    part->words + from);
		part->kept_from = at;
		if (part->keeps_words)
			memcpy(part->weights, part->words, part->count * sizeof *part->weights);
		return more;
	}
	for (size_t next = from; next < to; next += GS_ITEM_BATCH) {
		const size_t count = to - next < GS_ITEM_BATCH ? to - next : GS_ITEM_BATCH;

		for (size_t i = 0; i < count; i++)
			items[i] = part->items[part->places[next + i]];
		for (size_t i = 0; measured && i < count; i++)
			lengths[i] = part->lengths[part->places[next + i]];
		more |= order->words(order->context, items, measured ? lengths : NULL, count, at,
		                     part->words + next);
	}
	return more;
}

static void
sort_few(struct gs_item_part *part, unsigned at, size_t from, size_t to)
{
	uint64_t *words = part->words;
	uint32_t *places = part->places;
	size_t same = from + 1, bytes;
	const char *first = gs_item_part_at(part, from, &bytes);
	bool equal;

	while (same < to && gs_item_same(first, bytes, part->items[places[same]],
	                                 gs_item_part_length(part, places[same])))
		same++;
	if (same == to && !part->in_place) {	/* most ties are so: they are in order; else words are kept */
		if (part->mark_equal)
			memset(part->equal + from + 1, true, to - from - 1);
		return;
	}
	equal = !load_words(part, at, from, to) && gs_item_words_decide(part->order, at + 8);
	for (size_t i = from + 1; i < to; i++) {
		const uint32_t place = places[i];
		const uint64_t word = words[i];
		size_t to_be = i;

		for (; to_be > from && (words[to_be - 1] > word || (words[to_be - 1] == word && !equal &&
		     compare_places(part, at + 8, places[to_be - 1], place) > 0)); to_be--) {
			words[to_be] = words[to_be - 1];
			places[to_be] = places[to_be - 1];
		}
		words[to_be] = word;
		places[to_be] = place;
	}
	for (size_t i = from + 1; part->mark_equal && i < to; i++)
		part->equal[i] = compare_places(part, at, places[i - 1], places[i]) == 0;
}

static unsigned
bits_of(uint64_t value)
{
	return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

/* How words of a group are packed with places in it. */
struct packing {
	unsigned shift;		/* bits of the word that are left out */
	unsigned place_bits;
};

#if defined __x86_64__
/* Few bits of text differ, of eight hexadecimal digits 48: pack only these, if fewer than packing->shift are
 * left out then.  Returns the greatest; 0: nothing was done. */
__attribute__((target("bmi2"))) static uint64_t
pack_differing(struct packing *packing, uint64_t *words, size_t count)
{
	uint64_t differ = 0, left_out = 0;

	#pragma omp simd reduction(|: differ)
	for (size_t i = 0; i < count; i++)
		differ |= words[i] ^ words[0];
	while ((unsigned)__builtin_popcountll(differ) + packing->place_bits > 64) {
		left_out = differ & -differ;
		differ ^= left_out;
	}
	if (left_out >> (packing->shift - 1) > 0)
		return 0;
	packing->shift = bits_of(left_out);
	for (size_t i = 0; i < count; i++)
		words[i] = _pext_u64(words[i], differ) << packing->place_bits | i;
	return _pext_u64(differ, differ) << packing->place_bits | (count - 1);
}
#endif

/* Pack words between LEAST and MOST with their places; returns the greatest. */
static uint64_t
pack(struct packing *packing, uint64_t *words, size_t count, uint64_t least, uint64_t most)
{
	uint64_t packed = 0;

	packing->place_bits = bits_of(count - 1);
	/* bits are left out before LEAST is subtracted, so that items that tie share all that are not */
	for (packing->shift = 0; bits_of((most >> packing->shift) - (least >> packing->shift)) +
	                         packing->place_bits > 64; packing->shift++)
		;
#if defined __x86_64__
	if (packing->shift > 0 && gs_simd_best() == GS_SIMD_AVX512)
		packed = pack_differing(packing, words, count);
#endif
	if (gs_way("bits that differ", packed > 0))
		return packed;
	least >>= packing->shift;
	most >>= packing->shift;
	for (size_t i = 0; i < count; i++)
		words[i] = ((words[i] >> packing->shift) - least) << packing->place_bits | i;
	return (most - least) << packing->place_bits | (count - 1);
}

/* Sort items FROM .. TO, whose words are between LEAST and MOST and loaded.  OTHER is sorted. */
static struct packing
sort_words(struct gs_item_part *part, size_t from, size_t to, uint64_t least, uint64_t most)
{
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), 64);
	const size_t count = to - from;
	uint64_t *words = part->words + from, *other = part->other + from;
	uint32_t *moved = (uint32_t *)words;
	struct packing packing;
	uint64_t mask;

	most = pack(&packing, words, count, least, most);
	gs_quicksort(kernels, other, words, count, 0, most);
	mask = ((uint64_t)1 << packing.place_bits) - 1;
	if (part->in_place) {
		#pragma omp simd
		for (size_t i = 0; i < count; i++)
			moved[i] = (uint32_t)(other[i] & mask);
	} else {
		for (size_t i = 0; i < count; i++)
			moved[i] = part->places[from + (other[i] & mask)];
	}
	part->in_place = false;
	memcpy(part->places + from, moved, count * sizeof *moved);
	return packing;
}

/* The group FROM .. TO is sorted by the words that PACKING has: sort the groups in it that tie.
 * Returns the end of one that has more than half of the items, at *FROM; else 0. */
static size_t
sort_subgroups(struct gs_item_part *part, const struct packing *packing, unsigned shared, bool more,
               size_t *from, size_t to)
{
	const size_t half = (to - *from) / 2;
	const uint64_t *sorted = part->other, apart = (uint64_t)1 << packing->place_bits;
	size_t large = 0, large_end = 0, end;

	if (packing->shift == 0 && !more && gs_item_words_decide(part->order, shared) && !part->mark_equal)
		to = *from;	/* settle() would do nothing */
	for (size_t at = *from;; at = end) {
		while (at + 1 < to && (sorted[at] ^ sorted[at + 1]) >= apart)
			at++;		/* most are alone */
		if (at + 1 >= to)
			break;
		for (end = at + 2; end < to && (sorted[at] ^ sorted[end]) < apart; end++)
			;
		if (packing->shift == 0 && !more) {
			settle(part, shared - 8, at, end);
		} else if (end - at > half) {
			large = at;
			large_end = end;
		} else {
			sort_group(part, shared, at, end);
		}
	}
	*from = large;
	return large_end;
}

/* Recursion has at most log2(count) levels, as a group that is more than half is done by the loop, for each
 * text that order->text() finds behind another. */
static void
sort_group(struct gs_item_part *part, unsigned shared, size_t from, size_t to)
{
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), 64);

	while (to - from > FEW_ITEMS) {
		uint64_t least = UINT64_MAX, most = 0;
		const bool more = load_words(part, shared, from, to);
		struct packing packing;

		kernels->range(part->words + from, to - from, &least, &most);
		if (least == most && !more) {
			settle(part, shared, from, to);
			return;
		}
		if (least == most) {
			shared += 8;
			continue;
		}
		packing = sort_words(part, from, to, least, most);
		/* items that tie by what PACKING has of the eight bytes share these */
		if (part->order->any_at || packing.shift == 0)
			shared += (64 - packing.shift) / 8;
		to = sort_subgroups(part, &packing, shared, more, &from, to);
	}
	if (to - from > 1)
		sort_few(part, shared, from, to);
}

void
gs_item_part_sort(struct gs_item_part *part, unsigned shared)
{
	/* words are kept to be the first or the second ones, if they can be */
	const bool whole = !part->order->any_at || (part->keeps_words && shared < 16);

	sort_group(part, whole ? shared / 8 * 8 : shared, 0, part->count);
}

/* ---- what leaves ------------------------------------------------------------------- */

void
gs_item_part_select(struct gs_item_part *part, uint64_t least, uint64_t most)
{
	size_t kept = 0;

	assert(part->mark_equal);
	for (size_t at = 0, end; at < part->count; at = end) {
		uint64_t times = part->weights[part->places[at]];

		for (end = at + 1; end < part->count && part->equal[end]; end++)
			times += part->weights[part->places[end]];
		if (times < least || times > most)
			continue;
		part->places[kept] = part->places[at];
		part->times[kept++] = times;
	}
	part->count = kept;
}

/* Items that are loaded before they are copied.  Not tuned. */
enum { AHEAD = 12 };

static inline __attribute__((always_inline)) void
gather_fixed(const struct gs_item_part *part, size_t at, size_t bytes, char *into)
{
	const char *const *items = part->items;	/* INTO could be PART for all that the compiler knows */
	const uint32_t *places = part->places;
	const size_t count = part->count;

	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count) {
			const char *next = items[places[i + AHEAD]] + at;

			__builtin_prefetch(next);
			if (bytes > 16)
				__builtin_prefetch(next + bytes - 1);
		}
		gs_item_copy(into, items[places[i]] + at, bytes);
		into += bytes;
	}
}

size_t
gs_item_part_gather(const struct gs_item_part *part, size_t at, size_t bytes, char *into)
{
	const char *const *items = part->items, *begin = into;	/* as for gather_fixed() */
	const uint32_t *places = part->places, *lengths = part->lengths;
	const size_t count = part->count, fixed = bytes > 0 ? bytes : part->order->item_bytes - at;

	if (bytes == 0 && part->order->item_bytes == 0) {
		for (size_t i = 0; i < count; i++) {
			const size_t length = lengths[places[i]] - at;

			if (i + AHEAD < count)
				__builtin_prefetch(items[places[i + AHEAD]]);
			gs_item_copy(into, items[places[i]] + at, length);
			into += length;
		}
		return (size_t)(into - begin);
	}
	switch (fixed) {
	case 4:  gather_fixed(part, at, 4, into); break;
	case 8:  gather_fixed(part, at, 8, into); break;
	case 16: gather_fixed(part, at, 16, into); break;
	default: gather_fixed(part, at, fixed, into); break;
	}
	return count * fixed;
}

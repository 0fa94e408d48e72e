// SPDX-License-Identifier: BSD-2-Clause
/*
 * scratch.cuh - the memory that a sort needs besides its keys, and how it divides them
 *
 * In:   how many keys of how many bits.
 * Out:  the number of bins, and where everything is in the scratch memory.
 */
#ifndef GS_SCRATCH_CUH
#define GS_SCRATCH_CUH

#include <algorithm>
#include <type_traits>

#include "kernels/block/leaf_sort.cuh"
#include "kernels/block/leaf_long.cuh"
#include "kernels/block/leaf_windows.cuh"
#include "kernels/device/histogram.cuh"
#include "kernels/device/slots.cuh"

#ifndef GS_BINS_FROM
#define GS_BINS_FROM	(1 << 17)	/* fewer keys go to the network: it wins at 2^16, not at 2^18 */
#endif

#ifndef GS_SEGMENTS_FROM
#define GS_SEGMENTS_FROM	(1 << 21)	/* the same where keys are divided as segments only */
#endif

#ifndef GS_FEW_BYTES
#define GS_FEW_BYTES	(16 << 20)	/* the emulator has fewer, so that few keys go both ways */
#endif

/*
 * Keys between two splitters of few keys.  Nearly all buckets fit a leaf of 2^12 then: a longer one takes
 * as long as all shorter ones, which leave multiprocessors idle.  A value may fill nearly two buckets;
 * u64 splitters lie in gaps (sample.cuh), so a bucket may be twice as full as the next.  H200, 2^18 keys,
 * us, with 2500 / this: u32 twos 59 / 50, clusters 41 / 43; u64 twos 107 / 56, clusters 105 / 58.
 */
enum { FEW_MEAN_32 = 1800, FEW_MEAN_64 = 1250 };

/* Few keys: buckets of them are leaves. */
static inline bool
keys_are_few(unsigned bits, size_t count)
{
	return count <= GS_FEW_BYTES / (bits / 8);
}

/* Up to this many u32 that are not few, buckets of uneven ones are LONG leaves: shared memory has room for
 * 1.4 times as many as are in one of 256. */
#ifndef GS_LONG_MOST
#define GS_LONG_MOST	(9 << 20)
#endif

/* Few u32, but more than this, have LONG leaves in place of networks of 2^15. */
enum { LONG_FROM = GS_FEW_BYTES / 8 };

/* As GS_LONG_MOST, and of rows with payloads, few or not. */
template <class Of> static constexpr size_t
long_most(void)
{
	return Of::CARRIES ? GS_LONG_MOST / 9 * 5 : GS_LONG_MOST;
}

/* ---- rooms ------------------------------------------------------------------- */

/*
 * What a block's shared memory has room for: 64 KB with compute capability 7.5, 99 with 8.6, 8.9 and 12,
 * 163 with 8.0 and 8.7, 227 with 9.0, 10 and 11.  With less than 160 KB keys are divided as segments only,
 * from the first division on.  (Of u32 all steps have room in 99, but fewer blocks: H200, 2^28 uniform keys,
 * 53 Gkeys/s; as segments 62.)
 */
static const int SHARED_KB[] = { 64, 99, 163, 227 };

struct room {
	bool     whole;
	bool     in_order;		/* rows with equal keys keep their order: then not whole either */
	bool     large;			/* otherwise whole */
	unsigned longest;		/* log2 of the keys of the longest leaf */
	uint32_t level_bins;		/* 16-bit counters */
	bool     coded = false;		/* keys are codes (device/codes.cuh): not to be coded again */
	bool     has_long = false;	/* there is enough for LONG leaves (block/leaf_long.cuh) */
};

/* What a block needs of shared memory to sort a leaf of 2^BITS. */
template <unsigned BITS, class Of> static __host__ __device__ constexpr size_t
leaf_bytes(void)
{
	if constexpr (Of::CARRIES)
		return sizeof(leaf_space<BITS, typename Of::key, typename Of::value>);
	else if constexpr (sizeof(typename Of::key) == 8)
		return sizeof(leaf_space<BITS>);
	else
		return block<word<BITS>>::ROOM * sizeof(word<BITS>);
}

template <class Of> static room
room_of(int shared_bytes, bool in_order)
{
	const size_t bytes = (size_t)shared_bytes - 512;	/* others are static */
	const bool large = shared_bytes >= SHARED_LARGE;
	room r = { large && !in_order, in_order, large, LEAF_BITS,
	           std::min<uint32_t>(HISTOGRAM_BINS, (uint32_t)bytes / 2) };

	for (size_t needed : { leaf_bytes<LEAF_BITS + 1, Of>(), leaf_bytes<LEAF_BITS + 2, Of>(),
	                       Of::PLAN_BITS == 32 ? leaf_bytes<LEAF_BITS + 3, Of>() : SIZE_MAX })
		r.longest += needed <= bytes;
	if constexpr (has_long_leaves<Of>())
		r.has_long = r.whole && sizeof(long_leaf<Of>) <= bytes;
	return r;
}

/* All of the scratch memory, for a count of keys. */
struct scratch {
	chunk_pool     pool;
	/* all zero before each division; before a division into chunks so is what the pool wants */
	uint32_t      *listed;		/* LISTED of them */
	segments_head *head;
	number        *counts;
	size_t         zero_bytes;
	number        *cursors;
	void          *plan;		/* a bin_plan */
	code_book     *book;		/* NULL: keys are not coded */
	segment       *segments;
	uint64_t      *spare;		/* for chunks that are half full in the end; keys, too */
	void          *keys, *values;	/* the other room of pairs, with spare chunks behind */
	uint64_t       room_rows;	/* of these, without spare chunks */
	ordered_counts ordered;
	uint32_t      *taken;		/* in a graph: segments of TOO_LARGE */
	size_t         segments_most;
	void          *tables;		/* splitters of segments with few values; keys, too */
	leaf_item     *lists[KINDS], *too_large;	/* of this turn, and of the last */
	size_t         bytes;
	number        *upper_cursors;
	levels         level;		/* of many even keys; no bins if these are too many */
	struct slots   slots;		/* of many even keys, if there are some */
	slot_state    *turns;
	uint32_t      *read;
	void          *lows, *slot_spare;	/* keys */
	uint32_t       even_bins, splitters;	/* of the first division */
	unsigned       leaf_bits, level_leaf_bits;	/* that keys will need if their buckets are even */
	struct room    room;
};

/* Room for the leaves of a kind, of 2^LONGEST at most: bins larger than a leaf are fewer than keys / size. */
static size_t
list_room(int k, size_t windows, unsigned longest)
{
	switch (k) {
	case EQUAL:                    return windows + windows / (EQUAL_KEYS / LEAF_KEYS) + 1;
	case TOO_LARGE:                return (windows >> std::min(longest - LEAF_BITS, 2u)) + 1;
	case NARROW_12: case WORD_12:
	case LONG:                     return 3 * windows;
	default:
		return (windows >> (k < WORD_12 ? k - NARROW_13 : k - WORD_13)) + 2;
	}
}

/* Memory for COUNT of TYPE at *END, at a multiple of 256 bytes. */
template <class Type> static void
carve(Type **place, char *base, size_t *end, size_t count)
{
	*place = (Type *)(base + *end);
	*end += (count * sizeof(Type) + 255) / 256 * 256;
}

/*
 * How long chunks for COUNT keys are, and how many there are: enough for all, and one more for each bucket.
 * For few keys they are as long as an even bucket or up to twice as long, so that most buckets have
 * one, but at least a tile: less than twice the room of the keys.  Many keys have three percent of
 * theirs, but up to 32 MB half of it, or a tile a bucket.
 */
template <class Of> static void
plan_chunks(scratch *s, size_t count)
{
	const unsigned bits = Of::PLAN_BITS;
	const size_t width = bits / 8;
	size_t chunk, buckets;

	if (!s->room.whole)
		return;
	if (keys_are_few(bits, count)) {
		buckets = std::min<size_t>(std::max(s->splitters, s->even_bins) + 1, FEW_BUCKETS);
		chunk = tile_of_few<Of>::KEYS;
		while (chunk <= count / buckets)
			chunk *= 2;
	} else {
		const size_t tile = tile_of_many<Of>::KEYS;
		const size_t some = std::min((size_t)2 * GS_FEW_BYTES, count * width / 2);

		buckets = BUCKETS;
		chunk = std::max(some, count * width / 32) / (buckets * width * tile);
		chunk = std::max<size_t>(chunk, 1) * tile;
	}
	s->pool.firsts = (uint32_t)buckets;
	s->pool.chunks.size = (uint32_t)chunk;
	s->pool.inverse = UINT64_MAX / chunk + 1;
	s->pool.row = (uint32_t)(count / chunk) + 1;
}

/* Two levels of bins for COUNT even keys; longer leaves cost less than one more count. */
static levels
levels_of(unsigned bits, size_t count, const room &room, unsigned *leaf_bits)
{
	const unsigned longest = std::min(room.longest, (unsigned)LEAF_BITS + (bits == 32 ? 3 : 1));
	levels v = {};
	size_t wanted;

	*leaf_bits = LEAF_BITS;
	do
		wanted = count / leaf_mean(*leaf_bits, *leaf_bits == longest) + 1;
	while (wanted > room.level_bins - UPPER_BINS && (*leaf_bits)++ < longest);
	if (*leaf_bits > longest)
		return v;
	while (wanted >> (2 * v.low_bits + 1) > 0)
		v.low_bits++;
	v.upper = (uint32_t)(wanted >> v.low_bits) + 1;
	v.bins = v.upper << v.low_bits;
	return v;
}

/* Are buckets of uneven keys LONG leaves?  Of few u32 they are short ones. */
template <class Of> static bool
uneven_are_long(const room &room, size_t count)
{
	const bool long_enough = Of::CARRIES || !keys_are_few(Of::PLAN_BITS, count);

	return room.has_long && long_enough && count <= long_most<Of>();
}

/* Fewer keys go to the network; of pairs to one leaf. */
template <class Of> static size_t
bins_from(const room &room)
{
	return Of::CARRIES ? ((size_t)1 << room.longest) + 1 : GS_BINS_FROM;
}

template <class Of> static scratch
scratch_of(void *memory, size_t count, const room &room)
{
	const unsigned bits = Of::PLAN_BITS;
	const bool few = keys_are_few(bits, count);
	/* each bucket begins a window */
	const size_t windows = count / LEAF_KEYS + 1 + (few ? FEW_BUCKETS : BUCKETS);
	/* that divide_by() may be given: buckets of many keys, and bins that are not leaves */
	const size_t segments = std::max<size_t>(list_room(TOO_LARGE, windows, room.longest),
	                                         few ? 0 : UPPER_BINS);
	char *base = (char *)memory;
	scratch s = {};
	size_t bins, spare, overlaid;
	int kind = WORD_12;		/* of u64 in slots that windows do not sort */

	s.room = room;
	if (count < bins_from<Of>(room)) {
		if (Of::CARRIES)
			carve(&s.listed, base, &s.bytes, LISTED);
		for (int k = WORD_12; Of::CARRIES && k < KINDS; k++)
			carve(&s.lists[k], base, &s.bytes, 1);
		return s;
	}
	if (room.whole && !few && !room.coded)
		carve(&s.book, base, &s.bytes, 1);
	s.room_rows = (count + 63) / 64 * 64;
	s.pool.buckets = few ? (uint32_t)FEW_BUCKETS : (uint32_t)BUCKETS;
	s.splitters = BUCKETS;
	if (few) {
		const size_t mean = bits == 32 ? FEW_MEAN_32 : FEW_MEAN_64;
		/* as many LONG leaves as multiprocessors sort at once, or twice as many */
		const size_t most = !uneven_are_long<Of>(room, count) ? FEW_BUCKETS :
		                    count <= 1 << 20 ? BUCKETS / 2 : BUCKETS;

		s.splitters = (uint32_t)std::clamp<size_t>(count / mean, 2, most);
	}
	s.even_bins = BUCKETS;
	if (few) {
		s.even_bins = (uint32_t)bins_wanted(room.longest, count, FEW_BUCKETS, &s.leaf_bits);
	} else {
		(void)bins_wanted(room.longest, count / BUCKETS, SEGMENT_BINS, &s.leaf_bits);
		s.level = levels_of(bits, count, room, &s.level_leaf_bits);
		if (s.level.bins > 0)
			s.even_bins = s.level.bins;
	}
	/* as segment_bins() makes them, for whatever segments there may be */
	bins = std::max<size_t>(SEGMENT_BINS, UNEVEN_BINS * (count / 3500) + count / VALUE_KEYS +
	                        (UNEVEN_BINS + LEAST_BINS) * segments +
	                        std::min<size_t>(count / SPLIT_FROM, SEGMENT_TABLES) * SEGMENT_ROWS);
	bins = std::max<size_t>(bins, std::min<size_t>(count / (LEAF_KEYS / 2), HISTOGRAM_BINS));
	if (!Of::CARRIES && !few && room.whole)
		s.slots = slots_for(bits, count, room.longest);
	if (bits == 64 && s.slots.most > 0)
		kind += (int)s.slots.bits - LEAF_BITS;
	bins = std::max<size_t>(bins, s.slots.most + 1);
	if (room.coded && Of::CARRIES)
		bins = std::max<size_t>(bins, COUNTED_CODES + CODE_BINS);
	plan_chunks<Of>(&s, count);
	/* for chunks that do not fit among the keys; of pairs behind the other room */
	spare = (size_t)s.pool.firsts * s.pool.chunks.size;
	carve(&s.pool.places, base, &s.bytes, (size_t)s.pool.firsts * s.pool.row);
	carve(&s.pool.used, base, &s.bytes, 1);
	carve(&s.pool.cursors, base, &s.bytes, FEW_BUCKETS);
	s.zero_bytes = s.bytes;
	carve(&s.listed, base, &s.bytes, LISTED);
	carve(&s.head, base, &s.bytes, 1);
	carve(&s.counts, base, &s.bytes, bins);
	carve(&s.turns, base, &s.bytes, 1);
	carve(&s.read, base, &s.bytes, s.slots.most);
	s.zero_bytes = s.bytes - s.zero_bytes;
	carve(&s.cursors, base, &s.bytes, bins);
	carve(&s.upper_cursors, base, &s.bytes, UPPER_BINS);
	carve((char **)&s.plan, base, &s.bytes,
	      std::max(sizeof(bin_plan<uint32_t>), sizeof(bin_plan<uint64_t>)));
	carve(&s.taken, base, &s.bytes, 1);
	carve(&s.segments, base, &s.bytes, segments);
	s.segments_most = segments;
	carve(&s.too_large, base, &s.bytes, segments);
	carve((char **)&s.tables, base, &s.bytes,
	      std::min<size_t>(SEGMENT_TABLES, segments) * SEGMENT_ROWS * sizeof(typename Of::key));
	if constexpr (Of::CARRIES) {
		carve((typename Of::key **)&s.keys, base, &s.bytes, s.room_rows + spare);
		carve((typename Of::value **)&s.values, base, &s.bytes, s.room_rows + spare);
	} else {
		carve(&s.spare, base, &s.bytes, spare * sizeof(typename Of::key) / 8);
	}
	if (s.slots.most > 0)
		carve((typename Of::key **)&s.lows, base, &s.bytes, s.slots.most + 1);
	if constexpr (Of::CARRIES)
		if (room.in_order) {
			const size_t tile = room.large && !few ? (size_t)tile_in_order<Of>::KEYS :
			                                         (size_t)tile_of_room<Of>::KEYS;
			const size_t tiles = count / tile + segments;

			carve(&s.ordered.tiles, base, &s.bytes, tiles * LEAF_BINS);
			carve(&s.ordered.groups, base, &s.bytes,
			      (tiles / GROUP_TILES + 1 + segments) * LEAF_BINS);
		}
	carve(&s.lists[kind], base, &s.bytes,
	      std::max<size_t>(list_room(kind, windows, room.longest), s.slots.most));
	overlaid = s.bytes;		/* while keys are in slots, other lists are empty */
	for (int k = 0; k < KINDS; k++)
		if (k != kind && (k != LONG || room.has_long))
			carve(&s.lists[k], base, &s.bytes, list_room(k, windows, room.longest));
	if (s.slots.most > 0) {		/* for slots that do not fit among the keys */
		const size_t size = (size_t)1 << s.slots.bits, mean = s.slots.mean;
		const size_t more = count * (size - mean) / (mean * size) + count / mean / 64;

		carve((typename Of::key **)&s.slot_spare, base, &overlaid,
		      (more + s.slots.rule.buckets + 3) * size);
	}
	s.bytes = std::max(s.bytes, overlaid);
	return s;
}

#endif

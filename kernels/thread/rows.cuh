// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows.cuh - what a sort moves: keys alone, or keys with a payload each
 *
 *     typed<Word>         keys of any type, in either direction: mapped when they are first read, and
 *                         mapped back when they are written where they belong
 *     pairs<Word, Value>  the same, with an array of payloads beside
 *
 * A row is what a thread holds of one of them; a place is where rows lie in device memory.  A map
 * costs four instructions, and a sweep of its own would cost a quarter of a sort.  Where keys are in
 * order of their bits already, all threads take a branch around it.
 *
 * Invariant: between the first move and the last write all keys are in order of their bits.
 */
#ifndef GS_ROWS_CUH
#define GS_ROWS_CUH

#include "kernels/kernels.h"
#include "kernels/launch.cuh"

/* ---- maps ------------------------------------------------------------------- */

/* Keys are in order of their bits. */
struct no_map {
	static constexpr uint8_t negative = 0, always = 0, shift = 0;
};

/* As gs_key_map has it: kernels.h.  The sign is not in NEGATIVE, so the way back knows which keys these
 * were. */
template <class Key> struct key_map {
	Key negative, always, shift;

	key_map(const gs_key_map &map = gs_key_map{})
		: negative((Key)map.negative), always((Key)map.always), shift((Key)map.shift) {}
};

template <class Map, class Key> static __device__ __forceinline__ Key
invert_negative(const Map &m, Key bits)
{
	return bits ^ ((Key)(0 - (bits >> (sizeof(Key) * 8 - 1))) & m.negative);
}

template <class Map, class Key> static __device__ __forceinline__ Key
ordered(const Map &m, Key bits)
{
	return (Key)((invert_negative(m, bits) ^ m.always) + m.shift);
}

template <class Map, class Key> static __device__ __forceinline__ Key
original(const Map &m, Key key)
{
	return invert_negative(m, (Key)((Key)(key - m.shift) ^ m.always));
}

/* Does the map leave all keys as they are? */
template <class Map> static __host__ __device__ __forceinline__ bool
maps_none(const Map &map)
{
	return (map.negative | map.always) == 0;
}

/* BODY with MAP, or with no_map if that is the same, so that a loop in it is compiled twice. */
template <class Map, class Body> static __device__ __forceinline__ void
with_map(const Map &map, const Body &body)
{
	if (maps_none(map))
		body(no_map{});
	else
		body(map);
}

/* Map MANY rows X by FIRST.  It has no bits if another kernel has mapped them already, as a rule. */
template <unsigned MANY, class Map, class Row> static __device__ __forceinline__ void
map_first(const Map &first, Row *x)
{
	if (maps_none(first))
		return;
#pragma unroll
	for (unsigned i = 0; i < MANY; i++)
		x[i] = ordered(first, x[i]);
}

/* Which of COUNT keys a thread has: that at I * THREADS if it is below.  The obvious comparison makes the
 * compiler keep all I * THREADS + threadIdx.x, and spill keys. */
static __device__ __forceinline__ int
thread_left(uint32_t count)
{
	return (int)count - (int)threadIdx.x;
}

/* Run BODY(i) for each I below MANY for which the thread has a key; its keys are STEP apart. */
template <unsigned MANY, unsigned STEP, class Body> static __device__ __forceinline__ void
rows_each(int left, const Body &body)
{
#pragma unroll
	for (int i = 0; i < (int)MANY; i++)
		if (i * (int)STEP < left)
			body(i);
}

/* ---- rows and places ---------------------------------------------------------- */

template <class Key, class Value> struct carried {
	Key   key;
	Value value;
};

template <class Key, class Value> struct arrays {
	Key   *keys;
	Value *values;

	__device__ __forceinline__ carried<Key, Value>
	operator[](int64_t i) const
	{
		return carried<Key, Value>{ keys[i], values[i] };
	}
};

template <class Key> static __device__ __forceinline__ Key
key_of(Key row)
{
	return row;
}

template <class Key, class Value> static __device__ __forceinline__ Key
key_of(const carried<Key, Value> &row)
{
	return row.key;
}

template <class Map, class Key, class Value> static __device__ __forceinline__ carried<Key, Value>
ordered(const Map &m, const carried<Key, Value> &row)
{
	return carried<Key, Value>{ ordered(m, row.key), row.value };
}

template <class Map, class Key, class Value> static __device__ __forceinline__ carried<Key, Value>
original(const Map &m, const carried<Key, Value> &row)
{
	return carried<Key, Value>{ original(m, row.key), row.value };
}

template <class Key> static __device__ __forceinline__ void
row_put(Key *to, uint64_t i, Key row)
{
	to[i] = row;
}

template <class Key, class Value> static __device__ __forceinline__ void
row_put(const arrays<Key, Value> &to, uint64_t i, const carried<Key, Value> &row)
{
	to.keys[i] = row.key;
	to.values[i] = row.value;
}

template <class Key, class Value> static __host__ __device__ __forceinline__ arrays<Key, Value>
operator+(const arrays<Key, Value> &place, uint64_t rows)
{
	return arrays<Key, Value>{ place.keys + rows, place.values + rows };
}

template <class Key, class Value> static __device__ __forceinline__ arrays<Key, Value>
forget(const arrays<Key, Value> &place)
{
	return arrays<Key, Value>{ forget(place.keys), forget(place.values) };
}

/* The keys of a place. */
template <class Key> static __host__ __device__ __forceinline__ Key *
keys_at(Key *place)
{
	return place;
}

template <class Key, class Value> static __host__ __device__ __forceinline__ Key *
keys_at(const arrays<Key, Value> &place)
{
	return place.keys;
}

/* ---- rows ---------------------------------------------------------------------- */

/* PLAN_BITS: as keys of so many bits, for the number of bins and the networks of leaves.  FIRST: the map
 * of a division that may be the first to read keys (device/pieces.cuh).  SEEN: the same for kernels that see
 * no values. */
template <class Word> struct typed {
	typedef Word          key, row;
	typedef Word         *place;
	typedef const Word   *source;
	typedef key_map<Word> map, first;
	typedef typed         seen;
	enum { PLAN_BITS = sizeof(Word) * 8 };
	static const bool CARRIES = false;
};

template <class Word, class Value> struct pairs {
	typedef Word                 key;
	typedef Value                value;
	typedef carried<Word, Value> row;
	typedef arrays<Word, Value> place, source;
	typedef key_map<Word>        map;
	typedef no_map               first;
	typedef pairs<Word, Word>    seen;
	enum { PLAN_BITS = 64 };
	static const bool CARRIES = true;
};

#endif

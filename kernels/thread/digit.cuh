// SPDX-License-Identifier: BSD-2-Clause
/*
 * digit.cuh - which bin a key belongs to: its place in the range of the keys
 *
 * A digit is not a field of bits.  The range of the keys is divided into as many bins as are
 * wanted:
 *
 *     x     = (key >> shift) - (low >> shift)              below 2^32
 *     digit = floor(x * scale / 2^32)   scale = 2^32 * bins / (greatest x + 1)
 *
 * so leading zeros, signs and small ranges in wide keys leave no bins empty.  If there are fewer
 * values than bins, x is the digit.  Digits never fall as keys rise: bins are in order.
 */
#ifndef GS_DIGIT_CUH
#define GS_DIGIT_CUH

#include <cuda_runtime.h>
#include <stdint.h>

struct digits {
	uint64_t low, high;		/* of the keys, or of most of them */
	uint32_t shift, base;		/* base: low >> shift, of which 32 bits matter */
	uint32_t scale, whole;		/* whole: 1 if x is the digit, and scale 0 then */
	uint32_t bins;			/* digits are below */
	uint32_t outside;		/* 1: there may be keys below or above: they are in the end bins */
};

template <class Key> static __device__ __forceinline__ uint32_t
digit_of(const digits &d, Key key)
{
	uint32_t x = (uint32_t)key;	/* of 32 bits, which are never shifted */

	if constexpr (sizeof(Key) == 8)
		x = __funnelshift_rc(x, (uint32_t)(key >> 32), d.shift);
	x -= d.base;
	return __umulhi(x, d.scale) + x * d.whole;
}

/* KEY, or LOW or HIGH if it is outside. */
template <class Key> static __device__ __forceinline__ Key
digit_clamp(const digits &d, Key key)
{
	return min(max(key, (Key)d.low), (Key)d.high);
}

/* Digits of any keys: those outside have the first or the last digit. */
struct clamped_digits {
	digits d;
};

template <class Key> static __device__ __forceinline__ uint32_t
digit_of(const clamped_digits &c, Key key)
{
	return digit_of(c.d, digit_clamp(c.d, key));
}

/* a / b of numbers below 2^53: a sixth of what a division of 64 bit integers takes. */
static __device__ __forceinline__ uint64_t
quotient(uint64_t a, uint64_t b)
{
	const uint64_t q = (uint64_t)((double)a / (double)b);	/* or one more or less */

	return q * b > a ? q - 1 : (q + 1) * b <= a ? q + 1 : q;
}

/* Divide LOW to HIGH into BINS. */
static __device__ inline digits
digits_over(unsigned key_bits, uint64_t low, uint64_t high, uint32_t bins)
{
	const uint64_t span = high - low;
	const int bits = span == 0 ? 0 : 64 - __clzll((long long)span);
	digits d = { low, high, 0, 0, 0, 0, bins, 0 };
	uint64_t values;

	/* 31 bits, for the difference of two rounded numbers may have one more; but 32 of 64 */
	d.shift = key_bits == 32 || bits <= 31 ? 0 : bits == 64 ? 32 : (uint32_t)bits - 31;
	d.base = (uint32_t)(low >> d.shift);
	values = (high >> d.shift) - (low >> d.shift) + 1;
	if (values <= bins) {
		d.whole = 1;
		d.bins = (uint32_t)values;
	} else {
		d.scale = (uint32_t)quotient((uint64_t)bins << 32, values);
	}
	return d;
}

/* The least key of DIGIT; for the number of bins, the key after HIGH or a later one. */
static __device__ inline uint64_t
digit_begin(const digits &d, uint32_t digit)
{
	const uint64_t x = d.whole ? digit : quotient(((uint64_t)digit << 32) + d.scale - 1, d.scale);
	const uint64_t key = ((d.low >> d.shift) + x) << d.shift;

	return key > d.low ? key : d.low;
}

#endif

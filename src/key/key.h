// SPDX-License-Identifier: BSD-2-Clause
/*
 * key.h - every key type as ordered bits: unsigned integers, ascending
 *
 * All sorting is of unsigned integers in ascending order.  A type is a bijection between its bit
 * patterns and unsigned integers that preserves order; largest-first is one more XOR.
 *
 *     gs_order_TYPE(x)    bits of a TYPE to ordered bits
 *     gs_unorder_TYPE(u)  and back
 *     gs_raw_to_ordered(), gs_ordered_to_raw()    whole arrays
 */
#ifndef GS_KEY_H
#define GS_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"

#define GS_SIGN8	UINT8_C(0x80)
#define GS_SIGN16	UINT16_C(0x8000)
#define GS_SIGN32	UINT32_C(0x80000000)
#define GS_SIGN64	UINT64_C(0x8000000000000000)

/* How many NaNs of one sign a type with FRACTION_BITS has: a fraction of 0 is infinity. */
#define GS_NANS(fraction_bits)	((UINT64_C(1) << (fraction_bits)) - 1)

/*
 * Ordered bits of a float, from its bits.  Magnitudes already compare like integers; only the sign
 * is wrong.  If it is set, flip every bit; otherwise flip the sign bit.  So -0 sorts just before
 * +0, and a NaN sorts beyond the infinity of its sign: IEEE 754-2019, 5.10, totalOrder.  Subtract
 * the NANS whose sign is set: -infinity is 0, and those come last, behind the others.  A bijection,
 * so the payload of a NaN is preserved.
 */
#define GS_FLOAT(bits) \
	static inline uint##bits##_t \
	gs_order_float##bits(uint##bits##_t x, uint##bits##_t nans) \
	{ \
		const uint##bits##_t negative = (uint##bits##_t)-(x >> (bits - 1)); \
	\
		return (uint##bits##_t)((x ^ (negative | GS_SIGN##bits)) - nans); \
	} \
	\
	static inline uint##bits##_t \
	gs_unorder_float##bits(uint##bits##_t u, uint##bits##_t nans) \
	{ \
		const uint##bits##_t total = (uint##bits##_t)(u + nans); \
		const uint##bits##_t negative = (uint##bits##_t)((total >> (bits - 1)) - 1); \
	\
		return total ^ (negative | GS_SIGN##bits); \
	}
GS_FLOAT(16)
GS_FLOAT(32)
GS_FLOAT(64)
#undef GS_FLOAT

#define KEY(name, type, bits, map, unmap) \
	static inline type gs_order_##name(type x) { return (type)(map); } \
	static inline type gs_unorder_##name(type u) { return (type)(unmap); }
#include "key/keytype.def"
#undef KEY

#define GS_SWAP8(x)	(x)
#define GS_SWAP16(x)	__builtin_bswap16(x)
#define GS_SWAP32(x)	__builtin_bswap32(x)
#define GS_SWAP64(x)	__builtin_bswap64(x)

/* configure refuses others, too.  Lines, numbers in text and keys of records are read as words whose first
 * byte is the lowest one. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "gsort runs on little-endian machines only");

/* Is ENDIAN other than this machine's byte order? */
static inline bool
gs_endian_swaps(enum gsort_endian endian)
{
	return endian == GSORT_ENDIAN_BIG;
}

/* The last one of enum gsort_type. */
#define GS_TYPE_LAST	GSORT_I128

/** The ordered bits of the integer 0, for text in KEY_CLASS: the value of an integer that is not wide is
 *  its key less this. */
uint64_t gs_key_bias(enum gsort_type type, unsigned key_class);

/** Width of a binary key: 8, 16, 32, 64 or 128; 0 for text. */
unsigned gs_key_bits(enum gsort_type type);

/** Are its bits ordered bits already?  True of unsigned integers. */
bool gs_key_orders_itself(enum gsort_type type);

/** Is it wider than 64 bits?  Such keys are sorted as records: see record.h. */
bool gs_key_is_wide(enum gsort_type type);

/** Is it text, of integers or floats? */
bool gs_key_is_text(enum gsort_type type);

/** Are its values floats, binary or text? */
bool gs_key_is_float(enum gsort_type type);

/** How many bits of a float are its fraction; 0: an integer type. */
unsigned gs_key_fraction_bits(enum gsort_type type);

/** The bits of the float whose ordered bits are KEY. */
uint64_t gs_key_float_bits(enum gsort_type type, uint64_t key);

/** "u32", "text", ... */
const char *gs_key_name(enum gsort_type type);

/* ---- binary keys as they are in files (raw.c) ------------------------------------- */

/** Turn COUNT keys of TYPE (any width) into ordered bits, in place, by THREADS. */
void gs_raw_to_ordered(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                       size_t count, unsigned threads);

/** Turn COUNT keys back into the bits of TYPE, in place, by THREADS. */
void gs_ordered_to_raw(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                       size_t count, unsigned threads);

/** The error for a file whose BYTES are not a multiple of a key's: GS_EINPUT. */
gs_status gs_raw_partial(enum gsort_type type, const char *name, uint64_t bytes);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* call_types.h - the types of gsort_cuda.h, and their order, written without the kernels' maps */
#ifndef GS_BENCH_CALL_TYPES_H
#define GS_BENCH_CALL_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gsort_cuda.h"

enum call_kind { CALL_UNSIGNED, CALL_SIGNED, CALL_FLOAT };

struct call_type {
	enum gsort_type type;
	const char     *name;
	unsigned        bytes;
	enum call_kind  kind;
	unsigned        fraction_bits;	/* of floats */
};

static const struct call_type call_types[] = {
	{ GSORT_U8, "u8", 1, CALL_UNSIGNED, 0 }, { GSORT_I8, "i8", 1, CALL_SIGNED, 0 },
	{ GSORT_U16, "u16", 2, CALL_UNSIGNED, 0 },{ GSORT_I16, "i16", 2, CALL_SIGNED, 0 },
	{ GSORT_F16, "f16", 2, CALL_FLOAT, 10 }, { GSORT_BF16, "bf16", 2, CALL_FLOAT, 7 },
	{ GSORT_U32, "u32", 4, CALL_UNSIGNED, 0 },{ GSORT_I32, "i32", 4, CALL_SIGNED, 0 },
	{ GSORT_F32, "f32", 4, CALL_FLOAT, 23 }, { GSORT_U64, "u64", 8, CALL_UNSIGNED, 0 },
	{ GSORT_I64, "i64", 8, CALL_SIGNED, 0 }, { GSORT_F64, "f64", 8, CALL_FLOAT, 52 },
};

/* Types from CALL_WIDE on may have payloads. */
enum {
	CALL_TYPES = sizeof call_types / sizeof call_types[0],
	CALL_U8 = 0, CALL_WIDE = 6, CALL_U32 = 6, CALL_U64 = 9,
};

/** The position of KEY's bits in the order of all keys of TYPE. */
static inline uint64_t
call_order(const struct call_type *type, uint64_t key)
{
	const uint64_t sign = (uint64_t)1 << (type->bytes * 8 - 1), magnitude = key & (sign - 1);
	const uint64_t infinity = sign - ((uint64_t)1 << type->fraction_bits);

	switch (type->kind) {
	case CALL_UNSIGNED: return key;
	case CALL_SIGNED:   return key ^ sign;
	default:            break;
	}
	if (key < sign)
		return infinity + 1 + key;	/* -infinity is 0, and -0 INFINITY */
	return infinity - magnitude + (magnitude > infinity ? 2 * sign : 0);	/* -NaNs are last */
}

/** Element I of an array of BYTES each; little-endian, as the host of every GPU. */
static inline uint64_t
call_get(const void *array, size_t i, unsigned bytes)
{
	const char *at = (const char *)array + i * bytes;
	uint64_t value = 0;

	if (bytes == 8)		/* known lengths need no call */
		memcpy(&value, at, 8);
	else if (bytes == 4)
		memcpy(&value, at, 4);
	else
		memcpy(&value, at, bytes);
	return value;
}

static inline void
call_put(void *array, size_t i, unsigned bytes, uint64_t value)
{
	char *at = (char *)array + i * bytes;

	if (bytes == 8)
		memcpy(at, &value, 8);
	else if (bytes == 4)
		memcpy(at, &value, 4);
	else
		memcpy(at, &value, bytes);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* key.c - the table of key types */
#include <assert.h>

#include "key/key.h"
#include "text/text.h"

/* keytype.def is in the order of enum gsort_type, which begins with text. */
static const struct {
	const char *name;
	unsigned    bits;
} types[] = {
	{ "text", 0 },
#define KEY(name, type, bits, map, unmap) { #name, bits },
#include "key/keytype.def"
#undef KEY
	{ "text-float", 0 },
	{ "u128", 128 },
	{ "i128", 128 },
};
_Static_assert(sizeof types / sizeof types[0] == GS_TYPE_LAST + 1, "a row for every type");

unsigned
gs_key_bits(enum gsort_type type)
{
	assert(type <= GS_TYPE_LAST);
	return types[type].bits;
}

bool
gs_key_orders_itself(enum gsort_type type)
{
	return type == GSORT_U8 || type == GSORT_U16 || type == GSORT_U32 || type == GSORT_U64;
}

bool
gs_key_is_wide(enum gsort_type type)
{
	return type == GSORT_U128 || type == GSORT_I128;
}

bool
gs_key_is_text(enum gsort_type type)
{
	return type == GSORT_TEXT || type == GSORT_TEXT_FLOAT;
}

uint64_t
gs_key_float_bits(enum gsort_type type, uint64_t key)
{
	switch (type) {
	case GSORT_F16:  return gs_unorder_f16((uint16_t)key);
	case GSORT_BF16: return gs_unorder_bf16((uint16_t)key);
	case GSORT_F32:  return gs_unorder_f32((uint32_t)key);
	default:         return gs_unorder_f64(key);
	}
}

bool
gs_key_is_float(enum gsort_type type)
{
	return gs_key_fraction_bits(type) > 0;
}

unsigned
gs_key_fraction_bits(enum gsort_type type)
{
	static const unsigned char bits[GS_TYPE_LAST + 1] = {
		[GSORT_F16] = 10, [GSORT_BF16] = 7, [GSORT_F32] = 23,
		[GSORT_F64] = 52, [GSORT_TEXT_FLOAT] = 52,
	};

	return bits[type];
}

const char *
gs_key_name(enum gsort_type type)
{
	assert(type <= GS_TYPE_LAST);
	return types[type].name;
}

uint64_t
gs_key_bias(enum gsort_type type, unsigned key_class)
{
	return gs_key_is_text(type) ? gs_text_bias((enum gs_text_class)key_class)
	       : gs_key_is_float(type) || gs_key_orders_itself(type) ? 0
	       : UINT64_C(1) << (gs_key_bits(type) - 1);
}

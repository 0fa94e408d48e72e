// SPDX-License-Identifier: BSD-2-Clause
/* encode_raw.c - ordered bits to binary keys: decode_raw.c the other way */
#include <assert.h>
#include <stdbool.h>

#include "format/encode.h"
#include "format/key.h"

/* As in decode_raw.c. */
enum { TEAM_KEYS = 1 << 16 };

#define KEY(name, type, bits, map, unmap) \
	static void \
	unorder_##name(void *from, type flip, size_t count) \
	{ \
		type *keys = from; \
		_Pragma("omp parallel for simd if (count >= TEAM_KEYS)") \
		for (size_t i = 0; i < count; i++) \
			keys[i] = gs_unorder_##name((type)(keys[i] ^ flip)); \
	}
#include "format/keytype.def"
#undef KEY

void
gs_ordered_to_raw(enum gsort_type type, bool reverse, void *keys, size_t count)
{
	const uint64_t flip = reverse ? UINT64_MAX : 0;
	const bool same = type == GSORT_U8 || type == GSORT_U16 || type == GSORT_U32 ||
	                  type == GSORT_U64;

	assert(gs_key_bits(type) > 0);
	if (same && !reverse)
		return;
	switch (type) {
	case GSORT_U8:   unorder_u8(keys, (uint8_t)flip, count); break;
	case GSORT_I8:   unorder_i8(keys, (uint8_t)flip, count); break;
	case GSORT_U16:  unorder_u16(keys, (uint16_t)flip, count); break;
	case GSORT_I16:  unorder_i16(keys, (uint16_t)flip, count); break;
	case GSORT_U32:  unorder_u32(keys, (uint32_t)flip, count); break;
	case GSORT_I32:  unorder_i32(keys, (uint32_t)flip, count); break;
	case GSORT_U64:  unorder_u64(keys, flip, count); break;
	case GSORT_I64:  unorder_i64(keys, flip, count); break;
	case GSORT_F32:  unorder_f32(keys, (uint32_t)flip, count); break;
	case GSORT_F64:  unorder_f64(keys, flip, count); break;
	case GSORT_TEXT: break;
	}
}

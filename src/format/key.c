// SPDX-License-Identifier: BSD-2-Clause
/* key.c - what the table of key types says */
#include <assert.h>
#include <stdbool.h>

#include "format/key.h"

unsigned
gs_key_bits(enum gsort_type type)
{
	switch (type) {
	case GSORT_TEXT:
		return 0;
	case GSORT_U8: case GSORT_I8:
		return 8;
	case GSORT_U16: case GSORT_I16:
		return 16;
	case GSORT_U32: case GSORT_I32: case GSORT_F32:
		return 32;
	case GSORT_U64: case GSORT_I64: case GSORT_F64:
		return 64;
	}
	assert(false && "a type");
	return 0;
}

/* keytype.def is in the order of enum gsort_type, which begins with text. */
static const char *const names[] = {
	"text",
#define KEY(name, type, bits, map, unmap) #name,
#include "format/keytype.def"
#undef KEY
};
_Static_assert(sizeof names / sizeof names[0] == GSORT_F64 + 1, "a name for every type");

const char *
gs_key_name(enum gsort_type type)
{
	assert(type <= GSORT_F64);
	return names[type];
}

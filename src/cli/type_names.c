// SPDX-License-Identifier: BSD-2-Clause
/* type_names.c - what C, numpy, Rust and data bases call a type */
#include <string.h>

#include "cli/option.h"

bool
gs_words_have(const char *list, const char *word, size_t bytes)
{
	while (*list != '\0') {
		const size_t length = strcspn(list, " ");
		size_t same = 0;

		while (same < length && same < bytes &&
		       (list[same] == word[same] || (list[same] == '-' && word[same] == '_')))
			same++;
		if (same == length && same == bytes)
			return true;
		list += length + (list[length] == ' ');
	}
	return false;
}

static const struct {
	const char *words, *type;
} types[] = {
	{ "u8 uint8 uint8-t u1 byte uchar unsigned-char ubyte bool boolean", "u8" },
	{ "i8 int8 int8-t i1 schar signed-char sbyte tinyint", "i8" },
	{ "u16 uint16 uint16-t u2 ushort unsigned-short", "u16" },
	{ "i16 int16 int16-t i2 short smallint", "i16" },
	{ "u32 uint32 uint32-t u4 uint unsigned unsigned-int", "u32" },
	{ "i32 int32 int32-t i4", "i32" },
	{ "u64 uint64 uint64-t ulong unsigned-long unsigned-long-long usize size-t ulonglong", "u64" },
	{ "i64 int64 int64-t long long-long bigint isize longlong ssize-t", "i64" },
	{ "u128 uint128 uint128-t unsigned-int128 unsigned---int128 --uint128-t uhugeint", "u128" },
	{ "i128 int128 int128-t --int128 --int128-t hugeint", "i128" },
	{ "f16 float16 half f2", "f16" },
	{ "bf16 bfloat16", "bf16" },
	{ "f32 float32 f4 single real", "f32" },
	{ "f64 double float64 f8 double-precision", "f64" },
	{ "text int integer string str ascii csv txt", "text" },
	{ "text-float float", "text-float" },
	{ "hex hexadecimal base16", "hex" },
	{ "ipv4 ip ip4 inet ipaddr", "ipv4" },
	{ "time date datetime timestamp iso8601", "time" },
};

const char *
gs_type_ordered(const char *name, enum gsort_type *type, enum gsort_endian *endian)
{
	const size_t bytes = strlen(name);
	const char *order = bytes > 3 ? name + bytes - 2 : "";
	const bool big = strcmp(order, "be") == 0, little = strcmp(order, "le") == 0;
	const size_t bare = bytes - (big || little ? 2 : 0);

	for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
		const char *known = types[t].type;

		if (strncmp(known, name, bare) != 0 || known[bare] != '\0' || !gsort_type_named(known, type))
			continue;
		if ((big || little) && strpbrk(known, "0123456789") == NULL)	/* text */
			return NULL;
		if (big || little)
			*endian = big ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_LITTLE;
		return known;
	}
	return NULL;
}

/* Of numpy, behind a byte order: so many bytes, not bits. */
static const char *const in_bytes[][2] = {
	{ "u1", "u8" }, { "u2", "u16" }, { "u4", "u32" }, { "u8", "u64" },
	{ "i1", "i8" }, { "i2", "i16" }, { "i4", "i32" }, { "i8", "i64" },
	{ "f2", "f16" }, { "f4", "f32" }, { "f8", "f64" }, { "b1", "u8" },
};

bool
gs_type_has_order(enum gsort_type type)
{
	return gs_is_binary(type) && type != GSORT_U8 && type != GSORT_I8;
}

const char *
gs_type_called(const char *name, enum gsort_type *type, enum gsort_endian *endian)
{
	const bool ordered = name[0] != '\0' && strchr("<>=|", name[0]) != NULL;
	const char *found = ordered ? NULL : gs_type_ordered(name, type, endian);
	char small[32];
	size_t bytes = 0;

	for (; bytes < sizeof small - 1 && name[bytes] != '\0'; bytes++)	/* "U32", "Int" */
		small[bytes] = (char)(name[bytes] >= 'A' && name[bytes] <= 'Z' ? name[bytes] | 0x20 :
		                      name[bytes] == ' ' ? '-' : name[bytes]);
	small[bytes] = '\0';
	for (size_t n = 0; ordered && n < sizeof in_bytes / sizeof in_bytes[0]; n++)
		if (strcmp(name + 1, in_bytes[n][0]) == 0)
			found = in_bytes[n][1];
	for (size_t t = 0; found == NULL && !ordered && t < sizeof types / sizeof types[0]; t++)
		if (gs_words_have(types[t].words, small, bytes))
			found = types[t].type;
	if (found == NULL || !gsort_type_named(found, type))
		return NULL;
	if (*name == '<' || *name == '>')
		*endian = *name == '<' ? GSORT_ENDIAN_LITTLE : GSORT_ENDIAN_BIG;
	return found;
}

bool
gs_notation_called(const char *name, enum gsort_notation *notation)
{
	for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
		if (gs_words_have(types[t].words, name, strlen(name))) {
			*notation = strcmp(types[t].type, "hex") == 0 ? GSORT_HEXADECIMAL :
			            strcmp(types[t].type, "ipv4") == 0 ? GSORT_IPV4 :
			            strcmp(types[t].type, "time") == 0 ? GSORT_TIME : GSORT_DECIMAL;
			return *notation != GSORT_DECIMAL;
		}
	return false;
}

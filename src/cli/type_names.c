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

bool
gs_type_ordered(const char *word, struct gs_named_type *type)
{
	const size_t bytes = strlen(word);
	const char *order = bytes > 3 ? word + bytes - 2 : "";
	const bool big = strcmp(order, "be") == 0, little = strcmp(order, "le") == 0;
	const size_t bare = bytes - (big || little ? 2 : 0);

	*type = (struct gs_named_type){ .endian = big ? GSORT_ENDIAN_BIG : little ? GSORT_ENDIAN_LITTLE
	                                : GSORT_ENDIAN_HOST };
	for (size_t t = 0; t < sizeof types / sizeof types[0] && type->name == NULL; t++)
		if (strncmp(types[t].type, word, bare) == 0 && types[t].type[bare] == '\0' &&
		    gsort_type_named(types[t].type, &type->type))
			type->name = types[t].type;
	return type->name != NULL && (type->endian == GSORT_ENDIAN_HOST || gs_is_binary(type->type));
}

/* After a byte order of numpy: bytes, not bits. */
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

bool
gs_type_called(const char *word, struct gs_named_type *type)
{
	const bool ordered = word[0] != '\0' && strchr("<>=|", word[0]) != NULL;
	const char *found = NULL;
	char small[32];
	size_t bytes = 0;

	if (gs_type_ordered(word, type))
		return true;
	*type = (struct gs_named_type){ .name = NULL };
	for (size_t n = 0; ordered && n < sizeof in_bytes / sizeof in_bytes[0]; n++)
		if (strcmp(word + 1, in_bytes[n][0]) == 0)
			found = in_bytes[n][1];
	for (; bytes < sizeof small - 1 && word[bytes] != '\0'; bytes++)	/* "U32", "Int" */
		small[bytes] = (char)(word[bytes] >= 'A' && word[bytes] <= 'Z' ? word[bytes] | 0x20 :
		                      word[bytes] == ' ' ? '-' : word[bytes]);
	for (size_t t = 0; found == NULL && !ordered && t < sizeof types / sizeof types[0]; t++)
		if (gs_words_have(types[t].words, small, bytes))
			found = types[t].type;
	if (found == NULL)
		return false;
	type->name = found;
	if (!gsort_type_named(found, &type->type)) {	/* a notation */
		type->name = word;
		type->notation = *found == 'h' ? GSORT_HEXADECIMAL : *found == 'i' ? GSORT_IPV4 : GSORT_TIME;
	}
	if (*word == '<' || *word == '>')
		type->endian = *word == '<' ? GSORT_ENDIAN_LITTLE : GSORT_ENDIAN_BIG;
	return true;
}

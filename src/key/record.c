// SPDX-License-Identifier: BSD-2-Clause
/*
 * record.c - the keys of a binary record, as words of ordered bits
 *
 * In:   records, and where their keys are.
 * Out:  words.
 *
 * A number that begins in one word and ends in the next is a field of both.  One of 128 bits is two
 * numbers of 64 bits, the upper half first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "key/record.h"

/* ---- fields ---------------------------------------------------------------------- */

size_t
gs_key_bytes(const struct gsort_key *key)
{
	return gs_key_bits(key->type) > 0 ? gs_key_bits(key->type) / 8 : (size_t)key->bytes;
}

const char *
gs_key_text(const struct gsort_key *key, char into[64])
{
	if (gs_key_bits(key->type) > 0)
		snprintf(into, 64, "%s@%" PRIu64, gs_key_name(key->type), key->offset);
	else
		snprintf(into, 64, "bytes%" PRIu64 "@%" PRIu64, key->bytes, key->offset);
	return into;
}

/* The fields of all keys, in the order of words. */
struct layout {
	struct gs_record *record;
	uint32_t fields;
	size_t   at;		/* bytes of keys so far */
};

static void
add_field(struct layout *layout, const struct gs_record_field *field, size_t level)
{
	layout->record->fields[layout->fields++] = *field;
	layout->record->first_field[level + 1] = layout->fields;
}

/* A number; in two words if need be. */
static void
add_number(struct layout *layout, struct gs_record_field field)
{
	const int left = 8 - (int)(layout->at % 8), bytes = (int)field.bytes;

	field.shift = (int8_t)(8 * (left - bytes));
	add_field(layout, &field, layout->at / 8);
	if (bytes > left) {
		field.shift = (int8_t)(field.shift + 64);
		add_field(layout, &field, layout->at / 8 + 1);
	}
	layout->at += field.bytes;
}

static void
lay_out(struct layout *layout, const struct gsort_key *keys, size_t key_count,
        enum gsort_endian endian, bool reverse)
{
	for (size_t k = 0; k < key_count; k++) {
		const struct gsort_key *key = &keys[k];
		const size_t bytes = gs_key_bytes(key);
		const enum gsort_endian order = key->endian != GSORT_ENDIAN_HOST ? key->endian : endian;
		const bool big = order == GSORT_ENDIAN_BIG;
		struct gs_record_field field = {
			.offset = (uint32_t)key->offset,
			.bytes = (uint8_t)(bytes < 8 ? bytes : 8),
			.type = (uint8_t)key->type,
			.swaps = gs_endian_swaps(order),
			.flip = key->reverse || reverse ? UINT64_MAX : 0,
		};
		const uint64_t flip = field.flip;

		if (gs_key_bits(key->type) == 0) {
			for (size_t done = 0; done < bytes; done += field.bytes) {
				const size_t left = 8 - layout->at % 8;

				field.bytes = (uint8_t)(bytes - done < left ? bytes - done : left);
				field.offset = (uint32_t)(key->offset + done);
				field.flip = flip >> (64 - 8 * field.bytes);
				add_number(layout, field);
			}
			continue;
		}
		if (gs_key_is_wide(key->type)) {	/* two halves; the upper one has the sign */
			field.type = key->type == GSORT_I128 ? GSORT_I64 : GSORT_U64;
			field.offset += big ? 0 : 8;
			add_number(layout, field);
			field.type = GSORT_U64;
			field.offset = (uint32_t)key->offset + (big ? 8 : 0);
		}
		field.flip >>= 64 - 8 * field.bytes;
		add_number(layout, field);
	}
}

gs_status
gs_record_open(struct gs_record *record, size_t bytes, const struct gsort_key *keys,
               size_t key_count, enum gsort_endian endian, bool reverse)
{
	const struct gsort_key all = { .type = GSORT_TEXT, .bytes = bytes };
	struct layout layout = { .record = record };
	size_t key_bytes = 0, most_fields = 0;

	*record = (struct gs_record){ .bytes = bytes };
	if (key_count == 0) {
		keys = &all;
		key_count = 1;
	}
	for (size_t k = 0; k < key_count; k++) {
		const struct gsort_key *key = &keys[k];
		const size_t wanted = gs_key_bytes(key);
		char text[64];

		if (key->type == GSORT_TEXT_FLOAT)
			return gs_fail(GS_EUSAGE, "keys of records are bytes or of a binary type, not "
			               "text-float");
		if (wanted == 0)
			return gs_fail(GS_EUSAGE, "a key has at least 1 byte");
		if (wanted > bytes || key->offset > bytes - wanted)
			return gs_fail(GS_EUSAGE, "key %s is not inside a record of %zu bytes: its offset is "
			               "at most %zu", gs_key_text(key, text), bytes,
			               wanted <= bytes ? bytes - wanted : 0);
		key_bytes += wanted;
		most_fields += wanted / 8 + 2;		/* it may begin and end within a word */
	}
	record->levels = (unsigned)((key_bytes + 7) / 8);
	TRY(GS_NEW(record->fields, most_fields, "fields"));
	TRY(GS_NEW(record->first_field, record->levels + 1, "words"));
	lay_out(&layout, keys, key_count, endian, reverse);
	return GS_OK;
}

void
gs_record_close(struct gs_record *record)
{
	free(record->fields);
	free(record->first_field);
	record->fields = NULL;
	record->first_field = NULL;
}

/* ---- words ----------------------------------------------------------------------- */

#define INLINE	static inline __attribute__((always_inline))

INLINE uint64_t
load_bytes(const char *at, unsigned bytes)
{
	uint64_t word = 0;
	uint32_t half;
	uint16_t pair;

	switch (bytes) {
	case 1:
		return (uint8_t)*at;
	case 2:
		memcpy(&pair, at, sizeof pair);
		return gs_endian_swaps(GSORT_ENDIAN_BIG) ? GS_SWAP16(pair) : pair;
	case 4:
		memcpy(&half, at, sizeof half);
		return gs_endian_swaps(GSORT_ENDIAN_BIG) ? GS_SWAP32(half) : half;
	case 8:
		memcpy(&word, at, sizeof word);
		return gs_endian_swaps(GSORT_ENDIAN_BIG) ? GS_SWAP64(word) : word;
	default:
		for (unsigned b = 0; b < bytes; b++)
			word = word << 8 | (uint8_t)at[b];
		return word;
	}
}

#define KEY(name, ctype, bits, map, unmap) \
	INLINE uint64_t \
	load_##name(const char *at, bool swaps) \
	{ \
		ctype x; \
	\
		memcpy(&x, at, sizeof x); \
		return gs_order_##name((ctype)(swaps ? GS_SWAP##bits(x) : x)); \
	}
#include "key/keytype.def"
#undef KEY

INLINE uint64_t
shifted(uint64_t value, int shift)
{
	return shift >= 0 ? value << shift : value >> -shift;
}

/* Add FIELD of all items to WORDS.  BYTES is its constant width of bytes, or 0. */
INLINE void
add_loaded(const struct gs_record_field *field, unsigned bytes, const char *const *items,
           size_t count, uint64_t *words)
{
	for (size_t i = 0; i < count; i++)
		words[i] |= shifted(load_bytes(items[i] + field->offset, bytes > 0 ? bytes : field->bytes)
		                    ^ field->flip, field->shift);
}

/* keytype.def is in the order of enum gsort_type. */
enum {
	TYPE_text = GSORT_TEXT,
#define KEY(name, ctype, bits, map, unmap) TYPE_##name,
#include "key/keytype.def"
#undef KEY
};

static void
add_field_of(const struct gs_record_field *of, const char *const *items, size_t count,
             uint64_t *words)
{
	/* A copy: WORDS could be part of *OF for all that the compiler knows. */
	const struct gs_record_field copy = *of, *field = &copy;

	switch (field->type) {
#define KEY(name, ctype, bits, map, unmap) \
	case TYPE_##name: \
		for (size_t i = 0; i < count; i++) \
			words[i] |= shifted(load_##name(items[i] + field->offset, field->swaps) \
			                    ^ field->flip, field->shift); \
		break;
#include "key/keytype.def"
#undef KEY
	default:
		switch (field->bytes) {
		case 2:  add_loaded(field, 2, items, count, words); break;
		case 4:  add_loaded(field, 4, items, count, words); break;
		case 8:  add_loaded(field, 8, items, count, words); break;
		default: add_loaded(field, 0, items, count, words); break;
		}
	}
}

bool
gs_record_words(const void *context, const char *const *items, const uint32_t *bytes,
                size_t count, unsigned at, uint64_t *words)
{
	const struct gs_record *record = context;
	const unsigned level = at / 8;

	(void)bytes;
	memset(words, 0, count * sizeof *words);
	if (level >= record->levels)
		return false;
	for (size_t f = record->first_field[level]; f < record->first_field[level + 1]; f++)
		add_field_of(&record->fields[f], items, count, words);
	return level + 1 < record->levels;
}

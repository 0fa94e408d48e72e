// SPDX-License-Identifier: BSD-2-Clause
/* record.c - rows for src/key/record.c: words of keys order records as their values do */
#include <string.h>

#include "key/record.h"
#include "tests/unit/units.h"

void unit_record(void);

enum { RECORD_BYTES = 24 };

/* Two records that differ at AT, by BYTES of each; by KEYS the first one is less. */
static const struct row {
	const char *name;
	struct gsort_key keys[2];
	size_t      key_count;
	size_t      at;
	const char *one, *other;
	size_t      bytes;
	bool        reverse, big;
} rows[] = {
	{ "bytes compare as unsigned ones", { { .bytes = 3 } }, 1, 0, "ab\x7f", "ab\x80", 3, false, false },
	{ "a key in the second word", { { .bytes = 20 } }, 1, 18, "a", "b", 1, false, false },
	{ "all bytes without a key", { { .bytes = 0 } }, 0, 23, "a", "b", 1, false, false },
	{ "u32, little endian", { { .type = GSORT_U32 } }, 1, 0, "\2\1\0\0", "\1\2\0\0", 4, false, false },
	{ "u32, big endian", { { .type = GSORT_U32 } }, 1, 0, "\0\0\1\2", "\0\0\2\1", 4, false, true },
	{ "i16 below 0", { { .type = GSORT_I16, .offset = 7 } }, 1, 7, "\xff\xff", "\0\0", 2, false, false },
	{ "i8, descending", { { .type = GSORT_I8, .reverse = true } }, 1, 0, "\1", "\xff", 1, false, false },
	{ "all descend", { { .type = GSORT_U8, .offset = 3 } }, 1, 3, "\2", "\1", 1, true, false },
	{ "bytes that descend, fewer than a word",
	  { { .bytes = 3, .reverse = true } }, 1, 0, "ab\x80", "ab\x7f", 3, false, false },
	{ "and a key behind them",
	  { { .bytes = 3, .reverse = true }, { .bytes = 1, .offset = 5 } }, 2, 5, "a", "b", 1, false, false },
	{ "from their first bit on",
	  { { .bytes = 3, .reverse = true } }, 1, 0, "\x80", "\x7f", 1, false, false },
	{ "and a key before them",
	  { { .bytes = 1 }, { .bytes = 3, .offset = 5, .reverse = true } }, 2, 0, "a", "b", 1, false, false },
	{ "a key before a number that descends",
	  { { .bytes = 1 }, { .type = GSORT_U16, .offset = 5, .reverse = true } },
	  2, 0, "a", "b", 1, false, false },
	{ "i128 below 0",
	  { { .type = GSORT_I128, .offset = 2 } }, 1, 17, "\xff", "\0", 1, false, false },
	{ "its lower half",
	  { { .type = GSORT_I128, .offset = 2 } }, 1, 9, "\x7f", "\x80", 1, false, false },
	{ "i128 below 0, big endian",
	  { { .type = GSORT_I128, .offset = 2 } }, 1, 2, "\xff", "\0", 1, false, true },
	{ "its lower half, big endian",
	  { { .type = GSORT_I128, .offset = 2 } }, 1, 10, "\x7f", "\x80", 1, false, true },
	{ "-0 is less than 0", { { .type = GSORT_F32 } }, 1, 0, "\0\0\0\x80", "\0\0\0\0", 4, false, false },
	{ "a number across two words", { { .bytes = 5, .offset = 10 }, { .type = GSORT_U64 } }, 2, 0,
	  "\2\0\0\0\0\0\0\1", "\1\0\0\0\0\0\0\2", 8, false, false },
	{ "its last byte", { { .bytes = 5, .offset = 10 }, { .type = GSORT_U64 } }, 2, 0,
	  "\1\0\0\0\0\0\0\1", "\2\0\0\0\0\0\0\1", 8, false, false },
	{ "the first key decides", { { .bytes = 1, .offset = 1 }, { .bytes = 1 } }, 2, 0, "ba", "ab", 2,
	  false, false },
};

/* -1, 0, 1, as memcmp(3), by all words. */
static int
compare(const struct gs_record *record, const char *one, const char *other)
{
	const char *const items[2] = { one, other };
	uint64_t words[2];
	bool more = true;

	for (unsigned level = 0; more; level++) {
		more = gs_record_words(record, items, NULL, 2, 8 * level, words);
		if (words[0] != words[1])
			return words[0] < words[1] ? -1 : 1;
	}
	return 0;
}

static void
check_row(const struct row *row)
{
	char one[RECORD_BYTES] = "................", other[RECORD_BYTES] = "................";
	struct gs_record record;

	memcpy(one + row->at, row->one, row->bytes);
	memcpy(other + row->at, row->other, row->bytes);
	CHECK(gs_record_open(&record, RECORD_BYTES, row->keys, row->key_count,
	                     row->big ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_LITTLE, row->reverse) == GS_OK,
	      "%s: opens", row->name);
	CHECK(compare(&record, one, other) < 0, "%s", row->name);
	CHECK(compare(&record, other, one) > 0, "%s: and back", row->name);
	CHECK(compare(&record, one, one) == 0, "%s: equal to itself", row->name);
	gs_record_close(&record);
}

static void
check_bad_key(struct gsort_key key)
{
	struct gs_record record;

	CHECK(gs_record_open(&record, RECORD_BYTES, &key, 1, GSORT_ENDIAN_HOST, false) == GS_EUSAGE,
	      "a key of %zu bytes at %llu is not in the record", gs_key_bytes(&key),
	      (unsigned long long)key.offset);
	gs_record_close(&record);
}

void
unit_record(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
	check_bad_key((struct gsort_key){ .bytes = 0 });
	check_bad_key((struct gsort_key){ .bytes = 25 });
	check_bad_key((struct gsort_key){ .bytes = 1, .offset = 24 });
	check_bad_key((struct gsort_key){ .type = GSORT_U64, .offset = UINT64_MAX });
}

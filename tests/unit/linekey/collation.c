// SPDX-License-Identifier: BSD-2-Clause
/* collation.c - text and numbers in locales: made by hand here, and those of the C library that are there */
#include <stdlib.h>
#include <string.h>

#include "linekey/collation.h"
#include "tests/unit/units.h"

#define TEXT(text)	text, sizeof text - 1

static int16_t same_bytes[256];		/* a map that changes none; with it, text is not plain */

static struct gs_key_text
make_text(const char *text, size_t bytes, const struct gs_locale *locale, bool plain)
{
	return (struct gs_key_text){
		.at = (const unsigned char *)text, .end = (const unsigned char *)text + bytes,
		.map = plain ? NULL : same_bytes, .locale = locale,
	};
}

static bool
put_collation(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	return gs_collation_put(text.locale, bytes, text);
}

static int
compare_collation(struct gs_key_text one, struct gs_key_text other)
{
	return gs_collation_compare(one.locale, one, other);
}

/* ---- comparisons and words ---------------------------------------------------------- */

static const struct kind {
	int  (*compare)(struct gs_key_text, struct gs_key_text);
	bool (*put)(struct gs_key_bytes *, struct gs_key_text);
} numbers = { gs_number_compare, gs_number_put }, sizes = { gs_size_compare, gs_size_put },
  texts = { compare_collation, put_collation };

/* By the first words. */
static int
compare_words(const struct kind *kind, struct gs_key_text one, struct gs_key_text other)
{
	for (size_t skip = 0; skip < 32; skip += 8) {
		struct gs_key_bytes a = { .skip = skip }, b = { .skip = skip };

		(void)kind->put(&a, one);
		(void)kind->put(&b, other);
		if (a.word != b.word)
			return a.word < b.word ? -1 : 1;
	}
	return 0;
}

static char
sign_of(int difference)
{
	return "<=>"[(difference > 0) - (difference < 0) + 1];
}

/* Texts that are plain and not, in both directions. */
static bool
compares(const struct kind *kind, const struct gs_locale *locale, const char *one, size_t one_bytes,
         char relation, const char *other, size_t other_bytes)
{
	bool holds = true;

	for (int plain = 0; plain < 4; plain++) {
		const struct gs_key_text a = make_text(one, one_bytes, locale, plain % 2 > 0);
		const struct gs_key_text b = make_text(other, other_bytes, locale, plain / 2 > 0);

		holds &= sign_of(kind->compare(a, b)) == relation &&
		         sign_of(-kind->compare(b, a)) == relation;
	}
	return holds;
}

/* ---- numbers ---------------------------------------------------------------------- */

/* As sort(1) has them where the bytes are these.  A separator that is not between two digits is skipped, too,
 * but then a number has no suffix. */
static const struct {
	const struct kind *kind;
	const char *bytes;		/* the point, and the separator of thousands */
	const char *one, *relation, *other;
} number_rows[] = {
	{ &numbers, ".,", "1,234", ">", "999" }, { &numbers, ".,", "1,234", "=", "1234" },
	{ &numbers, ".,", "1,234.5", ">", "1234.25" }, { &numbers, ".,", "1.5,2", "=", "1.5" },
	{ &numbers, ".,", ",5", "=", "5" }, { &numbers, ".,", "-,5", "=", "-5" },
	{ &numbers, ".,", "1,", "=", "1" }, { &numbers, ".,", "1,,2", "=", "12" },
	{ &numbers, ".,", "1,.5", "=", "1.5" }, { &numbers, ".,", "1,x", "=", "1" },
	{ &numbers, ".,", "-1,2", "<", "-1" }, { &numbers, ".,", "0,0,7", "=", "7" },
	{ &numbers, ".,", "12345678901234567,8", "=", "123456789012345678" },
	{ &numbers, ".,", "1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7", ">", "12345678901234566" },
	{ &numbers, ",.", "1.234,5", "=", "1234,50" }, { &numbers, ",.", "1,5.2", "=", "1,5" },
	{ &numbers, ",.", ".5", ">", "1" }, { &numbers, ",.", ",5", "<", "1" },
	{ &sizes, ".,", "1,2K", "=", "12K" }, { &sizes, ".,", "1,2K", ">", "9999" },
	{ &sizes, ".,", "1,K", "<", "1K" }, { &sizes, ".,", "1,K", "=", "1" },
	{ &sizes, ".,", "1,.5K", "=", "1.5" }, { &sizes, ".,", "1,xK", "=", "1" },
	{ &sizes, ".,", "1,,2K", "=", "12" }, { &sizes, ".,", ",5K", "=", "5" },
	{ &sizes, ".,", "-,5K", "=", "-5" }, { &sizes, ".,", "-5K", "<", "-,5K" },
	{ &sizes, ".,", "1.5,2K", "=", "1.5" }, { &sizes, ".,", "1.,K", "=", "1" },
	{ &sizes, ".,", "1,2.5K", "=", "12.50K" }, { &sizes, ".,", "1,2.K", "=", "12K" },
	{ &sizes, ".,", "K", "=", ",K" }, { &sizes, ",.", "1.2,5K", ">", "12,25K" },
	{ &sizes, ",.", "1.K", "<", "1,K" },
};

static void
check_numbers(void)
{
	for (size_t r = 0; r < sizeof number_rows / sizeof number_rows[0]; r++) {
		const char *one = number_rows[r].one, *other = number_rows[r].other;
		const struct gs_locale locale = { .point = number_rows[r].bytes[0],
		                                  .thousands = number_rows[r].bytes[1] };
		const char relation = number_rows[r].relation[0];
		bool agree = true;

		for (int plain = 0; plain < 4; plain++) {
			const struct gs_key_text a = make_text(one, strlen(one), &locale, plain % 2 > 0);
			const struct gs_key_text b = make_text(other, strlen(other), &locale, plain / 2 > 0);

			agree &= sign_of(compare_words(number_rows[r].kind, a, b)) == relation;
		}
		CHECK(compares(number_rows[r].kind, &locale, one, strlen(one), relation, other,
		               strlen(other)), "row %zu: %s %c %s", r, one, relation,
		      other);
		CHECK(agree, "row %zu: %s %c %s by words", r, one, relation, other);
	}
}

/* ---- months --------------------------------------------------------------------------- */

static const struct {
	const char *text;
	int         month;	/* in C; and how long its name is */
	size_t      bytes;
	int         own;	/* where months have the names below */
	size_t      own_bytes;
} month_rows[] = {
	{ "jan", 1, 3, 0, 0 }, { "FEB 3", 2, 3, 0, 0 }, { "  Mar", 3, 3, 0, 0 }, { "April", 4, 3, 0, 0 },
	{ "MAY", 5, 3, 5, 3 }, { "\tjun", 6, 3, 0, 0 }, { "jul", 7, 3, 0, 0 }, { "aug", 8, 3, 0, 0 },
	{ "sep", 9, 3, 0, 0 }, { "oct", 10, 3, 0, 0 }, { "nov", 11, 3, 0, 0 }, { "dec", 12, 3, 0, 0 },
	{ "", 0, 0, 0, 0 }, { "ja", 0, 0, 0, 0 }, { "x", 0, 0, 1, 1 }, { " yy8", 0, 0, 2, 2 },
	{ "lang", 0, 0, 12, 4 }, { "lan", 0, 0, 0, 0 }, { "k", 0, 0, 11, 1 }, { "Z3z", 0, 0, 3, 2 },
};

static void
check_months(struct gs_locale *c)
{
	static const char *const names[12] = {
		"X", "YY", "Z3", "W", "MAY", "V", "U", "T", "R", "Q", "K", "LANG",
	};
	static const int order[12] = { 10, 11, 4, 9, 8, 7, 6, 5, 3, 0, 1, 2 };	/* of the alphabet */
	struct gs_locale own = { .handle = c->handle };

	for (int m = 0; m < 12; m++) {
		strcpy(own.months[m].name, names[order[m]]);
		own.months[m].number = order[m] + 1;
	}
	for (size_t r = 0; r < sizeof month_rows / sizeof month_rows[0]; r++)
		for (int where = 0; where < 6; where++) {
			const struct gs_locale *locale = where < 2 ? NULL : where < 4 ? c : &own;
			const char *text = month_rows[r].text;
			size_t bytes = 99;
			const int month = gs_month_of(make_text(text, strlen(text), locale, where % 2 > 0),
			                              &bytes);

			CHECK(month == (where < 4 ? month_rows[r].month : month_rows[r].own) &&
			      bytes == (where < 4 ? month_rows[r].bytes : month_rows[r].own_bytes),
			      "row %zu: %s is month %d of %zu bytes", r, text, month, bytes);
		}
}

/* ---- text --------------------------------------------------------------------------- */

/* Where 'z' is first and 'a' is last, '-' and '_' are ignored, and strcoll(3) decides about other bytes, as
 * in C: so the order tells who decided. */
static const struct {
	const char *one;
	size_t      one_bytes;
	const char *relation, *other;
	size_t      other_bytes;
} text_rows[] = {
	{ TEXT(""), "=", TEXT("") }, { TEXT(""), "<", TEXT("-") }, { TEXT("a"), "=", TEXT("a") },
	{ TEXT("b"), "<", TEXT("a") }, { TEXT("b"), "<", TEXT("bz") }, { TEXT("zb"), "<", TEXT("za") },
	/* ignored: in the first, in the second, in both; two of them; at the beginning and the end */
	{ TEXT("x-b"), "<", TEXT("xa") }, { TEXT("xb"), "<", TEXT("x-a") },
	{ TEXT("x-b"), "<", TEXT("x_a") }, { TEXT("x-_b"), "<", TEXT("xa") },
	{ TEXT("xb"), "<", TEXT("x--a") }, { TEXT("x-b"), "<", TEXT("x-_a") },
	{ TEXT("-b"), "<", TEXT("a") }, { TEXT("b"), "<", TEXT("-a") }, { TEXT("-b"), "<", TEXT("_a") },
	{ TEXT("c-"), "<", TEXT("cz") }, { TEXT("c"), "<", TEXT("c-z") }, { TEXT("c__"), "<", TEXT("c-z-") },
	/* ties of all that is not ignored */
	{ TEXT("a-b"), "<", TEXT("ab") }, { TEXT("a-b"), "<", TEXT("a_b") }, { TEXT("-"), "<", TEXT("_") },
	{ TEXT("a"), "<", TEXT("a-") }, { TEXT("-"), "<", TEXT("--") },
	/* what strcoll(3) decides */
	{ TEXT("az"), "<", TEXT("a~") }, { TEXT("ab~"), "<", TEXT("ac") }, { TEXT("ab"), "<", TEXT("ac~") },
	{ TEXT("~a"), "<", TEXT("~b") }, { TEXT("a!"), "<", TEXT("a-") }, { TEXT("a!"), "<", TEXT("ab") },
	/* NULs */
	{ TEXT("a"), "<", TEXT("a\0") }, { TEXT("\0"), "<", TEXT("\0\0") },
	{ TEXT("a\0b"), "<", TEXT("a\0c") },
	{ TEXT("a\0b\0c"), "<", TEXT("a\0b\0d") }, { TEXT("a\0z"), "<", TEXT("a-") },
	{ TEXT("a\0"), "<", TEXT("a\0a") },
};

static const char letters[] = "zyxwvutsrqponmlkjihgfedcba";

static void
make_locale(struct gs_locale *locale)
{
	memset(locale->ranks, GS_RANK_UNSAFE, sizeof locale->ranks);
	for (int i = 0; i < 26; i++)
		locale->ranks[(int)letters[i]] = (uint8_t)(GS_RANK_FIRST + 2 * i);
	locale->ranks['-'] = locale->ranks['_'] = GS_RANK_IGNORED;
}

static void
check_texts(const struct gs_locale *c)
{
	struct gs_locale locale = { .handle = c->handle, .number = UINT64_MAX };

	make_locale(&locale);
	for (size_t r = 0; r < sizeof text_rows / sizeof text_rows[0]; r++)
		CHECK(compares(&texts, &locale, text_rows[r].one, text_rows[r].one_bytes,
		               text_rows[r].relation[0], text_rows[r].other, text_rows[r].other_bytes),
		      "row %zu: %s %s %s", r, text_rows[r].one, text_rows[r].relation, text_rows[r].other);
}

/* ---- bytes of text -------------------------------------------------------------------- */

/* In a locale with three weights of a byte each: "b", "d" and "ff". */
static const struct {
	const char *text;
	size_t      bytes;
	const unsigned char words[17];
} byte_rows[] = {
	{ TEXT(""), { 0 } }, { TEXT("b"), { 2, 0 } }, { TEXT("bd"), { 2, 4, 0 } },
	{ TEXT("-b_d-"), { 2, 4, 0 } },
	/* others have an odd byte in front; a part of the text ends between two that have ranks */
	{ TEXT("a"), { 1, 'a', 0 } }, { TEXT("c"), { 3, 'c', 0 } }, { TEXT("e"), { 5, 'e', 0 } },
	{ TEXT("f"), { 5, 'f', 0 } }, { TEXT("ff"), { 6, 0 } }, { TEXT("g"), { 7, 'g', 0 } },
	{ TEXT("bcd"), { 2, 3, 'c', 4, 0 } }, { TEXT("dbcbd"), { 4, 2, 3, 'c', 2, 4, 0 } },
	{ TEXT("ca-"), { 3, 'c', 1, 'a', 1, '-', 0 } }, { TEXT("cb-d"), { 3, 'c', 2, 4, 0 } },
	{ TEXT("c\303\244b"), { 3, 'c', 7, 0303, 0244, 2, 0 } },
	{ TEXT("\343\201\213b"), { 7, 0343, 0201, 0213, 2, 0 } },
	{ TEXT("\360\220\212\200b"), { 7, 0360, 0220, 0212, 0200, 2, 0 } },
	{ TEXT("\360b"), { 7, 0360, 'b', 0 } },
	{ TEXT("b\0d"), { 2, 0 } }, { TEXT("c\0d"), { 3, 'c', 0 } }, { TEXT("c\1d"), { 3, 'c', 0 } },
};

static void
check_bytes(const struct gs_locale *c)
{
	struct gs_locale locale = {
		.handle = c->handle, .number = UINT64_MAX - 1,
		.weights = { { "b", 1 }, { "d", 1 }, { "ff", 2 } }, .weight_count = 3,
	};

	memset(locale.ranks, GS_RANK_UNSAFE, sizeof locale.ranks);
	locale.ranks['b'] = GS_RANK_FIRST;
	locale.ranks['d'] = GS_RANK_FIRST + 2;
	locale.ranks['-'] = locale.ranks['_'] = GS_RANK_IGNORED;
	for (size_t r = 0; r < 2 * sizeof byte_rows / sizeof byte_rows[0]; r++) {
		const size_t row = r / 2;
		const struct gs_key_text text = make_text(byte_rows[row].text, byte_rows[row].bytes, &locale,
		                                          r % 2 > 0);
		unsigned char found[17] = { 0 };

		for (size_t skip = 0; skip < 16; skip++) {
			struct gs_key_bytes bytes = { .skip = skip };

			(void)put_collation(&bytes, text);
			found[skip] = (unsigned char)(bytes.word >> 56);
		}
		CHECK(memcmp(found, byte_rows[row].words, 16) == 0, "row %zu: bytes of %s", row,
		      byte_rows[row].text);
	}
}

/* A text that is longer than a stack has room for, and its weights: without memory the locale says so. */
static void
check_memory(const struct gs_locale *c)
{
	static char text[9000];

	memset(text, 'x', sizeof text);
	for (int left = 0; left < 3; left++) {
		struct gs_locale locale = { .handle = c->handle, .number = UINT64_MAX - 2 };
		struct gs_key_bytes bytes = { .skip = 0 };
		const size_t memory = units_memory();

		memset(locale.ranks, GS_RANK_UNSAFE, sizeof locale.ranks);
		units_fail(left);
		(void)put_collation(&bytes, make_text(text, sizeof text, &locale, true));
		(void)units_has_failed();
		CHECK(locale.failed == (left < 2) && units_memory() == memory, "memory for %d of two", left);
	}
}

/* ---- what two ranks compare ------------------------------------------------------------- */

static void
check_digests(const struct gs_locale *c)
{
	const uint64_t digest = gs_locale_digest(c);
	struct gs_locale others[7], *again = NULL;

	CHECK(gs_locale_digest(NULL) == 0 && digest != 0, "only C without a name has the digest 0");
	CHECK(gs_locale_open(&again, "C") == GS_OK && again->number != c->number &&
	      gs_locale_digest(again) == digest, "a locale has the same digest each time");
	gs_locale_close(again);
	for (int o = 0; o < 7; o++)
		memcpy(&others[o], c, sizeof *c);
	others[0].point = ',';
	others[1].thousands = ',';
	others[2].float_point = ',';
	others[3].ranks[255]++;
	others[4].months[11].name[0]++;
	others[5].months[11].number++;
	others[6].collates = true;	/* strxfrm(3) makes the same of a text in C */
	for (int o = 0; o < 7; o++)
		CHECK(gs_locale_digest(&others[o]) != digest, "digest %d is another", o);
}

/* ---- the C library's ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *numbers;	/* the point, and the separator of thousands or 0; NULL: any */
	const char *unsafe;		/* ASCII that begins a letter of more than one */
	bool        ascii_case;
} opened_rows[] = {
	{ "en_US.UTF-8", ".,", "", true }, { "sv_SE.UTF-8", ",\0", "", true },
	{ "ja_JP.UTF-8", ".,", "", true }, { "tr_TR.UTF-8", ",.", "", false },
	{ "hu_HU.UTF-8", NULL, "cdglnstzCDGLNSTZ", true },
};

static size_t
draw_text(uint64_t *state, char *text)
{
	static const char *const parts[] = {
		"a", "A", "b", "c", "s", "z", "y", "-", " ", "\t", "_", "1", "\1", "\303\244", "\r",
		"\343\201\213",
	};
	size_t bytes = 0;

	for (uint64_t left = 1 + units_mix(++*state) % 8; left > 0; left--)
		bytes += (size_t)sprintf(text + bytes, "%s", parts[units_mix(++*state) % 16]);
	return bytes;
}

/* As strcoll(3), and words that agree. */
static unsigned
count_wrong(const struct gs_locale *locale)
{
	uint64_t state = 3;
	unsigned wrong = 0;

	for (int round = 0; round < 2000; round++) {
		char one[64], other[64];
		const size_t one_bytes = draw_text(&state, one), other_bytes = draw_text(&state, other);
		const char relation = sign_of(strcoll_l(one, other, locale->handle));
		const char by_words = sign_of(compare_words(&texts, make_text(one, one_bytes, locale, true),
		                                            make_text(other, other_bytes, locale, true)));

		wrong += !compares(&texts, locale, one, one_bytes, relation, other, other_bytes) ||
		         (by_words != '=' && by_words != relation);
	}
	return wrong;
}

static void
check_opened(void)
{
	for (size_t r = 0; r < sizeof opened_rows / sizeof opened_rows[0]; r++) {
		const char *name = opened_rows[r].name;
		struct gs_locale *locale = NULL;
		unsigned wrong = 0;

		/* it is not installed, or the C library orders all text as in C */
		if (gs_locale_open(&locale, name) != GS_OK || strcoll_l("a", "B", locale->handle) > 0) {
			gs_locale_close(locale);
			continue;
		}
		for (int c = 0; c < 256; c++) {
			const bool control = c < ' ' && c != '\t' && c != '\r';

			wrong += (locale->ranks[c] == GS_RANK_UNSAFE) !=
			         (control || c > '~' || strchr(opened_rows[r].unsafe, c) != NULL);
		}
		CHECK(wrong == 0, "%s: %u ranks are wrong", name, wrong);
		CHECK(locale->collates && locale->ascii_case == opened_rows[r].ascii_case, "%s: its case",
		      name);
		CHECK(opened_rows[r].numbers == NULL ||
		      (locale->point == opened_rows[r].numbers[0] && locale->float_point == locale->point &&
		       locale->thousands == (opened_rows[r].numbers[1] != '\0' ? opened_rows[r].numbers[1]
		                                                                : GS_NO_BYTE)),
		      "%s: its numbers", name);
		wrong = count_wrong(locale);
		CHECK(wrong == 0, "%s: %u texts are wrong", name, wrong);
		gs_locale_close(locale);
	}
}

/* With names from the environment; and without memory. */
static void
check_environment(void)
{
	struct gs_locale *locale = NULL;
	size_t memory;

	unsetenv("LOCPATH");		/* newlocale(3) of glibc leaks with it */
	setenv("LC_ALL", "C", 1);
	CHECK(gs_locale_open(&locale, "") == GS_OK && locale != NULL, "%s", gs_message());
#if defined __GLIBC__
	CHECK(locale == NULL || !locale->collates, "the environment's locale is C");
#endif
	gs_locale_close(locale);
	setenv("LC_ALL", "no such locale", 1);
	CHECK(gs_locale_open(&locale, "") == GS_OK && (locale == NULL || !locale->collates), "it has none");
	gs_locale_close(locale);
	CHECK(gs_locale_open(&locale, "C.UTF-8") != GS_OK || !locale->collates, "C.UTF-8");
	gs_locale_close(locale);
	for (int left = 0; left < 2; left++) {
		memory = units_memory();
		units_fail(left);
		if (gs_locale_open(&locale, "C.UTF-8") == GS_OK)
			CHECK(left == 1, "a locale needs memory");
		gs_locale_close(locale);
		(void)units_has_failed();
		CHECK(units_memory() == memory, "a locale that is closed, or not opened, leaves memory");
	}
}

void unit_collation(void);
void
unit_collation(void)
{
	struct gs_locale *c = NULL;

	for (int b = 0; b < 256; b++)
		same_bytes[b] = (int16_t)b;
	CHECK(gs_locale_open(&c, "C") == GS_OK && !c->collates && c->ascii_case && c->point == '.' &&
	      c->float_point == '.' && c->thousands == GS_NO_BYTE, "the locale C");
	check_numbers();
	check_months(c);
	check_texts(c);
	check_bytes(c);
	check_memory(c);
	check_digests(c);
	gs_locale_close(c);
	check_opened();
	check_environment();
}

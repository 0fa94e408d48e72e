// SPDX-License-Identifier: BSD-2-Clause
/* line_order.c - lines compare as sort(1) compares them, and their words agree */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/simd.h"
#include "linekey/line_order.h"
#include "text/line.h"
#include "tests/unit/units.h"

enum { MOST_KEYS = 4, MOST_BYTES = 96 };

struct options {
	const char *letters, *separator, *keys[MOST_KEYS];
	bool csv, stable;
};

static gs_status
open_order(struct gs_line_order *order, const struct options *options, bool names)
{
	struct gs_line_options all = {
		.keys = options->keys, .letters = options->letters, .separator = options->separator,
		.csv = options->csv, .stable = options->stable, .names = names, .terminator = '\n',
	};

	while (all.key_count < MOST_KEYS && options->keys[all.key_count] != NULL)
		all.key_count++;
	return gs_line_order_open(order, &all);
}

/* ---- the order -------------------------------------------------------------------- */

/* Is ONE before OTHER, or do they tie?  By comparison, and by words as far as these go. */
static const char *
relation(const struct gs_line_order *order, const char *one, size_t one_bytes, const char *other,
         size_t other_bytes)
{
	const int difference = gs_line_compare(order, one, one_bytes, other, other_bytes);
	const char *const lines[2] = { one, other };
	const uint32_t bytes[2] = { (uint32_t)one_bytes, (uint32_t)other_bytes };
	int by_words = 0;
	unsigned at = 0;
	bool more = true;

	more = one[one_bytes - 1] == '\n' && other[other_bytes - 1] == '\n';
	for (; more && by_words == 0; at += 8) {
		uint64_t words[2];

		more = gs_line_words(order, lines, bytes, 2, at, words);
		by_words = (words[0] > words[1]) - (words[0] < words[1]);
	}
	if (by_words != 0 && (difference > 0) - (difference < 0) != by_words)
		return "the words disagree";
	if (at > 0 && at < GS_LINE_WORD_BYTES && by_words == 0 && difference != 0)
		return "the words end too early";
	return difference < 0 ? "<" : difference > 0 ? ">" : "=";
}

#define LINE(text)	text, sizeof text - 1

/* Facts about sort(1): many are cases of the tests of the GNU coreutils, in rows of our own. */
static const struct {
	struct options options;
	const char *one;
	size_t      one_bytes;
	const char *relation, *other;
	size_t      other_bytes;
} rows[] = {
	/* whole lines by bytes */
	{ { .letters = "" }, LINE("a\n"), "<", LINE("b\n") },
	{ { .letters = "" }, LINE("a"), "=", LINE("a\n") },
	{ { .letters = "" }, LINE("a\n"), "<", LINE("aa\n") },
	{ { .letters = "" }, LINE("B\n"), "<", LINE("a\n") },
	{ { .letters = "" }, LINE("a\n"), "<", LINE("\303\244\n") },
	{ { .letters = "" }, LINE("a\0b\n"), "<", LINE("a\0c\n") },
	{ { .letters = "" }, LINE("a\n"), "<", LINE("a\0\n") },
	{ { .letters = "" }, LINE("a\1\n"), ">", LINE("a\0\377\n") },
	{ { .letters = "r" }, LINE("a\n"), ">", LINE("b\n") },
	{ { .letters = "r" }, LINE("a\n"), ">", LINE("aa\n") },
	/* letters for whole lines */
	{ { .letters = "n" }, LINE("9\n"), "<", LINE("10\n") },
	{ { .letters = "n" }, LINE("01\n"), "<", LINE("1\n") },
	{ { .letters = "nr" }, LINE("01\n"), ">", LINE("1\n") },
	{ { .letters = "n", .stable = true }, LINE("01\n"), "=", LINE("1\n") },
	{ { .letters = "f" }, LINE("a\n"), ">", LINE("A\n") },
	{ { .letters = "f", .stable = true }, LINE("a\n"), "=", LINE("A\n") },
	{ { .letters = "f" }, LINE("a\n"), "<", LINE("B\n") },
	{ { .letters = "d" }, LINE("a-c\n"), ">", LINE("ab\n") },
	{ { .letters = "d", .stable = true }, LINE("a-b\n"), "=", LINE("ab\n") },
	{ { .letters = "i", .stable = true }, LINE("a\001b\n"), "=", LINE("ab\n") },
	{ { .letters = "i" }, LINE("a-b\n"), "<", LINE("ab\n") },
	{ { .letters = "b", .stable = true }, LINE("  a\n"), "=", LINE("a\n") },
	{ { .letters = "bf", .stable = true }, LINE("\t a\n"), "=", LINE("A\n") },
	/* numbers */
	{ { .letters = "n", .stable = true }, LINE("-0\n"), "=", LINE("0\n") },
	{ { .letters = "n", .stable = true }, LINE("\n"), "=", LINE("0\n") },
	{ { .letters = "n", .stable = true }, LINE("x\n"), "=", LINE("-\n") },
	{ { .letters = "n", .stable = true }, LINE("+5\n"), "=", LINE("0\n") },
	{ { .letters = "n", .stable = true }, LINE("1e9\n"), "=", LINE("1\n") },
	{ { .letters = "n", .stable = true }, LINE(".5\n"), "=", LINE("0.500\n") },
	{ { .letters = "n", .stable = true }, LINE("5.\n"), "=", LINE("05\n") },
	{ { .letters = "n", .stable = true }, LINE("1,000\n"), "=", LINE("1\n") },
	{ { .letters = "n", .stable = true }, LINE("  7\n"), "=", LINE("\t7x\n") },
	{ { .letters = "n", .stable = true }, LINE("-.5\n"), "<", LINE("-.25\n") },
	{ { .letters = "n", .stable = true }, LINE("-10\n"), "<", LINE("-9\n") },
	{ { .letters = "n", .stable = true }, LINE(".0000000000000000000000000000000000000000000000001\n"),
	  ">", LINE("0\n") },
	{ { .letters = "n", .stable = true }, LINE("10000000000000000000000000000000000000000000000000001\n"),
	  ">", LINE("10000000000000000000000000000000000000000000000000000\n") },
	{ { .letters = "n", .stable = true }, LINE("-12345678901234567890.1\n"), ">",
	  LINE("-12345678901234567890.2\n") },
	{ { .letters = "n", .stable = true }, LINE("1234567890123456\n"), "<",
	  LINE("1234567890123456.7\n") },
	{ { .letters = "n", .stable = true }, LINE("12345678901234561\n"), "=",
	  LINE("12345678901234561.0\n") },
	{ { .letters = "n", .stable = true }, LINE("5\0" "6\n"), "=", LINE("5\n") },
	{ { .keys = { "2n" }, .stable = true }, LINE("abcdefgh 5\3777\n"), "<", LINE("abcdefgh 6\n") },
	/* floats */
	{ { .letters = "g", .stable = true }, LINE("1e2\n"), "=", LINE("100\n") },
	{ { .letters = "g", .stable = true }, LINE("+1\n"), "=", LINE("1.0e0\n") },
	{ { .letters = "g", .stable = true }, LINE("-0\n"), "=", LINE("0\n") },
	{ { .letters = "g", .stable = true }, LINE("x\n"), "<", LINE("-inf\n") },
	{ { .letters = "g", .stable = true }, LINE("nan\n"), "<", LINE("-inf\n") },
	{ { .letters = "g", .stable = true }, LINE("x\n"), "<", LINE("nan\n") },
	{ { .letters = "g", .stable = true }, LINE("-nan\n"), "<", LINE("nan\n") },
	{ { .letters = "g", .stable = true }, LINE("nan\n"), "=", LINE("NaN(7)\n") },
	{ { .letters = "g", .stable = true }, LINE("1e400\n"), "<", LINE("inf\n") },
	{ { .letters = "g", .stable = true }, LINE("-1e-400\n"), "<", LINE("0\n") },
	{ { .letters = "g", .stable = true }, LINE("1e-4950\n"), ">", LINE("0\n") },
	{ { .letters = "g", .stable = true }, LINE("0x10\n"), "=", LINE("16\n") },
	{ { .letters = "g", .stable = true }, LINE("0x.8p1\n"), "=", LINE("1\n") },
	{ { .letters = "g", .stable = true }, LINE("0x\n"), "=", LINE("0\n") },
	{ { .letters = "g", .stable = true }, LINE(".\n"), "<", LINE("nan\n") },
	{ { .letters = "g", .stable = true }, LINE("1e\n"), "=", LINE("1\n") },
	{ { .letters = "g", .stable = true }, LINE("\t\v\f\r 2\n"), "=", LINE("2\n") },
	{ { .letters = "g", .stable = true }, LINE("18446744073709551615\n"), "<",
	  LINE("18446744073709551616\n") },
	{ { .letters = "g", .stable = true }, LINE("1e27\n"), "=", LINE("1000000000000000000000000000\n") },
	{ { .letters = "g", .stable = true }, LINE("1e28\n"), "=", LINE("10000000000000000000000000000\n") },
	{ { .letters = "g", .stable = true }, LINE("1e-27\n"), "=", LINE("1.0000000000000000000e-27\n") },
	{ { .letters = "g", .stable = true }, LINE("1e-28\n"), "=", LINE("1.0000000000000000000e-28\n") },
	/* sizes */
	{ { .letters = "h", .stable = true }, LINE("1023\n"), "<", LINE("1K\n") },
	{ { .letters = "h", .stable = true }, LINE("1k\n"), "=", LINE("1K\n") },
	{ { .letters = "h", .stable = true }, LINE("9000K\n"), "<", LINE("1M\n") },
	{ { .letters = "h", .stable = true }, LINE("1Y\n"), "<", LINE("1R\n") },
	{ { .letters = "h", .stable = true }, LINE("9R\n"), "<", LINE("1Q\n") },
	{ { .letters = "h", .stable = true }, LINE("1KiB\n"), "=", LINE("1KB\n") },
	{ { .letters = "h", .stable = true }, LINE("1m\n"), "<", LINE("1K\n") },
	{ { .letters = "h", .stable = true }, LINE("0M\n"), "<", LINE("1\n") },
	{ { .letters = "h", .stable = true }, LINE("-1G\n"), "<", LINE("-9M\n") },
	{ { .letters = "h", .stable = true }, LINE("-9M\n"), "<", LINE("-9\n") },
	{ { .letters = "h", .stable = true }, LINE("1.K\n"), "=", LINE("1K\n") },
	{ { .letters = "h", .stable = true }, LINE("-K\n"), "=", LINE("0\n") },
	/* months */
	{ { .letters = "M", .stable = true }, LINE("foo\n"), "<", LINE("jan\n") },
	{ { .letters = "M", .stable = true }, LINE(" Jan 3\n"), "=", LINE("JANUARY\n") },
	{ { .letters = "M", .stable = true }, LINE("APR\n"), ">", LINE("feb 2\n") },
	{ { .letters = "M", .stable = true }, LINE("FEB\n"), "<", LINE("DEC\n") },
	{ { .letters = "M", .stable = true }, LINE("JA\n"), "=", LINE("\n") },
	/* versions */
	{ { .letters = "V", .stable = true }, LINE("a2\n"), "<", LINE("a10\n") },
	{ { .letters = "V", .stable = true }, LINE("a02\n"), "=", LINE("a2\n") },
	{ { .letters = "V", .stable = true }, LINE("1.0\n"), "<", LINE("1.0.1\n") },
	{ { .letters = "V", .stable = true }, LINE("1.0~rc1\n"), "<", LINE("1.0\n") },
	{ { .letters = "V", .stable = true }, LINE("a-2.tar.gz\n"), "<", LINE("a-10.tar\n") },
	{ { .letters = "V", .stable = true }, LINE("abc.c\n"), "<", LINE("abc-1.c\n") },
	{ { .letters = "V", .stable = true }, LINE("\n"), "<", LINE(".\n") },
	{ { .letters = "V", .stable = true }, LINE(".\n"), "<", LINE("..\n") },
	{ { .letters = "V", .stable = true }, LINE("..\n"), "<", LINE(".a\n") },
	{ { .letters = "V", .stable = true }, LINE(".z\n"), "<", LINE("a\n") },
	{ { .letters = "V", .stable = true }, LINE("a\n"), "=", LINE("a0\n") },
	{ { .letters = "V", .stable = true }, LINE("aZ\n"), "<", LINE("a.\n") },
	{ { .letters = "V", .stable = true }, LINE(".a~\n"), "<", LINE(".a\n") },
	{ { .letters = "V", .stable = true }, LINE("a123456789012345678901\n"), "<",
	  LINE("a123456789012345678902\n") },
	/* a NUL is a byte like others, and not the end */
	{ { .letters = "V", .stable = true }, LINE("\n"), "<", LINE("\0\n") },
	{ { .letters = "V", .stable = true }, LINE(".\n"), "<", LINE(".\0\n") },
	{ { .letters = "V", .stable = true }, LINE("..\n"), "<", LINE("..\0\n") },
	{ { .letters = "V", .stable = true }, LINE("a\n"), "<", LINE("a\0\n") },
	{ { .letters = "V", .stable = true }, LINE("aZ\n"), "<", LINE("a\0\n") },
	{ { .letters = "V", .stable = true }, LINE("a\0" "2\n"), "<", LINE("a\0" "10\n") },
	{ { .letters = "V", .stable = true }, LINE("7\n"), "<", LINE("7\0\n") },
	{ { .letters = "V", .stable = true }, LINE("7\0\n"), "<", LINE("7\1\n") },
	{ { .letters = "V", .stable = true }, LINE("a\0-2.c\n"), "<", LINE("a\0-10.b\n") },
	{ { .letters = "V", .stable = true }, LINE("a\0bc.c\n"), "<", LINE("a\0bc-1.c\n") },
	{ { .keys = { "1,1V" }, .csv = true, .stable = true }, LINE("\"a\0bc.c\"\n"), "<",
	  LINE("\"a\0bc-1.c\"\n") },
	{ { .keys = { "1,1V" }, .csv = true, .stable = true }, LINE("a.b\0-2\n"), "<",
	  LINE("a.b\0-10\n") },
	/* fields by blanks: each begins with them */
	{ { .keys = { "2" }, .stable = true }, LINE("x a\n"), ">", LINE("y  a\n") },
	{ { .keys = { "2b" }, .stable = true }, LINE("x a\n"), "=", LINE("y  a\n") },
	{ { .keys = { "2,2" }, .stable = true }, LINE("x a 1\n"), "=", LINE("y a 2\n") },
	{ { .keys = { "2n" }, .stable = true }, LINE("x 9\n"), "<", LINE("y   10\n") },
	{ { .keys = { "1,1" }, .stable = true }, LINE(" a b\n"), "<", LINE("a b\n") },
	{ { .keys = { "9" }, .stable = true }, LINE("a\n"), "=", LINE("b\n") },
	{ { .keys = { "1.2,1.3" }, .stable = true }, LINE("xaby\n"), "=", LINE("zabc\n") },
	{ { .keys = { "1.3,1.2" }, .stable = true }, LINE("abc\n"), "=", LINE("xyz\n") },
	{ { .keys = { "2,1" }, .stable = true }, LINE("a b\n"), "=", LINE("c d\n") },
	{ { .keys = { "1.1b,1.1" }, .stable = true }, LINE(" a\n"), "<", LINE("b\n") },
	{ { .keys = { "1.1b,1.1b" }, .stable = true }, LINE(" a\n"), "<", LINE("b\n") },
	{ { .keys = { "1.0" } }, NULL, 0, "characters count from 1", NULL, 0 },
	{ { .keys = { "1.99999999999999999999" }, .stable = true }, LINE("abc\n"), "=", LINE("abd\n") },
	{ { .keys = { "1,1.99999999999999999999" }, .stable = true }, LINE("abc d\n"), "<", LINE("abc e\n") },
	{ { .keys = { "99999999999999999999" }, .stable = true }, LINE("a b\n"), "=", LINE("a c\n") },
	{ { .keys = { "1b,99999999999999999999.2" }, .stable = true }, LINE("a b\n"), "<", LINE("a c\n") },
	/* fields by a separator */
	{ { .keys = { "2,2" }, .separator = ",", .stable = true }, LINE("x,a,1\n"), "=", LINE("y,a,2\n") },
	{ { .keys = { "2,2" }, .separator = ",", .stable = true }, LINE("x,,1\n"), "<", LINE("y,a,2\n") },
	{ { .keys = { "2,2" }, .separator = ",", .stable = true }, LINE("x\n"), "=", LINE("y,,2\n") },
	{ { .keys = { "2" }, .separator = ",", .stable = true }, LINE("x,a\n"), "<", LINE("x,a,\n") },
	{ { .keys = { "2n" }, .separator = "\\0", .stable = true }, LINE("x\0" "9\n"), "<",
	  LINE("x\0" "10\n") },
	{ { .keys = { "2,2.0" }, .separator = ",", .stable = true }, LINE("x,a,b\n"), "=", LINE("x,a,c\n") },
	{ { .keys = { "3,3n" }, .separator = ",", .stable = true }, LINE(",12,5,abcd\n"), ">",
	  LINE(",13,4,abcd\n") },
	/* several keys, each with letters of its own, or with those of all */
	{ { .keys = { "2,2n", "1,1r" }, .stable = true }, LINE("a 1\n"), ">", LINE("b 1\n") },
	{ { .keys = { "2,2", "1,1" }, .letters = "r", .stable = true }, LINE("a 1\n"), ">", LINE("a 2\n") },
	{ { .keys = { "2,2n" }, .letters = "r", .stable = true }, LINE("a 1\n"), "<", LINE("a 2\n") },
	{ { .keys = { "1,1b" }, .letters = "n", .stable = true }, LINE("9\n"), ">", LINE("10\n") },
	{ { .keys = { "1,1" }, .letters = "n", .stable = true }, LINE("9\n"), "<", LINE("10\n") },
	{ { .keys = { "1,1n" }, .letters = "r" }, LINE("1 a\n"), ">", LINE("1 b\n") },
	{ { .keys = { "1,1nr" } }, LINE("1 a\n"), "<", LINE("1 b\n") },
	/* quotes */
	{ { .keys = { "2,2" }, .csv = true, .stable = true }, LINE("x,\"a\"\n"), "=", LINE("y,a\n") },
	{ { .keys = { "2,2n" }, .csv = true, .stable = true }, LINE("\"x,9\",10\n"), ">", LINE("y,9\n") },
	{ { .keys = { "1,1" }, .csv = true, .stable = true }, LINE("\"a\"\"b\",1\n"), "<",
	  LINE("\"a#b\",2\n") },
	{ { .keys = { "2,2" }, .csv = true, .stable = true }, LINE("\"1\n2\",b\n"), ">", LINE("3,a\n") },
	{ { .keys = { "1.2,1.2" }, .csv = true, .stable = true }, LINE("\"ab\",1\n"), "=", LINE("xb,2\n") },
	{ { .keys = { "2,2" }, .csv = true, .stable = true }, LINE("5\" x,a\n"), "<", LINE("5\",b\n") },
	{ { .keys = { "1,1" }, .csv = true, .stable = true }, LINE("5\"x\",b\n"), "<", LINE("\"5\"y,a\n") },
	{ { .keys = { "1,2" }, .csv = true, .stable = true }, LINE("\"a\"b\",\"c\"\n"), "=",
	  LINE("\"ab\"\",c\"\n") },
	{ { .keys = { "1,1" }, .csv = true, .stable = true }, LINE("\"a\"\"\"\"b\n"), "=", LINE("a\"\"b\n") },
	/* an end before the field in which the key begins, and behind it; a number ends with its field */
	{ { .keys = { "3.1,2.70" }, .csv = true, .stable = true }, LINE("p,\"x\",b\n"), ">",
	  LINE("p,x,a\n") },
	{ { .keys = { "3.1,2.3" }, .csv = true, .stable = true }, LINE("p,\"x\",ab\n"), "=",
	  LINE("p,x,ac\n") },
	{ { .keys = { "1.1,1.2n" }, .csv = true, .stable = true }, LINE("\"5\",x\n"), "=", LINE("5,y\n") },
	{ { .keys = { "2.2,2.3n" }, .csv = true, .stable = true }, LINE("x,1,5\n"), "=",
	  LINE("x,\"1\",6\n") },
	{ { .keys = { "2,3.2n" }, .csv = true, .stable = true }, LINE("x,123,7\n"), "<",
	  LINE("x,124,7\n") },
	{ { .keys = { "2.2,2.3" }, .csv = true, .stable = true }, LINE("\"x\", ab,1\n"), "=",
	  LINE("\"y\", ab,2\n") },
	{ { .keys = { "2.2,2.3" }, .csv = true, .stable = true }, LINE("\"x\", ab,1\n"), "=",
	  LINE("y, ab,2\n") },
	{ { .keys = { "2.2b,2.3b" }, .csv = true, .stable = true }, LINE("\"x\",  abc,1\n"), "=",
	  LINE("\"y\",zbc,2\n") },
	{ { .keys = { "2.2,2" }, .csv = true, .stable = true }, LINE("x,\"abc\",1\n"), "=",
	  LINE("x,\"zbc\",2\n") },
	{ { .keys = { "2.2,3" }, .csv = true, .stable = true }, LINE("x,\"abc\",\"d\",1\n"), "=",
	  LINE("x,\"zbc\",d,2\n") },
	{ { .keys = { "2.2,2.1" }, .csv = true, .stable = true }, LINE("x,\"abc\",1\n"), "=",
	  LINE("x,\"azz\",2\n") },
	/* a CR before the newline ends the row, but between quotes, and without --csv */
	{ { .keys = { "2,2" }, .csv = true, .stable = true }, LINE("x,a\r\n"), "=", LINE("y,a\n") },
	{ { .keys = { "2,2" }, .csv = true, .stable = true }, LINE("x,\"a\"\r\n"), "<", LINE("y,\"a\r\"\n") },
	{ { .keys = { "2,2" }, .csv = true, .stable = true }, LINE("xxxxxxxxxx,a\r\n"), "<",
	  LINE("y,a\t\n") },
	{ { .keys = { "2,2r", "1,1" }, .csv = true, .stable = true }, LINE("xxxxxxxxxx,a\r\n"), ">",
	  LINE("x,a\n") },
	{ { .csv = true }, LINE("a,b\r\n"), "=", LINE("a,b\n") },
	{ { .csv = true, .keys = { "1,1" } }, LINE("a,bbbbbbbbbbbbbbbbbb\r\n"), "=",
	  LINE("a,bbbbbbbbbbbbbbbbbb\n") },
	{ { .csv = true, .keys = { "1,1n" } }, LINE("1,bbbbb\r\n"), "<", LINE("1,bbbbb\t\n") },
	{ { .csv = true, .letters = "f" }, LINE("\r\n"), "=", LINE("\n") },
	{ { .separator = ",", .keys = { "2,2" }, .stable = true }, LINE("x,a\r\n"), ">", LINE("y,a\n") },
	{ { .keys = { "2b,2" }, .csv = true, .stable = true }, LINE("\"x\",  a\n"), "=", LINE("y,a\n") },
	/* addresses and times */
	{ { .keys = { "1,1:ip" }, .stable = true }, LINE("1.2.3.10\r\n"), ">", LINE("1.2.3.9 x\n") },
	{ { .keys = { "1,1:time" }, .stable = true }, LINE("2024-01-02T03:04:05Z\n"), ">",
	  LINE("2024-01-02T03:04:05+01:00\n") },
	{ { .keys = { "1,1:time" }, .stable = true }, LINE("1969-12-31\n"), "<", LINE("1970-01-01\n") },
	/* missing values */
	{ { .keys = { "2,2n" }, .csv = true, .stable = true }, LINE("x,\n"), "<", LINE("y,-1000000\n") },
	{ { .keys = { "2,2n" }, .csv = true, .stable = true }, LINE("x\n"), "<", LINE("y,0\n") },
	{ { .keys = { "1n" }, .csv = true, .stable = true }, LINE(",5\n"), "=", LINE("\"\",-5\n") },
	{ { .keys = { "2,2n" }, .csv = true, .stable = true }, LINE("x, \r\n"), "=", LINE("x,\"\"\n") },
	{ { .keys = { "2,2nr" }, .csv = true, .stable = true }, LINE("x,\n"), ">", LINE("y,-1\n") },
	{ { .keys = { "1,1h" }, .csv = true, .stable = true }, LINE(",\n"), "<", LINE("-9Q,\n") },
	{ { .keys = { "1,1g" }, .csv = true, .stable = true }, LINE(",\n"), "<", LINE("nan,\n") },
	{ { .keys = { "2,2n" }, .csv = true, .stable = true }, LINE("x,\"\r\",1\n"), "=", LINE("y,,2\n") },
	{ { .keys = { "2,2n" }, .csv = true, .separator = " ", .stable = true }, LINE("x  5\n"), "<",
	  LINE("y -9 5\n") },
	{ { .keys = { "2,2:ip" }, .separator = ",", .stable = true }, LINE("x,\r\n"), "=", LINE("y,\n") },
	{ { .keys = { "2,2:ip" }, .separator = ",", .stable = true }, LINE("x,\r\n"), "<",
	  LINE("y,0.0.0.0\n") },
	{ { .keys = { "1,1M" }, .csv = true, .stable = true }, LINE(",\n"), "<", LINE("jan,\n") },
	{ { .keys = { "1,1n" }, .csv = true, .stable = true },
	  LINE("-99999999999999999999999999999999999999999999999999999999999999999999999999,\n"), ">",
	  LINE(",\n") },
	{ { .keys = { "2.1,2.2n" }, .csv = true, .stable = true }, LINE("x,,5\n"), "=", LINE("y\n") },
	{ { .keys = { "2.1,2.2n" }, .csv = true, .separator = "0", .stable = true }, LINE("x0010\n"), "=",
	  LINE("y\n") },
	{ { .keys = { "2,2" }, .csv = true, .separator = ";", .stable = true }, LINE("\"x;\";b\n"), ">",
	  LINE("y;a\n") },
	/* what is wrong */
	{ { .keys = { "0" } }, NULL, 0, "fields count from 1", NULL, 0 },
	{ { .keys = { "" } }, NULL, 0, "a field number is missing", NULL, 0 },
	{ { .keys = { "@4" } }, NULL, 0, "keys of records need --record-size", NULL, 0 },
	{ { .keys = { "a" } }, NULL, 0, "a name needs --header", NULL, 0 },
	{ { .keys = { "1,1:ipn" } }, NULL, 0, "there is only b or r", NULL, 0 },
	{ { .keys = { "1,2:time" } }, NULL, 0, "an address or a time is one field", NULL, 0 },
	{ { .keys = { "1,1n:ip" } }, NULL, 0, "a key has one order", NULL, 0 },
	{ { .keys = { "99999999999999999999999,1" } }, NULL, 0, "", NULL, 0 },
	{ { .keys = { "1," } }, NULL, 0, "a field number is missing", NULL, 0 },
	{ { .keys = { "1,0" } }, NULL, 0, "fields count from 1", NULL, 0 },
	{ { .keys = { "1." } }, NULL, 0, "a character number is missing", NULL, 0 },
	{ { .keys = { "1x" } }, NULL, 0, "'x' is not one of the letters", NULL, 0 },
	{ { .keys = { "1n,2,3" } }, NULL, 0, "',' is not one of the letters", NULL, 0 },
	{ { .keys = { "1R" } }, NULL, 0, "random order", NULL, 0 },
	{ { .keys = { "1nM" } }, NULL, 0, "'-Mn' are incompatible", NULL, 0 },
	{ { .letters = "nd" }, NULL, 0, "'-dn' are incompatible", NULL, 0 },
	{ { .letters = "gh" }, NULL, 0, "'-gh' are incompatible", NULL, 0 },
	{ { .letters = "di", .keys = { "1" } }, NULL, 0, "", NULL, 0 },
	{ { .separator = "ab" }, NULL, 0, "more than one byte", NULL, 0 },
	{ { .separator = "" }, NULL, 0, "the separator is empty", NULL, 0 },
};

static void
check_rows(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		struct gs_line_order order;
		const gs_status status = open_order(&order, &rows[r].options, false);
		const char *found = status != GS_OK ? gs_message() : "";

		if (rows[r].one != NULL) {
			if (status == GS_OK)
				found = relation(&order, rows[r].one, rows[r].one_bytes, rows[r].other,
				                 rows[r].other_bytes);
			CHECK(strcmp(found, rows[r].relation) == 0, "row %zu: %s %s %s, but it is '%s'", r,
			      rows[r].one, rows[r].relation, rows[r].other, found);
			found = relation(&order, rows[r].other, rows[r].other_bytes, rows[r].one,
			                 rows[r].one_bytes);
			CHECK(found[0] == "<=>"['>' - rows[r].relation[0]], "row %zu: %s to %s is '%s'", r,
			      rows[r].other, rows[r].one, found);
		} else {
			CHECK((status == GS_OK) == (*rows[r].relation == '\0') &&
			      strstr(found, rows[r].relation) != NULL, "row %zu: '%s' in '%s'", r,
			      rows[r].relation, found);
		}
		gs_line_order_close(&order);
	}
}

/* Which bytes count with i and d, and what f makes of them. */
static void
check_bytes_of_letters(void)
{
	static const char dictionary[] = " \t0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	static const char *const letters[] = { "i", "d", "f" };

	for (int l = 0; l < 3; l++) {
		const struct options options = { .letters = letters[l], .stable = true };
		struct gs_line_order order;

		CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
		for (int c = 0; c < 256; c++) {
			const char line[] = { 'A', (char)c, 'B', '\n' }, without[] = "AB\n";
			const char upper[] = { 'A', (char)(c >= 'a' && c <= 'z' ? c - 32 : c), 'B', '\n' };
			const bool counts = l == 0 ? c >= 0x20 && c <= 0x7e
			                    : l == 2 || (c != 0 && strchr(dictionary, c) != NULL);
			bool same;

			if (c == '\n')
				continue;
			same = strcmp(relation(&order, line, 4, without, 3), "=") == 0;
			CHECK(same == !counts, "-%s: byte %d", letters[l], c);
			same = strcmp(relation(&order, line, 4, upper, 4), "=") == 0;
			CHECK(same == (l == 2 || upper[1] == line[1] || !counts), "-%s: case of byte %d",
			      letters[l], c);
		}
		gs_line_order_close(&order);
	}
}

/* Of V: '~', letters, and other bytes; each of them is before the next. */
static void
check_bytes_of_versions(void)
{
	static const char first[] = "~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	const struct options options = { .letters = "V", .stable = true };
	const int firsts = sizeof first - 1;
	struct gs_line_order order;
	char one[] = "x~\n", other[] = "x~\n";

	CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
	for (int next = 1; next < firsts + 256; next++) {
		const int c = next < firsts ? first[next] : next - firsts;

		if (next >= firsts && c > 0 &&
		    (strchr(first, c) != NULL || strchr("0123456789\n", c) != NULL))
			continue;
		other[1] = (char)c;
		CHECK(strcmp(relation(&order, one, 3, other, 3), "<") == 0, "byte %d is before byte %d",
		      (unsigned char)one[1], c);
		one[1] = (char)c;
	}
	gs_line_order_close(&order);
}

/* ---- long numbers ------------------------------------------------------------------- */

/* Two numbers of so many digits that differ only in the last one, and the same by an exponent. */
static void
check_long(const char *letters, size_t digits)
{
	const struct options options = { .letters = letters, .stable = true };
	struct gs_line_order order;
	char *one = malloc(digits + 3), *other = malloc(digits + 3);

	memset(one, '7', digits);
	memcpy(other, one, digits);
	one[0] = other[0] = '-';
	one[digits] = '1';
	other[digits] = '2';
	one[digits + 1] = other[digits + 1] = '\n';
	CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
	CHECK(strcmp(relation(&order, one, digits + 2, other, digits + 2), *letters == 'n' ? ">" : "<") == 0,
	      "-%s: %zu digits count", letters, digits);
	gs_line_order_close(&order);
	free(one);
	free(other);
}

/* Pairs of numbers, the second ten times the first: their exponent is in one byte, or in others. */
static void
check_exponents(void)
{
	const struct options options = { .letters = "n", .stable = true };
	struct gs_line_order order;

	CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
	for (int zeros = 0; zeros < 80; zeros++)
		for (int kind = 0; kind < 4; kind++) {
			const char *const sign = kind % 2 > 0 ? "-" : "";
			char one[MOST_BYTES], other[MOST_BYTES];

			if (kind < 2) {
				sprintf(one, "%s.%0*d1\n", sign, zeros + 1, 0);
				sprintf(other, zeros > 0 ? "%s.%0*d1\n" : "%s.1\n", sign, zeros, 0);
			} else {
				sprintf(one, zeros > 0 ? "%s1%0*d\n" : "%s1\n", sign, zeros, 0);
				sprintf(other, "%s1%0*d\n", sign, zeros + 1, 0);
			}
			CHECK(strcmp(relation(&order, one, strlen(one), other, strlen(other)),
			             kind % 2 > 0 ? ">" : "<") == 0, "%.*s and ten times that",
			      (int)strlen(one) - 1, one);
		}
	gs_line_order_close(&order);
}

/* As strtold(3) reads them: 12,000 digits decide how a float is rounded. */
static void
check_long_float(const struct gs_line_order *order, const char *head, size_t digits, const char *tail)
{
	char *text = malloc(digits + 64), expected[64];
	const size_t bytes = (size_t)sprintf(text, "%s", head);
	size_t rest;

	memset(text + bytes, '0', digits);
	rest = (size_t)sprintf(text + bytes + digits, "%s\n", tail);
	sprintf(expected, "%.40La\n", strtold(text, NULL));
	CHECK(strcmp(relation(order, text, bytes + digits + rest, expected, strlen(expected)), "=") == 0,
	      "%s, %zu zeros, %s", head, digits, tail);
	free(text);
}

static void
check_long_floats(void)
{
	const struct options options = { .letters = "g", .stable = true };
	static const struct { const char *head, *tail; } rows_of_two[] = {
		{ "9007199254740993.0", "1" }, { "18446744073709551617.0", "1" },
		{ "0x1.00000000000000010", "1p0" }, { "000", "1e2990" }, { "000", ".1e9" },
		{ "-0X.0", "1P12010" }, { "0x1.8", "1p-9" }, { ".5", "1E-30" }, { "+1.5", ".5e9" },
		{ "0x1.8", "" }, { "0xg", "1" }, { "1", "e9999999999" }, { "1", "e-9999999999" },
	};
	struct gs_line_order order;

	CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
	for (size_t r = 0; r < sizeof rows_of_two / sizeof rows_of_two[0]; r++)
		for (size_t digits = 3000; digits <= 12000; digits += 9000)
			check_long_float(&order, rows_of_two[r].head, digits, rows_of_two[r].tail);
	gs_line_order_close(&order);
}

/* ---- random lines: words agree with the comparison ------------------------------------ */

/* Of any bytes, or mostly an integer, or a number with points. */
static size_t
make_line(uint64_t *state, char *into)
{
	static const char letters[] = "0123456789000...--++eE,,;; \t\"\"aAbBzZ~kKMG_\0\1\2\377\303janFEB";
	const size_t all = sizeof letters - 1, kinds[] = { all, 10, all, 16 };
	const size_t bytes = units_mix(++*state) % 24, used = kinds[units_mix(++*state) % 4];

	for (size_t b = 0; b < bytes; b++) {
		const uint64_t drawn = units_mix(++*state);

		into[b] = letters[drawn / 16 % (drawn % 16 > 0 ? used : all)];
	}
	into[bytes] = '\n';
	return bytes + 1;
}

static size_t
other_at(uint64_t *state, size_t count)
{
	return units_mix(++*state) % count;
}

/* Do the eight bytes from each place agree with words that begin elsewhere? */
static bool
words_overlap(const struct gs_line_order *order, const char *line, uint32_t bytes)
{
	uint64_t words[4], word;

	for (unsigned w = 0; w < 4; w++)
		(void)gs_line_words(order, &line, &bytes, 1, 8 * w, &words[w]);
	for (unsigned at = 1; at < 24; at++) {
		(void)gs_line_words(order, &line, &bytes, 1, at, &word);
		if (at % 8 > 0 && word != (words[at / 8] << 8 * (at % 8) |
		                           words[at / 8 + 1] >> (64 - 8 * (at % 8))))
			return false;
	}
	return true;
}

/* Words of many lines at once, with the vectors of any processor: are they those of each line without? */
static bool
words_of_many_agree(const struct gs_line_order *order, uint64_t *state, unsigned at)
{
	enum { MANY = 140 };
	char text[MANY][MOST_BYTES];
	const char *lines[MANY];
	uint32_t bytes[MANY];
	uint64_t words[MANY], word;
	bool agree = true;

	for (unsigned i = 0; i < MANY; i++) {
		bytes[i] = (uint32_t)make_line(state, text[i]);
		while (bytes[i] < MOST_BYTES - 32 && other_at(state, 3) > 0)	/* longer than a vector */
			bytes[i] += (uint32_t)make_line(state, text[i] + bytes[i] - 1) - 1;
		lines[i] = text[i];
	}
	for (int simd = GS_SIMD_NONE; simd <= GS_SIMD_AVX512; simd++) {
		gs_simd_at_most((enum gs_simd)simd);
		(void)gs_line_words(order, lines, bytes, MANY, at, words);
		gs_simd_at_most(GS_SIMD_NONE);
		for (unsigned i = 0; i < MANY; i++) {
			(void)gs_line_words(order, lines + i, bytes + i, 1, at, &word);
			agree &= word == words[i];
		}
	}
	gs_simd_at_most(GS_SIMD_AVX512);
	return agree;
}

static void
check_random(void)
{
	static const struct options all[] = {
		{ .letters = "" }, { .letters = "r" }, { .letters = "n" }, { .letters = "gr" },
		{ .letters = "h" }, { .letters = "M" }, { .letters = "V" }, { .letters = "Vr" },
		{ .letters = "df" }, { .letters = "i" }, { .letters = "fi", .stable = true },
		{ .keys = { "2,2n", "1" }, .separator = "," }, { .keys = { "2V", "1.2,1.3r" } },
		{ .keys = { "1.2g", "2h" }, .separator = "." }, { .keys = { "2,2", "1n" }, .csv = true },
		{ .keys = { "2df,3", "1bM" }, .csv = true, .letters = "r" },
		{ .keys = { "1,1", "2,2nr" }, .separator = ",", .stable = true },
		{ .keys = { "1.2,1.11" }, .stable = true }, { .keys = { "1.3r" } },
		{ .keys = { "1,1.9", "1.1nb,2.1" } }, { .keys = { "2.2b,2.9b", "1.2,2" }, .separator = "," },
		{ .keys = { "2.2n,3", "1.3b,3.2bf" }, .separator = "," },
		{ .keys = { "2nr" }, .letters = "r" }, { .keys = { "1,1n" }, .separator = "," },
		{ .keys = { "2,2n" }, .separator = " " },
		{ .keys = { "2,2" }, .separator = ",", .letters = "r" },
		{ .keys = { "3,3r", "2,2f", "1n" }, .csv = true },
		{ .keys = { "2b,2", "1,1" }, .stable = true }, { .keys = { "2b,2", "1,1g" }, .csv = true },
		{ .keys = { "1,1r", "2n" }, .separator = ",", .stable = true },
		{ .keys = { "3,3n" }, .separator = "," }, { .keys = { "4nr" } },
		{ .keys = { "70,70", "1,1" } }, { .keys = { "1.70,1" } }, { .keys = { "1,1", "2,70" } },
		{ .keys = { "1,2.70" }, .stable = true }, { .keys = { "1,1.2", "2,2:ip" }, .separator = "," },
	};
	uint64_t state = 5;

	for (size_t a = 0; a < sizeof all / sizeof all[0]; a++) {
		const unsigned rounds = units_brief() ? 20000 : 200000;
		struct gs_line_order order;
		unsigned wrong = 0;

		CHECK(open_order(&order, &all[a], false) == GS_OK, "%s", gs_message());
		for (unsigned r = 0; r < rounds; r++) {
			char one[MOST_BYTES], other[MOST_BYTES];
			const size_t one_bytes = make_line(&state, one);
			size_t other_bytes = make_line(&state, other);

			if (r % 2 == 0) {	/* nearly the same line */
				memcpy(other, one, other_bytes = one_bytes);
				other[other_at(&state, one_bytes)] ^= 1;
			}
			wrong += strcmp(relation(&order, one, one_bytes, other, other_bytes),
			                "the words disagree") == 0 ||
			         !words_overlap(&order, one, (uint32_t)one_bytes);
		}
		for (unsigned at = 0; at < 128; at += at < 24 ? 1 : 13)
			wrong += !words_of_many_agree(&order, &state, at);
		CHECK(wrong == 0, "options %zu: words disagree with %u comparisons", a, wrong);
		gs_line_order_close(&order);
	}
}

/* ---- which keys are usual, and how words are made of them ------------------------------ */

/* For each key 'u' if it is usual, or '-'; then what words of many lines begin with, as in struct
 * gs_line_order: n a number, p a pair, t texts, f a fixed string, a if nothing follows it, r if it is
 * descending. */
static const struct {
	struct options options;
	const char *usual, *ways;
	size_t      from, to;		/* of the fixed string */
} ways[] = {
	{ { .letters = "" }, "", "tfa", 0, SIZE_MAX }, { { .letters = "r" }, "", "tfar", 0, SIZE_MAX },
	{ { .letters = "f" }, "u", "t", 0, 0 }, { { .letters = "b" }, "u", "t", 0, 0 },
	{ { .letters = "d" }, "-", "", 0, 0 }, { { .letters = "i" }, "-", "", 0, 0 },
	{ { .letters = "M" }, "u", "", 0, 0 }, { { .letters = "V" }, "-", "", 0, 0 },
	{ { .letters = "Mf" }, "-", "", 0, 0 }, { { .letters = "g" }, "-", "", 0, 0 },
	{ { .letters = "h" }, "u", "", 0, 0 }, { { .letters = "hf" }, "-", "", 0, 0 },
	{ { .letters = "n" }, "u", "tn", 0, 0 }, { { .letters = "nf" }, "u", "tn", 0, 0 },
	{ { .letters = "nr", .stable = true }, "u", "tn", 0, 0 },
	{ { .keys = { "1,1:ip" } }, "u", "", 0, 0 }, { { .keys = { "1,1:time" } }, "u", "", 0, 0 },
	/* where the bytes of the first key are */
	{ { .keys = { "1" } }, "u", "tf", 0, SIZE_MAX },
	{ { .keys = { "1" }, .stable = true }, "u", "tfa", 0, SIZE_MAX },
	{ { .keys = { "1r", "2" }, .stable = true }, "uu", "tfr", 0, SIZE_MAX },
	{ { .keys = { "1" }, .letters = "r" }, "u", "tfr", 0, SIZE_MAX },
	{ { .keys = { "1.3,1.5" } }, "u", "tf", 2, 5 }, { { .keys = { "1.3" } }, "u", "tf", 2, SIZE_MAX },
	{ { .keys = { "1,1.1" } }, "u", "tf", 0, 1 }, { { .keys = { "1,1" } }, "u", "t", 0, 0 },
	{ { .keys = { "1,2.1" } }, "u", "t", 0, 0 }, { { .keys = { "1b,1.1" } }, "u", "t", 0, 0 },
	{ { .keys = { "1,1.1b" } }, "u", "t", 0, 0 }, { { .keys = { "2" } }, "u", "t", 0, 0 },
	{ { .keys = { "1.3,1.5" }, .csv = true }, "u", "t", 0, 0 },
	{ { .letters = "", .csv = true }, "", "tfa", 0, SIZE_MAX },
	{ { .keys = { "2,1" } }, "-", "", 0, 0 }, { { .keys = { "3,2.5" } }, "-", "", 0, 0 },
	{ { .keys = { "2,2.1" } }, "u", "t", 0, 0 }, { { .keys = { "2,3" } }, "u", "t", 0, 0 },
	/* numbers, and the bytes around them */
	{ { .keys = { "2n" } }, "u", "tn", 0, 0 }, { { .keys = { "2,2n" } }, "u", "tn", 0, 0 },
	{ { .keys = { "2.2n" } }, "u", "", 0, 0 }, { { .keys = { "2,2.5n" } }, "u", "", 0, 0 },
	{ { .keys = { "2.2,2n" }, .csv = true }, "-", "", 0, 0 },
	{ { .keys = { "2,2.2n" }, .csv = true }, "-", "", 0, 0 },
	{ { .keys = { "2.2,2.1n" }, .csv = true }, "-", "", 0, 0 },
	{ { .keys = { "2,2n" }, .csv = true }, "u", "tn", 0, 0 },
	{ { .keys = { "1,1", "2,2n" } }, "uu", "tp", 0, 0 },
	{ { .keys = { "1r,1", "2n" } }, "uu", "tp", 0, 0 },
	{ { .keys = { "1", "2n" } }, "uu", "tpf", 0, SIZE_MAX },
	{ { .keys = { "1f,1", "2n" } }, "uu", "t", 0, 0 }, { { .keys = { "1,1", "2.2n" } }, "uu", "", 0, 0 },
	{ { .keys = { "1,1", "2h" } }, "uu", "", 0, 0 }, { { .keys = { "1d,1", "2n" } }, "-u", "", 0, 0 },
	{ { .keys = { "2n", "1,1" } }, "uu", "tn", 0, 0 }, { { .keys = { "1M", "2n" } }, "uu", "", 0, 0 },
	{ { .keys = { "1n", "2n" } }, "uu", "tn", 0, 0 }, { { .keys = { "2n", "1V" } }, "u-", "n", 0, 0 },
	/* bytes that may be part of a number do not separate it from others */
	{ { .keys = { "2n" }, .separator = "-" }, "-", "", 0, 0 },
	{ { .keys = { "2n" }, .separator = "." }, "-", "", 0, 0 },
	{ { .keys = { "2n" }, .separator = "/" }, "u", "tn", 0, 0 },
	{ { .keys = { "2n" }, .separator = "0" }, "-", "", 0, 0 },
	{ { .keys = { "2n" }, .separator = "9" }, "-", "", 0, 0 },
	{ { .keys = { "2n" }, .separator = ":" }, "u", "tn", 0, 0 },
	{ { .keys = { "2n" }, .separator = "@" }, "u", "tn", 0, 0 },
	{ { .keys = { "2n" }, .separator = "A" }, "-", "", 0, 0 },
	{ { .keys = { "2h" }, .separator = "z" }, "-", "", 0, 0 },
	{ { .keys = { "2n" }, .separator = "{" }, "u", "tn", 0, 0 },
	{ { .keys = { "2" }, .separator = "-" }, "u", "t", 0, 0 },
	/* keys within the first bytes of lines */
	{ { .keys = { "64" } }, "u", "t", 0, 0 }, { { .keys = { "65" } }, "u", "", 0, 0 },
	{ { .keys = { "2.64" } }, "u", "t", 0, 0 }, { { .keys = { "2.65" } }, "u", "", 0, 0 },
	{ { .keys = { "2,64" } }, "u", "t", 0, 0 }, { { .keys = { "2,65" } }, "u", "", 0, 0 },
	{ { .keys = { "2,2.63" } }, "u", "t", 0, 0 }, { { .keys = { "2,2.64" } }, "u", "", 0, 0 },
	{ { .keys = { "2", "65" } }, "uu", "", 0, 0 }, { { .keys = { "65", "2" } }, "uu", "", 0, 0 },
};

static void
check_ways(void)
{
	for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
		struct gs_line_order order;
		char usual[MOST_KEYS + 1] = "", found[8] = "";
		const struct gs_line_string *string = &order.string;

		CHECK(open_order(&order, &ways[w].options, false) == GS_OK, "%s", gs_message());
		for (size_t k = 0; k < order.key_count; k++)
			usual[k] = order.keys[k].usual ? 'u' : '-';
		sprintf(found, "%s%s%s%s", order.texts ? "t" : "", order.number ? "n" : "",
		        order.pair ? "p" : "", order.fixed ? "f" : "");
		if (order.fixed)
			sprintf(found + strlen(found), "%s%s", string->alone ? "a" : "",
			        string->flip ? "r" : "");
		CHECK(strcmp(usual, ways[w].usual) == 0 && strcmp(found, ways[w].ways) == 0,
		      "row %zu: keys are '%s', words '%s'", w, usual, found);
		CHECK(!order.fixed || (string->from == ways[w].from && string->to == ways[w].to),
		      "row %zu: a string from %zu to %zu", w, string->from, string->to);
		gs_line_order_close(&order);
	}
}

/* Where words stop: at each text in the order of a locale, of the first 16 keys. */
static void
check_stops(void)
{
	static const char line[] = "ab \"c\" d\n";
	static const struct {
		bool   csv;
		size_t key;		/* of 18, each a field and all behind it */
		const char *text;	/* NULL: words do not stop there */
	} stops[] = {
		{ false, 0, "ab \"c\" d" }, { false, 1, " \"c\" d" }, { false, 2, " d" }, { false, 15, "" },
		{ false, 16, NULL }, { false, 17, NULL }, { true, 0, "ab" }, { true, 1, NULL },
	};

	for (size_t s = 0; s < sizeof stops / sizeof stops[0]; s++) {
		const char *keys[18], *text = NULL;
		char names[18][8];
		const struct gs_line_options options = {
			.keys = keys, .key_count = 18, .terminator = '\n', .csv = stops[s].csv,
			.separator = stops[s].csv ? " " : NULL,
		};
		const unsigned at = (unsigned)stops[s].key * GS_LINE_KEY_STEP;
		struct gs_line_order order;
		size_t bytes = 0;
		unsigned next;

		for (int k = 0; k < 18; k++) {
			sprintf(names[k], stops[s].csv ? "%d,%d" : "%d", k + 1, k + 1);
			keys[k] = names[k];
		}
		CHECK(gs_line_order_open(&order, &options) == GS_OK, "%s", gs_message());
		CHECK(gs_line_stop(&order, at, line, sizeof line - 1, &text, &bytes) == 0, "bytes are words");
		for (size_t k = 0; k < 18; k++)
			order.keys[k].ordering = GS_BY_COLLATION;
		next = gs_line_stop(&order, at, line, sizeof line - 1, &text, &bytes);
		CHECK(next == (stops[s].text == NULL ? 0 : at + GS_LINE_KEY_STEP), "stop %zu: at %u", s,
		      next);
		CHECK(next == 0 || (bytes == strlen(stops[s].text) &&
		                    memcmp(text, stops[s].text, bytes) == 0), "stop %zu: %zu bytes", s,
		      bytes);
		CHECK(gs_line_stop(&order, 18 * GS_LINE_KEY_STEP, line, sizeof line - 1, &text,
		                   &bytes) == 0, "the key is missing");
		CHECK(gs_line_order_word_bytes(&order) == 0, "no tie of words is one of lines");
		for (size_t k = 0; k < 18; k++)
			order.keys[k].ordering = GS_BY_BYTES;
		CHECK(gs_line_order_word_bytes(&order) == GS_LINE_WORD_BYTES, "words have all bytes");
		order.keys[17].ordering = GS_BY_COLLATION;
		CHECK(gs_line_order_word_bytes(&order) == 0, "not if one key has them not");
		gs_line_order_close(&order);
	}
}

/* ---- columns by name, and ends of lines ------------------------------------------------ */

static void
check_names(void)
{
	static const struct {
		struct options options;
		const char *header;
		int field;		/* from 0; -1: there is none; -2: the key is wrong */
		unsigned letters;
	} names[] = {
		{ { .separator = ",", .keys = { "price" } }, "id,price,day\n", 1, 0 },
		{ { .separator = ",", .keys = { "price:nr" } }, "id,price,day\n", 1,
		  GS_LETTER_N | GS_LETTER_R },
		{ { .separator = ",", .keys = { "day" } }, "id,price,day\r\n", 2, 0 },
		{ { .csv = true, .keys = { "day" } }, "id,price,day\r\r\n", -1, 0 },
		{ { .separator = ",", .keys = { "id" } }, "id,price,id\n", -1, 0 },
		{ { .keys = { "a:ipbr" } }, "a b\n", 0, GS_LETTER_IP | GS_LETTER_R },
		{ { .csv = true, .keys = { "\"a\"\"" } }, "\"a\"\"\"\n", -2, 0 },
		{ { .keys = { "\"\"" } }, "a b\n", -2, 0 },
		{ { .keys = { "\"a\"n" } }, "a b\n", -2, 0 },
		{ { .keys = { ":n" } }, "a b\n", -2, 0 },
		{ { .keys = { "1:n" } }, "1 b\n", -2, 0 },
		{ { .separator = ",", .keys = { "id" } }, "id,price,day", 0, 0 },
		{ { .separator = ",", .keys = { "a:x" } }, "id,a:x,day\n", 1, 0 },
		{ { .csv = true, .keys = { "a,b" } }, "\357\273\277\"a,b\",c\r\n", 0, 0 },
		{ { .keys = { "id" } }, "\357\273\277id price\n", 0, 0 },
		{ { .csv = true, .keys = { "unit, price:n" } }, "id,\"unit, price\"\n", 1, GS_LETTER_N },
		{ { .csv = true, .keys = { "\"unit, price\":n" } }, "id,\"unit, price\"\n", 1, GS_LETTER_N },
		{ { .csv = true, .keys = { "\"2024\":nr" } }, "2023,2024\n", 1, GS_LETTER_N | GS_LETTER_R },
		{ { .csv = true, .keys = { "\"a \"\"b\"\"\"" } }, "2023,\"a \"\"b\"\"\"\n", 1, 0 },
		{ { .separator = ",", .keys = { "\"a:n\"" } }, "a,a:n\n", 1, 0 },
		{ { .separator = ",", .keys = { "\"a\"" } }, "\"b\",aa\n", -1, 0 },
		{ { .keys = { "price" } }, "id   price day\n", 1, 0 },
		{ { .separator = ",", .keys = { "pric" } }, "id,price,day\n", -1, 0 },
		{ { .separator = ",", .keys = { "prices" } }, "id,price,day\n", -1, 0 },
		{ { .separator = ",", .keys = { "x" } }, "", -1, 0 },
	};

	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
		struct gs_line_order order;
		gs_status status;

		status = open_order(&order, &names[n].options, true);
		CHECK((status == GS_OK) == (names[n].field > -2), "%s", gs_message());
		THEN(status, gs_line_order_header(&order, names[n].header, strlen(names[n].header)));
		CHECK((status == GS_OK) == (names[n].field >= 0), "a column in %s", names[n].header);
		if (status == GS_OK)
			CHECK(order.keys[0].end_field == (size_t)names[n].field &&
			      order.keys[0].letters == names[n].letters, "column %d of %s",
			      names[n].field, names[n].header);
		gs_line_order_close(&order);
	}
}

#define ZEROS	"00000000000000000000000000000000000000000000000000"

/* Numbers that ties of their first words are equal to: nobody compares them, or makes other words. */
static void
check_last_words(void)
{
	static const struct {
		struct options options;
		bool        more;
		const char *line;
		unsigned    at;
	} words[] = {
		{ { .letters = "n", .stable = true }, false, "5\n", 0 },
		{ { .letters = "n", .stable = true }, false, "-5\n", 0 },
		{ { .letters = "nr", .stable = true }, false, "0.05\n", 0 },
		{ { .letters = "n", .stable = true }, false, "-.25\n", 0 },
		{ { .letters = "n", .stable = true }, false, "x\n", 0 },
		{ { .letters = "nr", .stable = true }, false, "-1234567890123456\n", 0 },
		{ { .letters = "n", .stable = true }, true, "12345678901234567\n", 0 },
		{ { .letters = "n", .stable = true }, true, "-12345678901234567\n", 0 },
		{ { .letters = "n" }, true, "0.05\n", 0 },
		{ { .keys = { "2n" }, .stable = true }, false, "x 1.50\n", 0 },
		{ { .keys = { "2n" }, .csv = true, .stable = true }, false, "\"x,\"\"\",-1.5\n", 0 },
		{ { .keys = { "2n", "1n" }, .stable = true }, true, "x 0.5\n", 0 },
		/* an exponent ends where a number does in other words */
		{ { .letters = "n", .stable = true }, true, "1" ZEROS ZEROS ZEROS ZEROS "00\n", 1 },
		{ { .keys = { "1,1d", "2n" }, .separator = " ", .stable = true }, true,
		  "abcdef 1234567890123456789\n", 0 },
	};

	for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
		const uint32_t bytes = (uint32_t)strlen(words[w].line);
		struct gs_line_order order;
		uint64_t word;

		CHECK(open_order(&order, &words[w].options, false) == GS_OK, "%s", gs_message());
		CHECK(gs_line_words(&order, &words[w].line, &bytes, 1, words[w].at, &word) == words[w].more,
		      "row %zu: %s", w, words[w].line);
		gs_line_order_close(&order);
	}
}

static void
check_ends(void)
{
	static const char rows_of_two[] = "a,\"b\n\"\"c\"\n\"\n\",d\ne,\"";
	const struct options options = { .csv = true };
	const char *limit = rows_of_two + sizeof rows_of_two - 1;
	struct gs_line_order order;

	CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
	CHECK(gs_line_end(&order, rows_of_two, limit) == rows_of_two + 10, "a newline within quotes");
	CHECK(gs_line_end(&order, rows_of_two + 10, limit) == rows_of_two + 16, "and alone there");
	CHECK(gs_line_end(&order, rows_of_two + 16, limit) == limit, "no end");
	CHECK(gs_line_last_end(&order, rows_of_two, limit) == rows_of_two + 16, "the last end");
	CHECK(gs_line_last_end(&order, rows_of_two, rows_of_two + 9) == rows_of_two, "none before");
	gs_line_order_close(&order);
}

/* ---- is a field the number that its key wants, and which? -------------------------------- */

enum verdict { WRONG, MISSING, SOUND };

static const struct {
	const char  *letter, *field;
	enum verdict verdict;
	double       value;		/* of n, g and h */
} fields[] = {
	{ "n", "5", SOUND, 5 }, { "n", "-5", SOUND, -5 }, { "n", " 5", SOUND, 5 }, { "n", "5\t", SOUND, 5 },
	{ "n", "5.", SOUND, 5 }, { "n", ".5", SOUND, .5 }, { "n", "-.25", SOUND, -.25 },
	{ "n", "007", SOUND, 7 }, { "n", "-0", SOUND, 0 }, { "n", "1.50", SOUND, 1.5 },
	{ "n", "123456789012345", SOUND, 123456789012345 },
	{ "n", "1234567890.12345", SOUND, 1234567890.12345 },
	{ "n", "9007199254740993.0", SOUND, 9007199254740992 },
	{ "n", "1.234567890123456", SOUND, 1.234567890123456 },
	{ "n", "\"5\"", SOUND, 5 }, { "n", "\" 5 \"", SOUND, 5 },
	{ "n", "", MISSING, 0 }, { "n", " \t", MISSING, 0 }, { "n", "\"\"", MISSING, 0 },
	{ "n", "\" \"", MISSING, 0 },
	{ "n", "+5", WRONG, 0 }, { "n", "5x", WRONG, 0 }, { "n", "x5", WRONG, 0 }, { "n", "-", WRONG, 0 },
	{ "n", ".", WRONG, 0 }, { "n", "--5", WRONG, 0 }, { "n", "1.2.3", WRONG, 0 },
	{ "n", "1e5", WRONG, 0 },
	{ "n", "5 5", WRONG, 0 }, { "n", "5\r5", WRONG, 0 }, { "n", "\"5\"\"\"", WRONG, 0 },
	{ "n", "\"5\"x", WRONG, 0 }, { "n", "\"x\"", WRONG, 0 },
	{ "g", "1e5", SOUND, 1e5 }, { "g", "1E-5", SOUND, 1e-5 }, { "g", "+5", SOUND, 5 },
	{ "g", "1e+2", SOUND, 100 },
	{ "g", "0x10", SOUND, 16 }, { "g", "-inf", SOUND, -1 / 0. }, { "g", "1e-400", SOUND, 0 },
	{ "g", "2.5000", SOUND, 2.5 }, { "g", "1000.00", SOUND, 1000 }, { "g", "", MISSING, 0 },
	{ "g", "1e", WRONG, 0 }, { "g", "1e+", WRONG, 0 }, { "g", "x", WRONG, 0 }, { "g", "1e5x", WRONG, 0 },
	{ "g", "infx", WRONG, 0 }, { "g", "1e5.5", WRONG, 0 }, { "g", "+", WRONG, 0 },
	{ "h", "2K", SOUND, 2048 }, { "h", "2k", SOUND, 2048 }, { "h", "-1.5M", SOUND, -1.5 * (1 << 20) },
	{ "h", "1Ki", SOUND, 1024 }, { "h", "1KB", SOUND, 1024 }, { "h", "1GiB ", SOUND, 1 << 30 },
	{ "h", "7", SOUND, 7 }, { "h", "1.0K", SOUND, 1024 }, { "h", "1Q", SOUND, 0x1p100 },
	{ "h", "", MISSING, 0 },
	{ "h", "5i", WRONG, 0 }, { "h", "5B", WRONG, 0 }, { "h", "K", WRONG, 0 }, { "h", "5KK", WRONG, 0 },
	{ "h", "5KiBx", WRONG, 0 }, { "h", "1e3", WRONG, 0 },
	{ "M", "jan", SOUND, 0 }, { "M", " December", SOUND, 0 }, { "M", "ja", WRONG, 0 },
	{ "M", " ", MISSING, 0 },
	{ ":ip", "1.2.3.4", SOUND, 0 }, { ":ip", " 1.2.3.4 ", SOUND, 0 }, { ":ip", "1.2.3", WRONG, 0 },
	{ ":ip", "1.2.3.4 5", WRONG, 0 }, { ":ip", "", MISSING, 0 },
	{ ":time", "2024-02-29", SOUND, 0 }, { ":time", "2023-02-29", WRONG, 0 },
	{ ":time", " ", MISSING, 0 },
};

/* The field alone, before another, behind one, between two, and twice with quotes in the line.  Each line
 * ends where readable memory ends. */
static void
check_fields(void)
{
	static const struct { const char *before, *behind; } forms[] = {
		{ "", "\n" }, { "", ",7\n" }, { "7,", "\n" }, { "7,", ",7\n" }, { "\"7\",", "\r\n" },
		{ "\",\",", ",8\n" },
	};
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0, "a page and no other");
	for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
		for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
			const size_t column = forms[form].before[0] == '\0' ? 1 : 2;
			char key[64];
			const struct options options = { .keys = { key }, .csv = true };
			const uint32_t bytes[] = { (uint32_t)sprintf(pages, "%s%s%s", forms[form].before,
			                                             fields[f].field, forms[form].behind),
			                           (uint32_t)page, (uint32_t)page };	/* of no line */
			const char *const line = memmove(pages + page - bytes[0], pages, bytes[0]);
			uint64_t value = 0;
			struct gs_line_values values = { .keys = &value };
			struct gs_line_order order;
			size_t at, strict, faulty;

			sprintf(key, "%zu,%zu%s", column, column, fields[f].letter);
			CHECK(open_order(&order, &options, false) == GS_OK, "%s", gs_message());
			faulty = gs_line_fault_find(&order, false, &line, bytes, 1, &at) == 0;
			strict = gs_line_fault_find(&order, true, &line, bytes, 1, &at) == 0;
			CHECK(faulty == (fields[f].verdict == WRONG) && strict == (fields[f].verdict < SOUND),
			      "%s: the field '%s' of %s is %s", key, fields[f].field, pages,
			      faulty ? "wrong" : strict ? "missing" : "sound");
			if (!gs_line_order_has_value(&order)) {
				gs_line_order_close(&order);
				continue;
			}
			CHECK(gs_line_values(&order, false, &line, bytes, 1, &values) == 1 - faulty &&
			      values.count == 1 - strict && values.missing == strict - faulty,
			      "%s: the field '%s' of %s has a value", key, fields[f].field, pages);
			CHECK(strict || value == gs_line_float_key(fields[f].value),
			      "%s: the value of '%s' in %s", key, fields[f].field, pages);
			gs_line_order_close(&order);
		}
	munmap(pages, 2 * page);
}

/* The end of a line, one byte after the other. */
static const char *
slow_end(const struct gs_line_order *order, const char *at, const char *limit)
{
	struct gs_line_place place = GS_LINE_PLACE_BEGIN;
	bool whole = false;

	while (at < limit && !whole)
		at = gs_line_end_within(order, at, at + 1, &place, &whole);
	return at;
}

/* Fields of CSV as programs write them, between quotes or not; one of MEAN ends a line. */
static void
draw_fields(char *text, size_t bytes, unsigned mean, uint64_t *state)
{
	for (size_t b = 0; b < bytes; ) {
		const bool quoted = units_mix(++*state) % 2 > 0;
		size_t left = units_mix(++*state) % 40;

		if (quoted)
			text[b++] = '"';
		for (; left > 0 && b < bytes; left--)
			text[b++] = quoted ? "x,\n"[units_mix(++*state) % 3] : 'x';
		if (quoted && b < bytes)
			text[b++] = '"';
		if (b < bytes)
			text[b++] = units_mix(++*state) % mean == 0 ? '\n' : ',';
	}
}

/* Lines of all lengths, found a few at a time and one by one.  BETWEEN: other bytes of them, and one byte of
 * QUOTES is a quote; 0: around fields only. */
static void
check_split(const struct options *options, const char *between, unsigned quotes)
{
	enum { BYTES = 1 << 14, MOST_ROOM = 70 };
	char *text = malloc(BYTES);
	struct gs_line_order order;
	uint64_t state = 9;
	unsigned wrong = 0;

	CHECK(open_order(&order, options, false) == GS_OK, "%s", gs_message());
	for (unsigned run = 0; run < 40; run++) {
		const unsigned mean = 1 + (unsigned)(units_mix(++state) % 300);
		const char *at = text, *limit = text + BYTES - run, *lines[MOST_ROOM];
		uint32_t bytes[MOST_ROOM];

		draw_fields(text, BYTES, 1 + mean % 9, &state);
		for (size_t b = 0; b < BYTES && quotes > 0; b++)
			text[b] = units_mix(++state) % mean == 0 ? '\n'
			          : units_mix(++state) % quotes == 0 ? '"'
			          : between[units_mix(++state) % strlen(between)];
		while (at < limit) {
			const size_t room = 1 + units_mix(++state) % MOST_ROOM;
			const char *line = at;
			const size_t count = gs_line_split(&order, &at, limit, lines, bytes, room);

			wrong += count == 0 || count > room || (count < room && at < limit);
			for (size_t i = 0; i < count; line += bytes[i++])
				wrong += lines[i] != line ||
				         line + bytes[i] != slow_end(&order, line, limit) ||
				         line + bytes[i] != gs_line_end(&order, line, limit);
			wrong += line != at || (at < limit && gs_line_last_end(&order, text, at) != at);
			if (count == 0)
				break;
		}
	}
	CHECK(wrong == 0, "%u lines are wrong", wrong);
	gs_line_order_close(&order);
	free(text);
}

void unit_line_order(void);
void
unit_line_order(void)
{
	check_rows();
	check_bytes_of_versions();
	check_bytes_of_letters();
	for (size_t digits = 1; digits < 100000; digits = 3 * digits + 1) {
		check_long("n", digits);
		check_long("V", digits);
	}
	check_exponents();
	check_long_floats();
	check_random();
	check_ways();
	check_stops();
	check_names();
	check_fields();
	check_ends();
	for (int simd = GS_SIMD_NONE; simd <= GS_SIMD_AVX512; simd++) {
		gs_simd_at_most((enum gs_simd)simd);
		check_last_words();
		check_split(&(struct options){ .letters = "" }, "x", 16);
		check_split(&(struct options){ .csv = true }, ",", 0);
		check_split(&(struct options){ .csv = true }, ",", 2);
		check_split(&(struct options){ .csv = true }, "x,", 2000);
		check_split(&(struct options){ .csv = true, .separator = ";" }, "xxx,;xxx;xxxxxxxxxx", 10);
	}
}

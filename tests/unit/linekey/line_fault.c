// SPDX-License-Identifier: BSD-2-Clause
/* line_fault.c - the places of keys, messages about keys and headers, and values */
#include <math.h>
#include <string.h>

#include "linekey/line_order.h"
#include "tests/unit/units.h"
#include "text/line.h"

void unit_line_fault(void);

struct options {
	const char *letters, *separator, *keys[3];
	bool csv, names;
};

static void
open_order(struct gs_line_order *order, const struct options *options)
{
	struct gs_line_options all = {
		.keys = options->keys, .letters = options->letters, .separator = options->separator,
		.csv = options->csv, .names = options->names, .terminator = '\n',
	};

	while (all.key_count < 3 && options->keys[all.key_count] != NULL)
		all.key_count++;
	CHECK(gs_line_order_open(order, &all) == GS_OK, "%s", gs_message());
}

/* ---- where keys are ------------------------------------------------------------------ */

/* Below each line what sort(1) --debug prints below it: its first key, or a ^ where that would begin. */
static const struct {
	struct options options;
	const char *line, *mark;
} places[] = {
	{ { .keys = { "2" } }, "ab cd e", "  _____" },
	{ { .keys = { "2,2" } }, "ab cd e", "  ___" },
	{ { .keys = { "2b,2" } }, "ab   cd e", "     __" },
	{ { .keys = { "2.3,2.4" } }, "ab  cdef", "    __" },
	{ { .keys = { "2.2b,2.3b" } }, "ab  cdef", "     __" },
	{ { .keys = { "9" } }, "ab cd", "     ^" },
	{ { .keys = { "2,1" } }, "ab cd", "  ^" },
	{ { .keys = { "1b,1.1" } }, "  ab", " ^" },
	{ { .keys = { "1.2b,1.1" } }, "  ab", "   ^" },
	{ { .letters = "b" }, "  ab", "  __" },
	{ { .letters = "b" }, "  ", "  ^" },
	{ { .letters = "d" }, "a-b", "___" },
	{ { .letters = "n" }, "  -12.50x", "  ______" },
	{ { .letters = "n" }, " x", " ^" },
	{ { .letters = "n" }, " -", " ^" },
	{ { .letters = "n" }, "-x5", "^" },
	{ { .letters = "n" }, ".5.5", "__" },
	{ { .letters = "n" }, "5K", "_" },
	{ { .letters = "h" }, "5KiB", "__" },
	{ { .letters = "h" }, "5 K", "_" },
	{ { .letters = "h" }, "-5.5M9", "_____" },
	{ { .letters = "h" }, "5", "_" },
	{ { .letters = "h" }, "K", "^" },
	{ { .letters = "g" }, " 1e5x", " ___" },
	{ { .letters = "g" }, "x1", "^" },
	{ { .letters = "g" }, "-infinity", "_________" },
	{ { .letters = "M" }, " january", " ___" },
	{ { .letters = "M" }, " ja", " ^" },
	{ { .letters = "V" }, " a1", "___" },
	{ { .keys = { "2n" } }, "ab  12 7", "    __" },
	{ { .keys = { "2,2n" } }, "ab 12", "   __" },
	{ { .keys = { "2,2.2n" } }, "ab 12", "   _" },
	{ { .keys = { "2.1,2.1n" } }, "ab  12", "   ^" },
	{ { .keys = { "2,1n" } }, "ab 12", "  ^" },
	{ { .keys = { "3,2n" } }, "ab 1 2", "    ^" },
	{ { .keys = { "3,1n" } }, "ab 1 2", "     ^" },
	{ { .keys = { "3,1" } }, "ab 1 2", "    ^" },
	{ { .keys = { "3,1g" } }, "ab 1 2", "     ^" },
	{ { .keys = { "3,1M" } }, "ab 1 may", "     ^" },
	{ { .keys = { "1.3,1.2n" } }, "ab-5", "  ^" },
	{ { .keys = { "1.3,1.2n" } }, "ab  12", "  ^" },
	{ { .keys = { "2h,2.3" } }, "ab 5K", "   __" },
	{ { .keys = { "2h,2.2" } }, "ab 5K", "   _" },
	{ { .keys = { "2,2" }, .separator = "," }, "a,bc,d", "  __" },
	{ { .keys = { "2,2n" }, .separator = "," }, "a, 5,d", "   _" },
	{ { .keys = { "2,2" }, .separator = "," }, "a,,d", "  ^" },
	/* fields between quotes: these are marked, too, but not around a number */
	{ { .keys = { "2,2" }, .csv = true }, "a,\"b,c\",d", "  _____" },
	{ { .keys = { "2.2,2.3" }, .csv = true }, "a,\"bcde\",d", "    __" },
	{ { .keys = { "2,2n" }, .csv = true }, "a,\"5\",d", "   _" },
	{ { .keys = { "2,2h" }, .csv = true }, "a,\"5K\",d", "   __" },
	{ { .keys = { "2,2n" }, .csv = true }, "\"a\",5,d", "    _" },
	{ { .keys = { "2,2M" }, .csv = true }, "a,\"may\",d", "   ___" },
	{ { .keys = { "2.1,1.1" }, .csv = true }, "a,\"5\"", "  ^" },
	{ { .keys = { "2.1,1.1n" }, .csv = true }, "a,\"5\"", "  ^" },
	{ { .keys = { "2,2" }, .csv = true }, "a,\"bc", "  ___" },
	{ { .keys = { "2,2" }, .csv = true }, "a,b\r", "  _" },
	{ { .keys = { "2,2:ip" }, .separator = "," }, "a,1.2.3.4,b", "  _______" },
};

static void
check_places(void)
{
	for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
		struct gs_line_order order;
		char line[40], mark[40] = "";
		const size_t bytes = (size_t)sprintf(line, "%s\n", places[p].line);
		size_t begin, end;

		open_order(&order, &places[p].options);
		gs_line_key_place(&order, 0, line, bytes, &begin, &end);
		memset(mark, ' ', begin);
		memset(mark + begin, end > begin ? '_' : '^', end > begin ? end - begin : 1);
		CHECK(begin <= end && end < bytes && strcmp(mark, places[p].mark) == 0,
		      "place %zu:\n%s\n%s\n%s", p, places[p].line, mark, places[p].mark);
		gs_line_order_close(&order);
	}
}

/* ---- lines that are wrong --------------------------------------------------------------- */

static const struct {
	struct options options;
	const char *header;	/* or NULL */
	const char *line;
	size_t      key;	/* at fault; 9: none */
	bool        missing;	/* a missing value is a fault */
	const char *reason;
} reasons[] = {
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,x\n", 0, false,
	  "column 2: not a number: \"x\"" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,5\n", 9, false, "" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,1e5\n", 0, false,
	  "column 2: not a decimal number: \"1e5\"" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,\"1,5\"\n", 0, false,
	  "column 2: not a number: \"1,5\"" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,\n", 9, false, "" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,\n", 0, true, "" },
	{ { .keys = { "2,2h" }, .csv = true }, NULL, "a,5X\n", 0, false,
	  "column 2: not a number: \"5X\"" },
	{ { .keys = { "2,2g" }, .csv = true }, NULL, "a,1e\r\n", 0, false,
	  "column 2: not a number: \"1e\r\"" },
	{ { .keys = { "2,2M" }, .csv = true }, NULL, "a,x\n", 0, false,
	  "column 2: not a month: \"x\"" },
	{ { .keys = { "1,1:ip" } }, NULL, "1.2.3 x\n", 0, false,
	  "column 1: not an IPv4 address: \"1.2.3\"" },
	{ { .keys = { "1,1:time" } }, NULL, "noon\n", 0, false,
	  "column 1: not a time from 1677-09-21 to 2554-07-21: \"noon\"" },
	{ { .keys = { "price:n" }, .csv = true, .names = true }, "id,price\n", "a,x\n", 0, false,
	  "column \"price\": not a number: \"x\"" },
	{ { .keys = { "\"price\":n" }, .csv = true, .names = true }, "id,price\n", "a,x\n", 0, false,
	  "column \"price\": not a number: \"x\"" },
	{ { .keys = { "1,1", "2,2n", "3,3n" }, .csv = true }, NULL, "a,5,x\n", 2, false,
	  "column 3: not a number: \"x\"" },
	{ { .keys = { "2,2n", "3,3n" }, .csv = true }, NULL, "a,x,y\n", 0, false,
	  "column 2: not a number: \"x\"" },
	{ { .keys = { "2,2n", "3,3n" }, .csv = true }, NULL, "a,,y\n", 1, false,
	  "column 3: not a number: \"y\"" },
	{ { .keys = { "2,2n", "3,3n" }, .csv = true }, NULL, "a,,y\n", 1, true,
	  "column 3: not a number: \"y\"" },
	{ { .keys = { "2,2n", "3,3n" }, .csv = true }, NULL, "a,,\n", 0, true, "" },
	{ { .keys = { "2,2n", "3,3n" }, .csv = true }, NULL, "a,1,\n", 1, true, "" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,0123456789012345678901234567890123456789x\n", 0,
	  false,
	  "column 2: not a number: \"0123456789012345678901234567890123456789...\"" },
	{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,012345678901234567890123456789012345678x\n", 0, false,
	  "column 2: not a number: \"012345678901234567890123456789012345678x\"" },
	{ { .keys = { "2,2n" }, .separator = "," }, NULL, "a,x\n", 9, false, "" },
	{ { .keys = { "price:n" }, .names = true }, "id price\n", "a x,\n", 0, false,
	  "column \"price\": not a number: \" x,\"" },
};

static void
check_reasons(void)
{
	for (size_t r = 0; r < sizeof reasons / sizeof reasons[0]; r++) {
		const char *line = reasons[r].line, *header = reasons[r].header;
		const uint32_t bytes = (uint32_t)strlen(line);
		char reason[GS_LINE_FAULT_BYTES] = "";
		struct gs_line_order order;
		size_t key = 9;

		open_order(&order, &reasons[r].options);
		if (header != NULL)
			CHECK(gs_line_order_header(&order, header, strlen(header)) == GS_OK, "%s",
			      gs_message());
		if (gs_line_fault_find(&order, reasons[r].missing, &line, &bytes, 1, &key) == 0)
			gs_line_fault_explain(&order, key, line, bytes, 0, reason);
		CHECK(key == reasons[r].key && strcmp(reason, reasons[r].reason) == 0,
		      "reason %zu: key %zu: \"%s\"", r, key, reason);
		gs_line_order_close(&order);
	}
}

/* After the reason, for a line with a NUMBER, comes the option that would read it. */
static void
check_hints(void)
{
	static const struct {
		struct options options;
		const char *header, *line, *reason;
	} hints[] = {
		{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,1.2.3.4\n",
		  "column 2: not a number: \"1.2.3.4\"; IPv4 addresses need :ip" },
		{ { .keys = { "2,2n" }, .csv = true }, NULL, "a,1e5\n",
		  "column 2: not a decimal number: \"1e5\"; floats need g" },
		{ { .keys = { "3,3n" }, .separator = ";", .csv = true }, NULL, "a;b;31/12/2024\n",
		  "column 3: not a number: \"31/12/2024\"; day, month, year? sort by -k3.7,3.10n "
		  "-k3.4,3.5n -k3.1,3.2n" },
		{ { .keys = { "b:n" }, .csv = true, .names = true }, "a,b\n", "a,1e5\n",
		  "column \"b\": not a decimal number: \"1e5\"; floats need :g" },
	};

	for (size_t h = 0; h < sizeof hints / sizeof hints[0]; h++) {
		const char *line = hints[h].line, *header = hints[h].header;
		char reason[GS_LINE_FAULT_BYTES] = "";
		struct gs_line_order order;

		open_order(&order, &hints[h].options);
		if (header != NULL)
			CHECK(gs_line_order_header(&order, header, strlen(header)) == GS_OK, "%s",
			      gs_message());
		gs_line_fault_explain(&order, 0, line, strlen(line), 7, reason);
		CHECK(strcmp(reason, hints[h].reason) == 0, "hint %zu: %s", h, reason);
		gs_line_order_close(&order);
	}
}

/* ---- headers ---------------------------------------------------------------------------- */

#define TEN	"0123456789"

/* The header lacks the column of a key, or has it twice: the message after the header. */
static const struct {
	int         separator;
	const char *name, *header;
	bool        several;
	const char *hint;
} headers[] = {
	{ ',', "x", "a,b", false, "" }, { ',', "x", "", false, "" }, { ',', "", "a,,b", false, "" },
	{ ',', "a", "a,a", true, "; name one by its number, as in -k 1,1n" },
	{ ',', "A", "a,A,A", true, "; name one by its number, as in -k 1,1n" },
	/* what was meant: other capitals, blanks, quotes or a CR around it */
	{ ',', "Price", "id,price", false, "; did you mean 'price'?" },
	{ ',', "id", "ID,id ", false, "; did you mean 'ID'?" },
	{ ',', " id", "a,id", false, "; did you mean 'id'?" },
	{ ',', "id", "a, id ,b", false, "; did you mean ' id '?" },
	{ ',', "ID", "a,\"id\",b", false, "; did you mean 'id'?" },
	{ ',', "id", "a,id\r", false, "; did you mean 'id\r'?" },
	{ -1, "ID", "a id", false, "; did you mean 'id'?" },
	{ ',', "i", "id", false, "" },
	{ ',', "A" TEN TEN TEN TEN, "a" TEN TEN TEN TEN, false,
	  "; did you mean 'a" TEN TEN TEN "012345678...'?" },
	/* fields that have another separator */
	{ -1, "a", "x,a", false, "; fields between commas need --csv" },
	{ ';', "a", "x,a", false, "; fields between commas need --csv" },
	{ ',', "a", "x;a", false, "; fields between semicolons need -t ';'" },
	{ -1, "a", "x;a", false, "; fields between semicolons need -t ';'" },
	{ ',', "a", "x\ta", false, "; fields between tabs need -t '\\t'" },
	{ -1, "b", "x\ta", false, "" }, { ';', "a", "x;b,c", false, "" },
	{ ',', "a", "{\"a\":1}", false, "; JSON? put the key of each line before it: "
	  "jq -r '[.KEY, tojson] | @tsv'" },
};

static void
check_headers(void)
{
	static const char fifty[] = TEN TEN TEN TEN TEN;
	char text[300], said[600];

	for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++) {
		const char *name = headers[h].name, *header = headers[h].header;
		const char *end = header + strlen(header);
		const gs_status status = gs_line_refuse_header(headers[h].separator, name, strlen(name),
		                                               header, end, headers[h].several);

		sprintf(said, "the header has %s '%s': \"%s\"%s", headers[h].several ? "several columns"
		        : "no column", name, header, headers[h].hint);
		CHECK(status == GS_EINPUT && strcmp(gs_message(), said) == 0, "header %zu: %s", h,
		      gs_message());
	}
	sprintf(text, "%s%s%s%s,a", fifty, fifty, fifty, fifty);
	sprintf(said, "the header has no column 'A': \"%s%s%s%s...\"; did you mean 'a'?", fifty, fifty, fifty,
	        fifty);
	CHECK(gs_line_refuse_header(',', "A", 1, text, text + strlen(text), false) == GS_EINPUT &&
	      strcmp(gs_message(), said) == 0, "%s", gs_message());
}

/* Headers of several files. */
static const struct {
	struct options options;
	const char *one, *other;
	bool same;
} columns[] = {
	{ { .separator = "," }, "a,b\n", "a,b\n", true },
	{ { .separator = "," }, "a,b\n", "a,b", true },
	{ { .separator = "," }, "a,b\r\n", "a,b\n", true },
	{ { .separator = "," }, "a,b\r", "a,b", true },
	{ { .separator = "," }, "a,b\r\r\n", "a,b\n", false },
	{ { .separator = "," }, "\r\n", "\n", true },
	{ { .separator = "," }, "a,b\n", "a,c\n", false },
	{ { .separator = "," }, "a,b\n", "a,bc\n", false },
	{ { .separator = "," }, "a,b\n", "a\n", false },
	{ { .separator = "," }, "a\n", "a,\n", false },
	{ { .separator = "," }, "a,b\n", "\"a\",b\n", false },
	{ { .separator = "," }, "a;b\n", "a,b\n", false },
	{ { .csv = true }, "a,b\n", "\"a\",b\r\n", true },
	{ { .csv = true }, "\"a,b\"\n", "a,b\n", false },
	{ { .csv = true }, "\"a,b\",c\n", "\"a,b\",c\n", true },
	{ { .csv = true }, "a,b\r\r\n", "a,b\r\n", false },
	{ { .letters = NULL }, "a b\n", "a b\n", true },
	{ { .letters = NULL }, "a b\n", "a  b\n", false },
	{ { .letters = NULL }, "a b c\n", "a b\n", false },
};

static void
check_columns(void)
{
	for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
		const char *one = columns[c].one, *other = columns[c].other;
		struct gs_line_order order;

		open_order(&order, &columns[c].options);
		for (int turn = 0; turn < 2; turn++, one = columns[c].other, other = columns[c].one)
			CHECK(gs_line_same_columns(&order, one, strlen(one), other, strlen(other)) ==
			      columns[c].same, "columns %zu", c);
		gs_line_order_close(&order);
	}
}

/* ---- values ------------------------------------------------------------------------------ */

enum { MOST_LINES = 4 };

/* The values of lines up to the first wrong one; the first line whose value was rounded. */
static const struct {
	const char *key;
	bool        missing;	/* is a fault */
	const char *lines[MOST_LINES];
	size_t      good, missed;
	double      values[MOST_LINES];
	int         rounded;	/* the number of a line; -1: none */
	bool        infinite;	/* because it is too large */
} valued[] = {
	{ "1,1n", false, { "1\n", "-2.5\n", "0\n", "-0\n" }, 4, 0, { 1, -2.5, 0, 0 }, -1, false },
	{ "1,1n", false, { "1\n", "\n", "x\n", "2\n" }, 2, 1, { 1 }, -1, false },
	{ "1,1n", true, { "1\n", "\n", "2\n" }, 1, 0, { 1 }, -1, false },
	{ "1,1n", false, { "\n", "\"\"\n", " ,5\n" }, 3, 3, { 0 }, -1, false },
	{ "1,1n", false, { "9007199254740992\n", "9007199254740993\n", "9007199254740995\n" }, 3, 0,
	  { 9007199254740992, 9007199254740992, 9007199254740996 }, 1, false },
	{ "1,1n", false, { "\"1,5\"\n" }, 0, 0, { 0 }, -1, false },
	{ "1,1n", false, { "\"15\"\n", "\" 16 \"\n" }, 2, 0, { 15, 16 }, -1, false },
	{ "1,1n", false, { "1000.000000000000000000000\n", "5.000000000000000000000000\n", ".0\n", "0.0\n" },
	  4, 0, { 1000, 5, 0, 0 }, -1, false },
	{ "1,1n", false, { "123456789012345\n", "1234567890123456\n", "1.2345678901234\n" }, 3, 0,
	  { 123456789012345, 1234567890123456, 1.2345678901234 }, -1, false },
	{ "1,1n", false, { "1.0\n", "9007199254740993.00\n", "10.0\n", "9007199254740993.50\n" }, 4, 0,
	  { 1, 9007199254740992, 10, 9007199254740994 }, 1, false },
	{ "1,1g", false, { "1e400\n", "-1e400\n", "inf\n" }, 3, 0, { INFINITY, -INFINITY, INFINITY }, 0,
	  true },
	{ "1,1g", false, { "inf\n", "1e5\n", "1e-400\n" }, 3, 0, { INFINITY, 1e5, 0 }, -1, false },
	{ "1,1g", false, { "inf\n", "1e5\n", "0x1p-3\n" }, 3, 0, { INFINITY, 1e5, 0.125 }, -1, false },
	{ "1,1h", false, { "2K\n", "-3M\n", "1.5GiB\n", "7\n" }, 4, 0, { 2048, -3145728, 1610612736, 7 }, -1,
	  false },
	{ "1,1h", false, { "1.0K\n", "10.K\n", "9007199254740993K\n" }, 3, 0,
	  { 1024, 10240, 9007199254740992.0 * 1024 }, 2, false },
};

static void
check_lines(size_t v, uint64_t flip)
{
	const struct options options = { .keys = { valued[v].key }, .csv = true };
	const char *lines[MOST_LINES];
	uint32_t bytes[MOST_LINES];
	char text[256], *at = text;
	uint64_t keys[MOST_LINES];
	struct gs_line_values to = { .keys = keys, .flip = flip };
	struct gs_line_order order;
	size_t count = 0, good;

	for (; count < MOST_LINES && valued[v].lines[count] != NULL; count++) {	/* one behind the other */
		lines[count] = at;
		bytes[count] = (uint32_t)sprintf(at, "%s", valued[v].lines[count]);
		at += bytes[count];
	}
	open_order(&order, &options);
	good = gs_line_values(&order, valued[v].missing, lines, bytes, count, &to);
	CHECK(good == valued[v].good && to.missing == valued[v].missed && to.count == good - to.missing,
	      "values %zu: %zu are good, %zu are missing", v, good, (size_t)to.missing);
	for (size_t k = 0; k < to.count; k++)
		CHECK(keys[k] == (gs_line_float_key(valued[v].values[k]) ^ flip), "values %zu: %s", v,
		      lines[k]);
	CHECK(to.rounded == (valued[v].rounded < 0 ? NULL : lines[valued[v].rounded]) &&
	      to.infinite == valued[v].infinite, "values %zu: line %s is rounded", v,
	      to.rounded != NULL ? to.rounded : "none");
	gs_line_order_close(&order);
}

static void
check_values(void)
{
	for (size_t v = 0; v < sizeof valued / sizeof valued[0]; v++) {
		check_lines(v, 0);
		check_lines(v, UINT64_MAX);
	}
}

void
unit_line_fault(void)
{
	check_places();
	check_reasons();
	check_hints();
	check_headers();
	check_columns();
	check_values();
}

// SPDX-License-Identifier: BSD-2-Clause
/* show.c - lines with counts and marks, lists in JSON, records with counts, and the room for each */
#include <stdlib.h>
#include <string.h>

#include "output/emit.h"
#include "tests/unit/units.h"

void unit_show(void);

static struct gs_emit emit;

/* Empty the text, whose memory is larger than ROOM: bytes that should have made it grow are counted. */
static void
give_room(struct gs_show *show, size_t room)
{
	free(show->text);
	show->text = malloc(room + 4096);
	if (show->text == NULL)
		abort();
	show->room = room;
	show->bytes = 0;
}

/* Show ITEM once with each room that is too small, and compare TEXT. */
static void
check_item(const char *item, size_t bytes, const uint64_t *times, const char *text, size_t text_bytes)
{
	struct gs_show *show = &emit.items.show;
	const bool begun = show->begun;

	for (size_t room = 0; room <= text_bytes; room++) {
		give_room(show, room);
		show->begun = begun;
		CHECK(show->item(show, item, bytes, times) == GS_OK && show->bytes <= show->room,
		      "%.*s: %zu bytes in a room of %zu", (int)bytes, item, show->bytes, show->room);
	}
	CHECK(show->bytes == text_bytes && memcmp(show->text, text, text_bytes) == 0, "%.*s: %.*s",
	      (int)bytes, item, (int)show->bytes, show->text);
}

static void
end_show(void)
{
	free(emit.items.show.text);
	emit = (struct gs_emit){ 0 };
}

/* ---- lines --------------------------------------------------------------------------------- */

struct order {
	const char *keys[3], *letters, *separator;
	bool csv, stable;
	const char *locale;
};

static void
open_order(struct gs_line_order *lines, const struct order *order)
{
	struct gs_line_options all = {
		.keys = order->keys, .letters = order->letters, .separator = order->separator,
		.csv = order->csv, .stable = order->stable, .terminator = '\n',
		.locale = order->locale,
	};

	while (all.key_count < 3 && order->keys[all.key_count] != NULL)
		all.key_count++;
	CHECK(gs_line_order_open(lines, &all) == GS_OK, "%s", gs_message());
}

static void
open_lines(struct gsort_options *options, const struct order *order, struct gs_line_order *lines,
           const char *listed)
{
	static const struct gs_item_order items;

	open_order(lines, order);
	options->lines = true;
	options->keydef_count = lines->key_count;
	gs_emit_open_items(&emit, options, &items, lines, listed);
}

#define CSV	.csv = true
#define TWICE	"\303\251\303\251"		/* two characters of four bytes */

/* With counts, as uniq(1) prints lines: 1234567 and 12 times. */
static const struct {
	struct order order;
	const char *line, *shown;
} counted[] = {
	{ { .separator = "," }, "a,b\n", "1234567 a,b\n" },
	{ { .letters = "n" }, "\n", "1234567 \n" },
	{ { CSV }, "a,\"b\"\n", "1234567,a,\"b\"\n" },
	{ { CSV, .separator = ";" }, "a\n", "1234567;a\n" },
	{ { .keys = { "2,2" } }, "a  bc d\n", "1234567   bc\n" },
	{ { .keys = { "2b,2" } }, "a  bc d\n", "1234567 bc\n" },
	{ { .keys = { "2,2n" } }, "a  12 d\n", "1234567 12\n" },
	{ { .keys = { "2,2M" } }, "a  may d\n", "1234567 may\n" },
	{ { .keys = { "2,2g" } }, "a \t 1e5\n", "1234567 1e5\n" },
	{ { .keys = { "2,2V" } }, "a  v1 d\n", "1234567   v1\n" },
	{ { .keys = { "2,2n" } }, "a   \n", "1234567 \n" },
	{ { .keys = { "2,2n", "1,1" } }, "a   \n", "1234567  a\n" },
	{ { .keys = { "1,1", "2,2" } }, "a  bc d\n", "1234567 a  bc\n" },
	{ { .keys = { "2,2", "1,1" } }, "a  bc d\n", "1234567   bc a\n" },
	{ { .keys = { "1,1", "2,2n" } }, "a  12 d\n", "1234567 a 12\n" },
	{ { .keys = { "1,1", "4,4", "2,2" } }, "a b\n", "1234567 a  b\n" },
	{ { .keys = { "2.2,2.3" } }, "a bcde\n", "1234567 bc\n" },
	{ { .keys = { "3,2" } }, "a b c\n", "1234567 \n" },
	{ { .keys = { "2,2", "1,1" }, .separator = "," }, "a,bc,d\n", "1234567 bc,a\n" },
	{ { .keys = { "2,2", "1,1" }, .separator = "," }, "a,,d\n", "1234567 ,a\n" },
	{ { .keys = { "1,1", "2,2", "4,4" }, .separator = "," }, "a, b\n", "1234567 a, b,\n" },
	{ { .keys = { "2,2n" }, .separator = "," }, "a, 5,d\n", "1234567  5\n" },
	{ { .keys = { "2,3" }, .separator = "," }, "a,b,c,d\n", "1234567 b,c\n" },
	{ { .keys = { "1,1" }, CSV }, "\"a\"\"b\",c\n", "1234567,\"a\"\"b\"\n" },
	{ { .keys = { "2,2", "1,1" }, CSV }, "\"a,b\",c\r\n", "1234567,c,\"a,b\"\n" },
	{ { .keys = { "2b,2" }, CSV }, "a,  \"b\"\n", "1234567,  \"b\"\n" },
	{ { .keys = { "1.2,1.3" }, CSV }, "\"a\"\"bc\",d\n", "1234567,\"\"\"b\"\n" },
	{ { .keys = { "1.2,1.5" }, CSV }, "\"a\"\"\"\"\"\"\"\"\",d\n", "1234567,\"\"\"\"\"\"\"\"\"\"\n" },
	{ { .keys = { "1.2,1.2" }, CSV }, "\"a,b\",c\n", "1234567,\",\"\n" },
	{ { .keys = { "1.2,1.2" }, CSV }, "\"a\nb\",c\n", "1234567,\"\n\"\n" },
	{ { .keys = { "1.2,1.2" }, CSV }, "\"a\rb\",c\n", "1234567,\"\r\"\n" },
	{ { .keys = { "1.2,1.2" }, CSV }, "\"abc\",c\n", "1234567,b\n" },
	{ { .keys = { "2.1,2.1", "1.2,1.9" }, CSV }, "\"abc\",d\n", "1234567,d,\"bc,d\"\n" },
	{ { .keys = { "1.2,1.2" }, CSV, .separator = ";" }, "\"a;,\";c\n", "1234567;\";\"\n" },
	{ { .keys = { "1.3,1.3" }, CSV, .separator = ";" }, "\"a;,\";c\n", "1234567;,\n" },
};

static void
check_counted(void)
{
	const uint64_t often = 1234567, rare = 12;

	for (size_t r = 0; r < sizeof counted / sizeof *counted; r++) {
		const char *line = counted[r].line, *shown = counted[r].shown;
		struct gsort_options options = { .counts = true };
		struct gs_line_order lines;
		char rarely[64];

		open_lines(&options, &counted[r].order, &lines, NULL);
		check_item(line, strlen(line), &often, shown, strlen(shown));
		sprintf(rarely, counted[r].order.csv ? "12%s" : "     12%s", shown + 7);
		check_item(line, strlen(line), &rare, rarely, strlen(rarely));
		CHECK((emit.items.show.header != NULL) == (lines.key_count > 0 || counted[r].order.csv),
		      "%s: a header", line);
		gs_line_order_close(&lines);
		end_show();
	}
}

static const struct {
	struct order order;
	const char *header, *shown;
} headers[] = {
	{ { CSV }, "x,y\n", "count,x,y\n" },
	{ { CSV, .separator = ";" }, "x;y\n", "count;x;y\n" },
	{ { CSV }, "\357\273\277x,y\n", "\357\273\277count,x,y\n" },
	{ { CSV }, "x\n\"y\nz\"\n", "count,x\n,\"y\nz\"\n" },
	{ { CSV, .keys = { "2,2", "1,1" } }, "x,\"y z\"\n", "count,\"y z\",x\n" },
	{ { CSV, .keys = { "2.2,2.3" } }, "x,yyyyyyyy\n", "count,yyyyyyyy\n" },
	{ { .keys = { "2,2" } }, "id   name\n", "  count name\n" },
	{ { .keys = { "2.3,2.4n", "1,1" } }, "id   name\n", "  count name id\n" },
	{ { .keys = { "1,1", "2,2" } }, "id   name\nb c\n", "  count id name\n        b c\n" },
	{ { .keys = { "2,2" }, .separator = "\t" }, "id\t name\n", "  count  name\n" },
};

static void
check_headers(void)
{
	for (size_t r = 0; r < sizeof headers / sizeof *headers; r++) {
		const char *header = headers[r].header, *shown = headers[r].shown;
		struct gsort_options options = { .counts = true };
		struct gs_show *show = &emit.items.show;
		struct gs_line_order lines;

		open_lines(&options, &headers[r].order, &lines, NULL);
		for (size_t room = 0; room <= strlen(shown); room++) {
			give_room(show, room);
			CHECK(show->header(show, header, strlen(header)) == GS_OK &&
			      show->bytes <= show->room, "%s: %zu bytes in a room of %zu", header,
			      show->bytes, show->room);
		}
		CHECK(show->bytes == strlen(shown) && memcmp(show->text, shown, show->bytes) == 0, "%s: %.*s",
		      header, (int)show->bytes, show->text);
		gs_line_order_close(&lines);
		end_show();
	}
}

#define UTF8	.locale = "C.UTF-8"

/* As sort --debug prints lines; 5 times with counts. */
static const struct {
	struct order order;
	bool counts;
	const char *line, *shown;
} marked[] = {
	{ { .stable = false }, false, "abc\n", "abc\n___\n" },
	{ { .keys = { "2,2" } }, false, "a bc d\n", "a bc d\n ___\n______\n" },
	{ { .keys = { "2,2", "1,1" }, .stable = true }, false, "a bc d\n", "a bc d\n ___\n_\n" },
	{ { .keys = { "9" }, .stable = true }, false, "a bc\n", "a bc\n    ^ no match for key\n" },
	{ { .keys = { "2,2n" }, .stable = true }, false, "a\tx\n", "a>x\n  ^ no match for key\n" },
	{ { .stable = false }, false, "a\t\tb\n", "a>>b\n____\n" },
	{ { .stable = false }, false, "\n", "\n^ no match for key\n" },
	{ { .stable = false }, false, "a\001\037\177b\n", "a\001\037\177b\n__\n" },
	{ { .keys = { "2.2,2.2" }, .stable = true }, false, "\001\001 bc\n", "\001\001 bc\n _\n" },
	{ { .keys = { "2,2" }, .stable = true, CSV }, false, "\"a\nb\",c\n", "\"a|b\",c\n      _\n" },
	{ { .stable = false }, false, TWICE "\n", TWICE "\n____\n" },
	{ { .keys = { "2,2" }, .stable = true }, true, "a bc d\n", "      5 a bc d\n         ___\n" },
	{ { .keys = { "2,2" }, .stable = true, CSV }, true, "a,bc,d\n", "5,a,bc,d\n    __\n" },
	{ { UTF8 }, false, "\303\251a\344\270\200e\314\201\n",
	  "\303\251a\344\270\200e\314\201\n_____\n" },
	{ { UTF8 }, false, "\377\303\251\303\n", "\377\303\251\303\n___\n" },
	{ { UTF8 }, false, "\302\205b\n", "\302\205b\n_\n" },
	{ { UTF8, .keys = { "2,2" } }, false, "\344\270\200 b\303\n",
	  "\344\270\200 b\303\n  ___\n_____\n" },
	{ { .keys = { "4,4", "4,4", "4,4" } }, false, "a b c         d\n",
	  "a b c         d\n     __________\n     __________\n     __________\n_______________\n" },
};

static void
check_marked(void)
{
	const uint64_t times = 5;

	for (size_t r = 0; r < sizeof marked / sizeof *marked; r++) {
		const char *line = marked[r].line, *shown = marked[r].shown;
		struct gsort_options options = { .underline = true, .counts = marked[r].counts };
		struct gs_line_order lines;

		open_lines(&options, &marked[r].order, &lines, NULL);
		check_item(line, strlen(line), &times, shown, strlen(shown));
		CHECK((emit.items.show.header != NULL) == (marked[r].order.csv && marked[r].counts),
		      "%s: a header", line);
		gs_line_order_close(&lines);
		end_show();
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

#define AS_IT_IS	"\303\251\342\202\254\360\237\230\200 \177/"

/* A line of a list, as its first one and as the second. */
static const struct {
	struct order order;
	bool counts;
	const char *line, *shown;
} values[] = {
	{ { .keys = { "1" } }, false, "ab\n", "\"ab\"" },
	{ { .keys = { "1" } }, false, "\n", "\"\"" },
	{ { .keys = { "1" } }, false, "a\"b\\c\n", "\"a\\\"b\\\\c\"" },
	{ { .keys = { "1" } }, false, "\001\t\037 \n", "\"\\u0001\\u0009\\u001f \"" },
	{ { .keys = { "1" } }, false, AS_IT_IS "\n", "\"" AS_IT_IS "\"" },
	{ { .keys = { "1" } }, false, "\377\303\n", "\"\\udcff\\udcc3\"" },
	{ { .keys = { "1" } }, false, "\355\237\277\355\240\200\n", "\"\355\237\277\\udced\\udca0\\udc80\"" },
	{ { .keys = { "1" } }, false, "\356\200\200\364\217\277\277\364\220\200\200\n",
	  "\"\356\200\200\364\217\277\277\\udcf4\\udc90\\udc80\\udc80\"" },
	{ { .letters = "r" }, true, "ab\n", "{\"value\": \"ab\", \"count\": 5}" },
	{ { .keys = { "2,2" } }, true, "a bc d\n", "{\"value\": \" bc\", \"count\": 5}" },
	{ { .keys = { "2,2n", "1,1" } }, true, "a 12 d\n", "{\"value\": [\"12\", \"a\"], \"count\": 5}" },
	{ { .keys = { "1,1", "2,2", "3,3" } }, true, "\377\377 \001\001\n",
	  "{\"value\": [\"\\udcff\\udcff\", \" \\u0001\\u0001\", \"\"], \"count\": 5}" },
	{ { CSV, .keys = { "1,1", "2,2" } }, true, "\"a\"\"b\",c\r\n",
	  "{\"value\": [\"a\\\"b\", \"c\"], \"count\": 5}" },
	{ { CSV, .keys = { "1.2,1.3" } }, true, "\"a\"\"bc\",c\n", "{\"value\": \"\\\"b\", \"count\": 5}" },
};

static void
check_json(void)
{
	static const char begin[] = "{\"keys\": 9, \"top\": [", end[] = "]}\n";
	const uint64_t times = 5;

	for (size_t r = 0; r < sizeof values / sizeof *values; r++) {
		const uint64_t *count = values[r].counts ? &times : NULL;
		const char *line = values[r].line, *shown = values[r].shown;
		struct gsort_options options = { .counts = values[r].counts };
		struct gs_show *show = &emit.items.show;
		struct gs_line_order lines;
		char text[256];

		open_lines(&options, &values[r].order, &lines, "top");
		show->elements = 9;
		sprintf(text, "%s%s", begin, shown);
		check_item(line, strlen(line), count, text, strlen(text));
		sprintf(text, ", %s", shown);
		check_item(line, strlen(line), count, text, strlen(text));
		show->bytes = 0;
		CHECK(show->end(show) == GS_OK && show->bytes == strlen(end) &&
		      memcmp(show->text, end, show->bytes) == 0 && show->header == NULL, "%s: the end", line);
		gs_line_order_close(&lines);
		end_show();
	}
}

/* A list without lines; one character at a time, whatever follows it. */
static void
check_json_edges(void)
{
	static const char nothing[] = "{\"keys\": 0, \"sample\": []}\n";
	static const struct order order = { .letters = "r" };
	struct gsort_options options = { .counts = true };
	struct gs_show *show = &emit.items.show;
	char into[GS_CHARACTER_BYTES];
	struct gs_line_order lines;
	size_t read;

	open_lines(&options, &order, &lines, "sample");
	CHECK(show->end(show) == GS_OK && show->bytes == strlen(nothing) &&
	      memcmp(show->text, nothing, show->bytes) == 0, "%.*s", (int)show->bytes, show->text);
	CHECK(gs_json_character(into, "\342\202\254", 2, &read) == 6 && read == 1 &&
	      memcmp(into, "\\udce2", 6) == 0, "a character that is cut");
	CHECK(gs_json_character(into, "\342\202\254", 3, &read) == 3 && read == 3 &&
	      memcmp(into, "\342\202\254", 3) == 0, "a character of three bytes");
	gs_line_order_close(&lines);
	end_show();
}

/* ---- records and keys of 128 bits --------------------------------------------------------------- */

/* Records of six bytes, which occur 0x0102 times, with keys that overlap. */
static void
check_records(void)
{
	static const struct gsort_key keys[] = {
		{ .type = GSORT_U32, .offset = 1 }, { .type = GSORT_U16, .offset = 2 },
		{ .type = GSORT_TEXT, .offset = 0, .bytes = 6 },
	};
	static const struct { size_t keys; const char *shown; size_t bytes; } rows[] = {
		{ 0, "abcdef\002\001\0\0\0\0\0", 14 },
		{ 1, "bcde\002\001\0\0\0\0\0", 12 },
		{ 3, "bcdecdabcdef\002\001\0\0\0\0\0", 20 },
	};
	static const char swapped[] = "abcdef\0\0\0\0\0\0\001\002";
	static const struct gs_item_order items = { .item_bytes = 6 };
	const uint64_t times = 0x0102;

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct gsort_options options = {
			.counts = true, .record_bytes = 6, .keys = keys, .key_count = rows[r].keys,
			.endian = GSORT_ENDIAN_LITTLE,
		};

		gs_emit_open_items(&emit, &options, &items, NULL, NULL);
		check_item("abcdef", 6, &times, rows[r].shown, rows[r].bytes);
		CHECK(emit.element_bytes == rows[r].bytes, "%zu keys: %zu bytes", rows[r].keys,
		      emit.element_bytes);
		end_show();
		if (rows[r].keys > 0)
			continue;
		options.endian = GSORT_ENDIAN_BIG;
		gs_emit_open_items(&emit, &options, &items, NULL, NULL);
		check_item("abcdef", 6, &times, swapped, 14);
		end_show();
	}
}

/* Keys of 128 bits as text; items as they are, for a sample; their places. */
static void
check_keys(void)
{
	static const struct gs_item_order items = { .item_bytes = 16 };
	struct gsort_options options = {
		.type = GSORT_U128, .converts = true, .endian = GSORT_ENDIAN_LITTLE,
	};
	const uint64_t times = 5;
	char key[16] = { 0, 1 };

	gs_emit_open_items(&emit, &options, &items, NULL, NULL);
	check_item(key, 16, &times, "256\n", 4);
	CHECK(emit.element_bytes == 0 && emit.items.bytes == 16, "text has no fixed length");
	end_show();
	options.counts = options.zero_terminated = true;
	gs_emit_open_items(&emit, &options, &items, NULL, NULL);
	check_item(key, 16, &times, "      5 256", 12);
	end_show();
	options = (struct gsort_options){ .type = GSORT_U128, .sample.wanted = true };
	gs_emit_open_items(&emit, &options, &items, NULL, NULL);
	check_item("0123456789abcdef", 16, NULL, "0123456789abcdef", 16);
	end_show();
	options = (struct gsort_options){ .type = GSORT_U128, .argsort_bits = 32 };
	gs_emit_open_items(&emit, &options, &items, NULL, NULL);
	CHECK(emit.items.show.item == NULL && emit.items.bytes == 4 && emit.element_bytes == 4,
	      "places of four bytes");
	end_show();
}

void
unit_show(void)
{
	check_counted();
	check_headers();
	check_marked();
	check_json();
	check_json_edges();
	check_records();
	check_keys();
}

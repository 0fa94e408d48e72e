// SPDX-License-Identifier: BSD-2-Clause
/* line_collector.c - rows for src/ingest/line_collector.c: lines that chunks cut, input after input */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/line_ingest.h"
#include "linekey/line_order.h"
#include "tests/unit/units.h"

void unit_line_collector(void);

static const struct row {
	const char *name;
	const char *input;	/* "|": where a chunk ends */
	uint64_t    header_lines;
	size_t      spare;
	const char *lines, *header;
	const char *error;	/* a part of the message; NULL: there is none */
} rows[] = {
	{ "nothing", "", 0, 100, "", "", NULL },
	{ "a chunk of whole lines", "a\nb\n", 0, 100, "a\nb\n", "", NULL },
	{ "a last line without its end", "a\nb", 0, 100, "a\nb\n", "", NULL },
	{ "a line in two chunks", "a\nb|b\nc\n", 0, 100, "a\nbb\nc\n", "", NULL },
	{ "a line in four chunks", "b|b|bb|b\nc\n", 0, 100, "bbbbb\nc\n", "", NULL },
	{ "empty lines", "\n|\n\na\n", 0, 100, "\n\n\na\n", "", NULL },
	{ "a header, in two chunks", "na|me\na\nb\n", 1, 100, "a\nb\n", "name\n", NULL },
	{ "a header of two lines, and nothing else", "x\n|y\n", 2, 100, "", "x\ny\n", NULL },
	{ "disorder", "a\nc\n|b\n", 0, 100, "", "", "in:3: disorder: b: merging needs sorted inputs; sort" },
	{ "disorder behind a header", "x\nb\na\n", 1, 100, "", "", "in:3: disorder: a: merging needs" },
	{ "just enough memory", "abcdefg\n", 0, 8, "abcdefg\n", "", NULL },
	{ "too little memory", "abcdefg\nh\n", 0, 8, "", "", "needs" },
};

static bool
words_of(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	return gs_line_words(context, items, bytes, count, at, words);
}

static int
compare(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	return gs_line_compare(context, one, one_bytes, other, other_bytes);
}

/* Chunks as they are given go to COLLECTOR; whole lines to LINES. */
static gs_status
feed(struct gs_line_collector *collector, const char *input, char *lines)
{
	struct gs_chunk chunk = { .name = "in", .begins = true };
	size_t filled = 0;

	while (!chunk.ends) {
		char data[64];

		chunk.bytes = strcspn(input, "|");
		memcpy(data, input, chunk.bytes);
		chunk.data = data;
		chunk.ends = input[chunk.bytes] == '\0';
		input += chunk.bytes + !chunk.ends;
		collector->lines->bytes = 0;
		TRY(gs_line_ingest_chunk(&collector->ingest, &chunk));
		if (collector->lines->bytes > 0)
			memcpy(lines + filled, collector->lines->data, collector->lines->bytes);
		filled += collector->lines->bytes;
		lines[filled] = '\0';
		chunk.begins = false;
	}
	return GS_OK;
}

static void
check_row(const struct row *row)
{
	const struct gs_line_options by_bytes = { .terminator = '\n' };
	const struct gs_text_options options = { .terminator = '\n', .header_lines = row->header_lines };
	struct gs_line_order lines;
	const struct gs_item_order order = { .words = words_of, .compare = compare, .context = &lines };
	struct gs_follow follow = { .order = &order };
	struct gs_monitor monitor;
	struct gs_line_collector first, second;
	atomic_size_t spare = row->spare;
	char got[256] = "", again[256] = "";
	gs_status status;

	memset(&monitor, 0, sizeof monitor);
	CHECK(gs_line_order_open(&lines, &by_bytes) == GS_OK, "an order of bytes");
	gs_line_collector_open(&first, &first, &lines, &options, &follow, &monitor, &spare);
	first.ingest.faults.merges = true;
	status = feed(&first, row->input, got);
	if (row->error != NULL) {
		CHECK(status != GS_OK && strstr(gs_message(), row->error) != NULL, "%s: '%s'", row->name,
		      gs_message());
	} else {
		CHECK(status == GS_OK && strcmp(got, row->lines) == 0, "%s: '%s'", row->name, got);
		CHECK(first.ingest.header.bytes == strlen(row->header) &&
		      strncmp(first.ingest.header.data != NULL ? first.ingest.header.data : "",
		              row->header, first.ingest.header.bytes) == 0, "%s: the header", row->name);
		/* a second input, whose header is dropped */
		spare = row->spare;
		gs_line_collector_open(&second, &first, &lines, &options, NULL, &monitor, &spare);
		CHECK(feed(&second, row->input, again) == GS_OK && strcmp(again, row->lines) == 0,
		      "%s, again: '%s'", row->name, again);
		gs_line_collector_close(&second);
	}
	gs_line_collector_close(&first);
	gs_follow_close(&follow);
	gs_line_order_close(&lines);
}

void
unit_line_collector(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
}

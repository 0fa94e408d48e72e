// SPDX-License-Identifier: BSD-2-Clause
/*
 * show.c - items in another form: lines, or keys of lines and records, with their counts; lines with
 * marks below their keys; keys of 128 bits as text
 *
 * In:   sorted items.
 * Out:  for lines, what uniq --count and sort --debug print, but with --count only the fields of the
 *       keys, if there are any, instead of the line; for records, their keys, each with its count of 64
 *       bits; for keys of 128 bits, the lines that --to=text writes for any other type.
 *
 * Marks are as wide as the text above them on a terminal: a tab is shown as '>', a newline of CSV as '|',
 * and other control characters have no width; a byte that is not a character of the locale takes one
 * column.
 */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "key/key.h"
#include "key/record.h"
#include "linekey/collation.h"
#include "linekey/line_order.h"
#include "output/emit.h"
#include "text/encode.h"
#include "text/line.h"
#include "text/notation.h"

/* Room for what stands before and behind a key or a line. */
enum { MORE_BYTES = 128 };

/* Make room for BYTES more. */
static gs_status
reserve(struct gs_show *show, size_t bytes)
{
	return GS_GROW(show->text, &show->room, show->bytes + bytes, "bytes of lines");
}

static void
put(struct gs_show *show, char byte, size_t count)
{
	memset(show->text + show->bytes, byte, count);
	show->bytes += count;
}

static void
put_bytes(struct gs_show *show, const void *data, size_t bytes)
{
	memcpy(show->text + show->bytes, data, bytes);
	show->bytes += bytes;
}

/* ---- lines ---------------------------------------------------------------------- */

/* What the byte C is shown as: a newline between quotes must not end the line that has the marks below it. */
static char
shown(const struct gs_show *show, char c)
{
	return c == '\t' ? '>' : c == '\n' && show->order->fields.csv ? '|' : c;
}

/* Columns that a terminal needs. */
static size_t
width_of(const struct gs_show *show, const char *text, size_t bytes)
{
	const struct gs_locale *locale = show->order->locale;
	const locale_t before = uselocale(locale != NULL ? locale->handle : (locale_t)0);
	size_t width = 0, length;

	for (size_t b = 0; b < bytes; b += length) {
		const unsigned char c = (unsigned char)shown(show, text[b]);
		mbstate_t state = { 0 };
		wchar_t wide;

		width += c >= ' ' && c != 0x7f;
		length = 1;
		if (c < 0x80 || locale == NULL)
			continue;
		length = mbrtowc(&wide, text + b, bytes - b, &state);
		if (length == (size_t)-2)	/* the text ends within a character */
			length = bytes - b;
		else if (length > bytes)
			length = 1;
		else if (wcwidth(wide) >= 0 || iswcntrl((wint_t)wide))
			width += (size_t)(wcwidth(wide) > 0 ? wcwidth(wide) : 0) - 1;
	}
	(void)uselocale(before);
	return width;
}

/* INDENT: columns before the line. */
static gs_status
mark(struct gs_show *show, size_t indent, const char *line, size_t begin, size_t end)
{
	static const char none[] = "^ no match for key\n";
	const size_t before = indent + width_of(show, line, begin);
	const size_t width = width_of(show, line + begin, end - begin);

	TRY(reserve(show, before + width + sizeof none));
	put(show, ' ', before);
	if (width > 0) {
		put(show, '_', width);
		put(show, '\n', 1);
	} else {
		put_bytes(show, none, sizeof none - 1);
	}
	return GS_OK;
}

/* The line as it is shown, and below it its keys; last the whole line, if its bytes decide. */
static gs_status
underline(struct gs_show *show, size_t indent, const char *line, size_t bytes)
{
	const struct gs_line_order *order = show->order;
	size_t begin, end;

	for (size_t b = 0; b < bytes - 1; b++)
		put(show, shown(show, line[b]), 1);
	put(show, '\n', 1);
	for (size_t k = 0; k < order->key_count; k++) {
		gs_line_key_place(order, k, line, bytes, &begin, &end);
		TRY(mark(show, indent, line, begin, end));
	}
	return order->last_resort ? mark(show, indent, line, 0, bytes - 1) : GS_OK;
}

/* A line or key between quotes; there is room. */
static void
put_json(struct gs_show *show, const char *text, size_t bytes)
{
	put(show, '"', 1);
	for (size_t b = 0, read; b < bytes; b += read)
		show->bytes += gs_json_character(show->text + show->bytes, text + b, bytes - b, &read);
	put(show, '"', 1);
}

/*
 * Put key number K of a line, or of a HEADER its name, behind what separates it from the key before it.
 * Whole fields of CSV stay as they are, with their quotes; JSON has what is between these.
 */
static gs_status
put_key(struct gs_show *show, size_t k, bool header, const char *line, size_t bytes)
{
	const struct gs_fields *fields = &show->order->fields;
	const bool blanks = fields->separator == GS_NO_SEPARATOR, json = show->listed != NULL;
	const char *limit = gs_line_content_end(show->order, line, bytes), *content;
	struct gs_keydef key = show->order->keys[k];
	struct gs_key_text text = { .map = NULL };
	size_t most, length;
	bool whole;

	if (header)
		key.begin_char = key.end_char = 0;
	whole = fields->csv && !json && key.begin_char == 0 && key.end_char == 0;
	if (whole)
		key.letters &= ~(unsigned)GS_LETTERS_B;		/* quotes come before blanks */
	gs_field_find(fields, &key, line, limit, &text);
	if (whole) {
		text.end = (const unsigned char *)gs_field_limit(fields, &key, line, limit);
		text.csv = false;
	}
	content = (const char *)text.at;
	length = most = text.end > text.at ? (size_t)(text.end - text.at) : 0;
	TRY(reserve(show, (json || (fields->csv && !whole) ? 8 : 1) * most + MORE_BYTES));
	if (text.csv) {
		char *copy = show->text + show->bytes + 7 * most + 8;

		length = gs_key_text_copy(text, (unsigned char *)copy, most);
		content = copy;
	}
	/* blanks before a number or a month do not count */
	if (blanks && (header || (key.ordering != GS_BY_BYTES && key.ordering != GS_BY_COLLATION &&
	                          key.ordering != GS_BY_VERSION)))
		for (; length > 0 && gs_is_blank(*content); length--)
			content++;
	if (k > 0 && json)
		put(show, ',', 1);
	if (k > 0 && (json || !(blanks && length > 0 && gs_is_blank(*content))))
		put(show, json || blanks ? ' ' : (char)fields->separator, 1);
	if (json) {
		put_json(show, content, length);
	} else if (fields->csv && !whole) {	/* characters of fields, between quotes if they need them */
		const bool quotes = memchr(content, fields->separator, length) != NULL ||
		                    memchr(content, '"', length) != NULL ||
		                    memchr(content, '\n', length) != NULL ||
		                    memchr(content, '\r', length) != NULL;

		put(show, '"', quotes);
		for (size_t b = 0; b < length; b++)
			put(show, content[b], 1 + (content[b] == '"'));
		put(show, '"', quotes);
	} else {
		put_bytes(show, content, length);
	}
	return GS_OK;
}

/* All keys of a line, or their names in a HEADER. */
static gs_status
put_keys(struct gs_show *show, bool header, const char *line, size_t bytes)
{
	for (size_t k = 0; k < show->order->key_count; k++)
		TRY(put_key(show, k, header, line, bytes));
	return GS_OK;
}

/* What a line is shown as, or a line of the HEADER: its keys, or all of it. */
static gs_status
put_line(struct gs_show *show, bool header, const char *line, size_t bytes)
{
	if (!show->keys) {
		put_bytes(show, line, bytes);
		return GS_OK;
	}
	TRY(put_keys(show, header, line, bytes));
	put(show, show->order->terminator, 1);
	return GS_OK;
}

static gs_status
show_line(struct gs_show *show, const char *line, size_t bytes, const uint64_t *times)
{
	const struct gs_fields *fields = &show->order->fields;	/* of CSV the times are a column */
	size_t indent = 0;

	TRY(reserve(show, bytes + 32));
	if (show->options->counts && times != NULL)
		indent = (size_t)sprintf(show->text + show->bytes, fields->csv ? "%llu%c" : "%7llu%c",
		                         (unsigned long long)*times, fields->csv ? fields->separator : ' ');
	show->bytes += indent;
	return show->options->underline ? underline(show, indent, line, bytes)
	                                : put_line(show, false, line, bytes);
}

/* The first column is the count; it has a name in the first line of the header. */
static gs_status
show_header(struct gs_show *show, const char *header, size_t bytes)
{
	const struct gs_fields *fields = &show->order->fields;
	const char *end = header + bytes, *name = "count";
	const size_t marked = gs_line_mark(header, bytes);

	TRY(reserve(show, marked + 1));		/* there is memory, then */
	put_bytes(show, header, marked);
	for (header += marked; header < end; name = "") {
		const size_t line = (size_t)(gs_line_end(show->order, header, end) - header);

		TRY(reserve(show, line + 16));
		show->bytes += (size_t)sprintf(show->text + show->bytes, fields->csv ? "%s%c" : "%7s%c", name,
		                               fields->csv ? fields->separator : ' ');
		TRY(put_line(show, true, header, line));
		header += line;
	}
	return GS_OK;
}

/* ---- JSON: a list of lines, of the most frequent ones with counts ---------------- */

size_t
gs_json_character(char *into, const char *text, size_t bytes, size_t *read)
{
	const unsigned char *at = (const unsigned char *)text, c = *at;
	const uint32_t point = gs_utf8_decode(at, at + bytes, read);
	const bool is_character = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
	const size_t escape = c == '"' || c == '\\';

	if (!is_character)
		*read = 1;
	if (!is_character || c < ' ')
		return (size_t)sprintf(into, is_character ? "\\u%04x" : "\\udc%02x", c);
	*into = '\\';
	memcpy(into + escape, text, *read);
	return escape + *read;
}

/* The caller has reserved MORE_BYTES. */
static void
begin_json(struct gs_show *show)
{
	show->begun = true;
	show->bytes += (size_t)sprintf(show->text + show->bytes, "{\"keys\": %llu, \"%s\": [",
	                               (unsigned long long)show->elements, show->listed);
}

static gs_status
show_json(struct gs_show *show, const char *line, size_t bytes, const uint64_t *times)
{
	const bool several = show->keys && show->order->key_count > 1, first = !show->begun;

	TRY(reserve(show, (show->keys ? 0 : 6 * bytes) + 2 * MORE_BYTES));
	if (first)
		begin_json(show);
	show->bytes += (size_t)sprintf(show->text + show->bytes, "%s%s%s", first ? "" : ", ",
	                               times != NULL ? "{\"value\": " : "", several ? "[" : "");
	if (show->keys)
		TRY(put_keys(show, false, line, bytes));
	else
		put_json(show, line, bytes - 1);
	if (several)
		put(show, ']', 1);
	if (times != NULL)
		show->bytes += (size_t)sprintf(show->text + show->bytes, ", \"count\": %llu}",
		                               (unsigned long long)*times);
	return GS_OK;
}

static gs_status
end_json(struct gs_show *show)
{
	TRY(reserve(show, MORE_BYTES));
	if (!show->begun)
		begin_json(show);
	put_bytes(show, "]}\n", 3);
	return GS_OK;
}

/* ---- keys of 128 bits ------------------------------------------------------------- */

static gs_status
show_key(struct gs_show *show, const char *key, size_t bytes, const uint64_t *times)
{
	const struct gsort_options *options = show->options;
	char *at;

	(void)bytes;
	TRY(reserve(show, GS_COUNT_BYTES + GS_WIDE_BYTES + 1));
	at = show->text + show->bytes;
	if (options->counts)
		at = gs_count_print(*times, at);
	at += gs_wide_print(options->type, options->endian, options->notation, key, at);
	*at++ = options->zero_terminated ? '\0' : '\n';
	show->bytes = (size_t)(at - show->text);
	return GS_OK;
}

/* ---- records, or the keys that they have, with counts --------------------------------- */

static gs_status
show_counted(struct gs_show *show, const char *record, size_t bytes, const uint64_t *times)
{
	const struct gsort_options *options = show->options;
	const uint64_t number = gs_endian_swaps(options->endian) ? GS_SWAP64(*times) : *times;

	TRY(reserve(show, bytes + sizeof number));
	if (options->key_count == 0)
		put_bytes(show, record, bytes);
	for (size_t k = 0; k < options->key_count; k++) {
		const size_t key_bytes = gs_key_bytes(&options->keys[k]);

		TRY(reserve(show, key_bytes + sizeof number));		/* keys may overlap */
		put_bytes(show, record + options->keys[k].offset, key_bytes);
	}
	put_bytes(show, &number, sizeof number);
	return GS_OK;
}

/* ---- any of them ------------------------------------------------------------------------- */

/* Show items unchanged: those of a sample, which lie apart, are written together. */
static gs_status
show_plain(struct gs_show *show, const char *item, size_t bytes, const uint64_t *times)
{
	(void)times;
	TRY(reserve(show, bytes));
	put_bytes(show, item, bytes);
	return GS_OK;
}

void
gs_emit_open_items(struct gs_emit *emit, const struct gsort_options *options,
                   const struct gs_item_order *order, const struct gs_line_order *lines, const char *listed)
{
	const bool keys = options->counts && options->keydef_count > 0;
	struct gs_show *show = &emit->items.show;

	emit->items.order = order;
	emit->element_bytes = emit->items.bytes = options->argsort_bits > 0 ? options->argsort_bits / 8
	                                                                      : order->item_bytes;
	*show = (struct gs_show){
		.options = options, .order = lines, .listed = listed,
		.keys = keys && (listed != NULL || !options->underline),
	};
	if (listed != NULL) {
		show->item = show_json;
		show->end = end_json;
	} else if (options->lines && (options->counts || options->underline)) {
		show->item = show_line;
		show->header = show->keys || (lines->fields.csv && options->counts) ? show_header : NULL;
	} else if (options->converts) {		/* wide keys, to text */
		show->item = show_key;
		emit->element_bytes = 0;
	} else if (options->counts) {
		show->item = show_counted;
		emit->element_bytes = sizeof(uint64_t) + (options->key_count == 0 ? emit->items.bytes : 0);
		for (size_t k = 0; k < options->key_count; k++)
			emit->element_bytes += gs_key_bytes(&options->keys[k]);
	} else if (options->sample.wanted) {
		show->item = show_plain;
	}
}

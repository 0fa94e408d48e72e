// SPDX-License-Identifier: BSD-2-Clause
/*
 * npy.c - the header of a .npy file
 *
 * In:   the header, as bytes.
 * Out:  count, size and fields of its items; and back.
 *
 * The dictionary is read by a parser that knows strings, whole numbers, tuples and lists, which is all
 * that NumPy writes.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/npy.h"

static const char magic[] = "\x93NUMPY";

/* ---- before the dictionary ---------------------------------------------------------- */

bool
gs_npy_has_magic(const char *data, size_t bytes)
{
	return bytes >= GS_NPY_MAGIC_BYTES && memcmp(data, magic, GS_NPY_MAGIC_BYTES) == 0;
}

/* Bytes of the length, by the version. */
static unsigned
length_bytes(const char *prefix)
{
	return prefix[GS_NPY_MAGIC_BYTES] == 1 ? 2 : 4;
}

gs_status
gs_npy_length(const char *name, const char *prefix, uint64_t *bytes)
{
	const uint8_t *length = (const uint8_t *)prefix + GS_NPY_MAGIC_BYTES + 2;
	const unsigned many = length_bytes(prefix);

	if (!gs_npy_has_magic(prefix, GS_NPY_PREFIX_BYTES))
		return gs_fail(GS_EINPUT, "%s: not a .npy file", name);
	if (prefix[GS_NPY_MAGIC_BYTES] < 1 || prefix[GS_NPY_MAGIC_BYTES] > 3)
		return gs_fail(GS_EINPUT, "%s: version %d of .npy files is not known", name,
		               prefix[GS_NPY_MAGIC_BYTES]);
	*bytes = 0;
	for (unsigned b = 0; b < many; b++)
		*bytes |= (uint64_t)length[b] << 8 * b;
	*bytes += GS_NPY_MAGIC_BYTES + 2 + many;
	return *bytes <= GS_NPY_MOST_BYTES ? GS_OK
	       : gs_fail(GS_EINPUT, "%s: a .npy header of %" PRIu64 " bytes is too long", name, *bytes);
}

/* ---- the parser ------------------------------------------------------------------- */

struct parser {
	const char *at, *end;
	bool        bad;
};

static void
skip_blanks(struct parser *parser)
{
	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n'))
		parser->at++;
}

/* Take LETTER if it is the next one. */
static bool
takes(struct parser *parser, char letter)
{
	skip_blanks(parser);
	if (parser->at == parser->end || *parser->at != letter)
		return false;
	parser->at++;
	return true;
}

static void
must_take(struct parser *parser, char letter)
{
	if (!takes(parser, letter))
		parser->bad = true;
}

static void
take_string(struct parser *parser, const char **text, size_t *bytes)
{
	const char quote = takes(parser, '\'') ? '\'' : '"';
	const char *end;

	*text = "";
	*bytes = 0;
	if (quote == '"')
		must_take(parser, '"');
	if (parser->bad)
		return;
	end = memchr(parser->at, quote, (size_t)(parser->end - parser->at));
	if (end == NULL || memchr(parser->at, '\\', (size_t)(end - parser->at)) != NULL) {
		parser->bad = true;
		return;
	}
	*text = parser->at;
	*bytes = (size_t)(end - parser->at);
	parser->at = end + 1;
}

static uint64_t
take_number(struct parser *parser)
{
	uint64_t number = 0;

	skip_blanks(parser);
	if (parser->at == parser->end || *parser->at < '0' || *parser->at > '9')
		parser->bad = true;
	for (; parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9'; parser->at++) {
		parser->bad |= number > UINT64_MAX / 16;
		number = number * 10 + (uint64_t)(*parser->at - '0');
	}
	(void)takes(parser, 'L');	/* of Python 2 */
	return number;
}

/* A tuple of numbers: their product, and how many. */
static uint64_t
take_shape(struct parser *parser, size_t *dimensions)
{
	uint64_t product = 1;

	must_take(parser, '(');
	for (*dimensions = 0; !parser->bad && !takes(parser, ')'); ++*dimensions) {
		const uint64_t number = take_number(parser);

		parser->bad |= number > 0 && product > UINT64_MAX / 2 / number;
		product *= number;
		if (!takes(parser, ',')) {
			must_take(parser, ')');
			++*dimensions;
			break;
		}
	}
	return product;
}

/* ---- types ------------------------------------------------------------------------ */

/* "<f8": *FIELD's type, size and order. */
static void
understand_type(struct gs_npy_field *field, const char *text, size_t bytes, bool *bad)
{
	static const struct { char letter; unsigned bytes; enum gsort_type type; } types[] = {
		{ 'u', 1, GSORT_U8 }, { 'u', 2, GSORT_U16 }, { 'u', 4, GSORT_U32 }, { 'u', 8, GSORT_U64 },
		{ 'i', 1, GSORT_I8 }, { 'i', 2, GSORT_I16 }, { 'i', 4, GSORT_I32 }, { 'i', 8, GSORT_I64 },
		{ 'b', 1, GSORT_U8 }, { 'f', 2, GSORT_F16 }, { 'f', 4, GSORT_F32 },
		{ 'f', 8, GSORT_F64 },
	};
	uint64_t number = 0;

	if (bytes < 3 || strchr("<>|=", text[0]) == NULL || strchr("uibfcSaVUmM", text[1]) == NULL) {
		*bad = true;
		return;
	}
	for (size_t t = 2; t < bytes && text[t] >= '0' && text[t] <= '9' && number < 1 << 24; t++)
		number = number * 10 + (uint64_t)(text[t] - '0');
	field->bytes = (size_t)(text[1] == 'U' ? 4 * number : number);
	field->big = text[0] == '>';
	field->type = GSORT_TEXT;
	field->sorts = (text[1] == 'S' || text[1] == 'a') && number > 0;
	for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
		if (types[t].letter == text[1] && types[t].bytes == number) {
			field->type = types[t].type;
			field->sorts = true;
		}
}

/* ('name', '<f8') or ('name', '<f8', (3,)) */
static void
take_field(struct parser *parser, struct gs_npy *npy)
{
	struct gs_npy_field field = { .offset = npy->item_bytes };
	const char *type;
	size_t bytes, dimensions;

	must_take(parser, '(');
	take_string(parser, &field.name, &field.name_bytes);
	must_take(parser, ',');
	take_string(parser, &type, &bytes);
	if (!parser->bad)
		understand_type(&field, type, bytes, &parser->bad);
	if (takes(parser, ',') && !takes(parser, ')')) {
		parser->bad |= __builtin_mul_overflow(field.bytes, take_shape(parser, &dimensions),
		                                      &field.bytes);
		field.sorts = false;
		(void)takes(parser, ',');
		must_take(parser, ')');
	} else if (parser->at[-1] != ')') {
		must_take(parser, ')');
	}
	parser->bad |= npy->field_count == GS_NPY_FIELDS ||
	               field.bytes > GSORT_RECORD_MOST_BYTES - npy->item_bytes;
	if (parser->bad)
		return;
	npy->item_bytes += field.bytes;
	npy->fields[npy->field_count++] = field;
}

static void
take_descr(struct parser *parser, struct gs_npy *npy)
{
	const char *type;
	size_t bytes;

	skip_blanks(parser);
	npy->descr = parser->at;
	npy->is_structure = takes(parser, '[');
	if (npy->is_structure) {
		while (!parser->bad && !takes(parser, ']')) {
			take_field(parser, npy);
			if (!takes(parser, ',') && !parser->bad) {
				must_take(parser, ']');
				break;
			}
		}
	} else {
		struct gs_npy_field *field = &npy->fields[0];

		take_string(parser, &type, &bytes);
		if (!parser->bad)
			understand_type(field, type, bytes, &parser->bad);
		npy->field_count = 1;
		npy->item_bytes = field->bytes;
	}
	npy->descr_bytes = (size_t)(parser->at - npy->descr);
}

static void
take_dictionary(struct parser *parser, struct gs_npy *npy, size_t *dimensions)
{
	must_take(parser, '{');
	while (!parser->bad && !takes(parser, '}')) {
		const char *key;
		size_t bytes;

		take_string(parser, &key, &bytes);
		must_take(parser, ':');
		if (parser->bad)
			return;
		if (bytes == 5 && memcmp(key, "descr", 5) == 0) {
			take_descr(parser, npy);
		} else if (bytes == 5 && memcmp(key, "shape", 5) == 0) {
			npy->count = take_shape(parser, dimensions);
		} else {		/* fortran_order: the same for one dimension */
			skip_blanks(parser);
			while (parser->at < parser->end && *parser->at != ',' && *parser->at != '}')
				parser->at++;
		}
		(void)takes(parser, ',');
	}
}

gs_status
gs_npy_read(struct gs_npy *npy, const char *name, const char *header, size_t bytes)
{
	const size_t before = GS_NPY_MAGIC_BYTES + 2 + length_bytes(header);
	struct parser parser = { header + before, header + bytes, false };
	size_t dimensions = 0;

	memset(npy, 0, sizeof *npy);
	npy->header_bytes = bytes;
	npy->utf8 = header[GS_NPY_MAGIC_BYTES] == 3;
	take_dictionary(&parser, npy, &dimensions);
	if (parser.bad || npy->descr == NULL || npy->item_bytes == 0)
		return gs_fail(GS_EINPUT, "%s: the items of this .npy file are of a type that gsort does "
		               "not know, or its header is damaged; numpy.load() reads it, and tofile() "
		               "writes items alone", name);
	if (dimensions != 1)
		return gs_fail(GS_EINPUT, "%s: a .npy file with %zu dimensions; gsort sorts arrays of one; "
		               "a.ravel() has one",
		               name, dimensions);
	return GS_OK;
}

/* ---- names ------------------------------------------------------------------------- */

size_t
gs_npy_name(const struct gs_npy *npy, const struct gs_npy_field *field,
            char into[GS_NPY_NAME_BYTES + 1])
{
	char *to = into, *end = into + GS_NPY_NAME_BYTES;
	size_t bytes = 0;

	for (size_t b = 0; b < field->name_bytes; b++) {
		const unsigned char c = (unsigned char)field->name[b];
		const bool two = c >= 0x80 && !npy->utf8;

		bytes += 1 + two;
		if (end - to < 1 + two)
			continue;
		if (two)
			*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(two ? 0x80 | (c & 0x3f) : c);
	}
	*to = '\0';
	return bytes;
}

/* ---- writing ------------------------------------------------------------------------- */

size_t
gs_npy_write(const char *descr, size_t descr_bytes, bool utf8, uint64_t count, char *into)
{
	/* The array begins at a multiple of 64 bytes, with room for any count, as NumPy does it. */
	const char before[] = "{'descr': ", behind[] = ", 'fortran_order': False, 'shape': (";
	const size_t least = sizeof before + descr_bytes + sizeof behind + 20 + sizeof ",), }" + 1;
	const bool narrow = least + 64 + 10 < UINT16_MAX && !utf8;
	const size_t prefix = narrow ? 10 : 12, total = (prefix + least + 63) / 64 * 64;
	const size_t length = total - prefix;
	size_t at = prefix;

	if (into == NULL)
		return total;
	memset(into, ' ', total);
	memcpy(into, magic, GS_NPY_MAGIC_BYTES);
	into[6] = utf8 ? 3 : narrow ? 1 : 2;
	into[7] = 0;
	for (size_t b = 8; b < prefix; b++)
		into[b] = (char)(length >> 8 * (b - 8));
	memcpy(into + at, before, sizeof before - 1);
	at += sizeof before - 1;
	memcpy(into + at, descr, descr_bytes);
	at += descr_bytes;
	at += (size_t)snprintf(into + at, total - at, "%s%" PRIu64 ",), }", behind, count);
	assert(at < total);
	into[at] = ' ';
	into[total - 1] = '\n';
	return total;
}

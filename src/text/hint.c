// SPDX-License-Identifier: BSD-2-Clause
/*
 * hint.c - what a line that is not a number looks like, and what would have worked
 *
 * In:   a line.
 * Out:  a sentence for people: the first that fits of characters that cannot be seen, known
 *       notations, fields.
 */
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "text/line.h"

enum { LOOKED_AT = 200 };	/* bytes of a line; no notation is longer */

/* ---- characters ------------------------------------------------------------- */

/* Those that a terminal shows as a blank, as nothing or as a character of numbers. */
static const struct character {
	uint32_t    first, last;
	const char *name;	/* of one; of several, what they are */
} characters[] = {
	{ 0x00, 0x00, "NULL" }, { 0x1a, 0x1a, "SUBSTITUTE, the end of a file of DOS" },
	{ 0x1b, 0x1b, "ESCAPE" }, { 0x01, 0x1f, "a control character" },
	{ 0x7f, 0x9f, "a control character" }, { 0xa0, 0xa0, "NO-BREAK SPACE" },
	{ 0xad, 0xad, "SOFT HYPHEN" }, { 0x61c, 0x61c, "a mark of writing direction" },
	{ 0x660, 0x669, "an Arabic digit" }, { 0x6f0, 0x6f9, "an Arabic digit" },
	{ 0x966, 0x96f, "a Devanagari digit" }, { 0x180e, 0x180e, "an invisible mark" },
	{ 0x1680, 0x1680, "a space" }, { 0x2000, 0x200a, "a space of typography" },
	{ 0x200b, 0x200b, "ZERO WIDTH SPACE" }, { 0x200c, 0x200d, "an invisible mark" },
	{ 0x200e, 0x200f, "a mark of writing direction" },
	{ 0x2010, 0x2015, "a hyphen or dash, not HYPHEN-MINUS" }, { 0x2028, 0x2029, "a line break" },
	{ 0x202a, 0x202e, "a mark of writing direction" },
	{ 0x202f, 0x202f, "NARROW NO-BREAK SPACE" }, { 0x205f, 0x205f, "a space of typography" },
	{ 0x2060, 0x206f, "an invisible mark" }, { 0x2212, 0x2212, "MINUS SIGN, not HYPHEN-MINUS" },
	{ 0x2800, 0x2800, "BRAILLE PATTERN BLANK" }, { 0x3000, 0x3000, "IDEOGRAPHIC SPACE" },
	{ 0xfe63, 0xfe63, "a hyphen or dash, not HYPHEN-MINUS" }, { 0xfeff, 0xfeff, "a byte order mark" },
	{ 0xff0d, 0xff0d, "a hyphen or dash, not HYPHEN-MINUS" }, { 0xff10, 0xff19, "a FULLWIDTH DIGIT" },
	{ 0xfff9, 0xfffb, "an invisible mark" }, { 0xe0000, 0xe007f, "an invisible mark" },
};

enum { CHARACTERS = sizeof characters / sizeof characters[0] };

uint32_t
gs_utf8_decode(const unsigned char *at, const unsigned char *end, size_t *bytes)
{
	uint32_t point;

	*bytes = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
	point = *bytes == 1 ? *at : *at & (0x7fu >> *bytes);
	for (size_t b = 1; b < *bytes; b++) {
		if (at + b >= end || (at[b] & 0xc0) != 0x80)
			*bytes = 0;
		else
			point = point << 6 | (at[b] & 0x3f);
	}
	if (*bytes > 2 && point < (*bytes == 3 ? 0x800 : 0x10000))	/* it has more bytes than it needs */
		*bytes = 0;
	return *bytes > 0 ? point : UINT32_MAX;
}

/* Name the first character of LINE .. END that is not what it looks like.  False: all are. */
static bool
name_character(char into[GS_HINT_BYTES], const char *line, const char *end)
{
	const unsigned char *const begin = (const unsigned char *)line;
	const unsigned char *const behind = (const unsigned char *)end;
	size_t bytes;

	for (const unsigned char *at = begin; at < behind; at += bytes) {
		const uint32_t point = gs_utf8_decode(at, behind, &bytes);
		const size_t number = (size_t)(at - begin) + 1;
		size_t c = 0;

		while (c < CHARACTERS && (point < characters[c].first || point > characters[c].last))
			c++;
		if (point == UINT32_MAX)
			snprintf(into, GS_HINT_BYTES, "; byte %zu is %s", number,
			         *at == 0xa0 ? "a no-break space of Latin-1" : "not UTF-8");
		else if (c < CHARACTERS && point != '\t' && point != '\r' && point != '\n')
			snprintf(into, GS_HINT_BYTES, "; byte %zu is U+%04X %s", number, (unsigned)point,
			         characters[c].name);
		else
			continue;
		return true;
	}
	return false;
}

/* ---- notations ---------------------------------------------------------------- */

#define DIGITS	"[0-9]+"
#define DAY	"[0-9]{4}-[0-9]{2}-[0-9]{2}"
#define MONTH	"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
#define IPV4	"([0-9]{1,3}\\.){3}[0-9]{1,3}"
#define NUMBER	GS_LINE_NUMBER
#define THOUSANDS	"[-+]?[0-9]{1,3}(,[0-9]{3})+(\\.[0-9]*)?"
#define POINTS	"[-+]?[0-9]{1,3}(\\.[0-9]{3})+,[0-9]*"
#define UNGROUP	"remove what separates thousands: sed -E \"s/[_' ]([0-9]{3})/\\1/g\""
#define NEWLINES	"these lines end in newlines: leave -z out"
#define SIGN	"(\\$|€|£)"

/* What is refused: bits. */
enum {
	INTEGERS = 1, FLOATS = 2,	/* a line */
	BLANKS = 4, COMMAS = 8, OTHERS = 16,	/* a field between blanks, commas of CSV, other separators */
	LINES = INTEGERS | FLOATS, FIELDS = BLANKS | COMMAS | OTHERS, ALL = LINES | FIELDS,
};

/* POSIX extended regular expressions for a whole line or field; capitals are as small letters.  HINT is all
 * of the hint, where @ is the number of the column, if there is no OPTION and LETTER.  Else it is what needs
 * them: the option sorts lines, the letter of a key ("": none) sorts fields. */
static const struct notation {
	unsigned    where;
	const char *pattern, *hint, *option, *letter;
} notations[] = {
#define SAY(where, pattern, hint)	{ where, pattern, hint, NULL, NULL }
	SAY(LINES, "[^\n]*\n.*", NEWLINES),
	{ FIELDS, "\\+[0-9.]+", "numbers with a plus sign", NULL, "g" },
	{ ALL, "[-+]?" DIGITS, "numbers, such as seconds since 1970,", "no --type", "n" },
	{ ALL, NUMBER "|[-+]?(nan|inf|infinity)", "floats", "--type=float", "g" },
	SAY(ALL, "[0-9.]+e[-+]?|0b[01]+", ""),	/* half of a float, a binary number: not hexadecimal */
	{ ALL, "[-+]?0x[0-9a-f]+", "hexadecimal numbers", "--type=hex", "g" },
	{ ALL, DAY "([t ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(z|[-+][0-9:]{2,5})?)?",
	  "dates and times", "--type=time", "time" },
	{ LINES, DAY "[t ][0-9]{2}:.*", "lines that begin with a time", "--lines", NULL },
	{ ALL, "[0-9]{4}-[0-9]{2}|[0-9]{4}/[0-9]{2}/[0-9]{2}.*|" DAY "\\+.*",
	  "dates of this form", "--lines", "" },
	SAY(LINES | COMMAS | OTHERS, "[0-9]{2}[./-][0-9]{2}[./-][0-9]{4}",
	    "day, month, year? sort by -k@.7,@.10n -k@.4,@.5n -k@.1,@.2n"),
	SAY(BLANKS, "\\[[0-9]{2}/" MONTH "/[0-9]{4}(:[0-9]{2}){3}.*",
	    "the time of a log? sort by -k@.10,@.13n -k@.6,@.8M -k@.3,@.4n -k@.15,@.22"),
	SAY(LINES, "[0-9]{1,2} " MONTH "[a-z]* [0-9]{4}", "dates? sort by -k3,3n -k2,2M -k1,1n"),
	SAY(LINES, MONTH "[a-z]* [0-9]{1,2},? [0-9]{4}", "dates? sort by -k3,3n -k1,1M -k2,2n"),
	SAY(LINES, MONTH "[a-z]* +[0-9]{1,2}( .*)?", "dates? sort by -k1,1M -k2,2n"),
	{ ALL, MONTH "((ua|rua)ry|ch|il|e|y|ust|(t|o|em)+ber)?", "months", "-M", "M" },
	SAY(ALL, "[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}|" MONTH
	    "[a-z]* [0-9]{1,2},? [0-9]{4}|[0-9]{1,2} " MONTH "[a-z]* [0-9]{4}",
	    "write dates in the form 2026-11-22"),
	{ ALL, IPV4, "IPv4 addresses", "--type=ipv4", "ip" },
	{ ALL, IPV4 "/[0-9]{1,2}", "networks", "-V", "V" },
	{ LINES, IPV4 "[ \t].*", "lines that begin with an address", "-V", NULL },
	{ ALL, "[0-9]{1,3}(:[0-9]{2}){1,2}([.,][0-9]+)?", "times of day", "-V", "V" },
	{ ALL, "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|"
	  "[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}(/[0-9]+|%.*)?",
	  "IPv6 addresses, hardware addresses and UUIDs", "--lines", "" },
	{ ALL, "v?" DIGITS "(\\." DIGITS "){2,}([-+~].*)?|v" DIGITS "(\\." DIGITS ")*", "versions", "-V",
	  "V" },
	SAY(COMMAS, THOUSANDS, "remove the commas between thousands: "
	    "sed -E ':a; s/\"(-?[0-9]+),([0-9]{3}[0-9,.]*)\"/\"\\1\\2\"/; ta'"),
	SAY(ALL, THOUSANDS, "remove the commas between thousands: tr -d ,"),
	SAY(COMMAS, "[-+]?[0-9]+,[0-9]+",
	    "replace the decimal comma: sed -E 's/\"([-+]?[0-9]+),([0-9]+)\"/\"\\1.\\2\"/g'"),
	SAY(FLOATS | FIELDS, "[-+]?[0-9]+,[0-9]+", "replace the decimal comma: tr , ."),
	SAY(COMMAS, POINTS, "remove the points and replace the comma: sed -E ':a; "
	    "s/\"([-+]?[0-9]+)\\.([0-9.]+,[0-9]*)\"/\"\\1\\2\"/; ta; "
	    "s/\"([-+]?[0-9]+),([0-9]*)\"/\"\\1.\\2\"/g'"),
	SAY(LINES | BLANKS | OTHERS, POINTS,
	    "remove the points and replace the comma: sed -E 's/\\.([0-9]{3})/\\1/g; y/,/./'"),
	SAY(COMMAS | OTHERS, "[-+]?[0-9]{1,3}( [0-9]{3})+([.,][0-9]*)?", UNGROUP),
	SAY(ALL,
	    "[-+]?[0-9]{1,3}(([_'][0-9]{3})+|( 0[0-9]{2}| [0-9]{3} 0[0-9]{2})( [0-9]{3})*)([.,][0-9]*)?",
	    UNGROUP),
	SAY(LINES, "[\"']" NUMBER "[\"'][,;]?|" NUMBER "[,;]",
	    "remove what is around the number: tr -d \\\"\\',\\;"),
	SAY(OTHERS, "\".*", "fields in quotes need --csv"),
	SAY(ALL, NUMBER " *%", "remove the percent signs: tr -d %"),
	SAY(ALL, "[-+]?" SIGN " *[0-9][0-9,.]*|[-+]?[0-9][0-9,.]* *" SIGN,
	    "remove the currency signs: sed -E 's/\\$|€|£//g'"),
	{ ALL, NUMBER "[kmgtpezyrq]i?", "sizes with suffixes", "-h", "h" },
	SAY(ALL, NUMBER " *[kmgtp]i?b", "write sizes as 5M: sed -E 's/([0-9]) *([KMGTP])i?B/\\1\\U\\2/gI'"),
	SAY(ALL, "#?n/?a|null|none|nil|undefined|missing|-+|\\?|\\.",
	    "--invalid=ignore leaves out what is not a number"),
	{ LINES, "[0-9a-f]*([0-9][a-f]|[a-f][0-9])[0-9a-f]*|[0-9a-f]{8,}", "hexadecimal numbers",
	  "--type=hex", NULL },
	SAY(LINES, "\\[.*|[]}],?", "JSON? take the numbers out of it first: jq '.[]'"),
	SAY(ALL, "[-+] +" NUMBER, "remove the blank behind the sign: sed -E 's/([-+]) +([0-9])/\\1\\2/g'"),
	SAY(LINES, "[^\r]*\r[^\r].*", "these lines end in CR: tr '\\r' '\\n'"),
	SAY(ALL, "[^\r]*\r+", "remove the CRs: tr -d '\\r'"),
#undef SAY
};

/* Where PATTERN, whose first group is told, is in TEXT; false: nowhere. */
static bool
finds(const char *pattern, const char *text, regmatch_t groups[2])
{
	regex_t compiled;
	bool found;

	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_ICASE) != 0)
		return false;		/* no memory: no hint */
	found = regexec(&compiled, text, 2, groups, 0) == 0;
	regfree(&compiled);
	return found;
}

/* Is TEXT as PATTERN, from end to end? */
static bool
matches(const char *pattern, const char *text)
{
	char whole[512];
	regmatch_t groups[2];

	snprintf(whole, sizeof whole, "^(%s)$", pattern);
	return finds(whole, text, groups);
}

bool
gs_line_matches(const char *pattern, const char *line, const char *end)
{
	const size_t bytes = (size_t)(end - line);
	char text[GS_LINE_BYTES + 1];

	if (bytes > GS_LINE_BYTES || memchr(line, '\0', bytes) != NULL)
		return false;
	memcpy(text, line, bytes);
	text[bytes] = '\0';
	return matches(pattern, text);
}

/* An object of JSON: the first of its names that has a number. */
static bool
name_json(char into[GS_HINT_BYTES], const char *text)
{
	regmatch_t groups[2];
	const bool json = text[0] == '{';
	const bool named = json && finds("\"([a-z_][a-z0-9_]*)\" *: *-?[0-9]", text, groups);

	if (json)
		snprintf(into, GS_HINT_BYTES, "; JSON? take the numbers out of it first: jq .%.*s",
		         named ? (int)(groups[1].rm_eo - groups[1].rm_so) : 4,
		         named ? text + groups[1].rm_so : "NAME");
	return json;
}

/* For a line, COLUMN is 1.  What REFUSED the text, an option or a letter, is not advised. */
static bool
name_notation(char into[GS_HINT_BYTES], unsigned where, size_t column, bool named, const char *refused,
              const char *text)
{
	for (size_t n = 0; n < sizeof notations / sizeof notations[0]; n++) {
		const struct notation *const row = &notations[n];
		const char *const needed = where & LINES ? row->option : row->letter;
		char *to = into;

		if (!(row->where & where) || (needed != NULL && strcmp(needed, refused) == 0) ||
		    !matches(row->pattern, text))
			continue;
		if (needed == NULL) {
			to += sprintf(to, "%s", row->hint[0] != '\0' ? "; " : "");
			for (const char *from = row->hint; *from != '\0'; from++)
				to += *from == '@' ? sprintf(to, "%zu", column) : sprintf(to, "%c", *from);
		} else if (needed[0] == '\0') {
			sprintf(into, "; %s need a key without letters, which sorts them as text: -k %zu,%zu",
			        row->hint, column, column);
		} else {
			sprintf(into, "; %s need %s%s%s", row->hint,
			        where & FIELDS && (named || needed[1] != '\0') ? ":" : "", needed,
			        strcmp(needed, "--lines") == 0 ? ", which sorts them as text" : "");
		}
		return true;
	}
	return false;
}

/* ---- fields ----------------------------------------------------------------- */

static const struct separator {
	char        byte;
	const char *spelled;	/* as a shell wants it behind gsort */
} separators[] = {
	{ '\t', "-t '\\t' " }, { ';', "-t ';' " }, { '|', "-t '|' " }, { ',', "--csv " }, { ' ', "" },
	{ ':', "-t ':' " },
};

/* The number, from 1, of the first field of TEXT that is a number; 0: none is.  *LETTER: the ordering
 * that reads it. */
static unsigned
numeric_field(const char *text, char separator, char *letter)
{
	for (unsigned field = 1; text != NULL; field++) {
		const char *stop = text;
		char copy[LOOKED_AT + 1];

		if (separator == ',' && *text == '"')	/* behind the quotes of a field of CSV */
			for (stop++; *stop != '\0' && (*stop != '"' || stop[1] == '"'); stop++)
				stop += *stop == '"';
		stop = strchr(stop, separator);
		snprintf(copy, sizeof copy, "%.*s",
		         stop != NULL ? (int)(stop - text) : LOOKED_AT, text);
		if (matches("[ \"]*" NUMBER "[ \"]*", copy)) {
			if (strpbrk(copy, ".eE") != NULL)
				*letter = 'g';
			return field;
		}
		text = stop == NULL ? NULL : stop + (separator == ' ' ? strspn(stop, " ") : 1);
	}
	return 0;
}

/* Which option sorts lines with fields by one of them?  If no field is a number, a FIRST line may be a
 * heading, which names columns; prose is not one. */
static bool
name_fields(char into[GS_HINT_BYTES], bool floats, bool first, const char *text)
{
	const int bytes = (int)strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
	const bool heading = first && strchr("#<", *text) == NULL && strstr(text, ", ") == NULL;

	for (size_t s = 0; s < sizeof separators / sizeof separators[0]; s++) {
		const char byte = separators[s].byte;
		const bool has = strchr(text, byte) != NULL, plain = bytes > 0 && text[bytes] == byte;
		char letter = floats ? 'g' : 'n';
		const unsigned field = has ? numeric_field(text, byte, &letter) : 0;

		if (!has || (field == 0 && (!heading || byte == ' ' || byte == ':')))
			continue;
		if (field > 0)
			snprintf(into, GS_HINT_BYTES, "; fields? sort lines by one: gsort %s-k%u,%u%c",
			         separators[s].spelled, field, field, letter);
		else
			snprintf(into, GS_HINT_BYTES,
			         "; fields? sort lines by one: gsort %s--header -k %.*s%s",
			         separators[s].spelled, plain ? bytes : 3, plain ? text : "1,1",
			         plain ? " (:n behind it for numbers)" : "");
		return true;
	}
	return false;
}

/* ---- the hint ------------------------------------------------------------------ */

/* Copy the text in question, without blanks around it; NUL becomes "?". */
static void
copy_line(char text[LOOKED_AT + 1], const char *line, const char *end)
{
	size_t bytes = 0;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	end -= line < end && end[-1] == '\r';
	while (line < end && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (; line < end && bytes < LOOKED_AT; line++)
		text[bytes++] = *line != '\0' ? *line : '?';
	text[bytes] = '\0';
}

const char *
gs_hint(char into[GS_HINT_BYTES], const struct gs_text_options *options, uint64_t number,
        const char *line, const char *end)
{
	const bool first = number == 1, decimal = options->notation == GSORT_DECIMAL;
	const bool zero = memchr(line, '\0', (size_t)(end - line)) != NULL;
	bool binary = false;		/* it has bytes that text lacks, or NULs where no line ends */
	char text[LOOKED_AT + 1];

	into[0] = '\0';
	copy_line(text, line, end);
	for (const char *at = line; first && at < end; at++)
		binary |= *at == '\0' ? at == line || at[-1] == '\0'
		          : (unsigned char)*at < ' ' && strchr("\t\n\v\f\r\033", *at) == NULL;
	if (first && end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		snprintf(into, GS_HINT_BYTES, "; remove the byte order mark before it: tail -c +4");
	else if (first && zero && !binary)
		snprintf(into, GS_HINT_BYTES, "; lines that end in NUL need -z; UTF-16 needs iconv");
	else if (binary || (first && zero))
		snprintf(into, GS_HINT_BYTES, "; binary keys need a type, such as -u32");
	else if (end - line > LOOKED_AT && strchr(text, '\n') != NULL)
		snprintf(into, GS_HINT_BYTES, "; " NEWLINES);
	else if (end - line > LOOKED_AT && matches("[-+0-9.e]+([ ,;\t]+[-+0-9.e]*)+", text))
		snprintf(into, GS_HINT_BYTES, "; write one number a line: tr -s ' ,;\\t' '\\n'");
	else if (end - line > LOOKED_AT || name_character(into, line, end) || name_json(into, text) ||
	         name_notation(into, options->floats ? FLOATS : INTEGERS, 1, false,
	                       options->floats ? "--type=float" :
	                       options->notation == GSORT_HEXADECIMAL ? "--type=hex" :
	                       options->notation == GSORT_IPV4 ? "--type=ipv4" :
	                       options->notation == GSORT_TIME ? "--type=time" : "no --type", text) ||
	         (decimal && name_fields(into, options->floats, first, text)) || !first)
		return into;
	else if (decimal && text[0] != '<' && strpbrk(text, "0123456789") != NULL)
		snprintf(into, GS_HINT_BYTES,
		         "; lines with numbers in them need --lines, or -V to sort by these");
	else if (strchr("0123456789-+.", text[0]) == NULL)
		snprintf(into, GS_HINT_BYTES, "; a heading needs --header, lines of words --lines");
	return into;
}

const char *
gs_hint_field(char into[GS_HINT_BYTES], const struct gs_hinted_field *field, uint64_t number,
              const char *text, const char *end)
{
	const unsigned where = field->separator < 0 ? BLANKS
	                       : field->csv && field->separator == ',' ? COMMAS : OTHERS;
	char copy[LOOKED_AT + 1];

	into[0] = '\0';
	copy_line(copy, text, end);
	if (end - text <= LOOKED_AT && !name_character(into, text, end) &&
	    !name_notation(into, where, field->column, field->named, field->letter, copy) &&
	    number == 1 && !field->named && strchr("0123456789-+.[", copy[0]) == NULL)
		snprintf(into, GS_HINT_BYTES, "; a heading needs --header");
	return into;
}

bool
gs_hint_quotes(int separator, char terminator, const char *data, const char *end)
{
	enum { MOST_BYTES = 64 << 10 };
	const char between = (char)separator, *at = data, *behind;

	if (end - data > MOST_BYTES)
		end = data + MOST_BYTES;
	for (; (at = memchr(at, '"', (size_t)(end - at))) != NULL; at = behind) {
		size_t bytes;

		behind = at + 1;
		if (at > data && at[-1] != between && at[-1] != terminator)
			continue;
		behind = at;
		do	/* go behind the quote that closes it: two of them do not */
			behind = memchr(behind + 1, '"', (size_t)(end - behind - 1));
		while (behind != NULL && ++behind < end && *behind == '"');
		if (behind == NULL || behind == end)
			return false;
		bytes = (size_t)(behind - 1 - at);
		if (memchr(at, separator, bytes) != NULL && memchr(at, terminator, bytes) == NULL &&
		    (*behind == between || *behind == '\r' || *behind == terminator))
			return true;
	}
	return false;
}

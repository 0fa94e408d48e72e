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

#include "format/text/line.h"

enum { LOOKED_AT = 200 };	/* bytes of a line; no notation is longer */

/* ---- characters ------------------------------------------------------------- */

/* Those that a terminal shows as a blank, as nothing or as a character of numbers. */
static const struct character {
	uint32_t    first, last;
	const char *name;	/* of one; of several, what they are */
} characters[] = {
	{ 0x00, 0x00, "NULL" }, { 0x08, 0x08, "BACKSPACE" }, { 0x0b, 0x0b, "LINE TABULATION" },
	{ 0x0c, 0x0c, "FORM FEED" },
	{ 0x1a, 0x1a, "SUBSTITUTE, the end of a file of DOS" }, { 0x1b, 0x1b, "ESCAPE" },
	{ 0x01, 0x1f, "a control character" }, { 0x7f, 0x7f, "DELETE" },
	{ 0x85, 0x85, "NEXT LINE" }, { 0x80, 0x9f, "a control character" },
	{ 0xa0, 0xa0, "NO-BREAK SPACE" }, { 0xad, 0xad, "SOFT HYPHEN" },
	{ 0x61c, 0x61c, "ARABIC LETTER MARK" }, { 0x660, 0x669, "an ARABIC-INDIC DIGIT" },
	{ 0x6f0, 0x6f9, "an EXTENDED ARABIC-INDIC DIGIT" },
	{ 0x966, 0x96f, "a DEVANAGARI DIGIT" }, { 0x1680, 0x1680, "OGHAM SPACE MARK" },
	{ 0x180e, 0x180e, "MONGOLIAN VOWEL SEPARATOR" }, { 0x2002, 0x2002, "EN SPACE" },
	{ 0x2003, 0x2003, "EM SPACE" }, { 0x2007, 0x2007, "FIGURE SPACE" },
	{ 0x2009, 0x2009, "THIN SPACE" }, { 0x200a, 0x200a, "HAIR SPACE" },
	{ 0x2000, 0x200a, "a space of typography" }, { 0x200b, 0x200b, "ZERO WIDTH SPACE" },
	{ 0x200c, 0x200c, "ZERO WIDTH NON-JOINER" }, { 0x200d, 0x200d, "ZERO WIDTH JOINER" },
	{ 0x200e, 0x200e, "LEFT-TO-RIGHT MARK" }, { 0x200f, 0x200f, "RIGHT-TO-LEFT MARK" },
	{ 0x2010, 0x2010, "HYPHEN" }, { 0x2011, 0x2011, "NON-BREAKING HYPHEN" },
	{ 0x2012, 0x2012, "FIGURE DASH" }, { 0x2013, 0x2013, "EN DASH" },
	{ 0x2014, 0x2014, "EM DASH" }, { 0x2028, 0x2028, "LINE SEPARATOR" },
	{ 0x2029, 0x2029, "PARAGRAPH SEPARATOR" }, { 0x202d, 0x202d, "LEFT-TO-RIGHT OVERRIDE" },
	{ 0x202e, 0x202e, "RIGHT-TO-LEFT OVERRIDE" },
	{ 0x202a, 0x202e, "a mark of writing direction" },
	{ 0x202f, 0x202f, "NARROW NO-BREAK SPACE" },
	{ 0x205f, 0x205f, "MEDIUM MATHEMATICAL SPACE" }, { 0x2060, 0x2060, "WORD JOINER" },
	{ 0x2061, 0x206f, "an invisible mark" }, { 0x2212, 0x2212, "MINUS SIGN, not HYPHEN-MINUS" },
	{ 0x2800, 0x2800, "BRAILLE PATTERN BLANK" }, { 0x3000, 0x3000, "IDEOGRAPHIC SPACE" },
	{ 0xfe63, 0xfe63, "SMALL HYPHEN-MINUS" },
	{ 0xfeff, 0xfeff, "ZERO WIDTH NO-BREAK SPACE, a byte order mark" },
	{ 0xff0d, 0xff0d, "FULLWIDTH HYPHEN-MINUS" }, { 0xff10, 0xff19, "a FULLWIDTH DIGIT" },
	{ 0xfff9, 0xfffb, "an invisible mark" }, { 0xe0000, 0xe007f, "an invisible mark" },
};

static const char *
name_of(uint32_t point)
{
	for (size_t c = 0; c < sizeof characters / sizeof characters[0]; c++)
		if (point >= characters[c].first && point <= characters[c].last)
			return characters[c].name;
	return NULL;
}

uint32_t
gs_utf8_decode(const unsigned char *at, const unsigned char *end, size_t *bytes)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };	/* by bytes */
	uint32_t point;

	*bytes = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
	point = *bytes == 1 ? *at : *at & (0x7fu >> *bytes);
	for (size_t b = 1; b < *bytes; b++) {
		if (at + b >= end || (at[b] & 0xc0) != 0x80)
			*bytes = 0;
		else
			point = point << 6 | (at[b] & 0x3f);
	}
	if (*bytes > 1 && point < least[*bytes])
		*bytes = 0;
	return *bytes > 0 ? point : UINT32_MAX;
}

/* Name the first character of LINE .. END that is not what it looks like.  False: there is none. */
static bool
name_character(char into[GS_HINT_BYTES], const char *line, const char *end)
{
	const unsigned char *const begin = (const unsigned char *)line;
	const unsigned char *const behind = (const unsigned char *)end;
	size_t bytes;

	for (const unsigned char *at = begin; at < behind; at += bytes) {
		const uint32_t point = gs_utf8_decode(at, behind, &bytes);
		const char *name = point == '\t' || point == '\r' || point == '\n' ? NULL
		                                                                   : name_of(point);

		if (point == UINT32_MAX && *at == 0xa0)
			snprintf(into, GS_HINT_BYTES, "; byte %zu is a no-break space of Latin-1",
			         (size_t)(at - begin) + 1);
		else if (point == UINT32_MAX)
			snprintf(into, GS_HINT_BYTES, "; byte %zu is no UTF-8",
			         (size_t)(at - begin) + 1);
		else if (name != NULL)
			snprintf(into, GS_HINT_BYTES, "; byte %zu is U+%04X %s",
			         (size_t)(at - begin) + 1, (unsigned)point, name);
		else
			continue;
		return true;
	}
	return false;
}

/* ---- notations ---------------------------------------------------------------- */

#define DIGITS	"[0-9]+"
#define ADDRESSES	"([0-9]{1,3}\\.){3}[0-9]{1,3}[ \t].*"
#define ADDRESSES_HINT	"; do lines begin with an address? gsort -V"
#define NUMBER	GS_LINE_NUMBER

/* POSIX extended regular expressions for a whole line; capitals are as small letters. */
static const struct notation {
	bool        integers;	/* only where integers are read: --type=float reads these */
	const char *pattern, *hint;
} notations[] = {
	{ false, "[^\n]*\n.*", "; these lines end in newlines: leave -z out" },
	{ true,  NUMBER "|[-+]?(nan|inf|infinity)", "; floats need --type=float" },
	{ false, "[0-9.]+e[-+]?", "" },		/* no hexadecimal number, but half of a float */
	{ true,  "[-+]?0x[0-9a-f]+", "; hexadecimal needs --type=hex" },
	{ false, "[0-9]{4}-[0-9]{2}-[0-9]{2}([t ][0-9]{2}:.*)?", "; dates and times need --type=time" },
	{ false, "[0-9]{1,2}([./-])[0-9]{1,2}[./-][0-9]{4}|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}|"
	         "[a-z]{3,9} [0-9]{1,2},? [0-9]{4}|[0-9]{1,2} [a-z]{3,9} [0-9]{4}",
	  "; dates are sorted as 2026-11-22, with --type=time" },
	{ false, "([0-9]{1,3}\\.){3}[0-9]{1,3}", "; IPv4 addresses need --type=ipv4" },
	{ false, "([0-9]{1,3}\\.){3}[0-9]{1,3}/[0-9]{1,2}", "; networks need -V" },
	{ false, ADDRESSES, ADDRESSES_HINT },
	{ false, "[0-9]{1,3}(:[0-9]{2}){1,2}([.,][0-9]+)?", "; times of day need -V" },
	{ false, "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
	  "; UUIDs need --lines, which sorts them as text" },
	{ false, "([0-9a-f]{2}[:-]){5}[0-9a-f]{2}",
	  "; hardware addresses need --lines, which sorts them as text" },
	{ false, "[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}(/[0-9]+|%.*)?",
	  "; gsort knows no IPv6 addresses; --lines sorts them as text" },
	{ false, "[0-9]{4}-[0-9]{2}", "; months of years need --lines, which sorts them as text" },
	{ false, "[-+]?0[bo][0-7_]+", "; gsort reads decimal numbers, and with --type=hex hexadecimal ones" },
	{ false, "v?" DIGITS "(\\." DIGITS "){2,}([-+~].*)?|v" DIGITS "(\\." DIGITS ")*",
	  "; versions need -V" },
	{ false, "[-+]?[0-9]{1,3}(,[0-9]{3})+(\\.[0-9]*)?",
	  "; remove the commas between thousands: tr -d ," },
	{ false, "[-+]?[0-9]{1,3}(\\.[0-9]{3}){2,}(,[0-9]*)?",
	  "; remove the points between thousands: tr -d ." },
	{ false, "[-+]?[0-9]+(_[0-9]+)+(\\.[0-9]*)?", "; remove the underscores: tr -d _" },
	{ false, "[-+]?[0-9]{1,3}('[0-9]{3})+(\\.[0-9]*)?", "; remove the quotes: tr -d \"'\"" },
	{ false, "[-+]?[0-9]{1,3}( 0[0-9]{2}| [0-9]{3} 0[0-9]{2})( [0-9]{3})*",
	  "; remove the blanks between thousands: tr -d ' '" },
	{ false, "[\"']" NUMBER "[\"'],?", "; remove the quotes: tr -d \\\"\\'," },
	{ false, NUMBER "[,;]", "; remove what follows the number: tr -d ',;'" },
	{ false, NUMBER " *%", "; remove the percent signs: tr -d %" },
	{ false, "[-+]?\\$ *" NUMBER "(,[0-9]{3})*(\\.[0-9]*)?",
	  "; remove what is around the number: tr -d '$,'" },
	{ false, NUMBER "[kmgtpzyrq]i?", "; sizes with suffixes need -h" },
	{ false, NUMBER " *[kmgtp]i?b", "; sizes need -h, once they end in K, M, G: tr -d ' iB'" },
	{ false, "#?n/?a|null|none|nil|undefined|missing|-+|\\?|\\.",
	  "; --invalid=ignore leaves out what is no number" },
	{ false, "[0-9a-f]*([0-9][a-f]|[a-f][0-9])[0-9a-f]*|[0-9a-f]{8,}",
	  "; hexadecimal needs --type=hex" },
	{ false, "\\[.*|[]}],?", "; JSON? take the numbers out of it first: jq '.[]'" },
	{ false, "[-+] +" NUMBER, "; remove the blank behind the sign: tr -d ' '" },
	{ false, "[^\r]*\r[^\r].*", "; these lines end in CR: tr '\\r' '\\n'" },
	{ false, "[^\r]*\r+", "; remove the CRs: tr -d '\\r'" },
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

	if (text[0] != '{')
		return false;
	if (finds("\"([a-z_][a-z0-9_]*)\" *: *-?[0-9]", text, groups))
		snprintf(into, GS_HINT_BYTES, "; JSON? take the numbers out of it first: jq .%.*s",
		         (int)(groups[1].rm_eo - groups[1].rm_so), text + groups[1].rm_so);
	else
		snprintf(into, GS_HINT_BYTES, "; JSON? take the numbers out of it first: jq .NAME");
	return true;
}

static bool
name_notation(char into[GS_HINT_BYTES], bool floats, const char *text)
{
	for (size_t n = 0; n < sizeof notations / sizeof notations[0]; n++)
		if (!(notations[n].integers && floats) && matches(notations[n].pattern, text)) {
			snprintf(into, GS_HINT_BYTES, "%s", notations[n].hint);
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
};

/* Behind the quotes of a field of CSV. */
static const char *
behind_quotes(const char *text)
{
	if (*text != '"')
		return text;
	for (text++; *text != '\0' && (*text != '"' || text[1] == '"'); text++)
		text += *text == '"';
	return text;
}

/* The number, from 1, of the first field of TEXT that is a number; 0: none is.  *LETTER: the ordering
 * that reads it. */
static unsigned
numeric_field(const char *text, char separator, char *letter)
{
	for (unsigned field = 1; text != NULL; field++) {
		const char *stop = strchr(separator == ',' ? behind_quotes(text) : text, separator);
		char copy[LOOKED_AT + 1];

		snprintf(copy, sizeof copy, "%.*s",
		         stop != NULL ? (int)(stop - text) : LOOKED_AT, text);
		if (matches("[ \"]*" NUMBER "[ \"]*", copy)) {
			if (strpbrk(copy, ".eE") != NULL)
				*letter = 'g';
			return field;
		}
		for (text = stop; text != NULL && *text == separator; text++)
			if (separator != ' ') {
				text++;
				break;
			}
	}
	return 0;
}

/* The heading of a CSV file: its first column, by name if that needs no quotes. */
static void
name_column(char into[GS_HINT_BYTES], const char *text)
{
	const int bytes = (int)strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
	const bool plain = bytes > 0 && text[bytes] == ',';

	snprintf(into, GS_HINT_BYTES, "; fields? sort lines by one: gsort --csv --header -k %.*s",
	         plain ? bytes : 3, plain ? text : "1,1");
}

/* Which option sorts lines with fields by one of them? */
static bool
name_fields(char into[GS_HINT_BYTES], bool floats, bool first, const char *text)
{
	for (size_t s = 0; s < sizeof separators / sizeof separators[0]; s++) {
		const bool has = strchr(text, separators[s].byte) != NULL;
		char letter = floats ? 'g' : 'n';
		const unsigned field = has ? numeric_field(text, separators[s].byte, &letter) : 0;
		const unsigned key = field > 0 ? field : 1;

		if (!has || (field == 0 && !first))
			continue;
		if (floats && matches("[-+]?[0-9]+,[0-9]+", text)) {
			snprintf(into, GS_HINT_BYTES, "; replace the decimal comma: tr , .");
			return true;
		}
		if (field == 0 && separators[s].byte == ',')
			name_column(into, text);
		else
			snprintf(into, GS_HINT_BYTES, "; fields? sort lines by one: gsort %s%s-k%u,%u%c",
			         separators[s].spelled, field == 0 ? "--header " : "", key, key, letter);
		return true;
	}
	return false;
}

/* ---- the hint ------------------------------------------------------------------ */

/* Text that has digits somewhere: -V sorts it by its numbers.  Asked of first lines only: a later one
 * is a number gone wrong. */
static bool
name_numbers(char into[GS_HINT_BYTES], const char *text)
{
	if (strpbrk(text, "0123456789") == NULL)
		return false;
	snprintf(into, GS_HINT_BYTES, "; lines with numbers in them need -V");
	return true;
}

/* A first line with bytes that text does not have is binary. */
static bool
is_binary(const char *line, const char *end)
{
	for (const char *at = line; at < end; at++)
		if ((unsigned char)*at < ' ' && (*at < '\t' || *at > '\r') && *at != '\033')
			return true;
	return false;
}

/* Digits with NULs between them: the lines of -z, or UTF-16. */
static bool
has_digits_and_nuls(const char *line, const char *end)
{
	bool nuls = false;

	for (const char *at = line; at < end; at++) {
		if (*at != '\0' && (*at < '0' || *at > '9'))
			return false;
		nuls = nuls || *at == '\0';
	}
	return nuls && *line != '\0';
}

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
	const bool first = number == 1;
	char text[LOOKED_AT + 1];

	into[0] = '\0';
	copy_line(text, line, end);
	if (options->notation == GSORT_IPV4)
		snprintf(into, GS_HINT_BYTES, "%s", matches(ADDRESSES, text) ? ADDRESSES_HINT : "");
	else if (first && end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		snprintf(into, GS_HINT_BYTES, "; remove the byte order mark before it: tail -c +4");
	else if (first && has_digits_and_nuls(line, end))
		snprintf(into, GS_HINT_BYTES, "; lines that end in NUL need -z; UTF-16 needs iconv");
	else if (first && is_binary(line, end))
		snprintf(into, GS_HINT_BYTES, "; binary keys need a type, such as -u32");
	else if (end - line > LOOKED_AT && matches("[-+0-9.e]+([ ,;\t]+[-+0-9.e]*)+", text))
		snprintf(into, GS_HINT_BYTES, "; write one number a line: tr -s ' ,;\\t' '\\n'");
	else if (end - line <= LOOKED_AT && !name_character(into, line, end) &&
	         !name_json(into, text) && !name_notation(into, options->floats, text) &&
	         !name_fields(into, options->floats, first, text) && first &&
	         !name_numbers(into, text) && (text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z')
		snprintf(into, GS_HINT_BYTES, "; a heading needs --header, lines of words --lines");
	return into;
}

/* The quote that closes a field which the quote at AT opens, and behind which something comes; or NULL. */
static const char *
closing_quote(const char *at, const char *end)
{
	const char *close = at + 1;

	while ((close = memchr(close, '"', (size_t)(end - close))) != NULL && close + 1 < end &&
	       close[1] == '"')
		close += 2;
	return close == NULL || close + 1 == end ? NULL : close;
}

bool
gs_hint_quotes(int separator, char terminator, const char *data, const char *end)
{
	const char between = (char)separator, *at = data, *close;

	for (; (at = memchr(at, '"', (size_t)(end - at))) != NULL; at = close + 1) {
		size_t bytes;

		close = at;
		if (at > data && at[-1] != between && at[-1] != terminator)
			continue;
		close = closing_quote(at, end);
		if (close == NULL)
			return false;
		bytes = (size_t)(close - at);
		if (memchr(at, separator, bytes) != NULL && memchr(at, terminator, bytes) == NULL &&
		    (close[1] == between || close[1] == '\r' || close[1] == terminator))
			return true;
	}
	return false;
}

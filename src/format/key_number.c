// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_number.c - keys that are decimal numbers: the orders n and h of sort(1)
 *
 * In:   the text of a key: blanks, "-" perhaps, digits, and after "." more digits.
 * Out:  a comparison, or bytes with the same order.
 *
 * A number other than 0 is 0.DIGITS times ten to the EXPONENT, its first digit and its last are not
 * 0.  So numbers compare by sign, exponent and digits, and so do their bytes: one for sign and
 * exponent, and 16 digits in each seven bytes that follow.
 */
#include <assert.h>
#include <string.h>

#include "format/key_number.h"
#include "format/line.h"

/* ---- reading -------------------------------------------------------------------- */

struct number {
	bool   negative;
	size_t digits;		/* that count; 0: the number is 0 */
	int64_t exponent;
	int    next;		/* the byte after the number; -1: none */
	struct gs_key_text text;	/* at the first digit that counts */
};

static inline bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static struct number
read_number(struct gs_key_text text)
{
	struct number number = { .text = text };
	size_t digits = 0;	/* from the first that is not 0 */
	int64_t point = 0;	/* of these, before the point; less than 0: zeros after it */
	int c;

	c = gs_key_text_next_nonblank(&text);
	number.negative = c == '-';
	if (number.negative)
		c = gs_key_text_next(&text);
	for (bool fraction = false; ; c = gs_key_text_next(&text)) {
		if (c == '.' && !fraction) {
			fraction = true;
			point = (int64_t)digits;
			continue;
		}
		if (!is_digit(c)) {
			number.exponent = fraction ? point : (int64_t)digits;
			break;
		}
		if (c == '0' && digits == 0) {
			point -= fraction;
			continue;
		}
		digits++;
		if (c != '0')
			number.digits = digits;
		if (digits > 1)
			continue;
		number.text = text;	/* which is one byte further */
		number.text.at--;
		number.text.left += text.csv;
	}
	number.next = c;
	if (number.digits == 0)
		number.negative = false;
	return number;
}

/* The next of the digits that count. */
static inline unsigned
next_digit(struct gs_key_text *text)
{
	int c = gs_key_text_next(text);

	if (c == '.')
		c = gs_key_text_next(text);
	assert(is_digit(c));
	return (unsigned)(c - '0');
}

/* ---- n -------------------------------------------------------------------------- */

static int
sign_of(const struct number *number)
{
	return number->digits == 0 ? 0 : number->negative ? -1 : 1;
}

static int
compare_sizes(const struct number *one, const struct number *other)
{
	struct gs_key_text a = one->text, b = other->text;
	const size_t least = one->digits < other->digits ? one->digits : other->digits;

	if (one->exponent != other->exponent)
		return one->exponent < other->exponent ? -1 : 1;
	for (size_t d = 0; d < least; d++) {
		const int difference = (int)next_digit(&a) - (int)next_digit(&b);

		if (difference != 0)
			return difference;
	}
	return (one->digits > other->digits) - (one->digits < other->digits);
}

static int
compare(const struct number *one, const struct number *other)
{
	const int sign = sign_of(one), other_sign = sign_of(other);

	if (sign != other_sign)
		return sign - other_sign;
	return sign == 0 ? 0 : sign * compare_sizes(one, other);
}

int
gs_number_compare(struct gs_key_text one, struct gs_key_text other)
{
	const struct number a = read_number(one), b = read_number(other);

	return compare(&a, &b);
}

/*
 * The first byte.  A negative number has the complement of all bytes of its absolute value.  An
 * exponent that does not fit is in eight bytes of its own, behind FAR or NEAR.
 */
enum {
	ZERO = 0x80,
	NEAR = 0x81,		/* of the exponents below LEAST */
	EXPONENT_0 = 0xc0,
	FAR = 0xff,		/* of those above MOST */
	MOST = FAR - EXPONENT_0 - 1,
	LEAST = NEAR - EXPONENT_0 + 1,
	CHUNK = 16,		/* digits in seven bytes */
};

static const uint64_t powers[CHUNK + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
	100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000,
};

/* Seven bytes: up to 16 digits, and whether more follow. */
static uint64_t
chunk_of(uint64_t digits, unsigned count, bool more)
{
	return digits * powers[CHUNK - count] << 2 | more;
}

static bool
put_exponent(struct gs_key_bytes *bytes, int64_t exponent)
{
	if (exponent >= LEAST && exponent <= MOST)
		return gs_key_bytes_put(bytes, (uint8_t)(EXPONENT_0 + exponent));
	return gs_key_bytes_put(bytes, exponent > MOST ? FAR : NEAR) ||
	       gs_key_bytes_put_number(bytes, (uint64_t)exponent ^ (uint64_t)1 << 63, 8);
}

static bool
put_digits(struct gs_key_bytes *bytes, struct number *number)
{
	for (size_t left = number->digits; left > 0; ) {
		const unsigned count = left < CHUNK ? (unsigned)left : CHUNK;
		uint64_t digits = 0;

		for (unsigned d = 0; d < count; d++)
			digits = 10 * digits + next_digit(&number->text);
		left -= count;
		if (gs_key_bytes_put_number(bytes, chunk_of(digits, count, left > 0), 7))
			return true;
	}
	return false;
}

static bool
put(struct gs_key_bytes *bytes, struct number *number)
{
	bool full;

	if (number->digits == 0)
		return gs_key_bytes_put_number(bytes, ZERO, 1) || gs_key_bytes_put_number(bytes, 0, 7);
	if (number->negative)
		bytes->flip ^= 0xff;
	full = put_exponent(bytes, number->exponent) || put_digits(bytes, number);
	if (number->negative)
		bytes->flip ^= 0xff;
	return full;
}

bool
gs_number_put(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	struct number number;
	uint64_t word;

	if (gs_key_text_is_plain(&text) && gs_number_word(text.at, text.end, &word))
		return gs_key_bytes_put_eight(bytes, word);
	number = read_number(text);
	return put(bytes, &number);
}

/* ---- the usual number ----------------------------------------------------------- */

/*
 * Take up to eight digits from the eight bytes at AT; see format/line.h for how.  *COUNT is how many
 * there are.
 */
static inline uint64_t
eight_digits(const unsigned char *at, unsigned *count)
{
	uint64_t word, other;

	memcpy(&word, at, sizeof word);
	word = le64toh(word);
	other = gs_line_other(word);
	*count = other == 0 ? 8 : gs_line_digits_before(other);
	return other == 0 ? gs_line_join(word) : gs_line_join_some(word, *count);
}

/* Take at most ROOM digits, and append them to *DIGITS; returns how many. */
static inline unsigned
take_digits(const unsigned char **at, const unsigned char *end, unsigned room, uint64_t *digits)
{
	unsigned count = 0, some = 8;

	while (end - *at >= 8 && count + 8 <= room && some == 8) {
		const uint64_t part = eight_digits(*at, &some);

		*digits = *digits * powers[some] + part;
		*at += some;
		count += some;
	}
	if (some < 8)
		return count;
	for (; *at < end && is_digit(**at) && count < room; ++*at, count++)
		*digits = 10 * *digits + (unsigned)(**at - '0');
	return count;
}

bool
gs_number_word(const unsigned char *at, const unsigned char *end, uint64_t *word)
{
	uint64_t digits = 0;
	bool negative;
	int exponent;
	unsigned count;

	while (at < end && gs_is_blank(*at))
		at++;
	negative = at < end && *at == '-';
	at += negative;
	while (at < end && *at == '0')
		at++;
	count = take_digits(&at, end, CHUNK, &digits);
	exponent = (int)count;
	if (at < end && *at == '.') {
		at++;
		if (count == 0)
			for (; at < end && *at == '0' && exponent > LEAST; at++)
				exponent--;
		count += take_digits(&at, end, CHUNK - count, &digits);
	}
	if (at < end && is_digit(*at))
		return false;		/* too many digits, or zeros */
	if (digits == 0) {
		*word = (uint64_t)ZERO << 56;
		return true;
	}
	*word = (uint64_t)(EXPONENT_0 + exponent) << 56 | chunk_of(digits, count, false);
	if (negative)
		*word = ~*word;
	return true;
}

/* ---- h -------------------------------------------------------------------------- */

/* The rank of a suffix, negative for a number below 0; 0: none, or the number is 0. */
static int
suffix_of(const struct number *number)
{
	static const char suffixes[] = "KMGTPEZYRQ";
	const char *found;

	if (number->digits == 0 || number->next <= 0)
		return 0;
	found = strchr(suffixes, number->next == 'k' ? 'K' : number->next);
	return found == NULL ? 0 : sign_of(number) * (int)(found - suffixes + 1);
}

int
gs_size_compare(struct gs_key_text one, struct gs_key_text other)
{
	const struct number a = read_number(one), b = read_number(other);
	const int difference = suffix_of(&a) - suffix_of(&b);

	return difference != 0 ? difference : compare(&a, &b);
}

bool
gs_size_put(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	struct number number = read_number(text);

	return gs_key_bytes_put(bytes, (uint8_t)(0x80 + suffix_of(&number))) || put(bytes, &number);
}

/* ---- how long a number is ------------------------------------------------------- */

/* Without blanks before it; a suffix counts, but nothing is a number that has no digit. */
size_t
gs_number_length(bool suffix, const unsigned char *at, const unsigned char *end)
{
	const unsigned char *from = at;
	bool any = false;

	at += at < end && *at == '-';
	for (; at < end && is_digit(*at); at++)
		any = true;
	if (at < end && *at == '.')
		for (at++; at < end && is_digit(*at); at++)
			any = true;
	if (!any)
		return 0;
	if (suffix && at < end && (*at == 'k' || (*at != '\0' && strchr("KMGTPEZYRQ", *at) != NULL)))
		at++;
	return (size_t)(at - from);
}

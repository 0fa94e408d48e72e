// SPDX-License-Identifier: BSD-2-Clause
/*
 * collation.c - text in the order of a locale
 *
 * In:   a locale of the C library; texts.
 * Out:  a comparison, and bytes that agree with it.
 *
 * strxfrm(3) turns a text into bytes; those before the first byte 1 are its weights on the first level.
 * (Other C libraries may write other bytes; any prefix of them is in order.)  Then the weights are
 * shortened.  The weights of ASCII characters are in a table, and each is replaced by its rank in the
 * table, an even byte.  Any other weight gets an odd byte in front, which says between which two ranks
 * the weight belongs.  This keeps the order, because no weight in the table is a prefix of another.  A
 * byte 0 ends the text.
 *
 * In ASCII text, each character has its own weight, whatever its neighbours, unless the locale treats two
 * characters as one ("ch" in Czech), or three characters, two of them the same.  gs_locale_open() looks for
 * such groups; glibc 2.36 has no others that begin otherwise.  All other ranks come from a table, without
 * strxfrm(3), which gets only the parts of a text with such groups.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "linekey/collation.h"

enum {
	SHORT_BYTES = 2048,	/* of a text that is copied onto the stack */
	WEIGHT_BYTES = 8192,	/* of what strxfrm(3) makes of it */
};

/* ---- text as a string of C ------------------------------------------------------------ */

/* A text that is in one piece. */
struct piece {
	const unsigned char *at;
	size_t bytes;
	char  *copy;		/* at AT, with a NUL behind it; or NULL */
	char  *allocated;	/* for free(3) */
};

static char *
find_room(const struct gs_locale *locale, char *small, size_t small_bytes, size_t bytes, char **allocated)
{
	if (bytes <= small_bytes)
		return small;
	*allocated = malloc(bytes);
	if (*allocated == NULL)
		atomic_store(&((struct gs_locale *)(uintptr_t)locale)->failed, true);
	return *allocated;
}

/* Copy a text, into SMALL if it fits there; false: no memory. */
static bool
copy_text(const struct gs_locale *locale, struct piece *piece, struct gs_key_text text,
          char small[SHORT_BYTES])
{
	const size_t most = (size_t)(text.end - text.at);

	piece->copy = find_room(locale, small, SHORT_BYTES, most + 1, &piece->allocated);
	if (piece->copy == NULL)
		return false;
	if (gs_key_text_is_plain(&text))
		memcpy(piece->copy, text.at, most);
	piece->bytes = gs_key_text_is_plain(&text) ? most
	               : gs_key_text_copy(text, (unsigned char *)piece->copy, most);
	piece->copy[piece->bytes] = '\0';
	piece->at = (const unsigned char *)piece->copy;
	return true;
}

/* The same, but leave plain text where it is. */
static bool
take_text(const struct gs_locale *locale, struct piece *piece, struct gs_key_text text,
          char small[SHORT_BYTES])
{
	*piece = (struct piece){ .at = text.at, .bytes = (size_t)(text.end - text.at) };
	return gs_key_text_is_plain(&text) || copy_text(locale, piece, text, small);
}

/* ---- comparing ------------------------------------------------------------------------ */

static inline bool
is_safe(const uint8_t *ranks, const unsigned char *at, const unsigned char *end)
{
	return at == end || ranks[*at] != GS_RANK_UNSAFE;
}

/* Compare by weights of ASCII; 0: they do not decide. */
static int
compare_ranks(const uint8_t *ranks, const struct piece *one, const struct piece *other)
{
	const unsigned char *a = one->at, *a_end = a + one->bytes, *b = other->at, *b_end = b + other->bytes;

	for (;; a++, b++) {
		while (a < a_end && ranks[*a] == GS_RANK_IGNORED)
			a++;
		while (b < b_end && ranks[*b] == GS_RANK_IGNORED)
			b++;
		if (a == a_end || b == b_end || ranks[*a] != ranks[*b])
			break;
		if (ranks[*a] == GS_RANK_UNSAFE)
			return 0;
	}
	if (!is_safe(ranks, a, a_end) || !is_safe(ranks, b, b_end) ||
	    (a < a_end && !is_safe(ranks, a + 1, a_end)) || (b < b_end && !is_safe(ranks, b + 1, b_end)))
		return 0;
	return (a < a_end ? ranks[*a] : 0) - (b < b_end ? ranks[*b] : 0);
}

/* Both are strings with a NUL behind them, and NULs inside perhaps: parts between these compare one after
 * the other, as for sort(1). */
static int
compare_parts(const struct gs_locale *locale, const struct piece *one, const struct piece *other)
{
	const char *a = one->copy, *a_end = a + one->bytes, *b = other->copy, *b_end = b + other->bytes;

	for (;;) {
		const int difference = strcoll_l(a, b, locale->handle);

		if (difference != 0)
			return difference;
		a += strlen(a) + 1;
		b += strlen(b) + 1;
		if (a > a_end || b > b_end)
			return (a <= a_end) - (b <= b_end);
	}
}

int
gs_collation_compare(const struct gs_locale *locale, struct gs_key_text one, struct gs_key_text other)
{
	char small_a[SHORT_BYTES], small_b[SHORT_BYTES];
	struct piece a, b = { .allocated = NULL };
	int difference = 0;

	if (!take_text(locale, &a, one, small_a) || !take_text(locale, &b, other, small_b))
		goto out;
	if (a.bytes == 0 || b.bytes == 0) {
		difference = (a.bytes > 0) - (b.bytes > 0);
		goto out;
	}
	if (a.bytes == b.bytes && memcmp(a.at, b.at, a.bytes) == 0)
		goto out;
	difference = compare_ranks(locale->ranks, &a, &b);
	if (difference == 0 && (a.copy != NULL || copy_text(locale, &a, one, small_a)) &&
	    (b.copy != NULL || copy_text(locale, &b, other, small_b)))
		difference = compare_parts(locale, &a, &b);
out:
	free(a.allocated);
	free(b.allocated);
	return difference;
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* Count the weights in the table that are less than the bytes AT .. END.  If these begin with a weight of the
 * table, *BYTES is its length; else 0. */
static unsigned
find_weight(const struct gs_locale *locale, const unsigned char *at, const unsigned char *end,
            size_t *bytes)
{
	const size_t left = (size_t)(end - at);
	unsigned low = 0, high = locale->weight_count;

	*bytes = 0;
	while (low < high) {
		const unsigned middle = (low + high) / 2;
		const struct gs_weight *weight = &locale->weights[middle];
		const size_t shared = weight->bytes < left ? weight->bytes : left;
		const int difference = memcmp(weight->data, at, shared);

		if (difference == 0 && shared == weight->bytes) {
			*bytes = shared;
			return middle;
		}
		if (difference < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last word begins before GS_COLLATION_BYTES; then a whole weight more. */
enum { ENCODED_BYTES = GS_COLLATION_BYTES + 8 + 8 };

/* Store the bytes of a part of a text, without NULs, up to ENCODED_BYTES; returns how many these are. */
static __attribute__((noinline)) size_t
encode_part(const struct gs_locale *locale, const unsigned char *part, const unsigned char *part_end,
            unsigned char *into)
{
	char small_text[SHORT_BYTES], small[WEIGHT_BYTES], *weights, *allocated = NULL;
	struct piece copy = { .allocated = NULL };
	const unsigned char *at = NULL, *end = NULL;
	size_t count = 0, length;

	if (!copy_text(locale, &copy, (struct gs_key_text){ .at = part, .end = part_end }, small_text))
		return 0;
	length = strxfrm_l(small, copy.copy, sizeof small, locale->handle);
	weights = find_room(locale, small, sizeof small, length + 1, &allocated);
	if (weights != small && weights != NULL)
		length = strxfrm_l(weights, copy.copy, length + 1, locale->handle);
	at = (const unsigned char *)weights;
	if (weights != NULL)
		end = memchr(at, GS_LEVEL_END, length);
	if (weights != NULL && end == NULL)
		end = at + length;
	while (at < end && count + 5 <= ENCODED_BYTES) {
		size_t known, bytes = 1;

		into[count++] = (uint8_t)(2 * find_weight(locale, at, end, &known) +
		                          (known > 0 ? GS_RANK_FIRST : 1));
#if defined __GLIBC__
		/* it writes numbers as UTF-8 does; one that is too small for a weight is right as well */
		bytes = *at < 0xc0 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
#endif
		for (at += known; known == 0 && bytes > 0 && at < end; bytes--)
			into[count++] = *at++;
	}
	free(allocated);
	free(copy.allocated);
	return count;
}

/* Parts of text that have been encoded: a language has few.  For German lines this saves half of the time of
 * a sort. */
struct cached {
	uint64_t locale;		/* its number; 0: empty */
	uint8_t  text_bytes, count;
	unsigned char text[23], encoded[31];
};

enum { CACHED_PARTS = GS_COLLATION_CACHE_BYTES / sizeof(struct cached) };

/* One for each thread that collates, freed when that ends.  NULL: not yet, or no memory. */
static _Thread_local struct cached *cache;
static pthread_key_t cache_key;
static bool has_cache_key;

static void
drop_cache(void *made)
{
	free(made);
	cache = NULL;
}

static void
make_cache_key(void)
{
	has_cache_key = pthread_key_create(&cache_key, drop_cache) == 0;
}

static struct cached *
find_cached(const unsigned char *at, size_t bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t sum = bytes;

	if (cache == NULL) {
		struct cached *made;

		pthread_once(&once, make_cache_key);
		made = has_cache_key ? calloc(CACHED_PARTS, sizeof *made) : NULL;
		if (made == NULL || pthread_setspecific(cache_key, made) != 0) {
			free(made);
			return NULL;
		}
		cache = made;
	}
	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ at[i]) * GS_GOLDEN;
	static_assert(CACHED_PARTS == 512, "as many as 9 bits tell apart");
	return &cache[sum >> 55];
}

/* Append the bytes of a part of a text. */
static bool
put_part(const struct gs_locale *locale, struct gs_key_bytes *bytes, const unsigned char *at,
         const unsigned char *end)
{
	const size_t length = (size_t)(end - at);
	struct cached *cached = length <= sizeof cached->text ? find_cached(at, length) : NULL;
	unsigned char fresh[ENCODED_BYTES];
	const unsigned char *encoded = fresh;
	size_t count;

	if (cached != NULL && cached->locale == locale->number && cached->text_bytes == length &&
	    memcmp(cached->text, at, length) == 0) {
		encoded = cached->encoded;
		count = cached->count;
	} else {
		count = encode_part(locale, at, end, fresh);
		if (cached != NULL && count <= sizeof cached->encoded) {
			*cached = (struct cached){ locale->number, (uint8_t)length, (uint8_t)count,
			                           { 0 }, { 0 } };
			memcpy(cached->text, at, length);
			memcpy(cached->encoded, fresh, count);
		}
	}
	for (size_t i = 0; i < count; i++)
		if (gs_key_bytes_put(bytes, encoded[i]))
			return true;
	return false;
}

/* Append the bytes of text up to its end or a NUL. */
static inline bool
put_piece(const struct gs_locale *locale, struct gs_key_bytes *bytes, const struct piece *piece)
{
	const unsigned char *at = piece->at, *end = at + piece->bytes, *part;
	const uint8_t *ranks = locale->ranks;

	for (; at < end; at = part) {
		part = at + 1;
		if (ranks[*at] != GS_RANK_UNSAFE && is_safe(ranks, part, end)) {
			if (ranks[*at] != GS_RANK_IGNORED && gs_key_bytes_put(bytes, ranks[*at]))
				return true;
			continue;
		}
		if (*at == '\0')
			break;
		/* a part ends between two characters of ASCII, each of which has its own weight */
		while (part < end && *part != '\0' &&
		       (ranks[part[-1]] == GS_RANK_UNSAFE || ranks[*part] == GS_RANK_UNSAFE))
			part++;
		if (put_part(locale, bytes, at, part))
			return true;
	}
	return gs_key_bytes_put(bytes, 0);
}

bool
gs_collation_put(const struct gs_locale *locale, struct gs_key_bytes *bytes, struct gs_key_text text)
{
	char small[SHORT_BYTES];
	struct piece piece;
	const bool full = take_text(locale, &piece, text, small) && put_piece(locale, bytes, &piece);

	free(piece.allocated);
	return full;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * locale.c - open a locale, and find out what it says about keys
 *
 * In:   the name of a locale of the C library.
 * Out:  struct gs_locale: the bytes of numbers, the names of months, and the weights of ASCII.
 *
 * strxfrm(3) shows which ASCII characters have their own weight: it gets each character alone, then each
 * pair.  This takes 0.3 ms.
 */
#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/splitmix.h"
#include "linekey/collation.h"

enum {
	PROBES_MOST = 128,		/* characters */
	PAIR_WEIGHTS_BYTES = 16384,	/* what strxfrm(3) makes of one beside all others, at most */
};

/* ---- weights ---------------------------------------------------------------------------- */

/* What strxfrm(3) makes of TEXT on the first level; SIZE_MAX: it does not fit. */
static size_t
find_weights(locale_t handle, const char *text, unsigned char *into, size_t room)
{
	const size_t bytes = strxfrm_l((char *)into, text, room, handle);
	const unsigned char *end;

	if (bytes >= room)
		return SIZE_MAX;
	end = memchr(into, GS_LEVEL_END, bytes);
	return end != NULL ? (size_t)(end - into) : bytes;
}

/* The weights of single characters. */
struct probes {
	char     list[PROBES_MOST];
	unsigned count;
	struct gs_weight of[PROBES_MOST];	/* of each character, by its code */
	unsigned char weights[PAIR_WEIGHTS_BYTES];
};

/* Are the weights of TEXT the weights of its characters, one after the other? */
static bool
is_sum(struct probes *probes, locale_t handle, const char *text)
{
	const size_t bytes = find_weights(handle, text, probes->weights, PAIR_WEIGHTS_BYTES);
	const unsigned char *at = probes->weights;

	if (bytes == SIZE_MAX)
		return false;
	for (; *text != '\0'; text++) {
		const struct gs_weight *weight = &probes->of[(int)*text];
		const size_t left = bytes - (size_t)(at - probes->weights);

		if (weight->bytes > left || memcmp(at, weight->data, weight->bytes) != 0)
			return false;
		at += weight->bytes;
	}
	return at == probes->weights + bytes;
}

/* Does A begin something that is more than its characters, with B? */
static bool
begins_more(struct probes *probes, locale_t handle, char a, char b, const bool doubles[PROBES_MOST])
{
	return !is_sum(probes, handle, (const char[3]){ a, b }) ||
	       (!doubles[(int)a] && !doubles[(int)b] &&
	        !is_sum(probes, handle, (const char[5]){ a, a, b, b }));
}

/* Drop each character that begins something which is more than its characters. */
static void
probe_pairs(struct probes *probes, locale_t handle, bool dropped[PROBES_MOST])
{
	bool doubles[PROBES_MOST] = { false };	/* two of them are one */

	for (unsigned p = 0; p < probes->count; p++) {
		const char c = probes->list[p];

		doubles[(int)c] = !is_sum(probes, handle, (const char[3]){ c, c });
	}
	for (unsigned a = 0; a < probes->count; a++) {
		const char one = probes->list[a];
		char all[4 * PROBES_MOST + 1], *end = all;

		/* each of two twice: all twos and threes of them but ABA and BAB are in a row of these */
		for (unsigned b = a; b < probes->count; b++, end += 4)
			memcpy(end, (const char[5]){ one, one, probes->list[b], probes->list[b] }, 5);
		if (is_sum(probes, handle, all))
			continue;
		for (unsigned b = a; b < probes->count; b++) {
			const char other = probes->list[b];

			dropped[(int)one] |= begins_more(probes, handle, one, other, doubles);
			dropped[(int)other] |= begins_more(probes, handle, other, one, doubles);
		}
	}
}

static int
compare_weights(const void *one, const void *other)
{
	const struct gs_weight *a = one, *b = other;
	const int difference = memcmp(a->data, b->data, a->bytes < b->bytes ? a->bytes : b->bytes);

	return difference != 0 ? difference : a->bytes - b->bytes;
}

/* Make the table of weights, and the ranks of characters in it; none, if one weight is the beginning of
 * another, as in no locale that is known. */
static void
rank_weights(struct gs_locale *locale, const struct probes *probes, const bool dropped[PROBES_MOST])
{
	struct gs_weight *list = locale->weights;
	unsigned count = 0, kept = 0;

	for (unsigned p = 0; p < probes->count; p++)
		if (!dropped[(int)probes->list[p]] && probes->of[(int)probes->list[p]].bytes > 0)
			list[count++] = probes->of[(int)probes->list[p]];
	qsort(list, count, sizeof *list, compare_weights);
	for (unsigned w = 0; w < count; w++) {
		const struct gs_weight *last = kept > 0 ? &list[kept - 1] : NULL;

		if (last != NULL && compare_weights(last, &list[w]) == 0)
			continue;
		if (last != NULL && last->bytes < list[w].bytes &&
		    memcmp(last->data, list[w].data, last->bytes) == 0)
			return;
		list[kept++] = list[w];
	}
	locale->weight_count = kept;
	for (unsigned p = 0; p < probes->count; p++) {
		const int c = (unsigned char)probes->list[p];
		const struct gs_weight *found = bsearch(&probes->of[c], list, kept, sizeof *list,
		                                        compare_weights);

		if (!dropped[c])
			locale->ranks[c] = (uint8_t)(found != NULL ? GS_RANK_FIRST + 2 * (found - list)
			                                           : GS_RANK_IGNORED);
	}
}

/* Without memory, or in an odd locale, all characters are left to strxfrm(3). */
static void
find_ranks(struct gs_locale *locale)
{
	struct probes *probes = malloc(sizeof *probes);
	bool dropped[PROBES_MOST] = { false };

	memset(locale->ranks, GS_RANK_UNSAFE, sizeof locale->ranks);
	if (probes == NULL)
		return;
	probes->count = 0;
	for (int c = 1; c < 0x7f; c++) {
		const size_t bytes = find_weights(locale->handle, (const char[2]){ (char)c }, probes->weights,
		                                  PAIR_WEIGHTS_BYTES);

		if ((c < ' ' && c != '\t' && c != '\r') || bytes > GS_WEIGHT_BYTES)
			continue;
		memcpy(probes->of[c].data, probes->weights, bytes);
		probes->of[c].bytes = (unsigned char)bytes;
		probes->list[probes->count++] = (char)c;
	}
	probe_pairs(probes, locale->handle, dropped);
	rank_weights(locale, probes, dropped);
	free(probes);
}

/* ---- names and numbers -------------------------------------------------------------------- */

static int
compare_months(const void *one, const void *other)
{
	return strcmp(((const struct gs_month *)one)->name, ((const struct gs_month *)other)->name);
}

static void
list_months(struct gs_locale *locale)
{
	static const nl_item items[12] = {
		ABMON_1, ABMON_2, ABMON_3, ABMON_4, ABMON_5, ABMON_6, ABMON_7, ABMON_8, ABMON_9, ABMON_10,
		ABMON_11, ABMON_12,
	};

	for (int m = 0; m < 12; m++) {
		const char *name = nl_langinfo_l(items[m], locale->handle);
		size_t bytes = 0;

		for (; *name != '\0' && bytes < GS_MONTH_BYTES - 1; name++)
			if (!isblank_l((unsigned char)*name, locale->handle))
				locale->months[m].name[bytes++] =
					(char)toupper_l((unsigned char)*name, locale->handle);
		locale->months[m].number = m + 1;
	}
	qsort(locale->months, 12, sizeof locale->months[0], compare_months);
}

/* ---- interface -------------------------------------------------------------------------- */

gs_status
gs_locale_open(struct gs_locale **locale, const char *name)
{
	static _Atomic uint64_t opened;
	struct gs_locale *made;
	const char *point, *thousands;
	bool one_byte;
	locale_t handle;

	*locale = NULL;
	errno = 0;
	handle = newlocale(LC_ALL_MASK, name, (locale_t)0);
	if (handle == (locale_t)0 && errno == ENOMEM)
		return gs_fail(GS_EBUDGET, "out of memory");
	if (handle == (locale_t)0)
		return name[0] == '\0' ? GS_OK : gs_fail(GS_EUSAGE, "there is no locale '%s' here; "
		                                         "'locale -a' prints those there are", name);
	*locale = made = calloc(1, sizeof *made);
	if (made == NULL) {
		freelocale(handle);
		return gs_fail(GS_EBUDGET, "out of memory");
	}
	made->handle = handle;
	made->number = atomic_fetch_add(&opened, 1) + 1;
#if defined NL_LOCALE_NAME
	name = nl_langinfo_l(NL_LOCALE_NAME(LC_COLLATE), handle);
#endif
	/* in doubt, text is not in the order of its bytes */
	made->collates = strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0 &&
	                 strcasecmp(name, "C.UTF-8") != 0 && strcasecmp(name, "C.utf8") != 0;
	made->ascii_case = true;
	for (int c = 0; c < 256; c++)
		made->ascii_case &= toupper_l(c, handle) == (c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
	list_months(made);
	/* as for sort(1), what has several bytes does not count */
	point = nl_langinfo_l(RADIXCHAR, handle);
	one_byte = point[0] != '\0' && point[1] == '\0';
	made->point = one_byte ? (unsigned char)point[0] : '.';
	made->float_point = one_byte || point[0] == '\0' ? made->point : GS_NO_BYTE;
	thousands = nl_langinfo_l(THOUSEP, handle);
	made->thousands = thousands[0] != '\0' && thousands[1] == '\0' ? (unsigned char)thousands[0]
	                                                               : GS_NO_BYTE;
	if (made->collates)
		find_ranks(made);
	return GS_OK;
}

uint64_t
gs_locale_digest(const struct gs_locale *locale)
{
	/* letters of many scripts */
	static const char probe[] = "a\303\244\303\204\303\237 \316\261\320\266\327\251\330\247 "
	                            "\343\201\213\343\202\253\346\227\245\355\225\234 .-ch\377";
	unsigned char weights[1024], classes[256][3];
	uint64_t sum = GS_FNV_BEGIN;
	size_t bytes;

	if (locale == NULL)
		return 0;
	for (int c = 0; c < 256; c++) {
		classes[c][0] = (unsigned char)toupper_l(c, locale->handle);
		classes[c][1] = isalnum_l(c, locale->handle) != 0;
		classes[c][2] = isprint_l(c, locale->handle) != 0;
	}
	sum = gs_fnv_add(sum, classes, sizeof classes);
	sum = gs_fnv_add(sum, locale->months, sizeof locale->months);
	sum = gs_fnv_add(sum, (const int[]){ locale->point, locale->thousands, locale->float_point },
	                 3 * sizeof(int));
	sum = gs_fnv_add(sum, locale->ranks, sizeof locale->ranks);
	bytes = locale->collates ? strxfrm_l((char *)weights, probe, sizeof weights, locale->handle) : 0;
	return gs_fnv_add(sum, weights, bytes < sizeof weights ? bytes : 0);
}

void
gs_locale_close(struct gs_locale *locale)
{
	if (locale != NULL)
		freelocale(locale->handle);
	free(locale);
}

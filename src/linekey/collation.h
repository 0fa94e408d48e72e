// SPDX-License-Identifier: BSD-2-Clause
/*
 * collation.h - what a locale says about keys: the order of text, the names of months, the form of numbers
 *
 * Text is in the order of strcoll(3).  What strxfrm(3) makes of it, up to the second level of weights, is
 * the same order as far as it goes: words of 64 bits come of that, and strcoll(3) decides ties.  The
 * locale of the process is not used, and stays: there may be any number of others.
 *
 * All functions but the first and the last may be called by any thread.  No locale has other blanks of one
 * byte than C.
 */
#ifndef GS_COLLATION_H
#define GS_COLLATION_H

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __has_include(<xlocale.h>)
#include <xlocale.h>		/* locale_t of BSD */
#endif

#include "base/status.h"
#include "linekey/key_text.h"

enum { GS_NO_BYTE = -2, GS_MONTH_BYTES = 64, GS_WEIGHT_BYTES = 6, GS_WEIGHTS_MOST = 127 };

/* Ranks of characters; the ranks of weights are even and follow. */
enum {
	GS_RANK_IGNORED = 0,	/* it has no weight on the first level */
	GS_RANK_UNSAFE = 1,	/* its weight is not known without its neighbours */
	GS_RANK_FIRST = 2,
};

/* With GS_LEVEL_END the weights of the first level end. */
enum { GS_LEVEL_END = 1, GS_COLLATION_BYTES = 128 };

/* What a thread remembers of texts. */
enum { GS_COLLATION_CACHE_BYTES = 32 << 10 };

struct gs_month {
	char name[GS_MONTH_BYTES];	/* in upper case, without blanks */
	int  number;			/* from 1 */
};

/* What strxfrm(3) makes of a character, on the first level. */
struct gs_weight {
	unsigned char data[GS_WEIGHT_BYTES];
	unsigned char bytes;
};

struct gs_locale {
	locale_t handle;
	uint64_t number;		/* from 1, of all that were opened */
	bool     collates;		/* text is not in the order of its bytes */
	bool     ascii_case;		/* 'a' to 'z' are the lower case letters of one byte, as in C */
	int      point, thousands;	/* bytes of numbers; GS_NO_BYTE: none */
	int      float_point;		/* the same for g; GS_NO_BYTE: it has several bytes */
	struct gs_month months[12];	/* in the order of their names */

	/* The weights of some characters of ASCII become one byte each: see collation.c. */
	struct gs_weight weights[GS_WEIGHTS_MOST];	/* ascending, none the beginning of another */
	unsigned weight_count;
	uint8_t  ranks[256];
	atomic_bool failed;		/* there was no memory: the order is wrong */
};

/**
 * Open the locale NAME; "": the environment's.
 *
 * @locale  set to NULL if the environment names none that exists: keys compare as in C then, as in sort(1)
 * @return  GS_OK; GS_EUSAGE: no locale has this NAME; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status gs_locale_open(struct gs_locale **locale, const char *name);

/** A number that equal locales have, on any machine; of NULL 0. */
uint64_t gs_locale_digest(const struct gs_locale *locale);

/** The bytes of numbers; a NULL locale has C's. */
static inline int
gs_locale_point(const struct gs_locale *locale)
{
	return locale != NULL ? locale->point : '.';
}

static inline int
gs_locale_thousands(const struct gs_locale *locale)
{
	return locale != NULL ? locale->thousands : GS_NO_BYTE;
}

/** Compare two texts: less than, equal to or greater than 0.  Equal texts may differ. */
int gs_collation_compare(const struct gs_locale *locale, struct gs_key_text one, struct gs_key_text other);

/** Append bytes that compare as texts do, as far as they go: what tells others apart comes behind them.
 *  Returns true when the word has its eight bytes; its first one is before GS_COLLATION_BYTES. */
bool gs_collation_put(const struct gs_locale *locale, struct gs_key_bytes *bytes, struct gs_key_text text);

/** Close; NULL is allowed. */
void gs_locale_close(struct gs_locale *locale);

#endif

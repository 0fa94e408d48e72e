// SPDX-License-Identifier: BSD-2-Clause
/* bars.c - rows for src/figures/bars.c: narrow ranges of every type, whole ones, the ends of floats */
#include <math.h>
#include <stdlib.h>

#include "figures/statistics.h"
#include "key/key.h"
#include "tests/unit/units.h"
#include "text/encode.h"
#include "text/text.h"

void unit_bars(void);

enum { KEYS_MOST = 8 };

/* Keys of one round, ascending. */
struct drawn {
	enum gsort_type type;
	size_t    count;
	unsigned  bars;
	unsigned  key_class[KEYS_MOST];
	uint64_t  key[KEYS_MOST];
	__int128  number[KEYS_MOST];	/* integers */
	double    value[KEYS_MOST];	/* floats */
};

static struct gs_store *store;

static unsigned
class_of(__int128 number)
{
	return number < -(INT64_C(1) << 31) ? GS_NEG_WIDE : number < -(1 << 15) ? GS_NEG_NARROW :
	       number < 1 << 16 ? GS_SMALL : number <= UINT32_MAX ? GS_POS_NARROW : GS_POS_WIDE;
}

/* Key AT is number PLACE in the order of all values, of which there are SPAN. */
static void
put(struct drawn *drawn, size_t at, unsigned __int128 place)
{
	const enum gsort_type type = drawn->type;

	drawn->key[at] = (uint64_t)place;
	if (type == GSORT_TEXT) {
		drawn->number[at] = (__int128)place - ((__int128)1 << 63);
		drawn->key_class[at] = class_of(drawn->number[at]);
		drawn->key[at] = (uint64_t)(drawn->number[at] + (__int128)gs_text_bias(drawn->key_class[at]));
	} else if (gs_key_is_float(type)) {
		drawn->value[at] = gs_key_float(type, drawn->key[at]);
	} else {
		drawn->number[at] = (__int128)place - (__int128)gs_key_bias(type, 0);
	}
}

/* A key at or beside an infinity, a zero, the largest or the smallest number, with either sign; or a NaN. */
static uint64_t
draw_end(enum gsort_type type, uint64_t seed)
{
	const double ends[] = { -(double)INFINITY, 0, (double)INFINITY };

	const unsigned bits = gs_key_is_text(type) ? 64 : gs_key_bits(type);

	return (gs_key_of_float(type, ends[seed % 3]) + units_mix(seed) % 5 - 2) & UINT64_MAX >> (64 - bits);
}

/*
 * Two keys or more that are at most 2^0 .. 2^12 values apart, often those around 0; or any.  Floats are
 * often those at the ends of their range.
 */
static void
draw(struct drawn *drawn, enum gsort_type type, uint64_t seed)
{
	static const unsigned bars[] = { 1, 2, 3, 7, 10, 20, 50, 300 };
	const unsigned bits = gs_key_is_text(type) ? 64 : gs_key_bits(type);
	const unsigned __int128 all = type == GSORT_TEXT ? (unsigned __int128)3 << 63
	                                                 : (unsigned __int128)1 << bits;
	const bool floats = gs_key_is_float(type);
	const unsigned __int128 low = floats ? gs_key_of_float(type, -(double)INFINITY) + 1 : 0;
	const unsigned __int128 high = floats ? gs_key_of_float(type, (double)INFINITY) - 1 : all - 1;
	const unsigned wide = units_mix(seed + 1) % 16 == 0 ? bits : (unsigned)(units_mix(seed + 2) % 13);
	const unsigned __int128 width = (unsigned __int128)1 << wide;
	unsigned __int128 base = low + (type == GSORT_TEXT ? units_mix(seed + 3) * (unsigned __int128)3 / 2
	                                                   : units_mix(seed + 3)) % (high - low + 1);
	uint64_t place[KEYS_MOST] = { 0 };

	*drawn = (struct drawn){ .type = type, .count = 2 + units_mix(seed + 4) % (KEYS_MOST - 1),
	                         .bars = bars[units_mix(seed + 5) % 8] };
	if (units_mix(seed + 6) % 8 == 0)	/* around 0, and the classes of text */
		base = floats ? gs_key_of_float(type, 0) : type != GSORT_TEXT ? all / 2 - 1
		       : ((unsigned __int128)1 << 63) + (units_mix(seed) % 2 ? 0 : 1 << 16);
	for (size_t i = 0; i < drawn->count; i++)
		place[i] = (uint64_t)(units_mix(seed + 10 + i) % width);
	qsort(place, drawn->count, sizeof *place, units_compare);
	if (floats && units_mix(seed + 7) % 4 == 0) {
		const uint64_t distinct = 1 + units_mix(seed + 8) % KEYS_MOST;

		for (size_t i = 0; i < drawn->count; i++)
			place[i] = draw_end(type, units_mix(seed + 10 + i % distinct));
		qsort(place, drawn->count, sizeof *place, units_compare);
		for (size_t i = 0; i < drawn->count; i++)
			put(drawn, i, place[i]);
		return;
	}
	for (size_t i = 0; i < drawn->count; i++)
		put(drawn, i, base + place[i] > high ? high : base + place[i]);
}

/* Give all keys to BARS, in spans that end anywhere. */
static bool
take(struct gs_bars *bars, const struct drawn *drawn, const struct gsort_options *options)
{
	struct gs_extreme extremes[GS_CLASSES];

	gs_extremes_open(&store->extremes, options);
	for (size_t i = 0; i < drawn->count; i++) {
		uint64_t key = drawn->key[i];

		gs_extremes_note(&store->extremes, (unsigned)i % GS_TEAM_MAX, &(struct gs_piece){
			.keys = &key, .count = 1, .key_class = drawn->key_class[i], .key_bits = 64,
		});
	}
	for (unsigned c = 0; c < GS_CLASSES; c++)
		extremes[c] = gs_store_extreme(store, c);
	if (gs_bars_open(bars, options, extremes) != GS_OK)
		return false;
	for (size_t from = 0, to; from < drawn->count; from = to) {
		uint64_t keys[KEYS_MOST];
		struct gs_span span = { .keys = keys, .key_bits = 64, .key_class = drawn->key_class[from] };

		for (to = from; to < drawn->count && drawn->key_class[to] == span.key_class &&
		                to - from < 1 + drawn->key[0] % KEYS_MOST; to++)
			keys[to - from] = drawn->key[to];
		span.count = to - from;
		gs_bars_take(bars, &span, from);
	}
	gs_bars_end(bars, drawn->count);
	return true;
}

/* Is key AT in BAR, which may be the last one of numbers? */
static bool
is_in(const struct drawn *drawn, size_t at, const struct gs_bar *bar, bool last)
{
	const double value = drawn->value[at];

	if (!gs_key_is_float(drawn->type))
		return drawn->number[at] >= bar->from && drawn->number[at] <= bar->to;
	if (!isfinite(value) || !isfinite(bar->float_from))
		return value == bar->float_from || (isnan(value) && isnan(bar->float_from));
	return value >= bar->float_from && (value < bar->float_to || (last && value == bar->float_to));
}

/* Do finite intervals ascend, is each key in one interval, and does each count its own? */
static bool
adds_up(const struct gs_bars *bars, const struct drawn *drawn)
{
	const size_t first = bars->floats ? 1 : 0, end = bars->floats ? bars->count - 2 : bars->count;
	uint64_t counted = 0;

	if (end - first > drawn->bars || (end <= first && !bars->floats))
		return false;
	for (size_t b = 0; b < bars->count; b++) {
		const struct gs_bar *bar = &bars->bars[b];
		uint64_t keys = 0;

		for (size_t i = 0; i < drawn->count; i++)
			keys += is_in(drawn, i, bar, b + 1 == end);
		if (bar->keys != keys || (bars->floats && bar->float_from > bar->float_to))
			return false;
		if (b >= first && b + 1 < end && (bars->floats ? bar->float_to != bar[1].float_from
		                                 : bar->to + 1 != bar[1].from))
			return false;
		counted += keys;
	}
	return counted == drawn->count;
}

static void
check_type(enum gsort_type type, uint64_t rounds)
{
	uint64_t wrong = 0, first = 0;

	for (uint64_t round = 0; round < rounds; round++) {
		struct drawn drawn;
		struct gs_bars bars = { .bars = NULL };
		struct gsort_options options = { .type = type };

		draw(&drawn, type, units_mix(round * 64 + (uint64_t)type));
		options.histogram = drawn.bars;
		options.histogram_edges = (enum gsort_edges)(round % 3);
		if (!take(&bars, &drawn, &options) || !adds_up(&bars, &drawn))
			first = wrong++ == 0 ? round : first;
		gs_bars_close(&bars);
	}
	CHECK(wrong == 0, "%s: %llu of %llu histograms do not add up, the first is number %llu",
	      gs_key_name(type), (unsigned long long)wrong, (unsigned long long)rounds,
	      (unsigned long long)first);
}

void
unit_bars(void)
{
	static const enum gsort_type types[] = {
		GSORT_TEXT, GSORT_U8, GSORT_I8, GSORT_U16, GSORT_I16, GSORT_U32, GSORT_I32, GSORT_U64,
		GSORT_I64, GSORT_F32, GSORT_F64, GSORT_F16, GSORT_BF16, GSORT_TEXT_FLOAT,
	};

	const uint64_t rounds = getenv("GSORT_SLOW") != NULL ? 100000 : units_brief() ? 2000 : 20000;

	store = calloc(1, sizeof *store);
	CHECK(store != NULL, "memory");
	for (size_t t = 0; store != NULL && t < sizeof types / sizeof types[0]; t++)
		check_type(types[t], rounds);
	free(store);
}

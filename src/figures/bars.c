// SPDX-License-Identifier: BSD-2-Clause
/*
 * bars.c - how many keys lie in each interval of their range
 *
 * In:   the least and the greatest key, then sorted spans.
 * Out:  the number of keys of each interval.
 *
 * The special bars of floats are before and behind the finite ones: -inf; inf; NaN.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "figures/statistics.h"
#include "key/key.h"
#include "sort/cpu/keys.h"
#include "text/encode.h"
#include "text/text.h"

/* ---- edges ---------------------------------------------------------------------- */

/* Bars of LEAST .. MOST with the edges that OPTIONS want. */
static void
place_integers(struct gs_bars *bars, const struct gsort_options *options, __int128 least, __int128 most)
{
	const size_t n = options->histogram, first = bars->count;
	const __int128 range = most - least + 1, equal = range < (__int128)n ? range : (__int128)n;
	const bool placed = options->histogram_edges == GSORT_EDGES_ROUND
	                    ? gs_edges_of_integers(bars, n, least, most, options->notation) :
	                    options->histogram_edges == GSORT_EDGES_LOG &&
	                    gs_edges_of_integer_powers(bars, n, least, most, options->notation);

	for (__int128 b = 0; !placed && b < equal; b++)	/* of one width, fewer if there are fewer integers */
		bars->bars[bars->count++] = (struct gs_bar){
			.from = least + range * b / equal, .to = least + range * (b + 1) / equal - 1,
		};
	for (size_t b = first; b < bars->count; b++) {
		const __int128 number = b == first ? least : bars->bars[b].from;
		struct gs_value *edge = &bars->bars[b].edge;

		edge->key_bits = 64;
		if (options->type == GSORT_TEXT)
			edge->key_class = number < -(INT64_C(1) << 31) ? GS_NEG_WIDE :
			                  number < GS_SMALL_LOW ? GS_NEG_NARROW :
			                  number < GS_SMALL_LOW + GS_SMALL_COUNT ? GS_SMALL :
			                  number <= UINT32_MAX ? GS_POS_NARROW : GS_POS_WIDE;
		edge->key = (uint64_t)(number + (__int128)gs_key_bias(options->type, edge->key_class));
	}
}

/* One bar of infinities or NaNs. */
static void
add_special(struct gs_bars *bars, double number, uint64_t key)
{
	bars->bars[bars->count++] = (struct gs_bar){
		.float_from = number, .float_to = number, .edge = { .key = key, .key_bits = 64 },
	};
}

/*
 * LEAST + (MOST - LEAST) * B / N, without overflow.  Each step rounds, and rounding keeps the order, so
 * edges never descend; in a range that is a few ulp wide they may be equal.
 */
static double
between(double least, double most, size_t b, size_t n)
{
	const bool wide = most / 2 - least / 2 > DBL_MAX / 2 / (double)GS_BARS_MOST;
	const double scale = wide ? 0.5 / (double)GS_BARS_MOST : 1;
	const double low = least * scale, range = most * scale - low;
	const double edge = (low + range * (double)b / (double)n) / scale;

	return b == 0 ? least : b == n || edge > most ? most : edge;
}

static void
place_floats(struct gs_bars *bars, const struct gsort_options *options, const struct gs_extreme *found)
{
	const enum gsort_type type = options->type;
	const bool any = found->least <= found->most;
	const double least = any ? gs_key_float(type, found->least) : 0;
	const double most = any ? gs_key_float(type, found->most) : 0;
	const size_t n = least < most ? options->histogram : any;
	bool placed;

	add_special(bars, -(double)INFINITY, gs_key_of_float(type, -(double)INFINITY));
	placed = least < most && (options->histogram_edges == GSORT_EDGES_ROUND
	                          ? gs_edges_of_floats(bars, n, least, most) :
	                          options->histogram_edges == GSORT_EDGES_LOG &&
	                          gs_edges_of_float_powers(bars, n, least, most));
	for (size_t b = 0; !placed && b < n; b++) {	/* of one width, fewer if edges are equal */
		const double edge = between(least, most, b, n);

		if (b == 0 || edge > bars->bars[bars->count - 1].float_from)
			bars->bars[bars->count++] = (struct gs_bar){ .float_from = edge };
		bars->bars[bars->count - 1].float_to = between(least, most, b + 1, n);
	}
	for (size_t b = 1; b < bars->count; b++)
		bars->bars[b].edge = (struct gs_value){
			.key = b == 1 ? found->least : gs_key_of_float(type, bars->bars[b].float_from),
			.key_bits = 64,
		};
	add_special(bars, (double)INFINITY, gs_key_of_float(type, (double)INFINITY));
	add_special(bars, (double)NAN, gs_key_of_float(type, (double)INFINITY) + 1);
}

/* -inf, inf and NaN. */
enum { SPECIAL = 3 };

uint64_t
gs_bars_bytes(const struct gsort_options *options)
{
	const uint64_t n = options->histogram;

	return n > 0 ? (n + SPECIAL) * sizeof(struct gs_bar) : 0;
}

gs_status
gs_bars_open(struct gs_bars *bars, const struct gsort_options *options,
             const struct gs_extreme extremes[GS_CLASSES])
{
	const size_t n = options->histogram;
	__int128 least = 0, most = -1;

	gs_bars_close(bars);
	if (n == 0)
		return GS_OK;
	bars->floats = gs_key_is_float(options->type);
	TRY(GS_NEW(bars->bars, n + SPECIAL, "bars of a histogram"));
	if (bars->floats)
		place_floats(bars, options, &extremes[0]);
	for (unsigned c = 0, any = 0; !bars->floats && c < GS_CLASSES; c++) {
		const __int128 bias = (__int128)gs_key_bias(options->type, c);

		if (extremes[c].least > extremes[c].most)
			continue;
		least = any++ > 0 ? least : (__int128)extremes[c].least - bias;
		most = (__int128)extremes[c].most - bias;
	}
	if (least <= most)
		place_integers(bars, options, least, most);
	return GS_OK;
}

/* ---- keys ------------------------------------------------------------------------- */

void
gs_bars_take(struct gs_bars *bars, const struct gs_span *span, uint64_t position)
{
	const uint64_t last = gs_key_at(span->keys, span->key_bits, span->count - 1);

	for (; bars->next < bars->count; bars->next++) {
		struct gs_bar *bar = &bars->bars[bars->next];
		const bool before = bar->edge.key_class < span->key_class;

		if (bar->edge.key_class > span->key_class || (!before && bar->edge.key > last))
			return;
		bar->position = position;
		if (!before)
			bar->position += gs_keys_from(span->keys, span->key_bits, 0, span->count,
			                              bar->edge.key);
	}
}

void
gs_bars_end(struct gs_bars *bars, uint64_t keys)
{
	for (; bars->next < bars->count; bars->next++)
		bars->bars[bars->next].position = keys;
	for (size_t b = 0; b < bars->count; b++) {
		const uint64_t end = b + 1 < bars->count ? bars->bars[b + 1].position : keys;

		assert(end >= bars->bars[b].position);
		bars->bars[b].keys = end - bars->bars[b].position;
	}
}

void
gs_bars_close(struct gs_bars *bars)
{
	free(bars->bars);
	*bars = (struct gs_bars){ .bars = NULL };
}

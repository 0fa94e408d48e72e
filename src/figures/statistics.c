// SPDX-License-Identifier: BSD-2-Clause
/*
 * statistics.c - figures about sorted keys: quantiles, a summary, the most frequent values, a histogram;
 * as JSON also the last keys, or random ones
 *
 * In:   sorted spans, class by class, from any producer; how many keys there are in all.
 * Out:  figures.
 *
 * A quantile is the key of a position, and a bar of a histogram lies between two positions: the thread that
 * takes spans in order looks at a few keys of each.  If nothing else is wanted, parts without such
 * a position are not sorted.  What has to look at every key (distinct values, sums, frequent values) is
 * done by the thread that has sorted a span, and then added up in order.  Groups of equal keys
 * cross spans: the first and the last group of each are joined by whoever takes them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "figures/statistics.h"
#include "key/key.h"
#include "output/select.h"
#include "sort/buckets/batch.h"
#include "sort/cpu/keys.h"
#include "text/text.h"

static bool
lists_keys(const struct gsort_options *options)
{
	return options->json && (options->tail.wanted || options->sample.wanted);
}

bool
gs_statistics_is_wanted(const struct gsort_options *options)
{
	return options->quantiles != NULL || options->summary || options->top.wanted ||
	       options->histogram > 0 || lists_keys(options);
}

/* ---- quantiles ------------------------------------------------------------------- */

/* A fraction of all keys: PART of WHOLE, a power of ten. */
struct fraction {
	uint64_t part, whole;
};

enum { DECIMALS_MOST = 18 };

/* Read "0.95", which ends with a comma or the string; NULL: it is not a number from 0 to 1. */
static const char *
read_fraction(const char *text, struct fraction *fraction)
{
	unsigned digits = 0, decimals = 0;
	bool point = false, rest = false;

	*fraction = (struct fraction){ .part = 0, .whole = 1 };
	for (; *text != ',' && *text != '\0'; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || (!point && fraction->part > 0))
			return NULL;
		if (decimals == DECIMALS_MOST) {
			/* rounded up: fewer than 10^18 keys have no position between */
			rest |= *text != '0';
			continue;
		}
		fraction->part = 10 * fraction->part + (uint64_t)(*text - '0');
		digits++;
		decimals += point;
	}
	for (unsigned d = 0; d < decimals; d++)
		fraction->whole *= 10;
	fraction->part += rest;
	return digits > 0 && fraction->part <= fraction->whole ? text : NULL;
}

gs_status
gs_statistics_check(const struct gsort_options *options)
{
	const char *at = options->quantiles;
	struct fraction fraction;

	while (at != NULL) {
		const size_t bytes = strcspn(at, ",");
		const char *end = read_fraction(at, &fraction);

		if (end == NULL)
			return gs_fail(GS_EUSAGE, "'%.*s' is not a quantile: --quantiles takes numbers "
			               "from 0 to 1, such as 0.5,0.95,0.99", (int)bytes, at);
		at = *end == ',' ? end + 1 : NULL;
	}
	return GS_OK;
}

/* The nearest rank, as statistics have it: the position of the least key that at least this fraction of
 * all keys does not exceed. */
static uint64_t
rank_of(const struct fraction *fraction, uint64_t keys)
{
	const unsigned __int128 product = (unsigned __int128)fraction->part * keys;
	const uint64_t position = (uint64_t)((product + fraction->whole - 1) / fraction->whole);

	return position > 0 ? position - 1 : 0;
}

static int
compare_marks(const void *a, const void *b)
{
	const uint64_t one = (*(struct gs_mark *const *)a)->position;
	const uint64_t other = (*(struct gs_mark *const *)b)->position;

	return (one > other) - (one < other);
}

static void
add_mark(struct gs_marks *marks, uint64_t position, const char *name, size_t bytes)
{
	struct gs_mark *mark = &marks->all[marks->count];

	*mark = (struct gs_mark){ .position = position, .name = name, .name_bytes = bytes };
	marks->by_position[marks->count++] = mark;
}

/* How many of KEYS keys are listed. */
static uint64_t
listed(const struct gsort_options *options, uint64_t keys)
{
	return lists_keys(options) ? gs_least(options->tail.wanted ? options->tail.count
	                                      : options->sample.count, keys) : 0;
}

static gs_status
set_marks(struct gs_statistics *figures, const struct gs_pick *pick)
{
	static const struct fraction quartiles[GS_QUARTILES] = { { 1, 4 }, { 2, 4 }, { 3, 4 } };
	const char *at = figures->options->quantiles;
	const uint64_t keys = figures->keys;
	struct gs_marks *marks = &figures->marks;
	uint64_t room = GS_QUARTILES + 1 + listed(figures->options, keys);
	struct fraction fraction;

	for (const char *c = at; c != NULL && *c != '\0'; c++)
		room += *c == ',';
	TRY(GS_NEW(marks->all, (size_t)room, "keys by their position"));
	TRY(GS_NEW(marks->by_position, (size_t)room, "keys by their position"));
	while (at != NULL) {
		const char *end = read_fraction(at, &fraction);

		assert(end != NULL);	/* gs_statistics_check() */
		add_mark(marks, rank_of(&fraction, keys), at, (size_t)(end - at));
		at = *end == ',' ? end + 1 : NULL;
	}
	marks->quantiles = marks->count;
	for (unsigned q = 0; figures->options->summary && q < GS_QUARTILES; q++)
		add_mark(marks, rank_of(&quartiles[q], keys), "", 0);
	marks->listed = (size_t)listed(figures->options, keys);
	for (size_t k = 0; k < marks->listed; k++)
		add_mark(marks, pick->positions != NULL ? pick->positions[k] : keys - marks->listed + k, "",
		         0);
	qsort(marks->by_position, marks->count, sizeof *marks->by_position, compare_marks);
	return GS_OK;
}

/* ---- opening ------------------------------------------------------------------------ */

/* So many values are collected beside the others by each thread; more, by whoever takes spans. */
enum { LOCAL_TOP_MOST = 1024 };

/* So that their bytes do not overflow. */
#define MOST_GROUPS	(UINT64_MAX / 256)

uint64_t
gs_statistics_bytes(const struct gsort_options *options, uint64_t keys, unsigned threads)
{
	const unsigned bits = gs_key_bits(options->type);
	const uint64_t values = bits == 8 || bits == 16 ? gs_least(keys, UINT64_C(1) << bits) : keys;
	const uint64_t most = options->top.wanted
	                      ? gs_least(gs_least(options->top.count, values), MOST_GROUPS) : 0;
	const uint64_t tallies = gs_statistics_is_wanted(options) ? gs_batch_slots(threads) + 1 : 0;
	const uint64_t local = most <= LOCAL_TOP_MOST ? tallies * most : 0;
	/* a mark, a pointer to it, and what qsort(3) copies */
	const uint64_t mark_bytes = sizeof(struct gs_mark) + 2 * sizeof(struct gs_mark *);
	const uint64_t marks = gs_least(listed(options, keys), MOST_GROUPS);

	return marks * mark_bytes + (most + local) * sizeof(struct gs_group) +
	       tallies * sizeof(struct gs_tally) + gs_bars_bytes(options);
}

/* ---- one span, any thread ------------------------------------------------------------ */

/* Add the floats of a span, each TIMES times, exponent by exponent.  (A summary is not reversed.) */
static void
sum_floats(const struct gs_statistics *figures, const struct gs_span *span, uint64_t times,
           struct gs_float_sum *sum)
{
	const enum gsort_type type = figures->options->type;
	const unsigned bits = span->key_bits, fraction_bits = gs_key_fraction_bits(type);
	const uint64_t fractions = GS_NANS(fraction_bits);

	for (size_t at = 0, end; at < span->count; at = end) {
		const uint64_t key = gs_key_at(span->keys, bits, at);
		/* the last key of its sign and exponent, which end at a multiple of their number */
		const uint64_t last = (key + fractions) & ~fractions & UINT64_MAX >> (64 - bits);
		const uint64_t pattern = gs_key_float_bits(type, last);
		unsigned __int128 above, count;

		/* (0 is -infinity, and the last of NaNs with a sign, too.) */
		end = last < key ? span->count : gs_keys_from(span->keys, bits, at, span->count, last + 1);
		count = (unsigned __int128)(end - at) * times;
		/* the sum of their keys, each less the first of such floats */
		above = gs_scan_sum((const char *)span->keys + at * (bits / 8), bits, last - fractions,
		                    end - at) * times;
		if ((pattern & fractions) == 0)		/* negative ones descend to the last */
			above = count * fractions - above;
		gs_float_sum_add(sum, type, (unsigned)(pattern >> fraction_bits), (uint64_t)count, above);
	}
}

static void
tally_span(const struct gs_statistics *figures, const struct gs_span *span, struct gs_tally *tally)
{
	const unsigned bits = span->key_bits;
	const size_t count = span->count;
	size_t first_end, last;

	gs_verify_digest(figures->verify, 1, span, &tally->digest);
	tally->taken = count;
	tally->first = gs_key_at(span->keys, bits, 0);
	tally->last = gs_key_at(span->keys, bits, count - 1);
	if (!figures->options->summary && !figures->options->top.wanted)
		return;
	first_end = gs_scan_group_end(span->keys, bits, 0, count);
	last = gs_keys_from(span->keys, bits, 0, count, tally->last);
	tally->first_times = first_end;
	tally->more = last > 0;
	tally->last_times = count - last;
	if (figures->options->summary) {
		memset(&tally->float_sum, 0, sizeof tally->float_sum);
		tally->groups = gs_scan_groups(span->keys, bits, count);
		if (gs_key_is_float(figures->options->type))
			sum_floats(figures, span, 1, &tally->float_sum);
		else
			tally->sum = gs_scan_sum(span->keys, bits, 0, count);
	}
	tally->top.count = 0;
	tally->top.floor = atomic_load_explicit(&figures->floor, memory_order_relaxed);
	if (tally->more && tally->top.most > 0)
		gs_top_collect(&tally->top, span, first_end, last);
}

/* ---- all spans, in order --------------------------------------------------------------- */

void
gs_statistics_end_group(struct gs_statistics *figures)
{
	if (figures->group.times == 0)
		return;
	figures->summary.distinct++;
	if (figures->options->top.wanted)
		gs_top_add(&figures->top, &figures->group);
	figures->group.times = 0;
}

static void
begin_group(struct gs_statistics *figures, const struct gs_span *span, uint64_t key, uint64_t times)
{
	if (figures->group.times > 0 && figures->group.value.key == key) {
		figures->group.times += times;
		return;
	}
	gs_statistics_end_group(figures);
	figures->group = (struct gs_group){
		.value = { .key = key, .key_class = span->key_class, .key_bits = span->key_bits },
		.times = times,
	};
}

/* Add the next keys, which are in SPAN, or its only key several times, by their TALLY. */
static void
add(struct gs_statistics *figures, const struct gs_span *span, struct gs_tally *tally)
{
	const struct gsort_options *options = figures->options;
	struct gs_top *top = &figures->top;

	figures->summary.most = (struct gs_value){
		.key = tally->last, .key_class = span->key_class, .key_bits = span->key_bits,
	};
	if (figures->taken == 0) {
		figures->summary.least = figures->summary.most;
		figures->summary.least.key = tally->first;
	}
	for (; gs_statistics_marks_next(figures, tally->taken); figures->marks.found++) {
		struct gs_mark *mark = figures->marks.by_position[figures->marks.found];

		mark->value = figures->summary.most;
		mark->value.key = gs_key_at(span->keys, span->key_bits,
		                            span->count > 1 ? (size_t)(mark->position - figures->taken) : 0);
	}
	if (figures->bars.bars != NULL)
		gs_bars_take(&figures->bars, span, figures->taken);
	figures->taken += tally->taken;
	if (options->summary && gs_key_is_float(options->type))
		gs_float_sum_merge(&figures->summary.float_sum, &tally->float_sum);
	else if (options->summary)
		figures->summary.sum += (__int128)tally->sum -
		               gs_key_bias(options->type, span->key_class) * (__int128)tally->taken;
	if (!options->summary && !options->top.wanted)
		return;
	begin_group(figures, span, tally->first, tally->first_times);
	if (tally->more) {
		gs_statistics_end_group(figures);
		if (tally->groups > 2)
			figures->summary.distinct += tally->groups - 2;
		for (size_t g = 0; g < tally->top.count; g++)
			gs_top_add(top, &tally->top.groups[g]);
		if (options->top.wanted && tally->top.most == 0)
			gs_top_collect(top, span, (size_t)tally->first_times,
			               span->count - (size_t)tally->last_times);
		begin_group(figures, span, tally->last, tally->last_times);
	}
	atomic_store_explicit(&figures->floor, top->floor, memory_order_relaxed);
}

/* ---- the sink ------------------------------------------------------------------------------ */

/* Has a span no mark, and is nothing else wanted? */
static bool
skip(void *context, const struct gs_sorted_span *sorted)
{
	const struct gs_statistics *figures = context;
	const struct gsort_options *options = figures->options;
	const uint64_t at = figures->class_position + sorted->at;
	const struct gs_marks *marks = &figures->marks;
	size_t low = 0, high = marks->count;

	if (options->summary || options->top.wanted || options->histogram > 0 || figures->verify->on)
		return false;
	while (low < high) {	/* the first mark that is at AT or behind it */
		const size_t middle = low + (high - low) / 2;

		if (marks->by_position[middle]->position < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low == marks->count || marks->by_position[low]->position >= at + sorted->span.count;
}

static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct gs_statistics *figures = context;
	uint64_t since = gs_clock_now();

	tally_span(figures, &sorted->span, &figures->tallies[1 + sorted->slot]);
	gs_clock_lap(&figures->monitor->clock, GS_STAGE_ENCODE, &since);
	return GS_OK;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct gs_statistics *figures = context;
	const struct gs_span *span = &sorted->span;
	const bool made = sorted->slot != GS_NO_SLOT;
	struct gs_tally *tally = &figures->tallies[made ? 1 + sorted->slot : 0];
	const uint64_t before = figures->taken;
	uint64_t since = gs_clock_now();

	if (sorted->skipped) {
		figures->taken += span->count;
	} else if (span->times == NULL) {
		if (!made)
			tally_span(figures, span, tally);
		gs_verify_join(figures->verify, &figures->verify->out, &tally->digest);
		add(figures, span, tally);
	} else {
		gs_verify_out(figures->verify, span);
	}
	/* groups, as a histogram knows them */
	for (size_t at = 0; span->times != NULL && at < span->count; at++) {
		const uint64_t times = span->times[at], bits = gs_key_at(span->keys, span->key_bits, at);
		struct gs_tally group = {
			.taken = times, .first_times = times, .first = bits, .last = bits,
			.sum = (unsigned __int128)bits * times,
		};
		struct gs_span key = *span;

		key.keys = (char *)span->keys + at * (span->key_bits / 8);
		key.count = 1;
		if (figures->options->summary && gs_key_is_float(figures->options->type))
			sum_floats(figures, &key, times, &group.float_sum);
		add(figures, &key, &group);
	}
	atomic_fetch_add(&figures->monitor->counters.keys_sorted, figures->taken - before);
	gs_clock_lap(&figures->monitor->clock, GS_STAGE_ENCODE, &since);
	return GS_OK;
}

/* ---- opening, and the sink ---------------------------------------------------------------- */

const struct gs_statistics_of gs_statistics_of_keys = {
	.take = take, .spell = gs_statistics_spell_key,
};

gs_status
gs_statistics_open(struct gs_statistics *figures, const struct gs_statistics_of *of,
                   const struct gsort_options *options, const struct gs_plan *plan,
                   const struct gs_statistics_input *input, struct gs_verify *verify,
                   struct gs_monitor *monitor)
{
	const size_t tallies = gs_batch_slots(plan->threads) + 1;
	const uint64_t most = options->top.wanted ? gs_least(options->top.count, input->keys) : 0;
	const uint64_t local = options->top.count <= LOCAL_TOP_MOST ? most : 0;
	struct gs_pick pick = { .on = false };
	struct gs_group *groups = NULL;
	gs_status status;

	gs_statistics_close(figures);
	*figures = (struct gs_statistics){
		.of = of, .options = options, .verify = verify, .monitor = monitor, .keys = input->keys,
		.order = input->order,
	};
	TRY(GS_NEW(figures->tallies, tallies, "tallies"));
	status = gs_pick_open(&pick, options, input->keys);
	THEN(status, set_marks(figures, &pick));
	gs_pick_close(&pick);
	TRY(status);
	if (input->order != NULL)
		return gs_item_copies_open(&figures->copies, figures->marks.count + 2, plan->host_bytes);
	if (options->top.wanted) {
		if (most < SIZE_MAX / sizeof *groups / 2)
			groups = malloc((size_t)(most + tallies * local + 1) * sizeof *groups);
		if (groups == NULL)
			return gs_fail(GS_EBUDGET, "no memory for the %llu most frequent values",
			               (unsigned long long)most);
	}
	figures->top = (struct gs_top){
		.groups = groups, .most = (size_t)most, .descending_classes = options->reverse,
	};
	for (size_t t = 0; t < tallies && local > 0; t++) {
		figures->tallies[t].top = figures->top;
		figures->tallies[t].top.groups += most + t * local;
	}
	return gs_bars_open(&figures->bars, options, input->extremes);
}

struct gs_span_sink
gs_statistics_sink(struct gs_statistics *figures)
{
	figures->class_position = figures->taken;
	return (struct gs_span_sink){
		.skip = skip, .make = make, .take = figures->of->take, .groups = true, .context = figures,
	};
}

void
gs_statistics_close(struct gs_statistics *figures)
{
	free(figures->marks.all);
	free(figures->marks.by_position);
	free(figures->top.groups);
	free(figures->tallies);
	gs_item_copies_close(&figures->copies);
	gs_bars_close(&figures->bars);
	*figures = (struct gs_statistics){ .of = NULL };
}

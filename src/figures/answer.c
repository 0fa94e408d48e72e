// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer.c - figures about sorted keys: quantiles, a summary, the most frequent values, a histogram;
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
#include "figures/answer.h"
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
gs_answer_is_wanted(const struct gsort_options *options)
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

/* Read "0.95", which ends with a comma or the string; NULL: it is no number from 0 to 1. */
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
gs_answer_check(const struct gsort_options *options)
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
add_mark(struct gs_answer *answer, uint64_t position, const char *name, size_t bytes)
{
	struct gs_mark *mark = &answer->marks[answer->mark_count];

	*mark = (struct gs_mark){ .position = position, .name = name, .name_bytes = bytes };
	answer->by_position[answer->mark_count++] = mark;
}

/* Of KEYS keys so many are listed. */
static uint64_t
listed(const struct gsort_options *options, uint64_t keys)
{
	return lists_keys(options) ? gs_least(options->tail.wanted ? options->tail.count
	                                      : options->sample.count, keys) : 0;
}

/* The first mark, by position, that is at AT or behind it. */
static size_t
first_mark(const struct gs_answer *answer, uint64_t at)
{
	size_t low = 0, high = answer->mark_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (answer->by_position[middle]->position < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static gs_status
set_marks(struct gs_answer *answer, const struct gs_pick *pick)
{
	static const struct fraction quartiles[GS_QUARTILES] = { { 1, 4 }, { 2, 4 }, { 3, 4 } };
	const char *at = answer->options->quantiles;
	uint64_t room = GS_QUARTILES + 1 + listed(answer->options, answer->keys);
	struct fraction fraction;

	for (const char *c = at; c != NULL && *c != '\0'; c++)
		room += *c == ',';
	TRY(GS_NEW(answer->marks, (size_t)room, "keys by their position"));
	TRY(GS_NEW(answer->by_position, (size_t)room, "keys by their position"));
	while (at != NULL) {
		const char *end = read_fraction(at, &fraction);

		assert(end != NULL);	/* gs_answer_check() */
		add_mark(answer, rank_of(&fraction, answer->keys), at, (size_t)(end - at));
		at = *end == ',' ? end + 1 : NULL;
	}
	answer->quantile_count = answer->mark_count;
	for (unsigned q = 0; answer->options->summary && q < GS_QUARTILES; q++)
		add_mark(answer, rank_of(&quartiles[q], answer->keys), "", 0);
	answer->listed_count = (size_t)listed(answer->options, answer->keys);
	for (size_t k = 0; k < answer->listed_count; k++)
		add_mark(answer, pick->positions != NULL ? pick->positions[k]
		         : answer->keys - answer->listed_count + k, "", 0);
	qsort(answer->by_position, answer->mark_count, sizeof *answer->by_position, compare_marks);
	return GS_OK;
}

/* Is there a mark in the next COUNT positions from AT on?  Any thread: all from the first one on. */
static bool
has_mark(const struct gs_answer *answer, uint64_t at, uint64_t count)
{
	const size_t mark = first_mark(answer, at);

	return mark < answer->mark_count && answer->by_position[mark]->position < at + count;
}

/* The next keys are those of SPAN. */
static void
take_marks(struct gs_answer *answer, const struct gs_span *span)
{
	for (; gs_answer_marks_next(answer, span->count); answer->marks_found++) {
		struct gs_mark *mark = answer->by_position[answer->marks_found];

		mark->value = (struct gs_value){
			.key = gs_key_at(span->keys, span->key_bits,
			                 (size_t)(mark->position - answer->taken)),
			.key_class = span->key_class, .key_bits = span->key_bits,
		};
	}
}

/* ---- opening ------------------------------------------------------------------------ */

/* So many values are collected beside the others by each thread; more, by whoever takes spans. */
enum { LOCAL_TOP_MOST = 1024 };

/* So that their bytes do not overflow. */
#define MOST_GROUPS	(UINT64_MAX / 256)

static bool
top_is_local(const struct gs_answer *answer)
{
	return answer->options->top.count <= LOCAL_TOP_MOST;
}

static gs_status
set_tops(struct gs_answer *answer, size_t tallies)
{
	const struct gsort_options *options = answer->options;
	const uint64_t most = options->top.count < answer->keys ? options->top.count : answer->keys;
	const uint64_t local = top_is_local(answer) ? most : 0;

	if (!options->top.wanted)
		return GS_OK;
	if (most < SIZE_MAX / sizeof *answer->groups / 2)
		answer->groups = malloc((size_t)(most + tallies * local + 1) * sizeof *answer->groups);
	if (answer->groups == NULL)
		return gs_fail(GS_EBUDGET, "no memory for the %llu most frequent values",
		               (unsigned long long)most);
	answer->top = (struct gs_top){
		.groups = answer->groups, .most = (size_t)most, .descending_classes = options->reverse,
	};
	for (size_t t = 0; t < tallies; t++) {
		answer->tallies[t].top = answer->top;
		answer->tallies[t].top.groups = answer->groups + most + t * local;
		answer->tallies[t].top.most = (size_t)local;
	}
	return GS_OK;
}

uint64_t
gs_answer_bytes(const struct gsort_options *options, uint64_t keys, unsigned threads)
{
	const unsigned bits = gs_key_bits(options->type);
	const uint64_t values = bits == 8 || bits == 16 ? gs_least(keys, UINT64_C(1) << bits) : keys;
	const uint64_t most = options->top.wanted
	                      ? gs_least(gs_least(options->top.count, values), MOST_GROUPS) : 0;
	const uint64_t tallies = gs_answer_is_wanted(options) ? gs_batch_slots(threads) + 1 : 0;
	const uint64_t local = most <= LOCAL_TOP_MOST ? tallies * most : 0;
	/* a mark, a pointer to it, and what qsort(3) copies */
	const uint64_t mark_bytes = sizeof(struct gs_mark) + 2 * sizeof(struct gs_mark *);
	const uint64_t marks = gs_least(listed(options, keys), MOST_GROUPS);

	return marks * mark_bytes + (most + local) * sizeof(struct gs_group) +
	       tallies * sizeof(struct gs_tally) + gs_bars_bytes(options);
}

/* ---- one span, any thread ------------------------------------------------------------ */

/* The last key of a float with the sign and the exponent of KEY: these keys are all that end at a multiple
 * of their number.  (A summary is not reversed.) */
static uint64_t
last_alike(enum gsort_type type, unsigned key_bits, uint64_t key)
{
	const uint64_t fractions = GS_NANS(gs_key_fraction_bits(type));

	return (key + fractions) & ~fractions & UINT64_MAX >> (64 - key_bits);
}

/* Add COUNT floats with the sign and exponent of that whose key is LAST; ABOVE is the sum of their keys, each
 * less the first of such floats. */
static void
add_floats(const struct gs_answer *answer, struct gs_float_sum *sum, uint64_t last, uint64_t count,
           unsigned __int128 above)
{
	const enum gsort_type type = answer->options->type;
	const unsigned fraction_bits = gs_key_fraction_bits(type);
	const uint64_t bits = gs_key_float_bits(type, last);
	const bool negative = (bits & GS_NANS(fraction_bits)) == 0;	/* they descend to the last */

	gs_float_sum_add(sum, type, (unsigned)(bits >> fraction_bits), count,
	                 negative ? (unsigned __int128)count * GS_NANS(fraction_bits) - above : above);
}

/* Add the floats of a span, exponent by exponent. */
static void
sum_floats(const struct gs_answer *answer, const struct gs_span *span, struct gs_float_sum *sum)
{
	const enum gsort_type type = answer->options->type;
	const unsigned bits = span->key_bits;

	for (size_t at = 0, end; at < span->count; at = end) {
		const uint64_t key = gs_key_at(span->keys, bits, at), last = last_alike(type, bits, key);
		const uint64_t first = last - GS_NANS(gs_key_fraction_bits(type));

		/* (0 is -infinity, and the last of NaNs with a sign, too.) */
		end = last < key ? span->count : gs_keys_from(span->keys, bits, at, span->count, last + 1);
		add_floats(answer, sum, last, end - at,
		           gs_scan_sum((const char *)span->keys + at * (bits / 8), bits, first, end - at));
	}
}

static void
tally_groups(const struct gs_answer *answer, const struct gs_span *span, struct gs_tally *tally)
{
	const size_t first_end = gs_scan_group_end(span->keys, span->key_bits, 0, span->count);
	const size_t last = gs_scan_last_group(span->keys, span->key_bits, span->count);

	tally->first_times = first_end;
	tally->more = last > 0;
	tally->last_times = span->count - last;
	if (answer->options->summary) {
		tally->groups = gs_scan_groups(span->keys, span->key_bits, span->count);
		if (gs_key_is_float(answer->options->type))
			sum_floats(answer, span, &tally->float_sum);
		else
			tally->sum = gs_scan_sum(span->keys, span->key_bits, 0, span->count);
	}
	if (answer->options->top.wanted && top_is_local(answer)) {
		tally->top.count = 0;
		tally->top.floor = atomic_load_explicit(&answer->floor, memory_order_relaxed);
		if (tally->more && tally->top.most > 0)
			gs_top_collect(&tally->top, span, first_end, last);
	}
}

static void
tally_span(const struct gs_answer *answer, const struct gs_span *span, struct gs_tally *tally)
{
	gs_verify_digest(answer->verify, 1, span, &tally->digest);
	tally->taken = span->count;
	tally->first = gs_key_at(span->keys, span->key_bits, 0);
	tally->last = gs_key_at(span->keys, span->key_bits, span->count - 1);
	if (answer->options->summary || answer->options->top.wanted) {
		memset(&tally->float_sum, 0, sizeof tally->float_sum);
		tally_groups(answer, span, tally);
	}
}

/* ---- all spans, in order --------------------------------------------------------------- */

void
gs_answer_end_group(struct gs_answer *answer)
{
	if (!answer->any)
		return;
	answer->distinct++;
	if (answer->options->top.wanted)
		gs_top_add(&answer->top, &answer->group);
	answer->any = false;
}

static void
begin_group(struct gs_answer *answer, const struct gs_span *span, uint64_t key, uint64_t times)
{
	if (answer->any && answer->group.value.key == key) {
		answer->group.times += times;
		return;
	}
	gs_answer_end_group(answer);
	answer->any = true;
	answer->group = (struct gs_group){
		.value = { .key = key, .key_class = span->key_class, .key_bits = span->key_bits },
		.times = times,
	};
}

static void
note_extremes(struct gs_answer *answer, const struct gs_span *span, uint64_t first, uint64_t last)
{
	answer->most = (struct gs_value){
		.key = last, .key_class = span->key_class, .key_bits = span->key_bits,
	};
	if (answer->taken == 0) {
		answer->least = answer->most;
		answer->least.key = first;
	}
}

/* Add what SPAN has, by TALLY. */
static void
join(struct gs_answer *answer, const struct gs_span *span, struct gs_tally *tally)
{
	const enum gsort_type type = answer->options->type;
	struct gs_top *top = &answer->top;

	if (answer->options->summary) {
		if (gs_key_is_float(type))
			gs_float_sum_merge(&answer->float_sum, &tally->float_sum);
		else
			answer->sum += (__int128)tally->sum -
			               gs_key_bias(type, span->key_class) * (__int128)tally->taken;
	}
	begin_group(answer, span, tally->first, tally->first_times);
	if (tally->more) {
		gs_answer_end_group(answer);
		if (tally->groups > 2)
			answer->distinct += tally->groups - 2;
		for (size_t g = 0; answer->options->top.wanted && g < tally->top.count; g++)
			gs_top_add(top, &tally->top.groups[g]);
		if (answer->options->top.wanted && !top_is_local(answer))
			gs_top_collect(top, span, (size_t)tally->first_times,
			               span->count - (size_t)tally->last_times);
		begin_group(answer, span, tally->last, tally->last_times);
	}
	atomic_store_explicit(&answer->floor, top->floor, memory_order_relaxed);
}

/* ---- the sink ------------------------------------------------------------------------------ */

static bool
skip(void *context, const struct gs_sorted_span *sorted)
{
	const struct gs_answer *answer = context;
	const struct gsort_options *options = answer->options;

	return !options->summary && !options->top.wanted && options->histogram == 0 &&
	       !answer->verify->on &&
	       !has_mark(answer, answer->class_position + sorted->at, sorted->span.count);
}

static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct gs_answer *answer = context;
	uint64_t since = gs_clock_now();

	tally_span(answer, &sorted->span, &answer->tallies[sorted->slot]);
	gs_clock_lap(&answer->monitor->clock, GS_STAGE_ENCODE, &since);
	return GS_OK;
}

static gs_status
take_keys(struct gs_answer *answer, struct gs_sorted_span *sorted)
{
	struct gs_span *span = &sorted->span;
	const bool made = sorted->slot != GS_NO_SLOT;
	struct gs_tally *tally = &answer->tallies[made ? sorted->slot
	                                               : gs_batch_slots(answer->plan->threads)];
	uint64_t since = gs_clock_now();

	if (!sorted->skipped) {
		if (!made)
			tally_span(answer, span, tally);
		gs_verify_join(answer->verify, &answer->verify->out, &tally->digest);
		take_marks(answer, span);
		note_extremes(answer, span, tally->first, tally->last);
		if (answer->bars.bars != NULL)
			gs_bars_take(&answer->bars, span, answer->taken);
		if (answer->options->summary || answer->options->top.wanted)
			join(answer, span, tally);
	}
	answer->taken += span->count;
	atomic_fetch_add(&answer->monitor->counters.keys_sorted, span->count);
	gs_clock_lap(&answer->monitor->clock, GS_STAGE_ENCODE, &since);
	return GS_OK;
}

/* ---- the sink of keys and lines ---------------------------------------------------------------- */

/* TIMES keys that are equal, as a histogram knows them. */
static void
take_group(struct gs_answer *answer, const struct gs_span *key, uint64_t times)
{
	const uint64_t bits = gs_key_at(key->keys, key->key_bits, 0);
	const enum gsort_type type = answer->options->type;
	struct gs_tally tally = {
		.taken = times, .first_times = times, .first = bits, .sum = (unsigned __int128)bits * times,
	};

	note_extremes(answer, key, bits, bits);
	for (; gs_answer_marks_next(answer, times); answer->marks_found++)
		answer->by_position[answer->marks_found]->value = answer->most;
	if (answer->bars.bars != NULL)
		gs_bars_take(&answer->bars, key, answer->taken);
	if (answer->options->summary && gs_key_is_float(type)) {
		const uint64_t last = last_alike(type, key->key_bits, bits);
		const uint64_t first = last - GS_NANS(gs_key_fraction_bits(type));

		add_floats(answer, &tally.float_sum, last, times,
		           gs_scan_sum(key->keys, key->key_bits, first, 1) * times);
	}
	join(answer, key, &tally);
	answer->taken += times;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gs_answer *answer = context;
	const struct gs_span *span = &sorted->span;

	(void)enough;
	if (span->times == NULL)
		return take_keys(answer, sorted);
	gs_verify_out(answer->verify, span);
	for (size_t at = 0; at < span->count; at++) {
		struct gs_span key = *span;

		key.keys = (char *)span->keys + at * (span->key_bits / 8);
		key.count = 1;
		take_group(answer, &key, span->times[at]);
	}
	return GS_OK;
}

/* ---- opening, and the sink ---------------------------------------------------------------- */

static gs_status
open_keys(struct gs_answer *answer, const struct gs_answer_input *input)
{
	TRY(set_tops(answer, gs_batch_slots(answer->plan->threads) + 1));
	return gs_bars_open(&answer->bars, answer->options, input->extremes);
}

const struct gs_answer_of gs_answer_of_keys = {
	.open = open_keys, .take = take, .spell = gs_answer_spell_key, .numbers = true,
};

gs_status
gs_answer_open(struct gs_answer *answer, const struct gs_answer_of *of, const struct gsort_options *options,
               const struct gs_plan *plan, const struct gs_answer_input *input,
               struct gs_verify *verify, struct gs_monitor *monitor)
{
	struct gs_pick pick = { .on = false };
	gs_status status;

	gs_answer_close(answer);
	*answer = (struct gs_answer){
		.of = of, .options = options, .plan = plan, .verify = verify, .monitor = monitor,
		.keys = input->keys, .order = input->order,
	};
	TRY(GS_NEW(answer->tallies, gs_batch_slots(plan->threads) + 1, "tallies"));
	status = gs_pick_open(&pick, options, input->keys);
	THEN(status, set_marks(answer, &pick));
	gs_pick_close(&pick);
	return status == GS_OK ? of->open(answer, input) : status;
}

struct gs_span_sink
gs_answer_sink(struct gs_answer *answer)
{
	answer->class_position = answer->taken;
	return (struct gs_span_sink){
		.skip = skip, .make = make, .take = answer->of->take, .groups = true, .context = answer,
	};
}

void
gs_answer_end(struct gs_answer *answer)
{
	assert(answer->taken == answer->keys);
	gs_bars_end(&answer->bars, answer->keys);
	gs_top_end(&answer->top);
}

void
gs_answer_close(struct gs_answer *answer)
{
	free(answer->marks);
	free(answer->by_position);
	free(answer->groups);
	free(answer->tallies);
	gs_item_copies_close(&answer->copies);
	gs_bars_close(&answer->bars);
	*answer = (struct gs_answer){ .marks = NULL };
}

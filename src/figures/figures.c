// SPDX-License-Identifier: BSD-2-Clause
/*
 * figures.c - figures about keys as text or JSON
 *
 * In:   figures, whose values are keys.
 * Out:  lines with tabs, each group of figures after an empty line; or one JSON object.
 *
 * What is not a number in JSON (inf, nan) is a string there; what does not exist, because there are no
 * keys, is null there and "-" in lines.
 */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "text/encode.h"
#include "text/floats.h"
#include "key/key.h"
#include "text/notation.h"
#include "figures/statistics.h"
#include "output/emit.h"

/* ---- one value --------------------------------------------------------------------- */

static struct gs_word
end_word(char *text, size_t bytes, bool number)
{
	text[bytes] = '\0';
	return (struct gs_word){ text, bytes, number };
}

static struct gs_word
spell_integer(enum gsort_notation notation, __int128 number, char word[GS_WORD_BYTES])
{
	const bool negative = number < 0;

	return end_word(word, notation > GSORT_HEXADECIMAL
	                ? gs_notation_print(notation, negative, (uint64_t)(negative ? -number : number), word)
	                : gs_wide_print_number(notation, negative, (unsigned __int128)number, word),
	                notation == GSORT_DECIMAL);
}

static struct gs_word
spell_float(double number, char word[GS_WORD_BYTES])
{
	return end_word(word, gs_float_print(isnan(number) ? fabs(number) : number, false, word),
	                isfinite(number));
}

struct gs_word
gs_statistics_spell_key(const struct gs_statistics *figures, const struct gs_value *value,
                        char word[GS_WORD_BYTES])
{
	const struct gs_encoding encoding = {
		.from = figures->options->type, .to = GSORT_TEXT,
		.notation = figures->options->notation, .reverse = figures->options->reverse,
		.terminator = '\n', .threads = 1,
	};
	uint64_t key;
	const struct gs_span span = {
		.keys = &key, .count = 1, .key_bits = value->key_bits, .key_class = value->key_class,
	};
	size_t bytes = 0;

	gs_key_put(&key, value->key_bits, 0, value->key);
	if (gs_encode(&encoding, &span, word, &bytes) != GS_OK)
		bytes = 1;
	return end_word(word, bytes - 1, encoding.notation == GSORT_DECIMAL &&
	                                 isdigit((unsigned char)word[word[0] == '-']));
}

/* What stands in a line of text. */
static void
print_word(FILE *to, const char *name, int name_bytes, struct gs_word word)
{
	fprintf(to, "%.*s\t", name_bytes, name);
	fwrite(word.text != NULL ? word.text : "-", 1, word.text != NULL ? word.bytes : 1, to);
	fputc('\n', to);
}

static const struct gs_word no_key = { .text = NULL };

/* A key of the input, if that has any. */
static struct gs_word
spell(const struct gs_statistics *figures, const struct gs_value *value, char word[GS_WORD_BYTES])
{
	return figures->keys == 0 ? no_key : figures->of->spell(figures, value, word);
}

/* A JSON value: a number, a string or null. */
static void
print_json(FILE *to, struct gs_word word)
{
	char character[GS_CHARACTER_BYTES] = "";

	if (word.text == NULL || word.number) {
		fputs(word.text != NULL ? word.text : "null", to);
		return;
	}
	fputc('"', to);
	for (size_t b = 0, read; b < word.bytes; b += read) {
		const size_t written = gs_json_character(character, word.text + b, word.bytes - b, &read);

		fwrite(character, 1, written, to);
	}
	fputc('"', to);
}

/* ---- summary and quantiles ----------------------------------------------------------- */

static void
print_row(const struct gs_statistics *figures, FILE *to, const char *name, struct gs_word word,
          bool first)
{
	if (!figures->options->json) {
		char padded[16];	/* a tab behind each, "distinct", too, ends in the same column */
		const int bytes = snprintf(padded, sizeof padded, "%-*s",
		                           figures->options->bar_columns > 0 ? 8 : 0, name);

		print_word(to, padded, bytes, word);
		return;
	}
	fprintf(to, "%s\"%s\": ", first ? "" : ", ", name);
	print_json(to, word);
}

/* SUM / COUNT, rounded once. */
static double
divide(__int128 sum, uint64_t count)
{
	unsigned __int128 left = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum, quotient;
	int shift = 0;

	for (; left > 0 && left >> 127 == 0; shift++)
		left <<= 1;
	quotient = left / count;	/* of 64 bits at least: the last one may say that more follow */
	quotient |= left % count > 0;
	return ldexp(sum < 0 ? -(double)quotient : (double)quotient, -shift);
}

static void
print_summary(const struct gs_statistics *figures, FILE *to)
{
	enum { BEYOND = 64 };	/* a sum of floats is within their range times 2 to that */
	const struct gs_mark *quartiles = figures->marks.all + figures->marks.quantiles;
	const enum gsort_notation notation = figures->options->notation;
	const bool floats = gs_key_is_float(figures->options->type);
	const struct gs_summary *summary = &figures->summary;
	const double sum = floats ? gs_float_sum_value(&summary->float_sum, 0) : 0;
	char word[GS_WORD_BYTES];

	print_row(figures, to, "count", spell_integer(GSORT_DECIMAL, figures->keys, word), true);
	if (figures->of_column)
		print_row(figures, to, "missing", spell_integer(GSORT_DECIMAL, figures->missing, word),
		          false);
	print_row(figures, to, "distinct", spell_integer(GSORT_DECIMAL, summary->distinct, word), false);
	print_row(figures, to, "min", spell(figures, &summary->least, word), false);
	print_row(figures, to, "q1", spell(figures, &quartiles[0].value, word), false);
	print_row(figures, to, "median", spell(figures, &quartiles[1].value, word), false);
	print_row(figures, to, "q3", spell(figures, &quartiles[2].value, word), false);
	print_row(figures, to, "max", spell(figures, &summary->most, word), false);
	if (notation > GSORT_HEXADECIMAL || figures->order != NULL)	/* addresses, lines */
		return;
	print_row(figures, to, "sum", floats ? spell_float(sum, word)
	                                     : spell_integer(notation, summary->sum, word), false);
	if (notation == GSORT_DECIMAL)
		print_row(figures, to, "mean", figures->keys == 0 ? no_key :
		          spell_float(!floats ? divide(summary->sum, figures->keys) :
		                      isfinite(sum) ? sum / (double)figures->keys :
		                      ldexp(gs_float_sum_value(&summary->float_sum, BEYOND) /
		                            (double)figures->keys, BEYOND), word), false);
}

static void
print_quantiles(const struct gs_statistics *figures, FILE *to)
{
	char word[GS_WORD_BYTES];

	for (size_t q = 0; q < figures->marks.quantiles; q++) {
		const struct gs_mark *mark = &figures->marks.all[q];
		const struct gs_word value = spell(figures, &mark->value, word);

		if (figures->options->json) {
			fprintf(to, "%s{\"quantile\": \"%.*s\", \"value\": ", q > 0 ? ", " : "",
			        (int)mark->name_bytes, mark->name);
			print_json(to, value);
			fputc('}', to);
		} else {
			print_word(to, mark->name, (int)mark->name_bytes, value);
		}
	}
}

/* The last keys, or the sample; JSON only: as lines they are written as keys are. */
static void
print_listed(const struct gs_statistics *figures, FILE *to)
{
	const struct gs_mark *listed = figures->marks.all + figures->marks.count - figures->marks.listed;
	char word[GS_WORD_BYTES];

	for (size_t k = 0; k < figures->marks.listed; k++) {
		if (k > 0)
			fputs(", ", to);
		print_json(to, spell(figures, &listed[k].value, word));
	}
}

/* ---- frequent values ------------------------------------------------------------------- */

static void
print_top(const struct gs_statistics *figures, FILE *to)
{
	char word[GS_WORD_BYTES];

	for (size_t g = 0; g < figures->top.count; g++) {
		const struct gs_group *group = &figures->top.groups[g];
		const struct gs_word value = figures->of->spell(figures, &group->value, word);

		if (figures->options->json) {
			fprintf(to, "%s{\"value\": ", g > 0 ? ", " : "");
			print_json(to, value);
			fprintf(to, ", \"count\": %llu}", (unsigned long long)group->times);
		} else {	/* as --count does */
			fprintf(to, "%7llu %s\n", (unsigned long long)group->times, value.text);
		}
	}
}

/* ---- histogram ---------------------------------------------------------------------------- */

/* Bars of infinities and NaNs are shown if there are any. */
static bool
is_shown(const struct gs_bars *bars, size_t b)
{
	return !bars->floats || isfinite(bars->bars[b].float_from) || bars->bars[b].keys > 0;
}

static struct gs_word
spell_edge(const struct gs_statistics *figures, size_t b, bool to, char word[GS_WORD_BYTES])
{
	const struct gs_bar *bar = &figures->bars.bars[b];

	return figures->bars.floats ? spell_float(to ? bar->float_to : bar->float_from, word)
	       : spell_integer(figures->options->notation, to ? bar->to : bar->from, word);
}

/* Bars, as long as LINE has columns for the longest. */
static void
draw(const struct gs_statistics *figures, FILE *to)
{
	const struct gs_bars *bars = &figures->bars;
	const unsigned columns = figures->options->bar_columns;
	char from[GS_WORD_BYTES], until[GS_WORD_BYTES], keys[GS_WORD_BYTES];
	int widths[3] = { 0 }, labels;		/* of these */
	uint64_t room, most = 1;

	for (size_t b = 0; b < bars->count; b++) {
		const size_t bytes[3] = {
			spell_edge(figures, b, false, from).bytes, spell_edge(figures, b, true, until).bytes,
			spell_integer(GSORT_DECIMAL, bars->bars[b].keys, keys).bytes,
		};

		for (unsigned w = 0; is_shown(bars, b) && w < 3; w++)
			widths[w] = (int)bytes[w] > widths[w] ? (int)bytes[w] : widths[w];
		most = bars->bars[b].keys > most ? bars->bars[b].keys : most;
	}
	labels = widths[0] + widths[1] + widths[2] + 6;
	room = (int)columns > labels + 10 ? columns - (unsigned)labels : 10;
	for (size_t b = 0; b < bars->count; b++) {
		const uint64_t number = bars->bars[b].keys;
		const uint64_t length = (uint64_t)((unsigned __int128)number * room / most);

		if (!is_shown(bars, b))
			continue;
		fprintf(to, "%*s .. %*s %*s ", widths[0], spell_edge(figures, b, false, from).text,
		        widths[1], spell_edge(figures, b, true, until).text,
		        widths[2], spell_integer(GSORT_DECIMAL, number, keys).text);
		for (uint64_t hash = 0; hash < length + (number > 0 && length == 0); hash++)
			fputc('#', to);
		fputc('\n', to);
	}
}

static void
print_histogram(const struct gs_statistics *figures, FILE *to)
{
	const struct gs_bars *bars = &figures->bars;
	char from[GS_WORD_BYTES], until[GS_WORD_BYTES];
	bool first = true;

	if (figures->options->bar_columns > 0 && !figures->options->json) {
		draw(figures, to);
		return;
	}
	for (size_t b = 0; b < bars->count; b++) {
		const struct gs_word low = spell_edge(figures, b, false, from);
		const struct gs_word high = spell_edge(figures, b, true, until);
		const unsigned long long keys = bars->bars[b].keys;

		if (!is_shown(bars, b))
			continue;
		if (figures->options->json) {
			fprintf(to, "%s{\"from\": ", first ? "" : ", ");
			print_json(to, low);
			fputs(", \"to\": ", to);
			print_json(to, high);
			fprintf(to, ", \"count\": %llu}", keys);
		} else {
			fprintf(to, "%s\t%s\t%llu\n", low.text, high.text, keys);
		}
		first = false;
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void
print_all(const struct gs_statistics *figures, FILE *to)
{
	const struct gsort_options *options = figures->options;
	const struct {
		bool wanted;
		const char *name;
		char open, close;
		void (*print)(const struct gs_statistics *figures, FILE *to);
	} groups[] = {
		{ options->summary, "summary", '{', '}', print_summary },
		{ options->quantiles != NULL, "quantiles", '[', ']', print_quantiles },
		{ options->top.wanted, "top", '[', ']', print_top },
		{ options->histogram > 0, "histogram", '[', ']', print_histogram },
		{ options->json && options->tail.wanted, "tail", '[', ']', print_listed },
		{ options->json && options->sample.wanted, "sample", '[', ']', print_listed },
	};
	bool first = true;

	if (options->json)
		fprintf(to, "{\"keys\": %llu", (unsigned long long)figures->keys);
	for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
		if (!groups[g].wanted)
			continue;
		if (options->json)
			fprintf(to, ", \"%s\": %c", groups[g].name, groups[g].open);
		else if (!first)
			fputc('\n', to);
		groups[g].print(figures, to);
		if (options->json)
			fputc(groups[g].close, to);
		first = false;
	}
	if (options->json)
		fputs("}\n", to);
}

/* Where figures go. */
struct sink {
	struct gs_output *output;
	uint64_t          bytes;
	gs_status         status;
};

static ssize_t
write_out(void *context, const char *text, size_t bytes)
{
	struct sink *sink = context;

	if (sink->status == GS_OK)
		sink->status = gs_output_write(sink->output, text, bytes);
	if (sink->status != GS_OK)
		return 0;		/* an error; the message is kept */
	sink->bytes += bytes;
	return (ssize_t)bytes;
}

gs_status
gs_figures_write(struct gs_statistics *figures, struct gs_output *output, uint64_t *bytes)
{
	struct sink sink = { .output = output, .status = GS_OK };
	FILE *to = fopencookie(&sink, "w", (cookie_io_functions_t){ .write = write_out });

	if (to == NULL)
		return gs_fail(GS_EBUDGET, "no memory for the figures");
	assert(figures->taken == figures->keys);
	gs_bars_end(&figures->bars, figures->keys);
	gs_top_end(&figures->top);
	print_all(figures, to);
	(void)fclose(to);		/* what fails there is in the sink */
	*bytes += sink.bytes;
	return sink.status;
}

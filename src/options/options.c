// SPDX-License-Identifier: BSD-2-Clause
/*
 * options.c - are the options of a job valid, and can they be used together?
 *
 * In:   the caller's options.
 * Out:  the first error, in the order of the rules here, as a message or as data.
 *
 * A useless option is allowed (a check with -T), as in sort(1).  An option that cannot have its
 * effect is refused.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "figures/statistics.h"
#include "io/inflate.h"
#include "io/output.h"
#include "key/key.h"
#include "options/options.h"
#include "output/select.h"
#include "ranks/net/ranks.h"
#include "spill/spill.h"

#define COUNT(array)	(sizeof (array) / sizeof (array)[0])

static bool
is_binary(enum gsort_type type)
{
	return gs_key_bits(type) > 0;
}

static bool
writes_binary(const struct gsort_options *o)
{
	return is_binary(o->converts ? o->to : o->type);
}

bool
gs_options_write_binary(const struct gsort_options *o)
{
	return !gs_statistics_is_wanted(o) &&
	       (writes_binary(o) || ((o->record_bytes > 0 || o->argsort_bits > 0) && !o->converts));
}

/* Figures about numbers, which lines and records have, too. */
static bool
wants_figures(const struct gsort_options *o)
{
	return o->quantiles != NULL || o->summary || o->histogram > 0;
}

const char *
gs_options_answer(const struct gsort_options *o)
{
	return o->quantiles != NULL ? "quantiles" : o->summary ? "summary"
	       : o->histogram > 0 ? "histogram" : o->top.wanted ? "top" : "to=json";
}

static const char *const set_names[] = { "", "union", "intersect", "difference", "symmetric" };

/* ---- options that exclude each other, or need another ------------------------------- */

/* What options say: a name here, how the option is called, and whether it is used so. */
#define USES(USE) \
	USE(ANSWER, answer, answers) \
	USE(ANSWER_ALONE, answer, answers && !o->json) \
	USE(ANSWER_ENCODED, answer, answers && o->to != GSORT_TEXT) \
	USE(FIGURES_OF_COLUMN, answer, figures && (lines || records)) \
	USE(LIST, "to=json", o->json && !figures) \
	USE(ARGSORT, "argsort", argsort) \
	USE(CHECK, "check", o->operation == GSORT_CHECK) \
	USE(COUNTS, "count", o->counts) \
	USE(DEBUG, "debug", lines && o->underline) \
	USE(DEVICE, "device", o->device == GSORT_DEVICE_GPU) \
	USE(HEAD, "head", o->head) \
	USE(HEADER, "header", o->header_lines > 0) \
	USE(HISTOGRAM, "histogram", o->histogram > 0) \
	USE(IN_PLACE, "in-place", o->in_place) \
	USE(INVALID, "invalid", o->invalid != GSORT_INVALID_ABORT) \
	USE(JSON, "to=json", o->json) \
	USE(KEEP_ORDER, "keep-order", o->keep_order) \
	USE(KEY, "key", o->key_count > 0) \
	USE(LINES, "lines", lines) \
	USE(LOCALE, "locale", o->locale != NULL) \
	USE(MERGE, "merge", o->operation == GSORT_MERGE) \
	USE(OUTPUT, "output", o->output != NULL) \
	USE(QUANTILES, "quantiles", o->quantiles != NULL) \
	USE(RECORDS, "record-size", records) \
	USE(REPEATED, "unique=repeated", o->repeated) \
	USE(REVERSE, "reverse", o->reverse) \
	USE(SAMPLE, "sample", o->sample.wanted) \
	USE(SEED, "seed", o->seed != 0) \
	USE(SET, set_names[o->set], o->set != GSORT_NO_SET) \
	USE(SINGLETONS, "unique=singletons", o->singletons) \
	USE(SKIP, "skip-bytes", o->skip_bytes > 0) \
	USE(SPLIT, "split", o->split > 0) \
	USE(SUMMARY, "summary", o->summary) \
	USE(TAIL, "tail", o->tail.wanted) \
	USE(TOP, "top", o->top.wanted) \
	USE(TOP_OF_ITEMS, "top", o->top.wanted && (lines || records || wide)) \
	USE(UNIQUE, "unique", o->unique) \
	USE(VERIFY, "verify", o->verify) \
	USE(ZERO, "zero-terminated", o->zero_terminated) \
	USE(TYPE_OF_NO_LINE, "type", is_binary(o->type) || noted) \
	USE(TYPE_BESIDE_RECORDS, "type", o->type != GSORT_TEXT || noted) \
	USE(TYPE_BINARY, "type", binary_in) \
	USE(TYPE_STAYS_BINARY, "type", binary_in && binary_out) \
	USE(TYPE_WIDE, "type", wide && !lines) \
	USE(TO, "to", o->converts) \
	USE(TO_BINARY, "to", binary_out) \
	USE(TO_NO_TEXT, "to", o->converts && o->to != GSORT_TEXT) \
	USE(TO_NOTATION, "to", o->converts && o->notation > GSORT_HEXADECIMAL) \
	USE(BINARY_TO_TEXT, "to", binary_in && !binary_out)

#define NAME_USE(use, name, so)	use,
#define FIND_USE(use, name, so)	{ name, so },

enum use { NO_USE, USES(NAME_USE) };

/* It is an error if ONE is used beside any of OTHERS, which 0 ends; or, if it NEEDS them, beside none. */
enum relation { NOT, NEEDS };

struct rule {
	unsigned char one, relation, others[15];
	const char   *why;
};

#define OF_ALL	"it is of all keys; pipe one gsort into another"
#define ALONE	"a GPU sorts keys alone"
#define CUT	"files are cut by the number of all keys"
#define PIPE	"pipe one gsort into another"
#define AS_THEY_ARE	"sort the inputs as they are"

static const struct rule rules[] = {
	{ LINES, NOT, { TYPE_OF_NO_LINE }, NULL },
	{ LINES, NOT, { RECORDS }, "keys of records are -k TYPE@OFFSET, such as -k u32@8" },
	{ ARGSORT, NOT, { DEBUG }, NULL },
	{ LINES, NOT, { TO }, "lines are written as they are" },
	{ LINES, NOT, { DEVICE }, ALONE },
	{ DEBUG, NOT, { OUTPUT }, NULL },
	{ LOCALE, NEEDS, { LINES }, NULL },

	{ KEY, NEEDS, { RECORDS }, NULL },
	{ RECORDS, NOT, { TYPE_BESIDE_RECORDS }, "-k names the types of keys" },
	{ RECORDS, NOT, { TO }, "records are moved as they are" },
	{ RECORDS, NOT, { HEADER }, "only bytes at the front are skipped" },
	{ RECORDS, NOT, { ZERO, INVALID }, "records are binary" },
	{ RECORDS, NOT, { DEVICE }, ALONE },
	{ ARGSORT, NOT, { SET }, "a set is of several inputs, and a number of one" },
	{ ARGSORT, NOT, { SAMPLE }, "draw from the numbers that it writes" },
	{ ARGSORT, NOT, { MERGE }, AS_THEY_ARE },
	{ ARGSORT, NOT, { CHECK }, NULL },
	{ ARGSORT, NOT, { TO, COUNTS }, "the output is numbers of keys" },
	{ ARGSORT, NOT, { DEVICE }, ALONE },

	{ TYPE_WIDE, NOT, { TO_NO_TEXT }, "keys of 128 bits are converted to text only" },
	{ TYPE_WIDE, NOT, { TO_NOTATION }, "keys of 128 bits are decimal or hexadecimal" },
	{ TYPE_WIDE, NOT, { DEVICE }, "a GPU sorts keys of at most 64 bits" },
	{ TYPE_WIDE, NOT, { QUANTILES, SUMMARY, HISTOGRAM, JSON }, "figures are of at most 64 bits" },

	{ IN_PLACE, NEEDS, { OUTPUT }, NULL },
	{ SPLIT, NEEDS, { OUTPUT }, NULL },
	{ SPLIT, NOT, { IN_PLACE, MERGE }, NULL },
	{ CHECK, NOT, { OUTPUT, TO, COUNTS, REPEATED, SINGLETONS, HEAD, VERIFY, DEVICE, SET, TAIL, SAMPLE,
	                KEEP_ORDER, ANSWER, DEBUG }, NULL },
	{ MERGE, NOT, { DEVICE }, NULL },
	{ REPEATED, NOT, { SINGLETONS }, NULL },
	{ ZERO, NOT, { TYPE_STAYS_BINARY }, NULL },
	{ HEADER, NOT, { TYPE_BINARY, TO_BINARY }, NULL },	/* it is copied as it is */
	{ INVALID, NOT, { TYPE_BINARY }, NULL },
	{ SKIP, NOT, { BINARY_TO_TEXT }, NULL },

	{ MERGE, NOT, { SET }, "inputs are sorted in any case: leave -m out" },
	{ SET, NOT, { ANSWER, SAMPLE, KEEP_ORDER }, PIPE },
	{ SET, NOT, { SPLIT }, CUT },
	{ SET, NOT, { DEVICE }, NULL },

	{ TAIL, NOT, { HEAD }, PIPE },
	{ TAIL, NOT, { SPLIT }, CUT },
	{ MERGE, NOT, { SAMPLE }, "how many keys there are is known only after the last" },
	{ SAMPLE, NOT, { HEAD, TAIL, UNIQUE, COUNTS, REPEATED, SINGLETONS }, OF_ALL },
	{ SAMPLE, NOT, { SPLIT }, CUT },

	{ KEEP_ORDER, NOT, { COUNTS }, "a count is known after the last element" },
	{ KEEP_ORDER, NEEDS, { UNIQUE, REPEATED, SINGLETONS }, NULL },
	{ KEEP_ORDER, NOT, { REVERSE }, "the order is that of the input" },
	{ MERGE, NOT, { KEEP_ORDER }, AS_THEY_ARE },
	{ ARGSORT, NOT, { KEEP_ORDER }, "sort its numbers" },
	{ KEEP_ORDER, NOT, { TO }, "elements are written as they are" },
	{ KEEP_ORDER, NOT, { INVALID }, NULL },
	{ KEEP_ORDER, NOT, { DEVICE }, ALONE },

	{ REVERSE, NOT, { SUMMARY }, "a summary names its figures" },
	{ REVERSE, NOT, { HISTOGRAM }, "its intervals ascend" },
	{ FIGURES_OF_COLUMN, NOT, { TOP },
	  "the first is of numbers, the other of lines or records: use two commands" },
	{ LIST, NOT, { RECORDS }, "figures are of numbers" },
	{ ANSWER, NOT, { ARGSORT }, "figures name no positions" },
	{ MERGE, NOT, { ANSWER }, "figures need no sorted inputs: leave -m out" },
	{ ANSWER, NOT, { HEAD }, OF_ALL },
	{ TOP_OF_ITEMS, NOT, { TAIL, SAMPLE }, OF_ALL },
	{ ANSWER_ALONE, NOT, { TAIL, SAMPLE }, "with --to=json they go together" },
	{ ANSWER, NOT, { UNIQUE, COUNTS, REPEATED, SINGLETONS }, OF_ALL },
	{ ANSWER, NOT, { SPLIT }, NULL },
	{ ANSWER_ENCODED, NOT, { TO }, "figures are text" },
	{ SEED, NEEDS, { SAMPLE }, NULL },
};

bool
gs_options_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	const bool lines = o->lines, records = o->record_bytes > 0, argsort = o->argsort_bits > 0;
	const bool noted = o->notation != GSORT_DECIMAL && !o->converts;
	const bool binary_in = is_binary(o->type) || records;
	const bool binary_out = writes_binary(o) || records || (argsort && binary_in);
	const bool wide = gs_key_is_wide(o->type);
	const bool answers = gs_statistics_is_wanted(o), figures = wants_figures(o);
	const char *answer = gs_options_answer(o);
	const struct {
		const char *name;
		bool        so;
	} uses[] = { { NULL, false }, USES(FIND_USE) };

	for (const struct rule *rule = rules; rule < rules + COUNT(rules); rule++) {
		const bool needs = rule->relation == NEEDS;
		const unsigned char *other = rule->others;

		while (*other != NO_USE && !uses[*other].so)
			other++;
		if (!uses[rule->one].so || needs == (*other != NO_USE))
			continue;
		*conflict = (struct gsort_conflict){
			.one = uses[rule->one].name, .other = uses[needs ? rule->others[0] : *other].name,
			.needs = needs, .why = rule->why,
		};
		return true;
	}
	return false;
}

static const char *const notations[] = { "text", "hex", "ipv4", "time" };

/* "--output"; with the value where that matters: "--to=text". */
static const char *
spell(const struct gsort_options *o, const char *name, char into[32])
{
	const bool noted = o->notation != GSORT_DECIMAL;
	const char *value = strcmp(name, "type") == 0 ? noted && o->type == GSORT_TEXT
	                        ? notations[o->notation] : gs_key_name(o->type) :
	                    strcmp(name, "to") == 0 ? noted && o->to == GSORT_TEXT
	                        ? notations[o->notation] : gs_key_name(o->to) :
	                    strcmp(name, "device") == 0 ? "gpu" : NULL;

	snprintf(into, 32, "--%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
	return into;
}

/* Values that no option may have. */
static gs_status
check_values(const struct gsort_options *o)
{
	const bool all = o->gpu_count == GSORT_ALL_GPUS;
	bool valid = all || o->gpu_count <= GSORT_GPUS_MOST;

	for (unsigned g = 0; valid && !all && (g < o->gpu_count || g == 0); g++) {
		valid = o->gpus[g] >= 0;
		for (unsigned before = 0; before < g; before++)
			valid &= o->gpus[before] != o->gpus[g];
	}
	if (!valid)
		return gs_fail(GS_EUSAGE, "a list of GPUs has at most %u, each of them once",
		               (unsigned)GSORT_GPUS_MOST);
	if (o->ranks == NULL && o->gpu_count > 1)
		return gs_fail(GS_EUSAGE, "one process sorts on one GPU; 'mpirun -n N gsort-mpi' has "
		               "one for each of N ranks");
	if (o->gpu_memory_percent > 100)
		return gs_fail(GS_EUSAGE, "%u%% of the GPU's memory is more than there is",
		               o->gpu_memory_percent);
	if (o->argsort_bits != 0 && o->argsort_bits != 32 && o->argsort_bits != 64)
		return gs_fail(GS_EUSAGE, "'--argsort' has 32 or 64 bits, not %u", o->argsort_bits);
	if (o->record_bytes > GSORT_RECORD_MOST_BYTES)
		return gs_fail(GS_EUSAGE, "a record has at most %u bytes", GSORT_RECORD_MOST_BYTES);
	if (o->compress_program != NULL && strcmp(o->compress_program, "zstd") != 0 &&
	    strcmp(o->compress_program, "lz4") != 0)
		return gs_fail(GS_EUSAGE, "'--compress-program' is zstd or lz4, which are built in; called "
		               "as sort, gsort runs the next sort");
	if (o->merge_files == 1)
		return gs_fail(GS_EUSAGE, "'--batch-size' is 1: the minimum is 2");
	if (o->converts && o->to == GSORT_TEXT_FLOAT && o->type != GSORT_TEXT_FLOAT)
		return gs_fail(GS_EUSAGE, "'--to=text' converts any type to text");
	if (o->converts && gs_key_is_wide(o->to))
		return gs_fail(GS_EUSAGE, "'--to=%s': keys of 128 bits are converted to text only",
		               gs_key_name(o->to));
	return GS_OK;
}

gs_status
gs_options_check(const struct gsort_options *o)
{
	const bool binary_in = is_binary(o->type), binary_out = writes_binary(o);
	const bool records = o->record_bytes > 0, answers = gs_statistics_is_wanted(o);
	const char *dot = o->output == NULL || o->write != NULL || o->force ? NULL : strrchr(o->output, '.');
	struct gsort_conflict conflict;
	char one[32], other[32];
	size_t standard = 0;

	TRY(check_values(o));
	if (gs_options_conflict(o, &conflict))
		return gs_fail(GS_EUSAGE, conflict.needs ? "option '%s' needs '%s'%s%s"
		                                         : "options '%s' and '%s' are incompatible%s%s",
		               spell(o, conflict.one, one), spell(o, conflict.other, other),
		               conflict.why != NULL ? ": " : "", conflict.why != NULL ? conflict.why : "");
	if (o->endian != GSORT_ENDIAN_HOST && !binary_in && !binary_out && !records && o->argsort_bits == 0)
		return gs_fail(GS_EUSAGE, "a byte order needs a binary type");
	if (o->skip_bytes > 0 && !binary_in && !records)
		return gs_fail(GS_EUSAGE, "bytes that are skipped need a binary type (for text: "
		               "'--header')");
	/* gsort decompresses, but does not compress: such a file would not be what its name says */
	if (dot != NULL && dot != o->output && dot[-1] != '/' && gs_inflate_program(o->output) != NULL)
		return gs_fail(GS_EUSAGE, "%s would hold plain %s; write to %.*s, or pipe into %s", o->output,
		               gs_options_write_binary(o) ? "data" : "text", (int)(dot - o->output),
		               o->output, gs_inflate_program(o->output));
	for (size_t i = 0; o->set != GSORT_NO_SET && i < o->input_count; i++)
		standard += strcmp(o->inputs[i], "-") == 0;
	if (standard > 1)		/* it cannot be read for two of them */
		return gs_fail(GS_EUSAGE, "standard input ('-') can be only one input of a set operation");
	if (o->notation != GSORT_DECIMAL &&
	    (gs_key_is_float(o->type) || (binary_in && binary_out && !answers)))
		return gs_fail(GS_EUSAGE, "option '--%s=%s' needs integers as text, in the input or with "
		               "'--to=text'", o->converts ? "to" : "type", notations[o->notation]);
	/* tails that are not taken by position are kept in memory */
	if (o->tail.wanted && o->tail.count > GS_TAIL_MOST &&
	    (o->operation == GSORT_MERGE || o->set != GSORT_NO_SET || gs_select_wants_groups(o)))
		return gs_fail(GS_EUSAGE, "--tail=%llu is too large here: with --merge, sets, --unique "
		               "or --count it is at most %d",
		               (unsigned long long)o->tail.count, GS_TAIL_MOST);
	TRY(gs_statistics_check(o));
	if (o->json && !answers)
		return gs_fail(GS_EUSAGE, "option '--to=json' needs figures: '--summary', '--quantiles', "
		               "'--top', '--histogram', '--tail' or '--sample'");
	if (o->histogram > GS_BARS_MOST)
		return gs_fail(GS_EUSAGE, "'--histogram' is %u: the maximum is %d", o->histogram,
		               GS_BARS_MOST);
	if (o->histogram_edges == GSORT_EDGES_LOG && o->notation > GSORT_HEXADECIMAL)
		return gs_fail(GS_EUSAGE, "'--histogram=log' is of numbers, not of '--type=%s'",
		               notations[o->notation]);
	if (o->split > GS_OUTPUTS_MOST)
		return gs_fail(GS_EUSAGE, "'--split' is %u: the maximum is %d", o->split, GS_OUTPUTS_MOST);
	if (o->split > 0 && o->write != NULL)
		return gs_fail(GS_EUSAGE, "'--split' needs files: output goes to a function");
	return o->split > 0 ? gs_outputs_check_pattern(o->output) : GS_OK;
}

bool
gsort_conflict(const struct gsort_options *options, struct gsort_conflict *conflict)
{
	struct gsort_options copy;

	return conflict != NULL && gs_options_copy(&copy, options) == GS_OK &&
	       gs_options_conflict(&copy, conflict);
}

enum gs_elements
gs_options_elements(const struct gsort_options *options)
{
	const bool figures = wants_figures(options);

	if (options->lines)
		return figures ? GS_OF_COLUMN : GS_OF_LINES;
	if (options->record_bytes > 0)
		return figures ? GS_OF_FIELD : GS_OF_RECORDS;
	if (options->argsort_bits > 0 && gs_key_is_text(options->type))
		return GS_OF_TEXT_NUMBERS;
	return gs_options_want_numbers(options) || gs_key_is_wide(options->type)
	       ? GS_OF_RECORDS : GS_OF_KEYS;
}

bool
gs_options_want_numbers(const struct gsort_options *options)
{
	return options->argsort_bits > 0 || options->keep_order;
}

enum gs_guarded
gs_options_guard(const struct gsort_options *options)
{
	return options->force || options->format == GSORT_FORMAT_RAW ? GS_UNGUARDED
	       : options->record_bytes > 0 || options->skip_bytes > 0 ? GS_GUARDED_HEADER : GS_GUARDED;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * options.c - are the options of a job valid, and can they be used together?
 *
 * In:   the caller's options.
 * Out:  the first error, in the order of the tables here, as a message or as data.
 *
 * A useless option is allowed (a check with -T), as in sort(1).  An option that cannot have its
 * effect is refused.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "format/key.h"
#include "io/inflate.h"
#include "io/output.h"
#include "job/options.h"
#include "net/ranks.h"
#include "spill/spill.h"
#include "stages/figures/answer.h"
#include "stages/select.h"

#define COUNT(array)	(sizeof (array) / sizeof (array)[0])

static bool
has_valid_gpus(const struct gsort_options *o)
{
	if (o->gpu_count == GSORT_ALL_GPUS)
		return true;
	if (o->gpu_count > GSORT_GPUS_MOST)
		return false;
	for (unsigned g = 0; g < o->gpu_count || g == 0; g++) {
		if (o->gpus[g] < 0)
			return false;
		for (unsigned before = 0; before < g; before++)
			if (o->gpus[before] == o->gpus[g])
				return false;
	}
	return true;
}

static gs_status
check_ranges(const struct gsort_options *o)
{
	if (!has_valid_gpus(o))
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
	if (o->merge_files == 1)
		return gs_fail(GS_EUSAGE, "'--batch-size' is 1: the minimum is 2");
	if (o->converts && o->to == GSORT_TEXT_FLOAT && o->type != GSORT_TEXT_FLOAT)
		return gs_fail(GS_EUSAGE, "'--to=text' converts any type to text");
	if (o->converts && gs_key_is_wide(o->to))
		return gs_fail(GS_EUSAGE, "'--to=%s': keys of 128 bits are converted to text only",
		               gs_key_name(o->to));
	return GS_OK;
}

/* Several files: their names, and that there are files at all. */
static gs_status
check_split(const struct gsort_options *o)
{
	if (o->split > GS_OUTPUTS_MOST)
		return gs_fail(GS_EUSAGE, "'--split' is %u: the maximum is %d", o->split, GS_OUTPUTS_MOST);
	if (o->split > 0 && o->write != NULL)
		return gs_fail(GS_EUSAGE, "'--split' needs files: output goes to a function");
	return o->split > 0 ? gs_outputs_check_pattern(o->output) : GS_OK;
}

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

/* gsort decompresses, but does not compress: such a file would not be what its name says. */
static gs_status
check_suffix(const struct gsort_options *o)
{
	const bool named = o->output != NULL && o->write == NULL;
	const char *dot = named && !o->force ? strrchr(o->output, '.') : NULL;
	const char *program = dot == NULL || dot == o->output || dot[-1] == '/'
	                      ? NULL : gs_inflate_program(o->output);
	const bool binary = !gs_answer_is_wanted(o) &&
	                    (writes_binary(o) ||
	                     ((o->record_bytes > 0 || o->argsort_bits > 0) && !o->converts));

	return program == NULL ? GS_OK
	       : gs_fail(GS_EUSAGE, "%s would hold plain %s; write to %.*s, or pipe into %s", o->output,
	                 binary ? "data" : "text", (int)(dot - o->output), o->output, program);
}

/* Standard input cannot be read for two inputs of a set operation. */
static gs_status
check_standard(const struct gsort_options *o)
{
	size_t standard = 0;

	for (size_t i = 0; o->set != GSORT_NO_SET && i < o->input_count; i++)
		standard += strcmp(o->inputs[i], "-") == 0;
	return standard > 1 ? gs_fail(GS_EUSAGE, "standard input ('-') can be only one input of a set "
	                              "operation") : GS_OK;
}

/* Tails that are not taken by rank are kept in memory. */
static gs_status
check_tail(const struct gsort_options *o)
{
	if (o->tail.wanted && o->tail.count > GS_TAIL_MOST &&
	    (o->operation == GSORT_MERGE || o->set != GSORT_NO_SET || gs_select_wants_groups(o)))
		return gs_fail(GS_EUSAGE, "--tail=%llu is too large here: with --merge, sets, --unique "
		               "or --count it is at most %d",
		               (unsigned long long)o->tail.count, GS_TAIL_MOST);
	return GS_OK;
}

/* Sets of inputs that are sorted keys. */
static const char *
set_name(const struct gsort_options *o)
{
	static const char *const names[] = { "", "union", "intersect", "difference", "symmetric" };

	return names[o->set];
}

const char *
gs_options_answer(const struct gsort_options *o)
{
	return o->quantiles != NULL ? "quantiles" : o->summary ? "summary"
	       : o->histogram > 0 ? "histogram" : o->top.wanted ? "top" : "to=json";
}

/* A row of the tables below. */
struct rule {
	bool found;
	struct gsort_conflict conflict;
};

/* Take the first rule that was found. */
static bool
find(const struct rule *rules, size_t count, struct gsort_conflict *conflict)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].found) {
			*conflict = rules[i].conflict;
			return true;
		}
	return false;
}

/* Find an option that keys of 128 bits, which are sorted as records, exclude. */
static bool
find_wide_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	static const char figures[] = "figures are of at most 64 bits";
	const struct rule rules[] = {
		{ o->converts && o->to != GSORT_TEXT, { "type", "to", false,
		  "keys of 128 bits are converted to text only" } },
		{ o->converts && o->notation > GSORT_HEXADECIMAL, { "type", "to", false,
		  "keys of 128 bits are decimal or hexadecimal" } },
		{ o->device == GSORT_DEVICE_GPU, { "type", "device", false,
		  "a GPU sorts keys of at most 64 bits" } },
		{ o->quantiles != NULL, { "type", "quantiles", false, figures } },
		{ o->summary, { "type", "summary", false, figures } },
		{ o->histogram > 0, { "type", "histogram", false, figures } },
		{ o->json, { "type", "to=json", false, figures } },
	};

	return gs_key_is_wide(o->type) && !o->lines && find(rules, COUNT(rules), conflict);
}

/* Find the first two options of which one needs, or excludes, records or --argsort. */
static bool
find_record_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	const bool records = o->record_bytes > 0, argsort = o->argsort_bits > 0;
	const bool gpu = o->device == GSORT_DEVICE_GPU, sets = o->set != GSORT_NO_SET;
	static const char whole[] = "records are moved as they are";
	static const char binary[] = "records are binary";
	static const char numbers[] = "the output is numbers of keys";
	const struct rule rules[] = {
		{ o->key_count > 0 && !records && o->format != GSORT_FORMAT_NPY,
		  { "key", "record-size", true, NULL } },
		{ records && (o->type != GSORT_TEXT || (o->notation != GSORT_DECIMAL && !o->converts)),
		  { "record-size", "type", false, "-k names the types of keys" } },
		{ records && o->converts, { "record-size", "to", false, whole } },
		{ records && o->header_lines > 0, { "record-size", "header", false,
		  "only bytes at the front are skipped" } },
		{ records && o->zero_terminated, { "record-size", "zero-terminated", false, binary } },
		{ records && o->invalid != GSORT_INVALID_ABORT,
		  { "record-size", "invalid", false, binary } },
		{ records && gpu, { "record-size", "device", false, "a GPU sorts keys alone" } },
		{ argsort && sets, { "argsort", set_name(o), false,
		  "a set is of several inputs, and a number of one" } },
		{ argsort && o->sample.wanted, { "argsort", "sample", false,
		  "draw from the numbers that it writes" } },
		{ argsort && o->operation == GSORT_MERGE, { "argsort", "merge", false,
		  "sort the inputs as they are" } },
		{ argsort && o->operation == GSORT_CHECK, { "argsort", "check", false, NULL } },
		{ argsort && o->converts, { "argsort", "to", false, numbers } },
		{ argsort && o->counts, { "argsort", "count", false, numbers } },
		{ argsort && gpu, { "argsort", "device", false, "a GPU sorts keys alone" } },
	};

	return find(rules, COUNT(rules), conflict);
}

/* The same for lines by key. */
static bool
find_line_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	static const char whole[] = "lines are written as they are";
	static const char records[] = "keys of records are -k TYPE@OFFSET, such as -k u32@8";
	static const struct rule locale = { true, { "locale", "lines", true, NULL } };
	const struct rule rules[] = {
		{ is_binary(o->type) || (o->notation != GSORT_DECIMAL && !o->converts),
		  { "lines", "type", false, NULL } },
		{ o->record_bytes > 0, { "lines", "record-size", false, records } },
		{ o->format == GSORT_FORMAT_NPY, { "lines", "type=npy", false, "its items are no lines" } },
		{ o->argsort_bits > 0 && o->underline, { "argsort", "debug", false, NULL } },
		{ o->converts, { "lines", "to", false, whole } },
		{ o->device == GSORT_DEVICE_GPU, { "lines", "device", false, "a GPU sorts keys alone" } },
		{ o->underline && o->operation == GSORT_CHECK, { "check", "debug", false, NULL } },
		{ o->underline && o->output != NULL, { "debug", "output", false, NULL } },
	};

	return o->lines ? find(rules, COUNT(rules), conflict)
	                : o->locale != NULL && find(&locale, 1, conflict);
}

/* The same for sets. */
static bool
find_set_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	const bool check = o->operation == GSORT_CHECK, merge = o->operation == GSORT_MERGE;
	const bool answers = gs_answer_is_wanted(o), sets = o->set != GSORT_NO_SET;
	const char *set = set_name(o), *answer = gs_options_answer(o);
	const struct rule rules[] = {
		{ sets && check, { "check", set, false, NULL } },
		{ sets && merge, { "merge", set, false, "inputs are sorted in any case: leave -m out" } },
		{ sets && answers, { set, answer, false, "pipe one gsort into another" } },
		{ sets && o->argsort_bits > 0, { set, "argsort", false, NULL } },
		{ sets && o->sample.wanted, { set, "sample", false, "pipe one gsort into another" } },
		{ sets && o->split > 0, { set, "split", false, "files are cut by the number of all keys" } },
		{ sets && o->device == GSORT_DEVICE_GPU, { set, "device", false, NULL } },
	};

	return find(rules, COUNT(rules), conflict);
}

static const char of_all[] = "it is of all keys; pipe one gsort into another";

/* The same for the last keys, and for random ones. */
static bool
find_rank_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	const bool check = o->operation == GSORT_CHECK, merge = o->operation == GSORT_MERGE;
	const struct rule rules[] = {
		{ check && o->tail.wanted, { "check", "tail", false, NULL } },
		{ o->tail.wanted && o->head, { "tail", "head", false,
		  "pipe one gsort into another" } },
		{ o->tail.wanted && o->split > 0, { "tail", "split", false,
		  "files are cut by the number of all keys" } },
		{ check && o->sample.wanted, { "check", "sample", false, NULL } },
		{ merge && o->sample.wanted, { "merge", "sample", false,
		  "how many keys there are is known only after the last" } },
		{ o->sample.wanted && o->head, { "sample", "head", false, of_all } },
		{ o->sample.wanted && o->tail.wanted, { "sample", "tail", false, of_all } },
		{ o->sample.wanted && o->unique, { "sample", "unique", false, of_all } },
		{ o->sample.wanted && o->counts, { "sample", "count", false, of_all } },
		{ o->sample.wanted && o->repeated, { "sample", "unique=repeated", false, of_all } },
		{ o->sample.wanted && o->singletons, { "sample", "unique=singletons", false, of_all } },
		{ o->sample.wanted && o->split > 0, { "sample", "split", false,
		  "files are cut by the number of all keys" } },
	};

	return find(rules, COUNT(rules), conflict);
}

/* The same for -u in the order of the input. */
static bool
find_keep_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	static const char whole[] = "elements are written as they are";
	const struct rule rules[] = {
		{ o->counts, { "keep-order", "count", false, "a count is known after the last element" } },
		{ !o->unique && !o->repeated && !o->singletons, { "keep-order", "unique", true, NULL } },
		{ o->reverse, { "keep-order", "reverse", false, "the order is that of the input" } },
		{ o->operation == GSORT_CHECK, { "check", "keep-order", false, NULL } },
		{ o->operation == GSORT_MERGE, { "merge", "keep-order", false,
		  "sort the inputs as they are" } },
		{ o->set != GSORT_NO_SET, { set_name(o), "keep-order", false,
		  "pipe one gsort into another" } },
		{ o->argsort_bits > 0, { "argsort", "keep-order", false, "sort its numbers" } },
		{ o->converts, { "keep-order", "to", false, whole } },
		{ o->invalid != GSORT_INVALID_ABORT, { "keep-order", "invalid", false, NULL } },
		{ o->device == GSORT_DEVICE_GPU, { "keep-order", "device", false,
		  "a GPU sorts keys alone" } },
	};

	return o->keep_order && find(rules, COUNT(rules), conflict);
}

/* The same for figures, which are written in place of keys. */
static bool
find_answer_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	const bool check = o->operation == GSORT_CHECK, merge = o->operation == GSORT_MERGE;
	const bool answers = gs_answer_is_wanted(o);
	const char *answer = gs_options_answer(o);
	const bool items = gs_options_want_items(o) && !gs_options_want_column(o);
	const bool together = o->json && !(items && o->top.wanted);
	const char *beside = items ? of_all : "with --to=json they go together";
	const struct rule rules[] = {
		{ o->reverse && o->summary, { "reverse", "summary", false,
		  "a summary names its figures" } },
		{ o->reverse && o->histogram > 0, { "reverse", "histogram", false,
		  "its intervals ascend" } },
		{ o->top.wanted && gs_options_want_column(o), { answer, "top", false,
		  "the first is of numbers, the other of lines or records: use two commands" } },
		{ o->json && o->record_bytes > 0 && !gs_options_want_column(o),
		  { "to=json", "record-size", false, "figures are of numbers" } },
		{ answers && o->argsort_bits > 0, { answer, "argsort", false,
		  "figures name no positions" } },
		{ answers && check, { "check", answer, false, NULL } },
		{ answers && merge, { "merge", answer, false,
		  "figures need no sorted inputs: leave -m out" } },
		{ answers && o->head, { answer, "head", false, of_all } },
		{ answers && o->tail.wanted && !together, { answer, "tail", false, beside } },
		{ answers && o->sample.wanted && !together, { answer, "sample", false, beside } },
		{ answers && o->unique, { answer, "unique", false, of_all } },
		{ answers && o->counts, { answer, "count", false, of_all } },
		{ answers && o->repeated, { answer, "unique=repeated", false, of_all } },
		{ answers && o->singletons, { answer, "unique=singletons", false, of_all } },
		{ answers && o->split > 0, { answer, "split", false, NULL } },
		{ answers && o->converts && o->to != GSORT_TEXT, { answer, "to", false,
		  "figures are text" } },
		{ o->seed != 0 && !o->sample.wanted, { "seed", "sample", true, NULL } },
	};

	return find(rules, COUNT(rules), conflict);
}

bool
gs_options_conflict(const struct gsort_options *o, struct gsort_conflict *conflict)
{
	const bool check = o->operation == GSORT_CHECK;
	const bool records = o->record_bytes > 0;
	const bool binary_in = is_binary(o->type) || records;
	const bool binary_out = writes_binary(o) || records ||
	                        (o->argsort_bits > 0 && binary_in);
	const struct rule rules[] = {
		{ o->in_place && o->output == NULL, { "in-place", "output", true, NULL } },
		{ o->split > 0 && o->output == NULL, { "split", "output", true, NULL } },
		{ o->split > 0 && o->in_place, { "split", "in-place", false, NULL } },
		{ o->split > 0 && o->operation == GSORT_MERGE, { "split", "merge", false, NULL } },
		{ check && o->output != NULL, { "check", "output", false, NULL } },
		{ check && o->converts, { "check", "to", false, NULL } },
		{ check && o->counts, { "check", "count", false, NULL } },
		{ check && o->repeated, { "check", "unique=repeated", false, NULL } },
		{ check && o->singletons, { "check", "unique=singletons", false, NULL } },
		{ check && o->head, { "check", "head", false, NULL } },
		{ check && o->verify, { "check", "verify", false, NULL } },
		{ check && o->device == GSORT_DEVICE_GPU, { "check", "device", false, NULL } },
		{ o->operation == GSORT_MERGE && o->device == GSORT_DEVICE_GPU,
		  { "merge", "device", false, NULL } },
		{ o->repeated && o->singletons, { "unique=repeated", "unique=singletons", false, NULL } },
		{ binary_in && binary_out && o->zero_terminated, { "zero-terminated", "type", false, NULL } },
		{ binary_in && o->header_lines > 0, { "header", "type", false, NULL } },
		{ binary_in && o->invalid != GSORT_INVALID_ABORT, { "invalid", "type", false, NULL } },
		/* a header is copied as it is */
		{ binary_out && o->header_lines > 0, { "header", "to", false, NULL } },
		{ binary_in && !binary_out && o->skip_bytes > 0, { "skip-bytes", "to", false, NULL } },
	};

	if (find_line_conflict(o, conflict) || find_record_conflict(o, conflict) ||
	    find_wide_conflict(o, conflict) || find(rules, COUNT(rules), conflict))
		return true;
	return find_set_conflict(o, conflict) || find_rank_conflict(o, conflict) ||
	       find_keep_conflict(o, conflict) || find_answer_conflict(o, conflict);
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

/* Options for binary keys need a binary input or output type. */
static gs_status
check_binary(const struct gsort_options *o)
{
	const bool records = o->record_bytes > 0;

	if (o->endian != GSORT_ENDIAN_HOST && !is_binary(o->type) && !writes_binary(o) && !records &&
	    o->argsort_bits == 0)
		return gs_fail(GS_EUSAGE, "a byte order needs a binary type");
	if (o->skip_bytes > 0 && !is_binary(o->type) && !records)
		return gs_fail(GS_EUSAGE, "bytes that are skipped need a binary type (for text: "
		               "'--header')");
	return GS_OK;
}

gs_status
gs_options_check_operands(const struct gsort_options *options)
{
	return options->set == GSORT_NO_SET || options->input_count >= 2 ? GS_OK
	       : gs_fail(GS_EUSAGE, "a set operation needs two FILEs at least");
}

gs_status
gs_options_check(const struct gsort_options *options)
{
	struct gsort_conflict conflict;
	char one[32], other[32];

	TRY(check_ranges(options));
	if (gs_options_conflict(options, &conflict))
		return gs_fail(GS_EUSAGE, conflict.needs ? "option '%s' needs '%s'%s%s"
		                                         : "options '%s' and '%s' are incompatible%s%s",
		               spell(options, conflict.one, one), spell(options, conflict.other, other),
		               conflict.why != NULL ? ": " : "", conflict.why != NULL ? conflict.why : "");
	TRY(check_binary(options));
	TRY(check_suffix(options));
	if (options->ranks == NULL || options->ranks->size == 1)	/* else these may be parts */
		TRY(gs_options_check_operands(options));
	TRY(check_standard(options));
	if (options->notation != GSORT_DECIMAL &&
	    (gs_key_is_float(options->type) || (is_binary(options->type) && writes_binary(options) &&
	                                        !gs_answer_is_wanted(options))))
		return gs_fail(GS_EUSAGE, "option '--%s=%s' needs integers as text, in the input or with "
		               "'--to=text'", options->converts ? "to" : "type",
		               notations[options->notation]);
	TRY(check_tail(options));
	TRY(gs_answer_check(options));
	if (options->json && !gs_answer_is_wanted(options))
		return gs_fail(GS_EUSAGE, "option '--to=json' needs figures: '--summary', '--quantiles', "
		               "'--top', '--histogram', '--tail' or '--sample'");
	if (options->histogram > GS_BARS_MOST)
		return gs_fail(GS_EUSAGE, "'--histogram' is %u: the maximum is %d", options->histogram,
		               GS_BARS_MOST);
	if (options->histogram_edges == GSORT_EDGES_LOG && options->notation > GSORT_HEXADECIMAL)
		return gs_fail(GS_EUSAGE, "'--histogram=log' is of numbers, not of '--type=%s'",
		               notations[options->notation]);
	return check_split(options);
}

bool
gsort_conflict(const struct gsort_options *options, struct gsort_conflict *conflict)
{
	struct gsort_options copy;

	return conflict != NULL && gs_options_copy(&copy, options) == GS_OK &&
	       gs_options_conflict(&copy, conflict);
}

bool
gs_options_want_items(const struct gsort_options *options)
{
	return options->record_bytes > 0 || gs_options_want_numbers(options) || options->lines ||
	       gs_key_is_wide(options->type);
}

bool
gs_options_want_numbers(const struct gsort_options *options)
{
	return options->argsort_bits > 0 || options->keep_order;
}

bool
gs_options_guard(const struct gsort_options *options)
{
	return !options->force && options->skip_bytes == 0 && options->record_bytes == 0 &&
	       options->format != GSORT_FORMAT_RAW;
}

bool
gs_options_want_column(const struct gsort_options *options)
{
	return (options->lines || options->record_bytes > 0) &&
	       (options->quantiles != NULL || options->summary || options->histogram > 0);
}

bool
gs_options_argsort_text(const struct gsort_options *options)
{
	return options->argsort_bits > 0 && !options->lines && options->record_bytes == 0 &&
	       (options->type == GSORT_TEXT || options->type == GSORT_TEXT_FLOAT);
}

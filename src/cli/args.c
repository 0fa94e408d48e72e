// SPDX-License-Identifier: BSD-2-Clause
/*
 * args.c - from argv to struct gs_opts
 *
 * In:   argv, opts.def as gs_options[].
 * Out:  struct gs_opts; or a message, in the words of sort(1).
 *
 * Two passes.  The first splits clusters: in sort(1) -u, -i and -f have no value, and
 * people type -un and -ur.  Were our widths optional values of getopt, "-un" would be -u
 * with the value "n".  So here a number after u, i or f is a width, and anything else is the
 * next letter: "-ru64n" becomes the words -r --type=u64 -n.  The second pass is getopt_long(),
 * with a handler for each option.
 *
 * Invariant: the first pass treats a word as options only where getopt_long() will.  It stops
 * at "--", at the first operand under POSIXLY_CORRECT, and skips the values of options.
 */
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/files0.h"
#include "cli/option_conflicts.h"
#include "cli/option_table.h"
#include "cli/parse_value.h"
#include "cli/report.h"

static const struct gs_option *
options_end(void)
{
	return gs_options + gs_option_count;
}

/* --- finding an option ----------------------------------------------------- */

enum { FIRST_LONG = 256 };	/* id in getopt: the letter, or this + the index in gs_options */

static const struct gs_option *
option_of_id(int id)
{
	if (id >= FIRST_LONG)
		return &gs_options[id - FIRST_LONG];
	for (const struct gs_option *o = gs_options; o < options_end(); o++)
		if (id != 0 && o->letter == id)
			return o;
	return NULL;
}

/*
 * Find a long option as getopt does: by its whole name, or by the start of only one name.
 * *COUNT: how many names start so.  NAME has BYTES, up to a '='.
 */
static const struct gs_option *
option_of_name(const char *name, size_t bytes, unsigned *count)
{
	const struct gs_option *found = NULL;

	*count = 0;
	for (const struct gs_option *o = gs_options; o < options_end(); o++) {
		if (o->name == NULL || strncmp(o->name, name, bytes) != 0)
			continue;
		found = o;
		if (o->name[bytes] == '\0') {
			*count = 1;
			return o;
		}
		++*count;
	}
	return *count == 1 ? found : NULL;
}

static bool
needs_value(const struct gs_option *option)
{
	return option != NULL && option->value != NULL && option->value[0] != '[';
}

/* --- the first pass: clusters ---------------------------------------------- */

/* The new argv: pointers, then the text of the words that were split. */
struct words {
	char **all;
	int    count;
	char  *text;		/* where the next new word is written */
};

static const struct gs_type_letter *
type_of_letter(char letter)
{
	for (const struct gs_type_letter *type = gs_type_letters; type->letter != 0; type++)
		if (type->letter == letter)
			return type;
	return NULL;
}

static bool
is_width(const struct gs_type_letter *type, const char *digits, size_t count)
{
	unsigned width = 0;

	if (count > 2 || digits[0] == '0')
		return false;
	for (size_t d = 0; d < count; d++)
		width = 10 * width + (unsigned)(digits[d] - '0');
	for (const unsigned *valid = type->widths; *valid != 0; valid++)
		if (*valid == width)
			return true;
	return false;
}

static void
report_width(const char *word, const struct gs_type_letter *type)
{
	char list[64] = "";

	for (const unsigned *width = type->widths; *width != 0; width++)
		sprintf(list + strlen(list), "%s-%c%u", width == type->widths ? "" : ", ",
		        type->letter, *width);
	gs_report_usage("invalid key width in '%s': must be one of %s", word, list);
}

/* Append the word HEAD TAIL. */
static void
add_word(struct words *words, const char *head, const char *tail, size_t tail_bytes)
{
	size_t head_bytes = strlen(head);

	words->all[words->count++] = words->text;
	memcpy(words->text, head, head_bytes);
	memcpy(words->text + head_bytes, tail, tail_bytes);
	words->text[head_bytes + tail_bytes] = '\0';
	words->text += head_bytes + tail_bytes + 1;
}

/*
 * Split the cluster WORD, "-ru64".  *WANTS_VALUE: its last letter takes the next word as its
 * value.  False after a message: a width does not exist.
 */
static bool
split_cluster(struct words *words, const char *word, bool *wants_value)
{
	const char *at = word + 1;
	const char *start = at;		/* of the letters not yet written */

	*wants_value = false;
	while (*at != '\0') {
		const struct gs_type_letter *type = type_of_letter(*at);
		size_t digits = type == NULL ? 0 : strspn(at + 1, "0123456789");

		if (digits > 0) {
			if (!is_width(type, at + 1, digits)) {
				report_width(word, type);
				return false;
			}
			if (at > start)
				add_word(words, "-", start, (size_t)(at - start));
			add_word(words, "--type=", at, 1 + digits);
			start = at += 1 + digits;
		} else if (needs_value(option_of_id((unsigned char)*at))) {
			*wants_value = at[1] == '\0';
			break;		/* the rest of the word is the value */
		} else {
			at++;
		}
	}
	if (*start != '\0')
		add_word(words, "-", start, strlen(start));
	return true;
}

/* Does the long option WORD take the next word as its value? */
static bool
long_wants_value(const char *word)
{
	unsigned count;

	return strchr(word, '=') == NULL &&
	       needs_value(option_of_name(word + 2, strlen(word + 2), &count));
}

/* Memory for the worst case: every letter becomes a word of its own, with "--type=". */
static bool
allocate_words(struct words *words, int argc, char **argv)
{
	size_t letters = 0, most;

	for (int a = 0; a < argc; a++)
		letters += strlen(argv[a]) + 1;
	most = (size_t)argc + letters + 1;
	words->all = calloc(1, most * sizeof *words->all + letters * sizeof "--type=u");
	if (words->all == NULL)
		return false;
	words->text = (char *)(words->all + most);
	return true;
}

/* Split all clusters of ARGV.  False after a message. */
static bool
split_words(struct words *words, int argc, char **argv)
{
	const bool posix = getenv("POSIXLY_CORRECT") != NULL;
	bool options = true;		/* words can still be options */
	bool is_value = false;		/* this word is the value of the one before */

	assert(argc > 0);
	words->all[words->count++] = argv[0];
	for (int a = 1; a < argc; a++) {
		char *word = argv[a];

		if (options && !is_value && word[0] == '-' && word[1] != '-' && word[1] != '\0') {
			if (!split_cluster(words, word, &is_value))
				return false;
			continue;
		}
		if (is_value)
			is_value = false;
		else if (strcmp(word, "--") == 0)
			options = false;
		else if (options && strncmp(word, "--", 2) == 0)
			is_value = long_wants_value(word);
		else if (posix)
			options = false;
		words->all[words->count++] = word;
	}
	return true;
}

/* --- messages about what getopt cannot read -------------------------------- */

/* What people type who come from other programs: the option here. */
static const struct {
	const char *typed, *meant;
} synonyms[] = {
	{ "j", "parallel" }, { "jobs", "parallel" }, { "threads", "parallel" },
	{ "top", "head" }, { "limit", "head" }, { "desc", "reverse" }, { "descending", "reverse" },
	{ "distinct", "unique" }, { "memory", "buffer-size" }, { "mem", "buffer-size" },
	{ "tmpdir", "temporary-directory" }, { "float", "general-numeric-sort" },
	{ "dry-run", "plan" }, { "format", "type" }, { "convert", "to" },
};

static const char *
synonym_of(const char *word, size_t bytes)
{
	for (size_t s = 0; s < sizeof synonyms / sizeof synonyms[0]; s++)
		if (strlen(synonyms[s].typed) == bytes &&
		    strncmp(synonyms[s].typed, word, bytes) == 0)
			return synonyms[s].meant;
	return NULL;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edits between TYPED and NAME: a letter inserted, deleted or replaced, or two swapped.
 * Optimal string alignment, three rows of the table at a time (Damerau, "A technique for
 * computer detection and correction of spelling errors", 1964).  O(BYTES * length of NAME).
 */
static size_t
edits(const char *typed, size_t bytes, const char *name)
{
	enum { LONGEST = 40 };		/* longer than any option */
	size_t table[3][LONGEST + 1];
	size_t name_bytes = strlen(name);

	if (bytes > LONGEST || name_bytes > LONGEST)
		return LONGEST;
	for (size_t n = 0; n <= name_bytes; n++)
		table[0][n] = n;
	for (size_t t = 1; t <= bytes; t++) {
		size_t *now = table[t % 3];
		size_t *before = table[(t + 2) % 3], *earlier = table[(t + 1) % 3];

		now[0] = t;
		for (size_t n = 1; n <= name_bytes; n++) {
			size_t other = typed[t - 1] != name[n - 1];

			now[n] = least(before[n - 1] + other, least(before[n], now[n - 1]) + 1);
			if (t > 1 && n > 1 && typed[t - 1] == name[n - 2]
			    && typed[t - 2] == name[n - 1])
				now[n] = least(now[n], earlier[n - 2] + 1);
		}
	}
	return table[bytes % 3][name_bytes];
}

/* The option that WORD means: a synonym, or the nearest name within two edits; or NULL. */
static const char *
option_to_suggest(const char *word, size_t bytes)
{
	const char *suggestion = synonym_of(word, bytes);
	size_t fewest = 3;

	if (suggestion != NULL)
		return suggestion;
	for (const struct gs_option *o = gs_options; o < options_end(); o++) {
		size_t count;

		if (o->name == NULL || o->refusal != NULL)
			continue;
		count = edits(word, bytes, o->name);
		if (count < fewest) {
			fewest = count;
			suggestion = o->name;
		}
	}
	return suggestion;
}

static void
report_unknown(const char *word, size_t bytes)
{
	const char *suggestion = option_to_suggest(word + 2, bytes - 2);
	enum gsort_type type;
	char spelled[24];

	if (gsort_type_named(word + 2, &type))
		gs_report_usage("unrecognized option '%s'; did you mean '%s'?", word,
		                gs_spell_type(word + 2, spelled));
	else if (suggestion != NULL)
		gs_report_usage("unrecognized option '%s'; did you mean '--%s'?", word, suggestion);
	else
		gs_report_usage("unrecognized option '%s'", word);
}

static void
report_ambiguous(const char *word, size_t bytes)
{
	char list[512] = "";

	for (const struct gs_option *o = gs_options; o < options_end(); o++)
		if (o->name != NULL && strncmp(o->name, word + 2, bytes - 2) == 0
		    && strlen(list) + strlen(o->name) + sizeof " '--'" <= sizeof list)
			strcat(strcat(strcat(list, " '--"), o->name), "'");
	gs_report_usage("option '%s' is ambiguous; possibilities:%s", word, list);
}

/* getopt returned ANSWER for the long option WORD. */
static void
report_bad_long(int answer, const char *word)
{
	size_t bytes = strcspn(word, "=");	/* of the option itself */
	unsigned count;

	if (answer == ':')
		gs_report_usage("option '%s' requires an argument", word);
	else if (option_of_name(word + 2, bytes - 2, &count) != NULL)
		gs_report_usage("option '%.*s' doesn't allow an argument", (int)bytes, word);
	else if (count > 1)
		report_ambiguous(word, bytes);
	else
		report_unknown(word, bytes);
}

/* And for a letter. */
static void
report_bad_letter(int answer, char letter)
{
	const char *suggestion = synonym_of(&letter, 1);

	if (answer == ':')
		gs_report_usage("option requires an argument -- '%c'", letter);
	else if (suggestion != NULL)
		gs_report_usage("invalid option -- '%c'; did you mean '--%s'?", letter, suggestion);
	else
		gs_report_usage("invalid option -- '%c'", letter);
}

/* --- the second pass: getopt ----------------------------------------------- */

/* Make ":abc:..." and the array of long names. */
static void
make_getopt_tables(char *letters, struct option *longs)
{
	char *letter = letters;
	struct option *next = longs;

	*letter++ = ':';		/* a missing value gives ':', not '?' */
	for (const struct gs_option *o = gs_options; o < options_end(); o++) {
		if (o->letter != 0)
			*letter++ = (char)o->letter;
		if (o->letter != 0 && needs_value(o))
			*letter++ = ':';
		if (o->name == NULL && o->value != NULL)	/* -y, -y0 */
			letter = stpcpy(letter, "::");
		if (o->name != NULL)
			*next++ = (struct option){
				.name = o->name,
				.has_arg = needs_value(o) ? required_argument
				           : o->value != NULL ? optional_argument : no_argument,
				.val = FIRST_LONG + (int)(o - gs_options),
			};
	}
	*letter = '\0';
	*next = (struct option){ .name = NULL };
}

static bool
use_option(struct gs_opts *opts, const struct gs_option *option, bool by_letter, const char *value)
{
	const char **given;
	char spelled[64];

	assert(option != NULL);		/* getopt knows only gs_options */
	if (by_letter)
		snprintf(spelled, sizeof spelled, "-%c", option->letter);
	else
		snprintf(spelled, sizeof spelled, "--%s", option->name);
	if (option->refusal != NULL) {
		gs_report_error("%s (%s) %s", spelled, option->help, option->refusal);
		return false;
	}
	given = &opts->given[option - gs_options];
	if (!option->handler(opts, &(struct gs_option_use){ option, spelled, value, *given }))
		return false;
	*given = value != NULL ? value : "";
	return true;
}

static bool
read_options(struct gs_opts *opts, int argc, char **argv)
{
	char letters[3 * GS_MOST_OPTIONS + 2];
	struct option longs[GS_MOST_OPTIONS + 1];
	int id;

	make_getopt_tables(letters, longs);
	opterr = 0;
	while ((id = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (id == '?' || id == ':') {
			/* optopt: the letter; or a long option, which is the word before */
			if (optopt == 0 || optopt >= FIRST_LONG)
				report_bad_long(id, argv[optind - 1]);
			else
				report_bad_letter(id, (char)optopt);
			return false;
		}
		if (!use_option(opts, option_of_id(id), id < FIRST_LONG, optarg))
			return false;
	}
	opts->job.inputs = (const char *const *)argv + optind;
	opts->job.input_count = (size_t)(argc - optind);
	return true;
}

/* --files0-from: the names in that file are the operands. */
static bool
read_names(struct gs_opts *opts)
{
	if (opts->files0_name == NULL)
		return true;
	if (opts->job.input_count > 0) {
		gs_report_usage("extra operand '%s': file operands cannot be combined with "
		                "--files0-from", opts->job.inputs[0]);
		return false;
	}
	return gs_files0_read(opts->files0_name, &opts->job.inputs, &opts->job.input_count);
}

/* Without --device, GSORT_DEVICE chooses. */
static void
read_environment(struct gs_opts *opts)
{
	const char *value = getenv("GSORT_DEVICE");

	if (value == NULL || *value == '\0')
		return;
	if (!gs_parse_device(value, &opts->job) && !opts->quiet)
		gs_report_error("warning: GSORT_DEVICE='%s' is ignored: must be auto, cpu, gpu, "
		                "gpu:N, gpu:N,N or gpu:all", value);
}

/* The ordering options, as letters.  -n and -g alone do not make lines of numbers. */
static void
collect_ordering(struct gs_opts *opts)
{
	const struct {
		bool given;
		char letter;
	} letters[] = {
		{ opts->skip_blanks, 'b' }, { opts->dictionary, 'd' }, { opts->bare_f, 'f' },
		{ opts->general, 'g' }, { opts->human, 'h' }, { opts->printable, 'i' },
		{ opts->month, 'M' }, { opts->numeric, 'n' }, { opts->job.reverse, 'r' },
		{ opts->version_sort, 'V' },
	};
	char *end = opts->ordering;

	for (size_t l = 0; l < sizeof letters / sizeof letters[0]; l++)
		if (letters[l].given)
			*end++ = letters[l].letter;
	*end = '\0';
	opts->job.ordering = opts->ordering;
	opts->job.keydefs = opts->key_texts;
	opts->job.keydef_count = opts->job.lines ? opts->key_count : 0;
}

/* Do the options sort lines, and not the numbers in them? */
static bool
sorts_lines(const struct gs_opts *opts)
{
	const bool numbers = opts->numeric || opts->general || opts->type_name != NULL;

	if (opts->job.record_bytes > 0)	/* -k means keys of records */
		return false;
	return opts->lines || opts->job.csv || opts->key_count > 0 || opts->job.separator != NULL ||
	       opts->dictionary || opts->human || opts->printable || opts->month ||
	       opts->version_sort || (opts->bare_f && !numbers);
}

/* With --record-size, -k is a key of records. */
static bool
read_keys(struct gs_opts *opts)
{
	if (opts->job.lines)
		return true;
	for (size_t k = 0; k < opts->key_count; k++)
		if (!gs_parse_record_key(opts->key_texts[k], &opts->keys[k])) {
			gs_report_usage("invalid key '%s': must be TYPE@OFFSET or bytesN@OFFSET, with an r "
			                "behind it for largest first, such as u32@8, f64@0r or bytes10@0",
			                opts->key_texts[k]);
			return false;
		}
	opts->job.keys = opts->keys;
	opts->job.key_count = opts->key_count;
	return true;
}

/* Set what several options decide together. */
static void
combine(struct gs_opts *opts)
{
	if (opts->general && !opts->job.lines)
		opts->job.type = GSORT_TEXT_FLOAT;
	if (opts->check)		/* -mc checks, as in sort(1) */
		opts->job.operation = GSORT_CHECK;
	else if (opts->merge)
		opts->job.operation = GSORT_MERGE;
	opts->job.temp_dirs = opts->temp_dirs;
	if (opts->plan)			/* no keys are read or written: a terminal is fine */
		opts->job.force = true;
	if (opts->device_name == NULL && opts->job.operation == GSORT_SORT)
		read_environment(opts);
}

/* --- interface ------------------------------------------------------------- */

bool
gs_args_ignored(const struct gs_opts *opts, char *into, size_t room)
{
	into[0] = '\0';
	for (const struct gs_option *o = gs_options; !opts->job.lines && o < options_end(); o++)
		if (opts->given[o - gs_options] != NULL &&
		    (o->field == offsetof(struct gs_opts, none) ||
		     o->field == offsetof(struct gs_opts, skip_blanks) ||
		     o->field == offsetof(struct gs_opts, job.stable) ||
		     o->field == offsetof(struct gs_opts, bare_f)))
			snprintf(into + strlen(into), room - strlen(into), "%s-%c",
			         into[0] != '\0' ? ", " : "", o->letter);
	return into[0] != '\0';
}

bool
gs_args_parse(struct gs_opts *opts, int argc, char **argv)
{
	struct words words = { .all = NULL };

	*opts = (struct gs_opts){ .job.struct_size = sizeof opts->job };
	opts->temp_dirs = calloc((size_t)argc, sizeof *opts->temp_dirs);
	opts->key_texts = calloc((size_t)argc, sizeof *opts->key_texts);
	opts->keys = calloc((size_t)argc, sizeof *opts->keys);
	if (opts->temp_dirs == NULL || opts->key_texts == NULL || opts->keys == NULL ||
	    !allocate_words(&words, argc, argv)) {
		gs_report_error("out of memory");
		return false;
	}
	opts->words = words.all;
	if (!split_words(&words, argc, argv) || !read_options(opts, words.count, words.all))
		return false;
	if (opts->help || opts->version)
		return true;
	opts->job.lines = sorts_lines(opts);
	opts->job.underline = opts->debug && opts->job.lines;
	collect_ordering(opts);
	if (!opts->info && (!read_names(opts) || !read_keys(opts) || !gs_options_compatible(opts)))
		return false;
	combine(opts);
	return true;
}

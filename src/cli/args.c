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
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launch.h"
#include "cli/option.h"
#include "cli/opts.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "figures/statistics.h"

/* --- finding an option ----------------------------------------------------- */

/*
 * Find a long option as getopt does: by its whole name, or by the start of only one name.
 * *COUNT: how many names start so.  NAME has BYTES, up to a '='.
 */
static const struct gs_option *
option_of_name(const char *name, size_t bytes, unsigned *count)
{
	const struct gs_option *found = NULL;

	*count = 0;
	for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++) {
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

/* --- the first pass: clusters ---------------------------------------------- */

/* The new argv: pointers, then the text of the words that were split. */
struct words {
	char **all;
	int    count;
	char  *text;		/* where the next new word is written */
};

/* Append the word HEAD TAIL, without what follows BYTES of TAIL. */
static void
add_word(struct words *words, const char *head, const char *tail, size_t bytes)
{
	words->all[words->count++] = words->text;
	words->text += sprintf(words->text, "%s%.*s", head, (int)bytes, tail) + 1;
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
		const bool brain = strncmp(at, "bf16", 4) == 0;		/* one type, not -b and -f16 */
		const struct gs_type_letter *type = gs_type_letters;
		const char *end = at + 1;	/* of a type */

		while (type->letter != 0 && type->letter != *at)
			type++;
		if (brain || type->letter != 0)
			end += brain ? 3 : strspn(end, "0123456789");
		if (end > at + 1) {
			const unsigned long bits = at[1] != '0' ? strtoul(at + 1, NULL, 10) : 0;
			const unsigned *width = type->widths;
			char list[64] = "";

			while (!brain && *width != 0 && *width != bits) {
				sprintf(list + strlen(list), "%s-%c%u", *list != '\0' ? ", " : "",
				        type->letter, *width);
				width++;
			}
			if (!brain && *width == 0)
				return gs_report_usage("invalid key width in '%s': must be one of %s", word,
				                       list);
			/* a byte order, as of -u32be: no letter e or l is an option */
			if (strncmp(end, "be", 2) == 0 || strncmp(end, "le", 2) == 0)
				end += 2;
			if (at > start)
				add_word(words, "-", start, (size_t)(at - start));
			add_word(words, "--type=", at, (size_t)(end - at));
			start = at = end;
		} else if (gs_option_needs_value(gs_option_of_id((unsigned char)*at))) {
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

/* Split all clusters of ARGV.  False after a message. */
static bool
split_words(struct words *words, int argc, char **argv)
{
	const bool posix = getenv("POSIXLY_CORRECT") != NULL;
	bool options = true;		/* words can still be options */
	bool is_value = false;		/* this word is the value of the one before */
	size_t letters = 0, most;
	unsigned count;

	assert(argc > 0);
	/* memory for the worst case: every letter becomes a word of its own, with "--type=" */
	for (int a = 0; a < argc; a++)
		letters += strlen(argv[a]) + 1;
	most = (size_t)argc + letters + 1;
	words->all = calloc(1, most * sizeof *words->all + letters * sizeof "--type=u");
	if (words->all == NULL)
		return gs_report_error("out of memory");
	words->text = (char *)(words->all + most);
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
			is_value = strchr(word, '=') == NULL && gs_option_needs_value(
				option_of_name(word + 2, strlen(word + 2), &count));
		else if (posix)
			options = false;
		words->all[words->count++] = word;
	}
	return true;
}

/* --- messages about what getopt cannot read -------------------------------- */

/* getopt returned ANSWER, ':' or '?'.  False. */
static bool
report_unread(int answer, int argc, char **argv)
{
	const char letter = (char)(optopt < GS_FIRST_LONG ? optopt : '\0');	/* 0: a long option */
	const char *word = argv[optind - 1];	/* the long option, or the word before */
	const struct gs_option *meant, *refused = NULL;
	char list[512] = "";
	size_t bytes;
	unsigned count;

	if (letter == '\0') {
		bytes = strcspn(word, "=");	/* of the option itself */
		if (answer == ':')
			return gs_report_usage("option '%s' requires an argument", word);
		if (option_of_name(word + 2, bytes - 2, &count) != NULL)
			return gs_report_usage("option '%.*s' doesn't allow an argument", (int)bytes, word);
		if (count == 0)
			return gs_report_usage("unrecognized option '%s'%s", word,
			                       gs_near_option(word + 2, bytes - 2));
		/* name options that gsort refuses only if no other one matches */
		for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++)
			if (o->name == NULL || strncmp(o->name, word + 2, bytes - 2) != 0)
				continue;
			else if (o->refusal != NULL)
				refused = o;
			else if (strlen(list) + strlen(o->name) + sizeof " '--'" <= sizeof list)
				strcat(strcat(strcat(list, " '--"), o->name), "'");
		assert(list[0] != '\0' || refused != NULL);	/* it is ambiguous */
		return list[0] != '\0'
		       ? gs_report_usage("option '%s' is ambiguous; possibilities:%s", word, list)
		       : gs_report_error("%.*s (%s) %s", (int)bytes, word, refused->help, refused->refusal);
	}
	/* getopt stands in the last word if the letter was its end; "-help" are letters, too, but its author
	 * meant a long option */
	if (optind < argc && (word[0] != '-' || word[strlen(word) - 1] != letter))
		word = argv[optind];
	bytes = strcspn(word + 1, "=");
	meant = bytes > 2 ? option_of_name(word + 1, bytes, &count) : NULL;
	if (answer == ':')
		return gs_report_usage("option requires an argument -- '%c'", letter);
	if (meant != NULL)
		return gs_report_usage("invalid option -- '%c'; did you mean '--%s'?", letter, meant->name);
	return gs_report_usage("invalid option -- '%c'%s", letter, gs_near_letter(letter));
}

/* --- the second pass: getopt ----------------------------------------------- */

static bool
read_options(struct gs_opts *opts, int argc, char **argv)
{
	char letters[3 * GS_MOST_OPTIONS + 2];
	struct option longs[GS_MOST_OPTIONS + 1];
	int id;

	gs_getopt_tables(':', letters, longs);
	opterr = 0;
	while ((id = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct gs_option *option = gs_option_of_id(id);
		struct gs_option_use use = { .option = option, .value = optarg };
		char spelled[64];

		if (id == '?' || id == ':')
			return report_unread(id, argc, argv);
		assert(option != NULL);		/* getopt knows only gs_options */
		if (id < GS_FIRST_LONG)
			snprintf(spelled, sizeof spelled, "-%c", option->letter);
		else
			snprintf(spelled, sizeof spelled, "--%s", option->name);
		if (option->refusal != NULL)
			return gs_report_error("%s (%s) %s", spelled, option->help, option->refusal);
		use.spelled = spelled;
		use.previous = gs_given(opts, option->field);
		if (optarg == NULL) {
			use.value = option->bare;
			opts->bare_header |= option->field == offsetof(struct gs_opts, job.header_lines);
		}
		if (!gs_option_set(opts, &use))
			return false;
		opts->given[option - gs_options] = use.value != NULL ? use.value : "";
	}
	opts->job.head = GS_GIVEN(opts, job.head_count) != NULL;
	opts->job.tail.wanted = GS_GIVEN(opts, job.tail.count) != NULL;
	opts->job.top.wanted = GS_GIVEN(opts, job.top.count) != NULL;
	opts->job.sample.wanted = GS_GIVEN(opts, job.sample.count) != NULL;
	opts->job.unique = (opts->unique & GS_ALONE) != 0;
	opts->job.repeated = (opts->unique & GS_FIRST_WORD) != 0;
	opts->job.singletons = (opts->unique & GS_SECOND_WORD) != 0;
	opts->job.reverse = opts->letters['r'];
	opts->job.stable = opts->letters['s'];
	opts->job.inputs = (const char *const *)argv + optind;
	opts->job.input_count = (size_t)(argc - optind);
	return true;
}

/* The option that makes gsort sort lines, and not the numbers in them; NULL: none does. */
static const char *
line_option(const struct gs_opts *opts)
{
	const struct gsort_options *job = &opts->job;
	const bool *letters = opts->letters, numeric = letters['n'] || letters['g'];
	const bool items = job->record_bytes > 0;
	/* do other options say that -n and -g name the numbers of gsort, not the order of lines? */
	const bool names_numbers =
		opts->type.name != NULL || job->converts || job->notation != GSORT_DECIMAL ||
		gs_statistics_is_wanted(job) || job->json || job->sample.wanted || job->argsort_bits > 0 ||
		GS_GIVEN(opts, job.invalid) != NULL || job->device == GSORT_DEVICE_GPU;
	const struct {
		bool        given;
		const char *spelled;
	} rows[] = {
		{ opts->lines, "--lines" }, { job->locale != NULL, "--locale" },
		{ opts->keys.count > 0 && !items, "-k" },	/* -k of records is TYPE@OFFSET */
		{ job->separator != NULL, "-t" }, { job->csv, "--csv" }, { letters['h'], "-h" },
		{ letters['M'], "-M" }, { letters['V'], "-V" }, { letters['d'], "-d" },
		{ letters['i'], "-i" }, { letters['f'] && !numeric && opts->type.name == NULL, "-f" },
		{ numeric && !items && !names_numbers, letters['n'] ? "-n" : "-g" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		if (rows[r].given)
			return rows[r].spelled;
	return NULL;
}

/* TYPE, of the input, says no byte order: then the output has none, either.  False after a message. */
static bool
check_order(const struct gs_opts *opts, const char *type)
{
	return opts->job.endian != GSORT_ENDIAN_BIG ||
	       gs_report_error("%s is little-endian input, but the output would be big-endian: add 'be' to "
	                       "both types or to neither", type);
}

/* What -k means: keys of records. */
static bool
read_keys(struct gs_opts *opts)
{
	enum gsort_endian order = GSORT_ENDIAN_HOST;
	bool agree = true;

	if (opts->type.name != NULL && opts->type.endian == GSORT_ENDIAN_HOST &&
	    gs_type_has_order(opts->job.type) && !check_order(opts, opts->type.name))
		return false;
	if (opts->job.lines)	/* KEYDEFs */
		return true;
	opts->job.keys = opts->record_keys;
	opts->job.key_count = opts->keys.count;
	for (size_t k = 0; k < opts->keys.count; k++)
		if (!gs_parse_record_key(opts->keys.all[k], &opts->record_keys[k]))
			return gs_report_usage("invalid key '%s': must be TYPE@OFFSET or bytesN@OFFSET, with "
			                       "an r behind it for largest first, such as u32@8, f64@0r "
			                       "or bytes10@0", opts->keys.all[k]);
	/* counts and positions are in the byte order of keys that say one, if they agree */
	for (size_t k = 0; k < opts->keys.count; k++) {
		const struct gsort_key *key = &opts->record_keys[k];

		if (key->endian == GSORT_ENDIAN_HOST && gs_type_has_order(key->type) &&
		    !check_order(opts, opts->keys.all[k]))
			return false;
		if (key->type == GSORT_TEXT)
			continue;
		agree &= order == GSORT_ENDIAN_HOST || order == key->endian;
		order = key->endian;
		agree &= order != GSORT_ENDIAN_HOST;
	}
	if (agree && opts->job.endian == GSORT_ENDIAN_HOST)
		opts->job.endian = order;
	return true;
}

#define LEAST_MEMORY	((uint64_t)64 << 20)

/* Set what several options decide together.  False after a message. */
static bool
combine(struct gs_opts *opts, bool as_sort)
{
	struct gsort_options *job = &opts->job;
	const char *names = opts->files0_name, *device = getenv("GSORT_DEVICE");
	char *letters = opts->ordering;
	struct stat st;

	opts->line_option = line_option(opts);
	job->lines = opts->line_option != NULL;
	job->underline = opts->debug && job->lines;
	for (const char *letter = "bdfghiMnrV"; *letter != '\0'; letter++)
		if (opts->letters[(int)*letter])
			*letters++ = *letter;
	*letters = '\0';
	job->ordering = opts->ordering;
	job->keydefs = opts->keys.all;
	job->keydef_count = job->lines ? opts->keys.count : 0;
	if (as_sort) {
		/* as sort(1): inputs are bytes, a merge believes in their order, -S is a wish, and the output
		 * is plain, whatever its name is */
		job->decompress = GSORT_DECOMPRESS_NONE;
		job->trust_order = job->force = opts->quiet = true;
		job->locale = gs_environment_is_c() ? NULL : "";
		if (job->memory_bytes > 0 && job->memory_bytes < LEAST_MEMORY)
			job->memory_bytes = LEAST_MEMORY;
		job->memory_grows = true;
		if (opts->merge)
			job->merge_files = 0;	/* however few at a time, the output is the same */
		opts->progress = GS_PROGRESS_NEVER;
	}
	/* --files0-from: the names in that file are the operands */
	if (names != NULL && job->input_count > 0)
		return gs_report_usage("extra operand '%s': file operands cannot be combined with "
		                       "--files0-from", job->inputs[0]);
	if (names != NULL && gs_launch_size() > 1 &&	/* one reads a stream, others may wait for ever */
	    (strcmp(names, "-") == 0 || (stat(names, &st) == 0 && !S_ISREG(st.st_mode))))
		return gs_report_error("--files0-from=%s: not with several ranks: each reads all names, so "
		                       "they must be in a regular file", names);
	if (names != NULL && !gs_files0_read(names, &job->inputs, &job->input_count))
		return false;
	if (!read_keys(opts))
		return false;
	/* the first bytes of binary input are its header */
	if (job->header_lines > 0 && !job->lines && (gs_is_binary(job->type) || job->record_bytes > 0)) {
		if (opts->bare_header)
			return gs_report_error("'--header' of binary input needs a number of bytes, such as "
			                       "--header=128");
		job->skip_bytes = job->header_lines;
		job->header_lines = 0;
	}
	if (!gs_options_compatible(opts))
		return false;
	if (as_sort && opts->check && job->input_count > 1)
		return gs_report_error("extra operand '%s' not allowed with -%c", job->inputs[1],
		                       job->check == GSORT_CHECK_QUIET ? 'C' : 'c');
	if (opts->letters['g'] && !job->lines)
		job->type = GSORT_TEXT_FLOAT;
	if (opts->check)		/* -mc checks, as in sort(1) */
		job->operation = GSORT_CHECK;
	else if (opts->merge)
		job->operation = GSORT_MERGE;
	if (job->operation == GSORT_MERGE && job->force)
		job->trust_order = true;
	/* bars are drawn, and names aligned, on a terminal only: a script gets the same wherever it runs */
	if ((job->histogram > 0 || job->summary) && !job->json && job->output == NULL &&
	    isatty(STDOUT_FILENO))
		job->bar_columns = gs_terminal_columns(STDOUT_FILENO);
	if (opts->plan)			/* no keys are read or written: a terminal is fine */
		job->force = true;
	if (opts->device_name != NULL || job->operation != GSORT_SORT || device == NULL || *device == '\0')
		return true;
	/* without --device, the environment chooses; a GPU, for plain keys alone */
	if (!gs_parse_device(device, job) && !opts->quiet)
		gs_report_error("warning: GSORT_DEVICE='%s' is ignored: must be auto, cpu, gpu or "
		                "gpu:N", device);
	if (job->device == GSORT_DEVICE_GPU && (job->lines || job->record_bytes > 0 || job->argsort_bits > 0))
		job->device = GSORT_DEVICE_AUTO;
	return true;
}

/* --- interface ------------------------------------------------------------- */

bool
gs_args_parse(struct gs_opts *opts, int argc, char **argv, bool as_sort)
{
	struct words words = { .all = NULL };

	*opts = (struct gs_opts){ .job.struct_size = sizeof opts->job, .lines = as_sort };
	opts->temp_dirs.all = calloc((size_t)argc, sizeof *opts->temp_dirs.all);
	opts->keys.all = calloc((size_t)argc, sizeof *opts->keys.all);
	opts->record_keys = calloc((size_t)argc, sizeof *opts->record_keys);
	if (opts->temp_dirs.all == NULL || opts->keys.all == NULL || opts->record_keys == NULL)
		return gs_report_error("out of memory");
	if (!split_words(&words, argc, argv))
		return false;
	opts->words = words.all;
	if (!read_options(opts, words.count, words.all))
		return false;
	opts->job.temp_dirs = opts->temp_dirs.all;
	opts->job.temp_dir_count = opts->temp_dirs.count;
	return opts->help || opts->version || combine(opts, as_sort);
}

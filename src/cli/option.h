// SPDX-License-Identifier: BSD-2-Clause
/*
 * option.h - an option of the command line: its row in opts.def, and the meaning of its value
 */
#ifndef GS_CLI_OPTION_H
#define GS_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/opts.h"
#include "gsort.h"

struct gs_option_use;

/* ---- a row, a use, and values that do not agree ----------------------------------- */

/*
 * The same option twice: equal values are fine, different values are an error.  Except where
 * scripts rely on sort(1): of --parallel and --batch-size the last one counts, as of the words of
 * --progress and --plan, of -S the largest, and of -T all.
 */

/* Stores the value in struct gs_opts.  If the value is wrong, it reports why and returns false. */
typedef bool gs_option_handler(struct gs_opts *opts, const struct gs_option_use *use);

/* The kinds of options in opts.def. */
enum gs_option_kind {
	GS_HEADING, GS_FLAG, GS_TEXT, GS_TEXTS, GS_WORD, GS_WORDS, GS_NUMBER, GS_SPECIAL,
};

/* One row of opts.def: an option, a refused option, or a heading of --help. */
struct gs_option {
	const char *name;	/* long name; NULL: a heading, or an option with a letter only */
	int         letter;	/* 0: a long name only */
	const char *value;	/* name of the value; NULL: no value; "[X]": an optional one */
	const char *help;	/* line of --help; NULL: none; if refused: its use in sort(1) */
	const char *refusal;	/* why gsort refuses it; NULL: gsort accepts it */
	bool        rare;	/* in --help=all, not in --help */
	size_t      field, bytes;	/* in struct gs_opts */
	enum gs_option_kind kind;
	const char *bare;	/* the value of an option without one; NULL: it has none then */
	const char *words;	/* separated by blanks */
	const char *rule;	/* what a number must be; of a text: the message if there are two, or NULL */
	uint64_t    least, most;	/* of numbers; LEAST of a WORD is the first one */
	gs_option_handler *set;	/* of a SPECIAL */
};

/* One option on the command line. */
struct gs_option_use {
	const struct gs_option *option;
	const char *spelled;	/* as typed: "-S", "--buffer-size" */
	const char *value;	/* NULL: none */
	const char *previous;	/* its value in an earlier use, "" without one; NULL: first use */
};

/** The last value of the option that stores into MEMBER of struct gs_opts, "" if it has none; NULL: it is not
 *  given. */
#define GS_GIVEN(opts, member)	gs_given(opts, offsetof(struct gs_opts, member))
const char *gs_given(const struct gs_opts *opts, size_t field);

/** Store a value as the kind of its option says.  False after a message. */
gs_option_handler gs_option_set;

/** Report that the value differs from the PREVIOUS one of the same option; false. */
bool gs_refuse_two(const struct gs_option_use *use, const char *previous);

/** Report two options that exclude each other, and WHY, if it is not NULL; false. */
bool gs_refuse_pair(const char *one, const char *other, const char *why);

/* ---- opts.def as arrays, and as --help (option_table.c) ------------------------ */

/* A letter that, followed by one of its widths, names a key type: -u32. */
struct gs_type_letter {
	char        letter;
	unsigned    widths[6];		/* ends with 0 */
};

extern const struct gs_option gs_options[];
extern const size_t gs_option_count;

extern const struct gs_type_letter gs_type_letters[];	/* ends with letter 0 */

enum { GS_FIRST_LONG = 256 };	/* id in getopt: the letter, or this + the index in gs_options */

/** The option with this id in getopt, or NULL. */
const struct gs_option *gs_option_of_id(int id);

/** Does this OPTION, or NULL, take the next word as its value? */
bool gs_option_needs_value(const struct gs_option *option);

struct option;

/** Make getopt's string, FIRST and then 3 bytes an option at most and a NUL, and its array of long names. */
void gs_getopt_tables(char first, char *letters, struct option *longs);

/** Print --help, or --help=all; every line fits in 80 columns. */
void gs_option_help(FILE *to, bool all);

/* ---- special values (option_special.c; numbers: option_values.c) ------------------ */

/* Words and rules of several options. */
#define GS_CHECKS	"diagnose-first quiet silent summary"
#define GS_SETS		"union intersect difference symmetric"
#define GS_KEYS_RULE	"must be a number of keys, such as 10, 4K or 2M"

gs_option_handler gs_set_type, gs_set_to, gs_set_device, gs_set_argsort;
gs_option_handler gs_set_sort, gs_set_check, gs_set_decompress, gs_set_verbose;
gs_option_handler gs_set_sample, gs_set_histogram, gs_set_buffer, gs_set_batch, gs_set_threads;
gs_option_handler gs_set_word_or_size;

/** Find the number of the word among WORDS that is VALUE, or the only one that begins so; -1: none. */
int gs_find_word(const char *words, const char *value);

/** The same among the words of the option.  False after a message. */
bool gs_parse_word(const struct gs_option_use *use, const char *value, unsigned *number);

/** Read the digits at *AT and move *AT past them.  False: there are none.  A number that does not fit in 64
 *  bits becomes UINT64_MAX. */
bool gs_read_whole(const char **at, uint64_t *number);

/** Write a key type as people type it, "-u32" or "--type=text"; return INTO. */
const char *gs_spell_type(const struct gs_named_type *type, char into[24]);

/** The option for a kind of check: "-c", "-C" or "--check=summary". */
const char *gs_spell_check(enum gsort_check check);

/** "auto", "cpu", "gpu", "gpu:N"; for ranks "gpu:N,N", "gpu:all".  False: another word, or a GPU twice. */
bool gs_parse_device(const char *value, struct gsort_options *options);

/** A key of a record: "u32@8", "f32be@4r", "bytes10@0".  False: it is none. */
bool gs_parse_record_key(const char *value, struct gsort_key *key);

/* ---- types: what C, numpy, Rust and data bases call them (type_names.c) ----------- */

/** Find the type that gsort calls WORD, "u32", or with its byte order, "u32be", "f64le". */
bool gs_type_ordered(const char *word, struct gs_named_type *type);

/** Find the type that gsort, C, numpy, Rust or a data base call WORD, "uint32_t", "double", "<u4", or text in
 *  another notation, "hex", "ip" or "time". */
bool gs_type_called(const char *word, struct gs_named_type *type);

/** Has a TYPE several bytes, so that their order matters? */
bool gs_type_has_order(enum gsort_type type);

/** Does LIST, whose words blanks separate, have WORD, of BYTES?  "_" matches "-". */
bool gs_words_have(const char *list, const char *word, size_t bytes);

/* ---- names of inputs: --files0-from (files0.c) ------------------------------------ */

/**
 * Read the names in the file FROM ("-": standard input).  A NUL ends each name; the last
 * may lack it.
 *
 * @names   set to the names, which are never freed
 * @return  true; or false after a message
 */
bool gs_files0_read(const char *from, const char *const **names, size_t *count);

/* ---- near misses: what other programs call an option (near.c) --------------------- */

/** What --NAME, a long option of BYTES that does not exist, may mean, as the end of a message: "; did
 *  you mean '--head'?"; "": nobody knows.  Valid until the next call. */
const char *gs_near_option(const char *name, size_t bytes);

/** The same for a LETTER. */
const char *gs_near_letter(char letter);

#endif

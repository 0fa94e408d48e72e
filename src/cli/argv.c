// SPDX-License-Identifier: BSD-2-Clause
/*
 * argv.c - the pass before getopt
 *
 * In sort(1) -u, -i and -f are letters without arguments, and people write them
 * in clusters: -un, -ur.  As optional arguments of getopt, our widths would
 * swallow these: "-un" would be -u with argument "n".  So the words are read
 * here first, by one rule: after u, i or f a whole number is a width, and
 * anything else is the next letter of the cluster.  "-ru64n" becomes the words
 * -r --type=u64 -n, which getopt cannot misread.
 *
 * The pass must see as options only what getopt will: it stops at "--", at the
 * first operand if POSIXLY_CORRECT is set, and leaves values alone.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argv.h"

struct split {
	const struct gs_argv_rules *rules;
	char **words;		/* the new argv */
	int    count;
	char  *text;		/* where the next new word is written */
	const struct gs_argv_type *bad_type;
};

static const struct gs_argv_type *
type_of_letter(const struct gs_argv_rules *rules, char letter)
{
	for (const struct gs_argv_type *type = rules->types; type->letter != 0; type++)
		if (type->letter == letter)
			return type;
	return NULL;
}

/* Is this, of so many digits, one of the type's widths? */
static bool
is_width(const struct gs_argv_type *type, const char *digits, size_t count)
{
	unsigned width = 0;

	if (count > 2 || digits[0] == '0')
		return false;
	for (size_t d = 0; d < count; d++)
		width = 10 * width + (unsigned)(digits[d] - '0');
	for (const unsigned *legal = type->widths; *legal != 0; legal++)
		if (*legal == width)
			return true;
	return false;
}

/* Append a word made of two parts. */
static void
add_word(struct split *split, const char *head, const char *tail, size_t tail_bytes)
{
	size_t head_bytes = strlen(head);

	split->words[split->count++] = split->text;
	memcpy(split->text, head, head_bytes);
	memcpy(split->text + head_bytes, tail, tail_bytes);
	split->text[head_bytes + tail_bytes] = '\0';
	split->text += head_bytes + tail_bytes + 1;
}

/*
 * Split one cluster, WORD without its dash.  *WANTS: its last letter takes the
 * next word as its value.  False: a width that does not exist.
 */
static bool
split_cluster(struct split *split, const char *word, bool *wants)
{
	const char *from = word;	/* letters not yet written */
	const char *at = word;

	*wants = false;
	while (*at != '\0') {
		const struct gs_argv_type *type = type_of_letter(split->rules, *at);
		size_t digits = type == NULL ? 0 : strspn(at + 1, "0123456789");
		char letter[3] = { '-', *at, '\0' };

		if (digits > 0) {
			if (!is_width(type, at + 1, digits)) {
				split->bad_type = type;
				return false;
			}
			if (at > from)
				add_word(split, "-", from, (size_t)(at - from));
			add_word(split, "--type=", at, 1 + digits);
			from = at += 1 + digits;
		} else if (split->rules->takes_value(letter)) {
			*wants = at[1] == '\0';
			break;		/* the rest is its value */
		} else {
			at++;
		}
	}
	if (*from != '\0')
		add_word(split, "-", from, strlen(from));
	return true;
}

/* Room for the worst case: every letter a word of its own, "--type=" before it. */
static bool
make_room(struct split *split, int argc, char **argv)
{
	size_t letters = 0;
	size_t words;

	for (int a = 0; a < argc; a++)
		letters += strlen(argv[a]) + 1;
	words = (size_t)argc + letters + 1;
	split->words = calloc(1, words * sizeof *split->words + letters * sizeof "--type=u");
	if (split->words == NULL)
		return false;
	split->text = (char *)(split->words + words);
	return true;
}

char **
gs_argv_split(int *argc, char **argv, const struct gs_argv_rules *rules, const char **bad,
              const struct gs_argv_type **type)
{
	struct split split = { .rules = rules };
	bool posix = getenv("POSIXLY_CORRECT") != NULL;
	bool options = true;		/* words may still be options */
	bool wants = false;		/* this word is the value of the one before */

	assert(*argc > 0);
	*bad = NULL;
	if (!make_room(&split, *argc, argv))
		return NULL;
	split.words[split.count++] = argv[0];
	for (int a = 1; a < *argc; a++) {
		char *word = argv[a];

		if (options && !wants && word[0] == '-' && word[1] != '-' && word[1] != '\0') {
			if (!split_cluster(&split, word + 1, &wants)) {
				*bad = word;
				*type = split.bad_type;
				free(split.words);
				return NULL;
			}
			continue;
		}
		if (wants)
			wants = false;
		else if (strcmp(word, "--") == 0)
			options = false;
		else if (options && strncmp(word, "--", 2) == 0)
			wants = rules->takes_value(word);
		else if (posix)
			options = false;
		split.words[split.count++] = word;
	}
	*argc = split.count;
	return split.words;
}

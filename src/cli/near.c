// SPDX-License-Identifier: BSD-2-Clause
/*
 * near.c - near misses: what other programs call an option
 *
 * In:   a word that is not an option.
 * Out:  the one that was meant: by a table of what other programs call it, or by edit distance.
 */
#include <stdio.h>
#include <string.h>

#include "base/round.h"
#include "cli/option.h"

/* ---- options of other programs ------------------------------------------------ */

/* Words that mean the same option here; other words begin without "-". */
static const struct {
	const char *words, *meant;
} synonyms[] = {
	{ "j p P threads thread jobs cores cpus workers nproc max-threads", "--parallel" },
	{ "limit first take max-rows head-count headcount", "--head" },
	{ "last bottom", "--tail" },
	{ "desc descending decreasing descend invert", "--reverse" },
	{ "asc ascending increasing ascend", "smallest first is the default" },
	{ "duplicates duplicated dups dup dupes all-repeated repeated", "--unique=repeated" },
	{ "unique-only uniq-only once singletons single", "--unique=singletons" },
	{ "distinct dedup dedupe deduplicate no-duplicates uniques", "--unique" },
	{ "memory mem max-memory max-mem memory-limit ram memory-max chunk-size block-size",
	  "--buffer-size" },
	{ "tmp tmpdir tmp-dir temp-dir tempdir temp-directory scratch", "--temporary-directory" },
	{ "float floats real decimal double", "--general-numeric-sort" },
	{ "int integer integers number numbers N", "--numeric-sort" },
	{ "dry-run explain", "--plan" },
	{ "no-progress noprogress hide-progress", "--progress=never" },
	{ "dtype data-type key-type binary bin from input-type in-type", "--type" },
	{ "ip ipv4 addresses", "--type=ipv4" },
	{ "ipv6", "gsort knows no IPv6 addresses; --lines sorts them as text" },
	{ "time date datetime iso8601", "--type=time" },
	{ "epoch unix-time unixtime", "seconds since 1970 need no type" },
	{ "npy numpy", "an array of NumPy is --header=128 -f64; gsort.sort_file() in Python sorts any" },
	{ "format", "--type=raw are keys, whatever they begin with" },
	{ "json", "--to=json" },
	{ "stats", "--verbose=json" },
	{ "info machine", "the machine is described by --version -vv, as JSON by --version=json" },
	{ "seed", "the seed is behind the number of keys: --sample=10:SEED" },
	{ "size-hint", "the size follows what needs it: --plan=SIZE, --progress=SIZE" },
	{ "gpu-memory vram", "-S gpu:SIZE limits the memory of a GPU" },
	{ "sandbox no-sandbox", "--decompress=no-sandbox" },
	{ "check-order", "-m checks the order of its inputs" },
	{ "nocheck-order no-check-order", "with -m, --force trusts the order of the inputs" },
	{ "convert output-type out-type to-type", "--to" },
	{ "outfile out-file output-file o O", "--output" },
	{ "keep stdout to-stdout", "gsort keeps its inputs, and writes to standard output" },
	{ "input infile in file files", "inputs are named without an option" },
	{ "hex hexadecimal base radix", "--type=hex" },
	{ "delimiter delim separator sep fs", "--field-separator" },
	{ ", ; : | F", "separators follow -t, such as -t," },
	{ "0 1 2 3 4 5 6 7 8 9", "--head=10 writes the first ten, and -k2,2 is what +1 -2 was" },
	{ "kind", "--stable" },
	{ "axis", "gsort sorts all keys of its input" },
	{ "nulls-first nulls-last na-position", "empty fields come first, with -r last" },
	{ "column columns col field fields sort-by by sort-key order-by", "--key" },
	{ "endian byteorder byte-order endianness big-endian bigendian big be",
	  "the type says the byte order: -u32be, --type=u32be, -k u32be@8" },
	{ "little-endian littleendian little le", "the type says the byte order: -u32le; it is the default" },
	{ "gpu cuda", "--device=gpu" },
	{ "cpu no-gpu", "--device=cpu" },
	{ "is-sorted sorted check-sorted verify-sorted", "--check" },
	{ "gunzip gzip unzip unpack uncompress bzip2 xz zstd lz4", "--decompress" },
	{ "percentile percentiles quantile", "--quantiles" },
	{ "median p50", "--quantiles=0.5" },
	{ "p90", "--quantiles=0.9" },
	{ "p95", "--quantiles=0.95" },
	{ "p99", "--quantiles=0.99" },
	{ "sd std stddev variance var", "gsort knows no deviation; --summary has mean and quartiles" },
	{ "nan nans nan-last nan-first nan-policy", "NaN is last; first with -r, and of -g" },
	{ "group group-by groupby", "how often each key occurs is --count; the most frequent are --top=K" },
	{ "no-header noheader", "lines are all sorted unless --header is given" },
	{ "skip-lines skiprows skip-rows", "the first N lines stay where they are with --header=N" },
	{ "bins buckets", "--histogram" },
	{ "natural natural-sort versions", "--version-sort" },
	{ "tsv tab tabs", "fields between tabs: -t '\\t'" },
	{ "counts freq frequency frequencies count-unique unique-count count-values", "--count" },
	{ "describe statistics stat mean avg average min max", "--summary" },
	{ "errors ignore-errors skip-errors on-error skip-invalid", "--invalid" },
	{ "intersection common", "--intersect" },
	{ "subtract minus except diff", "--difference" },
	{ "inplace", "--in-place" },
	{ "silent no-messages", "--quiet" },
	{ "skip-header headers header-lines", "--header" },
	{ "offset skip skip-bytes", "of binary input, --header=BYTES copies the first ones unsorted" },
	{ "shuffle shuf", "to shuffle lines, use shuf(1)" },
	{ "usage", "--help" },
	{ "null nul print0 null-data zero", "--zero-terminated" },
	{ "records record-len record-length width", "--record-size" },
};

static const char *
synonym_of(const char *word, size_t bytes)
{
	for (size_t s = 0; s < sizeof synonyms / sizeof synonyms[0]; s++)
		if (gs_words_have(synonyms[s].words, word, bytes))
			return synonyms[s].meant;
	return NULL;
}

/* ---- edit distance -------------------------------------------------------------- */

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

			now[n] = gs_least(before[n - 1] + other, gs_least(before[n], now[n - 1]) + 1);
			if (t > 1 && n > 1 && typed[t - 1] == name[n - 2] && typed[t - 2] == name[n - 1])
				now[n] = gs_least(now[n], earlier[n - 2] + 1);
		}
	}
	return table[bytes % 3][name_bytes];
}

/* ---- the ends of messages ----------------------------------------------------------- */

/* "--to" and "-u32" are options, other words say what to do. */
static const char *
suggest(const char *meant)
{
	static char text[128];

	text[0] = '\0';
	if (meant != NULL)
		snprintf(text, sizeof text, meant[0] == '-' && strchr(meant, ' ') == NULL
		         ? "; did you mean '%s'?" : "; %s", meant);
	return text;
}

const char *
gs_near_option(const char *name, size_t bytes)
{
	const char *meant = synonym_of(name, bytes);
	size_t fewest = gs_least(3, (bytes + 1) / 2);
	struct gs_named_type type;
	char word[48], spelled[64];

	snprintf(word, sizeof word, "%.*s", (int)bytes, name);
	if (meant != NULL)
		return suggest(meant);
	if (gs_type_called(word, &type))
		return suggest(gs_spell_type(&type, spelled));
	/* the option whose name is nearest, within two edits and fewer than half of the word */
	for (const struct gs_option *o = gs_options; o < gs_options + gs_option_count; o++) {
		size_t count;

		if (o->name == NULL || o->refusal != NULL)
			continue;
		count = edits(name, bytes, o->name);
		if (count < fewest) {
			fewest = count;
			snprintf(spelled, sizeof spelled, "--%s", o->name);
			meant = spelled;
		}
	}
	return suggest(meant);
}

const char *
gs_near_letter(char letter)
{
	return suggest(synonym_of(&letter, 1));
}

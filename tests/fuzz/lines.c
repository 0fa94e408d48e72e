// SPDX-License-Identifier: BSD-2-Clause
/*
 * lines.c - lines with any keys, sorted, merged or checked, against a stable sort by comparison
 *
 * gs_line_compare() decides the order here, so this tests everything around it: words, buckets, cuts
 * of the input, headers, quotes and selections.  tests/tools/keydefs.py compares it with sort(1).
 */
#include "item_run.h"
#include "linekey/line_order.h"

enum { KEYS = 3, MOST_LINES = 20000, MOST_BYTES = 1 << 19 };

struct run {
	struct item_run job;
	struct gs_line_order order;
	char        keys[KEYS][64], letters[16], separator[2];
	const char *keydefs[KEYS];
};

/* ---- what is right --------------------------------------------------------------- */

struct line {
	const char *text;
	size_t      bytes;	/* with its terminator */
	size_t      number;	/* in the input */
};

static const struct gs_line_order *comparing;

static int
compare(const struct line *one, const struct line *other)
{
	const int compared = gs_line_compare(comparing, one->text, one->bytes, other->text,
	                                     other->bytes);
	const int back = gs_line_compare(comparing, other->text, other->bytes, one->text, one->bytes);

	FUZZ_MUST((compared > 0) == (back < 0) && (compared < 0) == (back > 0));
	return compared;
}

static int
compare_pointers(const void *one, const void *other)
{
	const struct line *a = one, *b = other;
	const int compared = compare(a, b);

	return compared != 0 ? compared : a->text < b->text ? -1 : a->text > b->text;
}

static char
terminator(const struct run *run)
{
	return run->job.options.zero_terminated ? '\0' : '\n';
}

/* Is the byte behind AT between quotes?  QUOTED: AT is.  *OPENS: a quote at AT opens; then behind it. */
static bool
ends_quoted(const struct run *run, const char *at, bool quoted, bool *opens)
{
	const char separator = run->job.options.separator != NULL ? run->separator[0] : ',';
	const bool toggles = run->job.options.csv && *at == '"' && (quoted || *opens);

	*opens = toggles || *at == separator || (*at == terminator(run) && !quoted);
	return quoted != toggles;
}

/* Cut the input into lines, and end the last one.  *QUOTED: it ends in quotes. */
static struct line *
cut(struct run *run, size_t *count, bool *quoted)
{
	const char end = terminator(run);
	struct line *lines;
	size_t from = 0;
	bool opens = true;

	if (run->job.input.bytes > 0 && run->job.input.data[run->job.input.bytes - 1] != end)
		fuzz_put(&run->job.input, &end, 1);
	lines = calloc(run->job.input.bytes + 1, sizeof *lines);
	FUZZ_MUST(lines != NULL);
	*count = 0;
	*quoted = false;
	for (size_t at = 0; at < run->job.input.bytes; at++) {
		*quoted = ends_quoted(run, run->job.input.data + at, *quoted, &opens);
		if (*quoted || run->job.input.data[at] != end)
			continue;
		lines[*count] = (struct line){ run->job.input.data + from, at + 1 - from, *count };
		++*count;
		from = at + 1;
	}
	return lines;
}

/* Append the sorted and selected LINES to RIGHT. */
static void
sort_right(const struct run *run, struct line *lines, size_t count, struct fuzz_bytes *right)
{
	const struct gsort_options *options = &run->job.options;
	const bool groups = item_run_groups(&run->job);
	uint64_t left = options->head ? options->head_count : UINT64_MAX;
	char times[32];
	uint64_t number;

	qsort(lines, count, sizeof *lines, compare_pointers);
	for (size_t i = 0, end; i < count && left > 0; i = end) {
		for (end = i + 1; groups && end < count && compare(&lines[i], &lines[end]) == 0; end++)
			;
		if (!item_run_takes(&run->job, end - i))
			continue;
		if (options->counts)
			fuzz_put(right, times, options->csv
			         ? (size_t)sprintf(times, "%zu%c", end - i, run->order.fields.separator)
			         : (size_t)sprintf(times, "%7zu ", end - i));
		number = lines[i].number - options->header_lines;
		if (options->argsort_bits > 0)
			fuzz_put(right, &number, options->argsort_bits / 8);
		else
			fuzz_put(right, lines[i].text, lines[i].bytes);
		left--;
	}
}

static bool
is_sorted(const struct run *run, const struct line *lines, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const int compared = compare(&lines[i - 1], &lines[i]);

		if (compared > 0 || (compared == 0 && run->job.options.unique))
			return false;
	}
	return true;
}

/* ---- a job -------------------------------------------------------------------------- */

/* Read the options as the job does.  False: they are wrong. */
static bool
open_order(struct run *run)
{
	const struct gsort_options *options = &run->job.options;
	const struct gs_line_options lines = {
		.keys = run->keydefs, .key_count = options->keydef_count, .letters = options->ordering,
		.separator = options->separator, .csv = options->csv, .names = options->header_lines > 0,
		.stable = options->stable || item_run_groups(&run->job),
		.terminator = terminator(run),
	};

	comparing = &run->order;
	return gs_line_order_open(&run->order, &lines) == GS_OK &&
	       !gs_line_order_wants_header(&run->order);
}

/* Leave out lines whose strict keys are not numbers, or count them. */
static size_t
leave_out(const struct run *run, struct line *lines, size_t *count)
{
	const size_t all = *count;
	size_t key, faults = 0;

	for (size_t i = 0; i < all && run->order.strict; i++) {
		const uint32_t bytes = (uint32_t)lines[i].bytes;
		const char *text = lines[i].text;
		const bool sound = gs_line_fault_find(&run->order, false, &text, &bytes, 1, &key) == 1;

		faults += !sound;
		if (sound && run->job.options.invalid == GSORT_INVALID_IGNORE)
			lines[i - faults] = lines[i];
	}
	if (run->job.options.invalid == GSORT_INVALID_ABORT)
		return faults;
	*count -= faults;
	return 0;
}

/* A line of the header; counts of CSV are a column of it, too, which has a name in the first one. */
static void
put_header(const struct run *run, const struct line *line, bool first, struct fuzz_bytes *right)
{
	const bool marked = first && line->bytes >= 3 && memcmp(line->text, "\357\273\277", 3) == 0;
	const char separator = (char)run->order.fields.separator;
	const size_t before = marked ? 3 : 0;

	if (run->job.options.csv && run->job.options.counts) {
		fuzz_put(right, line->text, before);
		fuzz_put(right, "count", first ? 5 : 0);
		fuzz_put(right, &separator, 1);
		fuzz_put(right, line->text + before, line->bytes - before);
	} else {
		fuzz_put(right, line->text, line->bytes);
	}
}

static void
judge(struct run *run)
{
	struct fuzz_bytes right = { .data = NULL };
	const bool opens = open_order(run);
	const size_t header = (size_t)run->job.options.header_lines;
	size_t count, skipped;
	struct line *lines;
	gsort_status status;
	bool quoted;

	run->job.options.invalid = opens && run->order.strict && run->job.options.argsort_bits == 0 &&
	                           run->job.state % 2 == 0 ? GSORT_INVALID_IGNORE : GSORT_INVALID_ABORT;
	status = item_run_job(&run->job);
	lines = cut(run, &count, &quoted);
	skipped = header < count ? header : count;
	count -= skipped;
	if (!opens || quoted || leave_out(run, lines + skipped, &count) > 0) {
		FUZZ_MUST(status == GSORT_ERROR || (opens && status == GSORT_DISORDER));
	} else if (run->job.options.operation == GSORT_CHECK) {
		FUZZ_MUST(status == (is_sorted(run, lines + skipped, count)
		                     ? GSORT_OK : GSORT_DISORDER));
	} else {
		for (size_t i = 0; i < skipped && run->job.options.argsort_bits == 0; i++)
			put_header(run, &lines[i], i == 0, &right);
		sort_right(run, lines + skipped, count, &right);
		FUZZ_MUST(status == GSORT_OK);
		/* with counts the fields of keys are written: tests/tools/counted.py has a model of that */
		if (run->job.options.counts && run->job.options.keydef_count > 0 &&
		    run->job.options.argsort_bits == 0)
			fuzz_free(&right);
		else
			item_run_compare(&run->job, &right);
	}
	gs_line_order_close(&run->order);
	free(lines);
}

/* ---- what is tried -------------------------------------------------------------------- */

/* Some letters, mostly compatible ones. */
static char *
choose_letters(char *to, struct fuzz *from)
{
	static const char orders[] = "\0ngh\0MVn\0\0", others[] = "rbfdi";
	const char order = orders[fuzz_pick(from, sizeof orders - 1)];
	const unsigned which = fuzz_pick(from, 256);

	if (order != '\0')
		*to++ = order;
	for (unsigned l = 0; l < 5; l++)
		if (which >> l & 1 && (l < 2 || which >= 128))
			*to++ = others[l];
	*to = '\0';
	return to;
}

static void
choose_keys(struct run *run, struct fuzz *from)
{
	static const char separators[] = ",; x0";
	struct gsort_options *options = &run->job.options;

	options->keydef_count = fuzz_pick(from, KEYS + 1);
	for (size_t k = 0; k < options->keydef_count; k++) {
		const unsigned first = 1 + fuzz_pick(from, 4), shape = fuzz_pick(from, 16);
		char *at = run->keys[k];

		at += sprintf(at, "%u", first);
		if (shape & 1)
			at += sprintf(at, ".%u", 1 + fuzz_pick(from, 4));
		at = choose_letters(at, from);
		if (shape & 2)
			at += sprintf(at, ",%u", first + fuzz_pick(from, 2));
		if ((shape & 6) == 6)
			at += sprintf(at, ".%u", fuzz_pick(from, 5));
		if ((shape & 10) == 10)
			(void)choose_letters(at, from);
		run->keydefs[k] = run->keys[k];
	}
	(void)choose_letters(run->letters, from);
	run->separator[0] = separators[fuzz_pick(from, sizeof separators - 1)];
	options->keydefs = run->keydefs;
	options->ordering = run->letters;
	options->separator = fuzz_pick(from, 4) > 0 ? run->separator : NULL;
	options->csv = fuzz_pick(from, 4) == 0;
}

static void
put_field(struct run *run)
{
	static const char *const words[] = {
		"", "0", "-1", "007", "1.50", "1e3", "12345678901234567890", "-.5", "nan", "inf", "3K",
		"2Mi", "Jan", "dec", "a", "A b", "file-1.10.txt", "file-1.9.txt", "  x", "\t9", "~",
		"\x80\xff",
	};
	uint64_t *state = &run->job.state;
	const bool quotes = run->job.options.csv && fuzz_random(state) % 8 == 0;
	struct fuzz_bytes *into = &run->job.input;
	char number[32];

	if (quotes)
		fuzz_put(into, "\"\"\"\n,", fuzz_random(state) % 2 == 0 ? 1 : 5);
	if (fuzz_random(state) % 2 == 0) {
		const char *word = words[fuzz_random(state) % (sizeof words / sizeof *words)];

		fuzz_put(into, word, strlen(word));
	} else {
		const int64_t value = (int64_t)(fuzz_random(state) >> fuzz_random(state) % 64);

		fuzz_put(into, number, (size_t)sprintf(number, "%lld", (long long)value));
	}
	if (quotes)
		fuzz_put(into, "\"", 1);
}

/* Lines of a few fields, some of which begin alike; then what is left of the fuzzer's bytes. */
static void
make_input(struct run *run, struct fuzz *from)
{
	static const char alike[] = "the same sixteen bytes, and as many more";
	const char between = run->job.options.separator != NULL ? run->separator[0] :
	                     run->job.options.csv ? ',' : ' ';
	const char end = terminator(run);
	const unsigned shape = fuzz_pick(from, 8), size = fuzz_pick(from, 256), more = fuzz_pick(from, 256);
	/* mostly few: 10,000 lines are compared half a million times, which takes seconds with sanitizers */
	const size_t lines = size < 240 ? size * size / 256 : size < 252 ? more * 4 : more * MOST_LINES / 255;
	const size_t count = shape & 1 ? lines % 100 : lines;

	fuzz_put(&run->job.input, "", 0);
	for (size_t i = 0; i < count && run->job.input.bytes < MOST_BYTES; i++) {
		if (shape & 2)
			fuzz_put(&run->job.input, alike, sizeof alike - 1);
		for (uint64_t fields = fuzz_random(&run->job.state) % 5; fields > 0; fields--) {
			put_field(run);
			fuzz_put(&run->job.input, &between, 1);
		}
		fuzz_put(&run->job.input, &end, 1);
		if (shape & 4 && i % 10 == 0)
			fuzz_put(&run->job.input, &end, 1);
	}
	fuzz_put(&run->job.input, from->data, from->bytes);
}

void
fuzz_lines(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 2), more = (unsigned)fuzz_take(&from, 1);
	struct run run = { .job.options.lines = true };
	struct gsort_options *options = &run.job.options;

	item_run_open(&run.job, flags, more);
	options->stable = flags & 16;
	options->zero_terminated = (flags & 0x6000) == 0x6000;
	options->header_lines = (flags & 0x6000) == 0x2000 ? 1 + more % 2 : 0;
	if (options->operation != GSORT_CHECK)
		options->argsort_bits = (flags & 192) == 128 ? 32 : (flags & 192) == 192 ? 64 : 0;
	if (options->argsort_bits > 0)
		options->endian = GSORT_ENDIAN_LITTLE;
	choose_keys(&run, &from);
	make_input(&run, &from);
	judge(&run);
	/* The sorted output is in order, and merging it alone changes nothing. */
	if (options->operation == GSORT_SORT && !options->counts && options->argsort_bits == 0) {
		item_run_again(&run.job, flags & 1);
		judge(&run);
	}
	item_run_close(&run.job);
}

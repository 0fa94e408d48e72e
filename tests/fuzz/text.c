// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.c - any text: its numbers in order, beside a reader that is too simple to be wrong
 *
 * The first byte chooses what becomes of bad lines and how the text is cut; a second job
 * gets it in other pieces and must say the same.
 */
#include <stdbool.h>

#include "fuzz.h"
#include "gsort.h"

enum { MOST_LINES = 4096, MOST_BYTES = 16384 };

struct side {
	struct fuzz_input in;
	char           text[24 * MOST_LINES];
	size_t         length;
	unsigned       warnings;
};

static int
take(void *context, const void *data, size_t bytes)
{
	struct side *side = context;

	FUZZ_MUST(bytes <= sizeof side->text - side->length);
	memcpy(side->text + side->length, data, bytes);
	side->length += bytes;
	return 0;
}

static void
warned(void *context, const char *line)
{
	struct side *side = context;

	FUZZ_MUST(*line != '\0');
	side->warnings++;
}

static gsort_status
run(struct side *side, enum gsort_invalid invalid, unsigned threads, char *message)
{
	const struct gsort_options options = {
		.decompress = GSORT_DECOMPRESS_NONE, .invalid = invalid, .threads = threads,
		.read = fuzz_give, .read_context = &side->in, .write = take, .write_context = side,
		.warn = warned, .warn_context = side,
	};
	gsort_status status;
	gsort *job;

	FUZZ_MUST(gsort_open(&job, &options) == GSORT_OK);
	status = gsort_run(job);
	snprintf(message, 1024, "%s", status == GSORT_OK ? "" : gsort_message());
	gsort_close(job);
	return status;
}

static int
compare(const void *a, const void *b)
{
	const __int128 x = *(const __int128 *)a, y = *(const __int128 *)b;

	return x < y ? -1 : x > y;
}

/* A line as the manual has it. */
static bool
read_line(const uint8_t *line, const uint8_t *end, __int128 *value)
{
	const __int128 least = -((__int128)1 << 63), most = ((__int128)1 << 64) - 1;
	bool minus = false;

	*value = 0;
	if (end - line > 4095)
		return false;
	if (end > line && end[-1] == '\r')
		end--;
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (line < end && (*line == '+' || *line == '-'))
		minus = *line++ == '-';
	if (line == end)
		return false;
	for (; line < end; line++) {
		if (*line < '0' || *line > '9')
			return false;
		if (*value <= most)
			*value = *value * 10 + (*line - '0');
	}
	*value = minus ? -*value : *value;
	return *value >= least && *value <= most;
}

static void
check(const uint8_t *data, size_t bytes, const struct side *side)
{
	static __int128 values[MOST_LINES];
	const uint8_t *end = data + bytes;
	const char *text = side->text;
	size_t count = 0;

	while (data < end) {
		const uint8_t *stop = memchr(data, '\n', (size_t)(end - data));

		stop = stop != NULL ? stop : end;
		FUZZ_MUST(count < MOST_LINES);
		count += read_line(data, stop, &values[count]);
		data = stop + 1;
	}
	qsort(values, count, sizeof *values, compare);
	for (size_t v = 0; v < count; v++) {
		char line[32];
		const unsigned long long magnitude =
			(unsigned long long)(values[v] < 0 ? -values[v] : values[v]);
		const int length = snprintf(line, sizeof line, "%s%llu\n", values[v] < 0 ? "-" : "",
		                            magnitude);

		FUZZ_MUST((size_t)length <= (size_t)(side->text + side->length - text));
		FUZZ_MUST(memcmp(text, line, (size_t)length) == 0);
		text += length;
	}
	FUZZ_MUST(text == side->text + side->length);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct side one, two;
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1);
	char says[1024], says_too[1024];
	size_t lines = 1;

	for (size_t at = 0; at < from.bytes; at++)
		lines += from.data[at] == '\n';
	if (lines > MOST_LINES || from.bytes > MOST_BYTES)
		return 0;
	one = (struct side){ .in = { from.data, from.bytes, 0, SIZE_MAX } };
	two = (struct side){ .in = { from.data, from.bytes, 0, 1 + flags % 32 } };
	if (run(&one, GSORT_INVALID_IGNORE, 1 + flags / 64, says) == GSORT_OK)
		check(from.data, from.bytes, &one);
	else
		abort();
	one.in.at = one.length = 0;
	FUZZ_MUST(run(&one, (enum gsort_invalid)(flags / 32 % 3), 1, says) ==
	          run(&two, (enum gsort_invalid)(flags / 32 % 3), 3, says_too));
	FUZZ_MUST(strcmp(says, says_too) == 0);
	FUZZ_MUST(one.warnings == two.warnings);
	FUZZ_MUST(one.length == two.length && memcmp(one.text, two.text, one.length) == 0);
	return 0;
}

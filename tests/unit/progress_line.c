// SPDX-License-Identifier: BSD-2-Clause
/* progress_line.c - the time left that lines of progress say, of jobs with given rates */
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "tests/unit/units.h"

void unit_progress_line(void);

enum { KEYS = 1000000, TICKS_A_SECOND = 5, PARTS = 4 };

/* A job: seconds that each quarter of reading takes, then each quarter of writing. */
static const struct {
	const char *sentence;
	enum gsort_operation operation;
	double      reading[PARTS], writing[PARTS];
	bool        spills;	/* a run for each eighth of the input */
	bool        settles;	/* from half of the time on, what is said is right to 25 % */
} rows[] = {
	{ "writing as fast as reading", GSORT_SORT, { 3, 3, 3, 3 }, { 3, 3, 3, 3 }, false, true },
	{ "writing twice as fast", GSORT_SORT, { 4, 4, 4, 4 }, { 2, 2, 2, 2 }, false, false },
	{ "writing half as fast", GSORT_SORT, { 3, 3, 3, 3 }, { 6, 6, 6, 6 }, false, false },
	{ "runs, merged in 0.6 of the time", GSORT_SORT, { 5, 5, 5, 5 }, { 3, 3, 3, 3 }, true, true },
	{ "runs, after a quick start", GSORT_SORT, { 1, 3, 3, 3 }, { 2, 2, 2, 2 }, true, false },
	{ "runs, merged in a third of the time", GSORT_SORT, { 3, 3, 3, 3 }, { 1, 1, 1, 1 }, true, false },
	{ "reading that slows down", GSORT_SORT, { 1, 2, 4, 8 }, { 3, 3, 3, 3 }, false, false },
	{ "writing that slows down", GSORT_SORT, { 2, 2, 2, 2 }, { 1, 2, 4, 8 }, false, false },
	{ "a check", GSORT_CHECK, { 5, 5, 5, 5 }, { 0 }, false, true },
	{ "a check that slows down", GSORT_CHECK, { 1, 2, 4, 8 }, { 0 }, false, false },
};

static double
sum(const double parts[PARTS])
{
	return parts[0] + parts[1] + parts[2] + parts[3];
}

/* The share that is done AT seconds after it began. */
static double
share_at(const double parts[PARTS], double at)
{
	double share = 0;

	for (unsigned part = 0; part < PARTS && at > 0; part++) {
		share += at < parts[part] ? at / parts[part] / PARTS : 1.0 / PARTS;
		at -= parts[part];
	}
	return share;
}

/* "... eta 1:02": its seconds; -1: there is none. */
static double
said(const struct gs_progress_line *line)
{
	const char *eta = strstr(line->text, " eta ");
	char *end;
	double seconds;

	if (eta == NULL)
		return -1;
	seconds = (double)strtoul(eta + 5, &end, 10) * 60;
	return seconds + (double)strtoul(end + 1, NULL, 10);
}

/* To 25 %, and the second to which it was rounded. */
static bool
is_near(double seconds, double right)
{
	return seconds <= 1.25 * right + 1 && seconds >= 0.75 * right - 1;
}

void
unit_progress_line(void)
{
	for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const double read_all = sum(rows[r].reading), all = read_all + sum(rows[r].writing);
		struct gs_progress_times times = { .left = -1 };
		double last = -1, first = -1;

		for (unsigned tick = 1; tick < all * TICKS_A_SECOND; tick++) {
			const double at = (double)tick / TICKS_A_SECOND;
			const double read = share_at(rows[r].reading, at);
			const double written = at > read_all ? share_at(rows[r].writing, at - read_all) : 0;
			const struct gsort_progress p = {
				.phase = at > read_all ? GSORT_WRITING : GSORT_READING,
				.bytes_in = (uint64_t)(read * KEYS * 8), .bytes_total = KEYS * 8,
				.keys_in = (uint64_t)(read * KEYS),
				.keys_sorted = (uint64_t)(written * KEYS),
				.runs = rows[r].spills ? (unsigned)(read * 8) : 0, .stored_total = UINT64_MAX,
			};
			struct gs_progress_line line;
			double left;

			times.elapsed = at;
			times.writing = at > read_all ? at - read_all : 0;
			gs_progress_describe(&line, &p, rows[r].operation, &times, 80);
			left = said(&line);
			CHECK(last < 0 || (left >= 0 && left <= last), "%s: %.1f s: said %g after %g",
			      rows[r].sentence, at, left, last);
			CHECK(!rows[r].settles || at < all / 2 || is_near(left, all - at),
			      "%s: %.1f s: said %g of %g", rows[r].sentence, at, left, all - at);
			last = left;
			first = first < 0 && left >= 0 ? at : first;
		}
		CHECK(first >= 2 && first < 3, "%s: said nothing until %g s", rows[r].sentence, first);
		CHECK(last >= 0 && last <= 0.25 * all + 1, "%s: at last %g", rows[r].sentence, last);
	}
}

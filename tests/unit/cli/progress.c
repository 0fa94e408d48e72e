// SPDX-License-Identifier: BSD-2-Clause
/* progress.c - how much of a job is done, by its counters; the time left that lines of progress say */
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "cli/progress.h"
#include "job/job.h"
#include "tests/unit/units.h"

void unit_progress(void);

enum { KEYS = 1000000, TICKS_A_SECOND = 5, PARTS = 4, JOBS_DRAWN = 400 };

/* A job: seconds that each quarter of reading takes, then each quarter of writing; and how much of its time
 * the plan takes to be reading. */
struct row {
	const char *sentence;
	enum gsort_operation operation;
	double      reading[PARTS], writing[PARTS];
	double      planned;
	bool        spills;	/* a run for each eighth of the input */
	bool        settles;	/* from half of the time on, the time left is right to 25 % */
};

static const struct row rows[] = {
	{ "as planned", GSORT_SORT, { 3, 3, 3, 3 }, { 3, 3, 3, 3 }, 0.5, false, true },
	{ "as planned, most of it reading", GSORT_SORT, { 8, 8, 8, 8 }, { 1, 1, 1, 1 }, 0.89, false, true },
	{ "as planned, most of it writing", GSORT_SORT, { 1, 1, 1, 1 }, { 8, 8, 8, 8 }, 0.11, false, true },
	{ "writing takes a quarter more", GSORT_SORT, { 4, 4, 4, 4 }, { 5, 5, 5, 5 }, 0.5, false, true },
	{ "writing takes a fifth less", GSORT_SORT, { 5, 5, 5, 5 }, { 4, 4, 4, 4 }, 0.5, false, true },
	{ "writing twice as fast", GSORT_SORT, { 4, 4, 4, 4 }, { 2, 2, 2, 2 }, 0.5, false, false },
	{ "writing half as fast", GSORT_SORT, { 3, 3, 3, 3 }, { 6, 6, 6, 6 }, 0.5, false, false },
	{ "runs, as planned", GSORT_SORT, { 5, 5, 5, 5 }, { 3, 3, 3, 3 }, 0.62, true, true },
	{ "runs, after a quick start", GSORT_SORT, { 1, 3, 3, 3 }, { 2, 2, 2, 2 }, 0.6, true, false },
	{ "runs, merged in a third of that", GSORT_SORT, { 3, 3, 3, 3 }, { 1, 1, 1, 1 }, 0.6, true, false },
	{ "reading that slows down", GSORT_SORT, { 1, 2, 4, 8 }, { 3, 3, 3, 3 }, 0.5, false, false },
	{ "writing that slows down", GSORT_SORT, { 2, 2, 2, 2 }, { 1, 2, 4, 8 }, 0.5, false, false },
	{ "a check", GSORT_CHECK, { 5, 5, 5, 5 }, { 0 }, 1, false, true },
	{ "a check that slows down", GSORT_CHECK, { 1, 2, 4, 8 }, { 0 }, 1, false, false },
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

/* The answer of gsort_progress() for ROW, AT seconds after it began. */
static struct gsort_progress
progress_at(const struct row *row, double at)
{
	const double read_all = sum(row->reading), read = share_at(row->reading, at);
	const double written = at > read_all ? share_at(row->writing, at - read_all) : 0;
	const double done = row->planned * read + (1 - row->planned) * written;

	return (struct gsort_progress){
		.phase = at > read_all ? GSORT_WRITING : GSORT_READING,
		.bytes_in = (uint64_t)(read * KEYS * 8), .bytes_total = KEYS * 8,
		.keys_in = (uint64_t)(read * KEYS), .keys_sorted = (uint64_t)(written * KEYS),
		.runs = row->spills ? (unsigned)(read * 8) : 0, .stored_total = UINT64_MAX,
		.work_done = (uint64_t)(done * 1e9), .work_total = (uint64_t)1e9,
	};
}

/* Follow ROW to its end: what each line says is no more than the one before, and right if it settles. */
static void
follow(const struct row *row)
{
	const double all = sum(row->reading) + sum(row->writing);
	struct gs_progress_times times = { .left = -1 };
	double last = -1, first = -1;

	for (unsigned tick = 1; tick < all * TICKS_A_SECOND; tick++) {
		const double at = (double)tick / TICKS_A_SECOND;
		const struct gsort_progress p = progress_at(row, at);
		struct gs_progress_line line;
		double left;

		times.elapsed = at;
		gs_progress_describe(&line, &p, row->operation, &times, 80);
		left = said(&line);
		CHECK(last < 0 || (left >= 0 && left <= last), "%s: %.1f s: said %g after %g", row->sentence,
		      at, left, last);
		CHECK(!row->settles || at < all / 2 || is_near(left, all - at), "%s: %.1f s: said %g of %g",
		      row->sentence, at, left, all - at);
		last = left;
		first = first < 0 && left >= 0 ? at : first;
	}
	CHECK(first >= 2 && first < 3, "%s: said nothing until %g s", row->sentence, first);
	CHECK(last >= 0 && last <= 0.25 * all + 1, "%s: at last %g", row->sentence, last);
}

/* More bytes have come than BYTES: neither the total nor the time left is known. */
static void
pass_the_total(void)
{
	struct gs_progress_times times = { .elapsed = 30, .left = -1 };
	struct gsort_progress p = progress_at(&rows[0], 6);
	struct gs_progress_line line;

	gs_progress_describe(&line, &p, GSORT_SORT, &times, 80);
	CHECK(strstr(line.text, "eta") != NULL && strchr(line.text, '%') != NULL, "'%s'", line.text);
	p.bytes_in = p.bytes_total + 1;
	gs_progress_describe(&line, &p, GSORT_SORT, &times, 80);
	CHECK(strstr(line.text, "eta") == NULL && strchr(line.text, '%') == NULL, "'%s'", line.text);
}

/* ---- how much is done ---------------------------------------------------------------------- */

/* A job of 1000 ns of reading, MERGE and WRITE; 80 bytes of runs, of 120 that will be written to disk. */
static const struct work {
	const char *sentence;
	uint64_t    merge, write, spilled;
	bool        of_set;
	struct gsort_progress p;
	uint64_t    done;
} works[] = {
#define READ(in, stored, all)	.bytes_in = (in), .stored_in = (stored), .bytes_total = (all)
#define KEYS(sorted, in)	.keys_sorted = (sorted), .keys_in = (in)
	{ "nothing is read", 500, 200, 0, false, { GSORT_READING, READ(0, 0, 1) }, 0 },
	{ "half is read", 500, 200, 40, false, { GSORT_READING, READ(50, 0, 100) }, 500 },
	{ "half of the files is read", 500, 200, 0, false, { GSORT_READING, READ(1, 50, 100) }, 500 },
	{ "half of compressed files is read", 500, 200, 0, false,
	  { GSORT_READING, READ(999, 30, UINT64_MAX), .stored_total = 60 }, 500 },
	{ "more is read than was expected", 500, 200, 0, false, { GSORT_READING, READ(101, 0, 100) }, 1000 },
	{ "there is nothing to be read", 500, 200, 0, false, { GSORT_READING, READ(0, 0, 0) }, 1000 },
	{ "all is read", 500, 200, 80, false, { GSORT_SORTING, READ(100, 0, 100) }, 1000 },
	{ "runs are merged", 500, 200, 90, false, { GSORT_SORTING, READ(100, 0, 100) }, 1125 },
	{ "all runs but the last are merged", 500, 200, 120, false,
	  { GSORT_SORTING, READ(100, 0, 100), KEYS(0, 9) }, 1500 },
	{ "the last ones are merged", 500, 1, 0, false,
	  { GSORT_WRITING, READ(1, 0, 100), KEYS(0, 9) }, 1500 },
	{ "half is written", 500, 200, 80, false, { GSORT_WRITING, READ(100, 0, 100), KEYS(5, 10) }, 1600 },
	{ "more is written", 500, 200, 80, false, { GSORT_WRITING, READ(100, 0, 100), KEYS(2, 1) }, 1700 },
	{ "inputs are merged", 0, 0, 0, false, { GSORT_WRITING, READ(25, 0, 100), KEYS(5, 9) }, 250 },
	{ "a set is written", 0, 200, 0, true, { GSORT_WRITING, READ(50, 0, 100), KEYS(5, 10) }, 600 },
	{ "all is done", 500, 200, 0, false, { GSORT_DONE, READ(0, 0, 100) }, 1700 },
};

static void
check_work(const struct work *work)
{
	static struct gsort job;
	static char set;
	struct gs_counters *counters = &job.monitor.counters;
	struct gsort_progress p = work->p;

	atomic_store(&job.set, work->of_set ? (struct gs_combination *)(void *)&set : NULL);
	atomic_store(&counters->read_ns, 1000);
	atomic_store(&counters->merge_ns, work->merge);
	atomic_store(&counters->write_ns, work->write);
	atomic_store(&counters->disk_bytes, 80);
	atomic_store(&counters->written_bytes, 120);
	atomic_store(&counters->spilled_bytes, work->spilled);
	gs_job_work(&job, &p);
	CHECK(p.work_done == work->done && p.work_total == 1000 + work->merge + work->write,
	      "%s: %llu of %llu", work->sentence, (unsigned long long)p.work_done,
	      (unsigned long long)p.work_total);
}

/* ---- jobs that are drawn ------------------------------------------------------------------- */

/* From LEAST to MOST. */
static double
draw(uint64_t *random, double least, double most)
{
	return least + (most - least) * (double)(gs_splitmix_next(random) >> 11) / (double)(1ull << 53);
}

/* A job whose phases last as long as the plan says, to 15 %, and whose parts last as long as each other, to a
 * tenth; or of JUMPS, anything. */
static struct row
draw_row(uint64_t *random, bool jumps)
{
	const double all = draw(random, 20, 200), planned = draw(random, 0.1, 0.9);
	const double off = draw(random, 0.85, 1.15), most = jumps ? 3 : 1.05, least = jumps ? 0.2 : 0.95;
	struct row row = {
		.sentence = jumps ? "drawn, with jumps" : "drawn", .operation = GSORT_SORT,
		.planned = planned, .spills = draw(random, 0, 1) < 0.5, .settles = !jumps,
	};

	for (unsigned part = 0; part < PARTS; part++) {
		row.reading[part] = all * planned / PARTS * draw(random, least, most);
		row.writing[part] = all * (1 - planned) / PARTS * off * draw(random, least, most);
	}
	return row;
}

void
unit_progress(void)
{
	uint64_t random = 29;

	for (unsigned w = 0; w < sizeof works / sizeof works[0]; w++)
		check_work(&works[w]);
	pass_the_total();
	for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
		follow(&rows[r]);
	for (unsigned job = 0; job < JOBS_DRAWN; job++) {
		const struct row row = draw_row(&random, job % 2 > 0);

		follow(&row);
	}
}

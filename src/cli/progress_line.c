// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress_line.c - how far a job has come, as a line of text
 *
 * In:   gsort_progress(), and times.
 * Out:  [####----] read 62% 3.9/6.3GiB 2.1GiB/s | sorted 3/5 runs | 0:03 eta 0:04
 *
 * Of compressed input the share that has been read is that of the files on disk.  There is nothing
 * about writing before something is written.  No printf(3): it is not async-signal-safe.
 */
#include <stdbool.h>
#include <string.h>

#include "cli/progress.h"

enum {
	ETA_SECONDS = 2,	/* no estimate before that */
	BAR_FROM    = 100,	/* columns of a terminal */
	BAR_COLUMNS = 20,
};

static const double KNOWN_SHARE = 0.3;	/* that is written when only the rate of writing counts */

/* --- text ------------------------------------------------------------------- */

void
gs_progress_add(struct gs_progress_line *line, const char *text)
{
	const size_t room = sizeof line->text - 1 - line->bytes, bytes = strlen(text);
	const size_t count = bytes < room ? bytes : room;

	memcpy(line->text + line->bytes, text, count);
	line->bytes += count;
	line->text[line->bytes] = '\0';
}

/* Append NUMBER, with leading zeros up to DIGITS. */
static void
add_number(struct gs_progress_line *line, uint64_t number, unsigned digits)
{
	char text[24], *at = text + sizeof text - 1;

	*at = '\0';
	for (; number > 0 || digits > 0; number /= 10) {
		*--at = (char)('0' + number % 10);
		digits -= digits > 0;
	}
	gs_progress_add(line, at);
}

static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

static unsigned
unit_of(double size)
{
	unsigned u = 0;

	for (; size >= 1024 && u < 6; u++)
		size /= 1024;
	return u;
}

/* Append SIZE in UNIT, without the unit's name. */
static void
add_size(struct gs_progress_line *line, double size, unsigned unit)
{
	uint64_t tenths;

	for (unsigned u = 0; u < unit; u++)
		size /= 1024;
	tenths = (uint64_t)(size * 10 + 0.5);
	add_number(line, unit == 0 ? (uint64_t)size : tenths / 10, 1);
	if (unit > 0) {
		gs_progress_add(line, ".");
		add_number(line, tenths % 10, 1);
	}
}

static void
add_time(struct gs_progress_line *line, double seconds)
{
	const uint64_t s = (uint64_t)seconds;

	if (s >= 3600) {
		add_number(line, s / 3600, 1);
		gs_progress_add(line, ":");
	}
	add_number(line, s / 60 % 60, s >= 3600 ? 2 : 1);
	gs_progress_add(line, ":");
	add_number(line, s % 60, 2);
}

static void
add_percent(struct gs_progress_line *line, double share)
{
	add_number(line, (uint64_t)(100 * share), 1);
	gs_progress_add(line, "%");
}

/* --- shares ------------------------------------------------------------------- */

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 || part > whole ? 1 : (double)part / (double)whole;
}

/* Has more come than the input was said to have? */
static bool
passes_total(const struct gsort_progress *p)
{
	return p->bytes_total > 0 && p->bytes_in > p->bytes_total;
}

static bool
knows_total(const struct gsort_progress *p)
{
	return p->bytes_total != UINT64_MAX && p->bytes_total > 0 && !passes_total(p);
}

/* The share of the input that has been read; less than 0: unknown. */
static double
share_read(const struct gsort_progress *p)
{
	if (knows_total(p))
		return share(p->bytes_in > p->stored_in ? p->bytes_in : p->stored_in, p->bytes_total);
	if (p->stored_total != UINT64_MAX && p->stored_total > 0)
		return share(p->stored_in, p->stored_total);
	return -1;
}

/*
 * Estimate the seconds left; less than 0: unknown.  Work is measured in the time that the plan expects
 * (plan/forecast.c), so it takes the same time everywhere if the plan is right.  Writing shows how wrong it
 * is: the more is written, the more counts what writing has taken.
 */
static double
estimate(const struct gsort_progress *p, enum gsort_operation operation, struct gs_progress_times *times)
{
	const double left = (double)(p->work_total - p->work_done);
	double rate, writing, known;

	if (operation == GSORT_SORT && p->phase == GSORT_WRITING && times->write_start == 0) {
		times->write_start = times->elapsed;
		times->write_work = (double)p->work_done;
	}
	if (times->elapsed < (double)ETA_SECONDS || p->work_total == 0 || p->work_done == 0)
		return -1;
	rate = times->elapsed / (double)p->work_done;
	writing = times->write_start > 0 ? (double)p->work_done - times->write_work : 0;
	known = writing / (KNOWN_SHARE * (writing + left) + 1);
	if (writing > 0 && known > 0)
		rate += (known < 1 ? known : 1) * ((times->elapsed - times->write_start) / writing - rate);
	return left * rate;
}

/* --- parts --------------------------------------------------------------------- */

/* "read 62% 3.9/6.3GiB 2.1GiB/s" */
static void
add_read(struct gs_progress_line *line, const struct gsort_progress *p, double elapsed)
{
	/* what has come, and perhaps waits for a whole chunk to be decoded */
	const double bytes = (double)(p->bytes_in > p->stored_in ? p->bytes_in : p->stored_in);
	const double speed = elapsed > 0 ? bytes / elapsed : 0;
	const bool known = knows_total(p);
	const unsigned unit = unit_of(known ? (double)p->bytes_total : bytes);

	gs_progress_add(line, "read ");
	if (share_read(p) >= 0) {
		add_percent(line, share_read(p));
		gs_progress_add(line, " ");
	}
	add_size(line, bytes, unit);
	if (known) {
		gs_progress_add(line, "/");
		add_size(line, (double)p->bytes_total, unit);
	}
	gs_progress_add(line, units[unit]);
	if (p->phase == GSORT_READING) {
		gs_progress_add(line, " ");
		add_size(line, speed, unit_of(speed));
		gs_progress_add(line, units[unit_of(speed)]);
		gs_progress_add(line, "/s");
	}
}

void
gs_progress_describe(struct gs_progress_line *line, const struct gsort_progress *p,
                     enum gsort_operation operation, struct gs_progress_times *times,
                     unsigned columns)
{
	double read, left;

	line->bytes = 0;
	if (p == NULL) {
		gs_progress_add(line, "opening the input");
		return;
	}
	if (columns >= BAR_FROM && p->work_total > 0) {
		const double full = share(p->work_done, p->work_total) * (double)BAR_COLUMNS;

		gs_progress_add(line, "[");
		for (unsigned c = 0; c < BAR_COLUMNS; c++)
			gs_progress_add(line, c < (unsigned)full ? "#" : "-");
		gs_progress_add(line, "] ");
	}
	add_read(line, p, times->elapsed);
	/* "sorted 3/5 runs": the total assumes that the rest of the input is like the part read */
	read = share_read(p);
	if (p->runs > 0) {
		gs_progress_add(line, " | sorted ");
		add_number(line, p->runs, 1);
		if (read > 0) {
			gs_progress_add(line, "/");
			add_number(line, (uint64_t)((double)p->runs / read + 0.5), 1);
		}
		gs_progress_add(line, p->runs == 1 ? " run" : " runs");
	}
	if (p->phase == GSORT_SORTING)
		gs_progress_add(line, " | sorting");
	if (p->phase == GSORT_MERGING)
		gs_progress_add(line, " | merging");
	if (operation == GSORT_SORT && (p->keys_sorted > 0 || p->phase == GSORT_WRITING)) {
		gs_progress_add(line, " | write ");
		add_percent(line, p->keys_in == 0 ? 0 : share(p->keys_sorted, p->keys_in));
	}
	gs_progress_add(line, " | ");
	add_time(line, times->elapsed);
	/* the seconds left never count up */
	left = estimate(p, operation, times);
	if (left >= 0 && (times->left < 0 || left < times->left))
		times->left = left;
	if (times->left >= 0 && !passes_total(p)) {
		gs_progress_add(line, " eta ");
		add_time(line, times->left + 0.5);
	}
}

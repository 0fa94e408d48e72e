// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.c - show on standard error how far the job has come
 *
 * In:   gsort_progress(), and a clock.
 * Out:  a bar, lines in a log, an answer to SIGUSR1:
 *       [####----] read 62% 3.9/6.3GiB 2.1GiB/s | sorted 3/5 runs | 0:03 eta 0:04
 *
 * For compressed input the share that has been read is the share of the files on disk.  There is
 * nothing about writing before something is written.
 *
 * One thread waits for the next time to draw, or for a signal, which is blocked and fetched with
 * sigtimedwait(2).  The thread costs 40 us, so a short job has none: then a handler answers.
 *
 * The rules come from bug reports about zstd: draw nothing in the first second; at most five
 * times a second; only on a terminal, unless the user asked for lines in a log; never on a
 * terminal where output has begun; leave no half line behind a message or at the end.
 *
 * Invariant: WATCH.drawn columns of the terminal's line are the bar's.  Whoever holds
 * WATCH.lock and prints erases them first.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "cli/progress.h"

enum {
	FIRST_MS = 1000, BAR_MS = 200, LINE_MS = 10000,
	ETA_SECONDS = 2,	/* no estimate before that */
	BAR_FROM    = 100,	/* columns of a terminal */
	BAR_COLUMNS = 20,
};

static const double KNOWN_SHARE = 0.3;	/* that is written when only the rate of writing counts */

static struct {
	pthread_mutex_t lock;
	_Atomic(const gsort *) job;	/* NULL: not open yet, or ended */
	enum gsort_operation operation;
	bool            bar;		/* draw a bar */
	bool            hides_writing;	/* no bar once something is written */
	bool            lines;		/* print a line now and then */
	bool            later;		/* start the thread once the job is open */
	atomic_uint     drawn;		/* columns of the bar on the terminal */
	atomic_bool     drawing;	/* a bar is being written */
	atomic_bool     dying;		/* no bar any more */
	double          start;
	struct gs_progress_times times;
	sigset_t        signals;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER, .times.left = -1 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- the line: text -------------------------------------------------------- */

/* No printf(3): it is not async-signal-safe. */
static void
add(struct gs_progress_line *line, const char *text)
{
	const size_t room = sizeof line->text - 1 - line->bytes, bytes = strlen(text);
	const size_t count = bytes < room ? bytes : room;

	memcpy(line->text + line->bytes, text, count);
	line->bytes += count;
	line->text[line->bytes] = '\0';
}

/* Append NUMBER, with leading zeros up to DIGITS, and TEXT. */
static void
add_number(struct gs_progress_line *line, uint64_t number, unsigned digits, const char *text)
{
	char reverse[24], *at = reverse + sizeof reverse - 1;

	*at = '\0';
	for (; number > 0 || digits > 0; number /= 10) {
		*--at = (char)('0' + number % 10);
		digits -= digits > 0;
	}
	add(line, at);
	add(line, text);
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

/* Append SIZE in UNIT, and TEXT, which names the unit. */
static void
add_size(struct gs_progress_line *line, double size, unsigned unit, const char *text)
{
	uint64_t tenths;

	for (unsigned u = 0; u < unit; u++)
		size /= 1024;
	tenths = (uint64_t)(size * 10 + 0.5);
	add_number(line, unit == 0 ? (uint64_t)size : tenths / 10, 1, unit > 0 ? "." : text);
	if (unit > 0)
		add_number(line, tenths % 10, 1, text);
}

static void
add_time(struct gs_progress_line *line, double seconds)
{
	const uint64_t s = (uint64_t)seconds;

	if (s >= 3600)
		add_number(line, s / 3600, 1, ":");
	add_number(line, s / 60 % 60, s >= 3600 ? 2 : 1, ":");
	add_number(line, s % 60, 2, "");
}

/* --- the line: shares ------------------------------------------------------ */

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 || part > whole ? 1 : (double)part / (double)whole;
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

void
gs_progress_describe(struct gs_progress_line *line, const struct gsort_progress *p,
                     enum gsort_operation operation, struct gs_progress_times *times,
                     unsigned columns)
{
	uint64_t come, total;
	bool passed, known;
	double read, left;
	unsigned unit;

	line->bytes = 0;
	if (p == NULL) {
		add(line, "opening the input");
		return;
	}
	total = p->bytes_total;
	/* what has come, and perhaps waits for a whole chunk to be decoded */
	come = p->bytes_in > p->stored_in ? p->bytes_in : p->stored_in;
	passed = total > 0 && p->bytes_in > total;	/* more than the input was said to have */
	known = total != UINT64_MAX && total > 0 && !passed;
	/* the share of the input, or of its files on disk if they are compressed; less than 0: unknown */
	read = known ? share(come, total) : p->stored_total != UINT64_MAX && p->stored_total > 0
	       ? share(p->stored_in, p->stored_total) : -1;
	if (columns >= BAR_FROM && p->work_total > 0) {
		const double full = share(p->work_done, p->work_total) * (double)BAR_COLUMNS;

		add(line, "[");
		for (unsigned c = 0; c < BAR_COLUMNS; c++)
			add(line, c < (unsigned)full ? "#" : "-");
		add(line, "] ");
	}
	/* "read 62% 3.9/6.3GiB 2.1GiB/s" */
	add(line, "read ");
	if (read >= 0)
		add_number(line, (uint64_t)(100 * read), 1, "% ");
	unit = unit_of((double)(known ? total : come));
	add_size(line, (double)come, unit, known ? "/" : units[unit]);
	if (known)
		add_size(line, (double)total, unit, units[unit]);
	if (p->phase == GSORT_READING) {
		const double speed = times->elapsed > 0 ? (double)come / times->elapsed : 0;

		add(line, " ");
		add_size(line, speed, unit_of(speed), units[unit_of(speed)]);
		add(line, "/s");
	}
	/* "sorted 3/5 runs": the total assumes that the rest of the input is like the part read */
	if (p->runs > 0) {
		add(line, " | sorted ");
		add_number(line, p->runs, 1, read > 0 ? "/" : "");
		if (read > 0)
			add_number(line, (uint64_t)((double)p->runs / read + 0.5), 1, "");
		add(line, p->runs == 1 ? " run" : " runs");
	}
	if (p->phase == GSORT_SORTING)
		add(line, " | sorting");
	if (p->phase == GSORT_MERGING)
		add(line, " | merging");
	if (operation == GSORT_SORT && (p->keys_sorted > 0 || p->phase == GSORT_WRITING)) {
		add(line, " | write ");
		add_number(line, p->keys_in == 0 ? 0 : (uint64_t)(100 * share(p->keys_sorted, p->keys_in)),
		           1, "%");
	}
	add(line, " | ");
	add_time(line, times->elapsed);
	/* the seconds left never count up */
	left = estimate(p, operation, times);
	if (left >= 0 && (times->left < 0 || left < times->left))
		times->left = left;
	if (times->left >= 0 && !passed) {
		add(line, " eta ");
		add_time(line, times->left + 0.5);
	}
}

/* Make the whole line, for a terminal of COLUMNS, or 0.  Async-signal-safe. */
static void
make_line(struct gs_progress_line *line, unsigned columns)
{
	const gsort *job = atomic_load(&watch.job);
	struct gsort_progress p;

	watch.times.elapsed = now() - watch.start;
	if (job != NULL)
		gsort_progress(job, &p);
	gs_progress_describe(line, job != NULL ? &p : NULL, watch.operation, &watch.times, columns);
}

/* --- the terminal ---------------------------------------------------------- */

unsigned
gs_terminal_columns(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long value;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	value = columns != NULL ? strtol(columns, NULL, 10) : 0;
	return value > 0 && value < INT_MAX ? (unsigned)value : 80;
}

/* No escape sequences: some terminals have none.  The caller holds the lock. */
static void
erase(void)
{
	const unsigned drawn = atomic_exchange(&watch.drawn, 0);

	if (drawn > 0)
		fprintf(stderr, "\r%*s\r", (int)drawn, "");
}

/* DRAWING, then DYING: gs_progress_abandon() asks in the other order. */
static void
draw(void)
{
	const unsigned width = gs_terminal_columns(STDERR_FILENO);
	/* less one: some terminals wrap at the last one */
	const unsigned most = (width < GS_PROGRESS_WIDEST ? width : GS_PROGRESS_WIDEST) - 1;
	const unsigned before = atomic_load(&watch.drawn);
	struct gs_progress_line line;
	int columns, blanks;

	make_line(&line, most + 1);
	columns = (int)(line.bytes < most ? line.bytes : most);
	blanks = (int)before > columns ? (int)before - columns : 0;
	atomic_store(&watch.drawing, true);
	if (!atomic_load(&watch.dying)) {
		atomic_store(&watch.drawn, (unsigned)(columns + blanks));
		fprintf(stderr, "\r%.*s%*s", columns, line.text, blanks, "");
	}
	atomic_store(&watch.drawing, false);
}

/* --- signals ----------------------------------------------------------------- */

/* SIGUSR1 while there is no thread. */
static void
answer(int signal)
{
	struct gs_progress_line line, whole = { .bytes = 0 };
	const int error = errno;

	(void)signal;
	make_line(&line, 0);
	add(&whole, gs_program_name());
	add(&whole, ": ");
	add(&whole, line.text);
	whole.bytes -= whole.bytes == sizeof whole.text - 1;
	whole.text[whole.bytes++] = '\n';
	(void)!write(STDERR_FILENO, whole.text, whole.bytes);
	errno = error;
}

void
gs_progress_answer(void)
{
	struct sigaction action = { .sa_handler = answer, .sa_flags = SA_RESTART };

	watch.start = now();
	sigemptyset(&action.sa_mask);
	sigemptyset(&watch.signals);
	sigaddset(&watch.signals, SIGUSR1);
#ifdef SIGINFO
	sigaddset(&watch.signals, SIGINFO);
	(void)sigaction(SIGINFO, &action, NULL);
#endif
	(void)sigaction(SIGUSR1, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &watch.signals, NULL);
}

void
gs_progress_abandon(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	char blanks[GS_PROGRESS_WIDEST + 2];
	unsigned drawn;

	atomic_store(&watch.dying, true);
	for (unsigned wait = 0; wait < 100 && atomic_load(&watch.drawing); wait++)
		(void)nanosleep(&moment, NULL);
	drawn = atomic_exchange(&watch.drawn, 0);
	if (drawn == 0)
		return;
	memset(blanks, ' ', sizeof blanks);
	blanks[0] = blanks[drawn + 1] = '\r';
	(void)!write(STDERR_FILENO, blanks, drawn + 2);
}

/* --- the thread ------------------------------------------------------------ */

/* The thread: holds the lock except while it waits. */
static void *
wait_and_show(void *context)
{
	unsigned ms;

	(void)context;
	pthread_mutex_lock(&watch.lock);
	ms = watch.lines ? LINE_MS : FIRST_MS;
	for (;;) {
		const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
		const bool draws = watch.bar || watch.lines;
		struct gs_progress_line line;
		struct gsort_progress p = { .bytes_in = 0 };
		const gsort *job;
		int signal;

		pthread_mutex_unlock(&watch.lock);
		signal = draws ? sigtimedwait(&watch.signals, NULL, &time)
		               : sigwaitinfo(&watch.signals, NULL);
		pthread_mutex_lock(&watch.lock);
		if (signal < 0 && errno != EAGAIN)
			continue;
		job = atomic_load(&watch.job);
		if (job != NULL)
			gsort_progress(job, &p);
		if (signal > 0 || watch.lines) {
			erase();
			make_line(&line, 0);
			fprintf(stderr, "%s: %s\n", gs_program_name(), line.text);
		} else if (watch.bar && (p.bytes_in > 0 || p.stored_in > 0) &&	/* no input is waited for */
		           (p.phase < GSORT_WRITING || !watch.hides_writing)) {
			draw();
		} else if (watch.bar && watch.hides_writing) {
			erase();
		}
		if (watch.bar && signal < 0)
			ms = BAR_MS;
	}
	return NULL;
}

/* --- interface ------------------------------------------------------------- */

/* gsort_options.begins: a program that reads the output may write to the same terminal. */
static void
on_phase(void *context, enum gsort_phase phase)
{
	(void)context;
	if (phase != GSORT_WRITING)
		return;
	gs_progress_hold();
	gs_progress_release();
}

/* gsort_options.write for output to the terminal that shows the bar. */
static int
write_after_bar(void *context, const void *data, size_t bytes)
{
	(void)context;
	gs_progress_hold();
	watch.bar = false;
	gs_progress_release();
	while (bytes > 0) {
		struct pollfd wait = { .fd = STDOUT_FILENO, .events = POLLOUT };
		const ssize_t done = write(STDOUT_FILENO, data, bytes);

		if (done < 0 && errno == EAGAIN)	/* another process set O_NONBLOCK */
			(void)poll(&wait, 1, -1);
		else if (done < 0 && errno != EINTR)
			return -1;
		data = (const char *)data + (done < 0 ? 0 : done);
		bytes -= (size_t)(done < 0 ? 0 : done);
	}
	return 0;
}

void
gs_progress_begin(struct gs_opts *opts)
{
	enum { FEW = 4, SMALL_BYTES = 64 << 10 };	/* inputs; the capacity of a pipe; not tuned */
	const struct gsort_options *job = &opts->job;
	const enum gsort_type out = job->converts ? job->to : job->type;
	const bool text = !gs_is_binary(out);
	const bool wanted = !opts->quiet && opts->progress != GS_PROGRESS_NEVER &&
	                    (opts->progress != GS_PROGRESS_UNSET || opts->verbose > 0);
	const bool to_stdout = job->output == NULL;
	struct stat stdout_status, stderr_status;
	const bool known = fstat(STDOUT_FILENO, &stdout_status) == 0;

	watch.operation = job->operation;
	watch.bar = wanted && isatty(STDERR_FILENO) &&
	            !(job->input_count == 0 && isatty(STDIN_FILENO));	/* the user types there */
	watch.lines = wanted && !watch.bar && opts->progress == GS_PROGRESS_ALWAYS;
	/* standard output and standard error are the same terminal */
	if (watch.bar && to_stdout && !opts->check && known && isatty(STDOUT_FILENO) &&
	    fstat(STDERR_FILENO, &stderr_status) == 0 && stdout_status.st_rdev == stderr_status.st_rdev) {
		watch.bar = text;
		if (text)
			opts->job.write = write_after_bar;
	}
	if (watch.bar && to_stdout && known && S_ISFIFO(stdout_status.st_mode)) {
		watch.hides_writing = opts->progress == GS_PROGRESS_UNSET;	/* with -v alone */
		opts->job.begins = on_phase;
	}
	/* few small files, which open at once, take no time; the output does, if it is a FIFO */
	watch.later = job->input_count > FEW || job->output != NULL;
	for (size_t i = 0; (i < job->input_count || i == 0) && !watch.later; i++) {
		const char *name = job->input_count > 0 ? job->inputs[i] : "-";
		struct stat st;

		watch.later = (strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(name, &st)) != 0 ||
		              !S_ISREG(st.st_mode) || st.st_size > SMALL_BYTES;
	}
}

void
gs_progress_watch(const gsort *job)
{
	pthread_t thread;

	if (watch.later) {	/* after gsort_open(): its sandbox confines only later threads */
		pthread_sigmask(SIG_BLOCK, &watch.signals, NULL);	/* the thread fetches them */
		if (gs_thread_create(&thread, true, wait_and_show, NULL) != 0)	/* no bar; answer() answers */
			pthread_sigmask(SIG_UNBLOCK, &watch.signals, NULL);
	}
	atomic_store(&watch.job, job);
}

void
gs_progress_end(void)
{
	gs_progress_hold();
	watch.bar = watch.lines = false;
	atomic_store(&watch.job, NULL);
	gs_progress_release();
}

void
gs_progress_hold(void)
{
	pthread_mutex_lock(&watch.lock);
	erase();
}

void
gs_progress_release(void)
{
	pthread_mutex_unlock(&watch.lock);
}

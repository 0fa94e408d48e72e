// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.c - show on standard error how far the job has come
 *
 * In:   gsort_progress(), and a clock.
 * Out:  read 62% 3.9/6.3GiB 2.1GiB/s | sorted 3/5 runs | write 0% | 0:03 eta 0:04
 *
 * One thread waits for the next time to draw, or for a signal.  The signals are blocked in
 * all threads and fetched with sigtimedwait(2): no handler runs, and a signal that comes
 * before the thread starts is not lost.  The thread costs 40 us, so a short job has none.
 *
 * The rules come from bug reports about zstd: draw nothing in the first second; at most five
 * times a second; only on a terminal, unless the user asked for lines in a log; never on a
 * terminal where output has begun; leave no half line behind a message or at the end.
 *
 * Invariant: WATCH.drawn columns of the terminal's line are the bar's.  Whoever holds
 * WATCH.lock and prints erases them first.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"

enum {
	FIRST_MS = 1000, BAR_MS = 200, LINE_MS = 10000,
	ETA_SECONDS = 2,	/* no estimate before that */
	WIDEST = 256,
	STACK_BYTES = 256 << 10,
};

static struct {
	pthread_mutex_t lock;
	const gsort    *job;		/* NULL: not open yet, or ended */
	enum gsort_operation operation;
	bool            bar;		/* draw a bar */
	bool            lines;		/* print a line now and then */
	bool            later;		/* start the thread once the job is open */
	unsigned        drawn;		/* columns of the bar on the terminal */
	double          start;
	double          write_start;	/* 0: nothing written yet */
	sigset_t        signals;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- the line -------------------------------------------------------------- */

struct line {
	char   text[WIDEST];
	size_t bytes;
};

static void __attribute__((format(printf, 2, 3)))
add(struct line *line, const char *format, ...)
{
	const size_t room = sizeof line->text - line->bytes;
	va_list args;
	int added;

	va_start(args, format);
	added = vsnprintf(line->text + line->bytes, room, format, args);
	va_end(args);
	line->bytes += added < 0 ? 0 : (size_t)added < room ? (size_t)added : room - 1;
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
add_size(struct line *line, double size, unsigned unit)
{
	for (unsigned u = 0; u < unit; u++)
		size /= 1024;
	add(line, unit == 0 ? "%.0f" : "%.1f", size);
}

static void
add_time(struct line *line, double seconds)
{
	const unsigned long s = (unsigned long)seconds;

	if (s >= 3600)
		add(line, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	else
		add(line, "%lu:%02lu", s / 60, s % 60);
}

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 || part > whole ? 1 : (double)part / (double)whole;
}

static bool
knows_total(const struct gsort_progress *p)
{
	return p->bytes_total != UINT64_MAX && p->bytes_total > 0;
}

/* "read 62% 3.9/6.3GiB 2.1GiB/s" */
static void
add_read(struct line *line, const struct gsort_progress *p, double elapsed)
{
	const double speed = elapsed > 0 ? (double)p->bytes_in / elapsed : 0;
	const bool known = knows_total(p);
	const unsigned unit = unit_of((double)(known ? p->bytes_total : p->bytes_in));

	add(line, "read ");
	if (known)
		add(line, "%u%% ", (unsigned)(100 * share(p->bytes_in, p->bytes_total)));
	add_size(line, (double)p->bytes_in, unit);
	if (known) {
		add(line, "/");
		add_size(line, (double)p->bytes_total, unit);
	}
	add(line, "%s", units[unit]);
	if (p->phase == GSORT_READING) {
		add(line, " ");
		add_size(line, speed, unit_of(speed));
		add(line, "%s/s", units[unit_of(speed)]);
	}
}

/* "sorted 3/5 runs": the total assumes that the rest of the input is like the part read. */
static void
add_runs(struct line *line, const struct gsort_progress *p)
{
	const double read = share(p->bytes_in, p->bytes_total);

	if (p->runs == 0)
		return;
	add(line, " | sorted %u", p->runs);
	if (knows_total(p) && p->bytes_in > 0)
		add(line, "/%.0f", (double)p->runs / read);
	add(line, " run%s", p->runs == 1 ? "" : "s");
}

/*
 * Estimate the seconds left; less than 0: unknown.  A sort writes as many bytes as it reads,
 * and writing is taken to need as long as reading.
 */
static double
time_left(const struct gsort_progress *p, double elapsed, double writing)
{
	const double written = share(p->keys_sorted, p->keys_in);
	const double read = share(p->bytes_in, p->bytes_total);

	if (elapsed < ETA_SECONDS)
		return -1;
	if (watch.operation == GSORT_SORT && p->phase == GSORT_WRITING)
		return writing > 0 && p->keys_sorted > 0 ? writing / written - writing : -1;
	if (!knows_total(p) || p->bytes_in == 0)
		return -1;
	return (watch.operation == GSORT_SORT ? 2 : 1) * elapsed / read - elapsed;
}

/* Make the whole line.  The caller holds the lock. */
static void
make_line(struct line *line)
{
	const double at = now(), elapsed = at - watch.start;
	struct gsort_progress p;
	double left;

	line->bytes = 0;
	if (watch.job == NULL) {
		add(line, "opening the input");
		return;
	}
	gsort_progress(watch.job, &p);
	if (p.phase == GSORT_WRITING && watch.write_start == 0)
		watch.write_start = at;
	add_read(line, &p, elapsed);
	add_runs(line, &p);
	if (p.phase == GSORT_SORTING)
		add(line, " | sorting");
	if (p.phase == GSORT_MERGING)
		add(line, " | merging");
	if (watch.operation == GSORT_SORT)
		add(line, " | write %u%%", p.keys_in == 0 ? 0 :
		    (unsigned)(100 * share(p.keys_sorted, p.keys_in)));
	add(line, " | ");
	add_time(line, elapsed);
	left = time_left(&p, elapsed, watch.write_start > 0 ? at - watch.write_start : 0);
	if (left >= 0) {
		add(line, " eta ");
		add_time(line, left + 0.5);
	}
}

/* --- the terminal ---------------------------------------------------------- */

static unsigned
terminal_columns(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long value;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	value = columns != NULL ? strtoul(columns, NULL, 10) : 0;
	return value > 0 && value < WIDEST ? (unsigned)value : 80;
}

/* No escape sequences: some terminals have none.  The caller holds the lock. */
static void
erase(void)
{
	if (watch.drawn > 0)
		fprintf(stderr, "\r%*s\r", (int)watch.drawn, "");
	watch.drawn = 0;
}

static void
draw(void)
{
	const unsigned most = terminal_columns() - 1;	/* some terminals wrap at the last one */
	struct line line;
	int columns, blanks;

	make_line(&line);
	columns = (int)(line.bytes < most ? line.bytes : most);
	blanks = (int)watch.drawn > columns ? (int)watch.drawn - columns : 0;
	fprintf(stderr, "\r%.*s%*s", columns, line.text, blanks, "");
	watch.drawn = (unsigned)(columns + blanks);
}

static void
print(void)
{
	struct line line;

	erase();
	make_line(&line);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line.text);
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
		int signal;

		pthread_mutex_unlock(&watch.lock);
		signal = draws ? sigtimedwait(&watch.signals, NULL, &time)
		               : sigwaitinfo(&watch.signals, NULL);
		pthread_mutex_lock(&watch.lock);
		if (signal < 0 && errno != EAGAIN)
			continue;
		if (signal > 0 || watch.lines)
			print();
		else if (watch.bar && watch.job != NULL)
			draw();
		if (watch.bar && signal < 0)
			ms = BAR_MS;
	}
	return NULL;
}

void
gs_progress_block(void)
{
	sigemptyset(&watch.signals);
	sigaddset(&watch.signals, SIGUSR1);
#ifdef SIGINFO
	sigaddset(&watch.signals, SIGINFO);
#endif
	pthread_sigmask(SIG_BLOCK, &watch.signals, NULL);
}

static void
start_thread(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_create(&thread, &attr, wait_and_show, NULL);	/* failure: no bar */
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- interface ------------------------------------------------------------- */

/* gsort_options.write for output to the terminal that shows the bar. */
static int
write_after_bar(void *context, const void *data, size_t bytes)
{
	(void)context;
	pthread_mutex_lock(&watch.lock);
	erase();
	watch.bar = false;
	pthread_mutex_unlock(&watch.lock);
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

/* Are standard output and standard error the same terminal? */
static bool
shares_terminal(void)
{
	struct stat out, err;

	return isatty(STDOUT_FILENO) && fstat(STDOUT_FILENO, &out) == 0 &&
	       fstat(STDERR_FILENO, &err) == 0 && out.st_rdev == err.st_rdev;
}

enum { FEW = 4 };

/* Are the first FEW inputs regular files, which open at once?  *BYTES: the largest of them. */
static bool
are_files(const struct gsort_options *job, off_t *bytes)
{
	const size_t count = job->input_count > 0 ? job->input_count : 1;

	*bytes = 0;
	for (size_t i = 0; i < count && i < FEW; i++) {
		const char *name = job->input_count > 0 ? job->inputs[i] : "-";
		struct stat st;

		if ((strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(name, &st)) != 0 ||
		    !S_ISREG(st.st_mode))
			return false;
		if (st.st_size > *bytes)
			*bytes = st.st_size;
	}
	return true;
}

void
gs_progress_begin(struct gs_opts *opts)
{
	enum { SMALL_BYTES = 64 << 10 };	/* the capacity of a pipe; not tuned */
	const struct gsort_options *job = &opts->job;
	const enum gsort_type out = job->converts ? job->to : job->type;
	const bool text = out == GSORT_TEXT || out == GSORT_TEXT_FLOAT;
	const bool wanted = !opts->quiet && opts->progress != GS_PROGRESS_NEVER &&
	                    (opts->progress != GS_PROGRESS_UNSET || opts->verbose > 0);
	off_t bytes;

	watch.start = now();
	watch.operation = job->operation;
	watch.bar = wanted && isatty(STDERR_FILENO) &&
	            !(job->input_count == 0 && isatty(STDIN_FILENO));	/* the user types there */
	watch.lines = wanted && !watch.bar && opts->progress == GS_PROGRESS_ALWAYS;
	if (watch.bar && job->output == NULL && !opts->check && shares_terminal()) {
		watch.bar = text;
		if (text)
			opts->job.write = write_after_bar;
	}
	if (!are_files(job, &bytes))
		start_thread();
	else	/* few small inputs take no time; the output does, if it is a FIFO */
		watch.later = bytes > SMALL_BYTES || job->input_count > FEW || job->output != NULL;
}

void
gs_progress_watch(const gsort *job)
{
	if (watch.later)	/* after gsort_open(): its sandbox confines only later threads */
		start_thread();
	pthread_mutex_lock(&watch.lock);
	watch.job = job;
	pthread_mutex_unlock(&watch.lock);
}

void
gs_progress_end(void)
{
	pthread_mutex_lock(&watch.lock);
	erase();
	watch.bar = watch.lines = false;
	watch.job = NULL;
	pthread_mutex_unlock(&watch.lock);
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

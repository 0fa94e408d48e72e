// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.c - how far the job has come, on standard error
 *
 * In:   gsort_progress(), and a clock.
 * Out:  read 62% 3.9/6.3GiB 2.1GiB/s | sorted 3/5 runs | write 0% | 0:03 eta 0:04
 *
 * One thread waits, for the next moment to draw or for a signal: signals are blocked
 * everywhere and fetched with sigtimedwait(2), so no handler runs, and none that came
 * before the thread is lost.  It costs 40 us, so a job that is over in a moment has none.
 *
 * The rules of drawing are what the bug tracker of zstd teaches: nothing before a
 * second has passed; not more than five times a second; only on a terminal, unless
 * told (then plain lines, rarely: logs); never on a terminal where output has begun;
 * a message, or the end, leaves no half line behind.
 *
 * Invariant: DRAWN columns of the terminal's line are ours, and only while LOCK is
 * free or held by who erases them.
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
	ETA_SECONDS = 2,	/* before that, an estimate is a guess */
	WIDEST = 256,
	STACK_BYTES = 256 << 10,
};

static struct {
	pthread_mutex_t lock;
	const gsort    *job;		/* NULL: not open yet, or ended */
	enum gsort_operation operation;
	bool            bar;		/* draw one */
	bool            lines;		/* or lines, from time to time */
	bool            later;		/* the thread starts when the job is open */
	unsigned        drawn;		/* columns */
	double          start;
	double          write_start;	/* 0: not seen yet */
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

/* A piece of text that grows. */
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

/* SIZE in UNIT, without its name. */
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
is_known(const struct gsort_progress *p)
{
	return p->bytes_total != UINT64_MAX && p->bytes_total > 0;
}

/* "read 62% 3.9/6.3GiB 2.1GiB/s" */
static void
add_read(struct line *line, const struct gsort_progress *p, double elapsed)
{
	const double speed = elapsed > 0 ? (double)p->bytes_in / elapsed : 0;
	const bool known = is_known(p);
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

/* "sorted 3/5 runs": of so many, if the rest of the input is like what was read. */
static void
add_runs(struct line *line, const struct gsort_progress *p)
{
	const double read = share(p->bytes_in, p->bytes_total);

	if (p->runs == 0)
		return;
	add(line, " | sorted %u", p->runs);
	if (is_known(p) && p->bytes_in > 0)
		add(line, "/%.0f", (double)p->runs / read);
	add(line, " run%s", p->runs == 1 ? "" : "s");
}

/*
 * Seconds that are left, less than 0: nobody knows.  What a sort has read, it still has
 * to write, and that is taken to need as long.
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
	if (!is_known(p) || p->bytes_in == 0)
		return -1;
	return (watch.operation == GSORT_SORT ? 2 : 1) * elapsed / read - elapsed;
}

/* The whole line; LOCK is held. */
static void
tell(struct line *line)
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

/* Columns of the terminal. */
static unsigned
width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long said;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	said = columns != NULL ? strtoul(columns, NULL, 10) : 0;
	return said > 0 && said < WIDEST ? (unsigned)said : 80;
}

/* Without escape sequences: there are terminals that have none.  LOCK is held. */
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
	const unsigned most = width() - 1;	/* in the last column some terminals wrap */
	struct line line;
	int columns, blanks;

	tell(&line);
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
	tell(&line);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line.text);
}

/* --- the thread ------------------------------------------------------------ */

/* Holds LOCK, but not while it waits. */
static void *
wait_and_tell(void *context)
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
	(void)pthread_create(&thread, &attr, wait_and_tell, NULL);	/* without it, silence */
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- the rest of the program ------------------------------------------------ */

/* gsort_options.write, where output goes to the terminal that has the bar. */
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

		if (done < 0 && errno == EAGAIN)	/* others may have made it so */
			(void)poll(&wait, 1, -1);
		else if (done < 0 && errno != EINTR)
			return -1;
		data = (const char *)data + (done < 0 ? 0 : done);
		bytes -= (size_t)(done < 0 ? 0 : done);
	}
	return 0;
}

/* Do both standard output and standard error go to one terminal? */
static bool
shares_terminal(void)
{
	struct stat out, err;

	return isatty(STDOUT_FILENO) && fstat(STDOUT_FILENO, &out) == 0 &&
	       fstat(STDERR_FILENO, &err) == 0 && out.st_rdev == err.st_rdev;
}

enum { FEW = 4 };

/* Are the first few inputs files, that can be opened at once?  *BYTES: the largest of them. */
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
	const struct gsort_options *job = &opts->job;
	enum { SMALL_BYTES = 64 << 10 };	/* what any pipe takes at once; not tuned */
	const enum gsort_type out = job->converts ? job->to : job->type;
	off_t bytes;
	const bool text = out == GSORT_TEXT || out == GSORT_TEXT_FLOAT;
	const bool wanted = !opts->quiet && opts->progress != GS_PROGRESS_NEVER &&
	                    (opts->progress != GS_PROGRESS_UNSAID || opts->verbose > 0);

	watch.start = now();
	watch.operation = job->operation;
	watch.bar = wanted && isatty(STDERR_FILENO) &&
	            !(job->input_count == 0 && isatty(STDIN_FILENO));	/* somebody types */
	watch.lines = wanted && !watch.bar && opts->progress == GS_PROGRESS_ALWAYS;
	if (watch.bar && job->output == NULL && !opts->check && shares_terminal()) {
		watch.bar = text;
		if (text)
			opts->job.write = write_after_bar;
	}
	if (!are_files(job, &bytes))
		start_thread();
	else	/* a few small ones keep nobody waiting, unless output goes to a pipe with a name */
		watch.later = bytes > SMALL_BYTES || job->input_count > FEW || job->output != NULL;
}

void
gs_progress_watch(const gsort *job)
{
	if (watch.later)	/* than the sandbox of compressed files, which binds no older thread */
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

// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.c - show on standard error how far the job has come
 *
 * In:   gsort_progress(), and a clock.
 * Out:  a bar, lines in a log, an answer to SIGUSR1.
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

#include "cli/progress.h"

enum {
	FIRST_MS = 1000, BAR_MS = 200, LINE_MS = 10000,
	STACK_BYTES = 256 << 10,
};

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

/* --- the line -------------------------------------------------------------- */

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
	gs_progress_add(&whole, gs_program_name());
	gs_progress_add(&whole, ": ");
	gs_progress_add(&whole, line.text);
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

static void
start_thread(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int signal = 1; signal < NSIG; signal++)	/* from here on the thread fetches them */
		if (sigismember(&watch.signals, signal) == 1)
			sigaddset(&before, signal);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attr, wait_and_show, NULL) != 0)	/* no bar; answer() answers */
		for (int signal = 1; signal < NSIG; signal++)
			if (sigismember(&watch.signals, signal) == 1)
				sigdelset(&before, signal);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- interface ------------------------------------------------------------- */

/* gsort_options.begins: a program that reads the output may write to the same terminal. */
static void
on_phase(void *context, enum gsort_phase phase)
{
	(void)context;
	if (phase != GSORT_WRITING)
		return;
	pthread_mutex_lock(&watch.lock);
	erase();
	pthread_mutex_unlock(&watch.lock);
}

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
	const bool text = !gs_is_binary(out);
	const bool wanted = !opts->quiet && opts->progress != GS_PROGRESS_NEVER &&
	                    (opts->progress != GS_PROGRESS_UNSET || opts->verbose > 0);
	const bool to_stdout = job->output == NULL;
	struct stat stdout_status, stderr_status;
	const bool known = fstat(STDOUT_FILENO, &stdout_status) == 0;
	off_t bytes;

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
	/* few small inputs take no time; the output does, if it is a FIFO */
	watch.later = !are_files(job, &bytes) || bytes > SMALL_BYTES || job->input_count > FEW ||
	              job->output != NULL;
}

void
gs_progress_watch(const gsort *job)
{
	if (watch.later)	/* after gsort_open(): its sandbox confines only later threads */
		start_thread();
	atomic_store(&watch.job, job);
}

void
gs_progress_end(void)
{
	pthread_mutex_lock(&watch.lock);
	erase();
	watch.bar = watch.lines = false;
	atomic_store(&watch.job, NULL);
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

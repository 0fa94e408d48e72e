// SPDX-License-Identifier: BSD-2-Clause
/*
 * output.c - gsort-bench-output: how fast bytes get into a new file, or through a pipe
 *
 * The bytes come from buffers that fit in the second-level cache, one a thread, as if a sorter
 * had just finished them.  Threads write pieces of a file in turn: one thread with write(2),
 * several with pwrite(2) or through a shared mapping.  Before that the file gets its size, its
 * blocks, or nothing.  The time is from open(2) to close(2); the disk may write later.  One
 * thread writes to a pipe, by copying or by giving pages, and the time ends with the reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bench/clock.h"
#include "bench/stats.h"

enum {
	SOURCE_BYTES = 256 << 10,	/* what a thread has just made */
	RUNS_MOST    = 99,
	HUGE_BYTES   = 2 << 20,
};

/* How the file gets its blocks; AHEAD: the writer preallocates as it goes, for write(2) only. */
enum before { NOTHING, SIZE, BLOCKS, ROOM, AHEAD, BEFORES };
static const char *const befores[BEFORES] = {
	"-", "ftruncate", "fallocate", "keep-size", "ahead",
};
enum { AHEAD_BYTES = 64 << 20 };

static struct bench {
	size_t      bytes;
	size_t      piece_bytes;	/* of most rows; or 0: all sizes */
	unsigned    threads;		/* most */
	unsigned    runs;
	bool        exists;		/* the file, from the run before: it is cut first */
	const char *only;		/* this method */
	char        path[4096];
} bench = { .bytes = (size_t)1 << 30, .threads = 2, .runs = 5 };

/* One run: what the threads share. */
struct task {
	const struct method *method;
	enum before before;
	size_t   piece_bytes;
	unsigned threads;
	int      fd;
	_Atomic size_t next;
};

static void
die(const char *what)
{
	fprintf(stderr, "gsort-bench-output: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void *
fresh(size_t bytes)
{
	char *memory = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const size_t before = -(uintptr_t)memory % HUGE_BYTES;

	if (memory == MAP_FAILED)
		die("no memory");
	if (before > 0)
		munmap(memory, before);
	munmap(memory + before + bytes, HUGE_BYTES - before);
	(void)madvise(memory + before, bytes, MADV_HUGEPAGE);
	return memory + before;
}

/* ---- a file -------------------------------------------------------------------- */

static void
put_written(int fd, char *source, size_t at, size_t bytes)
{
	(void)at;
	for (size_t done = 0; done < bytes; done += SOURCE_BYTES)
		if (write(fd, source, SOURCE_BYTES) != SOURCE_BYTES)
			die("write");
}

/* One call for a piece of any size: it repeats the bytes of the source. */
static void
put_placed(int fd, char *source, size_t at, size_t bytes)
{
	struct iovec parts[64];
	const size_t count = bytes / SOURCE_BYTES;

	for (size_t p = 0; p < count; p++)
		parts[p] = (struct iovec){ source, SOURCE_BYTES };
	if (pwritev(fd, parts, (int)count, (off_t)at) != (ssize_t)bytes)
		die("pwrite");
}

static char *
map(int fd, size_t at, size_t bytes)
{
	char *window = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

	if (window == MAP_FAILED)
		die("mmap");
	return window;
}

static void
put_mapped(int fd, char *source, size_t at, size_t bytes)
{
	char *window = map(fd, at, bytes);

	for (size_t done = 0; done < bytes; done += SOURCE_BYTES)
		memcpy(window + done, source, SOURCE_BYTES);
	munmap(window, bytes);
}

static void
put_populated(int fd, char *source, size_t at, size_t bytes)
{
	char *window = map(fd, at, bytes);

	if (madvise(window, bytes, MADV_POPULATE_WRITE) != 0)
		die("madvise");
	for (size_t done = 0; done < bytes; done += SOURCE_BYTES)
		memcpy(window + done, source, SOURCE_BYTES);
	munmap(window, bytes);
}

#ifdef __SSE2__
/* Past the caches. */
static void
put_streamed(int fd, char *source, size_t at, size_t bytes)
{
	char *window = map(fd, at, bytes);

	if (madvise(window, bytes, MADV_POPULATE_WRITE) != 0)
		die("madvise");
	for (size_t done = 0; done < bytes; done += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(window + done),
		                 _mm_load_si128((const __m128i *)(source + done % SOURCE_BYTES)));
	_mm_sfence();
	munmap(window, bytes);
}
#endif

static const struct method {
	const char *name;
	void      (*put)(int fd, char *source, size_t at, size_t bytes);
	bool        one;	/* thread only, and one size of pieces */
	bool        maps;
} methods[] = {
	{ "write", put_written, true, false },
	{ "pwrite", put_placed, false, false },
	{ "map", put_mapped, false, true },
	{ "map-populate", put_populated, false, true },
#ifdef __SSE2__
	{ "map-stream", put_streamed, false, true },
#endif
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void *
put_pieces(void *context)
{
	struct task *task = context;
	char *source = aligned_alloc(4096, SOURCE_BYTES);
	size_t at;

	memset(source, 'x', SOURCE_BYTES);
	while ((at = atomic_fetch_add(&task->next, task->piece_bytes)) < bench.bytes) {
		if (task->before == AHEAD && at % AHEAD_BYTES == 0 &&
		    fallocate(task->fd, FALLOC_FL_KEEP_SIZE, (off_t)at, AHEAD_BYTES) != 0)
			die("fallocate");
		task->method->put(task->fd, source, at, task->piece_bytes);
	}
	free(source);
	return NULL;
}

static double
write_file(struct task *task)
{
	pthread_t ids[1024];
	const double start = now();
	double spent;

	task->next = 0;
	task->fd = open(bench.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (task->fd < 0)
		die(bench.path);
	if (task->before == SIZE && ftruncate(task->fd, (off_t)bench.bytes) != 0)
		die("ftruncate");
	if ((task->before == BLOCKS || task->before == ROOM) &&
	    fallocate(task->fd, task->before == ROOM ? FALLOC_FL_KEEP_SIZE : 0, 0,
	              (off_t)bench.bytes) != 0)
		die("fallocate");
	for (unsigned t = 0; t < task->threads; t++)
		if ((errno = pthread_create(&ids[t], NULL, put_pieces, task)) != 0)
			die("cannot start a thread");
	for (unsigned t = 0; t < task->threads; t++)
		pthread_join(ids[t], NULL);
	if (close(task->fd) != 0)
		die("close");
	spent = now() - start;
	if (!bench.exists)
		unlink(bench.path);
	return spent;
}

/* ---- a pipe -------------------------------------------------------------------- */

static const char *const ways[] = {
	"write", "write-memory", "vmsplice", "vmsplice-gift", "vmsplice-fill",
};
enum { WAYS = sizeof ways / sizeof ways[0], CACHED = 0, MEMORY, GIVEN, GIFT, FILLED };

/* MEMORY: the bytes to write, for ways that do not fill memory themselves. */
static void
feed(int fd, unsigned way, size_t piece_bytes, char *source, char *memory)
{
	for (size_t at = 0; at < bench.bytes; at += piece_bytes) {
		char *from = way == CACHED ? source : way == FILLED ? fresh(piece_bytes) : memory + at;

		for (size_t done = 0; way == FILLED && done < piece_bytes; done += SOURCE_BYTES)
			memcpy(from + done, source, SOURCE_BYTES);
		for (size_t done = 0; done < piece_bytes; ) {
			struct iovec rest = { from + done, piece_bytes - done };
			const ssize_t got = way <= MEMORY ? write(fd, rest.iov_base, rest.iov_len)
				: vmsplice(fd, &rest, 1, way == GIFT ? SPLICE_F_GIFT : 0);

			if (got < 0)
				die("pipe");
			done += (size_t)got;
		}
		if (way >= GIVEN)
			munmap(from, piece_bytes);
	}
}

static double
write_pipe(const char *reader, unsigned way, size_t piece_bytes, int pipe_bytes)
{
	char *source = fresh(16 << 20), *memory = NULL;
	double start, spent;
	FILE *pipe;

	memset(source, 'x', 16 << 20);
	if (way == MEMORY || way == GIVEN || way == GIFT) {
		memory = fresh(bench.bytes);
		memset(memory, 'x', bench.bytes);
	}
	pipe = popen(reader, "w");
	if (pipe == NULL || fcntl(fileno(pipe), F_SETPIPE_SZ, pipe_bytes) < 0)
		die("cannot make a pipe");
	usleep(10000);		/* the reader has started */
	start = now();
	feed(fileno(pipe), way, piece_bytes, source, memory);
	pclose(pipe);
	spent = now() - start;
	munmap(source, 16 << 20);
	if (way == MEMORY)
		munmap(memory, bench.bytes);
	return spent;
}

/* ---- rows ----------------------------------------------------------------------- */

static void
print_rate(double *times)
{
	const struct stats stats = stats_of(times, bench.runs);

	printf("%7.2f GB/s  %7.2f .. %.2f\n", (double)bench.bytes / stats.median / 1e9,
	       (double)bench.bytes / stats.most / 1e9, (double)bench.bytes / stats.least / 1e9);
	fflush(stdout);
}

static void
measure_file(struct task *task)
{
	double times[RUNS_MOST];

	for (unsigned run = 0; run < bench.runs; run++)
		times[run] = write_file(task);
	printf("%-13s %-9s %4zu KiB %3u threads ", task->method->name, befores[task->before],
	       task->piece_bytes >> 10, task->threads);
	print_rate(times);
}

static void
measure_files(void)
{
	static const size_t sizes[] = { 256 << 10, 1 << 20, 4 << 20 };
	struct task task;

	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned b = methods[m].maps ? SIZE : NOTHING; b < BEFORES; b++)
			for (unsigned s = 0; s < 3; s++)
				for (unsigned t = 1; t <= (methods[m].one ? 1 : bench.threads); t *= 2) {
					task = (struct task){ .method = &methods[m], .before = (enum before)b,
						.piece_bytes = sizes[s], .threads = t };
					if ((!methods[m].one && b == AHEAD) ||
					    (methods[m].maps && b > BLOCKS))
						continue;
					if ((bench.piece_bytes == 0 || bench.piece_bytes == sizes[s]) &&
					    (bench.only == NULL || strcmp(bench.only, methods[m].name) == 0))
						measure_file(&task);
				}
}

static void
measure_pipes(void)
{
	static const char *const readers[] = { "cat >/dev/null", "wc -c >/dev/null", "cat >$OUT" };
	static const size_t sizes[] = { 64 << 10, 1 << 20, 4 << 20 };
	static const int pipes[] = { 64 << 10, 1 << 20 };
	double times[RUNS_MOST];

	setenv("OUT", bench.path, 1);
	for (unsigned r = 0; r < 3; r++)
		for (unsigned p = 0; p < 2; p++)
			for (unsigned s = 0; s < 3; s++)
				for (unsigned w = 0; w < WAYS; w++) {
					if ((bench.piece_bytes > 0 && bench.piece_bytes != sizes[s]) ||
					    (bench.only != NULL && strcmp(bench.only, ways[w]) != 0) ||
					    (w == FILLED && sizes[s] < HUGE_BYTES))
						continue;
					for (unsigned run = 0; run < bench.runs; run++) {
						times[run] = write_pipe(readers[r], w, sizes[s], pipes[p]);
						unlink(bench.path);
					}
					printf("%-17s %4d KiB pipe %4zu KiB %-14s", readers[r],
					       pipes[p] >> 10, sizes[s] >> 10, ways[w]);
					print_rate(times);
				}
}

/* ---- the command line ------------------------------------------------------------ */

static void
help(void)
{
	printf("Usage: gsort-bench-output [OPTION]... DIRECTORY\n"
	       "Write a new file in DIRECTORY, several times and in all ways, and print bytes a\n"
	       "second: median, then least and most of the runs.\n\n"
	       "  -p, --pipe          instead, through pipes to readers, who drop it or write it there\n"
	       "  -e, --exists        instead of a new file, cut the one of the run before\n"
	       "  -m, --mib=N         N MiB, a multiple of 16 (default 1024)\n"
	       "  -s, --piece=KIB     pieces of this size only: 64 (pipes), 256 (files), 1024, 4096\n"
	       "  -j, --threads=N     with 1, 2, 4 .. N threads (default 2)\n"
	       "  -o, --only=NAME     only this method:");
	for (unsigned m = 0; m < METHODS; m++)
		printf(" %s", methods[m].name);
	printf(";\n                      of pipes:");
	for (unsigned w = 0; w < WAYS; w++)
		printf(" %s", ways[w]);
	printf("\n  -n, --runs=N        1 to %d (default 5)\n  -h, --help\n", RUNS_MOST);
}

static size_t
number(const char *text, size_t most)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n < 1 || n > most) {
		fprintf(stderr, "gsort-bench-output: '%s' is not a number from 1 to %zu\n", text, most);
		exit(2);
	}
	return n;
}

static const struct option long_options[] = {
	{ "pipe", no_argument, NULL, 'p' }, { "mib", required_argument, NULL, 'm' },
	{ "piece", required_argument, NULL, 's' }, { "threads", required_argument, NULL, 'j' },
	{ "only", required_argument, NULL, 'o' }, { "exists", no_argument, NULL, 'e' },
	{ "runs", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
};

int
main(int argc, char **argv)
{
	bool pipes = false;
	int option;

	while ((option = getopt_long(argc, argv, "pm:s:j:o:n:eh", long_options, NULL)) != -1)
		switch (option) {
		case 'p': pipes = true; break;
		case 'm': bench.bytes = (number(optarg, 1 << 20) + 15) / 16 * 16 << 20; break;
		case 's': bench.piece_bytes = number(optarg, 4096) << 10; break;
		case 'j': bench.threads = (unsigned)number(optarg, 1024); break;
		case 'e': bench.exists = true; break;
		case 'o': bench.only = optarg; break;
		case 'n': bench.runs = (unsigned)number(optarg, RUNS_MOST); break;
		case 'h': help(); return 0;
		default: fprintf(stderr, "Try 'gsort-bench-output --help'.\n"); return 2;
		}
	if (optind + 1 != argc) {
		fprintf(stderr, "gsort-bench-output: takes one folder\n"
		        "Try 'gsort-bench-output --help'.\n");
		return 2;
	}
	snprintf(bench.path, sizeof bench.path, "%s/gsort-bench-output.%ld", argv[optind],
	         (long)getpid());
	if (pipes)
		measure_pipes();
	else
		measure_files();
	unlink(bench.path);
	return 0;
}

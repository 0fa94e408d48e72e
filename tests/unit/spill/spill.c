// SPDX-License-Identifier: BSD-2-Clause
/* spill.c - rows for src/spill/spill.c: runs are read as they were written */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/limits.h"
#include "base/team.h"
#include "sort/span.h"
#include "spill/compress.h"
#include "spill/spill.h"
#include "tests/unit/units.h"

void unit_spill(void);

enum { MOST_RUNS = 64, DIRS = 3 };

static char folder[64];
static char dirs[DIRS][96];
static const char *dir_names[DIRS] = { dirs[0], dirs[1], dirs[2] };

static const struct row {
	const char *name;
	const char *program;
	size_t      dirs, runs, keys;	/* run r has keys / (r + 1) of them */
	size_t      most;		/* keys written at once */
	size_t      room;		/* keys read at once, from all runs in turn */
	unsigned    threads;
	size_t      buffer_bytes;
} rows[] = {
	{ "one run", NULL, 1, 1, 100000, 100000, 100000, 1, 1 << 16 },
	{ "a run without keys", NULL, 1, 1, 0, 1, 10, 1, 1 << 16 },
	{ "two runs, a few keys at a time", NULL, 1, 2, 50000, 7, 1001, 1, 1 << 16 },
	{ "more runs than directories", NULL, 3, 20, 50000, 5000, 3000, 1, 1 << 12 },
	{ "many keys at a time, and holes behind them", NULL, 2, 4, 4000000, 1000000, 700001, 2, 1 << 20 },
	{ "keys that are staged or not", NULL, 1, 2, 100000, 5000, 5000, 1, 1 << 16 },
	{ "half of the stage at once, behind a little", NULL, 1, 1, 50000, 4096, 5000, 1, 1 << 16 },
	{ "zstd, in little memory", "zstd", 1, 3, 100000, 1000, 3000, 1, 1 << 16 },
	{ "zstd, a run without keys", "zstd", 1, 1, 0, 1, 10, 1, 1 << 16 },
	{ "zstd, by four threads, many at once", "zstd", 2, 5, 1000000, 400000, 300000, 4, 8 << 20 },
	{ "zstd, one key at a time", "zstd", 1, 2, 1000, 1, 1, 2, 1 << 20 },
	{ "lz4, in little memory", "lz4", 3, 7, 100000, 5000, 10000, 2, 1 << 18 },
	{ "lz4, by three threads, many at once", "lz4", 1, 3, 1000000, 900000, 1000000, 3, 8 << 20 },
};

static const char *const forms[] = { NULL, "zstd", "lz4" };

static uint64_t
key_of(size_t run, size_t at)
{
	return (uint64_t)at << 20 | run << 8 | (at * 7 & 255);
}

static size_t
keys_of(const struct row *row, size_t run)
{
	return row->keys / (run + 1);
}

static gs_status
write_run(struct gs_spill *spill, const struct row *row, unsigned bits, size_t run,
          struct gs_run *written)
{
	const size_t count = keys_of(row, run);
	char *keys = malloc(row->most * (bits / 8) + 8);
	gs_status status = gs_spill_begin(spill, bits, 1);

	for (size_t at = 0, keys_now, n = 0; at < count && status == GS_OK; at += keys_now, n++) {
		keys_now = n % 2 == 0 ? row->most / 3 + 1 : row->most;	/* what is staged, and what is not */
		keys_now = count - at < keys_now ? count - at : keys_now;

		for (size_t i = 0; i < keys_now; i++)
			gs_key_put(keys, bits, i, key_of(run, at + i));
		status = gs_spill_write(spill, 0, keys, keys_now);
		memset(keys, 0x55, keys_now * (bits / 8));		/* we may */
	}
	if (status == GS_OK)
		status = gs_spill_end(spill, written);
	free(keys);
	return status;
}

/* Read from all runs in turn.  Keys that came as they went, or SIZE_MAX. */
static size_t
read_runs(struct gs_spill *spill, const struct row *row, unsigned bits, struct gs_run *runs,
          gs_status *status)
{
	char *keys = malloc(row->room * (bits / 8) + 1);
	size_t at[MOST_RUNS] = { 0 }, ended = 0, total = 0, count;
	bool good = true;

	*status = GS_OK;
	for (size_t r = 0; ended < row->runs && *status == GS_OK; r = (r + 1) % row->runs) {
		ended = r == 0 ? 0 : ended;
		*status = gs_spill_read(spill, &runs[r], keys, row->room, &count);
		for (size_t i = 0; i < count && *status == GS_OK; i++) {
			const uint64_t key = key_of(r, at[r] + i);

			good &= gs_key_at(keys, bits, i) == (bits == 32 ? (uint32_t)key : key);
		}
		at[r] += count;
		total += count;
		good &= count == row->room || at[r] == keys_of(row, r);
		ended += count == 0;
	}
	free(keys);
	return good ? total : SIZE_MAX;
}

static const struct gs_monitor quiet;

static struct gs_spill_options
options_of(const struct row *row, void *buffer)
{
	return (struct gs_spill_options){
		.dirs = dir_names, .dir_count = row->dirs, .compress_program = row->program,
		.threads = row->threads, .buffer = buffer, .buffer_bytes = row->buffer_bytes,
		.monitor = &quiet,
	};
}

static void
check_row(const struct row *row, unsigned bits)
{
	char *buffer = malloc(row->buffer_bytes);
	const struct gs_spill_options options = options_of(row, buffer);
	struct gs_run runs[MOST_RUNS];
	struct gs_spill *spill;
	size_t total = 0, came = SIZE_MAX;
	gs_status status = gs_spill_open(&spill, &options);

	for (size_t r = 0; r < row->runs && status == GS_OK; r++) {
		status = write_run(spill, row, bits, r, &runs[r]);
		total += keys_of(row, r);
	}
	if (status == GS_OK && row->program != NULL && total > 0)	/* or the codec is never called */
		CHECK(gs_spill_bytes(spill) < total * (bits / 8), "%s, %u bits: %llu bytes for %zu keys",
		      row->name, bits, (unsigned long long)gs_spill_bytes(spill), total);
	if (status == GS_OK)
		came = read_runs(spill, row, bits, runs, &status);
	CHECK(status == GS_OK && came == total, "%s, %u bits: %zu of %zu keys, '%s'", row->name, bits,
	      came, total, status == GS_OK ? "" : gs_message());
	gs_spill_close(spill);
	free(buffer);
}

/* --- files in the directories ------------------------------------------------ */

/* A descriptor of this process whose file lies, or lay, in the folder; -1: none. */
static int
find_file(void)
{
	DIR *fds = opendir("/proc/self/fd");
	int found = -1;

	for (struct dirent *entry; found < 0 && (entry = readdir(fds)) != NULL;) {
		char name[300], target[300] = "";

		snprintf(name, sizeof name, "/proc/self/fd/%s", entry->d_name);
		if (readlink(name, target, sizeof target - 1) > 0 &&
		    strncmp(target, folder, strlen(folder)) == 0)
			found = atoi(entry->d_name);
	}
	closedir(fds);
	return found;
}

static bool
is_empty(const char *dir)
{
	DIR *entries = opendir(dir);
	unsigned count = 0;

	while (readdir(entries) != NULL)
		count++;
	closedir(entries);
	return count == 2;
}

/* Does the file system of DIR give back space inside of files, and does this build ask for it? */
static bool
frees_blocks(const char *dir)
{
	static const char bytes[1 << 14];
	char name[128];
	struct stat st = { .st_blocks = 1 };
	int fd;

	snprintf(name, sizeof name, "%s/XXXXXX", dir);
	fd = mkstemp(name);
	unlink(name);
	if (write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {
		gs_blocks_free(fd, 0, sizeof bytes);
		(void)fstat(fd, &st);
	}
	close(fd);
	return st.st_blocks == 0;
}

/* Do the files in the folder soon have at most BLOCKS?  Another thread frees them. */
static bool
blocks_soon(blkcnt_t blocks)
{
	blkcnt_t sum = blocks + 1;

	for (unsigned try = 0; try < 3000 && sum > blocks; try++) {
		sum = 0;
		for (int fd = 3; fd < 64; fd++) {
			char name[64], target[300] = "";
			struct stat st;

			snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
			if (readlink(name, target, sizeof target - 1) > 0 &&
			    strncmp(target, folder, strlen(folder)) == 0 && fstat(fd, &st) == 0)
				sum += st.st_blocks;
		}
		if (sum > blocks)
			usleep(10000);
	}
	return sum <= blocks;
}

static void
check_unnamed(void)
{
	static const struct row row = { "", NULL, 1, 1, 3000000, 3000000, 3000000, 1, 1 << 16 };
	char *buffer = malloc(row.buffer_bytes), *keys = malloc(row.keys * 8);
	const struct gs_spill_options options = options_of(&row, buffer);
	struct gs_spill *spill;
	struct gs_run run;
	struct stat st = { .st_nlink = 1 };
	size_t count = 0;
	gs_status status = gs_spill_open(&spill, &options);

	CHECK(status == GS_OK && find_file() < 0, "no file before the first run");
	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	CHECK(status == GS_OK && fstat(find_file(), &st) == 0 && st.st_nlink == 0 && is_empty(dirs[0]),
	      "the file has no name");
	CHECK(gs_spill_bytes(spill) == row.keys * 8 && st.st_size == (off_t)row.keys * 8,
	      "all keys are in it");
	if (status == GS_OK)
		status = gs_spill_read(spill, &run, keys, row.keys, &count);
	if (status == GS_OK && frees_blocks(dirs[0])) {
		gs_blocks_free(find_file(), 0, 4096);
		/* A thread of its own does it. */
		for (unsigned try = 0; try < 3000 && fstat(find_file(), &st) == 0 && st.st_blocks > 0; try++)
			usleep(10000);
		CHECK(fstat(find_file(), &st) == 0 && st.st_blocks == 0, "their space is given back");
	}
	gs_spill_close(spill);
	CHECK(status == GS_OK && count == row.keys && find_file() < 0, "the file is gone");
	free(keys);
	free(buffer);
}

/* When much of a run was read, half of its space is free; and all of it at the end, even if a CALL for memory
 * fails.  Returns whether one failed. */
static bool
check_freed(long call)
{
	static const struct row row = { "", NULL, 1, 1, 5000000, 2500000, 1000000, 1, 1 << 16 };
	const blkcnt_t half = 5000000 * 8 / 512 / 2;
	char *buffer = malloc(row.buffer_bytes), *keys = malloc(row.room * 8);
	const struct gs_spill_options options = options_of(&row, buffer);
	struct gs_spill *spill;
	struct gs_run run;
	struct stat st = { .st_blocks = 0 };
	size_t count = 0;
	gs_status status = gs_spill_open(&spill, &options);
	bool failed;

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	for (unsigned piece = 0; piece < 3 && status == GS_OK; piece++)
		status = gs_spill_read(spill, &run, keys, row.room, &count);
	for (unsigned try = 0; try < 3000 && fstat(find_file(), &st) == 0 && st.st_blocks > half; try++)
		usleep(10000);
	CHECK(status == GS_OK && st.st_blocks <= half, "three fifths are read, and half is given back");
	CHECK(count == row.room && gs_spill_read(spill, &run, keys, row.room, &count) == GS_OK, "one more");
	units_fail(call);
	status = gs_spill_read(spill, &run, keys, row.room, &count);
	failed = units_has_failed();
	CHECK(status == GS_EIO || (count == row.room &&
	      gs_key_at(keys, 64, count - 1) == key_of(0, row.keys - 1)),
	      "call %ld fails: status %d", call, (int)status);
	if (failed && status == GS_OK) {
		for (unsigned try = 0; try < 3000 && fstat(find_file(), &st) == 0 && st.st_blocks > 16; try++)
			usleep(10000);
		CHECK(st.st_blocks <= 16, "without memory the space is given back, too");
	}
	gs_spill_close(spill);
	free(keys);
	free(buffer);
	return failed;
}

/* Runs go to all directories in turn. */
static void
check_turns(void)
{
	const struct row row = { "", NULL, DIRS, 1, 1, 1, 1, 1, 1 << 16 };
	const size_t memory = units_memory();
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	struct gs_spill *spill;
	struct gs_run run;

	CHECK(gs_spill_open(&spill, &options) == GS_OK, "a spill is opened");
	for (size_t d = 0; d < 2 * DIRS; d++) {
		char name[64], target[300] = "";
		unsigned in = 0;

		CHECK(write_run(spill, &row, 64, 0, &run) == GS_OK, "a run");
		for (int fd = 3; fd < 64; fd++) {
			snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
			in += readlink(name, target, sizeof target - 1) > 0 &&
			      strncmp(target, folder, strlen(folder)) == 0;
		}
		CHECK(in == (d < DIRS ? d + 1 : DIRS), "%u directories are used after %zu runs", in, d + 1);
	}
	gs_spill_close(spill);
	free(buffer);
	CHECK(units_memory() == memory, "%zd bytes are not given back", (ssize_t)(units_memory() - memory));
}

/* The disk of the first directory is full: another one is used, or its error is reported. */
static void
check_next_directory(unsigned dirs_there)
{
	const struct row row = { "", NULL, 2, 1, 50000, 30000, 7000, 1, 1 << 16 };
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	const int full = open("/dev/full", O_RDWR);
	struct gs_spill *spill;
	struct gs_run run, first;
	gs_status status = gs_spill_open(&spill, &options);
	size_t came;

	if (status == GS_OK)
		status = gs_spill_begin(spill, 64, 1);
	if (status == GS_OK)
		status = gs_spill_end(spill, &first);
	CHECK(status == GS_OK && full >= 0 && dup2(full, find_file()) >= 0, "a full disk");
	close(full);
	status = gs_spill_begin(spill, 64, 1);	/* in the other directory */
	if (status == GS_OK)
		status = gs_spill_end(spill, &first);
	if (dirs_there < 2)
		rmdir(dirs[1]);
	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	if (dirs_there == 2) {
		came = status == GS_OK ? read_runs(spill, &row, 64, &run, &status) : 0;
		CHECK(status == GS_OK && came == row.keys, "all keys are in the next one: %zu", came);
	} else {
		mkdir(dirs[1], 0700);
		CHECK(status == GS_EIO && strstr(gs_message(), "cannot make a temporary file in ") != NULL &&
		      strstr(gs_message(), dirs[1]) != NULL &&
		      strstr(gs_message(), ": No such file or directory; name another") != NULL,
		      "one that is gone is named: %s", gs_message());
	}
	gs_spill_close(spill);
	free(buffer);
}

static const struct row *filled;

/* In a process whose files seem to be on full disks from byte FULL_FROM on: a run goes on in the next
 * directory, and is read as one; then no directory is left. */
static void
fill_directories(void)
{
	const struct row *row = filled;
	enum { FULL_FROM = 1 << 20 };
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FULL_FROM, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
	char *buffer = malloc(row->buffer_bytes), text[400];
	const struct gs_spill_options options = options_of(row, buffer);
	struct gs_spill *spill;
	struct gs_run run;
	size_t came = 0;
	gs_status status;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return;
	status = gs_spill_open(&spill, &options);
	if (status == GS_OK)
		status = write_run(spill, row, 64, 0, &run);
	if (status == GS_OK)
		came = read_runs(spill, row, 64, &run, &status);
	CHECK(status == GS_OK && came == row->keys, "%s: %zu keys, %s", row->name, came,
	      status == GS_OK ? "ok" : gs_message());
	CHECK(!frees_blocks(dirs[0]) || blocks_soon(16 * DIRS), "the space of all files is given back");
	for (unsigned more = 0; more < 9 && status == GS_OK; more++)
		status = write_run(spill, row, 64, 0, &run);
	CHECK(status == GS_EIO && strstr(gs_message(), "No space left on device after ") != NULL,
	      "no more: %s", gs_message());
	for (size_t d = 0; d < row->dirs; d++) {
		const char *end = d + 1 < row->dirs ? " MiB free), " : " MiB free): ", *named;

		snprintf(text, sizeof text, "%s (", dirs[d]);
		named = strstr(gs_message(), text);
		CHECK(named != NULL && strstr(named, end) != NULL, "%s is named: %s", dirs[d], gs_message());
		if (named != NULL) {
			const uint64_t said = strtoull(named + strlen(text), NULL, 10);
			const uint64_t free_space = gs_limits_disk_bytes(dirs[d]) >> 20;

			CHECK(said <= 2 * free_space + 1000 && free_space <= 2 * said + 1000,
			      "%llu MiB are free: %s", (unsigned long long)free_space, gs_message());
		}
	}
	gs_spill_close(spill);
	free(buffer);
}

static void
check_full_directories(void)
{
	static const struct row full[] = {
		{ "a run in two directories", NULL, 2, 1, 200000, 30000, 30000, 1, 1 << 16 },
		{ "a run in three", NULL, 3, 1, 300000, 10000, 7001, 1, 1 << 16 },
		{ "a run in three, read at once", NULL, 3, 1, 300000, 10000, 300000, 1, 1 << 16 },
	};

	for (size_t f = 0; f < sizeof full / sizeof full[0]; f++) {
		filled = &full[f];
		CHECK(units_child(fill_directories) == 0, "%s", full[f].name);
	}
}

/* How many signals this thread blocks. */
static unsigned
blocked_signals(void)
{
	unsigned count = 0;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int number = 1; number < SIGRTMAX; number++)
		count += sigismember(&mask, number) == 1;
	return count;
}

/* Where all files have names, that is gone at once; what a directory says that has no room for a file, and a
 * process that may open none. */
static void
open_without_room(void)
{
	static char buffer[1 << 16];
	const struct gs_spill_options options = {
		.dirs = dir_names, .dir_count = DIRS, .threads = 1, .buffer = buffer,
		.buffer_bytes = sizeof buffer, .monitor = &quiet,
	};
	struct gs_spill *spill;
	bool full;

	CHECK(gs_spill_open(&spill, &options) == GS_EIO && spill == NULL &&
	      strstr(gs_message(), "cannot make a temporary file in ") != NULL, "%s", gs_message());
	full = gs_failure_errno() == ENOSPC;
	for (size_t d = 0; d < DIRS; d++)
		CHECK((strstr(gs_message(), dirs[d]) != NULL) == (d == 0 || full),
		      "directory %zu is named: %s", d, gs_message());
	CHECK((strstr(gs_message(), " (raise ulimit -n)") != NULL) == !full &&
	      (strstr(gs_message(), "; name another directory with -T") != NULL) == full,
	      "what helps: %s", gs_message());
}

static void
open_with_names(void)
{
	const unsigned blocked = blocked_signals();

	check_row(&rows[3], 64);
	for (size_t d = 0; d < DIRS; d++)
		CHECK(is_empty(dirs[d]), "no file keeps its name in directory %zu", d);
	CHECK(blocked_signals() == blocked, "no signal stays blocked: %u", blocked_signals());
}

static void
check_open_files(void)
{
	enum { FLAGS = 2, NAMELESS = O_TMPFILE & ~O_DIRECTORY };

	units_denied(open_with_names, SYS_openat, FLAGS, NAMELESS, EOPNOTSUPP);
	units_denied(open_without_room, SYS_openat, FLAGS, NAMELESS | O_CREAT, ENOSPC);
	units_denied(open_without_room, SYS_openat, FLAGS, NAMELESS | O_CREAT, EMFILE);
	units_denied(open_without_room, SYS_openat, FLAGS, NAMELESS | O_CREAT, ENFILE);
}

/* Without another thread, space is given back by the one that reads. */
static void
spill_alone(void)
{
	check_row(&rows[4], 32);
	check_row(&rows[9], 64);
	if (frees_blocks(dirs[0]))
		check_unnamed();
}

/* --- errors ---------------------------------------------------------------------- */

static char notes[2048];

static void
take_note(void *context, const char *line)
{
	(void)context;
	snprintf(notes, sizeof notes, "%s", line);
}

/* Close while one run is written and another is read. */
static void
check_close(const char *program)
{
	const struct row row = { "", program, 1, 2, 500000, 30000, 20000, 2, 1 << 18 };
	char *buffer = malloc(row.buffer_bytes), *keys = malloc(row.room * 8);
	const struct gs_spill_options options = options_of(&row, buffer);
	struct gs_spill *spill;
	struct gs_run run;
	size_t count = 0;
	gs_status status = gs_spill_open(&spill, &options);

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	if (status == GS_OK)
		status = gs_spill_read(spill, &run, keys, row.room, &count);
	if (status == GS_OK)
		status = gs_spill_begin(spill, 64, 1);
	if (status == GS_OK)
		status = gs_spill_write(spill, 0, keys, count);
	gs_spill_close(spill);
	CHECK(status == GS_OK && count == row.room && find_file() < 0,
	      "closed in the middle: %s", program != NULL ? program : "plain");
	free(keys);
	free(buffer);
}

/* A run in parts, written in turn, beside another one; it is read as one. */
static void
check_parts(size_t dir_count, size_t room)
{
	enum { ONCE = 300, PART = 111 * ONCE, KEYS = 3 * PART };
	const struct row row = { "", NULL, dir_count, 2, KEYS, ONCE, room, 4, 1 << 18 };
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	uint64_t keys[ONCE];
	struct gs_spill *spill;
	struct gs_run runs[MOST_RUNS];
	gs_status status = gs_spill_open(&spill, &options);
	size_t total = 0;

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 1, &runs[1]);
	CHECK(status == GS_OK && gs_spill_is_plain(spill), "a spill that writes parts");
	status = gs_spill_begin(spill, 64, GS_SPILL_PARTS);
	/* The last part has no keys. */
	for (size_t at = 0; at < PART && status == GS_OK; at += ONCE)
		for (unsigned part = 0; part < 3 && status == GS_OK; part++) {
			for (size_t i = 0; i < ONCE; i++)
				keys[i] = key_of(0, part * PART + at + i);
			status = gs_spill_write(spill, part, keys, ONCE);
		}
	if (status == GS_OK)
		status = gs_spill_end(spill, &runs[0]);
	CHECK(status == GS_OK, "parts are written");
	CHECK(runs[0].count == KEYS, "a run has the keys of its parts: %zu", runs[0].count);
	total = read_runs(spill, &row, 64, runs, &status);
	CHECK(status == GS_OK && total == KEYS + keys_of(&row, 1), "all parts are read: %zu", total);
	gs_spill_close(spill);
	free(buffer);
}

/* One byte of the file changes, at AT, or in the middle. */
static void
check_corrupt(const char *program, off_t at)
{
	const struct row row = { "", program, 1, 1, 300000, 300000, 300000, 2, 1 << 18 };
	char *buffer = malloc(row.buffer_bytes), byte = 0;
	const struct gs_spill_options options = options_of(&row, buffer);
	struct gs_spill *spill;
	struct gs_run run;
	gs_status status = gs_spill_open(&spill, &options);

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	if (at < 0)
		at = lseek(find_file(), 0, SEEK_END) / 2;
	CHECK(status == GS_OK && pread(find_file(), &byte, 1, at) == 1, "byte %ld is read", (long)at);
	byte ^= 1;
	CHECK(pwrite(find_file(), &byte, 1, at) == 1, "byte %ld is changed", (long)at);
	if (status == GS_OK)
		(void)read_runs(spill, &row, 64, &run, &status);
	CHECK(status == GS_EINPUT && strstr(gs_message(), dirs[0]) != NULL &&
	      strstr(gs_message(), "is not what was written") != NULL,
	      "a changed byte at %ld is found (%s): status %d, '%s'", (long)at,
	      program != NULL ? program : "plain", (int)status, gs_message());
	gs_spill_close(spill);
	free(buffer);
}

/* Two keys of a file change places. */
static void
check_swapped(size_t one, size_t other)
{
	const struct row row = { "", NULL, 1, 1, 3000, 3000, 3000, 1, 1 << 16 };
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	const uint64_t keys[2] = { key_of(0, one), key_of(0, other) };
	struct gs_spill *spill;
	struct gs_run run;
	gs_status status = gs_spill_open(&spill, &options);

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	CHECK(status == GS_OK && pwrite(find_file(), &keys[1], 8, (off_t)one * 8) == 8 &&
	      pwrite(find_file(), &keys[0], 8, (off_t)other * 8) == 8, "two keys change places");
	if (status == GS_OK)
		(void)read_runs(spill, &row, 64, &run, &status);
	CHECK(status == GS_EINPUT, "keys %zu and %zu: that is found", one, other);
	gs_spill_close(spill);
	free(buffer);
}

/* The last block seems to have one byte more than the file has. */
static void
check_cut(const char *program)
{
	const struct row row = { "", program, 1, 1, 300000, 300000, 300000, 2, 1 << 18 };
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	struct gs_pack_header header = { 0 };
	off_t at = 0, last = 0;
	struct gs_spill *spill;
	struct gs_run run;
	gs_status status = gs_spill_open(&spill, &options);

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	for (; pread(find_file(), &header, sizeof header, at) == sizeof header;
	     at += (off_t)sizeof header + header.packed_bytes)
		last = at;
	header.packed_bytes++;
	CHECK(status == GS_OK && header.packed_bytes < 8 * header.keys &&
	      pwrite(find_file(), &header, sizeof header, last) == sizeof header, "the last header changes");
	if (status == GS_OK)
		(void)read_runs(spill, &row, 64, &run, &status);
	CHECK(status == GS_EINPUT && strstr(gs_message(), "is not what was written") != NULL,
	      "a block that goes on behind the file (%s) is found: status %d", program, (int)status);
	gs_spill_close(spill);
	free(buffer);
}

/* The file cannot be read any more: the error is that of the call, not of the keys that it leaves out. */
static void
check_unread(const char *program, bool begun)
{
	const struct row row = { "", program, 1, 1, 300000, 300000, 300000, 2, 1 << 18 };
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	const int unread = open("/dev/null", O_WRONLY);
	struct gs_spill *spill;
	struct gs_run run;
	uint64_t keys[9];
	size_t count;
	gs_status status = gs_spill_open(&spill, &options);

	if (status == GS_OK)
		status = write_run(spill, &row, 64, 0, &run);
	if (status == GS_OK && begun)
		status = gs_spill_read(spill, &run, keys, 9, &count);
	CHECK(status == GS_OK && dup2(unread, find_file()) >= 0, "a file that is for writing alone");
	if (status == GS_OK)
		(void)read_runs(spill, &row, 64, &run, &status);
	CHECK(status == GS_EIO && strstr(gs_message(), dirs[0]) != NULL,
	      "a call that fails (%s): status %d, '%s'", program != NULL ? program : "plain", (int)status,
	      gs_message());
	close(unread);
	gs_spill_close(spill);
	free(buffer);
}

/* No file may have a byte: of MOST calls the one whose keys do not fit the staging memory any more
 * reports it, or the end of the run. */
static void
check_stage_full(unsigned most)
{
	enum { STAGE = 1 << 16, KEYS = 5000 };
	const struct row row = { "", NULL, 1, 1, KEYS, STAGE, 1, 1, 1 << 16 };
	char *buffer = malloc(STAGE);
	struct gs_spill_options options = options_of(&row, buffer);
	static uint32_t keys[KEYS];
	struct rlimit before, limit;
	struct gs_spill *spill;
	struct gs_run run;
	gs_status status = gs_spill_open(&spill, &options);
	unsigned calls = 0;

	if (status == GS_OK)
		status = gs_spill_begin(spill, 32, 1);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	for (; status == GS_OK && calls < most; calls++)
		status = gs_spill_write(spill, 0, keys, KEYS);
	if (status == GS_OK)
		status = gs_spill_end(spill, &run);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK(status == GS_EIO && (calls == most || calls == STAGE / sizeof keys + 1),
	      "a full stage is written by call %u: status %d", calls, (int)status);
	gs_spill_close(spill);
	free(buffer);
}

/* Each call fails in turn: that is an error, or all keys come back.  Of several directories, another is tried
 * if one is full, not if a call fails. */
static void
check_failing(const char *program)
{
	static const size_t counts[] = { 1000, 50000, 9000, 9000, 9000, 9000, 20000, 1 };
	const struct row row = { "", program, 3, 1, 300000, 300000, 300000, 2, 1 << 18 };
	static uint64_t keys[50000];
	char *buffer = malloc(row.buffer_bytes), expected[200];
	const struct gs_spill_options options = options_of(&row, buffer);
	unsigned errors = 0;
	size_t memory = 0;
	bool failed = true;

	snprintf(expected, sizeof expected, "cannot write a temporary file in %s: Input/output error",
	         dirs[0]);
	for (long call = 0; failed; call++) {
		struct gs_spill *spill;
		struct gs_run run;
		size_t wrote = 0, came = 0, wrong = 0, count = 1;
		gs_status status;

		units_fail(call);
		status = gs_spill_open(&spill, &options);
		if (status == GS_OK)
			status = gs_spill_begin(spill, 64, 1);
		for (size_t piece = 0; piece < sizeof counts / sizeof counts[0] && status == GS_OK; piece++) {
			for (size_t k = 0; k < counts[piece]; k++)
				keys[k] = key_of(0, wrote++);
			status = gs_spill_write(spill, 0, keys, counts[piece]);
		}
		if (status == GS_OK)
			status = gs_spill_end(spill, &run);
		while (status == GS_OK && count > 0) {
			status = gs_spill_read(spill, &run, keys, 7000, &count);
			for (size_t k = 0; status == GS_OK && k < count; k++)
				wrong += keys[k] != key_of(0, came++);
		}
		failed = units_has_failed();
		errors += status == GS_EIO;
		CHECK(status != GS_OK ? failed : wrong == 0 && came == wrote,
		      "call %ld fails: status %d, %zu keys of %zu, %zu are wrong", call, (int)status, came,
		      wrote, wrong);
		CHECK(status != GS_EIO || strcmp(gs_message(), expected) == 0 ||
		      (strstr(gs_message(), "cannot write") == NULL &&
		       strstr(gs_message(), ": Input/output error") != NULL),
		      "call %ld fails: '%s'", call, gs_message());
		CHECK(status == GS_OK || status == GS_EIO || status == GS_EBUDGET,
		      "call %ld fails: status %d", call, (int)status);
		gs_spill_close(spill);
		memory = call == 0 || !failed ? units_memory() : memory;
		CHECK(units_memory() <= memory, "call %ld fails: %zd bytes are not given back", call,
		      (ssize_t)(units_memory() - memory));
	}
	CHECK(errors > 2, "%u writes and reads fail", errors);
	free(buffer);
}

/* Of a run of ten MiB, in PARTS that are written in turn, a file may become as long as LIMIT: what was
 * written, and, if that is known, what is NEEDED, which is less if it is compressed: each key is there four
 * times. */
static void
check_full(const char *program, size_t limit_bytes, unsigned parts, const char *needed)
{
	enum { ONCE = 1 << 14, RUN_BYTES = 10 << 20 };
	const struct row row = { "", program, 1, 1, 1, 1, 1, 1, 1 << 16 };
	char *buffer = malloc(row.buffer_bytes);
	struct gs_spill_options options = options_of(&row, buffer);
	static uint32_t keys[ONCE];
	struct rlimit before, limit;
	struct gs_spill *spill;
	struct gs_run run;
	gs_status status;

	options.expected_bytes = strstr(needed, "more") != NULL ? RUN_BYTES : 0;
	for (unsigned k = 0; k < ONCE; k++)
		keys[k] = (uint32_t)units_mix(k / 4);
	status = gs_spill_open(&spill, &options);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = limit_bytes;
	setrlimit(RLIMIT_FSIZE, &limit);	/* SIGXFSZ kills, as usual */
	if (status == GS_OK)
		status = gs_spill_begin(spill, 32, parts);
	for (unsigned at = 0; at < RUN_BYTES / sizeof keys && status == GS_OK; at++)
		status = gs_spill_write(spill, at % parts, keys, ONCE);
	if (status == GS_OK)
		status = gs_spill_end(spill, &run);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK(status == GS_EIO && strstr(gs_message(), dirs[0]) != NULL &&
	      strstr(gs_message(), needed) != NULL && strstr(gs_message(), "with more space with -T") != NULL,
	      "a size limit is reported: status %d, '%s'", (int)status, gs_message());
	gs_spill_close(spill);
	free(buffer);
}

static unsigned
threads_now(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned count = 0;

	while (tasks != NULL && readdir(tasks) != NULL)
		count++;
	if (tasks != NULL)
		closedir(tasks);
	return count;
}

/* One thread frees the space of all runs. */
static void
check_forgetter(void)
{
	const struct row row = { "", NULL, 1, 1, 1, 1, 1, 1, 1 << 16 };
	char *buffer = malloc(row.buffer_bytes);
	const struct gs_spill_options options = options_of(&row, buffer);
	const unsigned before = threads_now();
	struct gs_spill *spill;
	struct gs_run run;

	CHECK(gs_spill_open(&spill, &options) == GS_OK, "a spill is opened");
	for (unsigned r = 0; r < 5; r++)
		CHECK(gs_spill_begin(spill, 32, 1) == GS_OK && gs_spill_end(spill, &run) == GS_OK,
		      "run %u", r);
	CHECK(threads_now() <= before + 1, "%u threads, and %u before", threads_now(), before);
	gs_spill_close(spill);
	free(buffer);
}

static void
check_dirs(void)
{
	const struct gs_monitor noting = { .note = { take_note, NULL } };
	static char buffer[1 << 16];
	const char *names[2] = { dirs[0], "/nowhere/at-all" };
	struct gs_spill_options options = {
		.dirs = names, .dir_count = 2, .threads = 1, .buffer = buffer,
		.buffer_bytes = sizeof buffer, .monitor = &noting,
	};
	struct gs_spill *spill;
	char file[120];

	CHECK(gs_spill_open(&spill, &options) == GS_EIO && spill == NULL &&
	      strcmp(gs_message(), "cannot use /nowhere/at-all for temporary files: No such file or "
	             "directory; name another directory with -T") == 0,
	      "a directory that is not there: '%s'", gs_message());
	snprintf(file, sizeof file, "%s/file", folder);
	fclose(fopen(file, "w"));
	names[1] = file;
	CHECK(gs_spill_open(&spill, &options) == GS_EIO &&
	      strstr(gs_message(), "Not a directory") != NULL, "a file: '%s'", gs_message());
	unlink(file);
	snprintf(file, sizeof file, "%s/gone", folder);
	mkdir(file, 0700);
	names[0] = file;
	options.dir_count = 1;
	CHECK(gs_spill_open(&spill, &options) == GS_OK && rmdir(file) == 0 &&
	      gs_spill_begin(spill, 32, 1) == GS_EIO && strstr(gs_message(), "/gone") != NULL,
	      "a directory that is no longer there: '%s'", gs_message());
	gs_spill_close(spill);
	names[0] = dirs[0];
	options.dir_count = 2;
	names[1] = "/proc";
	CHECK(gs_spill_open(&spill, &options) != GS_OK ||
	      (gs_spill_close(spill), true), "whatever /proc allows");
	options.dir_count = 1;
	for (unsigned d = 0; d < 2; d++) {
		names[0] = d == 0 ? dirs[0] : "/dev/shm";
		if (d == 1 && access(names[0], W_OK) != 0)
			continue;
		notes[0] = '\0';
		CHECK(gs_spill_open(&spill, &options) == GS_OK && notes[0] == '\0' &&
		      gs_spill_begin(spill, 32, 1) == GS_OK && (strstr(notes, names[0]) != NULL) ==
		      (strstr(gs_filesystem_name(names[0]), "in memory") != NULL),
		      "a directory in memory, and no other, is noted when it is used: '%s'", notes);
		gs_spill_close(spill);
	}
}

/* A block that no packer made, before any library is loaded: corrupt, and no crash. */
static void
check_unpacked(enum gs_pack_method method)
{
	enum { BLOCK_BYTES = 1 << 10 };
	static char memory[4 * BLOCK_BYTES] __attribute__((aligned(64)));
	const struct gs_pack_header header = { .keys = 100, .packed_bytes = 10 };
	struct gs_packer packer;
	uint32_t keys[100];

	CHECK(gs_packer_bytes(BLOCK_BYTES) <= sizeof memory, "room for a packer");
	gs_packer_open(&packer, method, BLOCK_BYTES, memory);
	memcpy(packer.packed, &header, sizeof header);
	memset(packer.packed + sizeof header, 0xff, header.packed_bytes);
	CHECK(gs_pack_header_is_sound(&packer, &header, 32), "a header that can be");
	CHECK(!gs_unpack(&packer, keys, 32), "a block that cannot, method %d", (int)method);
	gs_packer_close(&packer);
}

/* Which headers of blocks of 1024 bytes may be: there are keys, and these fit, packed or not. */
static void
check_headers(void)
{
	static const struct { struct gs_pack_header header; unsigned bits; bool sound; } cases[] = {
		{ { 1, 8 }, 64, true }, { { 128, 1024 }, 64, true }, { { 256, 1024 }, 32, true },
		{ { 100, 1 }, 32, true }, { { 100, 400 }, 32, true }, { { 0, 0 }, 64, false },
		{ { 0, 10 }, 64, false }, { { 100, 0 }, 64, false }, { { 129, 1024 }, 64, false },
		{ { 257, 1024 }, 32, false }, { { 100, 401 }, 32, false }, { { UINT32_MAX, 10 }, 64, false },
	};
	static char memory[4096] __attribute__((aligned(64)));
	struct gs_packer packer;

	gs_packer_open(&packer, GS_PACK_LZ4, 1024, memory);
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
		CHECK(gs_pack_header_is_sound(&packer, &cases[c].header, cases[c].bits) == cases[c].sound,
		      "%u keys of %u bits in %u bytes", cases[c].header.keys, cases[c].bits,
		      cases[c].header.packed_bytes);
	gs_packer_close(&packer);
}

/* COUNT keys that cannot be compressed take no more than their bytes.  They come back, and so do equal keys,
 * and keys that share a first byte in part: their packed form may be as long as they are. */
static void
check_packed(enum gs_pack_method method, size_t count)
{
	enum { BLOCK_BYTES = 1 << 10 };
	static char memory[4 * BLOCK_BYTES] __attribute__((aligned(64)));
	uint64_t keys[BLOCK_BYTES / 8], unpacked[BLOCK_BYTES / 8];
	struct gs_pack_header header;
	struct gs_packer packer;

	gs_packer_open(&packer, method, BLOCK_BYTES, memory);
	for (size_t alike = 0; alike <= count + 1; alike++) {
		size_t bytes;

		for (size_t i = 0; i < count; i++)
			keys[i] = alike > count ? 7 : units_mix(i) >> (i < alike ? 8 : 0);
		bytes = gs_pack(&packer, keys, count, 64);
		memcpy(&header, packer.packed, sizeof header);
		CHECK(gs_pack_header_is_sound(&packer, &header, 64) && header.keys == count &&
		      bytes == sizeof header + header.packed_bytes &&
		      (alike > 0 || header.packed_bytes == 8 * count),
		      "%zu keys, method %d: %u bytes", count, (int)method, header.packed_bytes);
		CHECK(gs_unpack(&packer, unpacked, 64) && memcmp(keys, unpacked, 8 * count) == 0,
		      "%zu keys, method %d: they come back", count, (int)method);
	}
	gs_packer_close(&packer);
}

/* There is room for a block and for its packed form, even if that is as long. */
static void
check_packer_bytes(void)
{
	for (size_t block = 64; block < 1 << 16; block += 64) {
		const size_t bytes = gs_packer_bytes(block);

		CHECK(bytes >= 2 * block + sizeof(struct gs_pack_header) && bytes < 2 * block + 256 &&
		      bytes % 64 == 0, "%zu bytes for a block of %zu", bytes, block);
	}
}

/* What is not made shorter is not packed, and what is comes back: random bytes, and then equal ones.  Four of
 * them are there twice, so lz4 would make some as long as they are. */
static void
check_items(enum gs_pack_method method, size_t bytes)
{
	enum { BLOCK_BYTES = 1 << 10 };
	static char memory[4 * BLOCK_BYTES] __attribute__((aligned(64)));
	static unsigned char items[BLOCK_BYTES], again[BLOCK_BYTES];
	struct gs_packer packer;
	bool packs = false;

	gs_packer_open(&packer, method, BLOCK_BYTES, memory);
	for (size_t alike = 0; alike <= bytes; alike++) {
		size_t packed;

		for (size_t i = 0; i < bytes; i++)
			items[i] = i >= bytes - alike ? 'a' : i >= 6 && i < 10 ? items[i - 5]
			           : (unsigned char)units_mix(i);
		packed = gs_pack_items(&packer, items, bytes);
		CHECK(packed < bytes && (packed == 0 ||
		      (gs_expand(&packer, packer.packed, packed, again, bytes) &&
		       memcmp(items, again, bytes) == 0)),
		      "method %d: %zu of %zu bytes are alike: %zu", (int)method, alike, bytes, packed);
		packs |= packed > 0;
	}
	CHECK(packs || bytes < 90, "method %d packs %zu bytes", (int)method, bytes);
	gs_packer_close(&packer);
}

/* How many packers there are, and how large their blocks. */
static void
check_blocks_open(void)
{
	static const struct { unsigned threads; size_t bytes, writers, readers, block_bytes; } cases[] = {
		{ 1, 64 << 10, 1, 1, 13056 }, { 4, 64 << 10, 1, 1, 13056 }, { 4, 655167, 1, 1, 130944 },
		{ 4, 655168, 1, 1, 131008 }, { 4, 655488, 1, 1, 128 << 10 }, { 4, 656000, 1, 1, 128 << 10 },
		{ 4, (2 << 20) - 1, 1, 1, 128 << 10 }, { 4, 2 << 20, 2, 1, 128 << 10 },
		{ 4, 3 << 20, 3, 2, 128 << 10 }, { 3, 8 << 20, 3, 2, 128 << 10 },
		{ 8, 4 << 20, 4, 2, 128 << 10 }, { 0, 8 << 20, 1, 1, 128 << 10 },
		{ 255, 258 << 20, 255, 128, 128 << 10 }, { 300, 258 << 20, 256, 128, 128 << 10 },
	};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		char *memory = malloc(cases[c].bytes), *at = memory + cases[c].block_bytes;
		struct gs_blocks blocks = { .writers = 0 };
		bool good = true;

		CHECK(gs_blocks_open(&blocks, GS_PACK_LZ4, cases[c].threads, memory,
		                     cases[c].bytes) == GS_OK && blocks.writers == cases[c].writers &&
		      blocks.readers == cases[c].readers &&
		      blocks.block_bytes == cases[c].block_bytes && blocks.part == memory,
		      "%u threads, %zu bytes: %zu and %zu packers, blocks of %zu", cases[c].threads,
		      cases[c].bytes, blocks.writers, blocks.readers, blocks.block_bytes);
		for (size_t p = 0; p < blocks.writers + blocks.readers; p++) {
			good &= blocks.packers[p].planes == (void *)at &&
			        blocks.packers[p].block_bytes == blocks.block_bytes;
			at += gs_packer_bytes(blocks.block_bytes);
		}
		CHECK(good && at <= memory + cases[c].bytes, "each of %zu packers has memory of its own",
		      blocks.writers);
		gs_blocks_close(&blocks);
		free(memory);
	}
}

/* Three threads write COUNT keys, MOST to a block, in as few blocks as possible, of like size; the keys come
 * back, PIECE at a time. */
static void
check_blocks(enum gs_pack_method method, unsigned bits, size_t count, size_t piece)
{
	enum { WRITERS = 3, MEMORY_BYTES = WRITERS << 20 };
	const size_t key_bytes = bits / 8, most = (128 << 10) / key_bytes;
	char *memory = malloc(MEMORY_BYTES), *keys = malloc(count * key_bytes);
	char *got = malloc(count * key_bytes);
	struct gs_blocks_cursor cursor = { .bits = bits };
	struct gs_pack_header header = { .keys = 0 };
	uint64_t at = 0;
	struct gs_spill_file file = { .fd = -1 };
	struct gs_blocks blocks = { .writers = 0 };
	gs_status status;

	for (size_t i = 0; i < count; i++)
		gs_key_put(keys, bits, i, key_of(0, i));
	status = gs_blocks_open(&blocks, method, WRITERS, memory, MEMORY_BYTES);
	if (status == GS_OK)
		status = gs_spill_file_make(&file, dir_names, 1, 0);
	if (status == GS_OK)
		status = gs_blocks_write(&blocks, &file, keys, count, bits);
	CHECK(status == GS_OK, "%zu keys are written in blocks", count);
	for (size_t left = count; left > 0 && status == GS_OK;) {
		const size_t part = left < WRITERS * most ? left : WRITERS * most;
		const unsigned team = (unsigned)((part + most - 1) / most);

		for (unsigned b = 0; b < team && status == GS_OK; b++) {
			status = gs_spill_file_read(&file, at, &header, sizeof header);
			CHECK(header.keys == gs_team_begin(part, b + 1, team) - gs_team_begin(part, b, team),
			      "%zu keys of %u bits, method %d: block %u of %u has %u", count, bits,
			      (int)method, b, team, header.keys);
			at += sizeof header + header.packed_bytes;
		}
		left -= part;
	}
	CHECK(at == file.end, "%zu keys of %u bits, method %d: no more blocks", count, bits, (int)method);
	cursor.end = file.end;
	for (size_t done = 0, now; done < count && status == GS_OK; done += now) {
		now = piece < count - done ? piece : count - done;
		status = gs_blocks_read(&blocks, &file, &cursor, got + done * key_bytes, now);
	}
	CHECK(status == GS_OK && memcmp(keys, got, count * key_bytes) == 0 && cursor.at == cursor.end,
	      "%zu keys of %u bits, method %d, come back %zu at a time", count, bits, (int)method, piece);
	gs_spill_file_close(&file);
	gs_blocks_close(&blocks);
	free(got);
	free(keys);
	free(memory);
}

static void
check_all_blocks(void)
{
	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (size_t most = (128 << 10) / (bits / 8), c = 0; c < 7; c++) {
			const size_t counts[] = {
				1, most - 1, most, most + 1, 3 * most, 3 * most + 1, 7 * most - 1,
			};
			const enum gs_pack_method method = c % 2 == bits / 64 ? GS_PACK_LZ4 : GS_PACK_ZSTD;

			check_blocks(method, bits, counts[c], counts[c]);
			check_blocks(method, bits, counts[c], most / 2 + 1);
		}
}

void
unit_spill(void)
{
	const unsigned blocked = blocked_signals();

	check_packer_bytes();
	check_unpacked(GS_PACK_LZ4);
	check_unpacked(GS_PACK_ZSTD);
	for (size_t count = 1; count <= 128; count *= 128) {
		check_packed(GS_PACK_LZ4, count);
		check_packed(GS_PACK_ZSTD, count);
	}
	for (size_t bytes = 18; bytes < 99; bytes += bytes == 25 ? 65 : 1) {
		check_items(GS_PACK_LZ4, bytes);
		check_items(GS_PACK_ZSTD, bytes);
	}
	check_blocks_open();
	strcpy(folder, "/tmp/gsort-unit-XXXXXX");
	CHECK(mkdtemp(folder) != NULL, "a folder for the test");
	for (size_t d = 0; d < DIRS; d++) {
		snprintf(dirs[d], sizeof dirs[d], "%s/%zu", folder, d);
		mkdir(dirs[d], 0700);
	}
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		check_row(&rows[r], 32);
		check_row(&rows[r], 64);
	}
	check_all_blocks();
	check_open_files();
	units_denied(spill_alone, 0, 0, 0, 0);
	check_unnamed();
	if (frees_blocks(dirs[0]))
		for (long call = 0; check_freed(call); call++)
			;
	check_turns();
	check_full_directories();
	check_next_directory(2);
	check_next_directory(1);
	for (size_t s = 1; s < 40; s++)
		check_swapped(2999 - s * 3, 2999);
	check_swapped(0, 1);
	check_swapped(0, 8);
	check_headers();
	for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
		check_close(forms[f]);
	for (size_t f = 0; f < 3; f++) {
		check_corrupt(forms[f], 1);
		check_corrupt(forms[f], 4);
		check_corrupt(forms[f], -1);
		if (forms[f] != NULL)
			check_cut(forms[f]);
		check_unread(forms[f], false);
		check_unread(forms[f], true);
	}
	check_parts(1, 7001);
	check_parts(2, 1);
	check_parts(1, 200000);
	check_stage_full(9);
	check_stage_full(1);
	check_forgetter();
	check_full(NULL, 1 << 20, 1, " after 1 MiB, and 9 MiB more are needed; ");
	check_full(NULL, 1 << 20, 2, " after 2 MiB, and 8 MiB more are needed; ");
	check_full(NULL, 1 << 20, 1, " after 1 MiB; name ");
	check_full(NULL, 0, 1, " after 0 MiB, and 10 MiB more are needed; ");
	check_full("lz4", 0, 1, " after 0 MiB, and 10 MiB more are needed; ");
	check_full("lz4", 1 << 20, 1, " after 1 MiB, and 7 MiB more are needed; ");
	check_dirs();
	check_failing(NULL);
	check_failing("lz4");
	check_failing("zstd");
	CHECK(blocked_signals() == blocked, "no signal stays blocked");
	for (size_t d = 0; d < DIRS; d++)
		CHECK(rmdir(dirs[d]) == 0, "nothing is left in directory %zu", d);
	CHECK(rmdir(folder) == 0, "nothing is left in the folder");
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * input.c - the bytes of all inputs, one file after the other
 *
 * In:   names.  Out: bytes, decompressed.
 *
 * Regular files are opened at once, so a missing one is found before the first
 * byte is read, and so that nobody can take it away later.  Pipes are opened when
 * their turn comes: their writer may be waiting for another one to be read.  So
 * are the files beyond what RLIMIT_NOFILE allows, and all of them with the option
 * LATER; that they can be opened is checked at the start all the same.
 *
 * A large request on a regular file is cut into pieces that are read side by
 * side: copying from the page cache costs more than what is done with the bytes.
 *
 * Invariant: PREFIX, what was read to guess the format, comes before whatever
 * else the descriptor gives, and comes once.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/team.h"
#include "io/inflate.h"
#include "io/input.h"
#include "io/open.h"

enum {
	SPARE_FDS  = 32,		/* for the output and the libraries */
	PIPE_BYTES = 1 << 20,		/* fewer switches: 4.1 instead of 2.7 GB/s on a server */
	/*
	 * One piece of a parallel read.  2 cores, AMD EPYC VM, 256 MiB cached to memory
	 * touched before, median of 9: pieces of 256 KiB 22.7 GB/s, 1 MiB 22.9, 8 MiB
	 * 23.2; one thread 18.2.  Flat, so small: 16 threads share a tile of 16 MiB.
	 */
	PIECE_BYTES    = 1 << 20,
	PARALLEL_BYTES = 4 << 20,	/* less is not worth waking anybody */
};

struct file {
	const char *name;
	int         fd;			/* -1: not open, or spent */
	bool        waits;		/* to be opened when it is its turn */
	bool        regular;
	uint64_t    bytes;		/* from START on; GS_UNKNOWN if not regular */
	uint64_t    start;		/* where its bytes begin, if regular */
	uint64_t    read_bytes;		/* of these, so far */
	enum gsort_decompress format;
};

struct gs_input {
	struct gs_input_options options;
	struct file       *files;
	size_t             count;
	size_t             next_at;	/* the current file is the one before */
	bool               begun;	/* the current file has been looked at */
	struct gs_inflate *inflate;	/* of the current file, if compressed */
	char               prefix[GS_MAGIC_BYTES];
	size_t             prefix_bytes;
	bool               ended;	/* a terminal says once that there is no more */
	int                stop;	/* an eventfd, readable once gs_input_stop() was called;
					 * -1: only regular files, which keep nobody waiting */
	bool               owns_stop;
};

static const char *const standard_input[] = { "-" };
static const char *const caller_input[] = { "input" };	/* what a callback gives */

static bool
names_standard_input(const char *name)
{
	return strcmp(name, "-") == 0;
}

/* ---- opening ----------------------------------------------------------- */

size_t
gs_input_most_open(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur > 2 * SPARE_FDS ? limit.rlim_cur - SPARE_FDS
	                                      : limit.rlim_cur / 2;
}

/* The format that was asked for, or that the name promises. */
static enum gsort_decompress
format_by_name(const struct gs_input_options *options, const char *name)
{
	if (options->decompress != GSORT_DECOMPRESS_AUTO)
		return options->decompress;
	return options->binary ? gs_inflate_suffix(name) : GSORT_DECOMPRESS_AUTO;
}

/* What an open file is; for regular ones, how long and how compressed. */
static gs_status
examine(struct gs_input *input, struct file *file)
{
	char magic[GS_MAGIC_BYTES];
	struct stat st;
	ssize_t got;
	off_t offset;

	if (fstat(file->fd, &st) != 0)
		return gs_fail_errno(GS_EIO, "cannot read: %s", file->name);
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
	}
	if (input->options.binary && !input->options.terminal_ok && isatty(file->fd))
		return gs_fail(GS_EUSAGE, "%s: will not read binary keys from a terminal; redirect "
		               "input from a file or pipe, or use --force", file->name);
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(file->fd, F_SETPIPE_SZ, PIPE_BYTES);	/* may be forbidden */
	offset = lseek(file->fd, 0, SEEK_CUR);
	file->regular = S_ISREG(st.st_mode) && offset >= 0;
	if (!file->regular)
		return GS_OK;
	(void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	file->start = (uint64_t)offset;
	file->bytes = st.st_size > offset ? (uint64_t)(st.st_size - offset) : 0;
	do
		got = pread(file->fd, magic, sizeof magic, offset);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
	if (got > 0 && file->bytes == 0)
		file->bytes = GS_UNKNOWN;	/* files of /proc say they are empty */
	if (file->format == GSORT_DECOMPRESS_AUTO)
		file->format = gs_inflate_sniff(magic, (size_t)got);
	return GS_OK;
}

/* Open FILE, or check that it can be opened, and find out what it is. */
static gs_status
open_file(struct gs_input *input, struct file *file, bool may_stay)
{
	struct stat st;
	gs_status status;

	if (names_standard_input(file->name)) {
		file->fd = STDIN_FILENO;
		return examine(input, file);
	}
	if (stat(file->name, &st) == 0 && S_ISFIFO(st.st_mode) && !file->waits) {
		file->waits = true;
		if (access(file->name, R_OK) != 0)
			return gs_fail_errno(GS_EIO, "cannot read: %s", file->name);
		return GS_OK;
	}
	/* A pipe is opened without waiting for its writer: gs_read() waits, if need be. */
	file->fd = gs_open(file->name, O_RDONLY | (file->waits ? O_NONBLOCK : 0), 0);
	if (file->fd < 0 || (file->waits && fcntl(file->fd, F_SETFL, 0) != 0))
		return gs_fail_errno(GS_EIO, "cannot read: %s", file->name);
	status = examine(input, file);
	if (!may_stay) {
		close(file->fd);
		file->fd = -1;
		file->waits = true;
	}
	return status;
}

/* "-" a second time: an empty file, as the first one will have read it all. */
static bool
is_spent(const struct gs_input *input, size_t file_at)
{
	if (!names_standard_input(input->files[file_at].name))
		return false;
	for (size_t f = 0; f < file_at; f++)
		if (names_standard_input(input->files[f].name))
			return true;
	return false;
}

/* Somebody may have to wait for bytes, and another thread for them. */
static void
make_stoppable(struct gs_input *input)
{
	if (input->stop >= 0 || input->options.stops_with != NULL)
		return;
	input->stop = eventfd(0, EFD_CLOEXEC);	/* failed: stopping takes longer */
	input->owns_stop = true;
}

/* There is nothing to be opened, and nothing known. */
static gs_status
open_callback(struct gs_input *input)
{
	struct file *file = &input->files[0];

	file->format = format_by_name(&input->options, file->name);
	file->bytes = GS_UNKNOWN;
	make_stoppable(input);
	return GS_OK;
}

static gs_status
open_files(struct gs_input *input)
{
	const size_t allowed = input->options.later ? 0 : gs_input_most_open();

	if (input->options.read != NULL)
		return open_callback(input);
	for (size_t f = 0; f < input->count; f++)
		if (names_standard_input(input->files[f].name) &&
		    !gs_allows(STDIN_FILENO, O_RDONLY))
			return gs_fail_errno(GS_EIO, "cannot read: -");
	for (size_t f = 0; f < input->count; f++) {
		struct file *file = &input->files[f];

		file->format = format_by_name(&input->options, file->name);
		file->bytes = GS_UNKNOWN;
		if (is_spent(input, f)) {
			file->bytes = 0;
			file->format = GSORT_DECOMPRESS_NONE;
		} else {
			TRY(open_file(input, file, f < allowed));
		}
		if (!file->regular)
			make_stoppable(input);
	}
	return GS_OK;
}

gs_status
gs_input_open(struct gs_input **input, const struct gs_input_options *options)
{
	struct gs_input *in = calloc(1, sizeof *in);
	const bool calls = options->read != NULL;
	const size_t count = options->count > 0 && !calls ? options->count : 1;
	const char *const *names = calls ? caller_input : options->count > 0 ? options->names
	                                                                     : standard_input;
	gs_status status;

	*input = NULL;
	if (in == NULL || (in->files = calloc(count, sizeof *in->files)) == NULL) {
		free(in);
		return gs_fail(GS_EBUDGET, "no memory for %zu file names", count);
	}
	in->options = *options;
	in->count = count;
	in->stop = options->stops_with != NULL ? options->stops_with->stop : -1;
	for (size_t f = 0; f < count; f++) {
		in->files[f].name = names[f];
		in->files[f].fd = -1;
	}
	status = open_files(in);
	if (status != GS_OK)
		gs_input_close(in);
	else
		*input = in;
	return status;
}

/* ---- what is known ----------------------------------------------------- */

/* Bytes that a file will give, if that is sure. */
static uint64_t
bytes_of(const struct file *file)
{
	return file->format == GSORT_DECOMPRESS_NONE ? file->bytes : GS_UNKNOWN;
}

void
gs_input_share(struct gs_input *input, unsigned threads)
{
	input->options.threads = threads;
}

uint64_t
gs_input_bytes(const struct gs_input *input)
{
	uint64_t bytes = 0;

	for (size_t f = 0; f < input->count; f++) {
		if (bytes_of(&input->files[f]) == GS_UNKNOWN)
			return GS_UNKNOWN;
		bytes += bytes_of(&input->files[f]);
	}
	return bytes;
}

const char *
gs_input_partial(const struct gs_input *input, unsigned key_bytes, uint64_t *bytes)
{
	for (size_t f = 0; f < input->count; f++) {
		*bytes = bytes_of(&input->files[f]);
		if (*bytes != GS_UNKNOWN && *bytes % key_bytes != 0)
			return input->files[f].name;
	}
	return NULL;
}

/* ---- one file after the other ------------------------------------------ */

static void
leave_file(struct gs_input *input)
{
	struct file *file = &input->files[input->next_at - 1];

	gs_inflate_close(input->inflate);
	input->inflate = NULL;
	input->prefix_bytes = 0;
	input->begun = false;
	input->ended = false;
	if (file->fd == STDIN_FILENO && file->read_bytes > 0)	/* as read(2) leaves it */
		(void)lseek(file->fd, (off_t)(file->start + file->read_bytes), SEEK_SET);
	else if (file->fd > STDIN_FILENO)
		close(file->fd);
	file->fd = -1;
}

bool
gs_input_next(struct gs_input *input)
{
	if (input->next_at > 0 && input->next_at <= input->count)
		leave_file(input);
	if (input->next_at <= input->count)
		input->next_at++;
	return input->next_at <= input->count;
}

const char *
gs_input_name(const struct gs_input *input)
{
	assert(input->next_at > 0);
	return input->files[input->next_at - 1].name;
}

static struct gs_reader
reader_of(const struct gs_input *input, const struct file *file)
{
	return (struct gs_reader){
		.fd = file->fd, .stop = input->stop,
		.read = input->options.read, .context = input->options.read_context,
	};
}

/* Read what a pipe begins with; text does not begin like compressed data. */
static gs_status
sniff_pipe(struct gs_input *input, struct file *file)
{
	const struct gs_reader reader = reader_of(input, file);
	ssize_t got;

	while (input->prefix_bytes < sizeof input->prefix) {
		got = gs_read(&reader, input->prefix + input->prefix_bytes,
		              sizeof input->prefix - input->prefix_bytes);
		if (got < 0)
			return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
		if (got == 0) {
			input->ended = true;
			break;
		}
		input->prefix_bytes += (size_t)got;
	}
	file->format = gs_inflate_sniff(input->prefix, input->prefix_bytes);
	return GS_OK;
}

static gs_status
begin_file(struct gs_input *input, struct file *file)
{
	struct gs_reader reader;

	input->begun = true;
	if (file->waits)
		TRY(open_file(input, file, true));
	if (file->format == GSORT_DECOMPRESS_AUTO)
		TRY(sniff_pipe(input, file));
	if (file->format == GSORT_DECOMPRESS_NONE)
		return GS_OK;
	reader = reader_of(input, file);
	return gs_inflate_open(&input->inflate, file->format, &reader, file->name,
	                       input->prefix, input->prefix_bytes);
}

/* ---- reading ----------------------------------------------------------- */

/*
 * Read BYTES from OFFSET on; less: the end, or trouble in *ERROR.  Never more than
 * a piece at once: files of /proc want that much kernel memory, and fail.
 */
static size_t
read_at(int fd, char *into, size_t bytes, uint64_t offset, int *error)
{
	size_t done = 0;

	while (done < bytes) {
		size_t want = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
		ssize_t got = pread(fd, into + done, want, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			*error = errno;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

struct reading {
	const struct file *file;
	char              *into;
	size_t             bytes;
	atomic_size_t      whole;	/* before the first gap */
};

static void
read_one(void *context, size_t p)
{
	struct reading *reading = context;
	const size_t at = p * PIECE_BYTES, left = reading->bytes - at;
	const size_t want = left < PIECE_BYTES ? left : PIECE_BYTES;
	const struct file *file = reading->file;
	int ignored;
	const size_t got = read_at(file->fd, reading->into + at, want,
	                           file->start + file->read_bytes + at, &ignored);

	if (got < want)
		gs_team_least(&reading->whole, at + got);
}

/*
 * Read BYTES in pieces, side by side.  Returns how many there are before the
 * first gap: where a piece came out short because the file has been cut, or
 * because of trouble; one more read there tells which.
 */
static size_t
read_pieces(const struct file *file, char *into, size_t bytes, unsigned threads)
{
	struct reading reading = { file, into, bytes, bytes };

	gs_team_each(threads, (bytes + PIECE_BYTES - 1) / PIECE_BYTES, read_one, &reading);
	return reading.whole;
}

static gs_status
read_regular(struct gs_input *input, struct file *file, char *into, size_t bytes, size_t *got)
{
	unsigned threads = input->options.threads;
	uint64_t known = 0;	/* bytes that should still come */
	int error = 0;

	if (file->bytes != GS_UNKNOWN && file->bytes > file->read_bytes)
		known = file->bytes - file->read_bytes;
	if (known > bytes)
		known = bytes;
	if (known >= PARALLEL_BYTES && threads > 1)
		*got = read_pieces(file, into, (size_t)known, threads);
	/* To the real end: the file may have grown or shrunk since it was opened. */
	*got += read_at(file->fd, into + *got, bytes - *got,
	                file->start + file->read_bytes + *got, &error);
	file->read_bytes += *got;
	if (error == 0)
		return GS_OK;
	errno = error;
	return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
}

static gs_status
read_stream(struct gs_input *input, struct file *file, char *into, size_t bytes, size_t *got)
{
	const struct gs_reader reader = reader_of(input, file);

	if (input->prefix_bytes > 0) {
		*got = input->prefix_bytes < bytes ? input->prefix_bytes : bytes;
		memcpy(into, input->prefix, *got);
		input->prefix_bytes -= *got;
		memmove(input->prefix, input->prefix + *got, input->prefix_bytes);
	}
	while (*got < bytes && !input->ended) {
		ssize_t more = gs_read(&reader, into + *got, bytes - *got);

		if (more < 0)
			return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
		if (more == 0)
			break;
		*got += (size_t)more;
	}
	return GS_OK;
}

gs_status
gs_input_read(struct gs_input *input, void *into, size_t bytes, size_t *got)
{
	struct file *file = &input->files[input->next_at - 1];

	assert(input->next_at > 0);
	*got = 0;
	if (!input->begun)
		TRY(begin_file(input, file));
	if (file->fd < 0 && input->options.read == NULL)	/* spent */
		return GS_OK;
	if (input->inflate != NULL)
		return gs_inflate_read(input->inflate, into, bytes, got);
	if (file->regular)
		return read_regular(input, file, into, bytes, got);
	return read_stream(input, file, into, bytes, got);
}

gs_status
gs_input_skip(struct gs_input *input, uint64_t bytes, void *scratch, size_t scratch_bytes)
{
	size_t want, got;

	for (uint64_t left = bytes; left > 0; left -= got) {
		want = left < scratch_bytes ? (size_t)left : scratch_bytes;
		TRY(gs_input_read(input, scratch, want, &got));
		if (got < want)
			return gs_fail(GS_EINPUT, "%s: has only %llu of the %llu bytes to be skipped",
			               gs_input_name(input), (unsigned long long)(bytes - left + got),
			               (unsigned long long)bytes);
	}
	return GS_OK;
}

void
gs_input_stop(struct gs_input *input)
{
	if (input->stop >= 0)
		(void)eventfd_write(input->stop, 1);
}

void
gs_input_close(struct gs_input *input)
{
	if (input == NULL)
		return;
	gs_inflate_close(input->inflate);
	if (input->owns_stop && input->stop >= 0)
		close(input->stop);
	for (size_t f = 0; f < input->count; f++)
		if (input->files[f].fd > STDIN_FILENO)
			close(input->files[f].fd);
	free(input->files);
	free(input);
}

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
#include <unistd.h>

#include "io/file.h"
#include "io/inflate.h"
#include "io/input.h"
#include "io/open.h"

enum { SPARE_FDS = 32 };		/* for the output and the libraries */

struct gs_input {
	struct gs_input_options options;
	struct gs_file       *files;
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

/* "-" a second time: an empty file, as the first one will have read it all. */
static bool
is_spent(const struct gs_input *input, size_t file_at)
{
	if (!gs_file_is_standard(&input->files[file_at]))
		return false;
	for (size_t f = 0; f < file_at; f++)
		if (gs_file_is_standard(&input->files[f]))
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
	struct gs_file *file = &input->files[0];

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
		if (gs_file_is_standard(&input->files[f]) &&
		    !gs_allows(STDIN_FILENO, O_RDONLY))
			return gs_fail_errno(GS_EIO, "cannot read: -");
	for (size_t f = 0; f < input->count; f++) {
		struct gs_file *file = &input->files[f];

		file->format = format_by_name(&input->options, file->name);
		file->bytes = GS_UNKNOWN;
		if (is_spent(input, f)) {
			file->bytes = 0;
			file->format = GSORT_DECOMPRESS_NONE;
		} else {
			TRY(gs_file_open(file, &input->options, f < allowed));
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
bytes_of(const struct gs_file *file)
{
	return file->format == GSORT_DECOMPRESS_NONE ? file->bytes : GS_UNKNOWN;
}

void
gs_input_share(struct gs_input *input, unsigned threads, size_t unpack_bytes,
               uint64_t window_bytes)
{
	input->options.threads = threads;
	input->options.unpack_bytes = unpack_bytes;
	input->options.window_bytes = window_bytes;
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

bool
gs_input_inflates(const struct gs_input *input)
{
	for (size_t f = 0; f < input->count; f++)
		if (input->files[f].format != GSORT_DECOMPRESS_NONE &&
		    input->files[f].format != GSORT_DECOMPRESS_AUTO)
			return true;
	return false;
}

bool
gs_input_large_window(const struct gs_input *input)
{
	for (size_t f = 0; f < input->count; f++)
		if (input->files[f].format == GSORT_DECOMPRESS_ZSTD ||
		    input->files[f].format == GSORT_DECOMPRESS_XZ)
			return true;
	return false;
}

/* ---- one file after the other ------------------------------------------ */

static void
leave_file(struct gs_input *input)
{
	gs_inflate_close(input->inflate);
	input->inflate = NULL;
	input->prefix_bytes = 0;
	input->begun = false;
	input->ended = false;
	gs_file_leave(&input->files[input->next_at - 1]);
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

static struct gs_file *
current(const struct gs_input *input)
{
	assert(input->next_at > 0 && input->next_at <= input->count);
	return &input->files[input->next_at - 1];
}

const char *
gs_input_name(const struct gs_input *input)
{
	return current(input)->name;
}

static struct gs_reader
reader_of(const struct gs_input *input, const struct gs_file *file)
{
	return (struct gs_reader){
		.fd = file->fd, .stop = input->stop,
		.read = input->options.read, .context = input->options.read_context,
	};
}

/* Read what a pipe begins with; text does not begin like compressed data. */
static gs_status
sniff_pipe(struct gs_input *input, struct gs_file *file)
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
begin_file(struct gs_input *input, struct gs_file *file)
{
	struct gs_inflate_help help;
	struct gs_reader reader;

	input->begun = true;
	if (file->waits)
		TRY(gs_file_open(file, &input->options, true));
	if (file->format == GSORT_DECOMPRESS_AUTO)
		TRY(sniff_pipe(input, file));
	if (file->format == GSORT_DECOMPRESS_NONE)
		return GS_OK;
	if (input->options.before_inflate != NULL)
		input->options.before_inflate(input->options.before_context);
	reader = reader_of(input, file);
	help = (struct gs_inflate_help){
		.threads = input->options.threads, .memory_bytes = input->options.unpack_bytes,
		.window_bytes = input->options.window_bytes,
		.regular = file->regular, .offset = file->start,
	};
	return gs_inflate_open(&input->inflate, file->format, &reader, file->name,
	                       input->prefix, input->prefix_bytes, &help);
}

/* ---- reading ----------------------------------------------------------- */

static gs_status
read_stream(struct gs_input *input, struct gs_file *file, char *into, size_t bytes, size_t *got)
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
	struct gs_file *file = current(input);

	*got = 0;
	if (!input->begun)
		TRY(begin_file(input, file));
	if (file->fd < 0 && input->options.read == NULL)	/* spent */
		return GS_OK;
	if (input->inflate != NULL)
		return gs_inflate_read(input->inflate, into, bytes, got);
	if (file->regular)
		return gs_file_read(file, input->options.threads, into, bytes, got);
	return read_stream(input, file, into, bytes, got);
}

gs_status
gs_input_read_callback(void *context, void *into, size_t bytes, size_t *got)
{
	return gs_input_read(context, into, bytes, got);
}

/* ---- many readers ------------------------------------------------------- */

gs_status
gs_input_claims(struct gs_input *input, bool *yes)
{
	struct gs_file *file = current(input);

	if (!input->begun)
		TRY(begin_file(input, file));
	*yes = file->regular && input->inflate == NULL && file->bytes != GS_UNKNOWN;
	return GS_OK;
}

void
gs_input_claim(struct gs_input *input, size_t bytes, struct gs_input_piece *piece)
{
	struct gs_file *file = current(input);
	const uint64_t left = gs_file_left(file);

	assert(input->begun && file->regular);
	*piece = (struct gs_input_piece){
		.file_at = input->next_at - 1, .offset = file->start + file->read_bytes,
		.bytes = left < bytes ? (size_t)left : bytes,
	};
	file->read_bytes += piece->bytes;
	if (piece->bytes > 0)
		gs_file_hold(file);
}

gs_status
gs_input_read_piece(struct gs_input *input, const struct gs_input_piece *piece, void *into,
                    size_t *got)
{
	struct gs_file *file = &input->files[piece->file_at];
	int error = 0;

	*got = 0;
	if (piece->bytes == 0)
		return GS_OK;
	*got = gs_file_read_at(file->fd, into, piece->bytes, piece->offset, &error);
	gs_file_let_go(file);
	if (error == 0)
		return GS_OK;
	errno = error;
	return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
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

/* STUBS until the recorder lands */
bool gs_input_can_rewind(const struct gs_input *input) { return input->files[0].regular; }
gs_status gs_input_rewind(struct gs_input *input) { (void)input; return gs_fail(GS_EIO, "cannot rewind"); }
gs_status gs_input_peek(struct gs_input *input, uint64_t least, uint64_t *bytes) { (void)input; (void)least; *bytes = 0; return GS_OK; }
void gs_input_record(struct gs_input *input, void *memory, size_t bytes) { (void)input; (void)memory; (void)bytes; }
void gs_input_stop_recording(struct gs_input *input) { (void)input; }

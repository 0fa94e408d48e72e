// SPDX-License-Identifier: BSD-2-Clause
/*
 * input.c - the bytes of all inputs, one file after the other
 *
 * In:   names.
 * Out:  bytes, decompressed.
 *
 * Pipes, terminals, sockets and callbacks give each byte once.  So the first bytes of a file that is not
 * regular are kept while compressed text is recognized by them, and then read from there.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/round.h"
#include "io/inflate.h"
#include "io/input.h"
#include "io/open.h"

/* What is being read of a file that is not regular. */
struct stream {
	const struct gs_file *file;
	struct gs_reader source;
	size_t           bytes, at;	/* in LOOK: how many, and which comes next */
	bool             ended;		/* the file has no more */
	bool             consumed;	/* bytes of it have been read */
	char             look[GS_CONTENTS_BYTES];	/* its first bytes */
};

struct gs_input {
	struct gs_input_options options;
	struct gs_files    files;
	size_t             next_at;	/* the current file is the one before */
	bool               begun;	/* the current file has been looked at */
	struct gs_inflate *inflate;	/* of the current file, if compressed */
	bool               checked;	/* what it contains has been looked at */
	struct stream      stream;	/* the current file, if it is not regular */
	int                stop;	/* of a pipe, readable once gs_input_stop() was called;
					 * -1: all files are regular, reading never waits */
	int                stopper;	/* its other end */
	uint64_t           stored_at;	/* of the current file, counted in options.stored */
	uint64_t           stored;	/* of all */
};

/* ---- opening ----------------------------------------------------------- */

gs_status
gs_input_open(struct gs_input **input, const struct gs_input_options *options)
{
	const struct gs_input *first = options->stops_with;
	struct gs_input *in;
	gs_status status;
	int ends[2];

	*input = NULL;
	TRY(GS_NEW(in, 1, "input"));
	in->options = *options;
	in->stop = first != NULL ? first->stop : -1;
	in->stopper = first != NULL ? first->stopper : -1;
	status = gs_files_open(&in->files, options);
	if (status != GS_OK) {
		gs_input_close(in);
		return status;
	}
	/* Reading may have to wait for bytes: another thread must be able to stop it.  Without a pipe that
	 * takes longer. */
	if (first == NULL && !gs_files_are_seekable(&in->files) && gs_pipe_open(ends)) {
		in->stop = ends[0];
		in->stopper = ends[1];
	}
	*input = in;
	return GS_OK;
}

void
gs_input_share(struct gs_input *input, unsigned threads, size_t unpack_bytes, uint64_t window_bytes)
{
	input->options.threads = threads;
	input->options.unpack_bytes = unpack_bytes;
	input->options.window_bytes = window_bytes;
}

const struct gs_files *
gs_input_files(const struct gs_input *input)
{
	return &input->files;
}

/* ---- progress ------------------------------------------------------------------ */

/* Count up to AT of the current file. */
static void
count_stored(struct gs_input *input, uint64_t at)
{
	if (input->options.stored == NULL || at <= input->stored_at)
		return;
	atomic_fetch_add(input->options.stored, at - input->stored_at);
	input->stored += at - input->stored_at;
	input->stored_at = at;
}

/* What has been read of a regular file, or of the compressed data in it. */
static void
note_stored(struct gs_input *input, const struct gs_file *file)
{
	if (file->regular && input->options.stored != NULL)
		count_stored(input, input->inflate == NULL ? file->read_bytes
		                    : gs_inflate_position(input->inflate) - file->start);
}

/* ---- what is not regular --------------------------------------------------- */

/* The options' callback; a result that is not a number of these bytes is an error. */
static ptrdiff_t
call(void *context, void *into, size_t bytes)
{
	const struct gs_input *input = context;
	ptrdiff_t got;

	errno = 0;
	got = input->options.read(input->options.read_context, into, bytes);
	if (got >= 0 && (size_t)got <= bytes)
		return got;
	if (got >= 0 || errno == 0)
		errno = EPROTO;
	return -1;
}

/* The next BYTES of the stream, or fewer; CONTEXT is the input.  Returns what gs_read() does. */
static ptrdiff_t
read_stream(void *context, void *into, size_t bytes)
{
	struct gs_input *input = context;
	struct stream *stream = &input->stream;
	ptrdiff_t got = (ptrdiff_t)gs_least(bytes, stream->bytes - stream->at);

	if (got > 0) {
		memcpy(into, stream->look + stream->at, (size_t)got);
		stream->at += (size_t)got;
	} else if (!stream->ended) {
		got = gs_read(&stream->source, into, bytes);
		stream->ended = got == 0;
	}
	if (got > 0) {
		stream->consumed = true;
		count_stored(input, input->stored_at + (uint64_t)got);
	}
	return got;
}

/* Look at LEAST or more of the first bytes of FILE, the stream, or at all of it, and recognize it. */
static gs_status
look(struct gs_input *input, struct gs_file *file, size_t least)
{
	struct stream *stream = &input->stream;

	while (stream->bytes < least && !stream->ended) {
		const ptrdiff_t got = gs_read(&stream->source, stream->look + stream->bytes,
		                              sizeof stream->look - stream->bytes);

		if (got == GS_READ_STOPPED)
			errno = ECANCELED;
		if (got < 0)
			return gs_file_fail(file);
		stream->bytes += (size_t)got;
		stream->ended = got == 0;
	}
	return gs_file_recognize(file, stream->look, stream->bytes, stream->ended);
}

/* ---- one file after the other ------------------------------------------ */

static void
end_file(struct gs_input *input)
{
	const bool inside = input->next_at > 0 && input->next_at <= input->files.count;
	const struct gs_file *file = inside ? &input->files.list[input->next_at - 1] : NULL;

	if (inside && file->regular && file->bytes != GS_UNKNOWN)
		count_stored(input, file->bytes);
	input->stored_at = 0;
	gs_inflate_close(input->inflate);
	input->inflate = NULL;
	input->begun = input->checked = false;
}

bool
gs_input_next(struct gs_input *input)
{
	if (input->next_at > 0 && input->next_at <= input->files.count) {
		end_file(input);
		gs_file_leave(&input->files.list[input->next_at - 1]);
	}
	if (input->next_at <= input->files.count)
		input->next_at++;
	return input->next_at <= input->files.count;
}

static struct gs_file *
current(const struct gs_input *input)
{
	assert(input->next_at > 0 && input->next_at <= input->files.count);
	return &input->files.list[input->next_at - 1];
}

const char *
gs_input_name(const struct gs_input *input)
{
	return current(input)->name;
}

uint64_t
gs_input_start(const struct gs_input *input)
{
	const struct gs_file *file = current(input);

	return file->part != NULL ? file->part->begin : 0;
}

static gs_status
begin_file(struct gs_input *input, struct gs_file *file)
{
	const struct gs_inflate_options options = {
		.threads = input->options.threads, .memory_bytes = input->options.unpack_bytes,
		.window_bytes = input->options.window_bytes,
		.regular = file->regular, .offset = file->start,
	};
	struct gs_reader reader = { .stop = -1, .read = read_stream, .context = input };

	input->begun = true;
	if (file->waits)
		TRY(gs_file_open(file, true));
	if (!file->regular && !file->spent) {
		if (input->stream.file != file)		/* or it was looked at before gs_input_rewind() */
			input->stream = (struct stream){ .file = file, .source = {
				.fd = file->fd, .stop = input->stop,
				.read = input->options.read != NULL ? call : NULL, .context = input,
			} };
		if (file->format == GSORT_DECOMPRESS_AUTO || file->guarded != GS_UNGUARDED)
			TRY(look(input, file, file->unit > 0 ? GS_CONTENTS_LEAST : GS_MAGIC_BYTES));
	}
	if (file->format == GSORT_DECOMPRESS_NONE)
		return GS_OK;
	if (input->options.confined != NULL)
		return gs_fail(GS_EUSAGE, "%s", input->options.confined);
	if (file->regular)
		reader = (struct gs_reader){ .fd = file->fd, .stop = input->stop };
	return gs_inflate_open(&input->inflate, file->format, &reader, file->name, &options);
}

/* ---- reading ----------------------------------------------------------- */

gs_status
gs_input_read(struct gs_input *input, void *into, size_t bytes, size_t *got)
{
	struct gs_file *file = current(input);
	gs_status status;

	*got = 0;
	TRY(gs_check_interrupted(input->options.interrupted));
	if (!input->begun)
		TRY(begin_file(input, file));
	if (file->spent)
		return GS_OK;
	while (input->inflate == NULL && !file->regular && *got < bytes) {
		const ptrdiff_t more = read_stream(input, (char *)into + *got, bytes - *got);

		if (more == 0 || more == GS_READ_STOPPED)
			break;
		if (more < 0)
			return gs_file_fail(file);
		*got += (size_t)more;
	}
	if (input->inflate == NULL && !file->regular)
		return GS_OK;
	status = input->inflate != NULL ? gs_inflate_read(input->inflate, into, bytes, got)
	         : gs_file_read(file, input->options.threads, into, bytes, got);
	if (status == GS_EINPUT && file->guessed)
		return gs_fail(status, "%s; if these are raw keys, use --decompress=none", gs_message());
	TRY(status);
	note_stored(input, file);
	if (input->inflate == NULL || input->checked)
		return GS_OK;
	input->checked = true;
	status = gs_file_check(file, into, *got, *got < bytes);
	if (status != GS_OK)
		*got = 0;	/* or the first line of an archive would be called no number */
	return status;
}

gs_status
gs_input_skip(struct gs_input *input, uint64_t bytes, void *into)
{
	char dropped[1 << 13];
	void *const to = into != NULL ? into : (void *)dropped;
	size_t want, got;

	if (current(input)->spent)	/* its header, too, was read for the first time */
		return GS_OK;
	for (uint64_t left = bytes; left > 0; left -= got) {
		want = into != NULL || left < sizeof dropped ? (size_t)left : sizeof dropped;
		TRY(gs_input_read(input, to, want, &got));
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
	if (input->stopper >= 0 && write(input->stopper, "", 1) < 0)
		return;		/* it is full: so it is readable */
}

void
gs_input_close(struct gs_input *input)
{
	if (input == NULL)
		return;
	gs_inflate_close(input->inflate);
	if (input->options.stops_with == NULL && input->stop >= 0) {
		close(input->stop);
		close(input->stopper);
	}
	gs_files_close(&input->files);
	free(input);
}

/* ---- pieces --------------------------------------------------------------- */

bool
gs_input_has_team(struct gs_input *input, size_t bytes)
{
	const struct gs_file *file = current(input);

	return input->options.threads > 1 && bytes >= GS_TEAM_BYTES && file->regular &&
	       file->format == GSORT_DECOMPRESS_NONE;
}

uint64_t
gs_input_left(const struct gs_input *input)
{
	return gs_file_left(current(input));
}

gs_status
gs_input_claims(struct gs_input *input, bool *yes)
{
	struct gs_file *file = current(input);

	if (!input->begun)
		TRY(begin_file(input, file));
	*yes = input->inflate == NULL && !file->spent && file->bytes != GS_UNKNOWN;
	return GS_OK;
}

void
gs_input_claim(struct gs_input *input, size_t bytes, struct gs_input_piece *piece)
{
	struct gs_file *file = current(input);
	const uint64_t left = gs_file_left(file);

	assert(input->begun && file->bytes != GS_UNKNOWN);
	*piece = (struct gs_input_piece){
		.file_at = input->next_at - 1, .bytes = left < bytes ? (size_t)left : bytes,
		.offset = file->start + file->read_bytes,
	};
	file->read_bytes += piece->bytes;
	if (piece->bytes > 0)
		file->references++;
	note_stored(input, file);
}

gs_status
gs_input_read_piece(struct gs_input *input, const struct gs_input_piece *piece, void *into, size_t *got)
{
	*got = 0;
	TRY(gs_check_interrupted(input->options.interrupted));
	if (piece->bytes == 0)
		return GS_OK;
	return gs_file_read_piece(&input->files.list[piece->file_at], piece->offset, piece->bytes, into, got);
}

void
gs_input_glance(struct gs_input *input, uint64_t at, size_t bytes, void *into, size_t *got)
{
	const struct gs_file *file = current(input);

	*got = input->begun && input->inflate == NULL && file->regular &&
	       gs_check_interrupted(input->options.interrupted) == GS_OK
	       ? gs_read_at(file->fd, into, bytes, file->start + file->read_bytes + at) : 0;
}

void
gs_input_expect(const struct gs_input *input, uint64_t at, size_t bytes)
{
	gs_file_expect(current(input), at, bytes);
}

gs_status
gs_input_advance(struct gs_input *input, uint64_t bytes)
{
	struct gs_file *file = current(input);

	file->read_bytes += bytes;
	note_stored(input, file);
	return gs_check_interrupted(input->options.interrupted);
}

/* ---- reading again ---------------------------------------------------------- */

gs_status
gs_input_rewind(struct gs_input *input)
{
	const size_t count = input->next_at < input->files.count ? input->next_at : input->files.count;
	char ignored[64];

	for (size_t f = 0; f < count; f++) {
		const struct gs_file *file = &input->files.list[f];
		const bool left = f + 1 < input->next_at;

		if (!file->regular && !file->spent &&
		    (left || (input->stream.file == file && input->stream.consumed)))
			return gs_fail(GS_EIO, "%s: cannot be read again: it is not a regular file; "
			               "--device=cpu reads it once", file->name);
	}
	end_file(input);
	for (size_t f = 0; f < count; f++)
		gs_file_rewind(&input->files.list[f]);
	while (input->options.stops_with == NULL && input->stop >= 0 &&
	       read(input->stop, ignored, sizeof ignored) > 0)
		;
	if (input->options.stored != NULL)
		atomic_fetch_sub(input->options.stored, input->stored);
	input->stored = input->stored_at = 0;
	input->next_at = 0;
	return GS_OK;
}

void
gs_input_close_left(struct gs_input *input)
{
	for (size_t f = 0; f + 1 < input->next_at && f < input->files.count; f++)
		gs_file_close_left(&input->files.list[f]);
}

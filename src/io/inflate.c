// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.c - decompress a stream
 *
 * In:   compressed bytes.
 * Out:  the contents of all members, one after the other.
 *
 * Each format has a decompressor in a file of its own, behind struct gs_inflate_format.  None
 * of them may be lenient: the sorted half of a file looks just like a sorted file.  A regular
 * file may begin with frames that several threads decompress (parallel_inflate.c); where they
 * end, the format's decompressor continues.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dynload.h"
#include "base/sandbox.h"
#include "io/inflate.h"

struct gs_inflate {
	const struct gs_inflate_format *format;
	struct gs_inflate_stream stream;
	struct gs_parallel_inflate *parallel;	/* or NULL */
};

/* ---- the formats ------------------------------------------------------- */

static const struct gs_inflate_format *const formats[] = {
	&gs_inflate_gzip, &gs_inflate_bzip2, &gs_inflate_xz, &gs_inflate_zstd, &gs_inflate_lz4,
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct gs_inflate_format *
format_of(enum gsort_decompress decompress)
{
	for (size_t f = 0; f < FORMATS; f++)
		if (formats[f]->decompress == decompress)
			return formats[f];
	return NULL;
}

enum gsort_decompress
gs_inflate_sniff(const void *data, size_t bytes)
{
	const unsigned char *magic = data;

	for (size_t f = 0; f < FORMATS; f++)
		if (bytes >= formats[f]->magic_bytes &&
		    memcmp(data, formats[f]->magic, formats[f]->magic_bytes) == 0)
			return formats[f]->decompress;
	/* 0x184D2A50 .. 5F, a skippable frame of zstd or lz4: files of pzstd begin with one. */
	if (bytes >= 4 && (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", 3) == 0)
		return GSORT_DECOMPRESS_ZSTD;
	return GSORT_DECOMPRESS_NONE;
}

/* The format whose suffix NAME has, or NULL. */
static const struct gs_inflate_format *
format_named(const char *name)
{
	size_t length = strlen(name);

	for (size_t f = 0; f < FORMATS; f++) {
		size_t suffix = strlen(formats[f]->suffix);

		if (length > suffix && strcmp(name + length - suffix, formats[f]->suffix) == 0)
			return formats[f];
	}
	return NULL;
}

enum gsort_decompress
gs_inflate_suffix(const char *name)
{
	const struct gs_inflate_format *format = format_named(name);

	return format != NULL ? format->decompress : GSORT_DECOMPRESS_NONE;
}

const char *
gs_inflate_program(const char *name)
{
	const struct gs_inflate_format *format = format_named(name);

	return format != NULL ? format->name : NULL;
}

const char *
gs_inflate_libraries(char *into, size_t bytes)
{
	size_t used = 0;

	into[0] = '\0';
	for (size_t f = 0; f < FORMATS && used < bytes; f++) {
		const char *version = formats[f]->loads() ? (*formats[f]->version)() : "missing";
		const char *blank = strchr(version, ' ');	/* "libarchive 3.6.2" */

		if (strstr(into, formats[f]->package) == NULL)
			used += (size_t)snprintf(into + used, bytes - used, "%s%s %s", f > 0 ? ", " : "",
			                         formats[f]->package, blank != NULL ? blank + 1 : version);
	}
	return into;
}

/* ---- one stream --------------------------------------------------------- */

static gs_status
load(const struct gs_inflate_format *format, const char *name)
{
	const char *trouble;

	if (format->loads())
		return GS_OK;
	trouble = gs_library_trouble();
	if (trouble != NULL)
		return gs_fail(GS_EIO, "%s: cannot be decompressed: %s", name, trouble);
	return gs_fail(GS_EIO, "%s: %s cannot be loaded: install %s, or decompress the %s data first%s",
	               name, format->soname, format->package, format->name, gs_sandbox_holds() ?
	               "; if it is not in a folder of the system, use --decompress=no-sandbox" : "");
}

gs_status
gs_inflate_open(struct gs_inflate **inflate, enum gsort_decompress decompress,
                const struct gs_reader *reader, const char *name,
                const struct gs_inflate_options *options)
{
	const struct gs_inflate_format *format = format_of(decompress);
	struct gs_inflate *z;
	gs_status status;

	*inflate = NULL;
	assert(format != NULL);
	TRY(load(format, name));
	z = calloc(1, sizeof *z);
	if (z == NULL)
		return gs_fail(GS_EBUDGET, "%s: no memory to decompress it", name);
	z->format = format;
	status = gs_inflate_stream_open(&z->stream, reader, name, format, options);
	THEN(status, format->open(&z->stream));
	if (status != GS_OK) {
		gs_inflate_close(z);
		return status;
	}
	if (options->regular && options->threads > 1 && options->memory_bytes > 0)
		z->parallel = gs_parallel_inflate_open(decompress, reader->fd, options->offset,
		                                       options->threads, options->memory_bytes);
	*inflate = z;
	return GS_OK;
}

/* The frames for several threads end at OFFSET; the stream begins there. */
static gs_status
leave_parallel(struct gs_inflate *z, uint64_t offset)
{
	gs_parallel_inflate_close(z->parallel);
	z->parallel = NULL;
	z->stream.any = offset > z->stream.options.offset;
	if (lseek(z->stream.reader.fd, (off_t)offset, SEEK_SET) < 0)
		return gs_fail_errno(GS_EIO, "read failed: %s", z->stream.name);
	return GS_OK;
}

gs_status
gs_inflate_read(struct gs_inflate *z, void *into, size_t bytes, size_t *got)
{
	uint64_t offset;

	*got = 0;
	if (z->parallel != NULL && !gs_parallel_inflate_read(z->parallel, into, bytes, got, &offset))
		TRY(leave_parallel(z, offset));
	while (*got < bytes && !z->stream.done)
		TRY(z->format->step(&z->stream, into, bytes, got));
	return GS_OK;
}

uint64_t
gs_inflate_position(const struct gs_inflate *z)
{
	const off_t read = z->parallel == NULL ? lseek(z->stream.reader.fd, 0, SEEK_CUR) : 0;

	if (z->parallel != NULL)
		return gs_parallel_inflate_position(z->parallel);
	return read > (off_t)z->stream.left ? (uint64_t)read - z->stream.left : 0;
}

void
gs_inflate_close(struct gs_inflate *z)
{
	if (z == NULL)
		return;
	gs_parallel_inflate_close(z->parallel);
	if (z->stream.decoder != NULL)
		z->format->close(&z->stream);
	if (z->format->state_bytes > 0)
		free(z->stream.decoder);
	free(z->stream.block);
	free(z);
}

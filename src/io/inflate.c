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

/* ---- the formats ------------------------------------------------------- */

static const struct gs_inflate_format *const formats[] = {
	[GSORT_DECOMPRESS_GZIP] = &gs_inflate_gzip,
	[GSORT_DECOMPRESS_BZIP2] = &gs_inflate_bzip2,
	[GSORT_DECOMPRESS_XZ] = &gs_inflate_xz,
	[GSORT_DECOMPRESS_ZSTD] = &gs_inflate_zstd,
	[GSORT_DECOMPRESS_LZ4] = &gs_inflate_lz4,
};

enum { FIRST = GSORT_DECOMPRESS_GZIP, FORMATS = sizeof formats / sizeof formats[0] };

enum gsort_decompress
gs_inflate_sniff(const void *data, size_t bytes)
{
	const unsigned char *magic = data;

	for (unsigned f = FIRST; f < FORMATS; f++)
		if (bytes >= formats[f]->magic_bytes &&
		    memcmp(data, formats[f]->magic, formats[f]->magic_bytes) == 0)
			return (enum gsort_decompress)f;
	/* 0x184D2A50 .. 5F, a skippable frame of zstd or lz4: files of pzstd begin with one. */
	if (bytes >= 4 && (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", 3) == 0)
		return GSORT_DECOMPRESS_ZSTD;
	return GSORT_DECOMPRESS_NONE;
}

enum gsort_decompress
gs_inflate_suffix(const char *name)
{
	const size_t length = strlen(name);

	for (unsigned f = FIRST; f < FORMATS; f++) {
		const size_t suffix = strlen(formats[f]->suffix);

		if (length > suffix && strcmp(name + length - suffix, formats[f]->suffix) == 0)
			return (enum gsort_decompress)f;
	}
	return GSORT_DECOMPRESS_NONE;
}

const char *
gs_inflate_program(const char *name)
{
	const struct gs_inflate_format *format = formats[gs_inflate_suffix(name)];

	return format != NULL ? format->name : NULL;
}

const char *
gs_inflate_libraries(char *into, size_t bytes)
{
	size_t used = 0;

	into[0] = '\0';
	for (unsigned f = FIRST; f < FORMATS && used < bytes; f++) {
		const char *version = formats[f]->loads() ? (*formats[f]->version)() : "missing";
		const char *blank = strchr(version, ' ');	/* "libarchive 3.6.2" */

		if (strstr(into, formats[f]->package) == NULL)
			used += (size_t)snprintf(into + used, bytes - used, "%s%s %s", used > 0 ? ", " : "",
			                         formats[f]->package, blank != NULL ? blank + 1 : version);
	}
	return into;
}

/* ---- one stream --------------------------------------------------------- */

gs_status
gs_inflate_open(struct gs_inflate **inflate, enum gsort_decompress decompress,
                const struct gs_reader *reader, const char *name,
                const struct gs_inflate_options *options)
{
	const struct gs_inflate_format *format = formats[decompress];
	const struct gs_inflate begun = {
		.name = name, .format = format, .options = *options, .reader = *reader,
		.position = options->offset,
	};
	struct gs_inflate *z;
	gs_status status;

	*inflate = NULL;
	assert(format != NULL);
	if (!format->loads()) {
		const char *trouble = gs_library_trouble();

		return trouble != NULL
		       ? gs_fail(GS_EIO, "%s: cannot be decompressed: %s", name, trouble)
		       : gs_fail(GS_EIO, "%s: %s cannot be loaded: install %s, or decompress the %s data "
		                 "first%s", name, format->soname, format->package, format->name,
		                 gs_sandbox_holds() ? "; if it is not in a folder of the system, use "
		                 "--decompress=no-sandbox" : "");
	}
	z = calloc(1, sizeof *z);
	if (z == NULL)
		return gs_inflate_no_memory(&begun);
	*z = begun;
	z->block = calloc(1, GS_KEPT_BYTES + GS_BLOCK_BYTES);
	z->next = z->block + GS_KEPT_BYTES;
	if (format->state_bytes > 0)
		z->decoder = calloc(1, format->state_bytes);
	status = z->block != NULL && (z->decoder != NULL || format->state_bytes == 0)
	         ? GS_OK : gs_inflate_no_memory(z);
	if (format->open != NULL)
		THEN(status, format->open(z));
	if (status != GS_OK) {
		gs_inflate_close(z);
		return status;
	}
	z->parallel = gs_parallel_inflate_open(z);
	*inflate = z;
	return GS_OK;
}

gs_status
gs_inflate_read(struct gs_inflate *z, void *into, size_t bytes, size_t *got)
{
	*got = 0;
	if (z->parallel != NULL &&
	    !gs_parallel_inflate_read(z->parallel, into, bytes, got, &z->position)) {
		/* the frames for several threads end here, and the stream begins */
		gs_parallel_inflate_close(z->parallel);
		z->parallel = NULL;
		z->any = z->position > z->options.offset;
		if (lseek(z->reader.fd, (off_t)z->position, SEEK_SET) < 0)
			return gs_fail_errno(GS_EIO, "read failed: %s", z->name);
	}
	while (*got < bytes && !z->done)
		TRY(z->format->step(z, into, bytes, got));
	return GS_OK;
}

uint64_t
gs_inflate_position(const struct gs_inflate *z)
{
	const off_t read = z->parallel == NULL ? lseek(z->reader.fd, 0, SEEK_CUR) : 0;

	if (z->parallel != NULL)
		return z->position;
	return read > (off_t)z->left ? (uint64_t)read - z->left : 0;
}

void
gs_inflate_close(struct gs_inflate *z)
{
	if (z == NULL)
		return;
	gs_parallel_inflate_close(z->parallel);
	if (z->decoder != NULL)
		z->format->close(z);
	if (z->format->state_bytes > 0)
		free(z->decoder);
	free(z->block);
	free(z);
}

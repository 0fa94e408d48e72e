// SPDX-License-Identifier: BSD-2-Clause
/* files.c - all files of an input: opened, and facts about them */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/files.h"
#include "io/inflate.h"

enum { FDS_FOR_OTHERS = 32 };		/* for the output and the libraries */

/* ---- opening ----------------------------------------------------------- */

gs_status
gs_files_open(struct gs_files *files, const struct gs_input_options *options)
{
	const bool calls = options->read != NULL;
	const size_t count = options->count;
	size_t allowed = SIZE_MAX;	/* files that may stay open at once */
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		allowed = limit.rlim_cur > 2 * FDS_FOR_OTHERS ? limit.rlim_cur - FDS_FOR_OTHERS
		                                              : limit.rlim_cur / 2;
	files->count = 0;
	TRY(GS_NEW(files->list, count, "file names"));
	files->count = count;
	for (size_t f = 0; f < count; f++) {
		files->list[f].name = options->names[f];
		files->list[f].fd = -1;
		if (gs_file_is_standard(&files->list[f]) && !gs_allows(STDIN_FILENO, O_RDONLY))
			return gs_fail_errno(GS_EIO, "cannot read: -");
	}
	for (size_t f = 0; f < count; f++) {
		const bool stay = f < allowed && !options->later;
		struct gs_file *file = &files->list[f];

		/* the format that was asked for, or that the name promises; a caller knows what it gives */
		file->format = options->decompress;
		if (options->decompress == GSORT_DECOMPRESS_AUTO && options->unit > 0) {
			file->format = gs_inflate_suffix(file->name);
			if (file->format == GSORT_DECOMPRESS_NONE && !calls)
				file->format = GSORT_DECOMPRESS_AUTO;
		}
		file->unit = options->unit;
		file->no_terminal = options->unit > 0 && !options->terminal_ok;
		file->guarded = calls ? GS_UNGUARDED : options->guarded;
		file->skip_bytes = options->skip_bytes;
		file->bytes = GS_UNKNOWN;
		if (options->ranges != NULL && options->ranges[f].end != GS_UNKNOWN)
			file->part = &options->ranges[f];
		file->stays = stay && options->again;
		/* "-" for the second time: the first one will have read all of it */
		for (size_t before = 0; before < f && gs_file_is_standard(file); before++)
			file->spent |= gs_file_is_standard(&files->list[before]);
		if (file->spent) {
			file->bytes = 0;
			file->format = GSORT_DECOMPRESS_NONE;
		} else if (calls) {
			file->references++;
		} else {
			TRY(gs_file_open(file, stay));
		}
	}
	return GS_OK;
}

void
gs_files_close(struct gs_files *files)
{
	for (size_t f = 0; f < files->count; f++)
		if (files->list[f].fd > STDIN_FILENO)
			close(files->list[f].fd);
	free(files->list);
	*files = (struct gs_files){ .list = NULL };
}

/* ---- facts ------------------------------------------------------------- */

/* Bytes that a file will give, if that is known. */
static uint64_t
bytes_of(const struct gs_file *file)
{
	return file->format == GSORT_DECOMPRESS_NONE ? file->bytes : GS_UNKNOWN;
}

uint64_t
gs_files_bytes(const struct gs_files *files, bool stored)
{
	uint64_t sum = 0;

	for (size_t f = 0; f < files->count; f++) {
		const uint64_t bytes = stored ? files->list[f].bytes : bytes_of(&files->list[f]);

		if (bytes == GS_UNKNOWN)
			return GS_UNKNOWN;
		sum += bytes;
	}
	return sum;
}

const char *
gs_files_partial(const struct gs_files *files, size_t key_bytes, uint64_t *bytes)
{
	for (size_t f = 0; f < files->count; f++) {
		*bytes = bytes_of(&files->list[f]);
		if (*bytes != GS_UNKNOWN && *bytes % key_bytes != 0)
			return files->list[f].name;
	}
	return NULL;
}

bool
gs_files_inflate(const struct gs_files *files, enum gs_inflates asked)
{
	for (size_t f = 0; f < files->count; f++) {
		const enum gsort_decompress format = files->list[f].format;

		if (format != GSORT_DECOMPRESS_NONE &&
		    (asked < GS_INFLATES || format != GSORT_DECOMPRESS_AUTO) &&
		    (asked < GS_LARGE_WINDOW || format != GSORT_DECOMPRESS_GZIP))
			return true;
	}
	return false;
}

bool
gs_files_are_seekable(const struct gs_files *files)
{
	for (size_t f = 0; f < files->count; f++)
		if (!files->list[f].regular)
			return false;
	return true;
}

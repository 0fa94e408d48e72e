// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.c - which bytes of the inputs each rank reads
 *
 * In:   names.
 * Out:  the same names, or some of them, with ranges of bytes.
 *
 * Every rank looks at every file, and finds its own share without asking the others, since all see
 * the same sizes; rank 0's are compared with theirs.  The shares are cut at places that all
 * ranks compute alike, so a part ends where the next rank's begins.
 *
 * Invariant: each key, or line, is in exactly one part (but see OVERLAP in rank_job.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/round.h"
#include "io/input.h"
#include "key/key.h"
#include "options/options.h"
#include "ranks/rank_job.h"
#include "text/disorder.h"
#include "text/text.h"

/* All files, and how they are cut. */
struct survey {
	const struct gsort_options *options;
	struct gs_parted *files;
	size_t         count;
	size_t         key_bytes;	/* of a record, too; 0: text */
	struct gs_line_order order;	/* of text: it tells where lines end */
	struct gs_cut *cuts;		/* of CSV: between the shares of ranks */
	uint64_t      *begins;		/* where a row begins behind each */
	size_t         cut_count;	/* one more than ranks */
};

/* ---- one file ------------------------------------------------------------------ */

/* What is it? */
static gs_status
examine(const struct survey *survey, struct gs_parted *file)
{
	const struct gsort_options *options = survey->options;
	const struct gs_input_options in = {
		.names = &file->name, .count = 1, .unit = survey->key_bytes,
		.guarded = gs_options_guard(options),
		.skip_bytes = options->skip_bytes,
		.terminal_ok = options->force, .decompress = options->decompress,
	};
	struct gs_input *input;
	struct gs_rows rows;
	struct stat st;

	file->kind = GS_PARTED_STREAM;
	if (strcmp(file->name, "-") == 0 || (stat(file->name, &st) == 0 && !S_ISREG(st.st_mode)))
		return GS_OK;
	TRY(gs_input_open(&input, &in));
	file->bytes = gs_files_bytes(gs_input_files(input), false);
	if (gs_files_inflate(gs_input_files(input), GS_INFLATES)) {
		file->kind = GS_PARTED_COMPRESSED;
		file->bytes = (uint64_t)st.st_size;
	} else if (file->bytes != GS_UNKNOWN) {
		file->kind = GS_PARTED_PLAIN;
		file->shared = file->bytes;
	}
	gs_input_close(input);
	if (file->kind != GS_PARTED_PLAIN)
		return GS_OK;
	if (survey->key_bytes > 0) {
		file->header = gs_least(options->skip_bytes, file->bytes);
		return (file->bytes - file->header) % survey->key_bytes == 0
		       ? GS_OK : gs_partial(options, file->name, file->header, file->bytes - file->header);
	}
	for (uint64_t line = 0; line < options->header_lines && file->header < file->bytes; line++) {
		TRY(gs_rows_scan(&survey->order, file->name, file->header, file->bytes, true, &rows));
		file->header = rows.first;
	}
	return GS_OK;
}

/* ---- sharing out ------------------------------------------------------------------- */

/* All ranks must see the same files. */
static gs_status
compare_sizes(const struct survey *survey, struct gs_ranks *ranks)
{
	uint64_t *sizes;
	gs_status status = gs_ranks_agree(ranks, GS_NEW(sizes, survey->count, "files"));

	for (size_t f = 0; status == GS_OK && f < survey->count; f++)
		sizes[f] = survey->files[f].kind == GS_PARTED_STREAM ? 0 : survey->files[f].bytes;
	THEN(status, gs_ranks_share(ranks, sizes, survey->count * sizeof *sizes));
	for (size_t f = 0; status == GS_OK && f < survey->count; f++) {
		const struct gs_parted *file = &survey->files[f];

		if (file->kind != GS_PARTED_STREAM && file->bytes != sizes[f])
			status = gs_fail(GS_EIO, "%s: has %llu bytes here, and %llu where rank 0 runs: all "
			                 "ranks must see the same files", file->name,
			                 (unsigned long long)file->bytes, (unsigned long long)sizes[f]);
	}
	free(sizes);
	return status;
}

static int
largest_first(const void *a, const void *b)
{
	const struct gs_parted *const *one = a, *const *other = b;

	return (*one)->bytes != (*other)->bytes ? ((*one)->bytes < (*other)->bytes ? 1 : -1)
	       : (*one < *other ? -1 : *one > *other);
}

/* Deal out whole files. */
static gs_status
deal(struct survey *survey, unsigned ranks)
{
	struct gs_parted **order;
	uint64_t *loads = NULL;
	size_t count = 0;
	gs_status status = GS_NEW(order, survey->count, "files");

	THEN(status, GS_NEW(loads, ranks, "ranks"));
	for (size_t f = 0; status == GS_OK && f < survey->count; f++)
		if (survey->files[f].kind == GS_PARTED_COMPRESSED)
			order[count++] = &survey->files[f];
	if (count > 0)
		qsort(order, count, sizeof *order, largest_first);
	for (size_t f = 0; f < count; f++) {
		struct gs_parted *file = order[f];

		for (unsigned r = 1; r < ranks && file != survey->files; r++)
			if (loads[r] < loads[file->reader])
				file->reader = r;
		loads[file->reader] += file->bytes;
	}
	free(order);
	free(loads);
	return status;
}

/* Where in the row of plain bytes the share of RANK begins: rounded up, so that rank 0's share has the
 * first byte. */
static uint64_t
share_begin(const struct gs_parts *parts, unsigned rank, unsigned ranks)
{
	return (uint64_t)(((unsigned __int128)parts->plain_bytes * rank + ranks - 1) / ranks);
}

/* Where in FILE the first key, or line, is that begins at AT or later: the share of RANK begins there. */
static gs_status
align(const struct survey *survey, const struct gs_parted *file, uint64_t at, unsigned rank,
      uint64_t *aligned)
{
	const uint64_t key_bytes = survey->key_bytes;
	struct gs_rows rows;

	*aligned = at;
	if (at == 0 || at >= file->bytes)
		return GS_OK;
	if (at <= file->header) {
		*aligned = file->header;
	} else if (survey->cuts != NULL) {
		*aligned = survey->begins[rank];
	} else if (key_bytes > 0) {
		*aligned = file->header + (at - file->header + key_bytes - 1) / key_bytes * key_bytes;
	} else {	/* a line that begins at AT is behind the end of the one before */
		TRY(gs_rows_scan(&survey->order, file->name, at - 1, file->bytes, true, &rows));
		*aligned = rows.first;
	}
	return GS_OK;
}

static void
append(struct gs_parts *parts, const struct gs_parted *file, uint64_t begin, uint64_t end)
{
	parts->names[parts->count] = file->name;
	parts->ranges[parts->count++] = (struct gs_range){ begin, end };
}

/* For a check: let a part of file number AT begin a key, or line, earlier, or else at the last one of the
 * files before it. */
static gs_status
overlap_part(const struct survey *survey, struct gs_parts *parts, size_t at, uint64_t *begin)
{
	const struct gs_parted *file = &survey->files[at];
	uint64_t end = *begin, last, least, from;
	struct gs_rows rows;

	for (; end <= file->header; end = file->bytes) {
		if (file == survey->files)
			return GS_OK;
		file--;
	}
	last = end - survey->key_bytes;
	/* a row of CSV is looked for from the last one on whose beginning is known */
	least = file->header;
	for (size_t c = 0; c < survey->cut_count; c++)
		if (survey->cuts[c].file == file && survey->begins[c] < end)
			least = survey->begins[c];
	for (uint64_t step = survey->cuts != NULL ? end : 64; survey->key_bytes == 0; step *= 2) {
		from = end - gs_least(end - least, step);
		/* the byte before END ends the line */
		TRY(gs_rows_scan(&survey->order, file->name, from, end - 1, false, &rows));
		last = rows.last;
		if (last > from || from == least)
			break;
	}
	parts->overlap_bytes = end - last;
	parts->overlap_keys = 1;
	if (file == &survey->files[at])
		*begin = last;
	else
		append(parts, file, last, end);
	return GS_OK;
}

/* Where CSV is cut, a row may have begun long before: find the first one behind each cut; collective. */
static gs_status
find_rows(struct survey *survey, const struct gs_parts *parts, struct gs_ranks *ranks)
{
	const struct gs_parted *file = survey->files, *end = file + survey->count;
	uint64_t before = 0;
	gs_status status;

	survey->cut_count = ranks->size + 1;
	status = GS_NEW(survey->cuts, survey->cut_count, "cuts");
	THEN(status, GS_NEW(survey->begins, survey->cut_count, "cuts"));
	TRY(gs_ranks_agree(ranks, status));
	for (unsigned r = 0; r < ranks->size; r++) {
		const uint64_t at = share_begin(parts, r, ranks->size);

		for (; file < end && at >= before + file->shared; file++)
			before += file->shared;
		if (file < end && at - before > file->header)
			survey->cuts[r] = (struct gs_cut){ file, at - before };
	}
	return gs_rows_find(ranks, &survey->order, survey->cuts, survey->begins);
}

/* List what this rank reads. */
static gs_status
list_parts(const struct survey *survey, struct gs_parts *parts, const struct gs_ranks *ranks,
           bool overlap)
{
	const uint64_t first = share_begin(parts, ranks->rank, ranks->size);
	const uint64_t last = share_begin(parts, ranks->rank + 1, ranks->size);
	uint64_t before = 0, begin, end;
	bool overlaps = overlap && ranks->rank > 0;

	for (size_t f = 0; f < survey->count; before += survey->files[f++].shared) {
		const struct gs_parted *file = &survey->files[f];

		if (file->kind != GS_PARTED_PLAIN && file->reader == ranks->rank)
			append(parts, file, 0, GS_UNKNOWN);
		else if (file->kind == GS_PARTED_PLAIN && file->bytes == 0 && ranks->rank == 0)
			append(parts, file, 0, 0);	/* it has no header */
		if (first >= before + file->shared || last <= before || file->shared == 0)
			continue;
		TRY(align(survey, file, first > before ? first - before : 0, ranks->rank, &begin));
		TRY(align(survey, file, gs_least(last - before, file->bytes), ranks->rank + 1, &end));
		if (begin >= end)
			continue;
		if (overlaps)
			TRY(overlap_part(survey, parts, f, &begin));
		overlaps = false;
		append(parts, file, begin, end);
	}
	return GS_OK;
}

/* All ranks know the header of the first file that has a line: lines may have keys by name. */
static gs_status
read_header(const struct survey *survey, struct gs_parts *parts)
{
	gs_status status;
	int fd;

	for (size_t f = 0; f < survey->count && parts->header_bytes == 0; f++) {
		const struct gs_parted *file = &survey->files[f];

		if (file->header == 0 || survey->key_bytes > 0)
			continue;
		TRY(gs_allocate(&parts->header, file->header + 1, 1, "bytes of a header"));
		TRY(gs_open_to_read(file->name, &fd));
		status = gs_read_file(file->name, fd, parts->header, file->header, 0, &parts->header_bytes);
		close(fd);
		TRY(status);
		if (gs_line_mark(parts->header, parts->header_bytes) == parts->header_bytes) {
			parts->header_bytes = 0;
			free(parts->header);
			parts->header = NULL;
		} else if (parts->header[parts->header_bytes - 1] != survey->order.terminator) {
			parts->header[parts->header_bytes++] = survey->order.terminator;
		}
	}
	return GS_OK;
}

static gs_status
survey_files(struct survey *survey, struct gs_parts *parts)
{
	const struct gsort_options *options = survey->options;
	const struct gs_line_options lines = {
		.csv = options->csv, .separator = options->separator,
		.terminator = options->zero_terminated ? '\0' : '\n',
	};

	TRY(gs_line_order_open(&survey->order, &lines));
	parts->terminator = survey->order.terminator;
	TRY(GS_NEW(survey->files, survey->count, "files"));
	TRY(GS_NEW(parts->names, survey->count + 1, "file names"));
	TRY(GS_NEW(parts->ranges, survey->count + 1, "files"));
	for (size_t f = 0; f < survey->count; f++) {
		struct gs_parted *file = &survey->files[f];

		file->name = options->inputs[f];
		TRY(examine(survey, file));
		parts->inflates |= file->kind == GS_PARTED_COMPRESSED;
		parts->plain_bytes += file->shared;
		if (file->kind == GS_PARTED_STREAM)
			parts->other_bytes = GS_UNKNOWN;
		else if (parts->other_bytes != GS_UNKNOWN)
			parts->other_bytes += file->bytes - file->shared;
	}
	return read_header(survey, parts);
}

gs_status
gs_parts_open(struct gs_parts *parts, const struct gsort_options *options, struct gs_ranks *ranks,
              bool overlap)
{
	struct survey survey = {
		.options = options, .count = options->input_count,
		.key_bytes = options->record_bytes > 0 ? (size_t)options->record_bytes
		                                       : gs_key_bits(options->type) / 8,
	};
	gs_status status;

	*parts = (struct gs_parts){ .names = NULL };
	status = gs_ranks_agree(ranks, survey_files(&survey, parts));
	THEN(status, compare_sizes(&survey, ranks));
	if (options->csv)
		THEN(status, find_rows(&survey, parts, ranks));
	THEN(status, deal(&survey, ranks->size));
	THEN(status, list_parts(&survey, parts, ranks, overlap));
	gs_line_order_close(&survey.order);
	free(survey.files);
	free(survey.cuts);
	free(survey.begins);
	return gs_ranks_agree(ranks, status);
}

void
gs_parts_close(struct gs_parts *parts)
{
	free(parts->names);
	free(parts->ranges);
	free(parts->header);
	*parts = (struct gs_parts){ .count = 0 };
}

/* ---- lines before -------------------------------------------------------------------- */

uint64_t
gs_parts_lines_before(void *context, const char *name, bool count)
{
	const struct gs_parts *parts = context;
	const struct gs_line_order order = { .terminator = parts->terminator };
	struct gs_rows rows;
	uint64_t begin = 0;

	/* names are told apart by their addresses: the same file may be an input twice */
	for (size_t p = 0; p < parts->count && begin == 0; p++)
		if (parts->names[p] == name && parts->ranges[p].end != GS_UNKNOWN)
			begin = parts->ranges[p].begin;
	if (begin == 0)
		return GS_TEXT_WHOLE;
	/* a message needs them: that they cannot be read does not matter */
	return count && gs_rows_scan(&order, name, 0, begin, false, &rows) == GS_OK ? rows.count : 0;
}

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
 * Invariant: each key, or line, is in exactly one part (but see OVERLAP in ranked.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/input.h"
#include "key/key.h"
#include "options/options.h"
#include "ranks/ranked.h"
#include "text/disorder.h"
#include "text/text.h"

enum kind { PLAIN, COMPRESSED, STREAM };

struct source {
	const char *name;
	enum kind   kind;
	uint64_t    bytes;	/* of the file */
	uint64_t    header;	/* of these, at its beginning */
	unsigned    reader;	/* if it is not plain */
};

/* All sources, and how they are cut. */
struct survey {
	const struct gsort_options *options;
	struct source *sources;
	size_t         count;
	size_t         key_bytes;	/* of a record, too; 0: text */
	struct gs_line_order order;	/* of text: it tells where lines end */
	struct gs_cut *cuts;		/* of CSV: between the shares of ranks */
	uint64_t      *begins;		/* where a row begins behind each */
	size_t         cut_count;	/* one more than ranks */
};

/* ---- one file ------------------------------------------------------------------ */

/* The first end of a line at or after AT, or else of the file.  So the line that begins at or after AT + 1
 * begins there.  With CSV a row begins at AT. */
static gs_status
line_end(const struct survey *survey, const struct source *source, uint64_t at, uint64_t *end)
{
	return gs_rows_end(&survey->order, source->name, at, source->bytes, end);
}

/* The beginning of the line before the one that begins at AT, which is not the first after the header.  That
 * of a row of CSV is looked for from the last one on whose beginning is known. */
static gs_status
line_before(const struct survey *survey, const struct source *source, uint64_t at, uint64_t *begin)
{
	uint64_t least = source->header, from;

	for (const struct gs_cut *cut = survey->cuts; cut < survey->cuts + survey->cut_count; cut++)
		if (cut->name != NULL && &survey->sources[cut->source] == source &&
		    survey->begins[cut - survey->cuts] < at)
			least = survey->begins[cut - survey->cuts];
	for (uint64_t step = survey->cuts != NULL ? at : 64; ; step *= 2) {
		from = at - least > step ? at - step : least;
		TRY(gs_rows_before(&survey->order, source->name, from, at, begin));
		if (*begin > from || from == least)
			return GS_OK;
	}
}

/* A file has whole keys, or records. */
static gs_status
check_whole(const struct survey *survey, const struct source *source)
{
	const uint64_t bytes = source->bytes - source->header;

	return bytes % survey->key_bytes == 0 ? GS_OK
	       : gs_partial(survey->options, source->name, source->header, bytes);
}

static gs_status
measure_header(const struct survey *survey, struct source *source)
{
	const struct gsort_options *options = survey->options;

	source->header = options->skip_bytes < source->bytes ? options->skip_bytes : source->bytes;
	if (survey->key_bytes > 0)
		return check_whole(survey, source);
	source->header = 0;
	for (uint64_t line = 0; line < options->header_lines && source->header < source->bytes; line++)
		TRY(line_end(survey, source, source->header, &source->header));
	return GS_OK;
}

/* What is NAME? */
static gs_status
examine(const struct survey *survey, struct source *source)
{
	const struct gsort_options *options = survey->options;
	const struct gs_input_options in = {
		.names = &source->name, .count = 1, .binary = survey->key_bytes > 0,
		.guarded = gs_options_guard(options),
		.terminal_ok = options->force, .decompress = options->decompress,
	};
	struct gs_input *input;
	struct stat st;

	source->kind = STREAM;
	if (strcmp(source->name, "-") == 0 || (stat(source->name, &st) == 0 && !S_ISREG(st.st_mode)))
		return GS_OK;
	TRY(gs_input_open(&input, &in));
	source->bytes = gs_files_bytes(gs_input_files(input));
	source->kind = gs_files_inflate(gs_input_files(input), GS_INFLATES) ? COMPRESSED :
	               source->bytes == GS_UNKNOWN ? STREAM : PLAIN;
	gs_input_close(input);
	if (source->kind == COMPRESSED)
		source->bytes = (uint64_t)st.st_size;
	return source->kind == PLAIN ? measure_header(survey, source) : GS_OK;
}

/* ---- sharing out ------------------------------------------------------------------- */

/* All ranks must see the same files. */
static gs_status
compare_sizes(const struct survey *survey, struct gs_ranks *ranks)
{
	uint64_t *sizes;
	gs_status status = gs_ranks_agree(ranks, GS_NEW(sizes, survey->count, "files"));

	for (size_t f = 0; status == GS_OK && f < survey->count; f++)
		sizes[f] = survey->sources[f].kind == STREAM ? 0 : survey->sources[f].bytes;
	THEN(status, gs_ranks_share(ranks, sizes, survey->count * sizeof *sizes));
	for (size_t f = 0; status == GS_OK && f < survey->count; f++)
		if (survey->sources[f].kind != STREAM && survey->sources[f].bytes != sizes[f])
			status = gs_fail(GS_EIO, "%s: has %llu bytes here, and %llu where rank 0 runs: all "
			                 "ranks must see the same files", survey->sources[f].name,
			                 (unsigned long long)survey->sources[f].bytes,
			                 (unsigned long long)sizes[f]);
	free(sizes);
	return status;
}

static int
largest_first(const void *a, const void *b)
{
	const struct source *const *one = a, *const *other = b;

	return (*one)->bytes != (*other)->bytes ? ((*one)->bytes < (*other)->bytes ? 1 : -1)
	       : (*one < *other ? -1 : *one > *other);
}

/* Bytes that are shared out. */
static uint64_t
plain_bytes(const struct source *source)
{
	return source->kind == PLAIN ? source->bytes : 0;
}

/* Deal out whole files. */
static gs_status
deal(struct survey *survey, unsigned ranks)
{
	struct source **order;
	uint64_t *loads = NULL;
	gs_status status = GS_NEW(order, survey->count, "files");

	THEN(status, GS_NEW(loads, ranks, "ranks"));
	for (size_t f = 0; status == GS_OK && f < survey->count; f++)
		order[f] = &survey->sources[f];
	if (status == GS_OK)
		qsort(order, survey->count, sizeof(struct source *), largest_first);
	for (size_t f = 0; status == GS_OK && f < survey->count; f++) {
		if (order[f]->kind != COMPRESSED)
			continue;
		for (unsigned r = 1; r < ranks && order[f] != survey->sources; r++)
			if (loads[r] < loads[order[f]->reader])
				order[f]->reader = r;
		loads[order[f]->reader] += order[f]->bytes;
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

/* Where in SOURCE the first key, or line, is that begins at AT or later: the share of RANK begins there. */
static gs_status
align(const struct survey *survey, const struct source *source, uint64_t at, unsigned rank,
      uint64_t *aligned)
{
	*aligned = at;
	if (at == 0 || at >= source->bytes)
		return GS_OK;
	*aligned = source->header;
	if (at <= source->header)
		return GS_OK;
	if (survey->cuts != NULL) {
		*aligned = survey->begins[rank];
		return GS_OK;
	}
	if (survey->key_bytes == 0)
		return line_end(survey, source, at - 1, aligned);
	at = at - source->header + survey->key_bytes - 1;
	*aligned = source->header + at - at % survey->key_bytes;
	return GS_OK;
}

static void
append(struct gs_parts *parts, const struct source *source, uint64_t begin, uint64_t end)
{
	parts->names[parts->count] = source->name;
	parts->ranges[parts->count++] = (struct gs_range){ begin, end };
}

/* For a check: let a part begin a key, or line, earlier, or else at the last one of the file before
 * it. */
static gs_status
overlap_part(const struct survey *survey, struct gs_parts *parts, size_t file_at, uint64_t *begin)
{
	const struct source *source = &survey->sources[file_at];
	const uint64_t key_bytes = survey->key_bytes;
	uint64_t last;

	if (*begin > source->header) {
		last = *begin - key_bytes;
		if (key_bytes == 0)
			TRY(line_before(survey, source, *begin, &last));
		parts->overlap_bytes = *begin - last;
		parts->overlap_keys = 1;
		*begin = last;
		return GS_OK;
	}
	while (file_at > 0 && parts->overlap_keys == 0) {
		source = &survey->sources[--file_at];
		if (source->bytes <= source->header)
			continue;
		last = source->bytes - key_bytes;
		if (key_bytes == 0)
			TRY(line_before(survey, source, source->bytes, &last));
		append(parts, source, last, source->bytes);
		parts->overlap_bytes = source->bytes - last;
		parts->overlap_keys = 1;
	}
	return GS_OK;
}

/* Where CSV is cut, a row may have begun long before: find the first one behind each cut; collective. */
static gs_status
find_rows(struct survey *survey, const struct gs_parts *parts, struct gs_ranks *ranks)
{
	uint64_t before = 0;
	size_t f = 0;
	gs_status status;

	survey->cut_count = ranks->size + 1;
	status = GS_NEW(survey->cuts, survey->cut_count, "cuts");
	THEN(status, GS_NEW(survey->begins, survey->cut_count, "cuts"));
	TRY(gs_ranks_agree(ranks, status));
	for (unsigned r = 0; r < ranks->size; r++) {
		const uint64_t at = share_begin(parts, r, ranks->size);
		const struct source *source;

		for (; f < survey->count && at >= before + plain_bytes(&survey->sources[f]); f++)
			before += plain_bytes(&survey->sources[f]);
		source = &survey->sources[f];
		if (f < survey->count && at - before > source->header)
			survey->cuts[r] = (struct gs_cut){
				source->name, f, at - before, source->header, source->bytes,
			};
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

	for (size_t f = 0; f < survey->count; f++) {
		const struct source *source = &survey->sources[f];

		if (source->kind != PLAIN) {
			if (source->reader == ranks->rank)
				append(parts, source, 0, GS_UNKNOWN);
			continue;
		}
		if (source->bytes == 0 && ranks->rank == 0)	/* it has no header */
			append(parts, source, 0, 0);
		if (source->bytes > 0 && first < before + source->bytes && last > before) {
			TRY(align(survey, source, first > before ? first - before : 0, ranks->rank, &begin));
			TRY(align(survey, source, last - before < source->bytes ? last - before
			                                                        : source->bytes,
			          ranks->rank + 1, &end));
			if (begin < end && overlaps)
				TRY(overlap_part(survey, parts, f, &begin));
			overlaps &= begin >= end;
			if (begin < end)
				append(parts, source, begin, end);
		}
		before += source->bytes;
	}
	return GS_OK;
}

/* All ranks know the header of the first file that has a line: lines may have keys by name. */
static gs_status
read_header(const struct survey *survey, struct gs_parts *parts)
{
	gs_status status;
	int fd;

	if (survey->options->header_lines == 0)
		return GS_OK;
	for (size_t f = 0; f < survey->count && parts->header_bytes == 0; f++) {
		const struct source *source = &survey->sources[f];

		free(parts->header);
		TRY(gs_allocate(&parts->header, source->header + 1, 1, "bytes of a header"));
		if (source->kind != PLAIN)
			break;
		if (source->header == 0)
			continue;
		TRY(gs_open_to_read(source->name, &fd));
		status = gs_read_file(source->name, fd, parts->header, source->header, 0,
		                      &parts->header_bytes);
		close(fd);
		TRY(status);
		if (gs_line_mark(parts->header, parts->header_bytes) == parts->header_bytes)
			parts->header_bytes = 0;
		else if (parts->header[parts->header_bytes - 1] != survey->order.terminator)
			parts->header[parts->header_bytes++] = survey->order.terminator;
	}
	return GS_OK;
}

static gs_status
survey_files(struct survey *survey, struct gs_parts *parts)
{
	TRY(GS_NEW(survey->sources, survey->count, "files"));
	TRY(GS_NEW(parts->names, survey->count + 1, "file names"));
	TRY(GS_NEW(parts->ranges, survey->count + 1, "files"));
	for (size_t f = 0; f < survey->count; f++) {
		struct source *source = &survey->sources[f];

		source->name = survey->options->inputs[f];
		TRY(examine(survey, source));
		parts->inflates |= source->kind == COMPRESSED;
		parts->plain_bytes += plain_bytes(source);
		if (source->kind == PLAIN)
			continue;
		else if (source->kind == STREAM)
			parts->other_bytes = GS_UNKNOWN;
		else if (parts->other_bytes != GS_UNKNOWN)
			parts->other_bytes += source->bytes;
	}
	return read_header(survey, parts);
}

/* Where lines end. */
static gs_status
open_order(struct survey *survey)
{
	const struct gsort_options *options = survey->options;
	const struct gs_line_options lines = {
		.csv = options->csv, .separator = options->separator,
		.terminator = options->zero_terminated ? '\0' : '\n',
	};

	return gs_line_order_open(&survey->order, &lines);
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
	gs_status status = open_order(&survey);

	*parts = (struct gs_parts){ .terminator = survey.order.terminator };
	THEN(status, survey_files(&survey, parts));
	status = gs_ranks_agree(ranks, status);
	THEN(status, compare_sizes(&survey, ranks));
	if (status == GS_OK && options->csv)
		status = find_rows(&survey, parts, ranks);
	THEN(status, deal(&survey, ranks->size));
	THEN(status, list_parts(&survey, parts, ranks, overlap));
	gs_line_order_close(&survey.order);
	free(survey.sources);
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
gs_parts_begin(const struct gs_parts *parts, const char *name)
{
	/* Names are told apart by their addresses: the same file may be an input twice. */
	for (size_t p = 0; p < parts->count; p++)
		if (parts->names[p] == name && parts->ranges[p].end != GS_UNKNOWN)
			return parts->ranges[p].begin;
	return 0;
}

uint64_t
gs_parts_lines_before(void *context, const char *name, bool count)
{
	const struct gs_parts *parts = context;
	const struct gs_line_order order = { .terminator = parts->terminator };
	const uint64_t begin = gs_parts_begin(parts, name);
	uint64_t lines = 0;

	if (begin == 0)
		return GS_TEXT_WHOLE;
	/* a message needs them: that they cannot be read does not matter */
	return count && gs_rows_count(&order, name, 0, begin, &lines) != GS_OK ? 0 : lines;
}

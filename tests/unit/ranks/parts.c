// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.c - rows for src/ranks/parts.c: a rank reads the elements that begin in its share of bytes
 *
 * The model lists where elements begin, a header being the first one, and looks for each rank's.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks/rank_job.h"
#include "tests/mpi/ranks_threads.h"
#include "tests/unit/units.h"

void unit_parts(void);

enum { MOST_RANKS = 8, MOST_FILES = 4, MOST_BYTES = 40000, MOST_RANGES = MOST_FILES + 1 };

static char folder[64], paths[MOST_FILES][96];

/* What inputs are, as their sizes: text has lines of any length. */
struct row {
	const char *about;
	size_t      element_bytes;	/* 4: keys; more: records; 0: lines */
	uint64_t    header;		/* lines, or bytes */
	unsigned    line_most;		/* bytes of a line, at most */
	size_t      files;
	size_t      bytes[MOST_FILES];
	bool        csv;		/* lines have quotes, and terminators between them */
};

static const struct row rows[] = {
	{ "keys", 4, 0, 0, 1, { 4000 }, false },
	{ "a key", 4, 0, 0, 1, { 4 }, false },
	{ "no keys", 4, 0, 0, 1, { 0 }, false },
	{ "keys of several files, of which some are empty", 4, 0, 0, 4, { 0, 44, 0, 400 }, false },
	{ "keys behind a header", 4, 6, 0, 3, { 406, 6, 10 }, false },
	{ "a header that is longer than its file", 4, 90, 0, 3, { 50, 490, 90 }, false },
	{ "a header of most bytes", 4, 3000, 0, 2, { 3004, 3040 }, false },
	{ "records", 37, 0, 0, 2, { 37 * 11, 37 }, false },
	{ "records behind a header", 37, 5, 0, 2, { 5 + 37 * 11, 5 + 37 * 2 }, false },
	{ "lines", 0, 0, 9, 1, { 4001 }, false },
	{ "a line", 0, 0, 900, 1, { 700 }, false },
	{ "lines of several files", 0, 0, 30, 4, { 500, 0, 77, 1000 }, false },
	{ "lines behind a header", 0, 2, 30, 4, { 300, 5, 0, 1000 }, false },
	{ "a header of all lines", 0, 900, 30, 2, { 300, 400 }, false },
	{ "empty lines", 0, 1, 1, 2, { 50, 3 }, false },
	{ "lines longer than what is read at once", 0, 0, 30000, 2, { 39000, 10 }, false },
	{ "CSV", 0, 0, 9, 1, { 3001 }, true },
	{ "CSV of several files behind a header", 0, 1, 30, 4, { 700, 0, 77, 1000 }, true },
	{ "CSV with rows longer than a share", 0, 0, 3000, 2, { 9000, 300 }, true },
	{ "CSV with rows longer than what is read at once", 0, 1, 30000, 2, { 39000, 10 }, true },
};

/* ---- files, and where their elements begin --------------------------------------- */

static char content[MOST_FILES][MOST_BYTES];

static void
make_files(const struct row *row, char terminator)
{
	for (size_t f = 0; f < row->files; f++) {
		FILE *file = fopen(paths[f], "w");
		size_t left = 0;

		for (size_t b = 0; b < row->bytes[f]; b++) {
			static const char cells[] = "x\",x\n,\"\"x";

			content[f][b] = left == 0 && b > 0 ? terminator : 'x';
			if (row->csv && left > 0)
				content[f][b] = cells[units_mix(7 * b + f) % (sizeof cells - 1)];
			if (content[f][b] == '\n')
				content[f][b] = terminator;
			left = left > 0 ? left - 1 : units_mix(b + f) % (row->line_most + 1);
		}
		fwrite(content[f], 1, row->bytes[f], file);
		fclose(file);
	}
}

/* Behind the row of CSV that begins at AT: a quote opens where a cell begins, and a quote that is doubled
 * closes and opens. */
static size_t
row_end(const char *text, size_t bytes, char terminator, size_t at)
{
	bool quoted = false, begins = true;

	while (at < bytes) {
		const char c = text[at++];

		if (c == '"' && (quoted || begins)) {
			quoted = !quoted;
			begins = true;
		} else if (c == terminator && !quoted) {
			return at;
		} else {
			begins = c == ',';
		}
	}
	return bytes;
}

/* Behind the element that begins at AT. */
static size_t
element_end(const struct row *row, size_t f, char terminator, size_t at)
{
	const char *found;

	if (row->element_bytes > 0)
		return at + row->element_bytes;
	if (row->csv)
		return row_end(content[f], row->bytes[f], terminator, at);
	found = memchr(content[f] + at, terminator, row->bytes[f] - at);
	return found != NULL ? (size_t)(found - content[f]) + 1 : row->bytes[f];
}

static size_t
header_end(const struct row *row, size_t f, char terminator)
{
	size_t end = 0;

	if (row->element_bytes > 0)
		return row->header < row->bytes[f] ? row->header : row->bytes[f];
	for (uint64_t line = 0; line < row->header && end < row->bytes[f]; line++)
		end = element_end(row, f, terminator, end);
	return end;
}

struct part {
	size_t   file;
	uint64_t begin, end;
};

struct model {
	struct part parts[MOST_RANGES];
	size_t      count;
	unsigned    overlap_keys;
	uint64_t    overlap_bytes;
};

/* The parts of one rank: its elements and, for a check, the one before them. */
static void
predict(const struct row *row, char terminator, unsigned rank, unsigned ranks, bool overlap,
        struct model *model)
{
	struct part last = { .file = MOST_FILES };	/* element before this one, but for headers */
	uint64_t total = 0, before = 0;

	memset(model, 0, sizeof *model);
	overlap &= rank > 0;
	for (size_t f = 0; f < row->files; f++)
		total += row->bytes[f];
	for (size_t f = 0; f < row->files; before += row->bytes[f++]) {
		const size_t header = header_end(row, f, terminator);
		size_t end;

		if (row->bytes[f] == 0 && rank == 0)
			model->parts[model->count++] = (struct part){ f, 0, 0 };
		for (size_t at = 0; at < row->bytes[f]; at = end) {
			/* It is rank (before + at) * ranks / total's. */
			const bool mine = (before + at) * ranks / total == rank;
			struct part *part = model->count > 0 ? &model->parts[model->count - 1] : NULL;

			end = at < header ? header : element_end(row, f, terminator, at);
			if (mine && overlap && last.file < MOST_FILES) {
				model->parts[model->count++] = last;
				model->overlap_keys = 1;
				model->overlap_bytes = last.end - last.begin;
				part = &model->parts[model->count - 1];
			}
			overlap &= !mine;
			if (mine && part != NULL && part->file == f)
				part->end = end;
			else if (mine)
				model->parts[model->count++] = (struct part){ f, at, end };
			if (at >= header)
				last = (struct part){ f, at, end };
		}
	}
}

/* ---- ranks ------------------------------------------------------------------------ */

struct member {
	bool      overlap;
	const struct gsort_options *options;
	struct gs_parts parts;
	gs_status status;
	char      message[200];
};

static void
open_parts(struct gs_ranks *ranks, void *member)
{
	struct member *m = member;

	m->status = gs_parts_open(&m->parts, m->options, ranks, m->overlap);
	snprintf(m->message, sizeof m->message, "%s", gs_message());
}

/* Let RANKS open their parts; rank 1 with OTHERS, if there are any. */
static void
open_all(struct member *members, unsigned ranks, const struct gsort_options *options,
         const struct gsort_options *others, bool overlap)
{
	for (unsigned r = 0; r < ranks; r++)
		members[r] = (struct member){
			.overlap = overlap, .options = r == 1 && others != NULL ? others : options,
		};
	CHECK(gs_ranks_threads_run(ranks, open_parts, members, sizeof *members), "the threads start");
}

static struct gsort_options
options_of(const struct row *row, const char *const *names, char terminator)
{
	return (struct gsort_options){
		.inputs = names, .input_count = row->files,
		.type = row->element_bytes == 4 ? GSORT_U32 : GSORT_TEXT,
		.record_bytes = row->element_bytes > 4 ? row->element_bytes : 0,
		.skip_bytes = row->element_bytes > 0 ? row->header : 0,
		.header_lines = row->element_bytes > 0 ? 0 : row->header,
		.zero_terminated = terminator == '\0', .csv = row->csv, .lines = row->csv,
	};
}

static void
check_row(const struct row *row, const char *const *names, unsigned ranks, bool overlap,
          char terminator)
{
	const struct gsort_options options = options_of(row, names, terminator);
	struct member members[MOST_RANKS];
	struct model want;

	open_all(members, ranks, &options, NULL, overlap);
	for (unsigned r = 0; r < ranks; r++) {
		const struct gs_parts *got = &members[r].parts;
		bool same;

		predict(row, terminator, r, ranks, overlap, &want);
		same = members[r].status == GS_OK && got->count == want.count &&
		       got->overlap_keys == want.overlap_keys && got->overlap_bytes == want.overlap_bytes;
		for (size_t p = 0; same && p < want.count; p++)
			same = got->names[p] == names[want.parts[p].file] &&
			       got->ranges[p].begin == want.parts[p].begin &&
			       got->ranges[p].end == want.parts[p].end;
		CHECK(same, "%s%s: rank %u of %u reads %zu ranges, of %zu: %s", row->about,
		      overlap ? ", with the one before" : "", r, ranks, got->count, want.count,
		      members[r].message);
		gs_parts_close(&members[r].parts);
	}
}

/* ---- errors, and whole files ------------------------------------------------------ */

static void
check_errors(const char *const *names)
{
	static const struct row whole = { "keys", 4, 0, 0, 1, { 400 }, false },
	                        partial = { "a key and a half", 4, 0, 0, 1, { 6 }, false },
	                        record = { "half a record", 37, 0, 0, 1, { 400 }, false };
	static const char *const missing[] = { "/does/not/exist" };
	const struct {
		const char       *about;
		const struct row *row;
		const char *const *names, *const *others;	/* of rank 1 */
		gs_status         status;
		unsigned          fails;	/* the rank that says why */
		const char       *message;
	} table[] = {
		{ "no file", &whole, missing, NULL, GS_EIO, 0, "/does/not/exist" },
		{ "no file on rank 1", &whole, names, missing, GS_EIO, 1, "/does/not/exist" },
		{ "another file on rank 1", &whole, names, names + 1, GS_EIO, 1,
		  "has 12 bytes here, and 400 where" },
		{ "a key and a half", &partial, names, NULL, GS_EINPUT, 0, "" },
		{ "half a record", &record, names, NULL, GS_EINPUT, 0, "" },
	};
	struct member members[MOST_RANKS];

	for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
		const struct gsort_options options = options_of(table[t].row, table[t].names, '\n');
		struct gsort_options others = options;

		make_files(&(struct row){ "", 4, 0, 0, 2, { table[t].row->bytes[0], 12 }, false }, '\n');
		if (table[t].others != NULL)
			others.inputs = table[t].others;
		open_all(members, 3, &options, &others, false);
		for (unsigned r = 0; r < 3; r++) {
			CHECK(members[r].status == (r == table[t].fails ? table[t].status : GS_EIO) &&
			      (strlen(members[r].message) > 0) == (r == table[t].fails) &&
			      (r != table[t].fails || strstr(members[r].message, table[t].message) != NULL),
			      "%s: rank %u: %d, %s", table[t].about, r, (int)members[r].status,
			      members[r].message);
			gs_parts_close(&members[r].parts);
		}
	}
}

/* Compressed files, largest first, go to the rank with the least to read; the first to rank 0. */
static void
check_whole_files(const char *const *names)
{
	static const size_t bytes[MOST_FILES] = { 100, 900, 300, 700 };
	static const unsigned readers[][MOST_FILES] = {
		{ 0, 0, 0, 0 }, { 0, 0, 1, 1 }, { 0, 0, 2, 1 },
	};
	const struct gsort_options options = { .inputs = names, .input_count = MOST_FILES };
	struct member members[MOST_RANKS];

	for (size_t f = 0; f < MOST_FILES; f++) {
		FILE *file = fopen(names[f], "w");

		memset(content[f], 0, bytes[f]);
		memcpy(content[f], "\x1f\x8b\x08", 3);
		fwrite(content[f], 1, bytes[f], file);
		fclose(file);
	}
	for (unsigned ranks = 1; ranks <= 3; ranks++) {
		open_all(members, ranks, &options, NULL, false);
		for (unsigned r = 0; r < ranks; r++) {
			const struct gs_parts *got = &members[r].parts;
			size_t at = 0;
			bool same = members[r].status == GS_OK && got->inflates && got->other_bytes == 2000;

			for (size_t f = 0; same && f < MOST_FILES; f++)
				if (readers[ranks - 1][f] == r) {
					same = at < got->count && got->names[at] == names[f] &&
					       got->ranges[at].begin == 0 &&
					       got->ranges[at].end == GS_UNKNOWN;
					at++;
				}
			CHECK(same && at == got->count, "rank %u of %u reads %zu whole files, of %zu: %s", r,
			      ranks, got->count, at, members[r].message);
			gs_parts_close(&members[r].parts);
		}
	}
}

void
unit_parts(void)
{
	const char *names[MOST_FILES];

	snprintf(folder, sizeof folder, "%s/parts-XXXXXX",
	         getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
	CHECK(mkdtemp(folder) != NULL, "a folder of its own");
	for (size_t f = 0; f < MOST_FILES; f++) {
		snprintf(paths[f], sizeof paths[f], "%s/%zu", folder, f);
		names[f] = paths[f];
	}
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned zeros = 0; zeros < (rows[r].element_bytes == 0 ? 2 : 1); zeros++) {
			const char terminator = zeros > 0 ? '\0' : '\n';

			make_files(&rows[r], terminator);
			for (unsigned ranks = 1; ranks <= MOST_RANKS; ranks++)
				for (unsigned overlap = 0; overlap < 2; overlap++)
					check_row(&rows[r], names, ranks, overlap, terminator);
		}
	check_errors(names);
	check_whole_files(names);
	for (size_t f = 0; f < MOST_FILES; f++)
		unlink(paths[f]);
	rmdir(folder);
}

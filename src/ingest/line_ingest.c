// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_ingest.c - input to lines: read, cut, store
 *
 * In:   chunks of input, in order.
 * Out:  pieces of whole lines in the store; the header.
 *
 * A chunk is cut into pieces at ends of lines, which a team adds to the store.  A line that begins in one
 * chunk and ends in another is joined in its own buffer, and is a piece by itself.
 *
 * Invariant: pieces have sequence numbers in the order of the input.
 */
#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "base/way.h"
#include "ingest/line_ingest.h"
#include "text/line.h"

/* A line so long is in the memory of the store until it is added. */
#define LONG_LINE_BYTES	((size_t)1 << 18)

void
gs_line_ingest_open(struct gs_line_ingest *ingest, struct gs_line_order *order,
                    const struct gs_text_options *options, const struct gs_taker *taker,
                    struct gs_follow *follow, struct gs_monitor *monitor, unsigned threads)
{
	*ingest = (struct gs_line_ingest){
		.order = order, .follow = follow, .monitor = monitor, .threads = threads,
		.file = { .header_lines = options->header_lines, .first = true },
		.faults = { .order = order, .options = options, .follow = follow },
		.limits = { .line_most = SIZE_MAX, .header_most = SIZE_MAX },
	};
	if (taker != NULL)
		ingest->taker = *taker;
}

void
gs_line_ingest_close(struct gs_line_ingest *ingest)
{
	free(ingest->header.data);
	free(ingest->file.line.data);
	free(ingest->file.names.data);
	ingest->header.data = ingest->file.line.data = ingest->file.names.data = NULL;
}

/* ---- lines that do not lie in one chunk -------------------------------------------- */

/* Take memory of the store for BYTES of TO: the line that has begun, and the same with a number.  A header is
 * not in the store. */
static gs_status
lend(struct gs_line_ingest *ingest, const struct gs_bytes *to, size_t bytes)
{
	const struct gs_line_file *file = &ingest->file;
	const struct gs_line_limits *limits = &ingest->limits;
	const struct gs_taker *taker = &ingest->taker;
	const bool is_line = to == &file->line;
	size_t header_bytes = is_line && file->header_left == 0 ? 0 : bytes;

	if (is_line && file->header_left > 0)
		header_bytes += (file->first ? ingest->header : file->names).bytes;
	/* a share of three quarters of -S: a quarter may be for decompression */
	if (header_bytes > limits->header_most)
		return gs_fail(GS_EBUDGET, "%s: the header has %zu bytes or more: that needs about "
		               "'--buffer-size=%zuM' (-S)", ingest->faults.name, header_bytes,
		               (limits->shares > 0 ? limits->shares : 1) *
		               (((GS_HEADER_SHARE * 4 / 3 + 2) * header_bytes >> 20) + 24));
	if (is_line && bytes > limits->line_most)	/* it is in memory twice, as the line before, too */
		return gs_item_fail_large(bytes, ingest->column != NULL ? GS_COLUMN_LINE_SHARE : 3, 0, 1);
	return !is_line || bytes < LONG_LINE_BYTES || taker->lend == NULL ? GS_OK
	       : taker->lend(taker->context, ingest->number.bits > 0 ? 2 * bytes : bytes);
}

static gs_status
append(struct gs_line_ingest *ingest, struct gs_bytes *to, const char *data, size_t bytes)
{
	struct gs_line_file *file = &ingest->file;
	const size_t wanted = to->bytes + bytes;

	if (wanted > GS_ITEM_MOST_BYTES)
		return gs_fail(GS_EINPUT, "%s: a line has more than 4 GiB%s", ingest->faults.name,
		               ingest->order->fields.csv ? "; is a quote not closed?" : "");
	if (wanted > to->room && !file->measured) {
		const size_t room = wanted > 2 * to->room ? wanted : 2 * to->room;
		const gs_status status = lend(ingest, to, wanted);
		char *grown;

		file->measured = to == &file->line && status == GS_EBUDGET && ingest->limits.measures;
		if (!file->measured) {
			TRY(status);
			grown = realloc(to->data, room);
			if (grown == NULL)
				return gs_fail(GS_EBUDGET, "%s: no memory for a line of %zu bytes",
				               ingest->faults.name, wanted);
			to->data = grown;
			to->room = room;
		}
	}
	if (bytes > 0 && !file->measured)
		memcpy(to->data + to->bytes, data, bytes);
	to->bytes = wanted;
	return GS_OK;
}

/* ---- headers ------------------------------------------------------------------------ */

static gs_status
find_columns(const struct gs_line_ingest *ingest, const char *line, size_t bytes)
{
	const gs_status status = gs_line_order_header(ingest->order, line, bytes);

	return status == GS_OK ? GS_OK
	       : gs_fail(status, "%s: %s%s", ingest->faults.name, gs_message(),
	                 ingest->file.header_lines == 1 ? "" : "; names are in the first line of a header");
}

/* A key is one column of all inputs, and the output has one header. */
static gs_status
compare_headers(struct gs_line_ingest *ingest)
{
	const struct gs_line_order *order = ingest->order;
	const char *first = ingest->header.data, *first_end = first + ingest->header.bytes;
	const char *other = ingest->file.names.data, *other_end = other + ingest->file.names.bytes;
	size_t first_bytes = 0, bytes = 0;

	if (ingest->header.bytes == 0)		/* another rank may know it */
		return gs_line_order_wants_header(order) ? find_columns(ingest, "", 0) : GS_OK;
	first += gs_line_mark(first, ingest->header.bytes);
	other += gs_line_mark(other, ingest->file.names.bytes);
	do {
		first += first_bytes;
		other += bytes;
		first_bytes = (size_t)(gs_line_end(order, first, first_end) - first);
		bytes = (size_t)(gs_line_end(order, other, other_end) - other);
	} while (first_bytes > 0 && gs_line_same_columns(order, first, first_bytes, other, bytes));
	if (first_bytes == 0 && bytes == 0)
		return GS_OK;
	first_bytes = (size_t)(gs_line_content_end(order, first, first_bytes) - first);
	bytes = (size_t)(gs_line_content_end(order, other, bytes) - other);
	return gs_line_headers_differ(ingest->faults.options, ingest->faults.name, other, bytes, first,
	                              first_bytes);
}

/* ---- the store ------------------------------------------------------------------------ */

/* Lines of a chunk, in pieces which a team adds. */
struct adder {
	struct gs_line_ingest *ingest;
	struct gs_line_piece *pieces;
	size_t      count;
	uint64_t    sequence;
	bool        counts;	/* lines shown, which nobody has counted with their faults */
	atomic_size_t next;
	struct gs_first_error error;
	uint64_t    firsts[GS_LINE_PIECES + 1];	/* with numbers: of the pieces, then of what follows */
};

/* ---- lines with numbers ----------------------------------------------------------------- */

static void
note_warning(void *piece, const char *line)
{
	(void)line;
	((struct gs_line_piece *)piece)->noted = true;
}

/* Make items of the numbers in piece I.  Unless it REPORTS, one of several threads only notes that there is
 * something to report. */
static gs_status
put_text(struct adder *adder, size_t i, bool reports, char *items, size_t *bytes)
{
	struct gs_line_ingest *ingest = adder->ingest;
	struct gs_line_piece *piece = &adder->pieces[i];
	struct gs_text_options options = *ingest->text;
	struct gs_text_decoder *decoder;
	gs_status status;
	void *memory;

	options.header_lines = 0;	/* they are cut off */
	options.reverse = false;	/* the order of the items is that */
	options.in_order = true;
	if (!reports && options.warn.take != NULL)
		options.warn = (struct gs_listener){ note_warning, piece };
	TRY(gs_allocate(&memory, gs_text_decoder_bytes(GS_TEXT_NUMBER_CHUNK, 1, &options), 1, "numbers"));
	decoder = gs_text_decoder_init(memory, GS_TEXT_NUMBER_CHUNK, 1, &options);
	gs_text_begin_file(decoder, ingest->faults.name);
	decoder->file_lines = ingest->file.header_lines + adder->firsts[i] - ingest->file.lines_before;
	decoder->invalid = ingest->faults.invalid;
	decoder->overflow_warned = ingest->overflow_warned;
	status = gs_text_number_put(ingest->item, decoder, ingest->number, piece->data, piece->end,
	                            adder->firsts[i], items, bytes);
	piece->noted |= !reports && (status != GS_OK || decoder->invalid > ingest->faults.invalid);
	if (reports) {
		ingest->faults.invalid = decoder->invalid;
		ingest->overflow_warned = decoder->overflow_warned;
	}
	free(memory);
	return status;
}

/* Bytes of the items that piece I becomes, at most; without numbers it has no lines here. */
static size_t
most_item_bytes(const struct adder *adder, size_t i)
{
	const struct gs_line_ingest *ingest = adder->ingest;
	const uint64_t lines = adder->firsts[i + 1] - adder->firsts[i];
	const size_t bytes = (size_t)(adder->pieces[i].end - adder->pieces[i].data);

	return ingest->text != NULL ? gs_text_number_most(ingest->item, lines, bytes)
	                            : bytes + (size_t)lines * GS_LINE_NUMBER_BYTES;
}

/* Store the lines of piece I behind their numbers.  A piece is small enough, or one line. */
static gs_status
add_numbered(struct adder *adder, unsigned worker, size_t i)
{
	struct gs_line_ingest *ingest = adder->ingest;
	const char *data = adder->pieces[i].data, *end = adder->pieces[i].end;
	const size_t piece_bytes = ingest->taker.piece_bytes;
	size_t wanted = most_item_bytes(adder, i);
	char *large = wanted > piece_bytes ? malloc(wanted) : NULL;
	char *items = large != NULL ? large : ingest->numbered + worker * piece_bytes;
	gs_status status = GS_OK;

	if (wanted > piece_bytes && large == NULL)
		return gs_fail(GS_EBUDGET, "%s: no memory for a line of %zu bytes", ingest->faults.name,
		               (size_t)(end - data));
	if (ingest->text != NULL)
		status = put_text(adder, i, false, items, &wanted);
	else
		wanted = gs_line_number_put(ingest->order, ingest->number, data, end,
		                            adder->firsts[i], items);
	/* Even after an error: each sequence number has its row. */
	gs_taker_add_items(&ingest->taker, worker, adder->sequence + i, items, wanted);
	free(large);
	return status;
}

static void
add_pieces(void *context, unsigned worker, unsigned size)
{
	struct adder *adder = context;
	size_t i;

	(void)size;
	while ((i = atomic_fetch_add(&adder->next, 1)) < adder->count) {
		struct gs_line_piece *piece = &adder->pieces[i];

		if (adder->counts)
			piece->shown = gs_line_shown(&adder->ingest->faults, piece->data, piece->end, 0);
		if (adder->ingest->number.bits == 0)
			gs_taker_add_items(&adder->ingest->taker, worker, adder->sequence + i, piece->data,
			                   (size_t)(piece->end - piece->data));
		else if (!gs_first_error_note(&adder->error, add_numbered(adder, worker, i)))
			break;
	}
}

static void
count_piece(void *context, size_t i)
{
	struct adder *adder = context;

	adder->firsts[i + 1] = gs_line_number_count(adder->ingest->order, adder->pieces[i].data,
	                                            adder->pieces[i].end);
}

/* Strict keys. */
static void
check_piece(void *context, size_t i)
{
	struct adder *adder = context;

	gs_line_check(&adder->ingest->faults, &adder->pieces[i]);
}

static gs_status
add_all(struct gs_line_ingest *ingest, struct gs_line_piece *pieces, size_t count)
{
	struct adder adder = { .ingest = ingest, .pieces = pieces, .count = count,
	                       .counts = ingest->follow == NULL && !ingest->order->strict };
	uint64_t since = gs_clock_now();
	size_t bytes = 0, room;
	gs_status status;

	if (ingest->order->strict && ingest->follow == NULL) {
		gs_team_each(ingest->threads, count, check_piece, &adder);
		adder.count = 0;
		for (size_t i = 0; i < count; i++) {	/* leave out lines that are at fault */
			if (pieces[i].faulty)
				TRY(gs_line_leave_out(&ingest->faults, pieces[i].data, &pieces[i].end));
			else
				ingest->faults.shown += pieces[i].shown;
			if (pieces[i].end > pieces[i].data)
				pieces[adder.count++] = pieces[i];
		}
	}
	if (adder.count == 0)
		return GS_OK;
	if (gs_way("numbered lines", ingest->number.bits > 0)) {
		gs_team_each(ingest->threads, adder.count, count_piece, &adder);
		adder.firsts[0] = ingest->lines;
		for (size_t i = 0; i < adder.count; i++)
			adder.firsts[i + 1] += adder.firsts[i];
		ingest->lines = adder.firsts[adder.count];
		if (ingest->number.bits == 32 && ingest->lines > (uint64_t)UINT32_MAX + 1)
			return gs_fail(GS_EINPUT, "the input has more than 2^32 lines: use --argsort=u64");
	}
	for (size_t i = 0; i < adder.count; i++)
		bytes += most_item_bytes(&adder, i);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	TRY(ingest->taker.reserve(ingest->taker.context, bytes, adder.count, &room));
	assert(room >= bytes);
	adder.sequence = gs_taker_next_sequence(&ingest->taker, 0, adder.count);
	since = gs_clock_now();
	gs_first_error_open(&adder.error);
	gs_team_run((unsigned)gs_least(adder.count, ingest->threads), add_pieces, &adder);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	gs_taker_end_round(&ingest->taker);
	status = gs_first_error_close(&adder.error);
	/* read pieces with notes once more, in order */
	for (size_t i = 0; i < adder.count; i++) {
		if (adder.counts)
			ingest->faults.shown += pieces[i].shown;
		if (pieces[i].noted)
			TRY(put_text(&adder, i, true, ingest->numbered, &bytes));
	}
	return status;
}

/* Smaller pieces cost more than the threads that wait for the last one; not tuned. */
#define LEAST_PIECE_BYTES	((size_t)128 << 10)

/* Bytes of the pieces of BYTES: two for each of several threads, or more; so few that their items are a piece
 * of the store even if lines are empty.  In a merge all are one piece: lines before one that is refused are
 * compared only in its piece. */
static size_t
good_piece_bytes(const struct gs_line_ingest *ingest, size_t bytes)
{
	const size_t good = ingest->threads > 1 ? bytes / (2 * ingest->threads) + 1 : bytes;
	size_t most = ingest->column != NULL ? SIZE_MAX : ingest->taker.piece_bytes;

	if (ingest->text != NULL)	/* a number has a digit and a terminator */
		most = 2 * (most / ingest->item->bytes);
	else if (ingest->number.bits > 0)
		most /= GS_LINE_NUMBER_BYTES + 1;
	return gs_least(gs_within(LEAST_PIECE_BYTES, good, most), most);
}

/* Take whole lines from DATA to END. */
static gs_status
take_lines(struct gs_line_ingest *ingest, char *data, const char *end)
{
	const unsigned most = (unsigned)gs_least(4 * ingest->threads, GS_LINE_PIECES);
	const size_t piece_bytes = good_piece_bytes(ingest, (size_t)(end - data));
	struct gs_line_piece pieces[GS_LINE_PIECES];
	uint64_t since = gs_clock_now();

	if (ingest->follow != NULL) {
		TRY(gs_line_leave_out(&ingest->faults, data, &end));
		gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
		atomic_store(&ingest->monitor->counters.keys_in, ingest->follow->elements);
	}
	if (ingest->taker.add == NULL)
		return GS_OK;
	if (ingest->chunk != NULL && ingest->input != NULL && ingest->text == NULL)
		TRY(gs_line_sample(ingest->order, ingest->number, ingest->input, ingest->chunk,
		                   &ingest->taker));
	ingest->chunk = NULL;
	while (data < end) {
		size_t count = 0;

		for (; count < most && data < end; count++) {
			const char *cut = gs_line_cut(ingest->order, data, end, piece_bytes);

			pieces[count] = (struct gs_line_piece){ .data = data, .end = cut };
			data += cut - data;
		}
		TRY((ingest->column != NULL ? gs_line_column_add : add_all)(ingest, pieces, count));
	}
	return GS_OK;
}

/* The line is complete in its buffer: take it, and give the buffer back if it is large. */
static gs_status
end_line(struct gs_line_ingest *ingest)
{
	struct gs_line_file *file = &ingest->file;
	struct gs_bytes *line = &file->line;
	const char *end = line->data + line->bytes;

	if (file->measured)
		return lend(ingest, line, line->bytes);
	if (file->header_left > 0) {
		const bool names = file->header_left-- == file->header_lines;

		ingest->faults.shown += gs_line_shown(&ingest->faults, line->data, end, 1);
		TRY(append(ingest, file->first ? &ingest->header : &file->names, line->data, line->bytes));
		if (file->first && names)
			TRY(find_columns(ingest, line->data, line->bytes));
		if (!file->first && file->header_left == 0)
			TRY(compare_headers(ingest));
	} else {
		TRY(take_lines(ingest, line->data, end));
	}
	line->bytes = 0;
	if (line->room < LONG_LINE_BYTES)
		return GS_OK;
	free(line->data);
	*line = (struct gs_bytes){ .data = NULL };
	return ingest->taker.lend == NULL ? GS_OK : ingest->taker.lend(ingest->taker.context, 0);
}

/* ---- chunks ---------------------------------------------------------------------------- */

/* The file has ended: so has its last line. */
static gs_status
end_file(struct gs_line_ingest *ingest)
{
	const struct gs_line_file *file = &ingest->file;
	const struct gs_bytes *line = &file->line;
	uint64_t number = ingest->faults.shown + 1;

	if (file->place.quoted) {	/* a quote opens in the last field, and none closes */
		if (!file->measured)	/* else the line is not in memory */
			number += gs_line_shown(&ingest->faults, line->data,
			                        gs_field_last(&ingest->order->fields, line->data,
			                                      line->data + line->bytes), 0);
		number = gs_line_number(ingest->faults.options, ingest->faults.name, number);
		return gs_fail(GS_EINPUT, "%s:%llu: a quote is not closed; a quote within quotes must be "
		               "doubled", ingest->faults.name, (unsigned long long)number);
	}
	if (line->bytes > 0) {
		TRY(append(ingest, &ingest->file.line, &ingest->order->terminator, 1));
		TRY(end_line(ingest));
	}
	return file->header_left > 0 && file->names.bytes > 0 ? compare_headers(ingest) : GS_OK;
}

gs_status
gs_line_ingest_chunk(struct gs_line_ingest *ingest, const struct gs_chunk *chunk)
{
	const struct gs_text_options *options = ingest->faults.options, *text = ingest->text;
	const struct gs_fields *fields = &ingest->order->fields;
	struct gs_line_file *file = &ingest->file;
	struct gs_bytes *line = &file->line;
	char *data = chunk->data;
	const char *end = data + chunk->bytes;

	if (chunk->begins) {
		file->first = ingest->faults.name == NULL || gs_line_ingest_wants_header(ingest);
		ingest->faults.name = chunk->name;
		file->lines_before = ingest->lines;
		file->header_left = file->header_lines;
		file->names.bytes = 0;
		ingest->faults.shown = 0;
		file->place = GS_LINE_PLACE_BEGIN;
		if (ingest->follow != NULL && ingest->taker.add != NULL)
			ingest->follow->any = false;	/* a merge: each file by itself */
	}
	/* a table, as it has a header, whose separator is within quotes is cut there, as by sort(1) */
	if (ingest->bytes == 0 && file->header_lines > 0 && options->warn.take != NULL &&
	    ingest->order->key_count > 0 && fields->separator != GS_NO_SEPARATOR &&
	    fields->separator != '"' && !fields->csv &&
	    gs_hint_quotes(fields->separator, ingest->order->terminator, data, end))
		gs_tell(&options->warn, "%s: a field in quotes has a separator in it and counts as two; "
		        "--csv reads quotes", ingest->faults.name);
	ingest->chunk = ingest->bytes == 0 ? chunk : NULL;	/* nobody reads ahead yet */
	ingest->bytes += chunk->bytes;
	if (chunk->begins && fields->csv && !file->inside) {
		const size_t mark = gs_line_mark(data, chunk->bytes);

		if (file->first && ingest->header.bytes == 0)	/* it comes before all that is written */
			TRY(append(ingest, &ingest->header, data, mark));
		data += mark;
	}
	while (data < end) {
		char *from = data;
		bool whole;

		if (line->bytes == 0 && file->header_left == 0) {	/* all lines that are whole */
			data += gs_line_last_end(ingest->order, from, end) - from;
			if (data > from)
				TRY(take_lines(ingest, from, data));
			if (data == end)
				break;
			from = data;
		}
		data += gs_line_end_within(ingest->order, from, end, &file->place, &whole) - from;
		TRY(append(ingest, line, from, (size_t)(data - from)));
		if (!whole && text != NULL && text->invalid == GSORT_INVALID_ABORT &&
		    file->header_left == 0 && !file->measured && line->bytes > GS_LINE_BYTES + 1) {
			/* too long for a number, wherever it ends: what there is of it is refused */
			line->data[line->bytes - 1] = ingest->order->terminator;
			whole = true;
		}
		if (whole)
			TRY(end_line(ingest));
	}
	return chunk->ends ? end_file(ingest) : GS_OK;
}

/* ---- the rest of a plain file ---------------------------------------------------------- */

/* Less is read in chunks, and so is all if pieces of the store are smaller.  Not tuned. */
#define LEAST_REST_BYTES	((size_t)256 << 10)

/* Pieces of a round, for each thread; and how many beyond the threads' a disk is asked for.  Not tuned. */
enum { REST_PIECES = 32, AHEAD_PIECES = 8 };

/* Memory of a thread is a huge page, so that threads do not wait for each other's page faults. */
#define REST_THREAD_BYTES	((size_t)2 << 20)

/* Threads read pieces of it and add their lines, each in memory of its own.  In the order of the pieces they
 * hand on the line that has begun. */
struct rest {
	struct gs_line_ingest *ingest;
	struct gs_input *input;
	char            *memory;
	size_t           thread_bytes;		/* of it for each of THREADS */
	unsigned         threads;
	uint64_t         left;			/* bytes of the file */
	size_t           piece_bytes, line_most;	/* a line that is longer ends the round */
	unsigned         count;			/* of pieces */
	atomic_uint      next, turn;		/* the thread that has it owns INGEST->line, and this: */
	bool             ended;
	uint64_t         done;			/* bytes that were taken */
};

/* Read pieces.  In its turn, put the line that has begun before a piece, and keep the one that begins at its
 * end; then add the piece.  The round ends before one in which no line ends: all of the file's last line,
 * perhaps. */
static void
add_rest(void *context, unsigned worker, unsigned size)
{
	enum { TRIES = 200 };	/* less than a tenth of a millisecond, in which most have their turn */
	struct rest *rest = context;
	struct gs_line_ingest *ingest = rest->ingest;
	struct gs_bytes *line = &ingest->file.line;
	struct gs_clock *clock = &ingest->monitor->clock;
	unsigned at;

	(void)size;
	while ((at = atomic_fetch_add(&rest->next, 1)) < rest->count) {
		const uint64_t begin = (uint64_t)at * rest->piece_bytes;
		const uint64_t later = begin + (rest->threads + AHEAD_PIECES) * (uint64_t)rest->piece_bytes;
		const size_t want = (size_t)gs_least(rest->left - begin, rest->piece_bytes);
		char *data = rest->memory + worker * rest->thread_bytes + rest->line_most;
		const char *last, *end;
		uint64_t since = gs_clock_now(), sequence = 0;
		size_t got, begins;
		unsigned turn;
		bool goes_on;

		if (later < rest->left)
			gs_input_expect(rest->input, later, rest->piece_bytes);
		gs_input_glance(rest->input, begin, want, data, &got);
		end = data + got;
		last = gs_line_last_end(ingest->order, data, end);
		begins = (size_t)(end - last);
		gs_clock_lap(clock, GS_STAGE_READ, &since);
		for (unsigned tries = 0; (turn = atomic_load(&rest->turn)) != at; tries++)
			if (tries < TRIES)
				(void)sched_yield();
			else
				gs_futex_wait(&rest->turn, turn);
		/* fewer bytes: the file has shrunk, or there was an error */
		rest->ended |= got < want || begins == got || begins > rest->line_most;
		goes_on = !rest->ended;
		if (goes_on) {
			data -= line->bytes;
			memcpy(data, line->data, line->bytes);
			memcpy(line->data, last, begins);
			line->bytes = begins;
			sequence = gs_taker_next_sequence(&ingest->taker, 0, 1);
			rest->done += got;
		}
		atomic_store(&rest->turn, at + 1);
		gs_futex_wake(&rest->turn, INT_MAX);
		if (!goes_on)
			return;
		since = gs_clock_now();		/* it may have waited */
		atomic_fetch_add(&ingest->monitor->counters.bytes_in, got);
		gs_taker_add_items(&ingest->taker, worker, sequence, data, (size_t)(last - data));
		gs_clock_lap(clock, GS_STAGE_DECODE, &since);
	}
}

bool
gs_line_ingest_takes_rest(const struct gs_line_ingest *ingest)
{
	return ingest->taker.sample != NULL && ingest->taker.piece_bytes >= LEAST_REST_BYTES &&
	       ingest->threads > 1 && ingest->follow == NULL && ingest->column == NULL &&
	       ingest->number.bits == 0 && !ingest->order->strict && !ingest->order->fields.csv;
}

gs_status
gs_line_ingest_rest(struct gs_line_ingest *ingest, struct gs_input *input, char *memory, size_t bytes)
{
	const size_t most = ingest->taker.piece_bytes, line_most = most / 16;
	struct gs_line_file *file = &ingest->file;
	bool goes_on = true;
	uint64_t left;

	while (goes_on && (left = gs_input_left(input)) >= LEAST_REST_BYTES && file->header_left == 0 &&
	       file->line.bytes <= line_most) {
		const size_t good = good_piece_bytes(ingest, (size_t)left);
		const size_t piece_bytes = gs_least(good, most / 2) + line_most;
		struct rest rest = {
			.ingest = ingest, .input = input, .memory = memory, .left = left,
			.piece_bytes = piece_bytes, .line_most = line_most,
			.thread_bytes = bytes / ingest->threads >= REST_THREAD_BYTES ? REST_THREAD_BYTES
			                : gs_round_up(piece_bytes + line_most, 4096),
		};
		uint64_t count;
		size_t room;

		rest.threads = (unsigned)gs_least(ingest->threads, bytes / rest.thread_bytes);
		count = gs_least((left - 1) / piece_bytes + 1, REST_PIECES * rest.threads);
		/* as many pieces as the store has room for */
		TRY(ingest->taker.reserve(ingest->taker.context, most,
		                          good < most / 2 ? (size_t)count : rest.threads, &room));
		rest.count = (unsigned)gs_least(count, room / (piece_bytes + line_most));
		assert(piece_bytes + line_most <= rest.thread_bytes && rest.count > 0);
		TRY(GS_GROW(file->line.data, &file->line.room, rest.line_most, "bytes of a line"));
		gs_input_expect(input, 0, (rest.threads + AHEAD_PIECES) * rest.piece_bytes);
		gs_team_run((unsigned)gs_least(rest.count, rest.threads), add_rest, &rest);
		ingest->bytes += rest.done;
		gs_taker_end_round(&ingest->taker);
		TRY(gs_input_advance(input, rest.done));
		goes_on = gs_way("threads read lines", rest.done > 0) && !rest.ended;
	}
	return GS_OK;
}

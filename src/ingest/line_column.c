// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_column.c - for figures: the numbers in the first keys of lines, as keys
 *
 * In:   whole lines.
 * Out:  keys for their taker; how many values are missing.
 *
 * A team makes keys from a row of pieces, and then adds them.  If a piece has an invalid line, one thread
 * reads the piece again, and refuses the line or leaves it out.
 */
#include "base/round.h"
#include "base/team.h"
#include "ingest/line_ingest.h"

enum { BATCH_LINES = 256 };

/* What a line that is a number has at least: a digit and a terminator. */
enum { LEAST_LINE_BYTES = 2 };

/* A row of pieces. */
struct row {
	struct gs_line_ingest *ingest;
	struct gs_line_piece  *pieces;
	struct gs_line_values  values[GS_LINE_PIECES];	/* of each */
	size_t                 count;
	uint64_t               sequence;
};

/* Make keys of piece I, unless it has a line at fault. */
static void
read_piece(void *context, size_t i)
{
	struct row *row = context;
	const struct gs_line_ingest *ingest = row->ingest;
	struct gs_line_piece *piece = &row->pieces[i];
	struct gs_line_values *values = &row->values[i];
	const bool missing = ingest->faults.options->invalid == GSORT_INVALID_SKIP_BLANK;
	const char *lines[BATCH_LINES], *at = piece->data;
	uint32_t bytes[BATCH_LINES];
	size_t all = 0;

	values->count = 0;
	values->missing = 0;
	values->rounded = NULL;
	piece->faulty = false;
	while (at < piece->end && !piece->faulty) {
		const size_t count = gs_line_split(ingest->order, &at, piece->end, lines, bytes,
		                                   BATCH_LINES);

		piece->faulty = gs_line_values(ingest->order, missing, lines, bytes, count, values) < count;
		all += count;
	}
	piece->shown = gs_line_shown(&ingest->faults, piece->data, piece->end, all);
}

static void
add_pieces(void *context, unsigned worker, unsigned size)
{
	struct row *row = context;

	for (size_t i = worker; i < row->count; i += size) {
		const struct gs_piece piece = {
			.keys = row->values[i].keys, .count = row->values[i].count,
			.key_class = GS_FLOATS, .key_bits = 64,
		};

		gs_taker_add(&row->ingest->taker, worker, row->sequence + i, &piece);
	}
}

uint64_t
gs_line_column_keys(size_t chunk_bytes)
{
	return chunk_bytes / LEAST_LINE_BYTES + 1;
}

gs_status
gs_line_column_add(struct gs_line_ingest *ingest, struct gs_line_piece *pieces, size_t count)
{
	enum { SHOWN_BYTES = 40 };	/* of a number, in a warning */
	const struct gs_taker *taker = &ingest->taker;
	struct gs_line_column *column = ingest->column;
	struct row row = { .ingest = ingest, .pieces = pieces, .count = count };
	char shown[GS_EXCERPT_BYTES(SHOWN_BYTES)];
	uint64_t since = gs_clock_now();
	size_t keys = 0, room, from, to;

	for (size_t i = 0; i < count; i++)
		row.values[i] = (struct gs_line_values){
			.keys = column->keys + (size_t)(pieces[i].data - pieces[0].data) / LEAST_LINE_BYTES,
			.flip = column->flip,
		};
	gs_team_each(ingest->threads, count, read_piece, &row);
	for (size_t i = 0; i < count; i++) {
		struct gs_line_piece *piece = &pieces[i];
		const struct gs_line_values *values = &row.values[i];
		const char *line = values->rounded;

		if (piece->faulty) {
			TRY(gs_line_leave_out(&ingest->faults, piece->data, &piece->end));
			read_piece(&row, i);
			line = values->rounded;
		} else {
			ingest->faults.shown += piece->shown;
		}
		if (line != NULL && !column->warned) {	/* a number is not as it was written */
			const char *line_end = gs_line_end(ingest->order, line, piece->end);

			gs_line_key_place(ingest->order, 0, line, (size_t)(line_end - line), &from, &to);
			gs_tell(&ingest->faults.options->warn,
			        "%s: %s is %s: figures of lines are of f64", ingest->faults.name,
			        gs_excerpt(shown, line + from, to - from, SHOWN_BYTES),
			        values->infinite ? "infinite" : "rounded");
			column->warned = true;
		}
		column->missing += values->missing;
		keys += values->count;
	}
	column->count += keys;
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	if (keys == 0)
		return GS_OK;
	TRY(taker->reserve(taker->context, keys * sizeof(uint64_t), 0, &room));
	row.sequence = gs_taker_next_sequence(taker, GS_FLOATS, count);
	since = gs_clock_now();
	gs_team_run((unsigned)gs_least(count, ingest->threads), add_pieces, &row);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
	gs_taker_end_round(taker);
	atomic_fetch_add(&ingest->monitor->counters.keys_in, keys);
	return GS_OK;
}

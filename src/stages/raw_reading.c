// SPDX-License-Identifier: BSD-2-Clause
/* raw_reading.c - one file of binary keys: its pieces become ordered bits, and are counted */
#include "format/key.h"
#include "stages/raw_reading.h"

gs_status
gs_raw_decode(struct gs_raw_reading *reading, struct gs_file_piece *piece, void *keys, size_t *count)
{
	const struct gs_ingest *ingest = reading->ingest;
	const struct gsort_options *options = ingest->options;
	uint64_t since;

	TRY(gs_pieces_read(&reading->pieces, keys, piece));
	since = gs_clock_now();
	*count = piece->bytes / (ingest->key_bits / 8);
	gs_raw_to_ordered(options->type, options->endian, options->reverse, keys, *count, 1);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	return GS_OK;
}

void
gs_raw_note(struct gs_raw_reading *reading, const struct gs_file_piece *piece)
{
	struct gs_ingest *ingest = reading->ingest;

	reading->file_bytes += piece->bytes;
	gs_ingest_count(ingest, piece->bytes, piece->bytes / (ingest->key_bits / 8));
}

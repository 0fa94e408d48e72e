// SPDX-License-Identifier: BSD-2-Clause
/* line_sample.c - read some lines at each of many places of a file */
#include <stdlib.h>
#include <string.h>

#include "ingest/line_ingest.h"
#include "linekey/line_order.h"

/* 20,000 lines of 50 bytes; a place is a page, or less where short lines get numbers.  Not tuned. */
enum { PLACES = 256, PLACE_BYTES = 4096, NUMBERED_BYTES = 1024 };
#define LEAST_BYTES	((uint64_t)8 << 20)

gs_status
gs_line_sample(const struct gs_line_order *order, struct gs_line_number number, struct gs_input *input,
               const struct gs_chunk *chunk, const struct gs_taker *taker)
{
	const uint64_t bytes = gs_files_bytes(gs_input_files(input), false);
	const size_t place_bytes = number.bits > 0 ? NUMBERED_BYTES : PLACE_BYTES;
	gs_status status = GS_OK;
	unsigned places = 0;
	char *lines, *to, *items = NULL;

	if (bytes == GS_UNKNOWN || bytes < LEAST_BYTES || order->fields.csv || taker->sample == NULL)
		return GS_OK;
	to = lines = malloc(PLACES * place_bytes);
	for (uint64_t p = 0; lines != NULL && p < PLACES; p++) {
		const uint64_t at = bytes / PLACES * p;
		const char *end, *first;
		size_t got = 0, whole;

		/* what was read is in the chunk, but for a place that it has in part */
		if (at >= chunk->bytes)
			gs_input_glance(input, at - chunk->bytes, place_bytes, to, &got);
		else if (at + place_bytes <= chunk->bytes)
			got = place_bytes;
		if (at < chunk->bytes)
			memcpy(to, chunk->data + at, got);
		end = to + got;
		first = gs_line_end(order, to, end);
		whole = (size_t)(gs_line_last_end(order, first, end) - first);
		memmove(to, first, whole);
		to += whole;
		places += whole > 0;
	}
	if (number.bits > 0 && places > PLACES / 2)
		items = malloc((size_t)(to - lines) +
		               gs_line_number_count(order, lines, to) * GS_LINE_NUMBER_BYTES);
	if (items != NULL)
		status = taker->sample(taker->context, items,
		                       gs_line_number_put(order, number, lines, to, 0, items));
	else if (number.bits == 0 && places > PLACES / 2)
		status = taker->sample(taker->context, lines, (size_t)(to - lines));
	free(items);
	free(lines);
	return status;
}

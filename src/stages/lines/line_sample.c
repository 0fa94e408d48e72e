// SPDX-License-Identifier: BSD-2-Clause
/* line_sample.c - read some lines at each of many places of a file */
#include <stdlib.h>
#include <string.h>

#include "format/keydef/line_order.h"
#include "stages/lines/line_ingest.h"

/* 20,000 lines of 50 bytes; a place is a page.  Not tuned. */
enum { PLACES = 256, PLACE_BYTES = 4096 };
#define LEAST_BYTES	((uint64_t)8 << 20)

/* An input, and what was read of it. */
struct begun {
	struct gs_input       *input;
	const struct gs_chunk *chunk;
};

static size_t
read_input(void *context, uint64_t offset, char *into, size_t bytes)
{
	const struct begun *begun = context;
	const struct gs_chunk *chunk = begun->chunk;
	size_t got = bytes;

	if (offset + bytes <= chunk->bytes)
		memcpy(into, chunk->data + offset, bytes);
	else if (offset < chunk->bytes)
		got = 0;
	else
		gs_input_glance(begun->input, offset - chunk->bytes, bytes, into, &got);
	return got;
}

gs_status
gs_line_sample(const struct gs_line_order *order, struct gs_input *input,
               const struct gs_chunk *chunk, const struct gs_taker *taker)
{
	struct begun begun = { input, chunk };

	return gs_line_sample_places(order, gs_input_bytes(input), read_input, &begun, taker);
}

gs_status
gs_line_sample_places(const struct gs_line_order *order, uint64_t bytes, gs_place_reader *read,
                      void *context, const struct gs_taker *taker)
{
	gs_status status = GS_OK;
	unsigned places = 0;
	char *lines, *to;

	if (bytes == GS_UNKNOWN || bytes < LEAST_BYTES || order->fields.csv || taker->sample == NULL)
		return GS_OK;
	to = lines = malloc((size_t)PLACES * PLACE_BYTES);
	for (uint64_t p = 0; lines != NULL && p < PLACES; p++) {
		const char *end = to + read(context, bytes / PLACES * p, to, PLACE_BYTES);
		const char *first = gs_line_end(order, to, end);
		const size_t whole = (size_t)(gs_line_last_end(order, first, end) - first);

		memmove(to, first, whole);
		to += whole;
		places += whole > 0;
	}
	if (places > PLACES / 2)
		status = taker->sample(taker->context, lines, (size_t)(to - lines));
	free(lines);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * inflate.c - any bytes, as any kind of compressed data: read or refused
 *
 * The first byte chooses the format and how the rest is cut.  A second run that gets it in
 * other pieces must come to the same end.
 */
#include <stdbool.h>

#include "fuzz.h"
#include "io/input.h"

/* Read all, but no more than MOST: a few bytes may become gigabytes. */
static gs_status
run(struct fuzz_input *side, enum gsort_decompress format, size_t piece, uint64_t *bytes, uint64_t *sum)
{
	const uint64_t most = 8 << 20;
	const struct gs_input_options options = {
		.decompress = format, .read = fuzz_give, .read_context = side,
	};
	static char buffer[1 << 16];
	struct gs_input *input;
	gs_status status = GS_OK;
	size_t got = piece;

	*bytes = *sum = 0;
	FUZZ_MUST(gs_input_open(&input, &options) == GS_OK && gs_input_next(input));
	while (status == GS_OK && got == piece && *bytes < most) {
		status = gs_input_read(input, buffer, piece, &got);
		for (size_t at = 0; at < got; at++)
			*sum = *sum * 31 + (uint8_t)buffer[at];
		*bytes += got;
	}
	gs_input_close(input);
	return *bytes < most ? status : GS_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1);
	const enum gsort_decompress format =
		(enum gsort_decompress)(GSORT_DECOMPRESS_AUTO + (flags % 7 == 1 ? 0 : flags % 7));
	struct fuzz_input one = { from.data, from.bytes, 0, SIZE_MAX }, two = one;
	uint64_t bytes_one, bytes_two, sum_one, sum_two;
	gs_status status;

	two.most = 1 + flags / 7;
	status = run(&one, format, 1 << 16, &bytes_one, &sum_one);
	FUZZ_MUST(status == GS_OK || *gs_message() != '\0');
	FUZZ_MUST(run(&two, format, 1 << 16, &bytes_two, &sum_two) == status);
	/* Before damage, more or less of what is good may have come. */
	FUZZ_MUST(status != GS_OK || (bytes_one == bytes_two && sum_one == sum_two));
	return 0;
}

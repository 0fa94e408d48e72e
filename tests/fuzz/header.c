// SPDX-License-Identifier: BSD-2-Clause
/*
 * header.c - any bytes as several inputs, with lines or bytes at their top
 *
 * The fuzzer finds bad lines, partial keys, incomplete headers and lines without an end by itself.
 */
#include "oracle.h"
#include "reference_model.h"

/* An input: the next byte is its length; the last input has all bytes that are left. */
static void
take_input(struct fuzz_job *job, struct fuzz *from, unsigned i)
{
	const size_t wish = (size_t)fuzz_take(from, 1);
	const size_t bytes = wish > from->bytes || i + 1 == job->count ? from->bytes : wish;

	fuzz_put(&job->inputs[i], from->data, bytes);
	from->data += bytes;
	from->bytes -= bytes;
}

void
fuzz_header(const uint8_t *data, size_t bytes)
{
	static const enum gsort_type types[] = { GSORT_TEXT, GSORT_TEXT, GSORT_TEXT_FLOAT, GSORT_U8,
	                                         GSORT_U16, GSORT_I32, GSORT_F64, GSORT_TEXT };
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1), top = fuzz_pick(&from, 8);
	struct fuzz_job job = {
		.options = {
			.operation = flags & 1 ? GSORT_MERGE : flags & 2 ? GSORT_CHECK : GSORT_SORT,
			.type = types[fuzz_pick(&from, 8)], .reverse = flags & 4, .unique = flags & 8,
			.zero_terminated = flags & 16, .decompress = GSORT_DECOMPRESS_NONE,
			.threads = 1 + flags / 128, .memory_bytes = 24 << 20, .merge_files = 2,
			.force = true,		/* any bytes may look like another kind of file */
		},
		.in = flags & 32 ? FUZZ_IN_FILES : (enum fuzz_in)(flags / 64 * 2 % FUZZ_INS),
		.count = 1, .state = flags,
	};

	if (fuzz_bits(job.options.type) > 0) {
		job.options.skip_bytes = top;
		job.options.zero_terminated = false;
	} else {
		job.options.header_lines = top % 4;
		job.options.invalid = (enum gsort_invalid)fuzz_pick(&from, 4);
	}
	if (job.in == FUZZ_IN_FILES && job.options.operation != GSORT_CHECK)
		job.count = 1 + top % FUZZ_INPUTS;
	for (unsigned i = 0; i < job.count; i++)
		take_input(&job, &from, i);
	fuzz_judge(&job, false);
	fuzz_job_free(&job);
}

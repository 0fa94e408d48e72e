// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.c - sorted and unsorted inputs, merged few at a time, or checked
 *
 * reference_model.c sorts most inputs first; some then get one key in a wrong place.
 */
#include "oracle.h"
#include "reference_model.h"

static const char *const dirs[] = { "/dev/shm" };

/* Sort the made keys as OPTIONS say, but without selection. */
static void
sort_input(struct fuzz_bytes *input, const struct gsort_options *options)
{
	const struct gsort_options plain = {
		.type = options->type, .reverse = options->reverse, .endian = options->endian,
		.zero_terminated = options->zero_terminated,
	};
	struct fuzz_numbers numbers = { .at = NULL };

	fuzz_read(&numbers, &plain, 0, input->data, input->bytes);
	fuzz_select(&numbers, &plain);
	input->bytes = 0;
	FUZZ_MUST(fuzz_write(&numbers, &plain, input));
	fuzz_numbers_free(&numbers);
}

static void
make_inputs(struct fuzz_job *job, struct fuzz *from)
{
	for (unsigned i = 0; i < job->count; i++) {
		const unsigned order = fuzz_pick(from, 16);

		fuzz_job_make(job, from, i, fuzz_job_count(from, 60000));
		if (order > 0)
			sort_input(&job->inputs[i], &job->options);
		if (order == 1)
			fuzz_job_make(job, from, i, 1);
	}
}

void
fuzz_merge(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 2), more = (unsigned)fuzz_take(&from, 1);
	struct fuzz_job job = {
		.options = {
			.operation = flags & 7 ? GSORT_MERGE : GSORT_CHECK,
			.type = fuzz_type(fuzz_pick(&from, FUZZ_TYPES)),
			.reverse = flags & 8, .unique = flags & 16, .counts = (flags & 96) == 32,
			.repeated = (flags & 0x180) == 0x80, .singletons = (flags & 0x180) == 0x100,
			.head = (flags & 0x600) == 0x200, .head_count = more,
			.trust_order = (flags & 0x3000) == 0x1000, .verify = flags & 0x800,
			.check = (enum gsort_check)(more % 3),
			.endian = flags & 0x4000 ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_HOST,
			.decompress = GSORT_DECOMPRESS_NONE,
			.threads = 1 + more % 3, .memory_bytes = flags & 0x8000 ? 24 << 20 : 0,
			.merge_files = 2 + more / 3 % 4, .temp_dirs = dirs, .temp_dir_count = 1,
			.force = true,		/* any bytes may look like another kind of file */
		},
		.in = FUZZ_IN_FILES, .out = FUZZ_OUT_CALLBACK,
		.count = 1 + fuzz_pick(&from, FUZZ_INPUTS), .state = more,
	};

	if (job.options.operation == GSORT_CHECK) {
		job.in = (enum fuzz_in)(more % FUZZ_INS);
		job.out = FUZZ_OUT_CALLBACK;
		job.count = 1;
		job.options.counts = job.options.repeated = job.options.singletons = false;
		job.options.head = job.options.verify = false;
	}
	if (fuzz_bits(job.options.type) == 0) {
		job.options.endian = GSORT_ENDIAN_HOST;
		job.options.invalid = (enum gsort_invalid)(more % 4);
	}
	make_inputs(&job, &from);
	fuzz_judge(&job, false);
	fuzz_job_free(&job);
}

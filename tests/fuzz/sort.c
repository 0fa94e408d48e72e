// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - any job, compared with a sort that is too simple to be wrong (reference_model.c)
 *
 * The first bytes choose type, options, sizes, kinds of input and output, memory and device; the
 * rest chooses how keys are made, and some keys.  Every byte has a meaning.
 *
 * The GPU is the emulated one (tests/emu), and small, so that a job has many batches.
 */
#include "oracle.h"
#include "reference_model.h"

extern size_t emu_allocations(void);	/* pieces of the emulated CUDA that are not freed */

static const char *const dirs[] = { "/dev/shm", "/tmp" };

static void
set_number(const char *name, unsigned long long value)
{
	char text[32];

	sprintf(text, "%llu", value);
	setenv(name, text, 1);
}

/* A device, and how much memory it has; true: it may be too little. */
static bool
choose_device(struct gsort_options *options, struct fuzz *from)
{
	const unsigned what = fuzz_pick(from, 8), memory = fuzz_pick(from, 8);

	options->device = what < 4 ? GSORT_DEVICE_CPU : what < 6 ? GSORT_DEVICE_AUTO : GSORT_DEVICE_GPU;
	options->gpu_memory_bytes = memory % 2 ? (uint64_t)(1 + memory) << 20 : 0;
	set_number("GSORT_EMU_MEMORY", (2ull << 20) << memory / 2 * 2);
	if (what == 5)			/* so that it is opened at once, while the input is read */
		options->size_hint = (uint64_t)1 << 45;
	return options->gpu_memory_bytes > 0 || memory < 2;
}

static void
choose_output(struct gsort_options *options, struct fuzz *from)
{
	const unsigned flags = (unsigned)fuzz_take(from, 2), to = fuzz_pick(from, 64);

	options->reverse = flags & 1;
	options->unique = (flags & 6) == 2;
	options->counts = (flags & 24) == 8;
	options->repeated = (flags & 0xe0) == 0x20;
	options->singletons = (flags & 0xe0) == 0x40;
	options->verify = (flags & 0x300) == 0x100;
	options->head = (flags & 0x1800) == 0x800;
	options->head_count = fuzz_take(from, 2);
	options->head_count = flags & 0x2000 ? options->head_count : options->head_count % 64;
	options->to = fuzz_type(to % FUZZ_TYPES);
	options->converts = to < FUZZ_TYPES - 1 || (to < 32 && options->type == options->to);
	options->endian = (enum gsort_endian)(flags >> 14 < 3 ? flags >> 14 : 0);
}

static void
choose_resources(struct gsort_options *options, struct fuzz *from)
{
	static const char *const programs[] = { NULL, "zstd", "lz4", NULL };
	const unsigned flags = (unsigned)fuzz_take(from, 2);

	options->threads = flags & 1 ? 1 : 1 + (flags >> 1) % 4;
	options->memory_bytes = flags & 0x10 ? 0 : (uint64_t)(20 + ((flags >> 5) & 7) * 3) << 20;
	options->temp_dirs = dirs;
	options->temp_dir_count = 1 + ((flags >> 8) & 1);
	options->compress_program = programs[(flags >> 9) & 3];
	options->merge_files = flags & 0x800 ? 2 + (flags >> 12) % 3 : 0;
}

/* The header of the input: lines or bytes that are not sorted. */
static void
choose_header(struct fuzz_job *job, struct fuzz *from)
{
	const unsigned header = (unsigned)fuzz_take(from, 1);
	struct gsort_options *options = &job->options;
	const bool text_in = fuzz_bits(options->type) == 0;
	const bool text_out = options->converts ? fuzz_bits(options->to) == 0 : text_in;

	options->zero_terminated = header % 16 == 1 && (text_in || text_out);
	options->invalid = text_in ? (enum gsort_invalid)(header / 16 % 4) : GSORT_INVALID_ABORT;
	if (header % 16 > 3 || text_in != text_out)
		return;
	for (unsigned i = 0; i < job->count && header % 16 > 1; i++)
		fuzz_put(&job->inputs[i], text_in && options->zero_terminated ? "a header\0of two\0"
		         : "a header\nof two\n", 16);
	if (header % 16 > 1 && text_in)
		options->header_lines = 2;
	else if (header % 16 > 1)
		options->skip_bytes = 16;
}

static void
make_job(struct fuzz_job *job, struct fuzz *from)
{
	job->options.type = fuzz_type(fuzz_pick(from, FUZZ_TYPES));
	job->state = fuzz_take(from, 2);
	job->in = (enum fuzz_in)fuzz_pick(from, FUZZ_INS);
	job->out = (enum fuzz_out)fuzz_pick(from, FUZZ_OUTS);
	job->count = job->in == FUZZ_IN_FILES ? 1 + fuzz_pick(from, FUZZ_INPUTS) : 1;
	job->options.in_place = job->out == FUZZ_OUT_FILE;
	choose_output(&job->options, from);
	choose_resources(&job->options, from);
	choose_header(job, from);
	for (unsigned i = 0; i < job->count; i++) {
		const size_t count = fuzz_job_count(from, 1300000 / job->count);

		fuzz_job_make(job, from, i, count);
	}
}

void
fuzz_sort(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	/* forced: any bytes may look like another kind of file */
	struct fuzz_job job = { .count = 0, .options.force = true };
	const bool gpu_may_fail = choose_device(&job.options, &from);

	make_job(&job, &from);
	fuzz_judge(&job, gpu_may_fail && job.options.device == GSORT_DEVICE_GPU);
	FUZZ_MUST(emu_allocations() == 0);
	fuzz_job_free(&job);
}

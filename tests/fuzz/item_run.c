// SPDX-License-Identifier: BSD-2-Clause
/* item_run.c - a job on records or lines, from memory to memory */
#include "item_run.h"

static const char *const dirs[] = { "/dev/shm" };

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct item_run *run = context;
	const size_t left = run->input.bytes - run->at, most = left < bytes ? left : bytes;
	const size_t now = most == 0 ? 0 : 1 + (size_t)(fuzz_random(&run->state) % most);

	if (now > 0)
		memcpy(into, run->input.data + run->at, now);
	run->at += now;
	return (ptrdiff_t)now;
}

static int
take(void *context, const void *data, size_t bytes)
{
	fuzz_put(&((struct item_run *)context)->output, data, bytes);
	return 0;
}

void
item_run_open(struct item_run *run, unsigned flags, unsigned more)
{
	struct gsort_options *options = &run->options;

	run->state = more;
	options->struct_size = sizeof *options;
	options->operation = (flags & 15) == 15 ? GSORT_CHECK : GSORT_SORT;
	options->unique = flags & 32;
	options->counts = (flags & 192) == 64;
	options->repeated = (flags & 0x300) == 0x100;
	options->singletons = (flags & 0x300) == 0x200;
	options->head = (flags & 0xc00) == 0x400;
	options->head_count = more;
	options->verify = flags & 0x1000;
	options->decompress = GSORT_DECOMPRESS_NONE;
	options->threads = 1 + more % 3;
	options->memory_bytes = flags & 0x8000 ? 16 << 20 : 0;
	options->temp_dirs = dirs;
	options->temp_dir_count = 1;
	options->check = GSORT_CHECK_QUIET;
	options->read = give;
	options->write = take;
	options->read_context = options->write_context = run;
	if (options->operation == GSORT_CHECK) {
		options->counts = options->repeated = options->singletons = false;
		options->head = options->verify = false;
	}
}

gsort_status
item_run_job(struct item_run *run)
{
	gsort_status status;
	gsort *job;

	run->output.bytes = run->at = 0;
	status = gsort_open(&job, &run->options);
	if (status == GSORT_OK)
		status = gsort_run(job);
	if (status == GSORT_ERROR)
		FUZZ_MUST(gsort_message()[0] != '\0');
	gsort_close(job);
	return status;
}

bool
item_run_groups(const struct item_run *run)
{
	const struct gsort_options *options = &run->options;

	return options->unique || options->counts || options->repeated || options->singletons;
}

bool
item_run_takes(const struct item_run *run, size_t count)
{
	return (!run->options.repeated || count >= 2) && (!run->options.singletons || count == 1);
}

void
item_run_compare(const struct item_run *run, struct fuzz_bytes *right)
{
	FUZZ_MUST(right->bytes == run->output.bytes);
	FUZZ_MUST(right->bytes == 0 || memcmp(right->data, run->output.data, right->bytes) == 0);
	fuzz_free(right);
}

void
item_run_again(struct item_run *run, bool merge)
{
	struct gsort_options *options = &run->options;

	fuzz_free(&run->input);
	run->input = run->output;
	run->output = (struct fuzz_bytes){ .data = NULL };
	options->operation = merge ? GSORT_MERGE : GSORT_CHECK;
	options->unique = options->repeated = options->singletons = false;
	options->head = options->verify = false;
}

void
item_run_close(struct item_run *run)
{
	fuzz_free(&run->input);
	fuzz_free(&run->output);
}

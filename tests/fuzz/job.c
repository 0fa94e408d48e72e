// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.c - one job of the library, whose input and output are bytes in memory
 *
 * Files have no names (memfd_create(2)), and a pipe holds no more than fits into its buffer: nothing
 * is left behind, and no thread but gsort's is needed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job.h"
#include "reference_model.h"

/* ---- in and out ------------------------------------------------------------ */

static size_t
some(struct fuzz_job *job, size_t most)
{
	const size_t limit = fuzz_random(&job->state) % 4 == 0 ? 16 : 200000;
	const size_t now = 1 + (size_t)(fuzz_random(&job->state) % limit);

	return now < most ? now : most;
}

struct giver { struct fuzz_job *job; size_t at; };

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct giver *giver = context;
	const struct fuzz_bytes *input = &giver->job->inputs[0];
	const size_t left = input->bytes - giver->at;
	const size_t now = some(giver->job, left < bytes ? left : bytes);

	if (now > 0)
		memcpy(into, input->data + giver->at, now);
	giver->at += now;
	return (ptrdiff_t)now;
}

static int
take(void *context, const void *data, size_t bytes)
{
	fuzz_put(&((struct fuzz_job *)context)->output, data, bytes);
	return 0;
}

static void
warned(void *context, const char *line)
{
	struct fuzz_job *job = context;

	FUZZ_MUST(*line != '\0' && line[strlen(line) - 1] != '\n');
	if (job->warnings++ == 0)
		snprintf(job->warned, sizeof job->warned, "%s", line);
}

/* A file that holds INPUT, and its name. */
static int
make_file(const struct fuzz_bytes *input, char name[32])
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_MUST(fd >= 0);
	if (input != NULL && input->bytes > 0)
		FUZZ_MUST(write(fd, input->data, input->bytes) == (ssize_t)input->bytes);
	sprintf(name, "/proc/self/fd/%d", fd);
	return fd;
}

/* A pipe that holds INPUT, if it can. */
static int
make_pipe(const struct fuzz_bytes *input, char name[32])
{
	int fds[2];

	FUZZ_MUST(pipe2(fds, O_CLOEXEC) == 0);
	FUZZ_MUST(write(fds[1], input->data, input->bytes) == (ssize_t)input->bytes);
	close(fds[1]);
	sprintf(name, "/proc/self/fd/%d", fds[0]);
	return fds[0];
}

static void
read_file(int fd, struct fuzz_bytes *into)
{
	static char part[65536];
	ssize_t got;

	for (off_t at = 0; (got = pread(fd, part, sizeof part, at)) > 0; at += got)
		fuzz_put(into, part, (size_t)got);
	FUZZ_MUST(got == 0);
}

/* ---- running --------------------------------------------------------------- */

/* Check what holds for every job, whatever its options. */
static void
check(const struct fuzz_job *job)
{
	FUZZ_MUST(job->status <= GSORT_ERROR);
	FUZZ_MUST(job->status != GSORT_DISORDER || job->options.operation == GSORT_CHECK);
	FUZZ_MUST(job->status != GSORT_ERROR || job->message[0] != '\0');
	FUZZ_MUST(job->message[0] == '\0' || job->message[strlen(job->message) - 1] != '\n');
	if (job->status == GSORT_OK)
		FUZZ_MUST(job->stats.bytes_out == job->output.bytes);
}

void
fuzz_job_run(struct fuzz_job *job)
{
	struct gsort_options *options = &job->options;
	struct giver giver = { job, 0 };
	char names[FUZZ_INPUTS + 1][32];
	const char *inputs[FUZZ_INPUTS];
	int fds[FUZZ_INPUTS + 1];
	unsigned open = 0;
	gsort *handle;

	if (job->in == FUZZ_IN_PIPE && job->inputs[0].bytes > 65536)
		job->in = FUZZ_IN_CALLBACK;
	for (; job->in <= FUZZ_IN_PIPE && open < job->count; open++) {
		fds[open] = (job->in == FUZZ_IN_PIPE ? make_pipe : make_file)(&job->inputs[open],
		                                                             names[open]);
		inputs[open] = names[open];
	}
	options->inputs = inputs;
	options->input_count = open;
	options->read = job->in == FUZZ_IN_CALLBACK ? give : NULL;
	options->read_context = &giver;
	options->write = job->out == FUZZ_OUT_CALLBACK ? take : NULL;
	options->write_context = job;
	options->warn = warned;
	options->warn_context = job;
	fds[open] = make_file(NULL, names[open]);
	options->output = job->out == FUZZ_OUT_FILE && options->operation != GSORT_CHECK
	                  ? names[open] : NULL;
	options->struct_size = sizeof *options;
	job->status = gsort_open(&handle, options);
	if (job->status == GSORT_OK) {
		job->status = gsort_run(handle);
		job->stats = *gsort_stats(handle);
		if (job->out == FUZZ_OUT_FILE)
			read_file(fds[open], &job->output);
	}
	if (job->status == GSORT_ERROR)
		snprintf(job->message, sizeof job->message, "%s", gsort_message());
	gsort_close(handle);
	options->inputs = NULL;
	options->input_count = 0;
	for (unsigned i = 0; i <= open; i++)
		close(fds[i]);
	check(job);
}

void
fuzz_job_free(struct fuzz_job *job)
{
	for (unsigned i = 0; i < FUZZ_INPUTS; i++)
		fuzz_free(&job->inputs[i]);
	fuzz_free(&job->output);
}

/* ---- keys --------------------------------------------------------------------- */

size_t
fuzz_job_count(struct fuzz *from, size_t most)
{
	const size_t size = (size_t)fuzz_take(from, 1), more = (size_t)fuzz_take(from, 3);
	const size_t count = size < 200 ? size * size / 16 : size < 244 ? more % 20000 :
	                     size < 253 ? more % 200000 : more % most;

	return count < most ? count : most;
}

/* How keys follow each other. */
struct shape {
	unsigned kind, shift;
	uint64_t state, last;
	size_t   count;
};

static uint64_t
shaped(struct shape *shape, size_t k)
{
	const uint64_t key = fuzz_random(&shape->state) >> shape->shift;

	switch (shape->kind) {
	case 1:  return shape->last += key >> 40;	/* ascending, until it overflows */
	case 2:  return shape->last -= key >> 40;
	case 3:  return shape->last;			/* all the same */
	case 4:  return k * 8 < shape->count ? key : shape->last + key % 1000;	/* changes its mind */
	case 5:  return k % 1000 * shape->last;		/* saw */
	case 6:  return key & 1 ? key : ~key;		/* both ends */
	default: return key;
	}
}

/* A line with KEY, an integer either as u64 or as i64.  STYLE: what else the line has. */
static int
print_line(char line[400], enum gsort_type type, uint64_t key, unsigned style)
{
	static const char *const words[] = { "nan", "-nan", "inf", "-Infinity", "-0", "0.0", "1e400",
	                                     "+1", ".5", "5.", "0x.8p1" };
	double value;
	char *at = line;

	at += sprintf(at, "%.*s", (int)(style & 3), style & 4 ? "\t\t\t" : "   ");
	memcpy(&value, &key, sizeof value);
	if (type != GSORT_TEXT_FLOAT && key >> 63 != 0 && (style & 8) == 0)
		at += sprintf(at, style & 16 ? "-%0*llu" : "-%.*llu", (int)(style & 16) * 2,
		              (unsigned long long)-key);
	else if (type != GSORT_TEXT_FLOAT)
		at += sprintf(at, "%s%0*llu", style & 32 ? "+" : "", (int)(style & 16) * 2,
		              (unsigned long long)key);
	else if (style % 16 == 15)
		at += sprintf(at, "%s", words[key % (sizeof words / sizeof words[0])]);
	else
		at += style & 32 ? sprintf(at, "%a", value) :
		      style & 16 ? sprintf(at, "%.*f", (int)(key % 8), value)
		                 : sprintf(at, "%.*g", 1 + (int)(key % 20), value);
	at += sprintf(at, "%s%s", style & 64 ? "  " : "", style & 128 ? "\r" : "");
	return (int)(at - line);
}

static void
put_key(struct fuzz_job *job, struct fuzz_bytes *input, uint64_t key, unsigned style)
{
	const unsigned bytes = fuzz_bits(job->options.type) / 8;
	const char terminator = job->options.zero_terminated ? '\0' : '\n';
	char line[400];

	if (bytes > 0) {
		fuzz_put(input, &key, bytes);
	} else {
		const int length = print_line(line, job->options.type, key, style);

		fuzz_put(input, line, (size_t)length);
		fuzz_put(input, &terminator, 1);
	}
}

void
fuzz_job_make(struct fuzz_job *job, struct fuzz *from, unsigned into, size_t count)
{
	struct shape shape = {
		.kind = fuzz_pick(from, 7), .shift = fuzz_pick(from, 64), .state = fuzz_take(from, 4),
		.last = fuzz_take(from, 8), .count = count,
	};
	const unsigned styles = (unsigned)fuzz_take(from, 1), given = fuzz_pick(from, 16) * 4;
	const bool plain = styles < 128;

	fuzz_put(&job->inputs[into], "", 0);
	for (size_t k = 0; k < count; k++) {
		const uint64_t key = k < given ? fuzz_take(from, 8) : shaped(&shape, k);

		put_key(job, &job->inputs[into], key, plain ? styles % 4 == 0 ? 8 : 0
		        : (unsigned)fuzz_random(&shape.state) & styles);
	}
	if (count > 0 && styles % 16 == 7 && fuzz_bits(job->options.type) == 0)
		job->inputs[into].bytes--;	/* the last line may lack its end */
}

// SPDX-License-Identifier: BSD-2-Clause
/* given.c - rows for src/options/given.c, and calls of gsort.h that are wrong */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config.h"
#include "gsort.h"
#include "tests/unit/units.h"

void unit_given(void);

#define OPTIONS(...)	(&(struct gsort_options){ .struct_size = sizeof(struct gsort_options), __VA_ARGS__ })

static void
refused(gsort_status status, const char *said, const char *what)
{
	CHECK(status == GSORT_ERROR && gsort_last_error() == GSORT_ERROR_USAGE &&
	      strstr(gsort_message(), said) != NULL, "%s is refused with \"%s\": status %d, \"%s\"",
	      what, said, (int)status, gsort_message());
}

static void
opens_not(const struct gsort_options *options, const char *said)
{
	gsort *job = (gsort *)&job;

	refused(gsort_open(&job, options), said, "gsort_open()");
	CHECK(job == NULL, "there is no job after an error");
}

static ptrdiff_t
no_input(void *context, void *into, size_t room)
{
	(void)context, (void)into, (void)room;
	return 0;
}

static int
no_output(void *context, const void *data, size_t count)
{
	(void)context, (void)data, (void)count;
	return 0;
}

/* Every byte in turn is one that no flag or enum can be; pointers stay NULL, as what they point to is the
 * caller's. */
static void
bytes(void)
{
	for (size_t at = sizeof(size_t); at < sizeof(struct gsort_options); at++) {
		struct gsort_options options = *OPTIONS();
		gsort *job;

		((unsigned char *)&options)[at] = 99;
		options.quantiles = options.output = options.compress_program = NULL;
		options.ordering = options.separator = NULL;
		options.inputs = options.temp_dirs = options.keydefs = NULL;
		options.keys = NULL;
		options.read = no_input;
		options.write = no_output;
		options.note = options.warn = NULL;
		options.begins = NULL;
		options.ranks = NULL;
		CHECK(gsort_open(&job, &options) == GSORT_OK || gsort_message()[0] != '\0',
		      "byte %zu of the options: a job or a message", at);
		gsort_close(job);
	}
}

static void
members(void)
{
	static const char *const names[] = { "a", NULL };
	const struct gsort_key keys[] = { { .bytes = 1 }, { .type = (enum gsort_type)99 } };
	const struct gsort_key ends[] = { { .type = GSORT_U8, .endian = (enum gsort_endian)-1 } };
	const struct gsort_key named[] = { { .type = GSORT_U8, .name = "price" } };
	const struct gsort_key newer[] = { { .type = GSORT_U8, .reserved = { 0, 1 } } };
	const struct gsort_key text[] = { { .type = GSORT_TEXT_FLOAT } };
	struct gsort_options flag = *OPTIONS(.read = no_input);
	struct {
		struct gsort_options options;
		uint64_t newer;
	} longer = { *OPTIONS(.read = no_input), 1 };
	char said[120];

	snprintf(said, sizeof said, "struct_size of the options is 7: set it to sizeof(struct "
	         "gsort_options), which is %zu here", sizeof flag);
	opens_not(&(struct gsort_options){ .struct_size = 7 }, said);
	longer.options.struct_size = sizeof longer;
	opens_not(&longer.options, "an option is set that gsort " PACKAGE_VERSION " does not know: the "
	          "program needs a newer libgsort");
	opens_not(NULL, "they are NULL");
	opens_not(OPTIONS(.type = (enum gsort_type)99), "type is 99: there is no such value");
	opens_not(OPTIONS(.record_bytes = 8, .keys = keys, .key_count = 2),
	          "keys[1].type is 99: there is no such value");
	opens_not(OPTIONS(.record_bytes = 8, .keys = ends, .key_count = 1), "keys[0].endian is 42949");
	opens_not(OPTIONS(.record_bytes = 8, .keys = newer, .key_count = 1),
	          "keys[0].reserved is set, which gsort " PACKAGE_VERSION " does not know: the "
	          "program needs a newer libgsort");
	opens_not(OPTIONS(.record_bytes = 8, .keys = named, .key_count = 1), "keys[0].name is set");
	opens_not(OPTIONS(.format = GSORT_FORMAT_NPY), "format is 2: there is no such value");
	opens_not(OPTIONS(.record_bytes = 8, .keys = text, .key_count = 1), "keys of records are");
	opens_not(OPTIONS(.record_bytes = 8, .key_count = 3), "keys is NULL, and has 3 elements");
	opens_not(OPTIONS(.input_count = 1), "inputs is NULL, and has 1 elements");
	opens_not(OPTIONS(.inputs = names, .input_count = 2), "inputs[1] is NULL");
	opens_not(OPTIONS(.temp_dirs = names, .temp_dir_count = 2), "temp_dirs[1] is NULL");
	opens_not(OPTIONS(.lines = true, .keydefs = names, .keydef_count = 2), "keydefs[1] is NULL");
	memset(&flag.tail.wanted, 2, 1);
	opens_not(&flag, "tail.wanted is 2: there is no such value");
	opens_not(OPTIONS(.lines = true, .ordering = "bq"), "'q' is not an ordering option");
	opens_not(OPTIONS(.was_fed = true), "was_fed is 1: there is no such value");
	opens_not(OPTIONS(.was_plan_ranks = 4), "was_plan_ranks is 4: there is no such value");
	opens_not(OPTIONS(.was_drained = true), "was_drained is 1: there is no such value");
}

/* Keep the line about libraries. */
static void
keep_libraries(void *context, const char *line)
{
	if (strncmp(line, "Libraries: ", 11) == 0)
		snprintf(context, 200, "%s", line);
}

static void
calls(void)
{
	static const char needs[] = "there is no job";
	struct gsort_progress progress;
	struct gsort_conflict conflict;
	enum gsort_type type;
	char libraries[200] = "";
	gsort *job;

	gsort_build(keep_libraries, libraries);
	CHECK(strstr(libraries, "(loaded when they are needed)") != NULL, "no program of tests is static: %s",
	      libraries);
	refused(gsort_open(NULL, OPTIONS(.read = no_input)), "a place for the job", "gsort_open(NULL)");
	refused(gsort_run(NULL), needs, "gsort_run(NULL)");
	gsort_progress(NULL, &progress);
	CHECK(progress.phase == GSORT_IDLE && progress.bytes_in == 0, "no job is idle");
	CHECK(gsort_stats(NULL)->keys == 0, "no job has no keys");
	gsort_progress(NULL, NULL);
	gsort_interrupt(NULL);
	gsort_close(NULL);
	gsort_plan(NULL, NULL, NULL);
	gsort_plan_json(NULL, NULL, NULL);
	gsort_info(NULL, NULL, NULL);
	gsort_info_json(NULL, NULL, NULL);
	gsort_build(NULL, NULL);
	CHECK(!gsort_conflict(NULL, &conflict) && !gsort_type_named(NULL, &type) &&
	      !gsort_type_named("u8", NULL), "NULL conflicts with nothing, and names no type");

	CHECK(gsort_open(&job, OPTIONS(.read = no_input, .write = no_output)) == GSORT_OK &&
	      gsort_run(job) == GSORT_OK, "nothing is sorted: %s", gsort_message());
	refused(gsort_run(job), "a job runs once", "gsort_run() once more");
	gsort_progress(job, NULL);
	gsort_plan(job, NULL, NULL);
	gsort_close(job);
}

/* ---- callbacks that return invalid values ------------------------------------------ */

struct callback {
	unsigned  calls, fails_at;
	ptrdiff_t result;	/* then; 1: more than it was asked for */
	int       number;	/* errno */
	bool      writes;	/* it is write() that fails */
	size_t    left;		/* of the input */
	size_t    bytes;	/* of the output, and a digest of them */
	uint64_t  digest;
};

static bool
fails(struct callback *callback)
{
	if (++callback->calls != callback->fails_at)
		return false;
	if (callback->number != 0)
		errno = callback->number;
	return true;
}

/* Lines of numbers, which are keys of any type, too. */
static ptrdiff_t
give(void *context, void *into, size_t room)
{
	struct callback *callback = context;
	const size_t now = room < callback->left ? room / 16 * 16 : callback->left;

	if (!callback->writes && fails(callback))
		return callback->result == 1 ? (ptrdiff_t)room + 1 : callback->result;
	for (size_t at = 0; at < now; at += 4)
		memcpy((char *)into + at, at % 12 == 0 ? "307\n" : "121\n", 4);
	callback->left -= now;
	return (ptrdiff_t)now;
}

static int
take(void *context, const void *data, size_t count)
{
	struct callback *callback = context;

	for (size_t b = 0; b < count; b++)
		callback->digest = units_mix(callback->digest ^ ((const unsigned char *)data)[b]);
	callback->bytes += count;
	return callback->writes && fails(callback) ? (int)callback->result : 0;
}

static const char *const columns[] = { "1,1n", "1.2n", "1.1,1.1", "1.3,1.3", "1r", "1" };
static const struct gsort_key fields[] = { { .type = GSORT_U32, .offset = 4 } };

/* Each kind of element, and each way to read it. */
static const struct gsort_options kinds[] = {
	{ .type = GSORT_TEXT }, { .type = GSORT_TEXT_FLOAT }, { .notation = GSORT_HEXADECIMAL },
	{ .type = GSORT_U8 }, { .type = GSORT_U16 }, { .type = GSORT_U32 }, { .type = GSORT_F64 },
	{ .type = GSORT_U128 }, { .type = GSORT_U32, .converts = true }, { .record_bytes = 8 },
	{ .record_bytes = 8, .keys = fields, .key_count = 1 }, { .lines = true },
	{ .csv = true, .lines = true },
	{ .lines = true, .keydefs = columns, .keydef_count = 1, .stable = true },
	{ .lines = true, .ordering = "n" },
	{ .lines = true, .csv = true, .keydefs = columns, .keydef_count = 1 },
	{ .type = GSORT_U32, .argsort_bits = 32 }, { .lines = true, .argsort_bits = 64 },
	{ .type = GSORT_U32, .unique = true }, { .lines = true, .head = true, .head_count = 3 },
	{ .type = GSORT_U64, .head = true, .head_count = 3 }, { .record_bytes = 16, .tail = { true, 3 } },
	{ .lines = true, .sample = { true, 3 } }, { .type = GSORT_F64, .summary = true },
	{ .quantiles = "0.5" }, { .lines = true, .top = { true, 3 } }, { .type = GSORT_U8, .skip_bytes = 32 },
	{ .lines = true, .header_lines = 2 }, { .operation = GSORT_CHECK, .check = GSORT_CHECK_SUMMARY },
	{ .operation = GSORT_CHECK, .check = GSORT_CHECK_SUMMARY, .lines = true },
	{ .operation = GSORT_CHECK, .check = GSORT_CHECK_SUMMARY, .type = GSORT_U32 },
	{ .type = GSORT_U32, .memory_bytes = 12 << 20 }, { .lines = true, .memory_bytes = 12 << 20 },
};

static void
run_with(const struct gsort_options *kind, size_t number, struct callback callback)
{
	struct gsort_options options = *kind;
	const char *said = callback.writes ? "write failed: output: " : "read failed: input: ";
	gsort_status status;
	gsort *job;

	callback.left = callback.writes ? 48 << 10 : 3 << 20;
	options.struct_size = sizeof options;
	options.device = GSORT_DEVICE_CPU;
	options.threads = 2;
	options.read = options.input_count > 0 ? NULL : give;
	options.write = options.operation == GSORT_CHECK ? NULL : take;
	options.read_context = options.write_context = &callback;
	status = gsort_open(&job, &options);
	if (status == GSORT_OK)
		status = gsort_run(job);
	CHECK(callback.calls < callback.fails_at
	      ? status != GSORT_ERROR
	      : status == GSORT_ERROR && gsort_last_error() == GSORT_ERROR_IO &&
	        gsort_last_errno() == (callback.number != 0 ? callback.number : EPROTO) &&
	        strstr(gsort_message(), said) != NULL,
	      "kind %zu: call %u of %s returns %td: %d, \"%s\"", number, callback.fails_at,
	      callback.writes ? "write" : "read", callback.result, (int)status, gsort_message());
	gsort_close(job);
}

enum { INPUT_BYTES = 12 << 10 };

/* Two sorted files of so many bytes, for jobs that take no callback. */
static char one_file[] = "/tmp/gsort-unit-XXXXXX", other_file[] = "/tmp/gsort-unit-XXXXXX";
static const char *const two_files[] = { one_file, other_file };

static bool
make_files(void)
{
	char bytes[INPUT_BYTES];

	for (size_t f = 0; f < 2; f++) {
		const int fd = mkstemp(f == 0 ? one_file : other_file);

		for (size_t at = 0; at < INPUT_BYTES; at += 4)
			memcpy(bytes + at, at < INPUT_BYTES / 3 * (1 + f) ? "001\n" : "121\n", 4);
		if (fd < 0 || write(fd, bytes, INPUT_BYTES) != INPUT_BYTES || close(fd) != 0)
			return false;
	}
	return true;
}

/* Run a job of KIND whose call to the system with this NUMBER fails; LONG_MAX: none does. */
static gsort_status
run_failing(const struct gsort_options *kind, struct callback *callback, long number)
{
	const bool figures = kind->summary || kind->quantiles != NULL || kind->histogram > 0 ||
	                     ((kind->top.wanted || kind->json) && !kind->lines && kind->record_bytes == 0);
	struct gsort_options options = *kind;
	struct gsort_progress progress;
	const struct gsort_stats *stats;
	gsort_status status;
	gsort *job;

	*callback = (struct callback){ .fails_at = UINT_MAX, .left = INPUT_BYTES };
	options.struct_size = sizeof options;
	options.device = GSORT_DEVICE_CPU;
	options.threads = 2;
	options.read = options.input_count > 0 ? NULL : give;
	options.write = options.operation == GSORT_CHECK ? NULL : take;
	options.read_context = options.write_context = callback;
	units_fail(number);
	status = gsort_open(&job, &options);
	if (status == GSORT_OK)
		status = gsort_run(job);
	gsort_progress(job, &progress);
	stats = gsort_stats(job);
	CHECK(status != GSORT_OK || (stats->threads > 0 && stats->threads <= 2 && stats->device != NULL &&
	      strncmp(stats->device, "cpu", 3) == 0), "figures: %u threads, device %s", stats->threads,
	      stats->device);
	CHECK(status != GSORT_OK || (stats->keys > 0 && stats->bytes_in == progress.bytes_in &&
	      (options.operation != GSORT_SORT || options.set != GSORT_NO_SET ||
	       (stats->read_seconds > 0 && stats->write_seconds > 0 &&
	        stats->read_seconds + stats->sort_seconds + stats->write_seconds <= stats->seconds + 1e-6))),
	      "figures: %llu keys, %llu bytes, of %g s %g, %g and %g", (unsigned long long)stats->keys,
	      (unsigned long long)stats->bytes_in, stats->seconds, stats->read_seconds, stats->sort_seconds,
	      stats->write_seconds);
	CHECK(status != GSORT_OK || (progress.phase == GSORT_DONE &&
	      progress.work_done == progress.work_total &&
	      progress.bytes_in == INPUT_BYTES * (options.input_count > 0 ? options.input_count : 1) &&
	      (progress.keys_in > 0 || options.operation == GSORT_MERGE) &&
	      (progress.keys_sorted >= progress.keys_in ||
	       (options.tail.wanted && options.tail.count == 0)) &&
	      progress.bytes_out == (figures ? 0 : callback->bytes)),
	      "progress: phase %d, %llu bytes, %llu of %llu keys, %llu of %llu, %llu of %zu bytes",
	      (int)progress.phase, (unsigned long long)progress.bytes_in,
	      (unsigned long long)progress.keys_sorted, (unsigned long long)progress.keys_in,
	      (unsigned long long)progress.work_done, (unsigned long long)progress.work_total,
	      (unsigned long long)progress.bytes_out, callback->bytes);
	gsort_close(job);
	return status;
}

/* Is it what is said of a call that failed?  A line that has no memory needs a larger -S. */
static bool
is_of_call(const char *message)
{
	return strstr(message, "memory") != NULL || strstr(message, ": Input/output error") != NULL ||
	       strstr(message, ": that needs '--buffer-size=") != NULL;
}

/* Each call to the system fails in turn: that is an error, or the output is right without it. */
static void
each_call_fails(const struct gsort_options *kind, const char *list, size_t number)
{
	struct callback right, found;
	const gsort_status expected = run_failing(kind, &right, LONG_MAX);
	const size_t memory = units_memory();
	bool failed = true;
	unsigned errors = 0;

	CHECK(expected != GSORT_ERROR, "%s %zu: %s", list, number, gsort_message());
	for (long call = 0; failed; call++) {
		const gsort_status status = run_failing(kind, &found, call);

		failed = units_has_failed();
		errors += status == GSORT_ERROR;
		CHECK(status == GSORT_ERROR ? failed && is_of_call(gsort_message()) : status == expected &&
		      found.bytes == right.bytes && found.digest == right.digest,
		      "%s %zu: call %ld fails: status %d, %zu bytes, not %zu: \"%s\"", list, number, call,
		      (int)status, found.bytes, right.bytes, gsort_message());
		CHECK(units_memory() == memory, "%s %zu: call %ld fails: %zd bytes are not given back",
		      list, number, call, (ssize_t)(units_memory() - memory));
	}
	CHECK(errors > 0, "%s %zu: %u errors", list, number, errors);
}

/* A merge of numbers that becomes one of lines at its last line, when much has been written: each write fails
 * in turn, the one that is not known yet to have failed, too. */
static void
late_line(void)
{
	char large[] = "/tmp/gsort-unit-XXXXXX";
	const char *const names[] = { large, large };
	FILE *const file = fdopen(mkstemp(large), "w");
	struct gsort_options options = *OPTIONS(
		.operation = GSORT_MERGE, .lines = true, .ordering = "n", .inputs = names, .input_count = 2,
		.device = GSORT_DEVICE_CPU, .threads = 2, .write = take,
	);
	struct callback callback;

	for (unsigned i = 0; i < 200000; i++)
		fprintf(file, "%u\n", 10000000 + i);
	fprintf(file, "99999999x\n");
	CHECK(fclose(file) == 0, "a large file");
	for (unsigned call = 1; call == 1 || callback.calls + 1 == call; call++) {
		gsort_status status;
		gsort *job;

		callback = (struct callback){
			.fails_at = call, .result = -1, .number = ENOLINK, .writes = true,
		};
		options.write_context = &callback;
		status = gsort_open(&job, &options);
		if (status == GSORT_OK)
			status = gsort_run(job);
		CHECK(callback.calls < call ? status == GSORT_OK && call > 3
		      : status == GSORT_ERROR && gsort_last_errno() == ENOLINK, "write %u fails: %d, \"%s\"",
		      call, (int)status, gsort_message());
		gsort_close(job);
	}
	CHECK(unlink(large) == 0, "the file is there");
}

/* Interrupts the job once it has read what is in its pipe; ends that 5 s later, if the job goes on. */
struct interrupter {
	gsort *job;
	int    input;
	bool   waited;
};

static void *
interrupt(void *context)
{
	struct interrupter *interrupter = context;
	struct gsort_progress progress;
	int left;

	do {
		usleep(1000);
		gsort_progress(interrupter->job, &progress);
	} while (progress.phase != GSORT_READING || ioctl(interrupter->input, FIONREAD, &left) != 0 ||
	         left > 0);
	gsort_interrupt(interrupter->job);
	for (unsigned ms = 0; ms < 5000 && progress.phase != GSORT_DONE; ms++) {
		usleep(1000);
		gsort_progress(interrupter->job, &progress);
	}
	interrupter->waited = progress.phase != GSORT_DONE;
	close(interrupter->input);
	return NULL;
}

/* A job that waits for a pipe ends at once. */
static void
interrupted(void)
{
	char name[30];
	const char *const names[] = { name };
	const struct gsort_options *options = OPTIONS(.inputs = names, .input_count = 1, .write = no_output,
	                                              .device = GSORT_DEVICE_CPU);
	struct interrupter interrupter;
	gsort_status status = GSORT_ERROR;
	pthread_t thread;
	int ends[2];

	CHECK(pipe(ends) == 0 && write(ends[1], "1\n", 2) == 2, "a pipe");
	snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
	CHECK(gsort_open(&interrupter.job, options) == GSORT_OK, "a job that waits: %s", gsort_message());
	interrupter.input = ends[1];
	CHECK(pthread_create(&thread, NULL, interrupt, &interrupter) == 0, "a thread");
	status = gsort_run(interrupter.job);
	CHECK(status == GSORT_ERROR && gsort_last_error() == GSORT_ERROR_INTERRUPTED,
	      "it is interrupted: %d, \"%s\"", (int)status, gsort_message());
	pthread_join(thread, NULL);
	CHECK(!interrupter.waited, "and does not wait for the end of its input");
	gsort_close(interrupter.job);
	close(ends[0]);
}

static void
failures(void)
{
	static const struct gsort_options others[] = {
		{ .lines = true, .csv = true, .keydefs = columns, .keydef_count = 1, .counts = true },
		{ .lines = true, .csv = true, .keydefs = columns, .keydef_count = 1, .top = { true, 3 },
		  .json = true },
		{ .lines = true, .csv = true, .keydefs = columns, .keydef_count = 1, .summary = true,
		  .histogram = 5 },
		{ .lines = true, .header_lines = 1, .keydefs = columns, .keydef_count = 1, .counts = true },
		{ .lines = true, .tail = { true, 3 }, .json = true },
		{ .lines = true, .tail = { true, 0 }, .json = true },
		{ .lines = true, .unique = true, .keep_order = true },
		{ .lines = true, .ordering = "n", .quantiles = "0.5" },
		{ .record_bytes = 8, .keys = fields, .key_count = 1, .counts = true },
		{ .record_bytes = 8, .keys = fields, .key_count = 1, .top = { true, 3 } },
		{ .record_bytes = 8, .keys = fields, .key_count = 1, .summary = true },
		{ .record_bytes = 8, .keys = fields, .key_count = 1, .argsort_bits = 64, .verify = true },
		{ .type = GSORT_U32, .histogram = 5, .json = true }, { .type = GSORT_U64, .verify = true },
		{ .lines = true, .verify = true }, { .type = GSORT_U32, .counts = true, .converts = true },
		{ .type = GSORT_U128, .counts = true }, { .sample = { true, 9 }, .json = true },
		{ .type = GSORT_U128, .converts = true }, { .record_bytes = 8, .sample = { true, 99 } },
		{ .type = GSORT_U32, .counts = true, .tail = { true, 2 } },
		{ .lines = true, .keydefs = columns, .keydef_count = 6, .underline = true },
	};

	static const struct gsort_options of_files[] = {
#define FILES	.inputs = two_files, .input_count = 2
		{ .type = GSORT_U32, .set = GSORT_UNION, .force = true, FILES },
		{ .set = GSORT_DIFFERENCE, FILES },
		{ .lines = true, .set = GSORT_INTERSECT, FILES },
		{ .lines = true, .keydefs = columns, .keydef_count = 1, .set = GSORT_UNION, .unique = true,
		  FILES },
		{ .record_bytes = 8, .set = GSORT_UNION, .head = true, .head_count = 5, FILES },
		{ .operation = GSORT_MERGE, FILES }, { .operation = GSORT_MERGE, .lines = true, FILES },
		{ .operation = GSORT_MERGE, .type = GSORT_U32, .unique = true, .force = true, FILES },
		{ .operation = GSORT_MERGE, .record_bytes = 4, .counts = true, .force = true, FILES },
		{ .type = GSORT_U64, .force = true, FILES }, { .header_lines = 1, .verify = true, FILES },
		/* for lines that gsort would print otherwise */
		{ .lines = true, .ordering = "n", FILES },
		{ .lines = true, .ordering = "nr", .counts = true, FILES },
		{ .operation = GSORT_MERGE, .lines = true, .ordering = "n", FILES },
		{ .operation = GSORT_CHECK, .lines = true, .ordering = "n", FILES },
#undef FILES
	};

	CHECK(make_files(), "two files");
	for (size_t k = 0; k < sizeof of_files / sizeof of_files[0]; k++) {
		each_call_fails(&of_files[k], "files", k);
		run_with(&of_files[k], k,
		         (struct callback){ .fails_at = 1, .result = -1, .number = ENOLINK, .writes = true });
	}
	CHECK(unlink(one_file) == 0 && unlink(other_file) == 0, "files are left");
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		each_call_fails(&kinds[k], "kind", k);
	for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
		each_call_fails(&others[k], "other kind", k);
}

#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
static void *
run_kinds(void *context)
{
	(void)context;
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		run_with(&kinds[k], k, (struct callback){ .fails_at = UINT_MAX });
	return NULL;
}

/* With a stack as small as gsort.h allows. */
static void
small_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0 &&
	      pthread_create(&thread, &attributes, run_kinds, NULL) == 0 && pthread_join(thread, NULL) == 0,
	      "jobs run with a stack of 64 KiB");
	pthread_attr_destroy(&attributes);
}
#else	/* all frames are larger */
static void
small_stack(void)
{
}
#endif

static void
callbacks(void)
{
	static const ptrdiff_t reads[] = { 1, PTRDIFF_MAX, (ptrdiff_t)1 << 40, -1, -2, PTRDIFF_MIN };
	static const int writes[] = { -1, 1, 16, INT_MIN, INT_MAX };

	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
		for (unsigned r = 0; r < 3 * sizeof reads / sizeof reads[0]; r++)
			run_with(&kinds[k], k,
			         (struct callback){ .fails_at = 1 + r % 3, .result = reads[r / 3] });
		run_with(&kinds[k], k, (struct callback){ .fails_at = 2, .result = -1, .number = ENOLINK });
		for (size_t w = 0; w < sizeof writes / sizeof writes[0]; w++)
			if (kinds[k].operation != GSORT_CHECK)
				run_with(&kinds[k], k, (struct callback){
					.fails_at = 1, .result = writes[w], .writes = true });
	}
}

/* A thread whose stack is too small for the library. */
static void *
sort_on_small_stack(void *context)
{
	uint32_t keys[] = { 2, 1 };

	refused(gsort_sort(keys, 2, GSORT_U32, NULL),
	        "the stack of this thread has 32 KiB: libgsort needs 64", "a small stack");
	return context;
}

static void
small_stacks(void)
{
	static _Alignas(64) char stack[32 << 10];
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, sizeof stack) == 0 &&
	    pthread_create(&thread, &attributes, sort_on_small_stack, NULL) == 0)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static void
arrays(void)
{
	uint32_t keys[64] = { 3, 1, 2 };
	const void *const list[] = { keys, keys + 32 };
	const size_t counts[] = { 3, 3 };
	struct gsort_array_options flag = { .struct_size = sizeof flag };
	struct gsort_array_options small = {
		.struct_size = sizeof small, .scratch = keys, .scratch_bytes = 9,
	};
	static uint64_t many[100000];
	char said[140];

	refused(gsort_sort(keys, 3, GSORT_U32, &(struct gsort_array_options){ .struct_size = 7 }),
	        (snprintf(said, sizeof said, "struct_size of the array options is 7: set it to sizeof(struct "
	                  "gsort_array_options), which is %zu here", sizeof flag), said),
	        "a size that is none");
	snprintf(said, sizeof said, "scratch has 9 bytes, but gsort_scratch_bytes() are %zu",
	         gsort_scratch_bytes(100000, GSORT_U64, &small));
	refused(gsort_sort(many, 100000, GSORT_U64, &small), said, "scratch memory that is too small");
	refused(gsort_sort(keys, 3, (enum gsort_type)99, NULL), "binary type", "a type that is none");
	memset(&flag.reverse, 77, 1);
	refused(gsort_sort(keys, 3, GSORT_U32, &flag), "reverse is 77", "a flag that is none");
	flag = (struct gsort_array_options){ .struct_size = sizeof flag };
	memset(&flag.trust_order, 77, 1);
	refused(gsort_sort(keys, 3, GSORT_U32, &flag), "trust_order is 77", "another flag that is none");
	refused(gsort_argsort(keys, 3, GSORT_U32, keys + 2, GSORT_U32, NULL), "overlap",
	        "indices in the keys");
	refused(gsort_sort_pairs(keys, keys + 2, 4, 3, GSORT_U32, NULL), "overlap",
	        "payloads in the keys");
	refused(gsort_merge_arrays(keys + 34, list, counts, 2, GSORT_U32, NULL), "overlap",
	        "a merge into its arrays");
	refused(gsort_merge_arrays(keys, NULL, counts, 2, GSORT_U32, NULL), "NULL", "arrays that are NULL");
	refused(gsort_merge_arrays(keys, list, NULL, 2, GSORT_U32, NULL), "NULL", "counts that are NULL");
}

void
unit_given(void)
{
	bytes();
	members();
	calls();
	interrupted();
	failures();
	late_line();
	callbacks();
	small_stack();
	arrays();
	small_stacks();
}

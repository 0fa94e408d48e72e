// SPDX-License-Identifier: BSD-2-Clause
/* options.c - rows for src/options/options.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "tests/unit/units.h"

void unit_options(void);

#define ROW(said, ...)	{ { __VA_ARGS__ }, said, #__VA_ARGS__ }

static const char *const two[] = { "a", "b" };

static int
no_output(void *context, const void *data, size_t bytes)
{
	(void)context, (void)data, (void)bytes;
	return -1;
}

static const struct row {
	struct gsort_options options;
	const char *said;		/* NULL: they go together */
	const char *name;
} rows[] = {
	ROW(NULL, .type = GSORT_TEXT),
	ROW(NULL, .operation = GSORT_CHECK, .unique = true, .reverse = true),
	ROW(NULL, .operation = GSORT_CHECK, .zero_terminated = true, .memory_bytes = 1,
	    .merge_files = 2, .compress_program = "zstd", .header_lines = 1),
	ROW(NULL, .operation = GSORT_MERGE, .output = "o", .in_place = true, .inputs = two,
	    .input_count = 2),
	ROW(NULL, .counts = true, .repeated = true, .head = true, .verify = true),
	ROW(NULL, .unique = true, .counts = true, .singletons = true),
	ROW(NULL, .type = GSORT_U128, .set = GSORT_UNION, .inputs = two, .input_count = 2),
	ROW(NULL, .lines = true, .set = GSORT_DIFFERENCE, .inputs = two, .input_count = 2),
	ROW(NULL, .type = GSORT_U32, .endian = GSORT_ENDIAN_BIG, .skip_bytes = 7),
	ROW(NULL, .type = GSORT_U32, .converts = true, .to = GSORT_TEXT, .zero_terminated = true,
	    .endian = GSORT_ENDIAN_BIG),
	ROW(NULL, .converts = true, .to = GSORT_F64, .endian = GSORT_ENDIAN_BIG,
	    .zero_terminated = true, .invalid = GSORT_INVALID_WARN),
	ROW(NULL, .type = GSORT_TEXT_FLOAT, .converts = true, .to = GSORT_TEXT_FLOAT),
	ROW(NULL, .type = GSORT_U128, .endian = GSORT_ENDIAN_BIG, .skip_bytes = 7, .counts = true),
	ROW(NULL, .type = GSORT_U128, .converts = true, .counts = true, .zero_terminated = true),
	ROW(NULL, .type = GSORT_I128, .argsort_bits = 32, .reverse = true),
	ROW(NULL, .type = GSORT_I128, .operation = GSORT_CHECK, .unique = true),
	ROW(NULL, .type = GSORT_I16, .skip_bytes = 2, .converts = true, .to = GSORT_I64),

	ROW("options '--type=u128' and '--to=u64' are", .type = GSORT_U128, .converts = true,
	    .to = GSORT_U64),
	ROW("'--to=i128': keys of 128 bits are converted to text only", .converts = true, .to = GSORT_I128),
	ROW("option '--type=hex' needs integers as text", .type = GSORT_I128,
	    .notation = GSORT_HEXADECIMAL),
	ROW("options '--type=i128' and '--to=time' are", .type = GSORT_I128, .converts = true,
	    .notation = GSORT_TIME),
	ROW("options '--type=u128' and '--device=gpu' are", .type = GSORT_U128,
	    .device = GSORT_DEVICE_GPU),
	ROW("options '--type=u128' and '--summary' are", .type = GSORT_U128, .summary = true),
	ROW("options '--check' and '--output' are incompatible", .operation = GSORT_CHECK,
	    .output = "o"),
	ROW("options '--check' and '--to=u8' are", .operation = GSORT_CHECK, .converts = true,
	    .to = GSORT_U8),
	ROW("options '--check' and '--count' are", .operation = GSORT_CHECK, .counts = true),
	ROW("options '--check' and '--unique=repeated' are", .operation = GSORT_CHECK, .repeated = true),
	ROW("options '--check' and '--unique=singletons' are", .operation = GSORT_CHECK,
	    .singletons = true),
	ROW("options '--check' and '--head' are", .operation = GSORT_CHECK, .head = true),
	ROW("options '--check' and '--verify' are", .operation = GSORT_CHECK, .verify = true),
	ROW("options '--check' and '--device=gpu' are", .operation = GSORT_CHECK,
	    .device = GSORT_DEVICE_GPU),
	ROW("options '--merge' and '--device=gpu' are", .operation = GSORT_MERGE,
	    .device = GSORT_DEVICE_GPU),
	ROW("options '--unique=repeated' and '--unique=singletons' are", .repeated = true,
	    .singletons = true),
	ROW("options '--zero-terminated' and '--type=u32' are", .type = GSORT_U32,
	    .zero_terminated = true),
	ROW("options '--zero-terminated' and '--type=u32' are", .type = GSORT_U32,
	    .converts = true, .to = GSORT_I64, .zero_terminated = true),
	ROW("options '--header' and '--type=f64' are", .type = GSORT_F64, .header_lines = 1),
	ROW("options '--header' and '--to=u16' are", .header_lines = 1, .converts = true,
	    .to = GSORT_U16),
	ROW("options '--skip-bytes' and '--to=text' are", .type = GSORT_U8, .skip_bytes = 1,
	    .converts = true, .to = GSORT_TEXT),
	ROW("options '--invalid' and '--type=i8' are", .type = GSORT_I8,
	    .invalid = GSORT_INVALID_FAIL),
	ROW("option '--in-place' needs '--output'", .in_place = true),
	ROW("a byte order needs a binary type", .endian = GSORT_ENDIAN_LITTLE),
	ROW("bytes that are skipped need a binary type", .skip_bytes = 1),
	ROW(NULL, .operation = GSORT_CHECK, .inputs = two, .input_count = 2),
	ROW(NULL, .output = "o-%r", .split = 1),
	ROW(NULL, .output = "d%r/%%%r", .split = 1024),
	ROW(NULL, .output = "%d"),
	ROW("option '--split' needs '--output'", .split = 2),
	ROW("options '--split' and '--in-place' are", .output = "%r", .split = 2, .in_place = true),
	ROW("options '--split' and '--merge' are", .output = "%r", .split = 2,
	    .operation = GSORT_MERGE),
	ROW("'--split' is 1025: the maximum is 1024", .output = "%r", .split = 1025),
	ROW("invalid output name 'o': '--split' needs %r", .output = "o", .split = 2),
	ROW("invalid output name 'o%%r': '--split' needs %r", .output = "o%%r", .split = 2),
	ROW("invalid output name '%r%d': with '--split'", .output = "%r%d", .split = 2),
	ROW("invalid output name '%r%': with '--split'", .output = "%r%", .split = 2),
	ROW("'--split' needs files: output goes to a function",
	    .output = "%r", .split = 2, .write = no_output),
	ROW("101% of the GPU's memory", .gpu_memory_percent = 101),
	ROW("a list of GPUs has at most 16", .device = GSORT_DEVICE_GPU, .gpus = { 1, 0, 1 }, .gpu_count = 3),
	ROW("a list of GPUs has at most 16", .device = GSORT_DEVICE_GPU, .gpu_count = GSORT_GPUS_MOST + 1),
	ROW("a list of GPUs has at most 16, each of them once", .device = GSORT_DEVICE_GPU, .gpus = { -1 }),
	ROW("101% of the GPU's memory is more than there is", .device = GSORT_DEVICE_GPU,
	    .gpu_memory_percent = 101),
	ROW("'--argsort' has 32 or 64 bits, not 16", .lines = true, .argsort_bits = 16),
	ROW("a record has at most 1048576 bytes", .record_bytes = GSORT_RECORD_MOST_BYTES + 1),
	ROW("--tail=1048577 is too large here: with --merge, sets, --unique or --count it is at most 1048576",
	    .operation = GSORT_MERGE, .tail = { .wanted = true, .count = 1048577 }),
	ROW("one process sorts on one GPU", .device = GSORT_DEVICE_GPU, .gpus = { 1, 0 }, .gpu_count = 2),
	ROW("one process sorts on one GPU", .device = GSORT_DEVICE_GPU, .gpu_count = GSORT_ALL_GPUS),
	ROW("'--batch-size' is 1", .merge_files = 1),
	ROW("type is 99: there is no such value", .type = (enum gsort_type)99),
	ROW("there is no such value", .decompress = (enum gsort_decompress) - 1),
	ROW("there is no such value", .notation = (enum gsort_notation)99),
	ROW("there is no such value", .format = (enum gsort_format)99),
	ROW("'--to=text'", .converts = true, .to = GSORT_TEXT_FLOAT),
};

/* gsort_conflict() names the two options that the message names, or none. */
static void
check_conflict(const struct row *row)
{
	struct gsort_conflict conflict = { .one = "", .other = "" };
	struct gsort_options options = row->options;
	const bool pair = row->said != NULL && (strncmp(row->said, "options ", 8) == 0 ||
	                                        strstr(row->said, "' needs '") != NULL);
	char one[40], other[40];

	options.struct_size = sizeof options;
	CHECK(gsort_conflict(&options, &conflict) == pair, "{ %s }: two options conflict: %d",
	      row->name, (int)pair);
	snprintf(one, sizeof one, "'--%s", conflict.one);
	snprintf(other, sizeof other, "'--%s", conflict.other);
	if (pair)
		CHECK(strstr(row->said, one) != NULL && strstr(row->said, other) != NULL &&
		      conflict.needs == (strstr(row->said, "needs") != NULL),
		      "{ %s }: '%s' and '%s' conflict in \"%s\"", row->name, conflict.one,
		      conflict.other, row->said);
}

enum { JSON_BYTES = 4096 };

static void
keep_line(void *json, const char *line)
{
	snprintf(json, JSON_BYTES, "%s", line);
}

/* A number of an object; 0: it has none of this NAME. */
static uint64_t
number_of(const char *json, const char *name)
{
	const char *at = strstr(json, name);

	return at != NULL ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* gsort(1) gives bytes; a percentage is for programs that use the library. */
static void
check_memory_percent(void)
{
	static const char *const input = "/dev/null";
	static char machine[JSON_BYTES], plan[JSON_BYTES];
	gsort *job;

	gsort_info_json(NULL, keep_line, machine);
	for (unsigned percent = 40; percent <= 60; percent += 20) {
		const struct gsort_options options = {
			.struct_size = sizeof options, .type = GSORT_U32, .inputs = &input, .input_count = 1,
			.output = "/dev/null", .device = GSORT_DEVICE_CPU, .explained = true,
			.memory_percent = percent,
		};

		CHECK(gsort_open(&job, &options) == GSORT_OK, "%u%%: %s", percent, gsort_message());
		gsort_plan_json(job, keep_line, plan);
		CHECK(number_of(plan, "\"memory_bytes\":") ==
		      number_of(machine, "\"ram_bytes\":") / 100 * percent,
		      "%u%% of memory: %s, %s", percent, plan, machine);
		gsort_close(job);
	}
}

void
unit_options(void)
{
	check_memory_percent();
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const struct row *row = &rows[r];
		struct gsort_options given = row->options, copy;
		gs_status status;

		given.struct_size = sizeof given;
		status = gs_options_copy(&copy, &given);
		if (status == GS_OK)
			status = gs_options_check(&copy);
		if (row->said == NULL)
			CHECK(status == GS_OK, "{ %s } go together: %s", row->name, gs_message());
		else
			CHECK(status == GS_EUSAGE && strstr(gs_message(), row->said) != NULL,
			      "{ %s } is refused with \"%s\": status %d, \"%s\"", row->name,
			      row->said, (int)status, gs_message());
		check_conflict(row);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - opts.def as data, and what takes each option's value
 *
 * Each row names its taker; nothing else knows a single option.  The same value
 * twice is fine; two values that differ are not, except that of two --parallel
 * the last one counts, as in sort(1).
 */
#include <string.h>

#include "cli/report.h"
#include "cli/table.h"
#include "cli/values.h"

#define NUMBERS_ONLY	"is not supported: gsort sorts numbers; use sort(1)"
#define NOT_YET		"is not supported in this release; use sort(1)"

static void *
field_of(struct gs_opts *opts, const struct gs_row *row)
{
	return (char *)opts + row->field;
}

/* --- the takers: false if the value is wrong; then they have said why ------- */

static bool
take_flag(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)value;
	*(bool *)field_of(opts, row) = true;
	return true;
}

static bool
take_count(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)value;
	++*(unsigned *)field_of(opts, row);
	return true;
}

const char *
gs_row_spell_type(const char *name, char into[16])
{
	bool text = strcmp(name, "text") == 0;

	strcpy(into, text ? "--type=" : "-");
	return strcat(into, name);
}

static bool
take_type(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	enum gsort_type type;
	char one[16], two[16];

	(void)row;
	if (!gsort_type_named(value, &type)) {
		gs_report_error("invalid argument '%s' for --type: it is one of u8, u16, u32, "
		                "u64, i8, i16, i32, i64, f32, f64, text", value);
		return false;
	}
	if (opts->type_name != NULL && opts->job.type != type) {
		gs_report_error("options '%s' and '%s' are incompatible",
		                gs_row_spell_type(opts->type_name, one),
		                gs_row_spell_type(value, two));
		return false;
	}
	opts->job.type = type;
	opts->type_name = value;
	return true;
}

static bool
take_output(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)row;
	if (opts->job.output != NULL && strcmp(opts->job.output, value) != 0) {
		gs_report_error("multiple output files specified: '%s' and '%s'",
		                opts->job.output, value);
		return false;
	}
	opts->job.output = value;
	return true;
}

static bool
take_decompress(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	static const char *const names[] = {
		[GSORT_DECOMPRESS_AUTO] = "auto", [GSORT_DECOMPRESS_NONE] = "none",
		[GSORT_DECOMPRESS_GZIP] = "gzip", [GSORT_DECOMPRESS_BZIP2] = "bzip2",
		[GSORT_DECOMPRESS_XZ] = "xz", [GSORT_DECOMPRESS_ZSTD] = "zstd",
		[GSORT_DECOMPRESS_LZ4] = "lz4",
	};
	const unsigned count = sizeof names / sizeof names[0];
	enum gsort_decompress *format = field_of(opts, row);
	unsigned f = 0;

	while (f < count && strcmp(names[f], value) != 0)
		f++;
	if (f == count) {
		gs_report_error("invalid argument '%s' for --decompress: it is one of auto, "
		                "none, gzip, bzip2, xz, zstd, lz4", value);
		return false;
	}
	if (*format != GSORT_DECOMPRESS_AUTO && *format != f) {
		gs_report_error("options '--decompress=%s' and '--decompress=%s' are incompatible",
		                names[*format], value);
		return false;
	}
	*format = (enum gsort_decompress)f;
	return true;
}

static bool
take_device(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)row;
	if (!gs_value_device(value, &opts->job.device, &opts->job.gpu_index)) {
		gs_report_error("invalid argument '%s' for --device: it is auto, cpu, gpu, or "
		                "gpu:N with N counted from 0", value);
		return false;
	}
	if (opts->device_name != NULL && strcmp(opts->device_name, value) != 0) {
		gs_report_error("options '--device=%s' and '--device=%s' are incompatible",
		                opts->device_name, value);
		return false;
	}
	opts->device_name = value;
	return true;
}

static bool
take_memory(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	uint64_t bytes = 0;
	unsigned percent = 0;
	const char *wrong = gs_value_memory(value, &bytes, &percent);

	(void)row;
	if (wrong != NULL) {
		gs_report_error("--gpu-memory argument '%s' %s", value, wrong);
		return false;
	}
	if ((opts->job.gpu_memory_bytes != 0 || opts->job.gpu_memory_percent != 0)
	    && (opts->job.gpu_memory_bytes != bytes || opts->job.gpu_memory_percent != percent)) {
		gs_report_error("two different values of --gpu-memory");
		return false;
	}
	opts->job.gpu_memory_bytes = bytes;
	opts->job.gpu_memory_percent = percent;
	return true;
}

static bool
take_threads(struct gs_opts *opts, const struct gs_row *row, const char *value)
{
	(void)row;
	if (!gs_value_threads(value, &opts->job.threads)) {
		gs_report_error("invalid --parallel argument '%s': it is a whole number from 1 up",
		                value);
		return false;
	}
	return true;
}

/* --- the table ------------------------------------------------------------- */

#define GROUP(heading)		{ .meaning = heading },
#define TYPE(letter, widths, meaning)
#define OPT(taker, member, ...)	{ OPT_(__VA_ARGS__), .take = take_##taker, \
				  .field = offsetof(struct gs_opts, member) },
#define OPT_(long, short, what, text) \
	.name = long, .letter = short, .value = what, .meaning = text
#define REFUSE(long, short, what, text, why) { OPT_(long, short, what, text), .refusal = why },

const struct gs_row gs_rows[] = {
#include "cli/opts.def"
};

#undef GROUP
#undef TYPE
#undef OPT
#undef REFUSE

const size_t gs_row_count = sizeof gs_rows / sizeof gs_rows[0];

#define GROUP(heading)
#define WIDTHS(...)		{ __VA_ARGS__, 0 }
#define TYPE(one, widths_, text) { .letter = one, .widths = widths_, .meaning = text },
#define OPT(...)
#define REFUSE(...)

const struct gs_argv_type gs_row_types[] = {
#include "cli/opts.def"
	{ .letter = 0 },
};

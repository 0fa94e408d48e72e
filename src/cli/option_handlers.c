// SPDX-License-Identifier: BSD-2-Clause
/* option_handlers.c - what options without a value, with a type or with a name do */
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/report.h"

void *
gs_option_field(struct gs_opts *opts, const struct gs_option_use *use)
{
	return (char *)opts + use->option->field;
}

bool
gs_refuse_two(const struct gs_option_use *use, const char *one, const char *other)
{
	return gs_report_error("options '--%s=%s' and '--%s=%s' are incompatible", use->option->name, one,
	                       use->option->name, other);
}

bool
gs_refuse_pair(const char *one, const char *other)
{
	return gs_report_error("options '%s' and '%s' are incompatible", one, other);
}

const char *
gs_spell_type(const char *name, char into[24])
{
	enum gsort_notation notation;

	snprintf(into, 24, "%s%s", strncmp(name, "text", 4) == 0 || gs_notation_called(name, &notation)
	         ? "--type=" : "-", name);
	return into;
}

/* --- without a value ------------------------------------------------------- */

bool
gs_set_flag(struct gs_opts *opts, const struct gs_option_use *use)
{
	*(bool *)gs_option_field(opts, use) = true;
	return true;
}

/* --union, --intersect, --difference, --symmetric: by the first letter. */
bool
gs_set_set(struct gs_opts *opts, const struct gs_option_use *use)
{
	static const char *const names[] = { "", "--union", "--intersect", "--difference", "--symmetric" };
	enum gsort_set set = GSORT_UNION;

	while (names[set][2] != use->option->name[0])
		set++;
	if (opts->job.set != GSORT_NO_SET && opts->job.set != set)
		return gs_refuse_pair(names[opts->job.set], names[set]);
	opts->job.set = set;
	return true;
}

/* --- key types ------------------------------------------------------------- */

/* All keys are in one byte order.  False after a message. */
static bool
set_endian(struct gs_opts *opts, const struct gs_option_use *use, enum gsort_endian endian)
{
	if (endian == GSORT_ENDIAN_HOST)
		return true;
	if (opts->job.endian != GSORT_ENDIAN_HOST && endian != opts->job.endian)
		return gs_report_error("%s=%s is in another byte order than the option before it",
		                       use->spelled, use->value);
	opts->job.endian = endian;
	return true;
}

/* Returns gsort's name of the type, or NULL after a message.  "<u4" says the byte order, too. */
static const char *
parse_type(struct gs_opts *opts, const struct gs_option_use *use, const char *also,
           enum gsort_type *type)
{
	enum gsort_endian endian = GSORT_ENDIAN_HOST;
	const char *name = gsort_type_named(use->value, type) ? use->value
	                   : gs_type_called(use->value, type, &endian);

	if (name != NULL)
		return set_endian(opts, use, endian) ? name : NULL;
	gs_report_usage("invalid argument '%s' for %s: must be one of u8, u16, u32, u64, i8, i16, "
	                "i32, i64, f16, bf16, f32, f64, %s; be behind a binary type is big endian%s",
	                use->value, use->spelled, also,
	                strcmp(use->value, "ipv6") == 0 ? "; gsort knows no IPv6 addresses; "
	                "--lines sorts them as text" : "");
	return NULL;
}

bool
gs_is_noted(const char *name)
{
	enum gsort_notation notation;

	return name != NULL && gs_notation_called(name, &notation);
}

/* Text is in one notation. */
static bool
set_notation(struct gs_opts *opts, const struct gs_option_use *use, enum gsort_notation notation)
{
	if (opts->job.notation != GSORT_DECIMAL && opts->job.notation != notation)
		return gs_report_error("%s=%s is in another notation than the option before it", use->spelled,
		                       use->value);
	opts->job.notation = notation;
	return true;
}

bool
gs_set_type(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gsort_type type = GSORT_TEXT;
	enum gsort_notation notation = GSORT_DECIMAL;
	enum gsort_endian order = GSORT_ENDIAN_HOST;
	const bool noted = gs_notation_called(use->value, &notation);
	const char *name;
	char one[24], other[24];

	if (strcmp(use->value, "npy") == 0)
		return gs_report_error("option '--type=npy' is not known: gsort --header=128 -f64 FILE sorts "
		                       "an array of f64 behind 128 bytes, and gsort.sort_file() in Python "
		                       "any");
	if (strcmp(use->value, "raw") == 0) {
		opts->job.format = GSORT_FORMAT_RAW;
		return true;
	}
	name = noted ? use->value
	             : parse_type(opts, use, "u128, i128, int, float, hex, ipv4, time, raw", &type);
	if (name == NULL || (noted && !set_notation(opts, use, notation)))
		return false;
	if (opts->type_name != NULL && (opts->job.type != type || noted != gs_is_noted(opts->type_name)))
		return gs_refuse_pair(gs_spell_type(opts->type_name, one), gs_spell_type(name, other));
	opts->job.type = type;
	opts->type_name = name;
	(void)gs_type_called(use->value, &type, &order);
	opts->type_says_order |= order != GSORT_ENDIAN_HOST;
	return true;
}

bool
gs_set_to(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gsort_type type = GSORT_TEXT;
	enum gsort_notation notation = GSORT_DECIMAL;
	const bool hex = gs_notation_called(use->value, &notation) && notation == GSORT_HEXADECIMAL;
	const char *name;

	if (strcmp(use->value, "json") == 0)
		return opts->job.json = true;
	name = hex ? use->value : parse_type(opts, use, "text, hex, json", &type);
	if (name == NULL || (hex && !set_notation(opts, use, notation)))
		return false;
	if (type == GSORT_TEXT_FLOAT)	/* as output, the same as text */
		type = GSORT_TEXT;
	if (opts->to_name != NULL && (opts->job.to != type || hex != gs_is_noted(opts->to_name)))
		return gs_refuse_two(use, opts->to_name, use->value);
	opts->job.to = type;
	opts->job.converts = true;
	opts->to_name = name;
	return true;
}

bool
gs_set_device(struct gs_opts *opts, const struct gs_option_use *use)
{
	if (!gs_parse_device(use->value, &opts->job))
		return gs_report_usage("invalid argument '%s' for --device: must be auto, cpu, gpu "
		                       "or gpu:N (N counts the GPUs from 0)", use->value);
	if (opts->device_name != NULL && strcmp(opts->device_name, use->value) != 0)
		return gs_refuse_two(use, opts->device_name, use->value);
	opts->device_name = use->value;
	return true;
}

/* --- records --------------------------------------------------------------- */

/* What it means depends on other options: see args.c. */
bool
gs_set_key(struct gs_opts *opts, const struct gs_option_use *use)
{
	opts->key_texts[opts->key_count++] = use->value;
	return true;
}

bool
gs_set_argsort(struct gs_opts *opts, const struct gs_option_use *use)
{
	enum gsort_endian endian = GSORT_ENDIAN_HOST;
	enum gsort_type type = GSORT_TEXT;
	unsigned bits = 0;

	if (gs_type_ordered(use->value, &type, &endian))
		bits = type == GSORT_U32 ? 32 : type == GSORT_U64 ? 64 : 0;
	if (bits == 0)
		return gs_report_usage("invalid argument '%s' for %s: must be u32 or u64", use->value,
		                       use->spelled);
	if (use->previous != NULL && opts->job.argsort_bits != bits)
		return gs_refuse_two(use, use->previous, use->value);
	opts->job.argsort_bits = bits;
	return set_endian(opts, use, endian);
}

/* --- names ----------------------------------------------------------------- */

bool
gs_set_name(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char **name = gs_option_field(opts, use);
	const char *value = use->value != NULL ? use->value : "";
	const char *const two = name == &opts->job.output ? "multiple output files specified"
	                        : name == &opts->job.compress_program ? "multiple compress programs specified"
	                        : name == &opts->job.separator ? "two different separators" : NULL;

	if (*name != NULL && strcmp(*name, value) != 0)
		return two == NULL ? gs_refuse_two(use, *name, value)
		       : gs_report_error("%s: '%s' and '%s'", two, *name, value);
	*name = value;
	return true;
}

bool
gs_set_temp_dir(struct gs_opts *opts, const struct gs_option_use *use)
{
	opts->temp_dirs[opts->job.temp_dir_count++] = use->value;
	return true;
}
